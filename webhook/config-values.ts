/** The formats of the settings; each parser gives undefined for a text that does not fit. */
import type { RuleOptions, RuleSetting } from "../plugin/domain/rules/types";

const bytes: Readonly<Record<string, number>> = { "": 1, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };

/** `8Mi`, `512Ki`, `1048576` in bytes. */
export function parseSize(text: string): number | undefined {
  const [, amount = "", unit = ""] = /^(\d{1,10})(Ki|Mi|Gi|)$/.exec(text) ?? [];
  const factor = bytes[unit];
  return amount === "" || factor === undefined ? undefined : Number(amount) * factor;
}

/** `true` or `false`. */
export function parseBoolean(text: string): boolean | undefined {
  return text === "true" ? true : text === "false" ? false : undefined;
}

/** A whole number within the bounds, both included. */
export function parseWhole(text: string, lowest: number, highest: number): number | undefined {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return value >= lowest && value <= highest ? value : undefined;
}

const actions = ["deny", "warn", "off"] as const;
const everyRule: RuleOptions["rules"] = { version: "deny", policy: "deny", modules: "deny" };

/** `version=deny,policy=warn,modules=off`, any part of it, each rule once; the others deny. */
export function parseRules(text: string): RuleOptions["rules"] | undefined {
  const rules: Record<RuleSetting, (typeof actions)[number]> = { ...everyRule };
  const seen = new Set<string>();
  for (const part of text === "" ? [] : text.split(",")) {
    const [, rule = "", value = ""] = /^\s*(\w+)=(\w+)\s*$/.exec(part) ?? [];
    const action = actions.find((known) => known === value);
    if (!isRule(rule) || action === undefined || seen.has(rule)) return undefined;
    seen.add(rule);
    rules[rule] = action;
  }
  return rules;
}

function isRule(text: string): text is RuleSetting {
  return Object.hasOwn(everyRule, text);
}

/** Texts between commas, each at least a character. */
export function parseList(text: string): readonly string[] | undefined {
  const parts = text.split(",").map((part) => part.trim());
  return parts.includes("") ? undefined : parts;
}
