/** What planned writes change, in the form of `diff -u -N`; nothing is cut. */
import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from "diff";
import type { Report, StepReport } from "../kernel/report";
import { escape, type Palette } from "./escape";
import { renderText, type TextStyle } from "./text";
import { renderYaml } from "./yaml";

/** An object as kubectl diff names its files, as it is and as it would be; without an object the text is empty. */
type Compared = readonly [name: string, live: string, merged: string, unasked: boolean];

/** What differs, each object once: of one that is written several times, the first and the last state. */
export function renderStates(steps: readonly StepReport[]): readonly Compared[] {
  const files = new Map<string, Compared>();
  for (const { write } of steps) {
    if (write?.states === undefined) continue;
    const { states, target } = write;
    const { group, version, kind, namespace, name } = target;
    const place = [...(group === "" ? [] : [group]), version, kind, namespace, name].join(".");
    const [live, merged] = [states.live, states.merged].map((one) => one && renderYaml(one, true));
    files.set(place, [
      place.replaceAll("/", "_"),
      files.get(place)?.[1] ?? live ?? "",
      merged ?? "",
      states.unasked === true,
    ]);
  }
  return [...files.values()].filter(([, live, merged]) => live !== merged);
}

/** The text of a command, after the hunks of its writes. */
export function withHunks(
  text: (report: Report, style: TextStyle) => string = renderText,
): (report: Report, style: TextStyle) => string {
  return (report, style) => {
    const lines = renderStates(report.steps ?? []).flatMap((one) => diffStates(one, style.palette));
    const said = text(report, style);
    const hunks = lines.map((line) => `${line}\n`).join("");
    return hunks === "" || said === "" ? `${hunks}${said}` : `${hunks}\n${said}`;
  };
}

const requestAlone = "# Only the request: the API server was not asked what it would store";

function diffStates([name, live, merged, unasked]: Compared, paint: Palette): readonly string[] {
  const [from, to] = [`LIVE/${escape(name)}`, `MERGED/${escape(name)}`];
  const patch = structuredPatch(from, to, live, merged, "", "", { context: 3 });
  const [before = "", after = "", ...lines] = formatPatch(patch, FILE_HEADERS_ONLY)
    .replace(/\n$/, "")
    .split("\n");
  return [
    ...(unasked ? [requestAlone] : []),
    ...[`diff -u -N ${from} ${to}`, before, after].map(paint.strong),
    ...lines.map((line) => paintLine(escape(line), paint)),
  ];
}

function paintLine(line: string, { good, bad, faint }: Palette): string {
  const paint = { "+": good, "-": bad, "@": faint }[line.charAt(0)];
  return paint?.(line) ?? line;
}
