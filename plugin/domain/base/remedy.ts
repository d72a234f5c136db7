/** A way out of a finding, as data. Sentences and commands are rendered from it; nothing reads them back. */

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
  /** The command that does it, or that shows what has to be decided. */
  readonly run?: Run;
  readonly saves?: Saves;
  readonly then?: Remedy;
}

/** A remedy with a command of kubectl. */
export function kubectl(says: string, ...words: readonly string[]): Remedy {
  return { says, run: { of: "kubectl", words } };
}

/** A remedy with a command of this tool. */
export function tool(says: string, ...words: readonly string[]): Remedy {
  return { says, run: { of: "tool", words } };
}

/** The remedies as the text of `fix`: the steps of one after another, the ways beside each other. */
export function renderFix(remedies: readonly Remedy[]): string {
  return remedies.map(renderRemedy).join("; else ");
}

function renderRemedy({ says, run, saves, then }: Remedy): string {
  const saving =
    saves === undefined ? "" : `${renderWords("kubectl", saves.words)} > ${saves.file} && `;
  // commands of this tool are printed below the finding, with the flags of the run
  const line =
    run === undefined || run.of === "tool" ? "" : `: ${saving}${renderWords(run.of, run.words)}`;
  return `${says}${line}${then === undefined ? "" : `; then ${renderRemedy(then)}`}`;
}

function renderWords(program: string, words: readonly string[]): string {
  return [program, ...words].map(quote).join(" ");
}

/** A word that a shell takes as it is, JSON among them; of a flag its value alone is quoted. */
function quote(word: string): string {
  if (!/[\s"{}[\]$&|;<>*?()\\]/.test(word)) return word;
  const [, flag = "", value = word] = /^(--[\w-]+=)(.*)$/s.exec(word) ?? [];
  return `${flag}'${value}'`;
}

/** A remedy with a command. */
export type Runnable = Remedy & { readonly run: Run };

/** The first remedy with a command, of those that are steps of another one too: it is printed below the finding. */
export function firstRun(remedies: readonly Remedy[] = []): Runnable | undefined {
  return remedies.flatMap(listSteps).find(isRunnable);
}

function listSteps(remedy: Remedy): readonly Remedy[] {
  return [remedy, ...(remedy.then === undefined ? [] : listSteps(remedy.then))];
}

function isRunnable(remedy: Remedy): remedy is Runnable {
  return remedy.run !== undefined;
}
