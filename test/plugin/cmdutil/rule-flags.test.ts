import { FlagReader, type RawFlags, readOptions } from "../../../plugin/cmdutil/flags";
import { ruleFlags, withRules } from "../../../plugin/cmdutil/rule-flags";
import { defaultNames } from "../../../plugin/domain/names/names";
import { UsageError } from "../../../plugin/domain/base/errors";
import { parseConfig } from "../../../webhook/config";

function read(raw: RawFlags) {
  const reader = new FlagReader(raw);
  return { ...withRules(readOptions(ruleFlags, reader)), problems: reader.problems };
}

/** What the webhook makes of its settings, or says against them without the setting's name. */
function webhook(env: Readonly<Record<string, string>>) {
  try {
    return { rules: parseConfig({ ENGINE_WEBHOOK_TLS_DIR: "/tls", ...env }).rules, problems: [] };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { problems: error.problems.map((problem) => problem.replace(/^\w+: /, "")) };
  }
}

test.each<[string, RawFlags, Record<string, string>]>([
  ["nothing", {}, {}],
  ["the reading", { policyReading: "step" }, { ENGINE_WEBHOOK_POLICY_READING: "step" }],
  ["latest allowed", { allowLatest: true }, { ENGINE_WEBHOOK_ALLOW_LATEST: "true" }],
  ["latest refused", { allowLatest: false }, { ENGINE_WEBHOOK_ALLOW_LATEST: "false" }],
  [
    "some rules",
    { rules: "version=warn, modules=off" },
    { ENGINE_WEBHOOK_RULES: "version=warn, modules=off" },
  ],
])("%s: flags and the webhook's variables give the same settings", (_name, raw, env) => {
  const { rules, problems } = read(raw);
  expect({ rules: { ...rules, names: defaultNames }, problems }).toEqual(webhook(env));
});

test.each([
  "version",
  "version=maybe",
  "color=deny",
  "version=deny,version=off",
  "constructor=deny",
  "__proto__=deny",
  "version=deny,",
])("--rules %s is refused as the webhook refuses it", (value) => {
  const problems = read({ rules: value }).problems.map((problem) =>
    problem.replace(/^--rules: /, ""),
  );
  expect(problems).toEqual(webhook({ ENGINE_WEBHOOK_RULES: value }).problems);
  expect(problems).toHaveLength(1);
});

test("a reading that is none is refused by name", () => {
  expect(read({ policyReading: "both" }).problems).toEqual([
    '--policy-reading: "both" is not one of target, step',
  ]);
});
