/** Where the operator is, for commands that work in its namespace (S9, S29). */
import { EngineError, exitCodes } from "../domain/base/errors";
import { kinds } from "../domain/kube/kinds";
import type { Names } from "../domain/names/names";
import type { Resource } from "../domain/kube/objects";
import type { KubeClient } from "../ports/kubernetes";

/** What a namespace has to hold for a command to work in it. */
export type PlaceSign = "operator" | "webhook";

/** What is known of the namespace that was asked for, and where else the operator is. */
export interface NamespaceFacts {
  readonly exists: boolean;
  readonly here: boolean;
  /** Other namespaces with an operator, sorted; empty where that may not be read. */
  readonly elsewhere: readonly string[];
}

interface Search {
  readonly cluster: KubeClient;
  readonly names: Names;
  readonly sign: PlaceSign;
  readonly signal: AbortSignal;
}

/** Looks for the operator; what may not be read counts as fine, since the command judges it itself. */
export async function findPlace(search: Search): Promise<NamespaceFacts> {
  const { cluster, signal } = search;
  const { namespace } = cluster;
  const fine: NamespaceFacts = { exists: true, here: true, elsewhere: [] };
  try {
    if (await isHere(search)) return fine;
    const others = await operatorNamespaces(search);
    const exists = await cluster.get({ resource: kinds.namespace, name: namespace }, { signal });
    return { exists: exists !== undefined, here: false, elsewhere: others };
  } catch (error) {
    if (error instanceof EngineError && error.exitCode === exitCodes.permission) return fine;
    throw error;
  }
}

/** The namespaces that have an operator's Deployment, sorted. */
export async function operatorNamespaces(search: Omit<Search, "sign">): Promise<readonly string[]> {
  const { cluster, names, signal } = search;
  const fieldSelector = `metadata.name=${names.operator.deployment}`;
  const found = await cluster.list(kinds.deployment, { fieldSelector, signal });
  return (found ?? []).map(({ metadata }) => metadata.namespace ?? "").sort();
}

/** An EC whose operator is gone is still where its operator belongs. */
async function isHere({ cluster, names, sign, signal }: Search): Promise<boolean> {
  const { namespace } = cluster;
  const { group, version, ec, operator, webhook } = names;
  const selectName = (name: string): object => ({ fieldSelector: `metadata.name=${name}` });
  const signs: readonly (readonly [Resource, object])[] = [
    [kinds.deployment, selectName(operator.deployment)],
    ...(sign === "webhook" ? [[kinds.service, selectName(webhook.service)] as const] : []),
    [{ group, version, plural: ec.plural, kind: ec.kind }, {}],
  ];
  for (const [resource, one] of signs) {
    const found = await cluster.list(resource, { ...one, namespace, limit: 1, signal });
    if (found !== undefined && found.length > 0) return true;
  }
  return false;
}
