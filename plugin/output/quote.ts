/** Commands for a person to copy, quoted for a POSIX shell. */
import { publicWords } from "../domain/public-words";
import { isUnsafe } from "./escape";

/** One word of a shell command. */
export function quote(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word) && !/^=/.test(word)) return word;
  if (isUnsafe(word)) return ansiQuote(word);
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A whole command, without what of it must not be shown. */
export function quoteCommand(words: readonly string[]): string {
  return publicWords(words).map(quote).join(" ");
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
