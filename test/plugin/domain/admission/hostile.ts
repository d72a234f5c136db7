/** Values that no cluster should send and some do: none of them may make the domain throw. */
export const hostile: readonly [string, unknown][] = [
  ["undefined", undefined],
  ["null", null],
  ["a number", 7],
  ["a text", "webhooks"],
  ["an array", [{ name: "x" }]],
  ["an empty object", {}],
  ["inherited properties", Object.create({ webhooks: [{ name: "x" }], name: "x" })],
  ["an own __proto__", JSON.parse(`{"__proto__": {"webhooks": [{}], "name": "x"}}`)],
  ["a list where an object belongs", { webhooks: {}, metadata: [], clientConfig: [] }],
  ["entries that are no objects", { webhooks: [null, 1, "x", [], undefined] }],
  ["fields of wrong types", { webhooks: [{ name: 1, rules: {}, clientConfig: "x" }] }],
  ["constructor as a key", { constructor: 1, webhooks: [{ constructor: "x" }] }],
];
