import fc from "fast-check";
import { getOwn } from "../../plugin/domain/values";
import { parseReviewJson } from "../../webhook/review/json";

const fields = [{ manager: "kubectl", fieldsV1: { "f:spec": { ".": {}, 'k:{"name":"x"}': {} } } }];

function aReview(object: unknown, oldObject: unknown = {}) {
  return { kind: "AdmissionReview", request: { uid: "u", object, oldObject } };
}

const bytesOf = (value: unknown) =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
const parse = (value: unknown) =>
  JSON.parse(JSON.stringify(parseReviewJson(bytesOf(value)))) as unknown;

const deep = (depth: number) => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`) as unknown;

describe("managed fields", () => {
  test.each<[string, unknown, unknown]>([
    ["the same", fields, fields],
    ["none in the second", fields, []],
    ["of the same length, with other names", [{ a: {} }], [{ b: {} }]],
    ["the same and more", [{ a: {} }], [{ a: {} }, { b: {} }]],
    ["longer than all that follows", [{ a: "x".repeat(200) }], [{}]],
  ])("of both objects are left out, and nothing else: %s", (_name, first, second) => {
    const object = (managedFields: unknown) => ({
      metadata: { managedFields, name: "a" },
      spec: 1,
    });
    const leftOut = object(expect.stringMatching(/^[0-9a-f-]{36}$/));
    expect(parse(aReview(object(first), object(second)))).toEqual(aReview(leftOut, leftOut));
  });

  test.each<[string, unknown]>([
    ["elsewhere", aReview({ spec: { managedFields: fields } })],
    [
      "elsewhere too",
      aReview({ metadata: { managedFields: fields }, spec: { managedFields: fields } }),
    ],
    ["of numbers", aReview({ metadata: { managedFields: [1] } })],
    ["in a text", aReview({ metadata: { note: '"managedFields":[{}]' } })],
    ["at the end of a key", aReview({ metadata: { 'x"managedFields': [{}] } })],
    ["nowhere", aReview({})],
    ["deeper than is looked", aReview({ metadata: { managedFields: deep(40) } })],
  ])("%s stay", (_name, review) => {
    expect(parse(review)).toEqual(review);
  });

  test("that a second metadata hides do not count", () => {
    const twice =
      '{"request":{"object":{"metadata":{"managedFields":[]},"metadata":{"name":"a"}}}}';
    expect(parse(twice)).toEqual(JSON.parse(twice));
  });

  test.each([
    ["cut off", '{"request":{"object":{"metadata":{"managedFields":[{"a":{}}'],
    [
      "cut off in the second",
      `${JSON.stringify({ a: { managedFields: fields } }).slice(0, -1)},${JSON.stringify({ b: { managedFields: fields } }).slice(1, -4)}`,
    ],
    ["broken", '{"request":{"object":{"metadata":{"managedFields":[{"a":{},}]}}}}'],
    ["broken before", '{x"request":{"object":{"metadata":{"managedFields":[{}]}}}}'],
  ])("in JSON that is %s save nothing", (_name, text) => {
    expect(() => parse(text)).toThrow(SyntaxError);
  });
});

describe("whatever the JSON is", () => {
  const numRuns = Number(process.env["ENGINE_FUZZ_REVIEWS"] ?? 1_500);
  /** Written by hand, so that keys come twice, are escaped, and stand where nobody would put them. */
  const keys = fc.constantFrom(
    ...["request", "object", "oldObject", "metadata", "spec", "managedFields"].map((key) =>
      JSON.stringify(key),
    ),
    ...['"managed\\u0046ields"', '"x\\"managedFields"', '"x\\\\"', '"__proto__"', '"ü"'],
  );
  const texts = fc.constantFrom('""', '"a"', '"ü\\n"', '"\\"managedFields\\":"', '"\\u0000"');
  const plain = fc.constantFrom("1", "null", "true", " {}", "[1]", "{ }", "-0", "01", '"\n"');
  const { any } = fc.letrec<{ any: string; object: string; list: string }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 7, depthSize: "medium" },
      texts,
      { weight: 1, arbitrary: plain },
      { weight: 6, arbitrary: tie("object") },
      { weight: 2, arbitrary: tie("list") },
    ),
    object: fc
      .array(fc.tuple(keys, tie("any")), { maxLength: 5 })
      .map((members) => `{${members.map(([key, value]) => `${key}:${value}`).join(",")}}`),
    list: fc.array(tie("any"), { maxLength: 3 }).map((items) => `[${items.join(",")}]`),
  }));
  /** Most are reviews down to the metadata, or the fields would hardly ever be left out. */
  const side = fc
    .tuple(any, any)
    .map(([fieldsOf, spec]) => `{"metadata":{"managedFields":${fieldsOf}},"spec":${spec}}`);
  const document = fc.oneof(
    any,
    fc
      .tuple(fc.oneof(side, any), fc.oneof(side, any), any)
      .map(
        ([object, oldObject, more]) =>
          `{"request":{"object":${object},"oldObject":${oldObject},"x":${more}}}`,
      ),
  );
  const broken = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), by: fc.nat(3) });

  /** Its text again, without what is passed over; a list's or a text's own fields are none. */
  function readingOf(read: () => unknown): string {
    try {
      const review = read();
      const request = getOwn(review, "request");
      for (const name of ["object", "oldObject"]) {
        const metadata = getOwn(getOwn(request, name), "metadata");
        if (getOwn(metadata, "managedFields") !== undefined) {
          (metadata as { managedFields: unknown }).managedFields = "left out";
        }
      }
      return JSON.stringify(review);
    } catch {
      return "not JSON";
    }
  }

  test("nothing else is read than JSON.parse reads", () => {
    let left = 0;
    const check = (text: string) => {
      const bytes = Buffer.from(text);
      const read = readingOf(() => parseReviewJson(bytes));
      expect(read).toBe(readingOf(() => JSON.parse(text) as unknown));
      if (read.includes('"left out"')) left += 1;
    };
    fc.assert(
      fc.property(document, fc.option(broken, { freq: 4 }), (text, cut) => {
        const from = cut === null ? 0 : Math.floor(cut.at * text.length);
        check(text);
        check(text.slice(0, from) + text.slice(from + (cut?.by ?? 0)));
      }),
      { numRuns, seed: 20_260_101 },
    );
    expect(left).toBeGreaterThan(numRuns / 10);
  });
});
