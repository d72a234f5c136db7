/** What a person types wrong, and the step that was meant. */

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
};

const undoing = ["undo", "rollback", "revert", "restore"];
const verbsOfKubectl = ["get", "describe", "logs", "apply", "patch", "edit", "delete", "scale"];

type NextStep = (match: RegExpExecArray, paths: readonly string[]) => string | undefined;

const steps: readonly (readonly [problem: RegExp, step: NextStep])[] = [
  [/^unknown command: .* \(did you mean (.+)\?\)$/, ([, meant = ""]) => showHelp(meant)],
  [/^unknown command: (.+)$/, ([, typed = ""], paths) => findCommand(typed, paths)],
  [
    /^unexpected "([^"]+)": kubectl engine (\S+) takes no argument/,
    ([, word = "", command = ""], paths) => {
      const path = `${command}-${word}`;
      return paths.includes(path) ? showHelp(path) : undefined;
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
  [
    /^(--target: give the tag|--engine-version: give the version)/,
    () => "take the version from the command under Next in kubectl engine status",
  ],
];

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
