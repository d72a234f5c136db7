/** Commands that are printed, of kubectl and of this tool: they reach the cluster of the run, in its names. */
import { quoteCommand } from "../output/escape";
import type { CommandContext, GlobalOptions } from "./context";
import type { Finding } from "../domain/base/findings";
import { firstRun, type Runnable } from "../domain/base/remedy";
import type { Report } from "../kernel/report";
import type { RawFlags } from "./flags";

/**
 * A kubectl command to the cluster of the run. It names its namespace itself, or its file does: with
 * the one of the run beside it, kubectl would refuse the file or look in the wrong place.
 */
export function kubectlCommand({
  contextArgs,
}: Pick<GlobalOptions, "contextArgs">): (words: readonly string[]) => string {
  const args = contextArgs.filter((word) => !isPlace(word));
  return (words) => quoteCommand([...words, ...args]);
}

const isPlace = (word: string): boolean => word === "-n" || word.startsWith("--namespace=");

/** A command to the cluster of the run; one that names its namespace, or all of them, names it once. */
export function placeCommand(words: readonly string[], given: readonly string[]): string {
  const isHelm = words[0] === "helm";
  // helm has another name for a context of the kubeconfig
  const contextArgs = given.map((word) =>
    isHelm ? word.replace(/^--context/, "--kube-context") : word,
  );
  const isPlaced = words.some((word) => isPlace(word) || word === "--all-namespaces");
  return isPlaced
    ? kubectlCommand({ contextArgs })(words)
    : quoteCommand([...words, ...contextArgs]);
}

/** A command of this tool, to the same cluster and in the same names; kubectl's own know no names file. */
export function engineCommand({
  prefix,
  contextArgs,
  namesFile,
}: Pick<GlobalOptions, "prefix" | "contextArgs" | "namesFile">): (
  words: readonly string[],
) => string {
  const names = namesFile === undefined ? [] : [`--names=${namesFile}`];
  return (words) => quoteCommand([...prefix.split(" "), ...words, ...contextArgs, ...names]);
}

/** The flags of a printed command, for another namespace. */
export function inNamespace(contextArgs: readonly string[], namespace: string): readonly string[] {
  const others = contextArgs.filter((word) => !word.startsWith("--namespace="));
  return [...others, `--namespace=${namespace}`];
}

/** Commands whose verdict depends on a release (the release flags of their spec): they are printed with that of the run. */
const byRelease = ["reapply-rbac", "upgrade-webhook"];
const passedOn = ["release", "sha256", "target"];

/** Adds to a finding the command that fixes it, where there is one. */
export function completeFinding(
  { options }: Pick<CommandContext, "options">,
  raw: RawFlags,
): (finding: Finding) => Finding {
  const engine = engineCommand(options);
  const kubectl = kubectlCommand(options);
  const renderLine = ({ run: { of, words }, saves, then }: Runnable): string => {
    if (of === "tool") return engine([...words, ...readReleaseWords(words, raw)]);
    if (saves === undefined) return placeCommand([of, ...words], options.contextArgs);
    // what follows only counts where all before it went well
    const next = then?.run === undefined ? [] : [["kubectl", ...then.run.words]];
    const lines = [[of, ...words], ...next].map(kubectl);
    return [`${kubectl(["kubectl", ...saves.words])} > ${saves.file}`, ...lines].join(" && ");
  };
  return (finding) => {
    const found = finding.accepted === true ? undefined : firstRun(finding.remedies);
    return found === undefined || finding.command !== undefined
      ? finding
      : { ...finding, command: renderLine(found) };
  };
}

/** The report, each finding with its command where there is one. */
export function withCommands(
  report: Report,
  context: Pick<CommandContext, "options">,
  raw: RawFlags,
): Report {
  const complete = completeFinding(context, raw);
  const completeIn = <T extends Pick<Report, "findings">>(one: T): T =>
    one.findings === undefined ? one : { ...one, findings: one.findings.map(complete) };
  const { namespaces } = report;
  return {
    ...completeIn(report),
    ...(namespaces && { namespaces: namespaces.map(completeIn) }),
  };
}

function readReleaseWords(words: readonly string[], raw: RawFlags): readonly string[] {
  if (typeof raw["release"] !== "string" || !words.some((word) => byRelease.includes(word))) {
    return [];
  }
  return passedOn.flatMap((name) => {
    const value = raw[name];
    return typeof value === "string" ? [`--${name}=${value}`] : [];
  });
}
