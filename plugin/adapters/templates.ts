/** Files that a renderer has to make manifests of before anybody can read them (Helm, Jinja, ERB, …). */
import { stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { TextPlace } from "./kubernetes/text/documents";
import { isObject } from "../domain/base/values";

/** Quoted texts, comments and blocks of text, in which marks mean nothing here; then the marks. */
const passedOrMark = new RegExp(
  [
    /(?<=^|[\s,[{:(])"(?:[^"\\]|\\[^])*"/,
    /(?<=^|[\s,[{:(])'[^']*'/,
    /(?<=^|\s)#.*/,
    /^( *)(?:\S.*[\s:])?[|>][-+\d]*[ \t]*\r?\n(?:(?:\1 .*|[ \t]*)(?:\r?\n|$(?![^])))*/,
    /(\{\{|\{%|<%|\$\{)/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gm",
);

/** Where a text that cannot be read as YAML has the first mark of a template; undefined for a mistake in YAML. */
export function templateMark(text: string): TextPlace | undefined {
  if (!/\{\{|\{%|<%|\$\{/.test(text)) return undefined;
  for (const { index, 2: mark } of text.matchAll(passedOrMark)) {
    if (mark === undefined) continue;
    const before = text.slice(0, index).split("\n");
    return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
  }
  return undefined;
}

/** Whether a value of the text is `key: {{ .Values.x }}`, which is read as a map that is the key of a map. */
export function mapAsKeyIn(text: string): (value: unknown) => boolean {
  // looked for once: a text may have very many documents
  const hasMarks = text.includes("{{");
  return (value) => hasMarks && holdsMapAsKey(value);
}

function holdsMapAsKey(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsMapAsKey);
  if (!isObject(value)) return false;
  return Object.entries(value).some(([key, inner]) => key === mapAsKey || holdsMapAsKey(inner));
}

/** What js-yaml makes of such a key. */
const mapAsKey = "[object Object]";

/** The folder of the Helm chart that a file belongs to, as a person at the command line calls it. */
export async function findChart(file: string): Promise<string | undefined> {
  let folder = dirname(resolve(file));
  while (dirname(folder) !== folder) {
    const chart = await stat(join(folder, "Chart.yaml")).catch(() => undefined);
    if (chart?.isFile() === true) return isAbsolute(file) ? folder : relative("", folder) || ".";
    folder = dirname(folder);
  }
  return undefined;
}
