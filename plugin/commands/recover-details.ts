/** What the document says of a recovery: verdict, evidence, and the procedure as commands. */
import { credentialsRef } from "../adapters/cluster-api";
import { placesOf } from "../adapters/cluster-api/places";
import type { InstalledModule } from "../domain/api/records";
import { objectLabel } from "../domain/objects";
import type { Evidence } from "../domain/recovery/classify";
import { outOfLineAhead } from "../domain/recovery/line";
import { type ApiAccess, type Pipeline, procedureOf } from "../domain/recovery/procedure";
import { quoteCommand } from "../output/quote";
import type { Look } from "../run/recovery/look";
import type { CommandContext } from "./context";
import { kubectlCommand } from "./kubectl-command";
import type { RecoverFlags } from "./recover-flags";

/** One step of the printed procedure. */
export interface ShownStep {
  readonly says: string;
  readonly source: string;
  /** Quoted for a shell, with the context that was given; without credentials. */
  readonly commands: readonly string[];
}

/** The verdict on an EC, what stands beside it, and what to do. */
export interface RecoveryDetails {
  readonly cluster: string;
  readonly state: string;
  readonly verdict: Look["freeze"]["is"];
  readonly says: string;
  /** Shown beside the causes, never their ground. */
  readonly evidence: readonly Evidence[];
  readonly procedure: readonly ShownStep[];
}

/** What was seen, and how it was asked for. */
export interface Seen {
  readonly look: Look;
  readonly evidence: readonly Evidence[];
  readonly flags: RecoverFlags;
  /** Manifests of the archives that were given. */
  readonly modules: readonly InstalledModule[];
}

/** The details of a report. */
export function recoveryDetails(context: CommandContext, seen: Seen): RecoveryDetails {
  const { look, evidence, flags, modules } = seen;
  const { ec, freeze } = look;
  const command = kubectlCommand(context.options);
  const shown = (pipeline: Pipeline): string =>
    pipeline
      .map((words) => (words[0] === "curl" ? quoteCommand(words) : command(words)))
      .join(" | ");
  const steps = procedureOf({
    names: context.names,
    ec,
    freeze,
    access: accessOf(context, seen),
    wish: {
      dropDigests: flags.dropDigests,
      files: flags.modules,
      ...(flags.engineVersion !== undefined && { engineVersion: flags.engineVersion }),
    },
    apart: outOfLineAhead(
      look.facts,
      { databases: freeze.databases, api: look.api },
      {
        engineVersion: flags.engineVersion,
        raised: new Set(
          freeze.causes.flatMap((cause) => (cause.is === "database" ? [cause.database.label] : [])),
        ),
        modules,
      },
    ),
    again: again(context, seen),
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

/** A number is no name of the cluster: curl is told where the name leads (S76). */
function accessOf({ names }: CommandContext, { look, flags }: Seen): ApiAccess {
  const { url, ca, insecure } = flags.api;
  const { fqdn, port, pods, namespace } = placesOf(look.ec, names);
  const { name } = credentialsRef(look.ec, flags.api, names);
  const common = { insecure, secret: { name, namespace }, ...(ca !== undefined && { ca }) };
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

/** This command with what it still needs. */
function again({ options }: CommandContext, { look, flags }: Seen): readonly string[] {
  const { name = "", namespace = "" } = look.ec.metadata;
  return [
    ...options.prefix.split(" "),
    ...["recover", "--apply", "--ec", name],
    ...remedyFlags(look, flags),
    ...apiFlags(look, flags),
    ...["-n", namespace],
  ];
}

function remedyFlags({ freeze }: Look, flags: RecoverFlags): readonly string[] {
  const needs = (is: string): boolean => freeze.causes.some((cause) => cause.is === is);
  const files = flags.modules.length === 0 ? ["FILE"] : flags.modules;
  return [
    ...(needs("module") ? files.flatMap((file) => ["--module", file]) : []),
    ...(needs("database") ? ["--engine-version", flags.engineVersion ?? "VERSION"] : []),
    ...(needs("digest") ? ["--drop-digests"] : []),
  ];
}

function apiFlags({ freeze }: Look, { api }: RecoverFlags): readonly string[] {
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
