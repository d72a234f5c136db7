/** Documents into objects: lists opened, and what is no object of a cluster named. */
import type { KubeObject } from "../../domain/objects";
import { isObject, type Json, list, own, text } from "../../domain/values";
import { documentsOf } from "./documents";

/** Where a value stands, for problems: "file a.yaml, document 2, item 7". */
interface Found {
  readonly value: unknown;
  readonly where: string;
}

/** The objects of one text; every problem is told with the place and the name that it has. */
export function objectsOf(
  content: string,
  name: string,
  problem: (text: string) => void,
): readonly KubeObject[] {
  const objects: KubeObject[] = [];
  for (const document of documentsOf(content)) {
    const where = `${name}, document ${document.number}`;
    if ("problem" in document) {
      problem(`${where}: ${document.problem}`);
      continue;
    }
    for (const found of opened({ value: document.value, where })) {
      const wrong = problemsOf(found.value);
      for (const what of wrong) problem(`${found.where}${naming(found.value)}: ${what}`);
      if (wrong.length === 0) objects.push(found.value as KubeObject);
    }
  }
  return objects;
}

/** A list's items, lists among them opened again; anything else as it is. */
function* opened({ value, where }: Found): Generator<Found> {
  const items = itemsOf(value);
  if (!isObject(value) || items === undefined) {
    yield { value, where };
    return;
  }
  for (const [index, item] of items.entries()) {
    yield* opened({ value: inherited(item, value), where: `${where}, item ${index + 1}` });
  }
}

/** Undefined for what is no list. An own kind may end in "List" as well, but has no items then. */
function itemsOf(value: unknown): readonly unknown[] | undefined {
  const kind = text(own(value, "kind"));
  const items = own(value, "items");
  if (kind === "List" && (items === undefined || items === null)) return [];
  return kind?.endsWith("List") === true && Array.isArray(items) ? list(items) : undefined;
}

/** Items of a typed list may leave out what the list says for all of them. */
function inherited(item: unknown, parent: Json): unknown {
  const kind = String(parent["kind"]).replace(/List$/, "");
  if (!isObject(item) || kind === "") return item;
  const { apiVersion = parent["apiVersion"], kind: own = kind, ...rest } = item;
  return { apiVersion, kind: own, ...rest };
}

/** The object's own words, as far as it has them. */
function naming(value: unknown): string {
  const metadata = own(value, "metadata");
  const name = text(own(metadata, "name"));
  const namespace = text(own(metadata, "namespace"));
  const kind = text(own(value, "kind"));
  if (kind === undefined && name === undefined) return "";
  const path = [namespace, name].filter((part) => part !== undefined).join("/");
  return `, ${kind ?? "an object"}${path === "" ? "" : ` ${path}`}`;
}

function problemsOf(value: unknown): readonly string[] {
  if (!isObject(value)) return ["it is no object: remove it, or write the dump again"];
  if (Array.isArray(own(value, "items")) && text(own(value, "kind")) === undefined) {
    return ["it is a list without its end (cut off?): write the dump again"];
  }
  const metadata = own(value, "metadata");
  const missing = [
    ...(text(own(value, "apiVersion")) === undefined ? ["apiVersion"] : []),
    ...(text(own(value, "kind")) === undefined ? ["kind"] : []),
    ...(text(own(metadata, "name")) === undefined ? ["metadata.name"] : []),
  ];
  return missing.length > 0
    ? [`it has no ${missing.join(", no ")} (cut off?): complete it, or write the dump again`]
    : metadataProblems(metadata);
}

const texts = ["namespace", "uid", "resourceVersion", "deletionTimestamp"];
const maps = ["labels", "annotations"];
const lists = ["managedFields", "ownerReferences", "finalizers"];

/** What other code takes for granted of an object that was stored. */
function metadataProblems(metadata: unknown): readonly string[] {
  const values = (names: readonly string[]): readonly [string, unknown][] =>
    names
      .map((name): [string, unknown] => [name, own(metadata, name)])
      .filter(([, value]) => value !== undefined && value !== null);
  return [
    ...values(texts).flatMap(([name, value]) => notText(name, value)),
    ...values(maps).flatMap(([name, value]) =>
      isObject(value)
        ? Object.entries(value).flatMap(([key, one]) => notText(`${name}.${key}`, one))
        : [`metadata.${name} is no map`],
    ),
    ...values(lists).flatMap(([name, value]) =>
      Array.isArray(value) ? [] : [`metadata.${name} is no list`],
    ),
  ];
}

function notText(name: string, value: unknown): readonly string[] {
  return typeof value === "string" ? [] : [`metadata.${name} is no text: put it in quotes`];
}
