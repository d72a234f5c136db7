/** `upgrade-webhook`: flags to options, then the swap (S24-S30). */
import type { RoleWish } from "../../cmdutil/print-role";
import type { Needs } from "../../domain/facts/needs";
import { probedAnywhere, probedBy } from "../../domain/admission/needs";
import { swapNeeds } from "./needs";
import { findEntry, readServiceName } from "../../domain/admission/configuration";
import { runPart } from "../../kernel/run-part";
import type { World, AskingPorts } from "../../kernel/world";
import type { Report } from "../../kernel/report";
import { readTemplate, readWish, requireRendered, type SwapPartWish } from "./input";
import { probePair, readProbeFile } from "../../cmdutil/probe-file";
import { swapPart } from "./part";
import type { CommandContext } from "../../cmdutil/context";
import type { UpgradeWebhookFlags } from "./flags";
import { findRelease, withRelease } from "../../cmdutil/release-option";
import { runPorts } from "../../cmdutil/run-ports";

/** Swaps the admission webhook; every expected end comes back as a report. */
export async function runUpgradeWebhook(
  context: CommandContext,
  _args: readonly string[],
  flags: UpgradeWebhookFlags,
): Promise<Report> {
  const opened = await findRelease(context, flags);
  const wish = await readWish(context, flags, opened);
  const report = await swapWebhook(await runPorts(context, "UpgradeWebhook"), {
    ...wish,
    dryRun: context.options.dryRun,
  });
  return withRelease(report, opened);
}

/** Runs the part by itself. The Secret may be late: a dry run waits for it, too. */
export async function swapWebhook(
  ports: AskingPorts,
  { dryRun, ...wish }: SwapPartWish & Pick<World, "dryRun">,
): Promise<Report> {
  try {
    wish.requireInput?.();
  } catch (error) {
    return ports.recorder.failure(error);
  }
  return await runPart(ports, swapPart(wish), { dryRun, limitMs: 0, waits: true });
}

/** What the swap may need: which edits prove it is known of a file alone. */
export async function webhookRole({
  context,
  flags,
  namespace,
}: RoleWish<UpgradeWebhookFlags>): Promise<Needs> {
  const { names } = context;
  const text = await readTemplate(context, flags, await findRelease(context, flags));
  const entry = findEntry(requireRendered(text, namespace, context), names.webhook.entry);
  const file = await readProbeFile(context, flags);
  const pair = probePair(file, flags.probeFile ?? "", { namespace, names });
  const probed = pair === undefined ? probedAnywhere(names) : [probedBy(pair)];
  return swapNeeds({
    ...{ names, namespace },
    service: readServiceName(entry) ?? names.webhook.service,
    probed: flags.probe ? probed : [],
    caOnly: flags.caOnly,
  });
}
