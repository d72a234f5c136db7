/** Waits until the operator is 1/1 ready, up to date and available, or says what keeps it (S19). */
import { exitCodes, TimeoutError } from "../../domain/errors";
import type { FactKey } from "../../domain/facts";
import type { Ref } from "../../domain/objects";
import { operatorFindings } from "../../domain/operator/codes";
import { conditionOf } from "../../domain/operator/definitions";
import { judgeDeployment } from "../../domain/rollout/deployment";
import { type Stalled, stallFinding } from "../../domain/rollout/progress";
import { waitFor } from "../engine/wait";
import { BlockedError } from "../engine/recorder";
import { readSnapshot } from "../snapshot";
import type { OperatorDeps, OperatorOptions } from "./deps";

const codes = Object.values(operatorFindings);

const keys: readonly FactKey[] = ["deployments", "replicaSets", "pods", "events"];

/** What was seen at the end. A cause that is seen twice in a row ends the wait, unless told to stay. */
export async function waitForOperator(
  deps: OperatorDeps,
  options: OperatorOptions,
): Promise<string> {
  const { names, recorder } = deps;
  const object = `Deployment/${options.namespace}/${names.operator.deployment}`;
  const info = { id: "operator.ready", action: "wait", object, why: "1/1 ready (S19)" } as const;
  let stalled: Stalled | undefined;
  return await recorder.step(info, async () => {
    const says = await waitFor<string>(deps, {
      look: async () => {
        const facts = await readSnapshot(deps, options.namespace, keys);
        const seen = judgeDeployment(facts, names.operator.deployment);
        stalled = seen.is === "stalled" ? seen : undefined;
        if (seen.is === "done") return { is: "done", value: seen.says };
        return seen.is === "stalled" && options.wait ? { is: "moving", on: saying(seen) } : seen;
      },
      total: { ms: options.timeoutMs, end: (on) => timedOut(on, stalled) },
      codes,
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
      if (conditionOf(definition, "Established")?.is === "True") {
        return { is: "done", value: undefined };
      }
      const names = conditionOf(definition, "NamesAccepted");
      if (names?.is !== "False") return { is: "moving", on: `${object} to be served` };
      const { code } = operatorFindings.definitionUnserved;
      const because = `the API server does not serve it: ${names.because ?? "its names are taken"}`;
      const look = deps.command(["kubectl", "describe", "crd", ref.name]);
      const fix = `see its conditions with ${look}; delete the definition that holds its names, then run again`;
      return { is: "stalled", code, object, because, fix };
    },
    everyMs: 200,
    total: { ms: timeoutMs, end: notServed },
    codes,
  });

  function notServed(): TimeoutError {
    return new TimeoutError(`the API server does not serve ${object} yet`, {
      hint: `see its conditions with kubectl get ${ref.resource.plural} ${ref.name} -o yaml, then run again`,
    });
  }
}

const saying = ({ object, because }: Stalled): string => `${object}: ${because}`;

function timedOut(on: string, stalled: Stalled | undefined): Error {
  if (stalled !== undefined) {
    return new BlockedError(exitCodes.timeout, [stallFinding(stalled, codes)]);
  }
  return new TimeoutError(`the operator is not ready in time: ${on}`, {
    hint: "run the same command again, with more time by --timeout: it goes on waiting",
  });
}
