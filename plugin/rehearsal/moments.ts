/** Does the webhook work in this very state: is a bad edit refused and a good one let through? */
import { ApiError } from "../domain/errors";
import type { Names } from "../domain/names";
import type { KubeObject } from "../domain/objects";
import { answerOf } from "../domain/webhook/probe";
import { pairsFor } from "../domain/webhook/twins";
import type { Cluster } from "../run/ports";

/** What is wrong, undefined when it works; asked by dry runs in a namespace. */
export async function judgeMoment(
  cluster: Cluster,
  names: Names,
  namespace: string,
): Promise<string | undefined> {
  const [pair] = pairsFor(everyDatabase(names), {
    names,
    namespace,
    name: "rehearsal-moment",
    labels: {},
  });
  const bad = pair?.denies[0];
  if (pair === undefined || bad === undefined) return undefined;
  const denied = await ask(cluster, bad.object);
  if (denied === undefined) return `a bad edit passed (${bad.what})`;
  if (answerOf(denied).is !== "refused") return `a bad edit was not judged: ${denied.message}`;
  const stopped = await ask(cluster, pair.accept);
  return stopped === undefined ? undefined : `a good edit was refused: ${stopped.message}`;
}

/** The refusal, undefined when it passed. */
async function ask(cluster: Cluster, object: KubeObject): Promise<ApiError | undefined> {
  try {
    await cluster.create(object, { dryRun: true });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function everyDatabase({ group, version, edb }: Names): object {
  const rule = {
    apiGroups: [group],
    apiVersions: [version],
    operations: ["CREATE"],
    resources: [edb.plural],
  };
  return { rules: [rule] };
}
