/** Words of a shell command, and which characters of a text must not reach a terminal as they are. */

/** Control characters, bidirectional marks, invisible and line-separating ones, tags, lone surrogates. */
export const unsafe =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\p{Cs}]/gu;

/** Whether a text has something to escape. */
export function isUnsafe(text: string): boolean {
  return text.search(unsafe) >= 0;
}

/** One word of a shell command. */
export function quote(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word) && !/^=/.test(word)) return word;
  if (isUnsafe(word)) return ansiQuote(word);
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * `$'…'` for words with control characters, which must not reach a terminal as they are; bash, zsh
 * and POSIX.1-2024 shells know it. Bytes in octal, since \u is not everywhere.
 */
function ansiQuote(word: string): string {
  const bytes = [...Buffer.from(word, "utf8")];
  const quoted = bytes.map((byte) => {
    const character = String.fromCharCode(byte);
    return /[\w@%+=:,./ -]/.test(character) && byte < 0x80
      ? character
      : `\\${byte.toString(8).padStart(3, "0")}`;
  });
  return `$'${quoted.join("")}'`;
}
