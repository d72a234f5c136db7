/** `upgrade-webhook` as a part: planned by planning.ts over a cluster, and carried out by swap.ts (S24-S30). */
import { BlockedError, exitCodes } from "../../domain/base/errors";
import { webhookFindings } from "../../domain/admission/findings";
import { hindranceFinding } from "../../domain/admission/refusers";
import type { ProvablePart } from "../../kernel/part";
import type { World } from "../../kernel/world";
import type { ExitReport } from "../../kernel/report";
import { readDefaults } from "../../cmdutil/spec";
import type { UpgradePart, PartInputs } from "../../cmdutil/upgrade-part";
import { readSnapshot } from "../../readers/snapshot";
import { probedFacts, probeWebhook } from "../../readers/webhook-probe";
import { upgradeWebhook } from "./flags";
import { readWish, type SwapPartWish } from "./input";
import { probedAnywhere } from "../../domain/admission/needs";
import { listNeeds, swapCommand, swapNeeds } from "./needs";
import { webhookOwner, skipWebhook } from "./gate";
import { SwapPlanning } from "./planning";

/** What `upgrade` knows of it. */
export const webhook: UpgradePart = {
  id: "webhook",
  title: "Reapply the admission webhook",
  because: "the new admission server has to be ready before it is called",
  source: "S24-S30",
  gate: skipWebhook,
  // nobody but a person opens a policy: the part would wait for that once the operator is upgraded
  settles: { areas: ["webhook", "certificate"], except: [webhookFindings.networkClosed.code] },
  needs: ({ facts: { names, namespace }, flags }) => [
    swapNeeds({
      ...{ names, namespace, service: names.webhook.service },
      probed: flags.probe ? probedAnywhere(names) : [],
    }),
  ],
  makeParts: async (inputs, { isUnderWay }) => [await makePart(inputs, isUnderWay)],
  prove: (inputs) => {
    if (webhookOwner(inputs.facts) === undefined || !inputs.flags.probe) return undefined;
    return async (world) => await (await makePart(inputs, false)).prove(world);
  },
};

async function makePart(
  { context, flags, opened }: PartInputs,
  isUnderWay: boolean,
): Promise<ProvablePart> {
  const { takeFields, probe, probeFile } = flags;
  const own = { ...readDefaults(upgradeWebhook), takeFields, probe, probeFile };
  const { wait } = context.options;
  return swapPart({
    ...(await readWish(context, own, opened)),
    wait: wait || isUnderWay,
    // with --wait the plan before may have waited in the place of looking
    isProbed: isUnderWay && !wait,
  });
}

/** Puts the new webhook in the place of the old one. */
export function swapPart(wish: SwapPartWish): ProvablePart {
  return {
    command: swapCommand,
    needs: (names) => listNeeds(names, wish),
    plan: async (world) => await new SwapPlanning(world, wish).plan(),
    prove: async (world) => await proveSwap(world, wish),
  };
}

/**
 * Exit 7 where it was seen not to work, 3 where somebody else refuses what would prove it; any other
 * cause that is not the webhook's leaves it unproven.
 */
async function proveSwap(
  world: World,
  { namespace, probeName: name, probePair: own }: SwapPartWish,
): Promise<ExitReport> {
  const facts = await readSnapshot(world, namespace, probedFacts);
  const { entry } = world.names.webhook;
  const outcome = await probeWebhook(world, facts, { name, phase: "found", own, entry, most: 1 });
  if (outcome.is === "proven") {
    return { code: exitCodes.ok, reason: "it was seen refusing a bad edit" };
  }
  if (outcome.is === "open" || outcome.is === "unasked")
    return { code: exitCodes.ok, reason: `unproven: ${outcome.because}` };
  if (outcome.is === "elsewhere") {
    const found = new BlockedError(exitCodes.blocked, [hindranceFinding(outcome.hindrance)]);
    return world.recorder.endByError(found, { tell: world.tell });
  }
  return {
    code: exitCodes.rolledBack,
    reason: `the proof failed: ${outcome.because}; this run wrote nothing of it`,
    next: "find out why in the log of the pod behind the webhook's Service, fix it, then run again",
  };
}
