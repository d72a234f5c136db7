/** A report, or an object of it, as one YAML document; the library is loaded with this module, and only then. */
import { dump } from "js-yaml";
import { replaceUnsafe } from "./escape";

/**
 * The document. js-yaml prints bidirectional and invisible characters as they are; a mark of NULs
 * around their number makes it quote the string, and the mark is then turned into YAML's escape.
 */
export function renderYaml(document: object, sortKeys = false): string {
  const plain: unknown = JSON.parse(JSON.stringify(document));
  const text = dump(markStrings(plain), { lineWidth: -1, noRefs: true, sortKeys });
  return text.replaceAll(/\\0([0-9A-F]{8})\\0/g, "\\U$1");
}

function markStrings(value: unknown): unknown {
  if (typeof value === "string") return mark(value);
  if (Array.isArray(value)) return value.map(markStrings);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [mark(key), markStrings(inner)]),
  );
}

/** C0 characters and line breaks are left to js-yaml, which escapes or folds them itself. */
function mark(text: string): string {
  return replaceUnsafe(text, (code) => {
    if (code < 0x80) return String.fromCharCode(code);
    if (code >= 0xd800 && code <= 0xdfff) return "\ufffd"; // half a character: no YAML has it
    return `\0${code.toString(16).toUpperCase().padStart(8, "0")}\0`;
  });
}
