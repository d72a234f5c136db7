import {
  parseDocuments,
  renderDocuments,
} from "../../../../../plugin/adapters/kubernetes/text/yaml";
import { yamlBomb } from "../../../../support/yaml-bomb";
import { UsageError } from "../../../../../plugin/domain/base/errors";

describe("documents are read", () => {
  test.each<[string, string, readonly unknown[]]>([
    ["an empty one as none", "---\n", []],
    ["one", "a: 1\n", [{ a: 1 }]],
    ["two", "a: 1\n---\nb: 2\n", [{ a: 1 }, { b: 2 }]],
    ["Windows lines", "a: 1\r\nb: 2\r\n", [{ a: 1, b: 2 }]],
    ["an alias", "a: &x {b: 1}\nc: *x\n", [{ a: { b: 1 }, c: { b: 1 } }]],
    ["a merge key", "a: &x {b: 1}\nc: {<<: *x}\n", [{ a: { b: 1 }, c: { b: 1 } }]],
  ])("%s", (_title, text, expected) => {
    expect(parseDocuments(text, "x.yaml")).toEqual(expected);
  });

  test("__proto__ is data like any other", () => {
    const [document] = parseDocuments("__proto__: {evil: 1}\n", "x.yaml");
    expect(Object.keys(document as object)).toEqual(["__proto__"]);
    expect((document as { evil?: unknown }).evil).toBeUndefined();
  });
});

describe("what cannot be read is a usage error that names the source, in one line", () => {
  test.each<[string, string]>([
    ["a tab as indentation", "a:\n\tb: 1\n"],
    ["a duplicate key", "a: 1\na: 2\n"],
    ["an alias to nothing", "a: *x\n"],
    ["an alias to its own parent", "&a\n- *a\n"],
    ["aliases of aliases", yamlBomb],
    ["aliases of aliases in many documents", `${yamlBomb}---\n${yamlBomb}`],
    ["lists nested without an end", "[".repeat(100_000)],
    ["mappings nested without an end", `${"{a: ".repeat(5_000)}1${"}".repeat(5_000)}`],
    ["more than any manifest", `# ${"x".repeat(17 * 2 ** 20)}\na: 1\n`],
  ])("%s", (_title, text) => {
    const read = (): unknown => parseDocuments(text, "x.yaml");
    expect(read).toThrow(UsageError);
    expect(read).toThrow(/^(x\.yaml cannot be read: [^\n]+\n?)+$/);
  });
});

test("objects are rendered as a stream that reads back the same", () => {
  const shared = { app: "engine" };
  const objects = [
    { kind: "A", labels: shared, again: shared },
    { kind: "B", list: [1, "8.0"] },
  ];
  const text = renderDocuments(objects);
  expect(text).not.toContain("&");
  expect(parseDocuments(text, "x.yaml")).toEqual(objects);
  expect(renderDocuments([])).toBe("");
});
