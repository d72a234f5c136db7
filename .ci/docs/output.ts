/** The page of the documents: each field of the schema with its type. */
import schema from "../../docs/reference/documents.schema.json";
import { asArray, asString, getOwn, getPath, isObject } from "../../plugin/domain/base/values";
import type { Page, Part } from "./markup";

/** The fields of every document, of the details of each kind, and of what these are made of. */
export function outputPage(): Page {
  const kinds = asArray(schema.allOf).map((one): [string, unknown] => [
    `Details of ${String(getPath(one, ["if", "properties", "kind", "const"]))}`,
    getPath(one, ["then", "properties", "details"]),
  ]);
  const all = [
    ...kinds.filter(([, one]) => one !== undefined),
    ...Object.entries<unknown>(schema.definitions),
  ];
  return {
    title: "Output",
    summary: "Fields of the documents that -o json and -o yaml print, and -o jsonl last",
    parts: [
      "Every document is a [Report](#report), whose details go by its kind. The same as a JSON schema: [documents.schema.json](documents.schema.json).",
      ...all.flatMap(([heading, one]): readonly Part[] => {
        const text = `${typeOf(one)}. ${asString(getOwn(one, "description")) ?? ""}`.trim();
        const table = { heads: ["field", "type", "is"], rows: rowsOf(one, "") };
        return [`## ${heading}`, text, ...(table.rows.length === 0 ? [] : [table])];
      }),
    ],
  };
}

/** The fields below one, in the order of the schema. */
function rowsOf(schema: unknown, before: string): readonly (readonly string[])[] {
  const required = asArray(getOwn(schema, "required"));
  const fields = getOwn(schema, "properties");
  const own = Object.entries(isObject(fields) ? fields : {}).flatMap(([key, value]) => {
    const type = `${typeOf(value)}${required.includes(key) ? "" : ", optional"}`;
    const told = asString(getOwn(value, "description")) ?? "";
    return [[`${before}${key}`, type, told], ...rowsOf(value, `${before}${key}.`)];
  });
  const items = getOwn(schema, "items");
  return isObject(items) ? [...own, ...rowsOf(items, before.replace(/\.$/, "[]."))] : own;
}

function typeOf(schema: unknown): string {
  const ref = asString(getOwn(schema, "$ref"));
  if (ref !== undefined) return ref === "#" ? "the document" : (ref.split("/").at(-1) ?? "");
  const values = asArray(
    getOwn(schema, "enum") ?? getOwn(schema, "anyOf") ?? getOwn(schema, "allOf"),
  );
  if (values.length > 0)
    return values.map((one) => (isObject(one) ? typeOf(one) : String(one))).join(" or ");
  const fixed = getOwn(schema, "const");
  if (fixed !== undefined) return JSON.stringify(fixed);
  const types = asArray([getOwn(schema, "type") ?? "any"].flat()).map(String);
  return types[0] === "array" ? `list of ${typeOf(getOwn(schema, "items"))}` : types.join(" or ");
}
