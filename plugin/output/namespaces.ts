/** Namespaces that fared alike are told once. */
import type { Result } from "../domain/kube/planned-write";
import { boundList, countNoun, groupBy } from "../domain/base/values";
import type { NamespaceReport } from "../kernel/report";
import { escape, type Palette } from "./escape";
import { paintResult } from "./steps";

/** So many names are shown of namespaces that fared alike. */
const mostNames = 8;

/** Namespaces that fared alike, each way once. */
export function groupNamespaces(
  all: readonly NamespaceReport[],
): readonly (readonly NamespaceReport[])[] {
  const alike = groupBy(all, ({ result, rules, subjects }) =>
    JSON.stringify([result, rules, subjects]),
  );
  return [...alike.values()];
}

/** One way in which namespaces fared: how many, their names, and the rights that changed. */
export function renderNamespaceGroup(
  group: readonly NamespaceReport[],
  palette: Palette,
): readonly string[] {
  const [first] = group;
  const { result, rules, subjects } = first ?? { result: "skipped" as Result };
  const shown = boundList(
    group.map(({ name }) => escape(name)),
    mostNames,
  );
  const count = countNoun(group.length, "namespace");
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
