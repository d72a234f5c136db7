import type { AuditEvent } from "./audit";
import type { ControlPlane } from "./control-plane";
import type { KubectlOptions } from "./kubectl";
import { type ReportDocument, schemaProblems } from "./report";
import type { RunResult } from "./run";
import type { User } from "./users";

/**
 * May do everything and is nobody else in the test: what the audit log says of this user was done
 * by the plugin.
 */
export const runner: User = { name: "runner", groups: ["system:masters"] };

export interface PluginOptions extends Omit<KubectlOptions, "kubeconfig"> {
  readonly namespace?: string;
  /** Who runs it, with a kubeconfig of their own. */
  readonly user?: string;
  readonly kubeconfig?: string;
}

export interface PluginRun extends RunResult {
  readonly report: ReportDocument;
  /** The write requests that it sent, each as `verb name`, whether they succeeded or not. */
  readonly writes: readonly string[];
}

/**
 * Runs `kubectl engine …` with JSON output, and holds every end of it to what all ends have in
 * common: one document on stdout that the schema allows, and no stack trace.
 */
export async function runPlugin(
  controlPlane: ControlPlane,
  args: readonly string[],
  { namespace = "engine", user = runner.name, ...options }: PluginOptions = {},
): Promise<PluginRun> {
  const mark = await controlPlane.auditMark();
  const { kubeconfig = controlPlane.kubeconfigFor(user), ...rest } = options;
  const result = await controlPlane.kubectl(["engine", ...args, "-n", namespace, "-o", "json"], {
    ...rest,
    kubeconfig,
  });
  const writes = await controlPlane.writesSince(mark, { user });
  return { ...result, report: documentOf(result, args), writes: writes.map(writeLine) };
}

export function writeLine({ verb, objectRef, requestURI }: AuditEvent): string {
  return `${verb} ${objectRef?.name ?? requestURI}`;
}

/** The one document of a run, checked. */
export function documentOf(result: RunResult, args: readonly string[]): ReportDocument {
  const { code, stdout, stderr } = result;
  const told = `kubectl engine ${args.join(" ")} ended with ${String(code)}:\n${stderr}\n${stdout}`;
  let document: ReportDocument;
  try {
    document = JSON.parse(stdout) as ReportDocument;
  } catch (cause) {
    throw new Error(`not exactly one document on stdout: ${told}`, { cause });
  }
  const problems = [
    ...schemaProblems(document),
    ...(/^\s+at /m.test(stderr) ? ["a stack trace on stderr"] : []),
    ...(document.exit.code === code ? [] : ["exit.code is not the exit code"]),
    ...(code === 0 || hasWayOut(document) ? [] : ["neither exit.next nor a finding with a fix"]),
  ];
  if (problems.length > 0) {
    throw new Error(`${problems.join("; ")}: ${told}`);
  }
  return document;
}

function hasWayOut({ exit, findings = [] }: ReportDocument): boolean {
  return (exit.next ?? "") !== "" || findings.some(({ fix }) => fix !== "");
}
