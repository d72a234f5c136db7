/** The examples of a row, tried: what each is expected to do, and what it does. */
import { renderFix } from "../base/remedy";
import { type Judgment, judgeRow } from "./judge";
import type { Examples, Sourced } from "./row";
import type { RowProblem } from "./shapes";

const kinds = ["fires", "silent", "unknown"] as const satisfies readonly (keyof Examples)[];

/** Every example that does something else than its name says; paths are those within the row. */
export function testExamples(row: Sourced): readonly RowProblem[] {
  return kinds.flatMap((kind) => {
    const values = row.examples[kind];
    if (values === undefined) return [];
    const judgment = judgeRow(row, values);
    if (judgment.is === kind) return [];
    const says = `${expected[kind]} is expected, and ${tell(judgment)}`;
    return [{ path: ["examples", kind], row: row.id, says }];
  });
}

const expected: Readonly<Record<(typeof kinds)[number], string>> = {
  fires: "a finding",
  silent: "no finding",
  unknown: "that it cannot be judged",
};

function tell(judgment: Judgment): string {
  if (judgment.is === "silent") return "it is silent";
  if (judgment.is === "unknown") return `it is not known: ${judgment.because}`;
  const { cause, fix, remedies = [] } = judgment;
  return `it fires: ${cause}: ${fix ?? renderFix(remedies)}`;
}
