import { defaultNames } from "../../../../plugin/domain/names";
import type { KubeObject } from "../../../../plugin/domain/objects";
import {
  differencesOf,
  type Ingredients,
  wantedConfiguration,
} from "../../../../plugin/domain/webhook/wanted";
import {
  aNewConfiguration,
  anOldConfiguration,
  aTemplate,
  type ConfigurationChanges,
  testCa,
} from "../../../support/builders";
import { hostile } from "./hostile";

const ingredients: Ingredients = {
  template: aTemplate(),
  live: undefined,
  old: undefined,
  caBundle: testCa,
  takeTemplateSelectors: false,
  names: defaultNames,
};
const wanted = (changes: Partial<Ingredients> = {}) =>
  wantedConfiguration({ ...ingredients, ...changes });
const entryOf = (object: KubeObject): unknown => (object["webhooks"] as readonly unknown[])[0];
const template = (entry: object): KubeObject => ({
  ...aTemplate(),
  webhooks: [{ ...(entryOf(aTemplate()) as object), ...entry }],
});
const selector = { matchLabels: { a: "1" } };

test("the object is complete: the CA, and every default said outright", () => {
  const { object, kept, findings } = wanted();
  expect(object.metadata).toEqual({
    name: "engine-enterprise-admission",
    labels: { app: "engine-enterprise" },
  });
  expect(entryOf(object)).toEqual({
    name: "redisenterprise.admission.engine",
    admissionReviewVersions: ["v1beta1"],
    clientConfig: {
      service: { name: "admission", namespace: "engine", path: "/admission", port: 443 },
      caBundle: testCa,
    },
    failurePolicy: "Fail",
    matchPolicy: "Exact",
    sideEffects: "None",
    timeoutSeconds: 30,
    namespaceSelector: {},
    objectSelector: {},
    rules: [expect.objectContaining({ scope: "*", apiGroups: ["app.engine.com"] })],
  });
  expect([kept, findings]).toEqual([[], []]);
});

test("built over itself, nothing differs", () => {
  const { object } = wanted();
  expect(differencesOf(object, wanted({ live: object }).object)).toEqual([]);
});

describe("kept", () => {
  const live = (entry: object, metadata = {}): Partial<Ingredients> => ({
    live: aNewConfiguration({ entry: entry as Record<string, unknown>, metadata }),
  });
  test.each<[string, Partial<Ingredients>, object]>([
    [
      "the live one's namespaceSelector",
      live({ namespaceSelector: selector }),
      { namespaceSelector: selector },
    ],
    [
      "its objectSelector",
      live({ objectSelector: { matchExpressions: [{}] } }),
      { objectSelector: { matchExpressions: [{}] } },
    ],
    [
      "its matchConditions",
      live({ matchConditions: [{ name: "x" }] }),
      { matchConditions: [{ name: "x" }] },
    ],
    ["its time limit", live({ timeoutSeconds: 5 }), { timeoutSeconds: 5 }],
    [
      "the old one's, where it alone exists",
      { old: anOldConfiguration({ entry: { namespaceSelector: selector, timeoutSeconds: 7 } }) },
      { namespaceSelector: selector, timeoutSeconds: 7 },
    ],
    [
      "the old one's under an entry of another name",
      { old: anOldConfiguration({ entry: { name: "x", objectSelector: selector } }) },
      { objectSelector: selector },
    ],
  ])("%s", (_title, changes, expected) => {
    const result = wanted(changes);
    expect(entryOf(result.object)).toMatchObject(expected);
    expect([...result.kept].sort()).toEqual(Object.keys(expected).sort());
  });

  test.each<[string, Partial<Ingredients>]>([
    ["an empty selector", live({ namespaceSelector: {} })],
    [
      "a selector with empty parts",
      live({ namespaceSelector: { matchLabels: {}, matchExpressions: [] } }),
    ],
    ["a selector of a wrong type", live({ namespaceSelector: "x" })],
    ["a list of no conditions", live({ matchConditions: [] })],
    ["the server's default time limit", live({ timeoutSeconds: 10 })],
    ["the template's own time limit", live({ timeoutSeconds: 30 })],
    ["a time limit of a wrong type", live({ timeoutSeconds: "5" })],
    [
      "what the template has as well",
      {
        ...live({ namespaceSelector: selector }),
        template: template({ namespaceSelector: selector }),
      },
    ],
    [
      "the old one's, where the new one exists",
      { ...live({}), old: anOldConfiguration({ entry: { objectSelector: selector } }) },
    ],
    ["the old one's rules", { old: anOldConfiguration() }],
    [
      "selectors, when the template's are wanted",
      { ...live({ namespaceSelector: selector }), takeTemplateSelectors: true },
    ],
    ["anything of a live one without the entry", live({ name: "x", namespaceSelector: selector })],
  ])("not %s", (_title, changes) => {
    const result = wanted(changes);
    expect(result.kept).toEqual([]);
    expect(entryOf(result.object)).toMatchObject({ timeoutSeconds: 30 });
  });

  test("labels and annotations of the live one, under the template's, without kubectl's own", () => {
    const metadata = {
      labels: { app: "mine", team: "db" },
      annotations: { note: "n", "kubectl.kubernetes.io/last-applied-configuration": "{}" },
    };
    const { object } = wanted({ live: { ...aNewConfiguration(), metadata } });
    expect(object.metadata).toEqual({
      name: "engine-enterprise-admission",
      labels: { app: "engine-enterprise", team: "db" },
      annotations: { note: "n" },
    });
  });

  test("no empty labels and annotations", () => {
    const bare = { ...aTemplate(), metadata: { name: "x" } };
    expect(wanted({ template: bare }).object.metadata).toEqual({
      name: "engine-enterprise-admission",
    });
  });
});

describe("a failurePolicy that differs", () => {
  const live = (failurePolicy: unknown): ConfigurationChanges => ({ entry: { failurePolicy } });
  test.each<[string, Partial<Ingredients>, readonly string[]]>([
    [
      "is a warning that shows both",
      { live: aNewConfiguration(live("Ignore")) },
      [`the live entry has "Ignore", the template "Fail", and the template's is written`],
    ],
    [
      "of the old one as well",
      { old: anOldConfiguration(live("Ignore")) },
      [`the live entry has "Ignore", the template "Fail", and the template's is written`],
    ],
    ["is none where it is the same", { live: aNewConfiguration(live("Fail")) }, []],
    ["is none where it is absent", { live: aNewConfiguration(live(undefined)) }, []],
  ])("%s", (_title, changes, causes) => {
    const result = wanted(changes);
    expect(result.findings.map(({ cause }) => cause)).toEqual(causes);
    expect(entryOf(result.object)).toMatchObject({ failurePolicy: "Fail" });
  });
});

describe("a template that leaves things out", () => {
  test("gets the API server's defaults", () => {
    const bare = { ...aTemplate(), webhooks: [{ name: defaultNames.webhook.entry, rules: ["x"] }] };
    expect(entryOf(wanted({ template: bare }).object)).toEqual({
      name: defaultNames.webhook.entry,
      failurePolicy: "Fail",
      matchPolicy: "Equivalent",
      namespaceSelector: {},
      objectSelector: {},
      timeoutSeconds: 10,
      clientConfig: { service: { port: 443 }, caBundle: testCa },
      rules: ["x"],
    });
  });

  test("of its entry itself is no reason to throw", () => {
    expect(entryOf(wanted({ template: { ...aTemplate(), webhooks: [] } }).object)).toMatchObject({
      clientConfig: { caBundle: testCa },
    });
  });
});

test.each(hostile)("a live one that is %s throws nothing", (_title, value) => {
  const live = { ...(value as object), apiVersion: "v1", kind: "x", metadata: {} } as KubeObject;
  expect(wanted({ live }).kept).toEqual([]);
});
