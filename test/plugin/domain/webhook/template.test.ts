import { defaultNames, leftovers } from "../../../../plugin/domain/names";
import { renderTemplate } from "../../../../plugin/domain/webhook/wanted";
import { aNewConfiguration } from "../../../support/builders";
import { hostile } from "./hostile";

const template = (namespace = "OPERATOR_NAMESPACE") =>
  aNewConfiguration({ namespace, caBundle: "" });
const [entry = {}] = template()["webhooks"] as readonly Record<string, unknown>[];
const withEntry = (changes: object) => ({ ...template(), webhooks: [{ ...entry, ...changes }] });
const problemsOf = (...documents: readonly unknown[]): readonly string[] => {
  const rendered = renderTemplate(documents, "engine", defaultNames);
  return rendered.is === "unfit" ? rendered.problems : [];
};

describe("every known spelling of the namespace's placeholder is filled in", () => {
  test.each(defaultNames.placeholders.namespace)("%s", (token) => {
    const rendered = renderTemplate([template(token)], "engine", defaultNames);
    expect(rendered).toEqual({
      is: "rendered",
      configuration: aNewConfiguration({ caBundle: "" }),
    });
  });

  test("inside a longer text, at any depth, and beside empty documents", () => {
    const object = { ...template(), x: ["a", ["svc.OPERATOR_NAMESPACE.svc", 5, null]] };
    const rendered = renderTemplate([null, object, undefined], "engine", defaultNames);
    expect(rendered.is === "rendered" && rendered.configuration["x"]).toEqual([
      "a",
      ["svc.engine.svc", 5, null],
    ]);
  });

  test("a template that names the namespace already is as good", () => {
    expect(problemsOf(template("engine"))).toEqual([]);
  });
});

describe("a template is unfit", () => {
  test.each<[string, readonly unknown[], string]>([
    ["without a document", [], "it holds 0 documents where exactly one is expected"],
    ["with nothing but an empty one", [null], "it holds 0 documents"],
    ["with two documents", [template(), template()], "it holds 2 documents"],
    ["as a list", [[template()]], "it is not a YAML mapping"],
    ["as a text", ["x"], "it is not a YAML mapping"],
    [
      "of another version",
      [{ ...template(), apiVersion: "admissionregistration.k8s.io/v1beta1" }],
      `apiVersion is "admissionregistration.k8s.io/v1beta1"`,
    ],
    [
      "of another kind",
      [{ ...template(), kind: "MutatingWebhookConfiguration" }],
      `kind is "MutatingWebhookConfiguration"`,
    ],
    [
      "of another name",
      [{ ...template(), metadata: { name: "edb-admission" } }],
      `metadata.name is "edb-admission", expected "engine-enterprise-admission"`,
    ],
    ["without metadata", [{ ...template(), metadata: undefined }], "metadata.name is absent"],
    ["without entries", [{ ...template(), webhooks: [] }], "webhooks has 0 entries"],
    ["without webhooks", [{ ...template(), webhooks: undefined }], "webhooks has 0 entries"],
    ["with two entries", [{ ...template(), webhooks: [entry, entry] }], "webhooks has 2 entries"],
    [
      "with an entry that is not an object",
      [{ ...template(), webhooks: ["x"] }],
      "webhooks has 1 entries",
    ],
    ["with an entry of another name", [withEntry({ name: "x" })], `webhooks[0].name is "x"`],
    [
      "with an entry without a name",
      [withEntry({ name: undefined })],
      "webhooks[0].name is absent",
    ],
    [
      "with a url",
      [withEntry({ clientConfig: { url: "https://x" } })],
      "webhooks[0].clientConfig.url is set",
    ],
    [
      "without a Service",
      [withEntry({ clientConfig: {} })],
      "webhooks[0].clientConfig.service.name is absent",
    ],
    [
      "for another namespace",
      [template("other")],
      `service.namespace is "other" after rendering, expected "engine"`,
    ],
    ["without rules", [withEntry({ rules: [] })], "webhooks[0].rules is empty"],
    [
      "with a placeholder of the service account",
      [{ ...template(), x: "NAME_OF_EC_SERVICE_ACCOUNT" }],
      "placeholder NAME_OF_EC_SERVICE_ACCOUNT is left after rendering",
    ],
    [
      "with a placeholder in a key",
      [{ ...template(), OPERATOR_NAMESPACE: 1 }],
      "placeholder OPERATOR_NAMESPACE is left after rendering",
    ],
  ])("%s", (_title, documents, problem) => {
    expect(problemsOf(...documents).join("\n")).toContain(problem);
  });

  test("and all problems are told at once", () => {
    expect(problemsOf({ ...withEntry({ name: "x", rules: [] }), kind: "x" })).toHaveLength(3);
  });

  test.each(hostile)("when it is %s, and nothing throws", (_title, value) => {
    expect(problemsOf(value).length).toBeGreaterThan(0);
  });
});

describe("a placeholder is left over", () => {
  test.each<[string, unknown, readonly string[]]>([
    ["nowhere", template("engine"), []],
    ["in a value", { a: ["OPERATOR_NAMESPACE"] }, ["OPERATOR_NAMESPACE"]],
    ["in a key", { "<ec-namespace>": 1 }, ["<ec-namespace>"]],
    [
      "of every spelling",
      ["NAMESPACE_OF_SERVICE_ACCOUNT", "<service-account-name>"],
      ["NAMESPACE_OF_SERVICE_ACCOUNT", "<service-account-name>"],
    ],
  ])("%s", (_title, value, expected) => {
    expect(leftovers(value, defaultNames)).toEqual(expected);
  });
});
