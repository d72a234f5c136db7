/** How the judged objects of a release are told by a plan, and written in their order (S15–S19). */
import { kinds } from "../../domain/kube/kinds";
import { dropField } from "../../domain/kube/differences";
import { describeStep, type PlannedChange } from "../../domain/kube/change";
import type { KubeObject } from "../../domain/kube/objects";
import { bundleRef } from "../../domain/operator/wanted";
import type { Recorder } from "../../kernel/recorder";
import { workByPlan } from "../../kernel/send";
import type { Session } from "../../kernel/session";
import type { ActingPorts } from "../../kernel/world";
import { buildApply, type Evaluated, isWritten, listRewrites, listWrites } from "./changes";
import { attempts, evaluate, type Evaluating, requireFit } from "./evaluate";
import { waitForDefinition } from "./follow";

/** What objects are written with. */
export interface Bringing extends Omit<Evaluating, "deps"> {
  readonly ports: ActingPorts;
}

/** Every write as it was tried; what is left as it is is told in its place. */
export function tellWrites(
  recorder: Recorder,
  session: Session,
  steps: readonly Evaluated[],
): readonly PlannedChange[] {
  const writes: PlannedChange[] = [];
  for (const step of steps) {
    tellLeft(recorder, step);
    for (const change of listWrites(step)) {
      // the adoption changes no value, but has the apply take away what no dry run before it does
      const stored = step.stored && step.removed.reduce<unknown>(dropField, step.stored);
      const told = change.verb === "rewrite" ? change.object : (stored as KubeObject | undefined);
      writes.push(session.tellPlanned(change, told));
    }
  }
  return writes;
}

/** Tells an object that is not written. */
function tellLeft(recorder: Recorder, step: Evaluated): void {
  if (isWritten(step)) return;
  recorder.addStep(describeStep(buildApply(step)), step.is === "kept" ? "skipped" : "unchanged");
}

/** Brings an object to what was judged; a definition is served when this returns. */
export async function bring(bringing: Bringing, step: Evaluated): Promise<void> {
  const { ports, options } = bringing;
  const { kind, object } = step;
  tellLeft(ports.recorder, step);
  await write(bringing, step);
  if (kind.resource !== kinds.definition) return;
  await waitForDefinition(ports, bundleRef(kind, object), options.timeoutMs);
}

/** What changed since it was judged is judged again. */
async function write({ ports, ...rest }: Bringing, first: Evaluated): Promise<void> {
  const { session } = rest;
  await workByPlan(ports, first, {
    attempts,
    work: async (step) => {
      let now = step;
      for (const rewrite of listRewrites(step)) {
        const change = rewrite(now);
        if (change !== undefined) now = { ...now, live: await session.send(change) };
      }
      if (isWritten(step)) await session.send(buildApply(now));
    },
    again: async (_error, step) => {
      const now = await evaluate({ ...rest, deps: ports }, step);
      requireFit(now.findings);
      session.requireSendable(listWrites(now));
      return now;
    },
  });
}
