/** The file of a plan: saved, read again, and the cluster that it is for. */
import { version as program } from "../../../package.json";
import { replaceFile } from "../../adapters/files";
import { parseDocuments } from "../../adapters/kubernetes/text/yaml";
import { UsageError } from "../../domain/base/errors";
import { kinds } from "../../domain/kube/kinds";
import { parsePlan, savedBy, type UpgradePlan } from "./plan-document";
import { quoteCommand } from "../../output/escape";
import type { KubeClient } from "../../ports/kubernetes";
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
