/** How the managed namespaces are planned: against which files, in which mode, giving up what. */
import type { Names } from "../names";
import { type RoleFiles, roleLines } from "./lines";
import type { Mode, Terms } from "./plan";

/** What the terms are made from; `drops` are entries as they are typed, `all` for all. */
export interface TermsFor {
  readonly names: Names;
  /** The operator's. */
  readonly namespace: string;
  readonly files: Pick<RoleFiles, "shipped">;
  readonly mode: Mode;
  readonly dropLocal?: readonly string[];
}

/** The terms of a managed namespace. */
export function termsFor({ names, namespace, files, mode, dropLocal = [] }: TermsFor): Terms {
  const dropped = new Set(dropLocal.map(typedEntry));
  return {
    mode,
    names,
    operatorNamespace: namespace,
    lines: roleLines(names).map(({ rules }) => rules),
    // of a release whose files are not there, the rules are known and the labels are not
    marks: files.shipped !== true,
    drops: (entry) => dropped.has("all") || dropped.has(entry),
  };
}

/** An entry as a person may type it: `edb-role:pods:get` and `edb-role:core/pods:get` are the core group's. */
export function typedEntry(entry: string): string {
  return entry.replace(/^([^:]+):(?:core\/|(?=[^/:]+:[^:]+$))/, "$1:/");
}
