/** Documents into objects, as the rehearsal needs them: every one complete. */
import {
  splitDocuments,
  openItems,
  type TextProblem,
} from "../../adapters/kubernetes/text/documents";
import { asString, getOwn, isObject } from "../../domain/base/values";
import type { KubeObject } from "../../domain/kube/objects";

/** Who is told what stands against reading a text, and what else lies in its folder. */
interface Listener {
  readonly problem: (text: string) => void;
  /** Absent where the text itself was named: everything in it is meant. */
  readonly passOver?: (text: string) => void;
}

/** The objects of one text; every problem is told with the place and the name that it has. */
export function readObjects(
  content: string,
  name: string,
  { problem, passOver }: Listener,
): readonly KubeObject[] {
  const objects: KubeObject[] = [];
  for (const document of splitDocuments(content, "refused in YAML")) {
    const where = `${name}, document ${document.number}`;
    if ("problems" in document) {
      for (const one of document.problems) problem(`${where}: ${renderProblem(one)}`);
      continue;
    }
    if (passOver !== undefined && isOther(document.value)) {
      passOver(`${where} is passed over: it is no object of a cluster`);
      continue;
    }
    for (const { value, path } of openItems({ value: document.value, path: [] })) {
      const items = path.flatMap((key) => (typeof key === "number" ? [`, item ${key + 1}`] : []));
      const wrong = findProblems(value);
      for (const what of wrong) problem(`${where}${items.join("")}${nameDocument(value)}: ${what}`);
      if (wrong.length === 0) objects.push(value as KubeObject);
    }
  }
  return objects;
}

/** What a folder of a repository holds besides: values, patches, a package, what Kustomize builds from. */
function isOther(value: unknown): boolean {
  const group = asString(getOwn(value, "apiVersion"))?.split("/")[0];
  if (group === "kustomize.config.k8s.io") return true;
  const isPart = Array.isArray(getOwn(value, "items"));
  return asString(getOwn(value, "kind")) === undefined && !isPart;
}

function renderProblem({ what, at, cut }: TextProblem): string {
  if (at === undefined) return cut === true ? `${what}: write the dump again` : what;
  const where = `it is neither YAML nor JSON, in line ${at.line}`;
  return `${where}: ${what} (cut off? then write the dump again)`;
}

/** The object's own words, as far as it has them. */
function nameDocument(value: unknown): string {
  const metadata = getOwn(value, "metadata");
  const name = asString(getOwn(metadata, "name"));
  const namespace = asString(getOwn(metadata, "namespace"));
  const kind = asString(getOwn(value, "kind"));
  if (kind === undefined && name === undefined) return "";
  const path = [namespace, name].filter((part) => part !== undefined).join("/");
  return `, ${kind ?? "an object"}${path === "" ? "" : ` ${path}`}`;
}

function findProblems(value: unknown): readonly string[] {
  if (!isObject(value)) return ["it is not an object: remove it, or write the dump again"];
  if (Array.isArray(getOwn(value, "items")) && asString(getOwn(value, "kind")) === undefined) {
    return ["it is a list without its end (cut off?): write the dump again"];
  }
  const metadata = getOwn(value, "metadata");
  const missing = [
    ...(asString(getOwn(value, "apiVersion")) === undefined ? ["apiVersion"] : []),
    ...(asString(getOwn(value, "kind")) === undefined ? ["kind"] : []),
    ...(asString(getOwn(metadata, "name")) === undefined ? ["metadata.name"] : []),
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
      .map((name): [string, unknown] => [name, getOwn(metadata, name)])
      .filter(([, value]) => value !== undefined && value !== null);
  return [
    ...values(texts).flatMap(([name, value]) => notText(name, value)),
    ...values(maps).flatMap(([name, value]) =>
      isObject(value)
        ? Object.entries(value).flatMap(([key, one]) => notText(`${name}.${key}`, one))
        : [`metadata.${name} is no map`],
    ),
    ...values(lists).flatMap(([name, value]) =>
      Array.isArray(value) ? [] : [`metadata.${name} is not a list`],
    ),
  ];
}

function notText(name: string, value: unknown): readonly string[] {
  return typeof value === "string" ? [] : [`metadata.${name} is not a text: put it in quotes`];
}
