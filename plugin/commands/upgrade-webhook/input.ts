/** What the command was given, read and judged before anything but the namespace is asked: template, probe file, flags. */
import { readSecretCertificate } from "../../adapters/certificate";
import { parseManifests } from "../../cmdutil/manifest-documents";
import { judgeCertificate } from "../../domain/certificate/certificate";
import type { LiveBundles } from "../../domain/admission/injector";
import { exitCodes, UsageError, BlockedError } from "../../domain/base/errors";
import type { Names } from "../../domain/names/names";
import type { ValidatingWebhookConfiguration } from "../../domain/kube/models";
import type { KubeObject } from "../../domain/kube/objects";
import type { Release } from "../../domain/release/contents";
import { findEntry, wideRules } from "../../domain/admission/configuration";
import { accept, requireMatched } from "../../domain/checks/selection";
import { type Skip, skipWord } from "../../domain/base/skip";
import type { Finding } from "../../domain/base/findings";
import { webhookFinding, webhookFindings } from "../../domain/admission/findings";
import { renderTemplate } from "../../domain/admission/wanted";
import { certificateReport } from "../../readers/certificate";
import type { JudgedSecret, SwapHelpers, SwapOptions } from "./read";
import { type CommandContext, resolveNamespace } from "../../cmdutil/context";
import { type UpgradeWebhookFlags } from "./flags";
import { requireFile, readShippedWebhook } from "../../cmdutil/release-option";
import { probePair, readProbeFile } from "../../cmdutil/probe-file";
import { nameProbe, writeOptions } from "../../cmdutil/run-ports";

/** What the part is told. */
export interface SwapPartWish extends SwapOptions, SwapHelpers {
  /** Throws EngineError for what stands against it, whatever the cluster is like. */
  readonly requireInput?: () => void;
  /** The plan before has probed what was found: this one does not again. */
  readonly isProbed?: boolean;
}

export async function readWish(
  context: CommandContext,
  flags: UpgradeWebhookFlags,
  opened: Release | undefined,
): Promise<SwapPartWish> {
  const { options, names, clock } = context;
  const text = await readTemplate(context, flags, opened);
  const probeDocuments = await readProbeFile(context, flags);
  const { namespace } = await (await resolveNamespace(context)).connect();
  const template = requireRendered(text, namespace, context);
  const beyond = listRulesBeyond(template, names, text.source);
  const skip = [flags.skip.filter(isOfRules), flags.skip.filter((one) => !isOfRules(one))] as const;
  return {
    ...flags,
    skip: skip[1],
    namespace,
    template,
    shippedTemplate: text.shipped === true,
    ...writeOptions(context),
    timeoutMs: options.timeoutMs,
    probePair: probePair(probeDocuments, flags.probeFile ?? "", { namespace, names }),
    requireInput: () => {
      requireNarrow(accept(beyond, skip[0]), skip[0]);
    },
    judgeSecret: (secret, live) => judgeSecret(secret, live, { names, clock, namespace }),
    probeName: nameProbe(context),
  };
}

interface Template {
  readonly documents: readonly unknown[];
  readonly source: string;
  readonly shipped?: boolean;
}

export async function readTemplate(
  context: CommandContext,
  { template }: UpgradeWebhookFlags,
  opened: Release | undefined,
): Promise<Template> {
  if (template !== undefined) {
    const source = template === "-" ? "standard input" : template;
    return { documents: parseManifests(await context.readInput(template), source), source };
  }
  const { names } = context;
  if (opened !== undefined) {
    const { text, source } = requireFile(opened, names.release.webhook, "webhook template");
    return { documents: parseManifests(text, source), source };
  }
  return readShippedWebhook(names);
}

export function requireRendered(
  { documents, source }: Template,
  namespace: string,
  { names }: CommandContext,
): ValidatingWebhookConfiguration {
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
function listRulesBeyond(
  template: ValidatingWebhookConfiguration,
  names: Names,
  source: string,
): readonly Finding[] {
  const entry = findEntry(template, names.webhook.entry);
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
