import type { KubeObject } from "../../../../plugin/domain/objects";
import { differencesOf } from "../../../../plugin/domain/webhook/wanted";
import { aNewConfiguration } from "../../../support/builders";
import { hostile } from "./hostile";

const wanted: KubeObject = {
  ...aNewConfiguration(),
  metadata: { name: "x", labels: { app: "engine" }, annotations: { note: "n" } },
};
const [entry = {}] = wanted["webhooks"] as readonly Record<string, unknown>[];
const client = entry["clientConfig"] as object;
const at = (field: string): string => `webhooks[name=redisenterprise.admission.engine].${field}`;
const live = (changes: object): unknown => ({ ...wanted, webhooks: [{ ...entry, ...changes }] });

describe("the live object differs", () => {
  test.each<[string, unknown, readonly string[]]>([
    ["nowhere", wanted, []],
    [
      "in a label",
      { ...wanted, metadata: { ...wanted.metadata, labels: { app: "x" } } },
      ["metadata.labels[app]"],
    ],
    [
      "in an annotation that is absent",
      { ...wanted, metadata: { labels: { app: "engine" } } },
      ["metadata.annotations[note]"],
    ],
    [
      "in no label that only the live one has",
      { ...wanted, metadata: { ...wanted.metadata, labels: { app: "engine", more: "x" } } },
      [],
    ],
    [
      "in an entry that is absent",
      { ...wanted, webhooks: [] },
      ["webhooks[name=redisenterprise.admission.engine]"],
    ],
    ["in no entry of another name", { ...wanted, webhooks: [{ name: "other" }, entry] }, []],
    ["in a field", live({ failurePolicy: "Ignore" }), [at("failurePolicy")]],
    ["in a field that is too much", live({ matchConditions: [] }), [at("matchConditions")]],
    [
      "in the CA",
      live({ clientConfig: { ...client, caBundle: "" } }),
      [at("clientConfig.caBundle")],
    ],
    [
      "in the Service",
      live({ clientConfig: { ...client, service: {} } }),
      [at("clientConfig.service")],
    ],
    [
      "in a url that is too much",
      live({ clientConfig: { ...client, url: "https://x" } }),
      [at("clientConfig.url")],
    ],
    [
      "in several, in order",
      live({ timeoutSeconds: 1, rules: [] }),
      [at("rules"), at("timeoutSeconds")],
    ],
    [
      "in nothing by the order of its keys",
      { ...wanted, webhooks: [Object.fromEntries(Object.entries(entry).reverse())] },
      [],
    ],
  ])("%s", (_title, object, expected) => {
    expect(differencesOf(object, wanted)).toEqual(expected);
  });

  test.each(hostile)("everywhere, when it is %s", (_title, value) => {
    expect(differencesOf(value, wanted)).toEqual([
      "metadata.labels[app]",
      "metadata.annotations[note]",
      "webhooks[name=redisenterprise.admission.engine]",
    ]);
  });

  test("in no label and annotation where none is wanted", () => {
    expect(differencesOf(wanted, { ...wanted, metadata: { name: "x" } })).toEqual([]);
  });
});
