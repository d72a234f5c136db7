/** Documents of every kind that runs on a cluster have, as the frozen records keep them, and made hostile. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Report } from "../../plugin/kernel/report";

const records = join(__dirname, "../frozen/records");

/** Each record with a document, by the name of its file without the ending. */
export const recordedDocuments = readdirSync(records).flatMap(
  (name): readonly [string, Report][] => {
    const [, json] =
      /^--- -o json, exit \d+\n(.*)$/ms.exec(readFileSync(join(records, name), "utf8")) ?? [];
    return json === undefined ? [] : [[name.replace(/\.txt$/, ""), JSON.parse(json) as Report]];
  },
);

/** What the form of a document fixes; every other text may be a stranger's. */
const fixed = new Set(
  "apiVersion kind id dryRun is twin result severity action verdict startedAt endedAt".split(" "),
);

/** The document with this text in the place of each that someone else may choose. */
export function withTexts(value: unknown, text: string): unknown {
  if (typeof value === "string") return text;
  if (Array.isArray(value)) return value.map((one) => withTexts(one, text));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, fixed.has(key) ? one : withTexts(one, text)]),
  );
}

/** Names that someone may give in order to be more than a name. */
export const hostileTexts: readonly (readonly [what: string, text: string])[] = [
  ["markup", `"><script>alert(1)</script><img src=x onerror=alert(1)>`],
  ["the end of the style", `</style></title></svg><style>*{display:none}</style>`],
  [
    "an address of a script",
    `javascript:alert(1) [a](javascript:alert(1)) ![b](https://x.invalid/b)`,
  ],
  ["a row of a table", "a | b\n| --- |\n# c\n<details>`` ` ``"],
  ["controls of direction", "\u202egnp.exe\u2066 \u200b\u2028"],
  ["controls of a terminal", "\u001b[31m\u001b]0;x\u0007\u0000\r"],
  ["entities", "&lt;script&gt; &#60;b&#62;"],
  ["1 MB", "x".repeat(2 ** 20)],
];
