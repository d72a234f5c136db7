/** A way out of a finding, as data. Sentences and commands are rendered from it; nothing reads them back. */

import { quote } from "./quote";

/** A command without the flags that lead to the cluster; `tool` is this program. Words are not quoted. */
export interface Run {
  readonly of: "tool" | "kubectl" | "oc" | "helm";
  readonly words: readonly string[];
}

/** What a person saves before a command deletes or replaces it, and the file it goes to. */
export interface Saves {
  /** Words of kubectl. */
  readonly words: readonly string[];
  readonly file: string;
}

/** One way out. Several remedies of a finding are ways to choose from; `then` is the next step of this one. */
export interface Remedy {
  /** An imperative, lower case, no full stop. */
  readonly says: string;
  /** The command that does it. */
  readonly run?: Run;
  /** The command that shows what has to be known or decided for it: it changes nothing. */
  readonly see?: Run;
  readonly saves?: Saves;
  readonly then?: Remedy;
}

/** A remedy with a command of kubectl. */
export function kubectl(says: string, ...words: readonly string[]): Remedy {
  return { says, run: { of: "kubectl", words } };
}

/** A remedy that a person does by hand, with a command of kubectl that shows more. */
export function look(says: string, ...words: readonly string[]): Remedy {
  return { says, see: { of: "kubectl", words } };
}

/** A remedy with a command of this tool. */
export function tool(says: string, ...words: readonly string[]): Remedy {
  return { says, run: { of: "tool", words } };
}

/** One way, whose steps these are. */
export function listInOrder([first, ...others]: readonly Remedy[]): readonly Remedy[] {
  if (first === undefined) return [];
  const [then] = listInOrder(others);
  return [{ ...first, ...(then && { then }) }];
}

/** The fix of a code for which this tool has a command. */
export function byTool(
  fix: string,
  ...words: readonly string[]
): { readonly fix: string; readonly remedies: readonly Remedy[] } {
  return { fix, remedies: [tool(fix, ...words)] };
}

/** The remedies as the text of `fix`: the steps of one after another, the ways beside each other. */
export function renderFix(remedies: readonly Remedy[]): string {
  return remedies.map(renderRemedy).join("; else ");
}

function renderRemedy({ says, run, see, saves, then }: Remedy): string {
  const next = then === undefined ? "" : `; then ${renderRemedy(then)}`;
  return `${says}${renderRun(": ", run, saves)}${renderRun("; see ", see)}${next}`;
}

/** Commands of this tool are printed below the finding, with the flags of the run. */
function renderRun(before: string, run: Run | undefined, saves?: Saves): string {
  if (run === undefined || run.of === "tool") return "";
  const saving = saves && `${renderWords(["kubectl", ...saves.words])} > ${saves.file} && `;
  return `${before}${saving ?? ""}${renderWords([run.of, ...run.words])}`;
}

function renderWords(words: readonly string[]): string {
  return words.map(quote).join(" ");
}

/** A remedy with the command that is printed below its finding. */
export type Runnable = Remedy & { readonly run: Run };

/** The first command of the remedies and their steps, whether it does something or shows something. */
export function firstRun(remedies: readonly Remedy[] = []): Runnable | undefined {
  const steps = remedies.flatMap(listSteps).map((one) => ({ ...one, run: one.run ?? one.see }));
  return steps.find(isRunnable);
}

/** A way out and the steps after it, one by one. */
export function listSteps(remedy: Remedy): readonly Remedy[] {
  return [remedy, ...(remedy.then === undefined ? [] : listSteps(remedy.then))];
}

function isRunnable(
  remedy: Omit<Remedy, "run"> & { readonly run: Run | undefined },
): remedy is Runnable {
  return remedy.run !== undefined;
}
