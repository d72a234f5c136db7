/** `completion install`: the script where its shell looks, and the program that kubectl runs for `kubectl engine`. */
import { accessSync, constants, existsSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { fileProblem, readText, replaceFile } from "../adapters/files";
import { UsageError } from "../domain/errors";
import type { Report, StepReport } from "../run/report";
import { completionScript, kubectlCompletion } from "./completion";
import type { CommandContext, CommandRun } from "./context";
import { shells } from "./standard-flags";

type Shell = (typeof shells)[number];

/** A file that is to be there. */
interface Wanted {
  readonly id: string;
  readonly file: string;
  readonly text: string;
  readonly mode: number;
  readonly why: string;
}

/** What every text of ours holds, of whatever release. */
const sign = "kubectl-engine __complete";

/** Writes both files, once everything that stands against one of them is known; again, it writes nothing. */
export async function installCompletion(
  { env, options, run }: CommandContext,
  [typed, ...more]: readonly string[],
): Promise<Report> {
  const shell = shellOf(typed, env);
  if (more.length > 0) throw new UsageError("SHELL: completion install takes one shell");
  const { next, ...script } = placeOf(shell, env);
  const problems: string[] = [];
  const files = [script, programOf(env, problems)].flatMap((wanted) => wanted ?? []);
  const judged = files.map((wanted) => ({ wanted, result: judge(wanted, problems) }));
  if (problems.length > 0) {
    throw new UsageError(problems, {
      hint: "remove the cause, or print the script with: completion SHELL",
    });
  }
  const open = judged.filter(({ result }) => result !== "unchanged");
  const isPlan = options.dryRun !== "none";
  for (const { wanted } of isPlan ? [] : open) {
    const { file, text, mode } = wanted;
    const hint = "make the folder one that can be written, then run the same command again";
    await replaceFile(file, text, { what: "completion", hint, mode, makesFolders: true });
  }
  const steps = judged.map(({ wanted: { id, file, why }, result }, index): StepReport => {
    const told = isPlan && result !== "unchanged" ? "planned" : result;
    return { n: index + 1, id, action: "apply", object: file, result: told, why, ms: 0 };
  });
  const written = isPlan ? "dry run, nothing was written" : "open a new shell to complete";
  const reason = open.length === 0 ? "both files are up to date" : written;
  const exit = { code: 0, reason: `${shell}: ${reason}`, next } as const;
  return { apiVersion: "cli.engine.com/v1", kind: "Completion", run, steps, exit };
}

function shellOf(typed: string | undefined, env: NodeJS.ProcessEnv): Shell {
  const usual = process.platform === "win32" ? "powershell" : basename(env["SHELL"] ?? "");
  const wanted = (typed ?? usual).replace(/^pwsh$/, "powershell");
  const shell = shells.find((one) => one === wanted);
  if (shell !== undefined) return shell;
  const said = typed ?? `the login shell ${JSON.stringify(wanted)}`;
  throw new UsageError(`SHELL: ${said} is not one of ${shells.join(", ")}`, {
    hint: `name the shell: completion install ${shells.join("|")}`,
  });
}

function placeOf(shell: Shell, env: NodeJS.ProcessEnv): Wanted & { readonly next?: string } {
  const home = homeOf(env);
  const data = env["XDG_DATA_HOME"] ?? join(home, ".local", "share");
  const config = env["XDG_CONFIG_HOME"] ?? join(home, ".config");
  const windows = process.platform === "win32";
  const zsh = join(env["ZDOTDIR"] ?? home, ".zfunc");
  const profile = windows ? join(home, "Documents", "PowerShell") : join(config, "powershell");
  const script = join(profile, "kubectl-engine.ps1");
  const places: Readonly<Record<Shell, { readonly file: string; readonly next?: string }>> = {
    bash: { file: join(data, "bash-completion", "completions", "kubectl-engine") },
    zsh: {
      file: join(zsh, "_kubectl-engine"),
      next: `add this line to ~/.zshrc, before compinit: fpath=(${zsh} $fpath)`,
    },
    fish: { file: join(config, "fish", "completions", "kubectl-engine.fish") },
    powershell: { file: script, next: `add this line to the file $PROFILE: . "${script}"` },
  };
  const why = `${shell} completes kubectl-engine by it`;
  return { ...places[shell], id: "script", text: completionScript([shell]), mode: 0o644, why };
}

function homeOf(env: NodeJS.ProcessEnv): string {
  const home = env["HOME"] ?? env["USERPROFILE"] ?? "";
  if (home !== "") return home;
  throw new UsageError("there is no home folder: HOME is not set", {
    hint: "set HOME, or print the script with: completion SHELL",
  });
}

/** The one that kubectl finds already, else beside the plugin, else where the user may write. */
function programOf(env: NodeJS.ProcessEnv, problems: string[]): Wanted | undefined {
  const { name, text } = kubectlCompletion(process.platform);
  const paths = (env["PATH"] ?? "").split(delimiter).filter(isAbsolute);
  const folders = paths.filter((path) => existsSync(path));
  const holding = (file: string): string | undefined =>
    folders.find((folder) => "text" in readText(join(folder, file)));
  const beside = holding("kubectl-engine") ?? holding("kubectl-engine.exe");
  const home = homeOf(env);
  const own = folders.filter((folder) => folder.startsWith(home));
  const open = [...(beside === undefined ? [] : [beside]), ...own, ...folders].find(isOpen);
  const folder = holding(name) ?? open;
  if (folder === undefined) {
    problems.push(
      `${name} cannot be written: no folder of the PATH is open to this user; add one, as ${join(home, ".local", "bin")}`,
    );
    return undefined;
  }
  const why = "kubectl runs it to complete kubectl engine";
  return { id: "program", file: join(folder, name), text, mode: 0o755, why };
}

/** Whether a file may be written into the folder, or into the one above it that is there. */
function isOpen(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return !existsSync(folder) && isOpen(dirname(folder));
  }
}

/** What writing it would do; a file of somebody else's is a problem, and so is a place that is closed. */
function judge({ file, text }: Wanted, problems: string[]): "created" | "changed" | "unchanged" {
  const found = readText(file);
  if ("text" in found && found.text === text) return "unchanged";
  if ("text" in found && !found.text.includes(sign)) {
    problems.push(`${file} is there and not from kubectl-engine: move it away first`);
  } else if (!("text" in found) && found.failure.code !== "ENOENT") {
    problems.push(`cannot write the completion: ${fileProblem(file, found.failure)}`);
  } else if (!isOpen(dirname(file))) {
    problems.push(`cannot write the completion: permission denied: ${file}`);
  }
  return "text" in found ? "changed" : "created";
}

/** `details` of the script's document. */
export interface CompletionDetails {
  readonly shell: string;
  readonly script: string;
}

/** The same in a document; `install` writes it. */
export const runCompletion: CommandRun<object> = async (context, args) => {
  const [shell = "", ...more] = args;
  if (shell === "install") return installCompletion(context, more);
  if (more.length > 0) throw new UsageError("SHELL: give one shell, or install and one shell");
  return {
    apiVersion: "cli.engine.com/v1",
    kind: "Completion",
    details: { shell, script: completionScript([shell]) },
    exit: { code: 0, reason: `completion script for ${shell}` },
  };
};
