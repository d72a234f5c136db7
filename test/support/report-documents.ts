/** Documents of commands as test/records keeps them, and made hostile. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Report } from "../../plugin/kernel/report";

const records = join(__dirname, "../records/kept");

/** The document of a record: `check.after`. */
export function recordedDocument(title: string): Report {
  const text = readFileSync(join(records, `${title.replace(".", "/")}.json`), "utf8");
  // what differs from run to run is masked in a record
  return JSON.parse(text.replaceAll('"DIGEST"', `"${"0".repeat(64)}"`)) as Report;
}

/** Each by its title. */
export const recordedDocuments = readdirSync(records, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".json"))
  .sort()
  .map((file): readonly [string, Report] => {
    const title = file.replace("/", ".").replace(/\.json$/, "");
    return [title, recordedDocument(title)];
  });

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
