/** Bytes of a file or stream into text, as kubectl decodes them: by the byte order mark, else UTF-8. */

const marks = [
  { encoding: "utf-16le", bytes: [0xff, 0xfe] },
  { encoding: "utf-16be", bytes: [0xfe, 0xff] },
] as const;

/**
 * The text without its byte order mark. Bytes that are no text in UTF-8 become U+FFFD, or, where
 * `fatal`, a TypeError with the code ERR_ENCODING_INVALID_ENCODED_DATA.
 */
export function decodeText(bytes: Uint8Array, fatal = false): string {
  const marked = marks.find((mark) => mark.bytes.every((byte, at) => bytes[at] === byte));
  return new TextDecoder(marked?.encoding ?? "utf-8", { fatal }).decode(bytes);
}

/** The text as bytes, with the encoding and the byte order mark of others. */
export function encodeLike(text: string, like: Uint8Array): Uint8Array {
  const encoding = marks.find((mark) =>
    mark.bytes.every((byte, at) => like[at] === byte),
  )?.encoding;
  const isMarked =
    encoding !== undefined || [0xef, 0xbb, 0xbf].every((byte, at) => like[at] === byte);
  const written = isMarked ? `\uFEFF${text}` : text;
  const bytes = Buffer.from(written, encoding === undefined ? "utf8" : "utf16le");
  return encoding === "utf-16be" ? bytes.swap16() : bytes;
}

/** Why a text that was decoded as UTF-8 is none; undefined where nothing is against it. */
export function findEncodingProblem(text: string): string | undefined {
  return /^(\0|[^\0]\0)/.test(text)
    ? "it is UTF-16 without a byte order mark: write it as UTF-8"
    : undefined;
}
