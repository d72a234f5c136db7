/** The plan of an upgrade as a document, and as a file that is saved and read. */
import { version as program } from "../../../package.json";
import { replaceFile } from "../../adapters/files";
import { parseDocuments } from "../../adapters/kubernetes/text/yaml";
import { skipWord } from "../../domain/base/skip";
import { unusualCode } from "../../domain/operator/findings";
import { UsageError } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { kinds } from "../../domain/kube/kinds";
import type { Release } from "../../domain/release/contents";
import { publicText, publicWords } from "../../domain/base/redact";
import { parsePlan, savedBy, type UpgradePlan } from "./saved-plan";
import { quoteCommand } from "../../output/escape";
import type { KubeClient } from "../../ports/kubernetes";
import { describeParts, type PartPlan } from "./planned-parts";
import type { CommandContext } from "../../cmdutil/context";
import type { UpgradeFlags } from "./flags";

/** What tells one cluster from all others, for as long as it lives. */
export async function readClusterUid(
  cluster: KubeClient,
  { signal }: CommandContext,
): Promise<string> {
  const found = await cluster.get({ resource: kinds.namespace, name: "kube-system" }, { signal });
  return found?.metadata.uid ?? "unknown";
}

interface PlanInputs {
  readonly context: CommandContext;
  readonly flags: UpgradeFlags;
  readonly opened: Release | undefined;
  readonly uid: string;
  readonly namespace: string;
  readonly found: readonly Finding[];
}

export function describePlan(plans: readonly PartPlan[], parts: PlanInputs): UpgradePlan {
  const { context, flags, opened, uid, namespace, found } = parts;
  const { chart } = flags;
  const release = opened?.source ?? publicText(`${chart?.chart ?? ""} ${chart?.version ?? ""}`);
  return {
    apiVersion: "cli.engine.com/v1",
    kind: "UpgradePlan",
    program,
    madeAt: new Date(context.clock.now()).toISOString(),
    cluster: uid,
    namespace,
    release,
    ...(opened !== undefined && { sha256: opened.sha256 }),
    words: listWords(flags),
    parts: describeParts(plans),
    steps: plans.flatMap(({ steps }) => steps),
    findings: found.map(({ code, object }) => ({ code, ...(object !== undefined && { object }) })),
  };
}

/** The words of the same upgrade, for the command that carries its plan out. */
export function listWords(flags: UpgradeFlags): readonly string[] {
  const { release, sha256, target, chart, skip } = flags;
  const accepted = flags.allowObjects.map((object) => ({ code: unusualCode, object }));
  const valued = {
    ...{ release, sha256, target, chart: chart?.chart, "release-name": chart?.releaseName },
    ...{ version: chart?.version, values: chart?.values, "image-registry": flags.registry },
    ...{ "pull-secret": flags.pullSecret, "cluster-target": flags.clusterTarget },
    ...{ "engine-version": flags.engineVersion, participant: flags.participants },
    "probe-file": flags.probeFile,
    "take-fields": flags.takeFields,
    only: flags.only.join(",") || undefined,
    skip: [...skip, ...accepted].map(skipWord),
  };
  return publicWords([
    ...Object.entries(valued).flatMap(([name, value]) =>
      [value ?? []].flat().flatMap((one) => [`--${name}`, one]),
    ),
    ...(flags.auto ? ["--auto"] : []),
    ...(flags.probe ? [] : ["--no-probe"]),
  ]);
}

/** Keeps the plan, and says how it is carried out. */
export async function savePlan(
  plan: UpgradePlan,
  file: string,
  { options }: CommandContext,
): Promise<string> {
  const hint = "give a file in a folder that can be written";
  const text = `${JSON.stringify(plan, undefined, 2)}\n`;
  await replaceFile(file, text, { what: "plan", hint, mode: 0o600 });
  const waits = options.wait ? ["--wait"] : [];
  const words = [...options.prefix.split(" "), "upgrade", ...plan.words, ...waits, "--plan", file];
  return `carry it out with ${quoteCommand([...words, ...options.contextArgs])}`;
}

export async function readSavedPlan(
  context: CommandContext,
  { plan: file }: UpgradeFlags,
): Promise<UpgradePlan | undefined> {
  if (file === undefined) return undefined;
  const [document] = parseDocuments(await context.readInput(file), file);
  const [made, now] = [savedBy(document), `version ${program}`];
  if (made !== undefined && made !== now) {
    throw new UsageError(`${file} was saved by ${made} of this tool, and this is ${now}`, {
      hint: "create a new plan with --plan-out FILE",
    });
  }
  const plan = parsePlan(document);
  if (plan !== undefined) return plan;
  throw new UsageError(`${file} is not a plan of this tool`, {
    hint: "create one with --plan-out FILE",
  });
}
