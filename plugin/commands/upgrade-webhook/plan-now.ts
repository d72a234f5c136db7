/**
 * What planning.ts and swap.ts share: the plan for the configurations as they are now (made first, and made again
 * where someone has changed them), the apply fitted to it, and the session that tries or sends it.
 */
import { webhookFindings } from "../../domain/admission/findings";
import { requireMatched } from "../../domain/checks/selection";
import { BlockedError, exitCodes } from "../../domain/base/errors";
import type { ConfigurationApply } from "./trial";
import { Session, type SessionOptions, type SessionPorts } from "../../kernel/session";
import type { World } from "../../kernel/world";
import { limitToCa } from "./ca-only";
import { listChanges, fitApply } from "./changes";
import { planSwap, type SwapPlan } from "./plan";
import { type SwapDeps, type SwapOptions, type JudgedSecret, readConfigurations } from "./read";
import { requirePermissions } from "../../kernel/permissions";
import { swapWrites } from "./needs";
import { workByPlan } from "../../kernel/send";

/** What a swap is planned with, and planned again. */
export interface SwapContext {
  readonly deps: SwapDeps;
  readonly options: SwapOptions;
  readonly session: Session;
  readonly secret: Pick<JudgedSecret, "caBundle" | "facts">;
}

/** A plan with its apply as it has to be sent. */
export interface ReadySwap {
  readonly plan: SwapPlan;
  readonly apply: ConfigurationApply | undefined;
}

/** The plan for the configurations as they are now. */
export async function planSwapFromCluster({
  deps,
  options,
  secret,
}: SwapContext): Promise<SwapPlan> {
  const found = await readConfigurations(deps, options);
  const plan = planSwap({
    ...options,
    ...found,
    caBundle: secret.caBundle,
    certificate: secret.facts,
    names: deps.names,
  });
  return options.caOnly === true ? limitToCa(plan, deps.names, found.left) : plan;
}

/** What is not of another owner: 3, and not 5. */
const blocking: readonly string[] = [
  webhookFindings.losesRules.code,
  webhookFindings.beyondCa.code,
  webhookFindings.leftover.code,
];

/** Throws what stands against a plan. */
export function requireFit({ deps, options, session }: SwapContext, plan: SwapPlan): void {
  const changes = listChanges(deps, plan);
  const errors = plan.findings.filter(({ severity }) => severity === "error");
  session.requireStaying(changes);
  if (errors.length === 0) {
    // where nothing is to be done any more, the same command again is no mistake
    if (changes.length > 0) requireMatched(options.skip, plan.findings);
    return;
  }
  const conflicts = errors.some(({ code }) => !blocking.includes(code));
  throw new BlockedError(conflicts ? exitCodes.conflict : exitCodes.blocked, plan.findings);
}

/** The plan as of now that nothing stands against, with all permissions that it takes. */
export async function planPermittedSwap(swapping: SwapContext): Promise<SwapPlan> {
  const { deps } = swapping;
  const plan = await planSwapFromCluster(swapping);
  requireFit(swapping, plan);
  await requirePermissions(deps, swapWrites(deps.names, plan));
  return plan;
}

/** The apply as it has to be sent; what someone changed meanwhile is read and planned again. */
export async function prepareSwap(
  { deps, session }: SwapContext,
  first: SwapPlan,
  again: () => Promise<SwapPlan>,
): Promise<ReadySwap> {
  return await workByPlan(deps, first, {
    work: async (plan) => ({
      plan,
      apply: plan.apply && (await fitApply(deps, session, plan)),
    }),
    again,
  });
}

/** The session of a plan, or of its act. */
export function openSession(
  world: SessionPorts & Pick<World, "dryRun">,
  { fieldManager, takeFields, shows }: SwapOptions,
  during?: SessionOptions["during"],
): Session {
  const { names, dryRun } = world;
  const others = [names.webhookFieldManager];
  return new Session(world, {
    ...{ fieldManager, takeFields, shows, dryRun, others },
    ...(during !== undefined && { during }),
  });
}
