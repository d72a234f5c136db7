/** What a terminal showed as a picture, which follows the reader's light or dark colors. */

/** Width of a character and height of a line, in pixels; characters in a line. */
const [wide, high, columns] = [8.5, 19, 110];

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

const style = `text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre;fill:#1f2328}
rect{fill:#f6f8fa}.b{font-weight:bold}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}rect{fill:#151b23}}`;

/** The picture; headings and what was typed are bold, a line that is too long continues below. */
export function pictureOf(shown: readonly string[]): string {
  const lines = shown.flatMap((text) => text.match(new RegExp(`.{1,${columns}}`, "gu")) ?? [""]);
  const [width, height] = [Math.ceil(columns * wide + 32), lines.length * high + 28];
  const texts = lines.map((text, at) => {
    const bold = /^(==|\$) /.test(text) ? ' class="b"' : "";
    return `<text x="16" y="${at * high + 28}"${bold}>${escaped(text)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="a recorded session">
<style>${style}</style><rect width="100%" height="100%" rx="8"/>
${texts.join("\n")}
</svg>
`;
}
