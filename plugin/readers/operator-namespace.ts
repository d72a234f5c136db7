/** Where the operator is, for commands that work in its namespace (S9, S29). */
import { kinds } from "../domain/kube/kinds";
import type { Names } from "../domain/names/names";
import type { Deployment } from "../domain/kube/models";
import { readNamespace, type Resource } from "../domain/kube/objects";
import { unlessDenied } from "../ports/forbidden";
import { listTyped } from "../ports/typed";
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
  return await unlessDenied(lookForOperator(search), fine);
}

const fine: NamespaceFacts = { exists: true, here: true, elsewhere: [] };

async function lookForOperator(search: Search): Promise<NamespaceFacts> {
  const { cluster, signal } = search;
  const { namespace: name } = cluster;
  if (await isHere(search)) return fine;
  const elsewhere = await operatorNamespaces(search);
  const exists = await cluster.get({ resource: kinds.namespace, name }, { signal });
  return { exists: exists !== undefined, here: false, elsewhere };
}

/** The namespaces that have an operator's Deployment, sorted. */
export async function operatorNamespaces(search: Omit<Search, "sign">): Promise<readonly string[]> {
  return (await listOperators(search)).map(({ metadata }) => metadata.namespace ?? "").sort();
}

/** The operators of namespaces other than this one; undefined where they may not be listed. */
export async function readOtherOperators(
  search: Omit<Search, "sign">,
  namespace: string,
): Promise<readonly Deployment[] | undefined> {
  const all = await unlessDenied(listOperators(search), undefined);
  return all?.filter((one) => readNamespace(one) !== namespace);
}

/** Where they may not be listed. */
export const unseenOperators =
  "whether operators of other namespaces share the definitions was not looked at: Deployments of all namespaces may not be listed";

async function listOperators({
  cluster,
  names,
  signal,
}: Omit<Search, "sign">): Promise<readonly Deployment[]> {
  const fieldSelector = `metadata.name=${names.operator.deployment}`;
  return (await listTyped(cluster, kinds.deployment, { fieldSelector, signal })) ?? [];
}

/**
 * A namespace whose operator's Deployment is gone is still where its operator belongs, while it has
 * an EC or the operator's service account. The service account is an extra sign: where it may not
 * be read, the others decide.
 */
async function isHere({ cluster, names, sign, signal }: Search): Promise<boolean> {
  const { group, version, ec, operator, webhook } = names;
  const hasAny = async (resource: Resource, name?: string): Promise<boolean> => {
    const { namespace } = cluster;
    const selected = name === undefined ? {} : { fieldSelector: `metadata.name=${name}` };
    const found = await cluster.list(resource, { ...selected, namespace, limit: 1, signal });
    return found !== undefined && found.length > 0;
  };
  if (await hasAny(kinds.deployment, operator.deployment)) return true;
  if (sign === "webhook" && (await hasAny(kinds.service, webhook.service))) return true;
  if (await hasAny({ group, version, plural: ec.plural, kind: ec.kind })) return true;
  return await unlessDenied(hasAny(kinds.serviceAccount, operator.serviceAccount), false);
}
