import { defaultNames } from "../../../../plugin/domain/names";
import type { KubeObject } from "../../../../plugin/domain/objects";
import {
  caBundleOf,
  candidatesOf,
  entriesOf,
  entryNames,
  entryOf,
  matchesResource,
  serviceNameOf,
  serviceNamespaceOf,
} from "../../../../plugin/domain/webhook/configuration";
import { aNewConfiguration, anOldConfiguration } from "../../../support/builders";
import { hostile } from "./hostile";

describe.each(hostile)("of %s nothing is made up", (_title, value) => {
  test("and nothing throws", () => {
    expect(entriesOf(value).every((entry) => typeof entry === "object")).toBe(true);
    expect(entryOf(value, "absent")).toBeUndefined();
    expect(entryNames(value).every((name) => name === "")).toBe(true);
    expect(serviceNamespaceOf(value)).toBeUndefined();
    expect(serviceNameOf(value)).toBeUndefined();
    expect(caBundleOf(value)).toBe("");
    expect(matchesResource(value, { group: "g", plural: "p", operation: "CREATE" })).toBe(false);
  });
});

describe("an entry", () => {
  const configuration = aNewConfiguration();
  const entry = entryOf(configuration, defaultNames.webhook.entry);

  test("is found by its name, the first of several", () => {
    const webhooks = [{ name: "a", n: 1 }, { name: "b" }, { name: "a", n: 2 }];
    expect(entryOf({ webhooks }, "a")).toEqual({ name: "a", n: 1 });
    expect(entryNames({ webhooks })).toEqual(["a", "b", "a"]);
  });

  test("shows its Service and its CA", () => {
    expect(serviceNamespaceOf(entry)).toBe("engine");
    expect(serviceNameOf(entry)).toBe("admission");
    expect(caBundleOf(entry)).toBe("Q0E=");
  });
});

describe("a rule matches", () => {
  const rule = { apiGroups: ["g"], resources: ["p"], operations: ["CREATE", "UPDATE"] };
  test.each<[string, object, boolean]>([
    ["its very resource", rule, true],
    ["every group by a star", { ...rule, apiGroups: ["*"] }, true],
    ["every resource by a star", { ...rule, resources: ["*"] }, true],
    ["every resource and subresource by */*", { ...rule, resources: ["*/*"] }, true],
    ["every operation by a star", { ...rule, operations: ["*"] }, true],
    ["no other group", { ...rule, apiGroups: ["h"] }, false],
    ["no other resource", { ...rule, resources: ["q"] }, false],
    ["no subresource of it", { ...rule, resources: ["p/status"] }, false],
    ["no other operation", { ...rule, operations: ["DELETE"] }, false],
    ["nothing where a field is absent", { apiGroups: ["g"], resources: ["p"] }, false],
  ])("%s", (_title, one, expected) => {
    const wanted = { group: "g", plural: "p", operation: "CREATE" };
    expect(matchesResource({ rules: [null, one] }, wanted)).toBe(expected);
  });
});

describe("a candidate", () => {
  const named = (name: string | undefined, entry: string): KubeObject => ({
    ...aNewConfiguration(),
    metadata: name === undefined ? {} : { name },
    webhooks: [{ name: entry }],
  });
  test.each<[string, KubeObject, boolean]>([
    ["has the new name", named(defaultNames.webhook.configuration, "x"), true],
    ["has the old name", named(defaultNames.webhook.oldConfiguration, "x"), true],
    ["carries the new entry", named("chart", defaultNames.webhook.entry), true],
    ["carries the old entry", named("chart", defaultNames.webhook.oldEntry), true],
    ["is not one of someone else", named("other", "other.example.com"), false],
    ["is not one without a name", named(undefined, "other.example.com"), false],
  ])("%s", (_title, object, expected) => {
    expect(candidatesOf([object], defaultNames)).toEqual(expected ? [object] : []);
  });

  test("is found among others, in their order", () => {
    const all = [anOldConfiguration(), named("other", "x"), aNewConfiguration()];
    expect(candidatesOf(all, defaultNames)).toEqual([all[0], all[2]]);
  });
});
