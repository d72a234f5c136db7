import { defaultNames } from "../../../../plugin/domain/names";
import type { KubeObject } from "../../../../plugin/domain/objects";
import { planSwap, type PlanFacts } from "../../../../plugin/domain/webhook/plan";
import { wantedConfiguration } from "../../../../plugin/domain/webhook/wanted";
import {
  aNewConfiguration,
  anOldConfiguration,
  aTemplate,
  ownerMarks,
  testCa,
} from "../../../support/builders";
import { hostile } from "./hostile";

const facts: PlanFacts = {
  namespace: "engine",
  template: aTemplate(),
  configurations: [],
  caBundle: testCa,
  livingNamespaces: ["engine"],
  takeOver: false,
  takeTemplateSelectors: false,
  takeTemplateRules: false,
  names: defaultNames,
};
const plan = (configurations: readonly KubeObject[], changes: Partial<PlanFacts> = {}) =>
  planSwap({ ...facts, configurations, ...changes });
/** The new one exactly up to date, defaults included. */
const right = wantedConfiguration({ ...facts, live: undefined, old: undefined }).object;
const old = anOldConfiguration();
const empty = aNewConfiguration({ caBundle: "" });
const label = "ValidatingWebhookConfiguration/engine-enterprise-admission";

describe("what was found decides what is written", () => {
  test.each<[string, readonly KubeObject[], string, boolean, boolean]>([
    ["none", [], "none", true, false],
    ["only old", [old], "only-old", true, true],
    ["old and a right new", [old, right], "both", false, true],
    ["old and an unfit new", [old, empty], "both", true, true],
    ["only new, right", [right], "only-new", false, false],
    ["only new, unfit", [empty], "only-new", true, false],
    [
      "someone else's alone",
      [{ ...right, metadata: { name: "x" }, webhooks: [] }],
      "none",
      true,
      false,
    ],
    ["one without a name", [{ ...right, metadata: {} }], "none", true, false],
  ])("%s", (_title, ...[configurations, found, applies, removes]) => {
    const made = plan(configurations);
    expect([made.found, made.apply !== undefined, made.remove !== undefined]).toEqual([
      found,
      applies,
      removes,
    ]);
  });

  test("what is removed is the old one as it was read", () => {
    expect(plan([right, old]).remove?.object).toBe(old);
  });
});

describe("the reason of the apply", () => {
  test.each<[string, readonly KubeObject[], readonly string[]]>([
    ["absent", [], ["it does not exist"]],
    ["CA empty", [empty], ["its caBundle is empty", "clientConfig.caBundle"]],
    [
      "placeholder left",
      [aNewConfiguration({ namespace: "OPERATOR_NAMESPACE" })],
      ["the placeholder OPERATOR_NAMESPACE is left in it"],
    ],
    [
      "another rule",
      [{ ...right, webhooks: [{ ...entry(right), rules: [] }] }],
      ["differs at webhooks[name=redisenterprise.admission.engine].rules"],
    ],
  ])("%s", (_title, configurations, reasons) => {
    const why = plan(configurations).apply?.why ?? "";
    for (const reason of reasons) expect(why).toContain(reason);
  });
});

function entry(configuration: KubeObject): Record<string, unknown> {
  const [first = {}] = configuration["webhooks"] as readonly Record<string, unknown>[];
  return first;
}

/** `severity code` of every finding. */
function findings(configurations: readonly KubeObject[], changes: Partial<PlanFacts> = {}) {
  return plan(configurations, changes).findings.map(({ severity, code }) => `${severity} ${code}`);
}

describe("another namespace", () => {
  const elsewhere = { livingNamespaces: ["engine", "other"] };
  const foreignNew = aNewConfiguration({ namespace: "other" });
  const foreignOld = anOldConfiguration({ namespace: "other" });
  test.each<[string, readonly KubeObject[], Partial<PlanFacts>, readonly string[]]>([
    ["that exists is an error", [foreignNew], elsewhere, ["error WEBHOOK-OTHER-NAMESPACE"]],
    [
      "that exists is an error of the old one, too",
      [foreignOld],
      elsewhere,
      ["error WEBHOOK-OTHER-NAMESPACE"],
    ],
    [
      "that is taken over is a warning",
      [foreignNew],
      { ...elsewhere, takeOver: true },
      ["warning WEBHOOK-OTHER-NAMESPACE"],
    ],
    ["that is gone is nothing", [foreignNew], {}, []],
    [
      "is none for a url",
      [aNewConfiguration({ entry: { clientConfig: { url: "https://x" } } })],
      elsewhere,
      [],
    ],
  ])("%s", (_title, ...[configurations, changes, expected]) => {
    expect(findings(configurations, changes)).toEqual(expected);
  });

  test("the finding says whose databases would be judged by whom", () => {
    const causes = plan([foreignNew, foreignOld], elsewhere).findings.map(({ cause }) => cause);
    expect(causes).toEqual([
      "it serves namespace other, which exists: every database in its scope would be judged by the webhook in engine instead of the one in other",
      "it serves namespace other, which exists: the databases that other validates would lose that check",
    ]);
  });
});

describe("an owner", () => {
  const helm = { metadata: ownerMarks.Helm };
  const owned = (object: KubeObject): KubeObject => ({
    ...object,
    metadata: {
      ...object.metadata,
      labels: { ...object.metadata.labels, ...ownerMarks.Helm.labels },
    },
  });
  test.each<[string, readonly KubeObject[], readonly string[]]>([
    [
      "of the old one, which would be deleted: an error",
      [anOldConfiguration(helm)],
      ["error WEBHOOK-OWNED"],
    ],
    [
      "of the new one, which would be written: an error",
      [aNewConfiguration({ ...helm, caBundle: "" })],
      ["error WEBHOOK-OWNED"],
    ],
    ["of the new one, which is up to date: a warning", [owned(right)], ["warning WEBHOOK-OWNED"]],
    [
      "of another that calls the same Service: an error",
      [right, owned({ ...right, metadata: { name: "chart" } })],
      ["error WEBHOOK-OWNED"],
    ],
    [
      "of another operator's: a warning",
      [right, owned({ ...aNewConfiguration({ namespace: "other" }), metadata: { name: "chart" } })],
      ["warning WEBHOOK-OWNED"],
    ],
    [
      "of someone else's configuration: nothing",
      [right, owned({ ...right, metadata: { name: "x" }, webhooks: [] })],
      [],
    ],
  ])("%s", (_title, configurations, expected) => {
    expect(findings(configurations)).toEqual(expected);
  });

  test("an owned object without a name is shown without one", () => {
    const nameless = owned({ ...right, metadata: {} });
    expect(plan([right, nameless]).findings[0]?.object).toBe("ValidatingWebhookConfiguration/");
  });
});

describe("others", () => {
  test("another configuration with the same entry is a warning that names it", () => {
    const made = plan([
      right,
      { ...right, metadata: { name: "chart" } },
      { ...right, metadata: {} },
    ]);
    expect(made.findings.map(({ code, object }) => [code, object])).toEqual([
      ["WEBHOOK-OTHER-CONFIGURATION", "ValidatingWebhookConfiguration/chart"],
      ["WEBHOOK-OTHER-CONFIGURATION", "ValidatingWebhookConfiguration/"],
    ]);
  });

  test.each<[string, unknown, readonly string[]]>([
    [
      "entries of others in the old one would be lost: an error",
      [entry(old), { name: "other" }],
      ["error WEBHOOK-OLD-HAS-OTHERS"],
    ],
    ["both of the product's entries may be in it", [entry(old), entry(right)], []],
    ["no entry at all is nobody's", [], []],
  ])("%s", (_title, webhooks, expected) => {
    expect(findings([{ ...old, webhooks }, right])).toEqual(expected);
  });

  test("neither configuration: nothing was validated until now", () => {
    expect(findings([])).toEqual(["warning WEBHOOK-ABSENT"]);
  });
});

describe("what is kept is told, with the object that it comes from", () => {
  const kept = { entry: { timeoutSeconds: 5 } };
  test.each<[string, readonly KubeObject[], string]>([
    [
      "the new one",
      [aNewConfiguration(kept), anOldConfiguration(kept)],
      "engine-enterprise-admission",
    ],
    ["the old one", [anOldConfiguration(kept)], "edb-admission"],
  ])("%s", (_title, configurations, from) => {
    expect(plan(configurations).findings).toEqual([
      expect.objectContaining({
        code: "WEBHOOK-KEPT",
        object: label,
        field: "webhooks[0].timeoutSeconds",
        cause: `kept as found in ${from}, the template has something else`,
      }),
    ]);
  });
});

test.each(hostile)("a live one that is %s is planned over, and nothing throws", (_title, value) => {
  const { webhooks } = (value ?? {}) as { readonly webhooks?: unknown };
  const live: KubeObject = { ...right, webhooks };
  const made = plan([live, { ...old, webhooks }]);
  expect(made.apply?.object).toEqual(right);
});
