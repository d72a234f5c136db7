/** DER as Go's cryptobyte reads it: lengths and numbers in their shortest form, nothing else. */

/** What is not the DER that was expected; the message is Go's. */
export class Malformed extends Error {}

/** Tags of ASN.1, class and form included. */
export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  sequence: 0x30,
  set: 0x31,
} as const;

/** A tag of the context class: [n]. */
export const context = (n: number): number => 0x80 | n;
/** The same around other elements. */
export const constructTag = (n: number): number => 0xa0 | n;

/** One element: its content, and its bytes as a whole. */
export interface Element {
  readonly tag: number;
  readonly content: Buffer;
  readonly whole: Buffer;
}

/** Reads elements one after another; each method throws Malformed with the words that it is given. */
export class DerReader {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  get isEmpty(): boolean {
    return this.at >= this.bytes.length;
  }

  nextIs(tag: number): boolean {
    return this.bytes[this.at] === tag;
  }

  any(problem: string): Element {
    const element = elementAt(this.bytes, this.at);
    if (element === undefined) throw new Malformed(problem);
    this.at += element.whole.length;
    return element;
  }

  element(tag: number, problem: string): Element {
    const element = this.any(problem);
    if (element.tag !== tag) throw new Malformed(problem);
    return element;
  }

  content(tag: number, problem: string): Buffer {
    return this.element(tag, problem).content;
  }

  inside(tag: number, problem: string): DerReader {
    return new DerReader(this.content(tag, problem));
  }

  optional(tag: number, problem: string): Buffer | undefined {
    return this.nextIs(tag) ? this.content(tag, problem) : undefined;
  }

  /** A whole number of any size. */
  integer(problem: string, tag: number = tags.integer): bigint {
    const bytes = this.content(tag, problem);
    const [first, second = 0] = bytes;
    const isLong =
      bytes.length > 1 &&
      ((first === 0 && (second & 0x80) === 0) || (first === 0xff && (second & 0x80) !== 0));
    if (first === undefined || isLong) throw new Malformed(problem);
    return BigInt.asIntN(bytes.length * 8, BigInt(`0x${bytes.toString("hex")}`));
  }

  boolean(problem: string): boolean {
    const bytes = this.content(tags.boolean, problem);
    const [value] = bytes;
    if (bytes.length !== 1 || (value !== 0 && value !== 0xff)) throw new Malformed(problem);
    return value === 0xff;
  }

  /** In dotted form. */
  oid(problem: string): string {
    const numbers = oidNumbers(this.content(tags.oid, problem));
    if (numbers === undefined) throw new Malformed(problem);
    return numbers.join(".");
  }

  /** The bytes of a bit string; `bits` counts from the most significant one. */
  bitString(problem: string): { readonly bytes: Buffer; readonly bits: number } {
    const content = this.content(tags.bitString, problem);
    const padding = content[0] ?? 8;
    const bytes = content.subarray(1);
    const last = bytes.at(-1) ?? 0;
    const isWrong = padding > 7 || (bytes.length === 0 && padding !== 0);
    if (isWrong || (last & ((1 << padding) - 1)) !== 0) throw new Malformed(problem);
    return { bytes, bits: bytes.length * 8 - padding };
  }
}

function elementAt(bytes: Buffer, at: number): Element | undefined {
  const tag = bytes[at];
  const header = headerAt(bytes, at + 1);
  if (tag === undefined || (tag & 0x1f) === 0x1f || header === undefined) return undefined;
  const start = at + 1 + header.size;
  const end = start + header.length;
  if (end > bytes.length) return undefined;
  return { tag, content: bytes.subarray(start, end), whole: bytes.subarray(at, end) };
}

function headerAt(
  bytes: Buffer,
  at: number,
): { readonly size: number; readonly length: number } | undefined {
  const first = bytes[at];
  if (first === undefined) return undefined;
  if (first < 0x80) return { size: 1, length: first };
  const count = first & 0x7f;
  if (count === 0 || count > 4 || at + 1 + count > bytes.length) return undefined;
  const length = bytes.readUIntBE(at + 1, count);
  const isShortest = length >= 0x80 && length >= 2 ** (8 * (count - 1));
  return isShortest ? { size: 1 + count, length } : undefined;
}

function oidNumbers(content: Buffer): readonly number[] | undefined {
  const parts: number[] = [];
  let value = 0;
  let isInside = false;
  for (const byte of content) {
    if (!isInside && byte === 0x80) return undefined;
    value = value * 128 + (byte & 0x7f);
    if (value > 0x7fffffff) return undefined;
    isInside = (byte & 0x80) !== 0;
    if (isInside) continue;
    parts.push(value);
    value = 0;
  }
  const [first, ...others] = parts;
  if (isInside || first === undefined) return undefined;
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - 40 * root, ...others];
}
