/**
 * The JSON of a review. Half of one is its objects' managed fields: who set which field, thousands of
 * small objects that no rule looks at. They are passed over, which takes a quarter of the time.
 */
import { isAscii } from "node:buffer";
import { randomUUID } from "node:crypto";
import { getPath, getOwn } from "../../plugin/domain/values";

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

const key = '"managedFields":';
/** Nobody can send it, so it stands where something was left out and nowhere else. */
const leftOut = randomUUID();

/** What JSON.parse makes of UTF-8, without the managed fields of a review's objects; throws as that does. */
export function parseReviewJson(bytes: Buffer): unknown {
  const { short, count } = leaveOut(bytes);
  const review: unknown = JSON.parse(short);
  return countOf(review) === count ? review : JSON.parse(bytes.toString("utf8"));
}

interface Shortened {
  readonly short: string;
  /** How often something was left out. */
  readonly count: number;
}

function leaveOut(bytes: Buffer): Shortened {
  const text = bytes.toString("latin1"); // a character for each byte
  const part = isAscii(bytes)
    ? (from: number, to?: number) => text.slice(from, to)
    : (from: number, to?: number) => bytes.toString("utf8", from, to);
  let [short, count, done] = ["", 0, 0];
  let last: Span | undefined;
  for (let found = text.indexOf(key); found >= 0; found = text.indexOf(key, done)) {
    const start = found + key.length;
    // behind a backslash the key would begin within a text
    const end = bytes[found - 1] === backslash ? -1 : endOfFields(bytes, start, last);
    last = { start, end };
    if (end < 0) return { short: part(0), count: 0 };
    short += `${part(done, start)}"${leftOut}"`;
    count += 1;
    done = end;
  }
  return { short: short + part(done), count };
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** An edit seldom changes who sets what: the second object's fields are mostly the first one's again. */
function endOfFields(bytes: Buffer, start: number, last: Span | undefined): number {
  if (last !== undefined) {
    const end = start + last.end - last.start;
    const fits = end <= bytes.length;
    if (fits && bytes.compare(bytes, last.start, last.end, start, end) === 0) return end;
  }
  return endOfValue(bytes, start);
}

/** How often where it may be: what a user calls the same elsewhere has to stay. */
function countOf(review: unknown): number {
  const request = getOwn(review, "request");
  return ["object", "oldObject"].filter(
    (name) => getPath(request, [name, "metadata", "managedFields"]) === leftOut,
  ).length;
}

/** What may follow a backslash, without the escapes by number. */
const escapes = Buffer.from('"\\/bfnrt');
const deepest = 32;

/**
 * Where the value ends that begins at a position, without making anything of it: objects, lists and
 * texts alone, as more is not needed. The bytes have to be UTF-8. What it passes over is JSON to the
 * letter; -1 for anything else, which is left to the parser.
 */
function endOfValue(bytes: Uint8Array, at: number, depth = deepest): number {
  const code = bytes[at];
  if (code === quote) return endOfText(bytes, at + 1);
  if (depth === 0) return -1;
  if (code === openBrace) return endOfMembers(bytes, at + 1, { close: closeBrace, depth });
  if (code === openBracket) return endOfMembers(bytes, at + 1, { close: closeBracket, depth });
  return -1;
}

interface Within {
  readonly close: number;
  readonly depth: number;
}

function endOfMembers(bytes: Uint8Array, start: number, { close, depth }: Within): number {
  if (bytes[start] === close) return start + 1;
  for (let at = start; ; at += 1) {
    if (close === closeBrace) at = endOfKey(bytes, at);
    if (at >= 0) at = endOfValue(bytes, at, depth - 1);
    if (at < 0) return -1;
    const code = bytes[at];
    if (code === close) return at + 1;
    if (code !== comma) return -1;
  }
}

/** From the first quote to behind the colon. */
function endOfKey(bytes: Uint8Array, start: number): number {
  const end = bytes[start] === quote ? endOfText(bytes, start + 1) : -1;
  return end >= 0 && bytes[end] === colon ? end + 1 : -1;
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
