/** `recover`: flags to options, then a look at a frozen upgrade, or its recovery (S97-S103, S113). */
import type { RoleWish } from "../../cmdutil/print-role";
import type { Needs } from "../../domain/facts/needs";
import { renderText, type TextStyle } from "../../output/text";
import type { RecoverDeps, RecoverySnapshot } from "./read";
import { recover } from "./recover";
import type { Report } from "../../kernel/report";
import { type ApiFlags, credentialsRef } from "../../adapters/rest-api/connect";
import { apiWish, connectApi, readEc } from "../../cmdutil/rest-api-option";
import { type CommandContext, resolveNamespace } from "../../cmdutil/context";
import { kubectlCommand } from "../../cmdutil/kubectl-command";
import type { RecoverFlags } from "./flags";
import { runPorts, writeOptions } from "../../cmdutil/run-ports";
import { readLimit } from "../../cmdutil/part-command";
import { findPlaces } from "../../adapters/rest-api/route";
import { recoverNeeds } from "./needs";
import { readName } from "../../domain/names/names";
import { objectLabel } from "../../domain/kube/objects";
import type { Evidence } from "../../domain/recovery/evidence";
import { outOfLineAhead } from "../../domain/recovery/line";
import { type ApiAccess, type Pipeline, listProcedure } from "./by-hand";
import { escape, quoteCommand } from "../../output/escape";

/** Looks or recovers; every expected end comes back as a report. */
export async function runRecover(
  asked: CommandContext,
  _args: readonly string[],
  flags: RecoverFlags,
): Promise<Report> {
  const context = await resolveNamespace(asked);
  const { options, names } = context;
  const ports = await runPorts(context, "Recover");
  const { cluster, recorder } = ports;
  const { namespace } = cluster;
  const reaches = isReachable(flags.api);
  recorder.needs.declare("recover", recoverRole({ context, flags, namespace }));
  try {
    const ec = await readEc(cluster, flags.ec, context);
    const subject = { cluster, ec, flags: flags.api };
    const deps: RecoverDeps = {
      ...ports,
      command: kubectlCommand(options),
      api: reaches
        ? {
            wish: apiWish(ec, flags.api, names),
            connect: () => connectApi(context, subject),
          }
        : undefined,
    };
    const { report, look, evidence } = await recover(deps, {
      namespace,
      name: ec.metadata.name ?? "",
      apply: flags.apply,
      dropDigests: flags.dropDigests,
      mayDiscardData: flags.mayDiscardData,
      takeFields: flags.takeFields,
      stallAfterMs: flags.stallAfterMs,
      engineVersion: flags.engineVersion,
      ...readLimit(options, flags.limited),
      ...writeOptions(context),
    });
    if (look === undefined) return report;
    const seen = { look, evidence, flags };
    return { ...report, details: recoveryDetails(context, seen) };
  } catch (error) {
    return recorder.failure(error);
  }
}

/** What it may need, before anything is read. */
export function recoverRole({
  context: { names },
  flags,
  namespace,
}: Omit<RoleWish<RecoverFlags>, "args">): Needs {
  const api = isReachable(flags.api) ? apiWish(undefined, flags.api, names) : undefined;
  const name = flags.ec === undefined ? undefined : readName(flags.ec, names).name;
  return recoverNeeds({ names, namespace, name, applies: flags.apply, api });
}

/** Its certificate is never accepted unseen: without a word about it the REST API is not asked. */
function isReachable({ url, ca, insecure }: ApiFlags): boolean {
  return url !== undefined || ca !== undefined || insecure;
}

/** What was found and what to do, then the rest of the report. */
export function recoverText(report: Report, style: TextStyle): string {
  const { details, ...rest } = report;
  if (details === undefined) return renderText(report, style);
  const told = details as RecoveryDetails;
  const lines = recoveryLines(told, style);
  // a verdict that is the end as well is said there
  const shown = report.exit.reason === told.says ? lines.slice(2) : lines;
  return [...shown, ...(shown.length > 0 ? [""] : []), renderText(rest, style)].join("\n");
}

/** One step of the printed procedure. */
interface ShownStep {
  readonly says: string;
  readonly source: string;
  /** Quoted for a shell, with the context that was given; without credentials. */
  readonly commands: readonly string[];
}

/** The verdict on an EC, what stands beside it, and what to do. */
export interface RecoveryDetails {
  readonly cluster: string;
  readonly state: string;
  readonly verdict: RecoverySnapshot["freeze"]["is"];
  readonly says: string;
  /** Shown beside the causes, never their ground. */
  readonly evidence: readonly Evidence[];
  readonly procedure: readonly ShownStep[];
}

/** What was seen, and how it was asked for. */
interface RecoverFacts {
  readonly look: RecoverySnapshot;
  readonly evidence: readonly Evidence[];
  readonly flags: RecoverFlags;
}

/** The details of a report. */
function recoveryDetails(context: CommandContext, seen: RecoverFacts): RecoveryDetails {
  const { look, evidence, flags } = seen;
  const { ec, freeze } = look;
  const command = kubectlCommand(context.options);
  const shown = (pipeline: Pipeline): string =>
    pipeline
      .map((words) => (words[0] === "curl" ? quoteCommand(words) : command(words)))
      .join(" | ");
  const steps = listProcedure({
    names: context.names,
    ec,
    freeze,
    asked: look.api !== undefined,
    access: accessOf(context, seen),
    wish: {
      dropDigests: flags.dropDigests,
      mayDiscardData: flags.mayDiscardData,
      engineVersion: flags.engineVersion,
    },
    apart: outOfLineAhead(
      look.facts,
      { databases: freeze.databases, api: look.api },
      {
        engineVersion: flags.engineVersion,
        raised: new Set(
          freeze.causes.flatMap((cause) => (cause.is === "database" ? [cause.database.label] : [])),
        ),
      },
    ),
    install: renderOwn(context, seen, { words: "modules install FILE" }),
    again: renderOwn(context, seen, {
      words: "recover --apply",
      needed: remedyFlags(look, flags),
    }),
  });
  return {
    cluster: objectLabel(ec),
    state: freeze.state,
    verdict: freeze.is,
    says: freeze.says,
    evidence,
    procedure: steps.map((step) => ({ ...step, commands: step.commands.map(shown) })),
  };
}

/** A number is not a name of the cluster: curl is told where the name leads (S76). */
function accessOf({ names }: CommandContext, { look, flags }: RecoverFacts): ApiAccess {
  const { url, ca, insecure } = flags.api;
  const { fqdn, port, pods, namespace } = findPlaces(look.ec, names);
  const { name } = credentialsRef(look.ec, flags.api, names);
  const common = { insecure, secret: { name, namespace }, ca };
  if (url === undefined) {
    const [pod = ""] = pods;
    const connectTo = `127.0.0.1:${port}`;
    const forward = { pod, port: String(port) };
    return { ...common, base: `https://${fqdn}:${port}`, connectTo, forward };
  }
  const given = new URL(url);
  const isNumber = /^(localhost|[\d.]+|\[.*\])$/.test(given.hostname);
  if (!isNumber) return { ...common, base: given.origin };
  const end = given.port === "" ? "443" : given.port;
  return { ...common, base: `https://${fqdn}:${end}`, connectTo: `${given.hostname}:${end}` };
}

/** A command of this tool, asked with what this run was asked with, and with what it still needs. */
function renderOwn(
  { options }: CommandContext,
  { look, flags }: RecoverFacts,
  { words, needed = [] }: { readonly words: string; readonly needed?: readonly string[] },
): readonly string[] {
  const { name = "", namespace = "" } = look.ec.metadata;
  const command = `${options.prefix} ${words}`.split(" ");
  return [...command, "--ec", name, ...needed, ...apiFlags(look, flags), "-n", namespace];
}

function remedyFlags({ freeze }: RecoverySnapshot, flags: RecoverFlags): readonly string[] {
  const needs = (is: string): boolean => freeze.causes.some((cause) => cause.is === is);
  return [
    ...(needs("database") ? ["--engine-version", flags.engineVersion ?? "VERSION"] : []),
    ...(needs("database") && flags.mayDiscardData ? ["--may-discard-data"] : []),
    ...(needs("digest") ? ["--drop-digests"] : []),
  ];
}

function apiFlags({ freeze }: RecoverySnapshot, { api }: RecoverFlags): readonly string[] {
  const { url, ca, credentialsSecret, insecure } = api;
  const needed = freeze.causes.some(({ is }) => is === "database" || is === "module");
  const given = ca ?? (needed ? "CA_FILE" : undefined);
  const trusted = given === undefined ? [] : ["--api-ca", given];
  return [
    ...(url === undefined ? [] : ["--api-url", url]),
    ...(insecure ? ["--api-insecure"] : trusted),
    ...(credentialsSecret === undefined ? [] : ["--api-credentials-secret", credentialsSecret]),
  ];
}

/** The lines above the rest of the report. */
export function recoveryLines(
  details: RecoveryDetails,
  { palette, verbosity }: Pick<TextStyle, "palette" | "verbosity">,
): readonly string[] {
  const { verdict, says, evidence, procedure } = details;
  const word = verdict === "frozen" ? `${palette.bad("Frozen:")} ` : "";
  const shown = evidence.map(({ from, at, object, says: line }) => {
    const where = [at, object].flatMap((part) => (part === undefined ? [] : [escape(part)]));
    return `  ${from} ${where.join(" ")}: ${escape(line)}`;
  });
  const steps = procedure.flatMap(({ says: what, source, commands }, index) => [
    `${index + 1}. ${escape(what)}${verbosity > 0 ? ` (${source})` : ""}`,
    ...commands.map((command) => `   ${escape(command)}`),
  ]);
  return [
    `${word}${escape(says)}`,
    ...(shown.length === 0 ? [] : ["", palette.strong("Evidence:"), ...shown]),
    ...(steps.length === 0 ? [] : ["", palette.strong("Procedure:"), ...steps]),
  ];
}
