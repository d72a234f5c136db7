/** What `reapply-rbac` takes. */
import { namespace, text } from "../../domain/names/text";
import { count, list } from "../../cmdutil/flags";
import { type FlagsOf, groups, spec } from "../../cmdutil/spec";
import { rbacFindings } from "../../domain/rbac/findings";
import { makeNamedSkipFlag, releaseFlags, takeFlag } from "../../cmdutil/common-flags";

/** Options of `reapply-rbac`. */
export type ReapplyRbacFlags = FlagsOf<typeof reapplyRbac>;

/** `reapply-rbac`. */
export const reapplyRbac = spec({
  path: "reapply-rbac",
  kind: "ReapplyRbac",
  group: groups.upgrade,
  summary: "Bring the operator's Role and RoleBinding up to date in every managed namespace",
  description: `Bring the operator's Role and RoleBinding up to date in every managed namespace.

Without --mode it only adds: rules and subjects that are there stay. --mode contract removes what other releases
had, asks first, and is refused while the operator is older than the roles. Without --release the roles are those of
the release that runs. What a person added is kept in every mode and listed; --drop-local removes it.

What exists is read at once, only differences are written, and each namespace has a result of its own. The
namespaces are those that the operator is told to manage, or exactly those that are given. After writing,
access reviews prove the access. Running the command again continues from the state found.`,
  examples: {
    "Show rules gained and lost, write nothing": text`reapply-rbac -n ${namespace} --dry-run=client`,
    "Use the roles of a release": text`reapply-rbac -n ${namespace} --release ./release`,
    "Before the operator's upgrade: old and new rules": "reapply-rbac --release ./release",
    "After it: remove the old rules": "reapply-rbac --mode contract",
    "Remove what people added, too": "reapply-rbac --mode contract --drop-local all",
    "Begin with one, stop when three fail": "reapply-rbac --canary shop --max-failures 3",
  },
  flags: {
    namespaces: {
      value: "NAMES",
      ...list,
      offers: "namespace",
      help: "Namespaces to work on, exactly these",
    },
    selector: {
      short: "l",
      value: "SELECTOR",
      help: "Label selector of the namespaces to work on",
    },
    "namespaces-file": {
      value: "FILE",
      file: true,
      help: "File with the namespaces to work on; - for stdin",
    },
    template: {
      value: "FILE",
      file: true,
      help: "Roles and bindings to apply; - for stdin",
    },
    ...releaseFlags,
    mode: {
      value: "MODE",
      choices: ["expand", "contract"],
      fallback: "expand",
      help: "expand only adds; contract removes what other releases had",
    },
    "drop-local": {
      value: "ENTRIES",
      ...list,
      help: "Remove what a person added: ROLE:GROUP/RESOURCE:VERB, ROLE:User/NAME, or all",
    },
    "ec-service-account": {
      value: "NAME",
      key: "account",
      help: "The cluster's service account; else the cluster resource names it",
    },
    prune: { help: "Delete what is left in namespaces that are not managed any more" },
    canary: {
      value: "NAMESPACE",
      offers: "namespace",
      help: "Work on this one first, and stop when it fails",
    },
    "max-failures": { ...count(1, 1_000_000), help: "Stop after so many failed namespaces" },
    ...makeNamedSkipFlag([rbacFindings.otherOperator.code]),
    ...takeFlag("Fields to take from their present owner, separated by commas"),
    "no-probe": { help: "Prove nothing by access reviews" },
  },
  cluster: true,
  writes: true,
  place: "operator",
  settles: true,
  judge: ({ namespaces: typed, ...options }, read) => {
    read.requireOne("namespaces", "selector", "namespaces-file");
    read.requireOne("template", "release");
    const namespaces = [...new Set(typed)];
    if (read.isGiven("namespaces") && namespaces.length === 0) {
      read.problems.push("--namespaces: give at least one namespace");
    }
    return { ...options, ...(namespaces.length > 0 && { namespaces }) };
  },
});
