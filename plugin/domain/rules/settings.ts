/** The settings of the rules as they are typed: the webhook's variables and the commands' flags read the same. */
import type { RuleOptions, RuleSetting } from "./types";

/** By what the upgrade policy judges: the version that is asked for, or the size of the step to it (C6). */
export const policyReadings = [
  "target",
  "step",
] as const satisfies readonly RuleOptions["reading"][];

const actions = ["deny", "warn", "off"] as const;

/** Each rule refuses, as long as nothing else is said. */
export const everyRule: RuleOptions["rules"] = { version: "deny", policy: "deny", modules: "deny" };

/** What `parseRules` reads, for messages. */
export const rulesForm =
  "a list such as version=deny,policy=warn,modules=off, each rule at most once";

/** Any part of the list, each rule once; the others deny. Undefined for what is no such list. */
export function parseRules(text: string): RuleOptions["rules"] | undefined {
  const rules: Record<RuleSetting, (typeof actions)[number]> = { ...everyRule };
  const seen = new Set<string>();
  for (const part of text.split(",")) {
    const [, rule = "", value = ""] = /^\s*(\w+)=(\w+)\s*$/.exec(part) ?? [];
    const action = actions.find((known) => known === value);
    if (!Object.hasOwn(everyRule, rule) || action === undefined || seen.has(rule)) return undefined;
    seen.add(rule);
    rules[rule as RuleSetting] = action;
  }
  return rules;
}
