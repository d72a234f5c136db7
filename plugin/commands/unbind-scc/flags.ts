/** What `unbind-scc` takes. */
import { namespace, ec, ecShort, text } from "../../domain/names/text";
import { type FlagsOf, groups, spec } from "../../cmdutil/spec";

/** Options of `unbind-scc`. */
export type UnbindSccFlags = FlagsOf<typeof unbindScc>;

/** `unbind-scc`. */
export const unbindScc = spec({
  path: "unbind-scc",
  kind: "UnbindScc",
  group: groups.upgrade,
  summary: "Take the old security context constraint from the cluster's service account",
  description: text`Take the old security context constraint from the service account of the cluster (${ec}), on OpenShift.

Every way in is looked at: the constraint's users and groups, and every binding to a role that grants its use. This
account is taken out, and with it the operator's own and the group of the namespace where nothing there needs the
constraint; everyone else stays; an access review proves it; the constraint is deleted only when no subject and no pod
is left. What is changed or deleted is saved first. Ways in that belong to others, such as wider groups and roles with
wildcards, are reported. Running the command again is safe: it continues from the state found.`,
  examples: {
    "Show what would be done": text`unbind-scc -n ${namespace} --dry-run=server`,
    "Unbind every cluster of the namespace that no longer needs it": text`unbind-scc -n ${namespace}`,
    "Unbind one cluster, in a script": text`unbind-scc -n ${namespace} --ec ${ecShort} --yes`,
  },
  flags: {
    scc: {
      value: "NAME",
      help: "Constraint to unbind, instead of the one that the specification names",
    },
    ec: {
      value: "NAME",
      kinds: ["ec"],
      help: text`${ec} whose service account is meant; else every ${ec}`,
    },
  },
  cluster: true,
  writes: true,
  place: "operator",
  settles: true,
});
