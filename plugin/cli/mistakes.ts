/** What a person types wrong, and the step that was meant. */
import type { CommandEntry } from "../cmdutil/entry";
import { UsageError } from "../domain/base/errors";
import { entries } from "./commands";

/** What other tools call a command of this one. */
const otherWords: Readonly<Record<string, string>> = {
  webhook: "upgrade-webhook",
  swap: "upgrade-webhook",
  operator: "upgrade-operator",
  cluster: "upgrade-cluster",
  database: "upgrade-database",
  databases: "upgrade-database",
  rbac: "reapply-rbac",
  scc: "unbind-scc",
  certificate: "cert inspect",
  doctor: "check",
  preflight: "check",
  precheck: "check",
  verify: "check",
  diagnose: "recover",
  "dry-run": "upgrade --dry-run=server",
  plan: "upgrade --dry-run=server",
  restart: "recover",
  repair: "recover",
  fix: "recover",
  simulate: "rehearse",
  lint: "validate --help",
};

const undoing = ["undo", "rollback", "revert", "restore"];
const verbsOfKubectl = "get describe logs apply patch edit delete scale rollout wait".split(" ");

type NextStep = (match: RegExpExecArray, paths: readonly string[]) => string | undefined;

const steps: readonly (readonly [problem: RegExp, step: NextStep])[] = [
  [/^unknown command: .* \(did you mean (.+)\?\)$/, ([, meant = ""]) => showHelp(meant)],
  [/^unknown command: (.+)$/, ([, typed = ""], paths) => findCommand(typed, paths)],
  [
    /^unexpected "([^"]+)"(.*): kubectl engine (\S+) takes no argument/,
    ([, word = "", others = "", command = ""], paths) => {
      const path = `${command}-${word}`;
      if (!paths.includes(path)) return undefined;
      const given = others.replaceAll(/, "([^"\s]+)"/g, " $1");
      return /^( \S+)+$/.test(given) ? `kubectl engine ${path}${given}` : showHelp(path);
    },
  ],
  [
    /^unknown flag: (-A|--all-namespaces)\b/,
    () =>
      "leave it out: managed namespaces are found from the operator, whose namespace --namespace names",
  ],
  [
    /^unknown flag: (-f|--filename)$/,
    () =>
      "manifests are checked by kubectl engine validate -f FILE, and a dump of a cluster is read by kubectl engine rehearse COMMAND --from FILE",
  ],
  [/^unknown flag: --(json|yaml)\b/, ([, form = ""]) => `ask for it with -o ${form}`],
  [/^unknown flag: (-y|--assume-yes|--auto-approve)\b/, () => "answer every question with --yes"],
  [
    /^unknown flag: (--force|--ignore-errors)\b/,
    () => "nothing is forced; --skip CODE passes a finding that you accept, where a command has it",
  ],
  [
    /^--(\S+): goes with --(\S+)$/,
    ([, given = "", other = ""]) => `give --${other} too, or leave --${given} out`,
  ],
  [
    /^--dry-run: (needs a value|"(true|false)" is not one of)/,
    () => "--dry-run=client reads and plans; --dry-run=server sends each write with dryRun=All too",
  ],
  [/^--output: "(table|human)" is not one of/, () => "leave it out: text is the default"],
  [
    /^(--target: give the tag|--engine-version: give the version)/,
    () => "take the version from the command under Next in kubectl engine status",
  ],
];

/** Of one mistake the next step is its own; of several, it is the command's help. */
export function explainMistakes(
  problems: readonly string[],
  entry: CommandEntry | undefined,
): UsageError {
  const [problem = ""] = problems.length === 1 ? problems : [];
  const paths = entries.map(({ path }) => path);
  const help = entry && `correct the command line; ${showHelp(entry.path)} shows every flag`;
  const hint = findNextStep(problem, paths) ?? help;
  return new UsageError(problems, hint === undefined ? {} : { hint });
}

/**
 * The step for one problem of a command line; undefined where there is none of its own.
 * `paths` are the commands, as `cert create`.
 */
export function findNextStep(problem: string, paths: readonly string[]): string | undefined {
  for (const [pattern, step] of steps) {
    const match = pattern.exec(problem);
    if (match !== null) return step(match, paths);
  }
  return undefined;
}

const showHelp = (command: string): string => `kubectl engine ${command} --help`;

function findCommand(typed: string, paths: readonly string[]): string | undefined {
  if (undoing.includes(typed)) {
    return "put it back with the command that the run printed; what it saved is in ~/.kube/engine/runs";
  }
  if (verbsOfKubectl.includes(typed)) return `use kubectl ${typed}, without engine`;
  const other = otherWords[typed];
  if (other !== undefined) return `kubectl engine ${other}`;
  // the same words in another order: install-modules
  const inOrder = (words: string): string => words.split(/[ -]/).sort().join(" ");
  const path = paths.find((one) => inOrder(one) === inOrder(typed));
  return path === undefined ? undefined : showHelp(path);
}
