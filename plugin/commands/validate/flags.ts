/** `validate` and `audit`: the admission rules over files, and over what is stored. */
import { ec, namespace, text } from "../../domain/names/text";
import { list } from "../../cmdutil/flags";
import { ruleFlags, withRules } from "../../cmdutil/rule-flags";
import { type FlagsOf, groups, spec } from "../../cmdutil/spec";

/** Options of `validate`. */
export type ValidateFlags = FlagsOf<typeof validate>;

/** Options of `audit`. */
export type AuditFlags = FlagsOf<typeof audit>;

/** `validate`. */
export const validate = spec({
  path: "validate",
  kind: "Validation",
  group: groups.rules,
  summary: "Check manifests against the admission rules, without the webhook or a cluster",
  description: text`Check the databases of manifests against the rules of the admission webhook: the same verdict, with file, line and
column. No cluster is asked, unless --live is given.

The clusters (${ec}) that the rules rest on come from the manifests themselves, from --clusters, or with --live from the
cluster. Those of the manifests win; one of them without a status takes that of the same cluster elsewhere. Of a
database whose cluster is not at hand, what rests on the cluster is reported as not evaluated: exit code 0, and 1 with
--strict. Where --clusters or --live is given, a cluster that is not there is a violation.

Each database is checked as a new one, unless --old or --live has it: then the change is checked, by the upgrade policy
too. Files are read as kubectl reads them. Exit code 1 for violations, 2 where a file cannot be read; all that can be
read is checked all the same.`,
  examples: {
    "Check a folder and all folders in it": "validate -f manifests -R",
    "Check what Helm would install": "validate -f -",
    "Check a change against the files before it": "validate -f manifests -R --old before",
    "Show violations in a pull request on GitHub":
      "validate -f manifests -R --clusters clusters.yaml -o github",
    "Check against the cluster as it is now": "validate -f database.yaml --live -n databases",
  },
  flags: {
    filename: {
      short: "f",
      value: "FILE",
      ...list,
      file: true,
      key: "files",
      help: "File or folder of manifests, - for stdin; may be repeated",
    },
    recursive: { short: "R", help: "Read the folders within a folder too" },
    clusters: {
      value: "FILE",
      file: true,
      help: text`File of all clusters (${ec}), as the webhook reads`,
    },
    old: { value: "FILE", file: true, help: "File or folder of the manifests before the change" },
    live: { help: text`Read the clusters (${ec}) and the stored databases of the cluster` },
    "operator-namespace": {
      value: "NAME",
      help: text`Namespace of the operator, where a cluster (${ec}) is looked for as well`,
    },
    strict: { help: "Let what was not evaluated count as a violation" },
    ...ruleFlags,
  },
  cluster: false,
  verdicts: true,
  judge: (options, read) => {
    if (options.files.length === 0) read.missing.push("--filename: give a file, a folder, or -");
    read.requireOne("clusters", "live");
    read.requireOne("old", "live");
    return withRules(options);
  },
});

/** `audit`. */
export const audit = spec({
  path: "audit",
  kind: "Audit",
  group: groups.rules,
  summary: "Check all stored databases against the admission rules",
  description: text`Check every stored database of every namespace against the rules of the admission webhook and its cluster (${ec}) as
it is now: what was stored before the webhook, past it, or under another version of its cluster. Nothing is written;
one list of each kind is read.

Each database is checked as if it were created now. The upgrade policy (R2) applies only to updates and is left out. Exit
code 1 when there are violations, each with its fix and a command.`,
  examples: {
    "Check all databases": text`audit -n ${namespace}`,
    "Write the violations as SARIF": text`audit -n ${namespace} -o sarif`,
    "Check as a webhook whose rule on modules is off does": text`audit -n ${namespace} --rules=modules=off`,
  },
  flags: ruleFlags,
  cluster: true,
  place: "operator",
  settles: true,
  verdicts: true,
  reads: () => true,
  judge: (options) => withRules(options),
});
