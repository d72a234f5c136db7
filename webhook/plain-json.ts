/**
 * Finds the end of a JSON value without making anything of it: of objects, lists and texts alone, for
 * more is not needed. The bytes have to be UTF-8. What it passes over is JSON to the letter; at anything else it gives up.
 */

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/** What may follow a backslash, without the escapes by number. */
const escapes = Buffer.from('"\\/bfnrt');
const deepest = 32;

/** Where the value ends that begins at a position; -1 for one that is left to the parser. */
export function endOfValue(bytes: Uint8Array, at: number, depth = deepest): number {
  const code = bytes[at];
  if (code === quote) return endOfText(bytes, at + 1);
  if (depth === 0) return -1;
  if (code === openBrace) return endOfObject(bytes, at + 1, depth - 1);
  return code === openBracket ? endOfList(bytes, at + 1, depth - 1) : -1;
}

function endOfObject(bytes: Uint8Array, start: number, depth: number): number {
  if (bytes[start] === closeBrace) return start + 1;
  for (let at = start; ; at += 1) {
    if (bytes[at] !== quote) return -1;
    at = endOfText(bytes, at + 1);
    if (at < 0 || bytes[at] !== colon) return -1;
    at = endOfValue(bytes, at + 1, depth);
    if (at < 0) return -1;
    const code = bytes[at];
    if (code === closeBrace) return at + 1;
    if (code !== comma) return -1;
  }
}

function endOfList(bytes: Uint8Array, start: number, depth: number): number {
  if (bytes[start] === closeBracket) return start + 1;
  for (let at = start; ; at += 1) {
    at = endOfValue(bytes, at, depth);
    if (at < 0) return -1;
    const code = bytes[at];
    if (code === closeBracket) return at + 1;
    if (code !== comma) return -1;
  }
}

/** From behind the first quote to behind the last one. */
function endOfText(bytes: Uint8Array, start: number): number {
  for (let at = start; ; at += 1) {
    const code = bytes[at];
    if (code === quote) return at + 1;
    if (code === backslash) {
      at += 1;
      if (!escapes.includes(bytes[at] ?? 0)) return -1;
    } else if (code === undefined || code < 0x20) {
      return -1; // a control character, or the text is over
    }
  }
}
