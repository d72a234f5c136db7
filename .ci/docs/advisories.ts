/** The pages of the advisories: the rows that the tool ships, and the words that conditions are written in. */
import { describeReach } from "../../plugin/domain/advisories/reach";
import type { AdvisoryFile, Row } from "../../plugin/domain/advisories/row";
import {
  concerns,
  variables,
  vocabulary,
  type Variable,
  type Word,
  type WordType,
} from "../../plugin/domain/advisories/vocabulary";
import { areas } from "../../plugin/domain/checks/check";
import type { Page, Part } from "./markup";

/** Every row, by the area of `check` that it is shown in. */
export function advisoriesPage({ date, upTo = {}, advisories }: AdvisoryFile): Page {
  const kept = Object.entries(upTo).map(([what, version]) => `${what} ${version}`);
  const until = kept.length === 0 ? "" : `: the notes up to ${kept.join(", ")} were read for them`;
  return {
    title: "Advisories",
    summary: "What is known to go wrong in which upgrade: the rows that the tool ships",
    parts: [
      `They are of ${date}${until}. kubectl engine explain CODE prints one in full, check tells which of them apply to a cluster. How to write your own: [Advisories of your own](../guides/advisories.md).`,
      ...areas.flatMap((area) =>
        areaPart(
          area,
          advisories.filter((row) => row.area === area),
        ),
      ),
    ],
  };
}

function areaPart(area: string, rows: readonly Row[]): readonly Part[] {
  if (rows.length === 0) return [];
  return [
    `## ${area}`,
    {
      heads: ["code", "severity", "what is so where it is silent", "about", "source"],
      rows: rows.map((row) => [
        row.code,
        row.severity,
        row.title,
        describeReach(row).join("; "),
        row.source,
      ]),
    },
  ];
}

/** The variables and what can be asked of each. */
export const wordsPage: Page = {
  title: "Words of advisories",
  summary: "What conditions and texts of advisories can name",
  parts: [
    "## Variables",
    {
      heads: ["variable", "type", "is", "in rows that concern"],
      rows: Object.entries<Word>(variables).map(([name, { type, says }]) => [
        name,
        typeText(type),
        says,
        listConcerns(name as Variable).join(", "),
      ]),
    },
    ...Object.entries(vocabulary).flatMap(([type, words]): readonly Part[] => [
      `## ${type}`,
      {
        heads: ["word", "type", "is"],
        rows: Object.entries(words).map(([name, word]) => [
          name,
          `${typeText(word.type)}${word.optional === true ? ", may be absent: then not checked" : ""}`,
          word.says,
        ]),
      },
    ]),
  ],
};

/** The concerns whose rows have a variable; "all" for one that every row has. */
function listConcerns(variable: Variable): readonly string[] {
  const all: readonly (readonly [string, readonly string[]])[] = Object.entries(concerns);
  const own = all.filter(([, names]) => names.includes(variable)).map(([concern]) => concern);
  return own.length === 0 ? ["all"] : own;
}

function typeText(type: WordType): string {
  if (typeof type === "object") return `list of ${type.list}`;
  return type === "labels" ? "map of strings" : type;
}
