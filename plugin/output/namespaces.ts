/** What became of many namespaces: those of one kind together, the failed ones one by one. */
import type { NamespaceReport, Result } from "../run/report";
import { escape } from "./escape";
import type { Palette } from "./style";
import { paintResult, renderFinding } from "./text-parts";

/** So many names are shown of namespaces that fared alike. */
const mostNames = 8;

/** Blocks of lines: one for each way in which namespaces fared, one for each failed namespace. */
export function renderNamespaces(
  all: readonly NamespaceReport[],
  palette: Palette,
): readonly (readonly string[])[] {
  const alike = new Map<string, readonly NamespaceReport[]>();
  for (const one of all) {
    const { result, rules, subjects } = one;
    const key = JSON.stringify([result, rules, subjects]);
    alike.set(key, [...(alike.get(key) ?? []), one]);
  }
  const failed = all.filter(({ findings = [] }) => findings.length > 0);
  return [
    ...[...alike.values()].map((group) => renderGroup(group, palette)),
    ...failed.flatMap(({ findings = [] }) =>
      findings.map((finding) => renderFinding(finding, palette)),
    ),
  ];
}

function renderGroup(group: readonly NamespaceReport[], palette: Palette): readonly string[] {
  const [first] = group;
  const { result, rules, subjects } = first ?? { result: "skipped" as Result };
  const names = group.slice(0, mostNames).map(({ name }) => escape(name));
  const more = group.length - names.length;
  const shown = `${names.join(", ")}${more === 0 ? "" : ` and ${more} more`}`;
  const count = group.length === 1 ? "1 namespace" : `${group.length} namespaces`;
  const lines = (sign: string, some: readonly string[] = []): readonly string[] =>
    some.map((line) => `  ${sign} ${escape(line)}`);
  return [
    `${count} ${paintResult(result, palette)}: ${shown}`,
    ...lines("+", rules?.gained),
    ...lines("-", rules?.lost),
    ...lines("+", subjects?.gained),
    ...lines("-", subjects?.lost),
  ];
}
