/** What a terminal showed as a moving picture without a script, in the reader's light or dark colors. */

/** Width of a character and height of a line, in pixels; characters in a line. */
const [wide, high, columns] = [8.5, 19, 110];

/** Seconds: until a typed command is printed in full, between two lines of output, after a command. */
const [typing, printing, reading] = [1.2, 0.12, 1.6];

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

const style = `text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre;fill:#1f2328}
rect{fill:#f6f8fa}.b{font-weight:bold}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}rect{fill:#151b23}}
@keyframes print{from{opacity:0}}
@media(prefers-reduced-motion:no-preference){text{animation:print .01s backwards}}`;

/** The second at which each line appears: a typed command after a pause, its output line by line. */
function appearances(lines: readonly string[]): readonly number[] {
  let now = 0;
  return lines.map((line, at) => {
    const isTyped = /^(==|\$) /.test(line);
    const isAfterHeading = lines[at - 1]?.startsWith("==") ?? false;
    if (at > 0) now += isTyped && !isAfterHeading ? reading : printing;
    const shown = now;
    if (line.startsWith("$ ")) now += typing;
    return shown;
  });
}

/**
 * The picture; headings and what was typed are bold, a line that is too long continues below. It plays
 * once and then stays; who has asked for less motion, and what knows no animations, sees all at once.
 */
export function pictureOf(shown: readonly string[]): string {
  const lines = shown.flatMap((text) => text.match(new RegExp(`.{1,${columns}}`, "gu")) ?? [""]);
  const [width, height] = [Math.ceil(columns * wide + 32), lines.length * high + 28];
  const seconds = appearances(lines);
  const texts = lines.map((text, at) => {
    const bold = /^(==|\$) /.test(text) ? ' class="b"' : "";
    const delay = ` style="animation-delay:${(seconds[at] ?? 0).toFixed(2)}s"`;
    return `<text x="16" y="${at * high + 28}"${bold}${delay}>${escape(text)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="a recorded session">
<style>${style}</style><rect width="100%" height="100%" rx="8"/>
${texts.join("\n")}
</svg>
`;
}
