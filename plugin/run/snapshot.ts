/** Reads a cluster into facts: one LIST for each kind, all at once, nothing else (S57; cli contract, status). */
import { ApiError } from "../domain/errors";
import { factKeys, factSources, type FactKey, type Facts, type FactSource } from "../domain/facts";
import type { Names } from "../domain/names";
import type { KubeObject } from "../domain/objects";
import type { Clock, Cluster } from "./ports";

/** Whose facts, and how they are read. */
export interface SnapshotDeps {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly names: Names;
  readonly signal: AbortSignal;
}

/** A LIST that came to an end: objects, an unknown kind, or a refusal. */
type Answer =
  | { readonly is: "read"; readonly objects: readonly KubeObject[] }
  | { readonly is: "unserved" }
  | { readonly is: "refused"; readonly why: string };

/** The lists named by `keys`, all without; what is not asked for counts as unread. */
export async function readSnapshot(
  deps: SnapshotDeps,
  namespace: string,
  keys: readonly FactKey[] = factKeys,
): Promise<Facts> {
  const { cluster, clock, names } = deps;
  const sources = factSources(names);
  const [apiServer, ...answers] = await Promise.all([
    cluster.version().catch(refusedOnly),
    ...keys.map(async (key) => [key, await readList(deps, sources[key], namespace)] as const),
  ]);
  const answered = new Map<FactKey, Answer>(answers);
  const objects = Object.fromEntries(
    factKeys.map((key) => {
      const answer = answered.get(key);
      return [key, answer?.is === "read" ? answer.objects : []];
    }),
  ) as Record<FactKey, readonly KubeObject[]>;
  return {
    names,
    now: clock.now(),
    namespace,
    apiServer,
    objects,
    unserved: new Set(factKeys.filter((key) => answered.get(key)?.is === "unserved")),
    unread: new Map(
      factKeys.flatMap((key) => {
        const answer = answered.get(key);
        if (answer === undefined) return [[key, "it was not asked for"]];
        return answer.is === "refused" ? [[key, answer.why]] : [];
      }),
    ),
  };
}

async function readList(
  { cluster, signal }: SnapshotDeps,
  { resource, own, only, olderVersion }: FactSource,
  namespace: string,
): Promise<Answer> {
  const options = {
    signal,
    whole: true,
    ...(own === true && { namespace }),
    ...(only !== undefined && { fieldSelector: `metadata.name=${only}` }),
  };
  try {
    const found =
      (await cluster.list(resource, options)) ??
      (olderVersion === undefined
        ? undefined
        : await cluster.list({ ...resource, version: olderVersion }, options));
    return found === undefined ? { is: "unserved" } : { is: "read", objects: found };
  } catch (error) {
    if (error instanceof ApiError && error.status === 403)
      return { is: "refused", why: error.message };
    throw error;
  }
}

/** A refusal leaves the release unknown; no answer at all ends the run. */
function refusedOnly(error: unknown): undefined {
  if (error instanceof ApiError) return undefined;
  throw error;
}
