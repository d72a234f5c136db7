/** `upgrade-webhook`: flags to options, then the swap (S24-S30). */
import type { RoleWish } from "../../cmdutil/print-role";
import type { Needs } from "../../domain/facts/needs";
import { probedAnywhere, probedBy, swapNeeds } from "./needs";
import { readSecretCertificate } from "../../adapters/certificate";
import { parseDocuments } from "../../adapters/yaml";
import { judgeCertificate, type LiveBundles } from "../../domain/certificate/certificate";
import { exitCodes, InputError, UsageError, BlockedError } from "../../domain/base/errors";
import type { Names } from "../../domain/names/names";
import type { KubeObject, Resource } from "../../domain/kube/objects";
import type { Release } from "../../domain/release/contents";
import { isObject } from "../../domain/base/values";
import { entryOf, serviceNameOf, wideRules } from "../../domain/admission/configuration";
import { accept, requireMatched } from "../../domain/checks/selection";
import { type Skip, skipWord } from "../../domain/base/skip";
import type { Finding } from "../../domain/base/findings";
import { webhookFinding, webhookFindings } from "../../domain/admission/findings";
import { renderTemplate } from "../../domain/admission/wanted";
import type { ProbePair } from "../../domain/admission/probe";
import { hindranceFinding } from "../../domain/admission/refusers";
import { certificateReport } from "../../readers/certificate";
import type { Report } from "../../kernel/report";
import type { JudgedSecret, SwapOptions } from "./read";
import { swapWebhook } from "./swap";
import type { CommandContext } from "../../cmdutil/context";
import type { UpgradeWebhookFlags } from "./flags";
import { releaseOf, requireFile, shippedWebhook, withRelease } from "../../cmdutil/release-option";
import { type PreparedRun, probeNameOf, runPorts, writeOptions } from "../../cmdutil/run-ports";
import { readSnapshot } from "../../readers/snapshot";
import { probedFacts, probeWebhook } from "../../readers/webhook-probe";

/** Swaps the admission webhook. */
export async function runUpgradeWebhook(
  context: CommandContext,
  _args: readonly string[],
  flags: UpgradeWebhookFlags,
): Promise<Report> {
  const opened = await releaseOf(context, flags);
  const swap = await prepareUpgradeWebhook(context, flags, { opened });
  return await swap(context);
}

/** What a command that includes this one has already, and knows of the time when it will run. */
interface WebhookPreparation extends Pick<SwapOptions, "assumeReady"> {
  /** The release that was opened, instead of the flags that name one. */
  readonly opened?: Release | undefined;
}

/** Reads what was given; the swap itself, every expected end of it a report, follows when wanted. */
export async function prepareUpgradeWebhook(
  context: CommandContext,
  flags: UpgradeWebhookFlags,
  { opened, ...ahead }: WebhookPreparation = {},
): Promise<PreparedRun> {
  const template = await readTemplate(context, flags, opened);
  const probeDocuments = await readProbeFile(context, flags);
  return async (later) =>
    withRelease(await run(later, { ...flags, ...ahead }, { template, probeDocuments }), opened);
}

interface Given {
  readonly template: Template;
  readonly probeDocuments: readonly unknown[] | undefined;
}

async function run(
  context: CommandContext,
  flags: UpgradeWebhookFlags & Pick<SwapOptions, "assumeReady">,
  { template: text, probeDocuments }: Given,
): Promise<Report> {
  const { options, names } = context;
  const ports = await runPorts(context, "UpgradeWebhook");
  const { namespace } = ports.cluster;
  const template = rendered(text, namespace, context);
  const beyond = rulesBeyond(template, names, text.source);
  const skip = [flags.skip.filter(isOfRules), flags.skip.filter((one) => !isOfRules(one))] as const;
  try {
    requireNarrow(accept(beyond, skip[0]), skip[0]);
  } catch (error) {
    return ports.recorder.failure(error);
  }
  const swapOptions: SwapOptions = {
    ...flags,
    skip: skip[1],
    namespace,
    template,
    shippedTemplate: text.shipped === true,
    ...writeOptions(context),
    timeoutMs: options.timeoutMs,
    probePair: probePair(probeDocuments, flags.probeFile ?? "", { namespace, names }),
  };
  return await swapWebhook(
    {
      ...ports,
      judgeSecret: (secret, live) =>
        judgeSecret(secret, live, { names, clock: context.clock, namespace }),
      probeName: probeNameOf(context),
    },
    swapOptions,
  );
}

interface Template {
  readonly documents: readonly unknown[];
  readonly source: string;
  readonly shipped?: boolean;
}

async function readTemplate(
  context: CommandContext,
  { template }: UpgradeWebhookFlags,
  opened: Release | undefined,
): Promise<Template> {
  if (template !== undefined) {
    const source = template === "-" ? "standard input" : template;
    return { documents: parseDocuments(await context.readInput(template), source), source };
  }
  const { names } = context;
  if (opened !== undefined) {
    const { text, source } = requireFile(opened, names.release.webhook, "webhook template");
    return { documents: parseDocuments(text, source), source };
  }
  return shippedWebhook(names);
}

function rendered(
  { documents, source }: Template,
  namespace: string,
  { names }: CommandContext,
): KubeObject {
  const result = renderTemplate(documents, namespace, names);
  if (result.is === "rendered") return result.configuration;
  throw new UsageError(
    result.problems.map((problem) => `template ${source}: ${problem}`),
    {
      hint: `give the webhook template of an operator release (${names.release.webhook[0] ?? ""})`,
    },
  );
}

const rulesCode = webhookFindings.rulesBeyond.code;
const isOfRules = ({ code }: Skip): boolean => code === rulesCode;

/** A fail-closed rule beyond the product's kinds stops edits of others: it has to be asked for. */
function rulesBeyond(template: KubeObject, names: Names, source: string): readonly Finding[] {
  const entry = entryOf(template, names.webhook.entry);
  return wideRules(entry, names).map((rule) =>
    webhookFinding("rulesBeyond", {
      object: rule,
      cause: `template ${source}: its rules reach beyond the kinds of ${names.group}`,
      fix: `look at its rules; if they are intended, accept it with --skip '${skipWord({ code: rulesCode, object: rule })}'`,
    }),
  );
}

function requireNarrow(beyond: readonly Finding[], skip: readonly Skip[]): void {
  if (beyond.some(({ accepted }) => accepted !== true)) {
    throw new BlockedError(exitCodes.usage, beyond);
  }
  requireMatched(skip, beyond);
}

async function readProbeFile(
  context: CommandContext,
  { probeFile }: Pick<UpgradeWebhookFlags, "probeFile">,
): Promise<readonly unknown[] | undefined> {
  if (probeFile === undefined) return undefined;
  return parseDocuments(await context.readInput(probeFile), probeFile);
}

/** Two documents: the first must pass, the second must be refused. */
function probePair(
  documents: readonly unknown[] | undefined,
  source: string,
  { namespace, names }: { readonly namespace: string; readonly names: Names },
): ProbePair | undefined {
  if (documents === undefined) return undefined;
  const [accept, deny] = documents.map((document) => probeObject(document, namespace));
  if (documents.length !== 2 || accept === undefined || deny === undefined) {
    throw new UsageError(
      `probe file ${source}: two objects are expected, each with apiVersion, kind and metadata.name`,
      { hint: "the first must pass the webhook, the second must be refused by it" },
    );
  }
  if (accept.kind !== deny.kind || accept.apiVersion !== deny.apiVersion) {
    throw new InputError(`probe file ${source}: the two objects are of different kinds`);
  }
  return {
    kind: accept.kind,
    resource: resourceOf(accept, names),
    accept,
    denies: [{ what: `the second object of ${source}`, object: deny }],
  };
}

function probeObject(document: unknown, namespace: string): KubeObject | undefined {
  if (!isObject(document) || !isObject(document["metadata"])) return undefined;
  const { apiVersion, kind, metadata } = document;
  if (typeof apiVersion !== "string" || typeof kind !== "string") return undefined;
  if (typeof metadata["name"] !== "string") return undefined;
  return { ...document, apiVersion, kind, metadata: { namespace, ...metadata } };
}

/** The names know the plurals of the product's kinds; another kind's is a guess, lower case and an s. */
function resourceOf({ apiVersion, kind }: KubeObject, names: Names): Resource {
  const [group = "", version = ""] = apiVersion.split("/");
  const known = [names.ec, names.edb, names.eaadb, names.erc].find((each) => each.kind === kind);
  return { group, version, kind, plural: known?.plural ?? `${kind.toLowerCase()}s` };
}

/** Its parts by name: what a context of `upgrade` has from another is lost where it is spread. */
interface SecretContext extends Pick<CommandContext, "names" | "clock"> {
  readonly namespace: string;
}

function judgeSecret(
  secret: KubeObject,
  live: LiveBundles | undefined,
  { names, clock, namespace }: SecretContext,
): JudgedSecret {
  const facts = readSecretCertificate(secret, names, live);
  const findings = judgeCertificate(facts, { namespace, now: clock.now(), names });
  const [certificate] = certificateReport(`${namespace}/${names.webhook.secret}`, facts);
  return { caBundle: facts.caBundle, certificate, facts, findings };
}

/**
 * Exit 7 where it was seen not to work, 3 where somebody else refuses what would prove it; any other
 * cause that is not the webhook's leaves it unproven.
 */
export async function verifyWebhook(
  context: CommandContext,
  given: Pick<UpgradeWebhookFlags, "probeFile">,
): Promise<Report> {
  const ports = await runPorts(context, "UpgradeWebhook");
  const { recorder, cluster, names } = ports;
  const { namespace } = cluster;
  const documents = await readProbeFile(context, given);
  const own = probePair(documents, given.probeFile ?? "", { namespace, names });
  const facts = await readSnapshot(ports, namespace, probedFacts);
  const probe = { name: probeNameOf(context), phase: "found", own };
  const outcome = await probeWebhook(ports, facts, probe);
  if (outcome.is === "proven") return recorder.success("it was seen refusing a bad edit");
  if (outcome.is === "open") return recorder.success(`unproven: ${outcome.because}`);
  if (outcome.is === "elsewhere") {
    const found = [hindranceFinding(outcome.hindrance)];
    return recorder.failure(new BlockedError(exitCodes.blocked, found));
  }
  return recorder.report({
    code: exitCodes.rolledBack,
    reason: `the proof failed: ${outcome.because}; this run wrote nothing of it`,
    next: "find out why in the log of the pod behind the webhook's Service, fix it, then run again",
  });
}

/** What the swap may need: which edits prove it is known of a file alone. */
export async function webhookRole({
  context,
  flags,
  namespace,
}: RoleWish<UpgradeWebhookFlags>): Promise<Needs> {
  const { names } = context;
  const text = await readTemplate(context, flags, await releaseOf(context, flags));
  const entry = entryOf(rendered(text, namespace, context), names.webhook.entry);
  const file = await readProbeFile(context, flags);
  const pair = probePair(file, flags.probeFile ?? "", { namespace, names });
  const probed = pair === undefined ? probedAnywhere(names) : [probedBy(pair)];
  return swapNeeds({
    ...{ names, namespace },
    service: serviceNameOf(entry) ?? names.webhook.service,
    probed: flags.probe ? probed : [],
  });
}
