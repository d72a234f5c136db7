import { defaultNames } from "../../../../plugin/domain/names/names";
import type {
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from "../../../../plugin/domain/kube/models";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import {
  judgeShipped,
  planSwap,
  type PlanFacts,
} from "../../../../plugin/commands/upgrade-webhook/plan";
import { findEntry } from "../../../../plugin/domain/admission/configuration";
import { releasePairs } from "../../../../plugin/domain/release/platforms";
import { buildConfiguration } from "../../../../plugin/domain/admission/wanted";
import {
  aNewConfiguration,
  anOldConfiguration,
  aTemplate,
  ownerMarks,
  testCa,
} from "../../../support/builders";

const facts: PlanFacts = {
  namespace: "engine",
  template: aTemplate(),
  configurations: [],
  caBundle: testCa,
  livingNamespaces: ["engine"],
  takeTemplateSelectors: false,
  takeTemplateRules: false,
  names: defaultNames,
};
const plan = (
  configurations: readonly ValidatingWebhookConfiguration[],
  changes: Partial<PlanFacts> = {},
) => planSwap({ ...facts, configurations, ...changes });
/** The new one exactly up to date, defaults included. */
const right = buildConfiguration({ ...facts, live: undefined, old: undefined }).object;
const old = anOldConfiguration();
const empty = aNewConfiguration({ caBundle: "" });
const label = "ValidatingWebhookConfiguration/engine-enterprise-admission";
const called = (
  name: string | undefined,
  object: ValidatingWebhookConfiguration = right,
): ValidatingWebhookConfiguration => ({
  ...object,
  metadata: name === undefined ? {} : { name },
});
const stranger = { ...called("x"), webhooks: [] };
const entry = (configuration: KubeObject) =>
  (configuration["webhooks"] as readonly Record<string, unknown>[])[0] ?? {};

test.each<[string, readonly ValidatingWebhookConfiguration[], string, boolean, boolean]>([
  ["none", [], "none", true, false],
  ["only old", [old], "only-old", true, true],
  ["old and a right new", [old, right], "both", false, true],
  ["old and an unfit new", [old, empty], "both", true, true],
  ["only new, right", [right], "only-new", false, false],
  ["only new, unfit", [empty], "only-new", true, false],
  ["someone else's alone", [stranger], "none", true, false],
  ["one without a name", [called(undefined)], "none", true, false],
])("what was found decides what is written: %s", (_title, ...[all, found, applies, removes]) => {
  const made = plan(all);
  expect([made.found, made.apply !== undefined]).toEqual([found, applies]);
  // what is removed is the old one as it was read
  expect(made.remove?.object).toBe(removes ? old : undefined);
});

test.each<[string, readonly ValidatingWebhookConfiguration[], string]>([
  ["absent", [], "it does not exist"],
  ["CA empty", [empty], "its caBundle is empty; differs at webhooks["],
  [
    "placeholder left",
    [aNewConfiguration({ namespace: "OPERATOR_NAMESPACE" })],
    "the placeholder OPERATOR_NAMESPACE is left in it",
  ],
  [
    "another rule",
    [{ ...right, webhooks: [{ ...entry(right), rules: [] }] }],
    "differs at webhooks[name=redisenterprise.admission.engine].rules",
  ],
])("the reason of the apply: %s", (_title, configurations, reason) => {
  expect(plan(configurations).apply?.why).toContain(reason);
});

const living: Partial<PlanFacts> = { livingNamespaces: ["engine", "other"] };
const foreignNew = aNewConfiguration({ namespace: "other" });
const foreignOld = anOldConfiguration({ namespace: "other" });
const byUrl = aNewConfiguration({ entry: { clientConfig: { url: "https://x" } } });
const helm = { metadata: ownerMarks.Helm };
const owned = (object: ValidatingWebhookConfiguration): ValidatingWebhookConfiguration => ({
  ...object,
  metadata: {
    ...object.metadata,
    labels: { ...object.metadata.labels, ...ownerMarks.Helm.labels },
  },
});
const holding = (
  ...webhooks: readonly ValidatingWebhook[]
): readonly ValidatingWebhookConfiguration[] => [{ ...old, webhooks }, right];

/** `severity CODE` of every finding, without what all codes begin with. */
test.each<
  [string, readonly ValidatingWebhookConfiguration[], readonly string[], Partial<PlanFacts>?]
>([
  ["another namespace that exists", [foreignNew], ["error OTHER-NAMESPACE"], living],
  ["another namespace of the old one", [foreignOld], ["error OTHER-NAMESPACE"], living],
  [
    "one taken over",
    [foreignNew],
    ["warning OTHER-NAMESPACE"],
    {
      ...living,
      skip: [
        {
          code: "WEBHOOK-OTHER-NAMESPACE",
          object: "ValidatingWebhookConfiguration/engine-enterprise-admission",
        },
      ],
    },
  ],
  ["another namespace that is gone", [foreignNew], []],
  ["a url", [byUrl], [], living],
  ["an owner of the old one, which would be deleted", [anOldConfiguration(helm)], ["error OWNED"]],
  [
    "an owner of the new one, which would be written",
    [aNewConfiguration({ ...helm, caBundle: "" })],
    ["error OWNED"],
  ],
  ["an owner of the new one, which is up to date", [owned(right)], ["warning OWNED"]],
  [
    "an owner of another that calls the same Service",
    [right, owned(called("chart"))],
    ["error OWNED"],
  ],
  [
    "an owner of another operator's",
    [right, owned(called("chart", foreignNew))],
    ["warning OWNED"],
    living,
  ],
  ["an owner of someone else's", [right, owned(stranger)], []],
  [
    "entries of others in the old one",
    holding(entry(old), { name: "other" }),
    ["error OLD-HAS-OTHERS"],
  ],
  ["both of the product's entries in the old one", holding(entry(old), entry(right)), []],
  ["no entry at all in the old one", holding(), []],
  ["neither configuration", [], ["warning ABSENT"]],
])("findings: %s", (_title, ...[configurations, expected, changes]) => {
  const { findings } = plan(configurations, changes);
  const told = findings.map(({ severity, code }) => `${severity} ${code.replace("WEBHOOK-", "")}`);
  expect(told).toEqual(expected);
});

test("a finding says whose databases would be checked by whom, and what carries the same entry", () => {
  const foreign = plan([foreignNew, foreignOld], living).findings.map(({ cause }) => cause);
  expect(foreign).toEqual([
    "it serves namespace other, which exists: every database in its scope would be checked by the webhook in engine instead of the one in other",
    "it serves namespace other, which exists: the databases that other validates would lose that check",
  ]);
  const others = plan([right, called("chart"), owned(called(undefined)), called(undefined)]);
  expect(others.findings.map(({ code, object }) => [code, object])).toEqual([
    ["WEBHOOK-OTHER-CONFIGURATION", "ValidatingWebhookConfiguration/chart"],
    ["WEBHOOK-OWNED", "ValidatingWebhookConfiguration/"],
    ["WEBHOOK-OTHER-CONFIGURATION", "ValidatingWebhookConfiguration/"],
  ]);
});

const kept = { entry: { timeoutSeconds: 5 } };

test.each<[readonly ValidatingWebhookConfiguration[], string]>([
  [[aNewConfiguration(kept), anOldConfiguration(kept)], "engine-enterprise-admission"],
  [[anOldConfiguration(kept)], "edb-admission"],
])("what is kept is told, with the object that it comes from (%#)", (configurations, from) => {
  const cause = `kept as found in ${from}, the template has something else`;
  const field = "webhooks[name=redisenterprise.admission.engine].timeoutSeconds";
  expect(plan(configurations).findings).toMatchObject([
    { code: "WEBHOOK-KEPT", object: label, field, cause },
  ]);
});

test.each([null, undefined, [], [{}]])("a live one with entries %j is planned over", (webhooks) => {
  const made = plan([
    { ...right, webhooks },
    { ...old, webhooks },
  ]);
  expect(findEntry(made.apply?.object, defaultNames.webhook.entry)).toEqual(entry(right));
});

const latest = releasePairs
  .slice(-1)
  .map(([operator]) => operator)
  .join("");

test.each([
  ["no operator", undefined, 0],
  ["a tag that tells no release", "latest", 0],
  ["the latest that is known", latest, 0],
  ["an older one that is not listed", "8.0.3-1", 0],
  ["a later build", `${latest}9`, 1],
  ["a later release", "10.0.0-1", 1],
] as const)("the shipped template is too old: %s", (...[, operator, count]) => {
  const found = judgeShipped(operator, "ValidatingWebhookConfiguration/x");
  expect(found).toHaveLength(count);
  for (const { cause } of found) expect(cause).toContain(`the operator is of ${operator ?? ""}, `);
});
