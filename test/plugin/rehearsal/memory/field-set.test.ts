import {
  difference,
  fieldsV1Of,
  intersection,
  parseFieldsV1,
  pathsOf,
  renderPath,
  union,
} from "../../../../plugin/rehearsal/memory/field-set";

const one = { "f:a": {}, "f:b": { ".": {}, "f:c": {} }, "f:l": { 'k:{"n":"x"}': { ".": {} } } };
const other = { "f:a": {}, "f:b": { "f:d": {} }, "f:s": { 'v:"t"': {} } };

test.each([
  {
    name: "a union has the fields of both",
    operation: union,
    expected: {
      "f:a": {},
      "f:b": { ".": {}, "f:c": {}, "f:d": {} },
      "f:l": { 'k:{"n":"x"}': {} },
      "f:s": { 'v:"t"': {} },
    },
  },
  { name: "an intersection has the common ones", operation: intersection, expected: { "f:a": {} } },
  {
    name: "a difference has those of the first alone",
    operation: difference,
    expected: { "f:b": { ".": {}, "f:c": {} }, "f:l": { 'k:{"n":"x"}': {} } },
  },
])("$name", ({ operation, expected }) => {
  expect(fieldsV1Of(operation(parseFieldsV1(one), parseFieldsV1(other)))).toEqual(expected);
});

test("a place is written as a member only where something is below it", () => {
  expect(fieldsV1Of(parseFieldsV1({ "f:a": { ".": {} } }))).toEqual({ "f:a": {} });
});

test("paths come level by level, and are shown as messages write them", () => {
  const fields = {
    "f:z": {},
    "f:a": { "f:deep": {} },
    "f:l": { 'k:{"kind":"x","port":80}': { "f:size": {} }, 'v:"t"': {} },
  };
  expect(pathsOf(parseFieldsV1(fields)).map(renderPath)).toEqual([
    ".z",
    ".a.deep",
    '.l[="t"]',
    '.l[kind="x",port=80].size',
  ]);
});
