/** What a command alone has to say, as indented names and values. */
import { escape } from "./escape";

/** Lines of any value: groups indent, lists of plain values stand on one line. */
export function renderDetails(value: unknown, indent = ""): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => renderItem(item, indent));
  if (typeof value !== "object" || value === null) return [`${indent}${plain(value)}`];
  return Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .flatMap(([key, inner]) => renderEntry(label(key), inner, indent));
}

function renderEntry(name: string, value: unknown, indent: string): readonly string[] {
  if (Array.isArray(value) && value.every(isPlain)) {
    return [`${indent}${name}: ${value.length === 0 ? "none" : value.map(plain).join(", ")}`];
  }
  if (isPlain(value)) return [`${indent}${name}: ${plain(value)}`];
  return [`${indent}${name}:`, ...renderDetails(value, `${indent}  `)];
}

function renderItem(item: unknown, indent: string): readonly string[] {
  const [first = "", ...rest] = renderDetails(item, `${indent}  `);
  return [`${indent}- ${first.trimStart()}`, ...rest];
}

function isPlain(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

function plain(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return escape(value);
  return value === null ? "none" : JSON.stringify(value);
}

/** `notAfter` as "Not after". */
function label(key: string): string {
  const words = escape(key).replaceAll(/([a-z])([A-Z])/g, (_, end: string, start: string) => {
    return `${end} ${start.toLowerCase()}`;
  });
  return words.charAt(0).toUpperCase() + words.slice(1);
}
