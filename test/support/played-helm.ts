/** A helm that is played: a script that answers what it is told, and notes how it was called and what it was given. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { type KubeObject } from "../../plugin/domain/kube/objects";

/** What a played helm prints. */
export interface HelmAnswers {
  /** Releases as `helm list` has them, by state; absent: one that is deployed. */
  readonly status?: string;
  readonly revision?: string;
  /** States of its revisions, the first one first; absent: superseded, deployed, and the state above. */
  readonly history?: readonly string[];
  /** No release is known. */
  readonly knowsNone?: true;
  /** Objects of the rendered chart. */
  readonly objects?: readonly KubeObject[];
  /** Objects of the render that comes after the first one; absent: the same. */
  readonly again?: readonly KubeObject[];
  /** Objects as the release was deployed; absent: helm prints nothing. */
  readonly deployed?: readonly KubeObject[];
  /** As helm prints them of a render. */
  readonly hooks?: readonly object[];
  /** Lines on stdout before the JSON, and behind it. */
  readonly before?: string;
  readonly behind?: string;
  /** What its upgrades fail with. */
  readonly fails?: string;
  /** Stands in the place of the JSON of an upgrade. */
  readonly instead?: string;
}

/** The flags after which a file is named, behind a key or not. */
const fileFlags = [
  ...["values", "kubeconfig", "set-file"],
  ...["ca-file", "registry-config", "repository-config"],
] as const;
type FileFlag = (typeof fileFlags)[number];

export interface PlayedHelm {
  /** The program. */
  readonly file: string;
  /** Its calls, each as one line. */
  readonly calls: () => readonly string[];
  /** The upgrades that were no dry run. */
  readonly upgrades: () => readonly string[];
  /** The contents of files after this flag, in the order of the calls. */
  readonly given: (flag: FileFlag) => readonly string[];
}

/** Writes the program into a folder; `chart` is the version of the chart that is deployed. */
export function playHelm(folder: string, version: string, answers: HelmAnswers = {}): PlayedHelm {
  const home = join(folder, "helm");
  mkdirSync(home);
  const file = join(home, "helm");
  const { status = "deployed", revision = "3", objects = [] } = answers;
  const { before = "", behind = "" } = answers;
  const release = (chartVersion: string): object => ({
    ...{ name: "operator", namespace: "engine", revision, status },
    ...{ chart: `${names.operator.chart}-${chartVersion}`, app_version: chartVersion },
  });
  const write = (name: string, text: string): void => {
    writeFileSync(join(home, name), text);
  };
  const printed = (value: unknown): string => `${before}${JSON.stringify(value)}\n${behind}`;
  write("list", printed(answers.knowsNone === true ? [] : [release(version)]));
  write("after", printed([{ ...release("8.0.2-2"), status: "deployed" }]));
  const manifestOf = (all: readonly KubeObject[]): string =>
    all.map((object) => `---\n${JSON.stringify(object)}\n`).join("");
  const render = (all: readonly KubeObject[]): string => {
    const { hooks = [] } = answers;
    const release = { name: "operator", config: {}, hooks, manifest: manifestOf(all) };
    return answers.instead ?? printed(release);
  };
  write("render", render(objects));
  write("render-again", render(answers.again ?? objects));
  const states = answers.history ?? ["superseded", "deployed", status];
  const chart = `${names.operator.chart}-${version}`;
  write("history", printed(states.map((one, at) => ({ revision: at + 1, status: one, chart }))));
  const isNone = answers.knowsNone === true && answers.history === undefined;
  if (isNone) write("none", "Error: release: not found\n");
  write("get", printed({}));
  write("manifest", manifestOf(answers.deployed ?? []));
  if (answers.fails !== undefined) write("fails", answers.fails);
  const script = `#!/bin/sh
cd '${home}' || exit 1
echo "$*" >> calls
last=
for word in "$@"; do
  case "$last" in ${fileFlags.map((flag) => `--${flag}`).join("|")}) cat "\${word#*=}" >> "given$last"; printf '\\001' >> "given$last";; esac
  last=$word
done
case "$1" in
  version) printf '%s' '${before.replaceAll("'", "")}'; echo v4.2.1;;
  get) if [ "$2" = manifest ]; then cat manifest; else cat get; fi;;
  history) [ -f none ] && { cat none >&2; exit 1; }
    cat history;;
  list) cat list;;
  upgrade) [ -f fails ] && { cat fails >&2; exit 1; }
    case "$*" in *--dry-run=*) cat render; cp render-again render;; *) echo "$*" >> upgrades; mv after list;; esac;;
esac
`;
  writeFileSync(file, script, { mode: 0o700 });
  const read = (name: string, separator: string): readonly string[] =>
    existsSync(join(home, name))
      ? readFileSync(join(home, name), "utf8").split(separator).slice(0, -1)
      : [];
  return {
    file,
    calls: () => read("calls", "\n"),
    upgrades: () => read("upgrades", "\n"),
    given: (flag) => read(`given--${flag}`, "\u0001"),
  };
}
