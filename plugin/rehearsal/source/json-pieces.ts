/** Several JSON values in one text, one after the other, as several runs of kubectl write them. */

/** Complete values as text, and what comes after the last of them. */
export interface JsonPieces {
  readonly pieces: readonly string[];
  /** "cut": a value begins and does not end; "other": text that is no JSON object or array. */
  readonly rest: "none" | "cut" | "other";
}

/** Splits by brackets alone, in one pass; whether a piece is JSON is for the parser to say. */
export function jsonPieces(text: string): JsonPieces {
  const pieces: string[] = [];
  let [from, depth] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') at = endOfString(text, at);
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") {
      depth -= 1;
      if (depth === 0) {
        pieces.push(text.slice(from, at + 1));
        from = at + 1;
      }
    }
  }
  return { pieces, rest: restOf(text.slice(from), depth) };
}

function restOf(text: string, depth: number): JsonPieces["rest"] {
  if (text.trim() === "") return "none";
  return depth > 0 ? "cut" : "other";
}

/** Where the string that begins here ends: its closing quote, else the text's end. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    if (!isEscaped(text, at)) return at;
  }
  return text.length;
}

/** An odd number of backslashes before a quote. */
function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text.charAt(before - 1) === "\\") before -= 1;
  return (at - before) % 2 === 1;
}
