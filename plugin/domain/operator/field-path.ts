/** The value at a field path as the API server writes it: `.spec.containers[name="x"].image`. */
import { isObject, list, own, parseJson, sameJson } from "../values";

/** What stands there, undefined where nothing does; a key may itself hold dots. */
export function valueAt(value: unknown, path: string): unknown {
  if (path === "") return value;
  if (path.startsWith("[")) return inList(value, path);
  const rest = path.replace(/^\./, "");
  const keys = isObject(value) ? Object.keys(value) : [];
  const fitting = keys.filter(
    (key) => rest.startsWith(key) && /^($|[.[])/.test(rest.slice(key.length)),
  );
  for (const key of fitting.sort((one, other) => other.length - one.length)) {
    const found = valueAt(own(value, key), rest.slice(key.length));
    if (found !== undefined) return found;
  }
  return undefined;
}

const bracket = /^\[((?:"(?:[^"\\]|\\.)*"|[^\]"])*)\]/;

function inList(value: unknown, path: string): unknown {
  const match = bracket.exec(path);
  if (match === null) return undefined;
  const [whole] = match;
  const inner = whole.slice(1, -1);
  const items = list(value);
  const found = /^\d+$/.test(inner) ? items[Number(inner)] : items.find(isMeant(inner));
  return valueAt(found, path.slice(whole.length));
}

/** `="x"` means the item itself, `name="x",port=1` an item with these keys. */
function isMeant(inner: string): (item: unknown) => boolean {
  if (inner.startsWith("=")) return (item) => sameJson(item, parseJson(inner.slice(1)));
  const pairs = [...inner.matchAll(/([^=,]+)=("(?:[^"\\]|\\.)*"|[^,]*)/g)];
  return (item) =>
    pairs.every(([, key, value]) => {
      const held = own(item, String(key));
      // what a file leaves out the API server fills in
      return held === undefined
        ? isObject(item) && pairs.length > 1
        : sameJson(held, parseJson(String(value)));
    });
}
