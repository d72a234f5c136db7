/** The line of one review, written by hand: every review has one, and a logger takes longer than the rules. */

/** What JSON writes otherwise than as it is. */
const special = /["\\\u0000-\u001f\u007f-\uffff]/;

let lastMs = 0;
let lastTime = "";

/** The parts of a line as JSON, the time first and the message last, as all lines of the log are. */
export function reviewLine(parts: readonly Readonly<Record<string, unknown>>[]): string {
  let line = `{"level":"info","time":"${timeNow()}"`;
  for (const part of parts) line += membersOf(part);
  return `${line},"message":"review"}\n`;
}

function membersOf(part: Readonly<Record<string, unknown>>): string {
  let members = "";
  for (const name in part) {
    const value = part[name];
    if (value !== undefined) members += `,"${name}":${textOf(value)}`;
  }
  return members;
}

function textOf(value: unknown): string {
  if (typeof value === "string") return special.test(value) ? JSON.stringify(value) : `"${value}"`;
  const isPlain = typeof value === "number" || typeof value === "boolean";
  return isPlain ? String(value) : JSON.stringify(value);
}

/** Many reviews share a millisecond. */
function timeNow(): string {
  const now = Date.now();
  if (now !== lastMs) {
    lastMs = now;
    lastTime = new Date(now).toISOString();
  }
  return lastTime;
}
