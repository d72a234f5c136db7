/** The page of the documents: each field of the schemas with its type. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { asArray, asString, getOwn, isObject } from "../../plugin/domain/values";
import type { Page, Part } from "./page";

const folder = join(__dirname, "../../plugin/output");

/** The fields of every schema that lies beside the report's. */
export function outputPage(): Page {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  return {
    title: "Output",
    summary: "Fields of the documents that -o json and -o yaml print, and -o jsonl last",
    parts: files.filter((name) => name.endsWith(".schema.json")).flatMap(partsOf),
  };
}

function partsOf(name: string): readonly Part[] {
  const schema: unknown = JSON.parse(readFileSync(join(folder, name), "utf8"));
  const all = Object.entries({ [name]: schema, ...entriesOf(schema, "definitions") });
  return all.flatMap(([heading, one]) => [
    { heading },
    { text: `${typeOf(one)}. ${asString(getOwn(one, "description")) ?? ""}`.trim() },
    { heads: ["field", "type", "is"], rows: rowsOf(one, "") },
  ]);
}

const entriesOf = (schema: unknown, key: string): object =>
  Object(getOwn(schema, key) ?? {}) as object;

/** The fields below one, in the order of the schema. */
function rowsOf(schema: unknown, before: string): readonly (readonly string[])[] {
  const required = asArray(getOwn(schema, "required"));
  const fields = Object.entries<unknown>({ ...entriesOf(schema, "properties") });
  const own = fields.flatMap(([key, value]) => {
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
  const values = asArray(getOwn(schema, "enum") ?? getOwn(schema, "anyOf"));
  if (values.length > 0)
    return values.map((one) => (isObject(one) ? typeOf(one) : String(one))).join(" or ");
  const fixed = getOwn(schema, "const");
  if (fixed !== undefined) return JSON.stringify(fixed);
  const types = asArray([getOwn(schema, "type") ?? "any"].flat()).map(String);
  return types[0] === "array" ? `list of ${typeOf(getOwn(schema, "items"))}` : types.join(" or ");
}
