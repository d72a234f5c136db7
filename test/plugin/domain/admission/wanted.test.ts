import { defaultNames, leftovers } from "../../../../plugin/domain/names/names";
import type {
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from "../../../../plugin/domain/kube/models";
import {
  listDifferences,
  type Ingredients,
  renderTemplate,
  buildConfiguration,
} from "../../../../plugin/domain/admission/wanted";
import {
  aNewConfiguration,
  anOldConfiguration,
  aTemplate,
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
  buildConfiguration({ ...ingredients, ...changes });
const entryOf = ({ webhooks }: ValidatingWebhookConfiguration) => webhooks?.[0];
const templateWith = (entry: ValidatingWebhook): ValidatingWebhookConfiguration => ({
  ...aTemplate(),
  webhooks: [{ ...entryOf(aTemplate()), ...entry }],
});
const selector = { matchLabels: { a: "1" } };
const name = "engine-enterprise-admission";
const entryName = defaultNames.webhook.entry;

test("the object is complete: the CA, and every default said outright", () => {
  const { object, kept, findings } = wanted();
  expect(object.metadata).toEqual({ name, labels: { app: "engine-enterprise" } });
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
  // built over itself, nothing differs
  expect(listDifferences(object, wanted({ live: object }).object)).toEqual([]);
});

const live = (entry: ValidatingWebhook): Partial<Ingredients> => ({
  live: aNewConfiguration({ entry }),
});
const old = (entry: ValidatingWebhook): Partial<Ingredients> => ({
  old: anOldConfiguration({ entry }),
});

test.each<[string, Partial<Ingredients>, object]>([
  [
    "the live one's selector",
    live({ namespaceSelector: selector }),
    { namespaceSelector: selector },
  ],
  [
    "its expressions",
    live({ objectSelector: { matchExpressions: [{}] } }),
    { objectSelector: { matchExpressions: [{}] } },
  ],
  ["its conditions", live({ matchConditions: [{}] }), { matchConditions: [{}] }],
  ["its time limit", live({ timeoutSeconds: 5 }), { timeoutSeconds: 5 }],
  [
    "the old one's, where it alone exists",
    old({ namespaceSelector: selector, timeoutSeconds: 7 }),
    { namespaceSelector: selector, timeoutSeconds: 7 },
  ],
  [
    "the old one's under an entry of another name",
    old({ name: "x", objectSelector: selector }),
    { objectSelector: selector },
  ],
])("kept: %s", (_title, changes, expected) => {
  const result = wanted(changes);
  expect(entryOf(result.object)).toMatchObject(expected);
  expect([...result.kept].sort()).toEqual(Object.keys(expected).sort());
});

const emptyParts = { matchLabels: {}, matchExpressions: [] };

test.each<[string, Partial<Ingredients>]>([
  ["a selector with empty parts", live({ namespaceSelector: emptyParts })],
  ["a selector of null", live({ namespaceSelector: null })],
  ["a list of no conditions", live({ matchConditions: [] })],
  ["the server's default time limit", live({ timeoutSeconds: 10 })],
  ["the template's own time limit", live({ timeoutSeconds: 30 })],
  ["no time limit", live({ timeoutSeconds: null })],
  [
    "what the template has as well",
    {
      ...live({ namespaceSelector: selector }),
      template: templateWith({ namespaceSelector: selector }),
    },
  ],
  [
    "the old one's, where the new one exists",
    { ...live({}), ...old({ objectSelector: selector }) },
  ],
  ["the old one's rules", old({})],
  [
    "selectors, when the template's are wanted",
    { ...live({ namespaceSelector: selector }), takeTemplateSelectors: true },
  ],
  ["anything of a live one without the entry", live({ name: "x", namespaceSelector: selector })],
])("not kept: %s", (_title, changes) => {
  const result = wanted(changes);
  expect(result.kept).toEqual([]);
  expect(entryOf(result.object)).toMatchObject({ timeoutSeconds: 30 });
});

test("labels and annotations of the live one stay, under the template's, without kubectl's own", () => {
  const metadata = {
    labels: { app: "mine", team: "db" },
    annotations: { note: "n", "kubectl.kubernetes.io/last-applied-configuration": "{}" },
  };
  const labels = { app: "engine-enterprise", team: "db" };
  const { object } = wanted({ live: { ...aNewConfiguration(), metadata } });
  expect(object.metadata).toEqual({ name, labels, annotations: { note: "n" } });
  const bare = { ...aTemplate(), metadata: { name: "x" } };
  expect(wanted({ template: bare }).object.metadata).toEqual({ name });
});

const both = `the live entry has "Ignore", the template "Fail", and the template's is written; with Ignore first where no refusal was seen, and with Fail once one was`;

test.each<[string, Partial<Ingredients>, readonly string[]]>([
  ["is a warning that shows both", live({ failurePolicy: "Ignore" }), [both]],
  ["of the old one as well", old({ failurePolicy: "Ignore" }), [both]],
  ["is none where it is the same", live({ failurePolicy: "Fail" }), []],
  ["is none where it is absent", live({ failurePolicy: undefined }), []],
])("a failurePolicy that differs %s", (_title, changes, causes) => {
  const result = wanted(changes);
  expect(result.findings.map(({ cause }) => cause)).toEqual(causes);
  expect(entryOf(result.object)).toMatchObject({ failurePolicy: "Fail" });
});

test("a template with Ignore over a live Fail is a warning without a trial", () => {
  const changes = { template: templateWith({ failurePolicy: "Ignore" }) };
  const { findings, object } = wanted({ ...changes, ...live({ failurePolicy: "Fail" }) });
  expect(findings.map(({ cause }) => cause)).toEqual([
    `the live entry has "Fail", the template "Ignore", and the template's is written`,
  ]);
  expect(entryOf(object)).toMatchObject({ failurePolicy: "Ignore" });
});

test("a template that leaves things out gets the API server's defaults", () => {
  const bare = { ...aTemplate(), webhooks: [{ name: entryName, rules: [{ resources: ["x"] }] }] };
  expect(entryOf(wanted({ template: bare }).object)).toEqual({
    name: entryName,
    failurePolicy: "Fail",
    matchPolicy: "Equivalent",
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
    clientConfig: { service: { port: 443 }, caBundle: testCa },
    rules: [{ scope: "*", resources: ["x"] }],
  });
  const none = wanted({ template: { ...aTemplate(), webhooks: [] } });
  expect(entryOf(none.object)).toMatchObject({ clientConfig: { caBundle: testCa } });
});

const marked: ValidatingWebhookConfiguration = {
  ...aNewConfiguration(),
  metadata: { name: "x", labels: { app: "engine" }, annotations: { note: "n" } },
};
const entry = entryOf(marked) ?? {};
const client = (changes: object) => ({
  clientConfig: { ...entry.clientConfig, ...changes },
});
const at = (field: string): string => `webhooks[name=redisenterprise.admission.engine].${field}`;
const having = (changes: ValidatingWebhook): ValidatingWebhookConfiguration => ({
  ...marked,
  webhooks: [{ ...entry, ...changes }],
});
const labeled = (labels: Readonly<Record<string, string>>): ValidatingWebhookConfiguration => ({
  ...marked,
  metadata: { ...marked.metadata, labels },
});
const absentEntry = "webhooks[name=redisenterprise.admission.engine]";
const reversed = Object.fromEntries(Object.entries(entry).reverse());

test.each<[string, ValidatingWebhookConfiguration, readonly string[]]>([
  ["a label", labeled({ app: "x" }), ["metadata.labels[app]"]],
  [
    "an annotation that is absent",
    { ...marked, metadata: { labels: { app: "engine" } } },
    ["metadata.annotations[note]"],
  ],
  ["no label that only the live one has", labeled({ app: "engine", more: "x" }), []],
  ["an entry that is absent", { ...marked, webhooks: [] }, [absentEntry]],
  ["no entry of another name", { ...marked, webhooks: [{ name: "other" }, entry] }, []],
  ["a field that is too much", having({ matchConditions: [] }), [at("matchConditions")]],
  ["the CA", having(client({ caBundle: "" })), [at("clientConfig.caBundle")]],
  ["the Service", having(client({ service: {} })), [at("clientConfig.service")]],
  ["a url that is too much", having(client({ url: "x" })), [at("clientConfig.url")]],
  ["several", having({ timeoutSeconds: 1, rules: [] }), [at("rules"), at("timeoutSeconds")]],
  ["nothing by the order of its keys", { ...marked, webhooks: [reversed] }, []],
])("the live object differs in %s", (_title, object, expected) => {
  expect(listDifferences(object, marked)).toEqual(expected);
});

test.each([undefined, { ...marked, metadata: {}, webhooks: null }])(
  "what has nothing differs everywhere (%#)",
  (nothing) => {
    const all = ["metadata.labels[app]", "metadata.annotations[note]", absentEntry];
    expect(listDifferences(nothing, marked)).toEqual(all);
  },
);

test.each(hostile)("%s is unfit as a template", (_title, value) => {
  expect(problemsOf(value).length).toBeGreaterThan(0);
});

const template = (namespace = "OPERATOR_NAMESPACE") =>
  aNewConfiguration({ namespace, caBundle: "" });
const templateEntry = entryOf(template()) ?? {};
const withEntry = (changes: object) => ({
  ...template(),
  webhooks: [{ ...templateEntry, ...changes }],
});
const rendered = (...documents: readonly unknown[]) =>
  renderTemplate(documents, "engine", defaultNames);

function problemsOf(...documents: readonly unknown[]): readonly string[] {
  const result = rendered(...documents);
  return result.is === "unfit" ? result.problems : [];
}

test.each([...defaultNames.placeholders.namespace, "engine"])("%s is filled in", (token) => {
  const configuration = aNewConfiguration({ caBundle: "" });
  expect(rendered(template(token))).toEqual({ is: "rendered", configuration });
});

test("a placeholder inside a longer text, at any depth, and beside empty documents", () => {
  const object = { ...template(), x: ["a", ["svc.OPERATOR_NAMESPACE.svc", 5, null]] };
  const result = rendered(null, object, undefined);
  const filled = ["a", ["svc.engine.svc", 5, null]];
  expect(result).toMatchObject({ is: "rendered", configuration: { x: filled } });
});

const changed = (changes: object): readonly unknown[] => [{ ...template(), ...changes }];
const beta = "admissionregistration.k8s.io/v1beta1";
const configured = (clientConfig: object) => [withEntry({ clientConfig })];

test.each<[readonly unknown[], string]>([
  [[], "it holds 0 documents where exactly one is expected"],
  [[null], "it holds 0 documents"],
  [[template(), template()], "it holds 2 documents"],
  [[[template()]], "it is not a YAML mapping"],
  [changed({ apiVersion: beta }), `apiVersion is "${beta}"`],
  [changed({ kind: "Mutating" }), `kind is "Mutating"`],
  [
    changed({ metadata: { name: "edb-admission" } }),
    `metadata.name is "edb-admission", expected "engine-enterprise-admission"`,
  ],
  [changed({ metadata: undefined }), "metadata.name is absent"],
  [changed({ webhooks: undefined }), "webhooks has 0 entries"],
  [changed({ webhooks: [entry, entry] }), "webhooks has 2 entries"],
  [changed({ webhooks: ["x"] }), "webhooks has 1 entries"],
  [[withEntry({ name: "x" })], `webhooks[0].name is "x"`],
  [[withEntry({ name: undefined })], "webhooks[0].name is absent"],
  [configured({ url: "https://x" }), "webhooks[0].clientConfig.url is set"],
  [configured({}), "webhooks[0].clientConfig.service.name is absent"],
  [[template("other")], `service.namespace is "other" after rendering, expected "engine"`],
  [[withEntry({ rules: [] })], "webhooks[0].rules is empty"],
  [[withEntry({ rules: [null] })], "webhooks[0].rules[0] is null, expected a mapping"],
  [
    [withEntry({ rules: [{ resources: "edbs" }] })],
    `webhooks[0].rules[0].resources is "edbs", expected a list`,
  ],
  [
    changed({ x: "NAME_OF_EC_SERVICE_ACCOUNT" }),
    "placeholder NAME_OF_EC_SERVICE_ACCOUNT is left after rendering",
  ],
  [changed({ OPERATOR_NAMESPACE: 1 }), "placeholder OPERATOR_NAMESPACE is left after rendering"],
])("a template is unfit (%#): %s", (documents, problem) => {
  expect(problemsOf(...documents).join("\n")).toContain(problem);
});

test("all problems are told at once", () => {
  expect(problemsOf({ ...withEntry({ name: "x", rules: [] }), kind: "x" })).toHaveLength(3);
});

test.each<[unknown, readonly string[]]>([
  [template("engine"), []],
  [{ a: ["OPERATOR_NAMESPACE"] }, ["OPERATOR_NAMESPACE"]],
  [{ "<ec-namespace>": 1 }, ["<ec-namespace>"]],
  [
    ["NAMESPACE_OF_SERVICE_ACCOUNT", "<service-account-name>"],
    ["NAMESPACE_OF_SERVICE_ACCOUNT", "<service-account-name>"],
  ],
])("placeholders left over (%#)", (value, expected) => {
  expect(leftovers(value, defaultNames)).toEqual(expected);
});
