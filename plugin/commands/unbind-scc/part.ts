/** `unbind-scc` as a part: planned over a cluster, and carried out by unbind.ts (S31-S33). */
import type { PlannedChange } from "../../domain/kube/change";
import { UntriedError } from "../../domain/base/errors";
import { reviewPermission } from "../../domain/kube/permissions";
import { type Part, type Planned, makeStopped } from "../../kernel/part";
import { projectWrites } from "../../kernel/projection";
import type { World } from "../../kernel/world";
import { requirePermissions } from "../../kernel/permissions";
import { describeDryRun } from "../../kernel/simple-part";
import { Session } from "../../kernel/session";
import { requireGround } from "../../readers/ground";
import { kubectlCommand } from "../../cmdutil/kubectl-command";
import { writeOptions } from "../../cmdutil/run-ports";
import type { UpgradePart } from "../../cmdutil/upgrade-part";
import { Reviews } from "../../readers/reviews";
import { listPlaces, type UnbindPlan } from "./plan";
import { sccProof, unbindNeeds } from "./needs";
import { skipScc } from "./gate";
import { recordReviews, reviewAll } from "./proof";
import type { UnbindDeps, UnbindOptions } from "./read";
import { describeEnd, listWrites, planFit, UnbindAct, type UnbindContext } from "./unbind";

/** What `upgrade` knows of it. */
export const scc: UpgradePart = {
  id: "scc",
  title: "Unbind the old SCC",
  because: "the pods run unprivileged once all of them are new",
  source: "S33",
  gate: skipScc,
  settles: { areas: ["scc"] },
  needs: ({ facts: { names, namespace, unserved } }) =>
    unserved.has("constraints") ? [] : [unbindNeeds({ names, namespace, scc: undefined })],
  makeParts: async ({ context }) => {
    const { namespace } = await context.connect();
    const { options } = context;
    const command = kubectlCommand(options);
    return [unbindPart({ namespace, command, ...writeOptions(context) })];
  },
};

/** What the part is told. */
export interface UnbindWish extends UnbindOptions {
  /** A kubectl command that names its namespace itself. */
  readonly command: (words: readonly string[]) => string;
}

/** Takes the constraint from the ECs' service accounts. */
export function unbindPart({ command, ...options }: UnbindWish): Part {
  const { namespace, scc } = options;
  return {
    command: "unbind-scc",
    needs: (names) => unbindNeeds({ names, namespace, scc }),
    plan: async (world) => {
      const reviews = new Reviews(world.cluster);
      const deps: UnbindDeps = { ...world, command, reviews };
      const session = new Session(deps, { ...options, dryRun: world.dryRun });
      try {
        await requireProof(deps, namespace);
        await requireGround(deps, "unbind-scc", { namespace });
        const plan = await planFit({ deps, options, session, tell: world.tell });
        return await makePlanned(world, { deps, options, session, tell: world.tell }, plan);
      } catch (error) {
        return makeStopped(error);
      }
    },
  };
}

/** Nothing is removed unproven. */
async function requireProof(deps: UnbindDeps, namespace: string): Promise<void> {
  if (await deps.reviews.possible(namespace)) return;
  await requirePermissions(deps, [reviewPermission(sccProof)], deps.recorder.needs.declared.may);
}

async function makePlanned(world: World, own: UnbindContext, plan: UnbindPlan): Promise<Planned> {
  const { deps, options, session } = own;
  await recordBefore(deps, plan);
  const changes = listWrites(plan);
  const writes: PlannedChange[] = [];
  for (const change of changes) {
    writes.push(world.dryRun === "none" ? { change } : await session.planWrite(change));
  }
  const expects = describeEnd(plan, { deletes: false, written: false });
  return {
    writes,
    questions: changes.length === 0 ? [] : [`${plan.acts}?`],
    expects: { ...expects, reason: describeDryRun(changes.length) },
    after: projectWrites(writes),
    act: async (ports) => {
      const { command, reviews } = deps;
      const real: UnbindDeps = { ...ports, command, reviews };
      const acting = new Session(real, { ...options, dryRun: "none" });
      const { tell } = ports;
      return await new UnbindAct({ deps: real, options, session: acting, tell }, plan).act();
    },
  };
}

/** Who may use it today; nobody can tell for roles and bindings that an earlier part will write. */
async function recordBefore(deps: UnbindDeps, plan: UnbindPlan): Promise<void> {
  const { constraint } = plan;
  try {
    const answers = await reviewAll(deps, constraint, listPlaces(plan));
    recordReviews(deps, { phase: "before", constraint }, answers);
  } catch (error) {
    if (!(error instanceof UntriedError)) throw error;
  }
}
