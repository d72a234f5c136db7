/** How the admission rules are set: the webhook's settings, under their names, as flags of every command that judges by the rules. */
import { everyRule, parseRules, policyReadings, rulesForm } from "../domain/rules/settings";
import type { RuleOptions } from "../domain/rules/types";
import { flagTable, type OptionsOf } from "./flags";

/** `--policy-reading`, `--allow-latest` and `--rules`. */
export const ruleFlags = flagTable({
  "policy-reading": {
    value: "READING",
    choices: policyReadings,
    fallback: "target",
    help: "What the upgrade policy checks: the target version, or the size of the step",
  },
  "allow-latest": {
    // only what was typed is a setting: without it the EC's policy decides
    read: (read, name) => (read.isGiven(name) ? read.on(name) : undefined),
    help: "Let the version be latest, or refuse that with =false; else by the cluster's upgrade policy",
  },
  rules: {
    value: "LIST",
    read: (read, name) => read.parse(name, parseRules, rulesForm) ?? everyRule,
    help: "deny, warn or off for each rule, for example version=deny,policy=warn,modules=off; else deny",
  },
});

/** The settings of the rules; the names come from the run. */
export type RuleSettings = Omit<RuleOptions, "names">;

/** The three flags as one option of the command. */
export function withRules<O extends OptionsOf<typeof ruleFlags>>(options: O) {
  const { policyReading: reading, allowLatest, rules, ...own } = options;
  const settings: RuleSettings = { reading, allowLatest, rules };
  return { ...own, rules: settings };
}
