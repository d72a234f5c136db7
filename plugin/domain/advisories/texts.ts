/** Texts of rows with `{…}`, each of which holds an expression; `{{` and `}}` are braces as they are. */
import { type Expression, Unknown, type Values, compile } from "./language";
import type { Concern } from "./vocabulary";

/** A text that was read, with the values in it; one that is not known is said to be unknown. */
export type Template = (values: Values) => string;

/** The text for what a row concerns, else what is wrong with it. */
export function compileText(text: string, concern: Concern): Template | string {
  const pieces: (string | Expression)[] = [];
  for (const piece of split(text)) {
    if ("problem" in piece) return piece.problem;
    if ("text" in piece) pieces.push(piece.text);
    else {
      const read = compile(piece.inner, concern, "text");
      if (typeof read === "string") return `{${piece.inner}}: ${read}`;
      pieces.push(read);
    }
  }
  return (values) => pieces.map((piece) => showPiece(piece, values)).join("");
}

/** Whether a text has an expression in it. */
export function hasHoles(text: string): boolean {
  return split(text).some((piece) => !("text" in piece));
}

/** The expressions in a text. */
export function listHoles(text: string): readonly string[] {
  return split(text).flatMap((piece) => ("inner" in piece ? [piece.inner] : []));
}

/** What a text says beside the values in it. */
export function withoutHoles(text: string): string {
  return split(text)
    .map((piece) => ("text" in piece ? piece.text : ""))
    .join("");
}

function showPiece(piece: string | Expression, values: Values): string {
  if (typeof piece === "string") return piece;
  const value = piece.show(values);
  return value instanceof Unknown ? "(unknown)" : value;
}

type Piece = { readonly text: string } | { readonly inner: string } | { readonly problem: string };

/** Text before a brace, a pair of braces, or what is between two of them; quotes may hold any brace. */
const piece = /([^{}]+)|(\{\{|\}\})|\{((?:[^{}'"]|'[^']*'|"[^"]*")+)\}/y;

function split(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < text.length; at = piece.lastIndex) {
    piece.lastIndex = at;
    const found = piece.exec(text);
    if (found === null)
      return [...pieces, { problem: `the brace at ${text.slice(at, at + 20)} has no other` }];
    const [all, plain, , inner] = found;
    pieces.push(inner === undefined ? { text: plain ?? all.slice(1) } : { inner });
  }
  return pieces;
}
