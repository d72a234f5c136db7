/** `unbind-scc` as a part: planned over a cluster, and carried out by unbind.ts (S31-S33). */
import { EngineError, UntriedError } from "../../domain/base/errors";
import { reviewPermission } from "../../domain/kube/permissions";
import { leftBy, type Part, type Planned, type PlannedChange, type World } from "../../kernel/part";
import { requirePermissions } from "../../kernel/permissions";
import { unchanged } from "../../kernel/projected";
import { dryRunSays } from "../../kernel/runner";
import { Session } from "../../kernel/session";
import { requireNamespace } from "../../readers/ground";
import { Reviews } from "../../readers/reviews";
import { placesOf, type UnbindPlan } from "./accounts";
import { sccProof, unbindNeeds } from "./needs";
import { recordReviews, reviewAll } from "./proof";
import type { UnbindDeps, UnbindOptions } from "./read";
import { outcomeOf, planFit, UnbindAct, type Unbinding, writesOf } from "./unbind";

/** What the part is told. */
export interface UnbindWish extends UnbindOptions {
  /** A command line of this program. */
  readonly engine: (words: readonly string[]) => string;
}

/** Takes the constraint from the ECs' service accounts. */
export function unbindPart({ engine, ...options }: UnbindWish): Part {
  const { namespace, scc } = options;
  return {
    command: "unbind-scc",
    needs: (names) => unbindNeeds({ names, namespace, scc }),
    plan: async (world) => {
      const deps: UnbindDeps = { ...world, engine, reviews: new Reviews(world.cluster) };
      const session = new Session(world, { ...options, dryRun: world.dryRun });
      try {
        await requireProof(deps, namespace);
        await requireNamespace(deps, namespace);
        const plan = await planFit({ deps, options, session, tell: world.tell });
        return await planned(world, { deps, options, session, tell: world.tell }, plan);
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        return stopped(error);
      }
    },
  };
}

/** Nothing is removed unproven. */
async function requireProof(deps: UnbindDeps, namespace: string): Promise<void> {
  if (await deps.reviews.possible(namespace)) return;
  await requirePermissions(deps, [reviewPermission(sccProof)], deps.recorder.needs.declared.may);
}

async function planned(world: World, own: Unbinding, plan: UnbindPlan): Promise<Planned> {
  const { deps, options, session } = own;
  await recordBefore(deps, plan);
  const changes = writesOf(plan);
  const writes: PlannedChange[] = [];
  for (const change of changes) {
    if (world.dryRun === "none") writes.push({ change });
    else {
      const stored = await session.rehearse(change);
      session.tell(change, stored);
      writes.push({ change, stored });
    }
  }
  const expects = outcomeOf(plan, { deletes: false, written: false });
  return {
    writes,
    questions: changes.length === 0 ? [] : [`On ${deps.cluster.server}: ${plan.acts}?`],
    expects: { ...expects, reason: dryRunSays(changes.length) },
    after: leftBy(writes),
    act: async (ports) => {
      const real: UnbindDeps = { ...ports, engine: deps.engine, reviews: deps.reviews };
      const acting = new Session(ports, { ...options, dryRun: "none" });
      const { tell } = ports;
      return await new UnbindAct({ deps: real, options, session: acting, tell }, plan).act();
    },
  };
}

function stopped(error: EngineError): Planned {
  return {
    writes: [],
    questions: [],
    stops: error,
    expects: { code: error.exitCode, reason: error.message },
    after: unchanged,
    act: () => Promise.reject(error),
  };
}

/** Who may use it today; nobody can tell for roles and bindings that an earlier part will write. */
async function recordBefore(deps: UnbindDeps, plan: UnbindPlan): Promise<void> {
  const { constraint } = plan;
  try {
    const answers = await reviewAll(deps, constraint, placesOf(plan));
    recordReviews(deps, { phase: "before", constraint }, answers);
  } catch (error) {
    if (!(error instanceof UntriedError)) throw error;
  }
}
