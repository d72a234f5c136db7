/** `policy`. */
import { ec, namespace, text } from "../../domain/names/text";
import { policyModes } from "./policies";
import { kinds } from "./variables";
import { ruleFlags, withRules } from "../../cmdutil/rule-flags";
import { type FlagsOf, groups, spec } from "../../cmdutil/spec";

/** Options of `policy`. */
export type PolicyFlags = FlagsOf<typeof policy>;

/** `policy`. */
export const policy = spec({
  path: "policy",
  kind: "Policy",
  group: groups.rules,
  summary: "Print the admission rules as policies of the API server, which need no webhook",
  description: text`Print the admission rules as ValidatingAdmissionPolicies with their bindings, ready for kubectl apply -f -. The API
server, 1.30 or later, then checks every database by them itself. Each ${ec} is a parameter of the policy: a database
is checked by the one that it names, in its own namespace and in the operator's (-n). Where there is no ${ec}, what
rests on one is not checked: to refuse it would refuse every edit, and with that the removal of a database.

The rules are those of the webhook and take its settings, as flags. What differs is in the guide to the policy.

With --schema it prints a JSON patch for a definition instead, for what needs no ${ec}, and with --match-conditions one
for the companion webhook, so that edits which change nothing that is checked never reach it.`,
  examples: {
    "Print the policies of an operator in the namespace engine": text`policy -n ${namespace}`,
    "Try them first: warn, and refuse nothing": text`policy -n ${namespace} --mode warn`,
    "Check the size of the step, and only warn of modules":
      "policy --policy-reading step --rules modules=warn",
    "Print the patch for the definition of databases": "policy --schema edb",
    "Print the patch for the companion webhook": "policy --match-conditions",
  },
  flags: {
    mode: {
      value: "MODE",
      choices: policyModes,
      fallback: "deny",
      help: "What becomes of an edit that a rule is against: refused, a warning, or noted for the audit",
    },
    schema: {
      value: "KIND",
      choices: kinds,
      help: "Print a patch for the definition of this kind instead: the form of the engine version",
    },
    "match-conditions": {
      help: "Print a patch for the companion webhook's configuration instead: edits that it need not see",
    },
    ...ruleFlags,
  },
  cluster: false,
  shows: (read) => !read.isGiven("schema") && !read.on("match-conditions"),
  judge: ({ schema, matchConditions, ...options }, read) => {
    read.requireOne("schema", "match-conditions");
    if (read.isGiven("mode") && (schema !== undefined || matchConditions)) {
      read.problems.push("--mode: goes only with the policies");
    }
    return { ...withRules(options), schema, matchConditions };
  },
});
