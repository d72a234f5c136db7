/**
 * The JSON of a review. Half of one is its objects' managed fields: who set which field, thousands of
 * small objects that no rule looks at. They are passed over, which takes a quarter of the time.
 */
import { isAscii } from "node:buffer";
import { randomUUID } from "node:crypto";
import { at, own } from "../plugin/domain/values";
import { endOfValue } from "./plain-json";

const key = '"managedFields":';
const backslash = 0x5c;
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
  const request = own(review, "request");
  return ["object", "oldObject"].filter(
    (name) => at(request, [name, "metadata", "managedFields"]) === leftOut,
  ).length;
}
