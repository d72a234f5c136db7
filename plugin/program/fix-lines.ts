/** Findings with the line that fixes them, for the cluster and the flags of the run. */
import type { CommandContext } from "../commands/context";
import { engineCommand, kubectlCommand } from "../commands/kubectl-command";
import type { Finding } from "../domain/findings";
import { fixCommand } from "../domain/fix-commands";
import { quoteCommand } from "../output/quote";
import type { Report } from "../run/report";
import type { RawFlags } from "./values";

/** Commands whose verdict depends on a release: they are printed with that of the run. */
const byRelease = ["reapply-rbac", "upgrade-webhook"];
const releaseFlags = ["release", "sha256", "target"];

/** The report, each finding with its command where there is one. */
export function withCommands(
  report: Report,
  { names, options }: Pick<CommandContext, "names" | "options">,
  raw: RawFlags,
): Report {
  const engine = engineCommand(options);
  const kubectl = kubectlCommand(options);
  const lineOf = (finding: Finding): string | undefined => {
    const fix = fixCommand(finding, names);
    if (fix === undefined) return undefined;
    const { of, words } = fix;
    if (of !== "kubectl") return engine([...words, ...releaseOf(words, raw)]);
    const isPlaced = words.some((word) => word.startsWith("--namespace="));
    const line = ["kubectl", ...words];
    return isPlaced ? kubectl(line) : quoteCommand([...line, ...options.contextArgs]);
  };
  const complete = (finding: Finding): Finding => {
    const command = finding.accepted === true ? undefined : lineOf(finding);
    return command === undefined || finding.command !== undefined
      ? finding
      : { ...finding, command };
  };
  const { findings, namespaces } = report;
  if (findings === undefined && namespaces === undefined) return report;
  return {
    ...report,
    ...(namespaces && {
      namespaces: namespaces.map((one) => ({
        ...one,
        ...(one.findings && { findings: one.findings.map(complete) }),
      })),
    }),
    ...(findings && { findings: findings.map(complete) }),
  };
}

function releaseOf(words: readonly string[], raw: RawFlags): readonly string[] {
  if (typeof raw["release"] !== "string" || !words.some((word) => byRelease.includes(word))) {
    return [];
  }
  return releaseFlags.flatMap((name) => {
    const value = raw[name];
    return typeof value === "string" ? [`--${name}=${value}`] : [];
  });
}
