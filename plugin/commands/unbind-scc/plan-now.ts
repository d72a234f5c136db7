/** The plan by the cluster as it is now, also before each write of the act. */
import type { Finding } from "../../domain/base/findings";
import { requirePermissions } from "../../kernel/permissions";
import type { Session } from "../../kernel/session";
import { planUnbind, type UnbindPlan } from "./plan";
import { listWritePermissions } from "./needs";
import { readFacts, type UnbindDeps, type UnbindOptions } from "./read";

/** How a plan is made, and made again. */
export interface UnbindContext {
  readonly deps: UnbindDeps;
  readonly options: UnbindOptions;
  readonly session: Session;
  readonly tell: (findings: readonly Finding[]) => void;
}

/** A plan that nothing stands against, with all that it takes allowed. */
export async function planFit({
  deps,
  options,
  session,
  tell,
}: UnbindContext): Promise<UnbindPlan> {
  const plan = planUnbind(await readFacts(deps, options), options);
  session.requireStaying([...plan.changes, ...plan.afterProof]);
  await requirePermissions(deps, await listWritePermissions(deps, plan));
  tell(plan.findings);
  return plan;
}
