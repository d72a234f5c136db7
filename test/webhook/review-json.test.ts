import fc from "fast-check";
import { getOwn, isObject } from "../../plugin/domain/base/values";
import { keepFields, readFields } from "../../webhook/review/json";

const read = (text: string, ...paths: readonly (readonly string[])[]) =>
  keepFields(Buffer.from(text), readFields(paths)).toString();

describe("the fields at the paths are kept, and nothing else", () => {
  const paths = [["a"], ["b", "c"], ["b", "d", "e"]];
  test.each<[string, string, string]>([
    ["as they are written", '{"x":1,"a":{"y":[ 1 ]},"z":[]}', '{"a":{"y":[ 1 ]}}'],
    ["with what holds them", '{"b":{"x":[{"c":1}],"c":2,"d":{"f":3}}}', '{"b":{"c":2,"d":{}}}'],
    ["as often as they come", '{"a":1,"b":{},"a":2}', '{"a":1,"b":{},"a":2}'],
    ["where something else holds them", '{"b":[{"c":1}]}', '{"b":[{"c":1}]}'],
    ["where their keys are written with escapes", '{"\\u0061":1,"\\u0078":2}', '{"\\u0061":1}'],
    ["not where a key only begins or ends alike", '{"ab":1,"\\"a":1,"":1}', "{}"],
    ["beyond ASCII", '{"é":"ü","a":"ü€😀"}', '{"a":"ü€😀"}'],
    ["of no object", " [1,{}] ", "[1,{}]"],
    [
      "between blanks",
      '\n{ "x" : 1 ,\t"b" : { "c" : 2 } }\r',
      '{"b" :{"c" :2 }}'.replace("2 ", "2"),
    ],
    ["of an empty object", " { } ", "{}"],
    ["at any depth", `{"x":${"[".repeat(1e5)}${"]".repeat(1e5)},"a":1}`, '{"a":1}'],
  ])("%s", (_title, text, kept) => {
    expect(read(text, ...paths)).toBe(kept);
  });

  test("a path that leads on from the end of another one says nothing", () => {
    expect(read('{"a":{"b":1,"c":2}}', ["a", "b"], ["a"])).toBe('{"a":{"b":1,"c":2}}');
  });
});

test.each([
  ...["", " ", "{", "[", '{"x"', '{"x":', '{"x":1', '{"x":1,', '{"x":1,}', '{"x" 1}', "{x:1}"],
  ...['{"x":[1,]}', '{"x":[1}', '{"x":{]}', '{"x":[[]}', "{}{}", "{} x", '{"x":1]'],
  ...["01", "-", "1.", ".5", "1e", "1e+", "+1", "0x1", "--1", "1.5.2"].map(
    (each) => `{"x":${each}}`,
  ),
  ...["tru", "nul", "falsey", "NaN", "True", "'a'"].map((each) => `{"x":${each}}`),
  ...['"', '"\\x"', '"\\u12g4"', '"\\u12', '"\\', '"\n"', '"\u0000"'].map(
    (each) => `{"x":${each}}`,
  ),
  "\ufeff{}",
])("%j is not JSON", (text) => {
  expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  expect(() => read(text, ["a"])).toThrow(SyntaxError);
});

describe("whatever the JSON is", () => {
  const numRuns = Number(process.env["ENGINE_FUZZ_REVIEWS"] ?? 1_500);
  const wanted = [["uid"], ["object", "metadata", "name"], ["object", "spec"], ["ü", "a"]];
  const fields = readFields(wanted);
  /** Written by hand, so that keys come twice, are escaped, and stand where nobody would put them. */
  const keys = fc.constantFrom(
    ...["uid", "object", "metadata", "name", "spec", "a", "ü"].map((key) => JSON.stringify(key)),
    ...['"\\u0075id"', '"x\\"uid"', '"x\\\\"', '"__proto__"', '"nam"', '"spec "'],
  );
  const texts = fc.constantFrom('""', '"a"', '"ü\\n"', '"\\"uid\\":"', '"\\u0000"', '"\\/\\b😀"');
  const plain = fc.constantFrom(
    ...["1", "null", "true", " {}", "[1]", "{ }", "-0", "1e5", "-1.5E-3", "01", '"\n"', "[ ]"],
  );
  const blank = fc.constantFrom("", "", "", " ", "\n\t");
  const { any } = fc.letrec<{ any: string; object: string; list: string }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 7, depthSize: "medium" },
      texts,
      { weight: 1, arbitrary: plain },
      { weight: 6, arbitrary: tie("object") },
      { weight: 2, arbitrary: tie("list") },
    ),
    object: fc
      .array(fc.tuple(keys, blank, tie("any")), { maxLength: 5 })
      .map((all) => `{${all.map(([key, gap, value]) => `${gap}${key}${gap}:${value}`).join(",")}}`),
    list: fc.array(tie("any"), { maxLength: 3 }).map((items) => `[${items.join(",")}]`),
  }));
  /** Most hold what is read, or it would hardly ever be met. */
  const document = fc.oneof(
    any,
    fc
      .tuple(any, any, any, any)
      .map(
        ([more, name, spec, uid]) =>
          `{"x":${more},"object":{"metadata":{"x":${more},"name":${name}},"spec":${spec}},"uid":${uid}}`,
      ),
  );
  const broken = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), by: fc.nat(3) });

  /** What is wanted of a value that was read as a whole. */
  function pick(value: unknown, paths: readonly (readonly string[])[]): unknown {
    if (!isObject(value) || paths.some((path) => path.length === 0)) return value;
    const kept = Object.keys(value).flatMap((key) => {
      const below = paths.filter(([first]) => first === key).map(([, ...more]) => more);
      return below.length === 0 ? [] : [[key, pick(getOwn(value, key), below)] as const];
    });
    return Object.fromEntries(kept);
  }

  function outcome(parse: () => unknown): string {
    try {
      return JSON.stringify(parse());
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return "not JSON";
    }
  }

  test("what is read of it is what JSON.parse reads", () => {
    let [kept, refused] = [0, 0];
    const check = (text: string) => {
      const whole = outcome(() => pick(JSON.parse(text), wanted));
      const bytes = Buffer.from(text);
      expect(outcome(() => JSON.parse(keepFields(bytes, fields).toString()) as unknown)).toBe(
        whole,
      );
      if (whole === "not JSON") refused += 1;
      else if (whole.length > 12) kept += 1;
    };
    fc.assert(
      fc.property(document, fc.option(broken, { freq: 4 }), (text, cut) => {
        const from = cut === null ? 0 : Math.floor(cut.at * text.length);
        check(text);
        check(text.slice(0, from) + text.slice(from + (cut?.by ?? 0)));
      }),
      { numRuns, seed: 20_260_101 },
    );
    expect(Math.min(kept, refused)).toBeGreaterThan(numRuns / 10);
  });
});
