import { labelsFor, selects } from "../../../../plugin/domain/kube/selectors";
import { hostile } from "../webhook/hostile";

const expression = (key: string, operator: string, values?: readonly string[]) => ({
  matchExpressions: [{ key, operator, ...(values && { values }) }],
});
const both = (...selectors: readonly { matchExpressions: readonly unknown[] }[]) => ({
  matchExpressions: selectors.flatMap(({ matchExpressions }) => matchExpressions),
});

describe("labels meet a selector", () => {
  test.each<[string, unknown, Record<string, string>, boolean]>([
    ["that is absent", undefined, {}, true],
    ["that is empty", {}, { a: "1" }, true],
    ["of exact labels", { matchLabels: { a: "1" } }, { a: "1", b: "2" }, true],
    ["not of other values", { matchLabels: { a: "1" } }, { a: "2" }, false],
    ["not of absent labels", { matchLabels: { a: "1" } }, {}, false],
    ["In: one of the values", expression("a", "In", ["1", "2"]), { a: "2" }, true],
    ["In: not without the label", expression("a", "In", ["1"]), {}, false],
    ["NotIn: another value", expression("a", "NotIn", ["1"]), { a: "2" }, true],
    ["NotIn: without the label", expression("a", "NotIn", ["1"]), {}, true],
    ["NotIn: not one of the values", expression("a", "NotIn", ["1"]), { a: "1" }, false],
    ["Exists", expression("a", "Exists"), { a: "" }, true],
    ["Exists: not without it", expression("a", "Exists"), {}, false],
    ["DoesNotExist", expression("a", "DoesNotExist"), {}, true],
    ["DoesNotExist: not with it", expression("a", "DoesNotExist"), { a: "1" }, false],
    ["an operator that nobody knows: never", expression("a", "Gt", ["1"]), { a: "2" }, false],
    ["an inherited label is none", expression("constructor", "Exists"), {}, false],
    [
      "labels and expressions together",
      { matchLabels: { a: "1" }, ...expression("b", "Exists") },
      { a: "1" },
      false,
    ],
    ["matchLabels of a wrong type", { matchLabels: ["a"] }, {}, true],
    ["an expression that is not an object: never", { matchExpressions: [null] }, {}, false],
  ])("%s", (_title, ...[selector, labels, expected]) => {
    expect(selects(selector, labels)).toBe(expected);
  });
});

describe("labels are found for a selector", () => {
  test.each<[string, unknown, Record<string, string> | undefined]>([
    ["of exact labels", { matchLabels: { a: "1" } }, { a: "1" }],
    ["In: the first value", expression("a", "In", ["1", "2"]), { a: "1" }],
    ["Exists: any value", expression("a", "Exists"), { a: "probe" }],
    ["NotIn: left out", expression("a", "NotIn", ["1"]), {}],
    ["DoesNotExist: left out", expression("a", "DoesNotExist"), {}],
    [
      "In and NotIn: a value that is left",
      both(expression("a", "In", ["1", "2"]), expression("a", "NotIn", ["1"])),
      { a: "2" },
    ],
    [
      "two Ins: the common value",
      both(expression("a", "In", ["1", "2"]), expression("a", "In", ["2"])),
      { a: "2" },
    ],
    [
      "Exists and NotIn: another value",
      both(expression("a", "Exists"), expression("a", "NotIn", ["1"])),
      { a: "probe" },
    ],
    [
      "Exists and DoesNotExist: none",
      both(expression("a", "Exists"), expression("a", "DoesNotExist")),
      undefined,
    ],
    ["In of nothing: none", expression("a", "In", []), undefined],
    ["an unknown operator: none", expression("a", "Gt", ["1"]), undefined],
    [
      "__proto__ as a key",
      { matchLabels: JSON.parse(`{"__proto__": "1"}`) as unknown },
      JSON.parse(`{"__proto__": "1"}`) as Record<string, string>,
    ],
  ])("%s", (_title, selector, expected) => {
    expect(labelsFor(selector)).toEqual(expected);
  });
});

test.each(hostile)("%s is a selector of everything", (_title, value) => {
  expect(selects(value, {})).toBe(true);
  expect(labelsFor(value)).toEqual({});
});
