import fc from "fast-check";
import { dump } from "js-yaml";
import {
  splitDocuments,
  firstDocument,
  openItems,
  placesIn,
  type TwiceManner,
} from "../../../../../plugin/adapters/kubernetes/text/documents";
import { workOf } from "../../../../support/work";

/** What a text holds, or every problem in it with its place. */
function read(text: string, twice: TwiceManner = "refused"): readonly unknown[] {
  return [...splitDocuments(text, twice)].flatMap((document) =>
    "value" in document
      ? [document.value]
      : document.problems.map(({ what, at }) => [what, at?.line, at?.column]),
  );
}

describe("plain words are what kubectl makes of them", () => {
  // as sigs.k8s.io/yaml resolves them, which is what kubectl reads manifests with
  test.each<[string, unknown]>([
    ["7.4", 7.4],
    ["8.0", 8],
    ["8", 8],
    ['"8.0"', "8.0"],
    ["'8.0'", "8.0"],
    ["!!str 8.0", "8.0"],
    ["yes", true],
    ["Off", false],
    ["y", true],
    ["yEs", "yEs"],
    ["010", 8],
    ["0o10", 8],
    ["08", 8],
    ["0x1F", 31],
    ["-0b11", -3],
    ["1_000", 1000],
    ["1e3", 1000],
    [".5", 0.5],
    ["-.inf", -Infinity],
    ["1:30", "1:30"],
    ["2026-01-02", "2026-01-02"],
    ["~", null],
    ["Null", null],
    ["", null],
    ["!!binary OC4w", "8.0"],
    ["! 8", "8"],
    ["!vault 8.0", "8.0"],
    ["!vault", ""],
    ["!<x:y> 8.0", "8.0"],
    ["!!set {a: !b [!c {d: 8}]}", { a: [{ d: 8 }] }],
    ["<<", "<<"],
    ["[<<]", ["<<"]],
  ])("%s", (text, value) => {
    expect(read(`v: ${text}\n`)).toEqual([{ v: value }]);
  });
});

describe("a merge key takes effect where it stands", () => {
  test.each<[string, string, unknown]>([
    ["before a key, the key wins", "{<<: {b: 2, c: 2}, b: 1}", { b: 1, c: 2 }],
    ["after a key, the merge wins", "{b: 1, <<: {b: 2, c: 2}}", { b: 2, c: 2 }],
    ["of two the last one wins", "{<<: {b: 1}, <<: {b: 2}}", { b: 2 }],
    ["of a list the first one wins", "{<<: [{b: 1}, {b: 2, c: 2}]}", { b: 1, c: 2 }],
    ["of a map that merges", "{<<: {<<: {b: 1}, c: 1}}", { b: 1, c: 1 }],
    ["in quotes it is a key", '{"<<": {b: 1}}', { "<<": { b: 1 } }],
    ["with a tag it is one", "{!!merge <<: {b: 1}}", { b: 1 }],
    ["a key of the prototype is data", "{<<: {__proto__: 1}}", JSON.parse('{"__proto__": 1}')],
  ])("%s", (_name, text, value) => {
    expect(read(`v: ${text}\n`)).toEqual([{ v: value }]);
  });

  test("maps that an alias shares are merged once, and stay shared", () => {
    const [value] = read("a: &a {<<: &b {c: 1}}\nd: *a\ne: *b\n") as [Record<string, unknown>];
    expect(value).toEqual({ a: { c: 1 }, d: { c: 1 }, e: { c: 1 } });
    expect(value["d"]).toBe(value["a"]);
  });

  test("a long text may hold some", () => {
    const text = `a: &a {b: 1}\n# ${"x".repeat(70_000)}\nc: {<<: *a}\n`;
    expect(read(text)).toEqual([{ a: { b: 1 }, c: { b: 1 } }]);
  });
});

test.each<[string, string, unknown]>([
  ["the first of several", "# a\n---\na: 1\n---\na: [\n", { a: 1 }],
  ["the first, empty", "---\n---\na: 1\n", undefined],
  ["one before a mark that ends it", "a: 1\n...\na: [\n", { a: 1 }],
  ["one with a directive", "%YAML 1.1\n---\na: yes\n", { a: true }],
  ["the first of JSON", '{"a": 1}\n{"a": 2}\n', { a: 1 }],
  ["the last of two keys", "a: 1\na: 2\n", { a: 2 }],
  ["the last of two keys in JSON", '{"a": 1, "a": 2}', { a: 2 }],
  ["nothing", "", undefined],
])("a kubeconfig is %s", (_name, text, value) => {
  const document = firstDocument(text);
  expect(document && "value" in document ? document.value : undefined).toEqual(value);
});

describe("what stands against a text is told with its place", () => {
  test.each<[string, string, unknown[]]>([
    [
      "every key that is there twice",
      "a: 1\nb: {c: 1, c: 2, c: 3}\na: 2\n---\nd: 1\nd: 2\n",
      [
        ["duplicated mapping key", 2, 11],
        ["duplicated mapping key", 2, 17],
        ["duplicated mapping key", 3, 1],
        ["duplicated mapping key", 6, 1],
      ],
    ],
    [
      "keys that are there twice in JSON",
      '{"a": 1}\n{\n  "b": 1,\n  "b": 2\n}\n',
      [{ a: 1 }, ["duplicated mapping key", 4, 3]],
    ],
    [
      "a tab",
      "# Source: x\n\na:\n\tb: 1\n",
      [["tab characters must not be used in indentation", 4, 1]],
    ],
    [
      "a problem in one document leaves the others",
      "a: b: c\n---\n# nothing\n---\nok: true\n--- # here\n\n- [\n",
      [
        ["bad indentation of a mapping entry", 1, 5],
        { ok: true },
        ["unexpected end of the stream within a flow collection", 9, 1],
      ],
    ],
  ])("%s", (_name, text, wanted) => {
    expect(read(text)).toEqual(wanted);
  });

  test("a dump's JSON takes the last key, as the API server has written it", () => {
    expect(read('{"b": 1, "b": 2}', "refused in YAML")).toEqual([{ b: 2 }]);
  });
});

describe("hostile texts", () => {
  const bomb = ["a: &a [x,x,x,x,x,x,x,x,x]"];
  for (const key of "bcdefghi") {
    const before = String.fromCharCode(key.charCodeAt(0) - 1);
    bomb.push(`${key}: &${key} [${Array(9).fill(`*${before}`).join(",")}]`);
  }

  const keys = Array.from({ length: 2_000 }, (_, at) => `k${at}: 1`).join(",");
  const long = `a: &a {${keys}}\nb: {<<: [${Array(2_000).fill("*a").join(",")}]}\n`;

  test.each<[string, string, RegExp]>([
    ["aliases that expand", bomb.join("\n"), /^its aliases \(&, \*\) expand to an absurd size/],
    ["deep nesting", "[".repeat(100_000), /nest/],
    ["a map within itself", "a: &a\n  b: *a\n", /contains itself/],
    ["a map merged into itself", "a: &a\n  b: {<<: *a}\n", /contains itself by a merge key/],
    ["a merge of a text", "a: {<<: b}\n", /^a merge key \(<<\) needs a map or a list of maps$/],
    ["a long list of long merges", long, /^its merge keys \(<<\) expand to an absurd size/],
    ["UTF-16 without its mark", "a\0:\0 \x001\0", /^it is UTF-16 without a byte order mark/],
  ])("%s", (_name, text, what) => {
    expect(read(text)).toEqual([expect.arrayContaining([expect.stringMatching(what)])]);
  });

  test("prototype keys are data", () => {
    const [document] = read('{"__proto__": {"polluted": 1}, "constructor": 2}');
    expect(Object.keys(document as object)).toEqual(["__proto__", "constructor"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

interface Wanted {
  readonly text: string;
  readonly path: readonly (string | number)[];
  readonly which?: number;
}

describe("places", () => {
  const placed = (text: string, path: readonly (string | number)[]): string =>
    placedIn({ text, path });
  const placedIn = ({ text, path, which = 0 }: Wanted): string => {
    const documents = [...splitDocuments(text, "refused")];
    const document = documents[which];
    if (document === undefined || !("value" in document)) throw new Error("no document");
    const { line, column } = placesIn(document.source)(path);
    return `${line}:${column}`;
  };

  const helm = `---
# Source: chart/templates/db.yaml
apiVersion: v1
kind: List
items:
  # the first
  - metadata: {name: "a", "b": [1, 2]}
  - &b
    metadata:
      name:    # there
        'x'
    spec: *b
`.replace("    spec: *b\n", "");

  test.each<[string, string, (string | number)[], string]>([
    ["a scalar", "a: 1\nb:\n  c: 2\n", ["b", "c"], "3:6"],
    ["a map", "a: 1\nb:\n  c: 2\n", ["b"], "3:3"],
    ["what is not there: what would hold it", "a: 1\nb:\n  c: 2\n", ["b", "d"], "3:3"],
    ["an entry of a list in a list", helm, ["items", 0, "metadata", "b", 1], "7:36"],
    ["behind a comment", helm, ["items", 1, "metadata", "name"], "11:9"],
    ["JSON", '{\n "a": [\n  {"b": 1}]}', ["a", 0, "b"], "3:9"],
    ["a key that looks like one of every object", "a: 1\n", ["__proto__"], "1:1"],
  ])("%s", (...[, text, path, wanted]) => {
    expect(placed(text, path)).toBe(wanted);
  });

  test("of a later document", () => {
    const text = "a: 1\n---\n\n# b\nb:\n- c\n";
    expect(placedIn({ text, path: ["b", 0], which: 1 })).toBe("6:3");
    expect(placedIn({ text: '{"a": 1}\n\n{"b": 1}', path: ["b"], which: 1 })).toBe("3:7");
  });

  test("every scalar of every document is found where it is written", () => {
    // in flow maps the writer leaves such a key without quotes, which is then no YAML
    const isTorn = (text: string) => /:[,[\]{}]/.test(text);
    const text = fc.string({ unit: "grapheme-ascii", minLength: 1 });
    // js-yaml writes 0_ and +_0 without quotes, which are the number 0 for kubectl
    const key = text.filter((one) => !isTorn(one) && !/^[-+]?(\d.*_|_+\d)/.test(one));
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.integer(),
        fc.string({ unit: "grapheme-ascii" }),
        fc.array(tie("tree"), { maxLength: 4 }),
        fc.dictionary(key, tie("tree"), { maxKeys: 4 }),
      ),
    }));
    const paths = (value: unknown): (string | number)[][] =>
      typeof value !== "object" || value === null
        ? [[]]
        : Object.entries(value).flatMap(([name, inner]) =>
            paths(inner).map((rest) => [Array.isArray(value) ? Number(name) : name, ...rest]),
          );
    const at = (value: unknown, path: readonly (string | number)[]): unknown =>
      path.reduce<unknown>(
        (inner, name) => (inner as Record<string, unknown>)[String(name)],
        value,
      );
    const marks = { value: 0 };
    fc.assert(
      fc.property(
        fc.dictionary(key, tree, { minKeys: 1, maxKeys: 4 }),
        fc.constantFrom(-1, 2),
        (value, flowLevel) => {
          // each scalar is a word of its own, so that the place tells which one was found
          marks.value = 0;
          const marked = JSON.parse(JSON.stringify(value), (_name, inner: unknown) =>
            typeof inner === "object" ? inner : `m${(marks.value += 1)}m`,
          ) as unknown;
          const text = dump(marked, { flowLevel, lineWidth: -1 });
          const lines = text.split("\n");
          for (const path of paths(marked).filter((one) => typeof at(marked, one) === "string")) {
            const [line = 0, column = 0] = placed(text, path).split(":").map(Number);
            expect(lines[line - 1]?.slice(column - 1)).toMatch(
              new RegExp(`^${String(at(marked, path))}`),
            );
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

test("lists are opened, with the way to each item", () => {
  const list = {
    kind: "XList",
    apiVersion: "g/v1",
    items: [{ a: 1 }, { kind: "List", items: [7] }],
  };
  expect([...openItems({ value: list, path: [] })]).toEqual([
    { value: { apiVersion: "g/v1", kind: "X", a: 1 }, path: ["items", 0] },
    { value: 7, path: ["items", 1, "items", 0] },
  ]);
});

test.each<[string, (items: readonly object[]) => string]>([
  ["a List in YAML", (items) => dump({ kind: "List", items })],
  ["a List in JSON", (items) => JSON.stringify({ kind: "List", items }, null, 2)],
  ["documents", (items) => items.map((item) => dump(item)).join("---\n")],
  ["JSON after JSON", (items) => items.map((item) => JSON.stringify(item)).join("\n")],
])("the places of four times as many objects take four times the work: %s", async (_, written) => {
  const worked = async (count: number): Promise<number> => {
    const items = Array.from({ length: count }, (__, at) => ({
      kind: "A",
      metadata: { name: `a${at}` },
    }));
    const text = written(items);
    return await workOf(() => {
      for (const document of splitDocuments(text, "refused")) {
        if (!("value" in document)) throw new Error("a problem");
        const place = placesIn(document.source);
        for (const { path } of openItems({ value: document.value, path: [] })) {
          place([...path, "metadata", "name"]);
        }
      }
    });
  };
  const [few, many] = [await worked(200), await worked(800)];
  expect(few).toBeGreaterThan(0);
  expect(many / few).toBeLessThan(5);
});
