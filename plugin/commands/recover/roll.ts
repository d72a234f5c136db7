/** The roll's own steps of --apply: each is proven once more, by a look of its own, right before it is written. */
import { nameAwaited } from "../../domain/base/awaited";
import { nameProgress } from "../../domain/rollout/progress";
import { BlockedError, exitCodes } from "../../domain/base/errors";
import { judgeCluster } from "../../domain/engine-cluster/rollout";
import type { Pod, StatefulSet } from "../../domain/kube/models";
import { type Change } from "../../domain/kube/change";
import { objectLabel } from "../../domain/kube/objects";
import type { RollStep } from "../../domain/recovery/roll";
import { rollFindings } from "../../domain/rollout/findings";
import { readRoll, releasingEdits } from "../../domain/rollout/stateful-set";
import { recoveryFinding } from "../../domain/recovery/findings";
import { readClusterFacts } from "../../readers/engine-cluster";
import { waitFor } from "../../kernel/wait";
import { lookKeys } from "./needs";
import { buildRollChange, findRolled } from "./changes";
import { lookAt, type RecoverContext } from "./read";
import { makeLimits, NotResumedError } from "./rest-api";

/** Does the steps, one after the other, and sees each pod that is created again become ready. */
export async function applyRoll(
  context: RecoverContext,
  steps: readonly RollStep[],
): Promise<void> {
  for (const step of steps) {
    const change = await provenAgain(context, step);
    if (change === undefined) continue;
    await context.session.send(change, () => provenAgain(context, step));
    if (step.is === "outdated") await renewed(context, step.pod);
  }
}

/** The write for what is there now; undefined where nothing is left to do. Throws 5 where it is not safe any more. */
async function provenAgain(context: RecoverContext, step: RollStep): Promise<Change | undefined> {
  const object = objectLabel(findRolled(step));
  const { freeze, facts } = await lookAt(context);
  const now = freeze.causes.find(
    (cause) => cause.is === step.is && cause.finding.object === object,
  );
  if (now?.is === "outdated" || now?.is === "held") return buildRollChange(now, facts);
  if (!isThere(step, facts.objects)) {
    context.deps.recorder.note(
      `${object}: another run or a person has done it, nothing is left to do`,
    );
    return undefined;
  }
  const cause = `since it was planned something has changed, and it is no longer proven safe: ${freeze.says}`;
  throw new BlockedError(exitCodes.conflict, [recoveryFinding("unproven", { object, cause })]);
}

/** Whether the object is still as the step found it. */
function isThere(
  step: RollStep,
  objects: { readonly pods: readonly Pod[]; readonly statefulSets: readonly StatefulSet[] },
): boolean {
  if (step.is === "outdated") {
    return objects.pods.some(({ metadata }) => metadata.uid === step.pod.metadata.uid);
  }
  const set = objects.statefulSets.find(({ metadata }) => metadata.uid === step.set.metadata.uid);
  const [edit] = set === undefined ? [] : releasingEdits(set);
  return edit?.from !== edit?.to && edit?.from !== undefined;
}

/** Waits until the pod is there again, new and ready. */
async function renewed(context: RecoverContext, pod: Pod): Promise<void> {
  const { deps, options } = context;
  const { namespace, name } = options;
  const object = objectLabel(pod);
  const info = {
    id: `recover.pod.${String(pod.metadata.name)}.ready`,
    action: "wait",
    object,
    why: "until it is created again and ready",
  } as const;
  await deps.recorder.step(info, async () => {
    const why = await waitFor(deps, {
      look: async ({ idleMs }) => {
        const facts = await readClusterFacts(
          deps,
          { namespace, resource: context.resource },
          lookKeys,
        );
        const [set] = facts.objects.statefulSets.filter(({ metadata }) => metadata.name === name);
        const now = set && readRoll(facts, set).pods.find((one) => one.name === pod.metadata.name);
        if (now?.updated === true && now.ready) return { is: "done", value: "it is ready" };
        const patience = { idleMs, stallAfterMs: options.stallAfterMs };
        const progress = judgeCluster(facts, name, { sameRelease: true, patience });
        if (progress.is === "moving") return nameProgress(object, progress);
        // what holds the other pods is taken away after it
        const isOther = progress.is === "done" || progress.code === rollFindings.held.code;
        return isOther ? { is: "moving", on: nameAwaited(object, "to be ready") } : progress;
      },
      ...makeLimits(options, (on) => {
        const cause = `it was deleted, and does not become ready: it waits for ${on}`;
        return new NotResumedError(exitCodes.failed, [
          recoveryFinding("notResumed", { object, cause }),
        ]);
      }),
    });
    return { result: "done", value: undefined, why };
  });
}
