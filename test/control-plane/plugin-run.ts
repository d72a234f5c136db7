import type { AuditEvent } from "./audit";
import { type ControlPlane, distDir, type KubectlOptions } from "./control-plane";
import { connect } from "../../plugin/adapters/kubernetes/connect";
import { systemClock } from "../../plugin/adapters/clock";
import { typed } from "../support/program-world";
import { type Running, type RunResult, start } from "./run";
import type { User } from "./api-server";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv, { type ValidateFunction } from "ajv";
import { repositoryRoot } from "./pins";

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

/**
 * The same command line by the same entry, without a process of its own: it takes a tenth of the time.
 * Writes are not looked for.
 */
export async function runPluginHere(
  controlPlane: ControlPlane,
  args: readonly string[],
  { namespace = "engine", user = runner.name }: Pick<PluginOptions, "namespace" | "user"> = {},
): Promise<Omit<PluginRun, "writes">> {
  const env = controlPlane.kubectlEnv(controlPlane.kubeconfigFor(user));
  const words = [...args, "-n", namespace, "-o", "json"];
  const { code, out, err } = await typed(words, {
    env,
    executable: join(distDir, "kubectl-engine"),
    clock: systemClock,
    connect: ({ connection }, { readOnly = false, silent = false } = {}) =>
      connect(connection, env, { readOnly, silent, isDocument: true }),
  });
  const result = { code, stdout: out, stderr: err };
  return { ...result, report: documentOf(result, args) };
}

let started = 0;

/**
 * A run that is under way, with its progress as output: kubectl becomes the plugin, so that a signal
 * meets the plugin itself.
 */
export function startPlugin(
  controlPlane: ControlPlane,
  args: readonly string[],
  kubeconfig: string = controlPlane.kubeconfigFor(runner.name),
): Running & { readonly home: string } {
  started += 1;
  const home = join(controlPlane.site.homeDir, `run-${String(started)}`);
  const env = { ...controlPlane.kubectlEnv(kubeconfig), ENGINE_HOME: home };
  const words = ["engine", ...args, "-n", "engine"];
  return { ...start(controlPlane.binaries.kubectl, words, { env }), home };
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

/** The document of a run, as far as tests read it; spelled out here and not taken from the product. */
export interface ReportDocument {
  readonly namespaces?: readonly {
    readonly name: string;
    readonly result: string;
    readonly findings?: readonly { readonly code: string }[];
  }[];
  readonly apiVersion: string;
  readonly kind: string;
  readonly run?: { readonly id: string; readonly startedAt: string; readonly dryRun: string };
  readonly target?: { readonly server: string; readonly namespace: string };
  readonly certificate?: {
    readonly secret: string;
    readonly sha256: string;
    readonly notAfter: string;
    readonly san: readonly string[];
  };
  readonly steps?: readonly {
    readonly n: number;
    readonly id: string;
    readonly action: string;
    readonly object: string;
    readonly result: string;
    readonly why: string;
    readonly ms: number;
  }[];
  readonly probes?: readonly {
    readonly phase: string;
    readonly accept: { readonly ok: number; readonly of: number };
    readonly deny: { readonly ok: number; readonly of: number; readonly by: string };
  }[];
  readonly gap?: {
    readonly bypassSeconds: number;
    readonly outageSeconds: number;
    readonly method: string;
  };
  readonly findings?: readonly {
    readonly code: string;
    readonly severity: string;
    readonly object?: string;
    readonly field?: string;
    readonly cause: string;
    readonly fix: string;
    readonly command?: string;
    readonly source: string;
  }[];
  readonly backups?: readonly { readonly file: string; readonly command: string }[];
  readonly details?: unknown;
  readonly permissions?: { readonly missing: readonly string[]; readonly manifest: string };
  readonly exit: { readonly code: number; readonly reason: string; readonly next?: string };
}

/** What the published schema finds wrong with a document. */
export function schemaProblems(document: unknown): readonly string[] {
  const validate = (validator ??= compile());
  validate(document);
  return (validate.errors ?? []).map(
    ({ instancePath, message }) => `${instancePath}: ${message ?? ""}`,
  );
}

let validator: ValidateFunction | undefined;

function compile(): ValidateFunction {
  const file = join(repositoryRoot, "docs", "reference", "documents.schema.json");
  const schema = JSON.parse(readFileSync(file, "utf8")) as object;
  return new Ajv({ strict: false }).compile(closed(schema) as object);
}

/** Readers ignore what they do not know; here whatever the schema does not describe is a problem. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const parts = Object.entries(schema).map(([key, part]) => [key, closed(part)] as const);
  const isOpen = !("properties" in schema) || "additionalProperties" in schema;
  const isObject = "type" in schema && schema.type === "object";
  const own: unknown = Object.fromEntries(parts);
  return isObject && !isOpen ? { ...(own as object), additionalProperties: false } : own;
}

/** The findings that stop a run. */
export function errorsIn({ findings = [] }: ReportDocument): readonly string[] {
  return findings.filter(({ severity }) => severity === "error").map(({ code }) => code);
}

/** Those that it only mentions. */
export function warningsIn({ findings = [] }: ReportDocument): readonly string[] {
  return findings.filter(({ severity }) => severity === "warning").map(({ code }) => code);
}

/** Jest's asymmetric matchers as unknown: their own type is any, which spreads. */
export function containing(text: string): unknown {
  return expect.stringContaining(text);
}

export function matching(pattern: RegExp): unknown {
  return expect.stringMatching(pattern);
}

export function including(...items: readonly unknown[]): unknown {
  return expect.arrayContaining([...items]);
}
