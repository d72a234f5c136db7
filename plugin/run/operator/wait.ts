/** Waits until the operator is 1/1 ready, up to date and available, or says what keeps it (S19). */
import { exitCodes, TimeoutError } from "../../domain/errors";
import type { FactKey } from "../../domain/facts";
import type { KubeObject, Ref } from "../../domain/objects";
import { judgeDeployment } from "../../domain/rollout/deployment";
import type { Progress, Stalled } from "../../domain/rollout/progress";
import { at, list, own } from "../../domain/values";
import { BlockedError } from "../recorder";
import { readSnapshot } from "../snapshot";
import type { OperatorDeps, OperatorOptions } from "./deps";

const pollMs = 2000;

const keys: readonly FactKey[] = ["deployments", "replicaSets", "pods", "events"];

/** What was seen at the end. A cause that is seen twice in a row ends the wait, unless told to stay. */
export async function waitForOperator(
  deps: OperatorDeps,
  options: OperatorOptions,
): Promise<string> {
  const { clock, names, recorder, signal } = deps;
  const object = `Deployment/${options.namespace}/${names.operator.deployment}`;
  const info = { id: "operator.ready", action: "wait", object, why: "1/1 ready (S19)" } as const;
  return await recorder.step(info, async () => {
    const from = clock.now();
    let before: Stalled | undefined;
    for (;;) {
      const facts = await readSnapshot(deps, options.namespace, keys);
      const seen = judgeDeployment(facts, names.operator.deployment);
      if (seen.is === "done") return { result: "done", value: seen.says, why: seen.says };
      const stalled = seen.is === "stalled" ? seen : undefined;
      const again = stalled !== undefined && stalled.code === before?.code;
      if (again && !options.wait) throw blocked(exitCodes.failed, stalled);
      if (clock.now() - from >= options.timeoutMs) throw timedOut(seen);
      before = stalled;
      recorder.waiting(saying(seen), (clock.now() - from) / 1000);
      await clock.sleep(pollMs, signal);
    }
  });
}

/** Waits until the API server serves a definition. */
export async function waitForDefinition(
  { cluster, clock, recorder, signal }: OperatorDeps,
  ref: Ref,
  timeoutMs: number,
): Promise<void> {
  const from = clock.now();
  while (!isEstablished(await cluster.get(ref, { signal }))) {
    const object = `${ref.resource.kind}/${ref.name}`;
    if (clock.now() - from >= timeoutMs) {
      throw new TimeoutError(`the API server does not serve ${object} yet`, {
        hint: `see its conditions with kubectl get ${ref.resource.plural} ${ref.name} -o yaml, then run again`,
      });
    }
    recorder.waiting(`${object} to be served`, (clock.now() - from) / 1000);
    await clock.sleep(pollMs / 10, signal);
  }
}

function isEstablished(definition: KubeObject | undefined): boolean {
  return list(at(definition, ["status", "conditions"])).some(
    (condition) => own(condition, "type") === "Established" && own(condition, "status") === "True",
  );
}

function saying(progress: Progress): string {
  if (progress.is === "stalled") return `${progress.object}: ${progress.because}`;
  return progress.is === "moving" ? progress.on : progress.says;
}

function timedOut(progress: Progress): Error {
  if (progress.is === "stalled") return blocked(exitCodes.timeout, progress);
  return new TimeoutError(`the operator is not ready in time: ${saying(progress)}`, {
    hint: "run the same command again, with more time by --timeout: it goes on waiting",
  });
}

function blocked(
  exitCode: typeof exitCodes.failed | typeof exitCodes.timeout,
  { code, object, because, fix }: Stalled,
): BlockedError {
  const finding = { code, severity: "error", object, cause: because, fix, source: "S19" } as const;
  return new BlockedError(exitCode, [finding]);
}
