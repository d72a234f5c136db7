/** `unbind-scc`, as data. */
import type { UnbindSccFlags } from "../commands/unbind-scc";
import type { CommandEntry } from "./entry";
import { groups, prepare } from "./entry";

/** `unbind-scc`. */
export const unbindScc: CommandEntry = {
  path: "unbind-scc",
  kind: "UnbindScc",
  group: groups.upgrade,
  summary: "Take the old security context constraint from the cluster's service account",
  description: `Take the old security context constraint from the service account of the cluster (EC), on OpenShift.

Every way in is looked at: the constraint's users and groups, and every binding to a role that grants its use. This
account alone is taken out, everyone else stays; an access review proves it; the constraint is deleted only when no
subject and no pod is left. What is changed or deleted is saved first. Ways in that belong to others, such as groups
and roles with wildcards, are reported. Running the command again is safe: it goes on from the state found.`,
  examples: [
    { does: "Show what would be done", line: "unbind-scc -n engine --dry-run=server" },
    {
      does: "Unbind every EC of the namespace that no longer needs it",
      line: "unbind-scc -n engine",
    },
    { does: "Unbind one EC, in a script", line: "unbind-scc -n engine --ec ec --yes" },
  ],
  flags: [
    {
      name: "scc",
      value: "NAME",
      help: "Constraint to unbind, instead of the one that the specification names",
    },
    {
      name: "ec",
      value: "NAME",
      kinds: ["ec"],
      help: "EC whose service account is meant; else every EC",
    },
  ],
  cluster: true,
  place: "operator",
  settles: true,
  prepare: prepare<UnbindSccFlags>(
    (read) => {
      const scc = read.text("scc");
      const ec = read.text("ec");
      return { ...(scc !== undefined && { scc }), ...(ec !== undefined && { ec }) };
    },
    async () => {
      const { runUnbindScc } = await import("../commands/unbind-scc.ts");
      return { run: runUnbindScc };
    },
  ),
};
