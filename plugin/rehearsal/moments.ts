/** Does the webhook work in this very state: is a bad edit refused and a good one let through? */
import { ApiError } from "../domain/errors";
import type { Names } from "../domain/names";
import type { KubeObject } from "../domain/objects";
import { answerOf, type Pair, pairsFor } from "../domain/webhook/probe";
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
  if (pair === undefined) return undefined;
  const wrong = await judgeBad(cluster, pair.denies);
  if (wrong !== undefined) return wrong;
  const stopped = await ask(cluster, pair.accept);
  return stopped === undefined ? undefined : `a good edit was refused: ${stopped.message}`;
}

/** The version, or where the definition does not take it the module: what comes between is no rule of ours. */
async function judgeBad(cluster: Cluster, denies: Pair["denies"]): Promise<string | undefined> {
  let wrong: string | undefined;
  for (const bad of [denies.at(0), denies.at(-1)]) {
    if (bad === undefined) continue;
    const denied = await ask(cluster, bad.object);
    if (denied === undefined) return `a bad edit passed (${bad.what})`;
    const { is } = answerOf(denied);
    if (is === "refused") return undefined;
    wrong = `a bad edit was not judged: ${denied.message}`;
    // a schema refuses before any webhook is asked
    if (is !== "other") return wrong;
  }
  return wrong;
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
