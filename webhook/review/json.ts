/**
 * JSON of which a few fields are read: the rest is checked and passed over, which takes a fifth of the
 * time of making values of it. What a review is about is a hundredth of it, wherever its bulk may be.
 */

/** A key that is read: its whole value, or some of the members of it. */
export interface ReadField {
  /** In UTF-8, and its closing quote. */
  readonly key: Buffer;
  readonly members?: readonly ReadField[];
}

/** The fields at some paths; a path that leads on from the end of another one says nothing. */
export function readFields(paths: readonly (readonly string[])[]): readonly ReadField[] {
  const [keys, ends] = [new Set<string>(), new Set<string>()];
  for (const [first = "", ...more] of paths) {
    keys.add(first);
    if (more.length === 0) ends.add(first);
  }
  return [...keys].map((name) => {
    const key = Buffer.from(`${name}"`);
    if (ends.has(name)) return { key };
    const below = paths.filter(([first]) => first === name).map(([, ...more]) => more);
    return { key, members: readFields(below) };
  });
}

/**
 * JSON with nothing but the fields, in the order and as often as in the bytes, which have to be UTF-8;
 * they are overwritten with it. What is no object where members are wanted is kept as it is. Throws a
 * SyntaxError for what JSON.parse would not take, wherever it is.
 */
export function keepFields(bytes: Buffer, fields: readonly ReadField[]): Buffer {
  const pass = new Pass(bytes);
  pass.value(0, fields);
  if (endOfBlank(bytes, pass.at) < bytes.length) throw new SyntaxError("more than one value");
  return bytes.subarray(0, pass.length);
}

const [quote, backslash, comma, colon, lowerU] = [0x22, 0x5c, 0x2c, 0x3a, 0x75];
const [openBrace, closeBrace, openBracket] = [0x7b, 0x7d, 0x5b];
const [minus, plus, point, zero, lowerE] = [0x2d, 0x2b, 0x2e, 0x30, 0x65];

/** One pass over the bytes. What is kept is never longer than what was read, so it is put in its place. */
class Pass {
  /** Where the part that was read ends, and how long the part is that was kept. */
  at = 0;
  length = 0;

  constructor(private readonly bytes: Buffer) {}

  /** Keeps a value, or some members of it. */
  value(start: number, members: readonly ReadField[] | undefined): void {
    const from = endOfBlank(this.bytes, start);
    if (members !== undefined && this.bytes[from] === openBrace) this.object(from + 1, members);
    else this.keep(from, this.pass(from));
  }

  private object(start: number, members: readonly ReadField[]): void {
    const { bytes } = this;
    this.put(openBrace);
    const begin = this.length;
    this.at = endOfBlank(bytes, start);
    if (bytes[this.at] === closeBrace) this.at += 1;
    else {
      do {
        this.member(endOfBlank(bytes, this.at), members, this.length > begin);
        this.at = endOfBlank(bytes, this.at) + 1;
      } while (bytes[this.at - 1] === comma);
      if (bytes[this.at - 1] !== closeBrace) throw new SyntaxError("an object is not closed");
    }
    this.put(closeBrace);
  }

  private member(from: number, members: readonly ReadField[], isNext: boolean): void {
    const end = requireWellFormed(endOfKey(this.bytes, from));
    const field = fieldAt(this.bytes, { from, end }, members);
    if (field === undefined) this.pass(end);
    else {
      if (isNext) this.put(comma);
      this.keep(from, end);
      this.value(end, field.members);
    }
  }

  /** The end of a value. */
  private pass(from: number): number {
    this.at = requireWellFormed(endOfValue(this.bytes, from));
    return this.at;
  }

  private keep(from: number, to: number): void {
    const { bytes } = this;
    let { length } = this;
    for (let at = from; at < to; at += 1) bytes[length++] = bytes[at] ?? 0;
    this.length = length;
  }

  private put(code: number): void {
    this.bytes[this.length] = code;
    this.length += 1;
  }
}

function requireWellFormed(end: number): number {
  if (end < 0) throw new SyntaxError("not JSON");
  return end;
}

/** The field of a key, with its colon; one that is written with escapes is found by what it says. */
function fieldAt(
  bytes: Buffer,
  { from, end }: { readonly from: number; readonly end: number },
  fields: readonly ReadField[],
): ReadField | undefined {
  const first = bytes[from + 1];
  for (const field of fields) {
    if (field.key[0] === first && isAt(bytes, from + 1, field.key)) return field;
  }
  let at = from;
  while (at < end && bytes[at] !== backslash) at += 1;
  if (at === end) return undefined;
  const text = bytes.toString("utf8", from, bytes.lastIndexOf(quote, end - 1) + 1);
  const key = Buffer.from(`${JSON.parse(text) as string}"`);
  return fields.find((field) => field.key.equals(key));
}

function isAt(bytes: Buffer, from: number, word: Buffer): boolean {
  for (let at = 0; at < word.length; at += 1) if (bytes[from + at] !== word[at]) return false;
  return true;
}

/*
 * Where something ends that begins at a position, or -1 for what is not JSON to the letter. Behind the
 * last byte there is no value, which is like none of those that are looked for.
 */

/** A value with all that is in it, at any depth. */
function endOfValue(bytes: Buffer, start: number): number {
  const first = bytes[start];
  if (first !== openBrace && first !== openBracket && !isBlank(first))
    return endOfScalar(bytes, start);
  /** What closes the objects and lists that are open, the innermost last. */
  const open: number[] = [];
  let at = start;
  do {
    at = endOfBlank(bytes, at);
    const code = bytes[at];
    const isOpening = code === openBrace || code === openBracket;
    at = isOpening ? findBegin(bytes, at, open) : endOfOpen(bytes, endOfScalar(bytes, at), open);
  } while (at >= 0 && open.length > 0);
  return at;
}

/** From an opening bracket: the first value in it begins at the end, or it is over already. */
function findBegin(bytes: Buffer, start: number, open: number[]): number {
  const close = (bytes[start] ?? 0) + 2; // both brackets close two code points further
  const at = endOfBlank(bytes, start + 1);
  if (bytes[at] === close) return endOfOpen(bytes, at + 1, open);
  open.push(close);
  return close === closeBrace ? endOfKey(bytes, at) : at;
}

/** Behind a value: what ends there is taken away, and the next value begins at the end. */
function endOfOpen(bytes: Buffer, start: number, open: number[]): number {
  let at = start;
  while (at >= 0 && open.length > 0) {
    const close = open[open.length - 1];
    at = endOfBlank(bytes, at) + 1;
    const code = bytes[at - 1];
    if (code === comma) return close === closeBrace ? endOfKey(bytes, endOfBlank(bytes, at)) : at;
    if (code !== close) return -1;
    open.pop();
  }
  return at;
}

/** A key and its colon. */
function endOfKey(bytes: Buffer, start: number): number {
  const end = bytes[start] === quote ? endOfText(bytes, start + 1) : -1;
  if (end < 0) return -1;
  const at = endOfBlank(bytes, end);
  return bytes[at] === colon ? at + 1 : -1;
}

/** A text, from behind its first quote. */
function endOfText(bytes: Buffer, start: number): number {
  let at = start;
  for (;;) {
    const code = bytes[at] ?? 0;
    if (code === quote) return at + 1;
    if (code < 0x20) return -1;
    at += 1;
    if (code === backslash) at = endOfEscape(bytes, at);
    if (at < 0) return -1;
  }
}

/** What may follow a backslash; four digits come behind the last one. */
const escapes = new Set(Buffer.from('"\\/bfnrtu'));

function endOfEscape(bytes: Buffer, at: number): number {
  const code = bytes[at] ?? 0;
  if (code === quote) return at + 1; // mostly, as in an object that is kept as a text
  if (!escapes.has(code)) return -1;
  if (code !== lowerU) return at + 1;
  for (let digit = 1; digit <= 4; digit += 1) if (!isHex(bytes[at + digit] ?? 0)) return -1;
  return at + 5;
}

function isHex(code: number): boolean {
  const letter = code | 0x20;
  return isDigit(code) || (letter >= 0x61 && letter <= 0x66);
}

function isDigit(code = 0): boolean {
  return code >= 0x30 && code <= 0x39;
}

const literals = ["true", "false", "null"].map((word) => Buffer.from(word));

function endOfScalar(bytes: Buffer, start: number): number {
  const code = bytes[start] ?? 0;
  if (code === quote) return endOfText(bytes, start + 1);
  if (code === minus || isDigit(code)) return endOfNumber(bytes, start);
  for (const word of literals) if (isAt(bytes, start, word)) return start + word.length;
  return -1;
}

function endOfNumber(bytes: Buffer, start: number): number {
  let at = bytes[start] === minus ? start + 1 : start;
  at = bytes[at] === zero ? at + 1 : endOfDigits(bytes, at);
  if (at >= 0 && bytes[at] === point) at = endOfDigits(bytes, at + 1);
  if (at < 0 || ((bytes[at] ?? 0) | 0x20) !== lowerE) return at;
  const isSigned = bytes[at + 1] === plus || bytes[at + 1] === minus;
  return endOfDigits(bytes, at + (isSigned ? 2 : 1));
}

/** One at least. */
function endOfDigits(bytes: Buffer, start: number): number {
  let at = start;
  while (isDigit(bytes[at])) at += 1;
  return at > start ? at : -1;
}

function endOfBlank(bytes: Buffer, start: number): number {
  let at = start;
  while (isBlank(bytes[at])) at += 1;
  return at;
}

function isBlank(code = 0): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
