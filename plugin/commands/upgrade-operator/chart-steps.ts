/** How a plan tells what helm would do, object by object and hook by hook, in helm's order (S20). */
import { omit, sameJson } from "../../domain/base/values";
import { type Delete, planStep } from "../../domain/kube/change";
import { dropField, valueAt } from "../../domain/kube/differences";
import { type KubeObject, objectLabel } from "../../domain/kube/objects";
import {
  type ChangedField,
  makePlannedWrite,
  type Result,
  type StepInfo,
} from "../../domain/kube/planned-write";
import type { Names } from "../../domain/names/names";
import { describeHook } from "../../domain/operator/chart-hooks";
import { chartKey } from "../../domain/operator/chart-objects";
import type { Unstable } from "../../domain/operator/chart-renders";
import { compareStates, predictStored } from "../../kernel/preview";
import { buildApply, type Evaluated, isWritten } from "./changes";
import { type ChartObjects, helmManager, type PlacedHook } from "./chart-objects";

/** A step of a plan, and what is said of it. */
export interface ToldStep {
  readonly info: StepInfo;
  readonly result: Extract<Result, "planned" | "unchanged" | "skipped">;
}

/** What steps are told with. */
interface Telling {
  readonly names: Names;
  readonly command: (words: readonly string[]) => string;
  readonly releaseName: string;
  /** Each object is told as it is and as it would be. */
  readonly shows: boolean;
  readonly namespace: string;
  /** What a second render gives differently. */
  readonly unstable: Unstable;
}

/** Hooks before, objects as helm writes them, what it deletes, and hooks after. */
export function listChartSteps(planned: ChartObjects, telling: Telling): readonly ToldStep[] {
  const { written, leaving, unseen, hooks } = planned;
  const hooksOf = (event: PlacedHook["event"]): readonly ToldStep[] =>
    hooks.filter((one) => one.event === event).map((one) => tellHook(one, telling));
  return [
    ...hooksOf("pre-upgrade"),
    ...written.map((step) => tellWrite(step, telling)),
    ...unseen.map(({ object, because }): ToldStep => {
      const why = `it was not compared: ${because}`;
      return { info: { id: objectStep, action: "apply", object, why }, result: "skipped" };
    }),
    ...leaving.map((one) => tellLeaving(one, telling)),
    ...hooksOf("post-upgrade"),
  ];
}

const objectStep = "operator.object";

function tellWrite(step: Evaluated, telling: Telling): ToldStep {
  const { names, command, releaseName, shows, namespace } = telling;
  const unstable = telling.unstable.get(chartKey(step.object, namespace)) ?? [];
  const apply = buildApply(step);
  const { write, ...info } = planStep(apply, command, helmManager);
  if (!isWritten(step)) return { info, result: "unchanged" };
  const dropRemoved = (object: KubeObject): KubeObject =>
    step.removed.reduce<unknown>(dropField, object) as KubeObject;
  const { stored } = step;
  const states =
    stored === undefined
      ? compareStates(
          { ...apply, verb: "update", object: dropRemoved(predictStored(apply)) },
          undefined,
          names,
        )
      : compareStates(apply, dropRemoved(stored), names);
  const changes = write.changes?.map((change) =>
    unstable.includes(change.path)
      ? { ...change, to: generated }
      : hideSecret(change, states.merged),
  );
  return {
    info: {
      ...info,
      write: {
        ...omit(write, "command"),
        ...(changes && { changes }),
        reverse: command(["helm", "rollback", releaseName]),
        ...(shows && { states }),
      },
    },
    result: "planned",
  };
}

/** What a diff would not show is shown nowhere. */
function hideSecret(change: ChangedField, shown: unknown): ChangedField {
  const { path, to } = change;
  return to === null || sameJson(valueAt(shown, path), to) ? change : { ...change, to: hidden };
}

const hidden = "not shown";
const generated = "made again with each render";

function tellLeaving(
  { live, ref, isKept }: ChartObjects["leaving"][number],
  { names, command, releaseName, shows }: Telling,
): ToldStep {
  const told = { id: objectStep, action: "delete", object: objectLabel(live) } as const;
  if (isKept) {
    const why = "it leaves the release, and helm.sh/resource-policy keeps it";
    return { info: { ...told, why }, result: "skipped" };
  }
  const change: Delete = {
    verb: "delete",
    ...{ resource: ref.resource, object: live, id: objectStep },
    why: "the release has it, and this chart does not",
    risk: "helm deletes it with all that it holds",
    reverse: command(["helm", "rollback", releaseName]),
  };
  const { write, ...info } = planStep(change, command, helmManager);
  const states = shows && compareStates(change, undefined, names);
  return {
    info: { ...info, write: { ...omit(write, "command"), ...(states && { states }) } },
    result: "planned",
  };
}

function tellHook({ hook, event, ref, label }: PlacedHook, { command, releaseName }: Telling) {
  const why = describeHook(hook, event);
  const info = { id: "operator.hook", action: "call", object: label, why } as const;
  if (ref === undefined) return { info, result: "planned" } as const;
  const write = makePlannedWrite({
    verb: "create",
    ref,
    risk: "what it runs is the chart's",
    reverse: command(["helm", "rollback", releaseName]),
  });
  return { info: { ...info, write }, result: "planned" } as const;
}
