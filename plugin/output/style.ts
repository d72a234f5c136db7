/** Colour, where a person sees it; no meaning rests on it. */

type Paint = (text: string) => string;

/** The few colours in use; each gives the text back as it is where colour is off. */
export interface Palette {
  readonly good: Paint;
  readonly warn: Paint;
  readonly bad: Paint;
  readonly faint: Paint;
  readonly strong: Paint;
}

/** What decides about colour. */
export interface ColorWish {
  readonly color: "auto" | "always" | "never";
  readonly terminal: boolean;
  readonly env: NodeJS.ProcessEnv;
}

/** Whether to colour: a flag decides alone, else a terminal without NO_COLOR (no-color.org). */
export function wantsColor({ color, terminal, env }: ColorWish): boolean {
  if (color !== "auto") return color === "always";
  const refused = (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
  return terminal && !refused;
}

/** The palette for a stream that does or does not take colour. */
export function palette(colored: boolean): Palette {
  const paint = (code: number): Paint =>
    colored ? (text) => `\u001b[${code}m${text}\u001b[0m` : (text) => text;
  return { good: paint(32), warn: paint(33), bad: paint(31), faint: paint(2), strong: paint(1) };
}

/** Whether a stream is a terminal. */
export function isTerminal(stream: unknown): boolean {
  return (
    typeof stream === "object" && stream !== null && "isTTY" in stream && stream.isTTY === true
  );
}
