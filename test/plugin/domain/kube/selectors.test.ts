import * as names from "../../../../plugin/domain/kube/selectors";
import { labelsFor, selects } from "../../../../plugin/domain/kube/selectors";
import { hostile } from "../admission/hostile";

const wish = (key: string, operator: string, values?: readonly string[]) => ({
  key,
  operator,
  ...(values && { values }),
});
const all = (...matchExpressions: readonly unknown[]) => ({ matchExpressions });
const one = (...given: Parameters<typeof wish>) => all(wish(...given));
const a1 = { matchLabels: { a: "1" } };

test.each<[unknown, Record<string, string>, boolean]>([
  [undefined, {}, true],
  [{}, { a: "1" }, true],
  [a1, { a: "1", b: "2" }, true],
  [a1, { a: "2" }, false],
  [a1, {}, false],
  [one("a", "In", ["1", "2"]), { a: "2" }, true],
  [one("a", "In", ["1"]), {}, false],
  [one("a", "NotIn", ["1"]), { a: "2" }, true],
  [one("a", "NotIn", ["1"]), {}, true],
  [one("a", "NotIn", ["1"]), { a: "1" }, false],
  [one("a", "Exists"), { a: "" }, true],
  [one("a", "Exists"), {}, false],
  [one("a", "DoesNotExist"), {}, true],
  [one("a", "DoesNotExist"), { a: "1" }, false],
  [one("a", "Gt", ["1"]), { a: "2" }, false],
  [one("constructor", "Exists"), {}, false],
  [{ ...a1, ...one("b", "Exists") }, { a: "1" }, false],
  [{ matchLabels: ["a"] }, {}, true],
  [all(null), {}, false],
])("%j selects %j: %s", (selector, labels, expected) => {
  expect(selects(selector, labels)).toBe(expected);
});

const proto = JSON.parse(`{"__proto__": "1"}`) as Record<string, string>;

test.each<[unknown, Record<string, string> | undefined]>([
  [a1, { a: "1" }],
  [one("a", "In", ["1", "2"]), { a: "1" }],
  [one("a", "Exists"), { a: "probe" }],
  [one("a", "NotIn", ["1"]), {}],
  [one("a", "DoesNotExist"), {}],
  [all(wish("a", "In", ["1", "2"]), wish("a", "NotIn", ["1"])), { a: "2" }],
  [all(wish("a", "In", ["1", "2"]), wish("a", "In", ["2"])), { a: "2" }],
  [all(wish("a", "Exists"), wish("a", "NotIn", ["1"])), { a: "probe" }],
  [all(wish("a", "Exists"), wish("a", "DoesNotExist")), undefined],
  [one("a", "In", []), undefined],
  [{ matchLabels: proto }, proto],
])("labels for %j are %j", (selector, expected) => {
  expect(labelsFor(selector)).toEqual(expected);
});

test.each(hostile)("%s is a selector of everything", (_title, value) => {
  expect([selects(value, {}), labelsFor(value)]).toEqual([true, {}]);
});

test.each<[keyof typeof names & `is${string}`, string, boolean]>([
  ["isLabel", "a-1", true],
  ["isLabel", "n".repeat(63), true],
  ["isLabel", "n".repeat(64), false],
  ["isLabel", "a.b", false],
  ["isLabel", "-a", false],
  ["isLabel", "", false],
  ["isSubdomain", "a.b-c", true],
  ["isSubdomain", "n".repeat(254), false],
  ["isSubdomain", "a..b", false],
  ["isSubdomain", "a\n", false],
  ["isOldLabel", "1a", false],
  ["isQualified", "A_b.c", true],
  ["isQualified", "A_", false],
  ["isItem", "_tls.key", true],
  ["isItem", "a/b", false],
])("%s %j: %p", (form, text, is) => {
  expect(names[form](text)).toBe(is);
});

test.each<[string, Parameters<typeof names.matchesQuery>[1], boolean]>([
  ["nothing asked", {}, true],
  ["its name", { fieldSelector: "metadata.name=a" }, true],
  ["its name and namespace", { fieldSelector: "metadata.name=a,metadata.namespace==n" }, true],
  ["another name", { fieldSelector: "metadata.name=b" }, false],
  ["its label", { labelSelector: "k=v" }, true],
  ["another value", { labelSelector: "k=w" }, false],
  ["a label that it has not", { labelSelector: "other=v" }, false],
])("a query for %s", (_, query, is) => {
  const metadata = { name: "a", namespace: "n", labels: { k: "v" } };
  expect(names.matchesQuery({ apiVersion: "v1", kind: "X", metadata }, query)).toBe(is);
  const bare = { apiVersion: "v1", kind: "X", metadata: { name: "a" } };
  expect(names.matchesQuery(bare, { labelSelector: "k=v" })).toBe(false);
});

test.each(["k!=v", "k in (v)", "k"])(
  "the query %s is for the API server alone",
  (labelSelector) => {
    const object = { apiVersion: "v1", kind: "X", metadata: {} };
    expect(() => names.matchesQuery(object, { labelSelector })).toThrow("cannot be laid over");
  },
);

test.each([
  [undefined, undefined],
  ["metadata.namespace=n", undefined],
  ["metadata.name=a", "a"],
])("the name that %p asks for", (selector, name) => {
  expect(names.readSelectedName(selector)).toBe(name);
});
