/** Follows what was written to its end: the operator until it is ready, a definition until it is served (S19). */
import { type Awaited, nameAwaited, nameFinding } from "../../domain/base/awaited";
import { exitCodes, TimeoutError, BlockedError } from "../../domain/base/errors";
import { kubectl } from "../../domain/base/remedy";
import type { Ref } from "../../domain/kube/objects";
import { operatorFindings } from "../../domain/operator/findings";
import { judgeDeployment } from "../../domain/rollout/deployment";
import {
  nameProgress,
  type Stalled,
  stallFinding,
  withRemedies,
} from "../../domain/rollout/progress";
import { waitFor } from "../../kernel/wait";
import { readSnapshot } from "../../readers/snapshot";
import { readCondition } from "./definitions";
import { rolloutKeys } from "./needs";
import type { OperatorDeps, OperatorOptions } from "./read";

/** What was seen at the end. A cause that is seen twice in a row ends the wait, unless told to stay. */
export async function waitForOperator(
  deps: OperatorDeps,
  options: OperatorOptions,
): Promise<string> {
  const { names, recorder } = deps;
  const object = `Deployment/${options.namespace}/${names.operator.deployment}`;
  const why = "1/1 ready";
  const info = { id: "operator.ready", action: "wait", object, why, source: "S19" } as const;
  let stalled: Stalled | undefined;
  return await recorder.step(info, async () => {
    const says = await waitFor<string>(deps, {
      look: async () => {
        const facts = await readSnapshot(deps, options.namespace, rolloutKeys);
        const seen = judgeDeployment(facts, names.operator.deployment);
        stalled = seen.is === "stalled" ? seen : undefined;
        if (seen.is === "done") return { is: "done", value: seen.says };
        if (seen.is === "moving") return nameProgress(object, seen);
        return options.wait ? { is: "moving", on: nameAwaited(object, nameFinding(seen)) } : seen;
      },
      total: { ms: options.timeoutMs, end: (on) => timedOut(on, stalled) },
    });
    return { result: "done", value: says, why: says };
  });
}

/** Waits until the API server serves a definition. */
export async function waitForDefinition(
  deps: OperatorDeps,
  ref: Ref,
  timeoutMs: number,
): Promise<void> {
  const object = `${ref.resource.kind}/${ref.name}`;
  await waitFor<undefined>(deps, {
    look: async () => {
      const definition = await deps.cluster.get(ref, { signal: deps.signal });
      if (readCondition(definition, "Established")?.is === "True") {
        return { is: "done", value: undefined };
      }
      const names = readCondition(definition, "NamesAccepted");
      if (names?.is !== "False") return { is: "moving", on: `${object}: to be served` };
      const { code, severity, source } = operatorFindings.definitionUnserved;
      const cause = `the API server does not serve it: ${names.because ?? "its names are taken"}`;
      const then = { says: "delete the definition that holds its names, then run again" };
      const seen = kubectl("see its conditions", "describe", "crd", ref.name);
      const about = { code, severity, object, cause, source };
      return { is: "stalled", ...about, ...withRemedies({ ...seen, then }) };
    },
    everyMs: 200,
    total: { ms: timeoutMs, end: notServed },
  });

  function notServed(): TimeoutError {
    return new TimeoutError(`the API server does not serve ${object} yet`, {
      hint: `see its conditions with kubectl get ${ref.resource.plural} ${ref.name} -o yaml, then run again`,
    });
  }
}

function timedOut(on: Awaited, stalled: Stalled | undefined): Error {
  if (stalled !== undefined) {
    return new BlockedError(exitCodes.timeout, [stallFinding(stalled)]);
  }
  return new TimeoutError(`the operator is not ready in time: ${on}`, {
    hint: "run the same command again, with more time by --timeout: it continues to wait",
  });
}
