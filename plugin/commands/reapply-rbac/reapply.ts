/**
 * Carries a plan of roles and bindings out (S34): differences alone are written, each namespace has a result of
 * its own.
 *
 * The plan is made by `planning.ts`; read `targets.ts` (which namespaces), `plan.ts` (what is wanted where),
 * `changes.ts` (the writes that follow from it), `each-place.ts` (in which order places are written) and
 * `one-place.ts` (how one is written and proven).
 */
import type { Outcome } from "../../kernel/part";
import type { Change } from "../../domain/kube/change";
import type { Permission } from "../../domain/kube/permissions";
import type { Stale } from "../../domain/rbac/managed";
import type { Site } from "../../domain/rbac/site";
import { inOrder, listDeletions, listWrites, type RbacContext } from "./changes";
import { listPrunable, type RbacPlan } from "./plan";
import type { RbacOptions } from "./read";
import type { Targets } from "./targets";
import { prune, type RbacWork, workThrough } from "./each-place";

/** What is to be done, as it was planned. */
export interface RbacPlanned extends RbacPlan {
  readonly targets: Targets;
  /** What is left where nothing is managed any more. */
  readonly stale: readonly Stale[];
  /** The places whose writes are allowed. */
  readonly open: readonly Site[];
  /** What the user may not do at the others. */
  readonly lacking: ReadonlyMap<Site, readonly Permission[]>;
}

/** Writes place by place, and prunes; throws EngineError before its first write. */
export async function reapply(work: RbacWork, plan: RbacPlanned): Promise<Outcome> {
  const { deps, session, summary, tell } = work;
  try {
    return await carryOut(work, plan);
  } catch (error) {
    if (session.written === 0) throw error;
    return deps.recorder.endByError(error, { tell });
  } finally {
    deps.recorder.keep({ namespaces: summary.listNamespaces() });
  }
}

async function carryOut(work: RbacWork, plan: RbacPlanned): Promise<Outcome> {
  const { options, rights, session, summary } = work;
  const { targets, lacking, open, stale } = plan;
  summary.begin(targets);
  for (const [site, missing] of lacking) {
    summary.add({ site, result: "failed", findings: rights.reportLacking(site, missing) });
  }
  for (const [name, finding] of targets.unfit) summary.addUnfit(name, finding);
  session.noteConfirmed(listPlannedChanges(plan, work));
  const stopped = await workThrough(work, open);
  if (options.prune && stopped === undefined) {
    await prune(work, stale, async (deletion) => {
      await session.send(deletion);
    });
  }
  return summary.makeEnd(session.written, stopped);
}

/** All writes of a plan. */
export function listPlannedChanges(
  { open, stale }: Pick<RbacPlanned, "open" | "stale">,
  { options, context }: { readonly options: RbacOptions; readonly context: RbacContext },
): readonly Change[] {
  const left = options.prune ? listPrunable(stale) : [];
  return [
    ...open.flatMap((site) => inOrder(listWrites(site, context))),
    ...left.flatMap((one) => listDeletions(one)),
  ];
}
