/**
 * `-o jsonpath=TEMPLATE` and `-o custom-columns=NAME:PATH,…`, as kubectl reads them, over the document
 * that `-o json` prints. Paths are those of RFC 9535, with kubectl's `\.` for a dot in a name.
 */
import { compile, JSONPathError, type JSONPathQuery } from "json-p3";
import type { Report } from "../kernel/report";
import { escape, renderTable } from "./escape";
import type { TemplateForm } from "../domain/base/output-form";

/** The text of a report. Throws TemplateError for a template that cannot be read. */
export function compileForm(form: TemplateForm): (report: Report) => string {
  const template = form.slice(form.indexOf("=") + 1);
  if (form.startsWith("custom-columns=")) return compileColumns(template);
  const nodes = parseTemplate(template);
  return (report) => renderNodes(nodes, plain(report));
}

/** What cannot be read of a template, in one sentence. */
export class TemplateError extends Error {}

type Json = Parameters<JSONPathQuery["query"]>[0];

type Node =
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "path"; readonly path: JSONPathQuery }
  | { readonly is: "range"; readonly path: JSONPathQuery; readonly nodes: readonly Node[] };

/** The document as it is printed: without what is undefined. */
const plain = (report: Report): Json => JSON.parse(JSON.stringify(report)) as Json;

/** Text, and between braces: paths, quoted text, `range PATH` and `end`. */
function parseTemplate(template: string): readonly Node[] {
  const top: Node[] = [];
  const open: Node[][] = [top];
  for (const { text, action } of splitTemplate(template)) {
    const nodes = open.at(-1) ?? top;
    const range = /^range\s+(\S.*)$/s.exec(action ?? "");
    if (action === undefined) nodes.push({ is: "text", text });
    else if (range !== null) {
      const inner: Node[] = [];
      nodes.push({ is: "range", path: compilePath(range[1] ?? ""), nodes: inner });
      open.push(inner);
    } else if (action === "end") {
      if (open.length === 1) throw new TemplateError("{end} is without its {range}");
      open.pop();
    } else nodes.push(parseAction(action));
  }
  if (open.length > 1) throw new TemplateError("{range} is without its {end}");
  return top;
}

/** A part of a template: what stands between braces, or the text outside of them. */
interface TemplatePart {
  readonly text: string;
  readonly action?: string;
}

function splitTemplate(template: string): readonly TemplatePart[] {
  const braces = /\{((?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^{}"'])*)\}/g;
  const parts: TemplatePart[] = [];
  let from = 0;
  for (const match of template.matchAll(braces)) {
    parts.push({ text: template.slice(from, match.index) });
    parts.push({ text: match[0], action: (match[1] ?? "").trim() });
    from = match.index + match[0].length;
  }
  parts.push({ text: template.slice(from) });
  const stray = parts.find(({ text, action }) => action === undefined && /[{}]/.test(text));
  if (stray !== undefined) throw new TemplateError(`a brace has no other in ${quote(stray.text)}`);
  return parts.filter(({ text }) => text !== "");
}

function parseAction(action: string): Node {
  const [, double, single] = /^(?:"(.*)"|'(.*)')$/s.exec(action) ?? [];
  const quoted = double ?? single;
  return quoted === undefined
    ? { is: "path", path: compilePath(action) }
    : { is: "text", text: unescape(quoted) };
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

const unescape = (text: string): string =>
  text.replaceAll(/\\(?:u([0-9a-f]{4})|(.))/gis, (_, code?: string, letter = "") =>
    code === undefined
      ? (escapes[String(letter)] ?? String(letter))
      : String.fromCharCode(Number.parseInt(code, 16)),
  );

/** `.a`, `a`, `$.a` and `@.a` are the same: each is read from where it stands. */
function compilePath(typed: string): JSONPathQuery {
  const path = typed.replace(/^[$@]/, "");
  const rooted = /^[.[]/.test(path) || path === "" ? path : `.${path}`;
  const escaped = rooted.replaceAll(
    /\[(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\]])*\]|\.((?:[^.[\s\\]|\\.)+)/g,
    (part, name: string | undefined) =>
      /[\\/]/.test(name ?? "") ? `[${quote(unescape(name ?? ""))}]` : part,
  );
  try {
    return compile(`$${escaped === "." ? "" : escaped}`);
  } catch (error) {
    if (!(error instanceof JSONPathError)) throw error;
    throw new TemplateError(`${quote(typed)} is not a path: ${error.message}`);
  }
}

const quote = (text: string): string => JSON.stringify(text);

function renderNodes(nodes: readonly Node[], value: Json): string {
  return nodes.map((node) => renderNode(node, value)).join("");
}

function renderNode(node: Node, value: Json): string {
  if (node.is === "text") return node.text;
  const found = find(node.path, value);
  if (node.is === "path") return found.map(renderValue).join(" ");
  return found.map((one) => renderNodes(node.nodes, one)).join("");
}

const find = (path: JSONPathQuery, value: Json): readonly Json[] => path.query(value).values();

/** A text without quotes, anything else as JSON. */
const renderValue = (value: Json): string =>
  escape(typeof value === "string" ? value : JSON.stringify(value));

/** A column, with its path below the rows. */
interface Column {
  readonly name: string;
  readonly path: JSONPathQuery;
}

/**
 * One row for each element of the list that all columns begin with (`.findings[*]`), else one row.
 */
function compileColumns(spec: string): (report: Report) => string {
  const typed = spec.split(/,(?=[^,:]*:)/).map((one) => {
    const at = one.indexOf(":");
    if (at < 1 || at === one.length - 1) {
      throw new TemplateError(`${quote(one)} is not NAME:PATH`);
    }
    return { name: one.slice(0, at).trim(), path: one.slice(at + 1).trim() };
  });
  const lists = new Set(typed.map(({ path }) => path.slice(0, path.lastIndexOf("[*]") + 3)));
  const [list = ""] = lists;
  const isOneList = lists.size === 1 && list.endsWith("[*]");
  const rows = compilePath(isOneList ? list : ".");
  const columns = typed.map(({ name, path }): Column => {
    const below = isOneList ? path.slice(list.length) : path;
    return { name, path: compilePath(below === "" ? "." : below) };
  });
  return (report) => {
    const header = columns.map(({ name }) => escape(name));
    const lines = find(rows, plain(report)).map((row) =>
      columns.map(({ path }) => find(path, row).map(renderValue).join(",") || "<none>"),
    );
    return `${renderTable(header, lines, { gap: 3 }).join("\n")}\n`;
  };
}
