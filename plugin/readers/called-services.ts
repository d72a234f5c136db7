/** Looks for the Services that webhooks of others call: one that is gone fails every call (domain facts 4.4). */
import { unlessForbidden } from "../ports/forbidden";
import {
  type EntryInForce,
  readServiceName,
  readServiceNamespace,
} from "../domain/admission/configuration";
import { kinds } from "../domain/kube/kinds";
import type { KubeClient } from "../ports/kubernetes";

/** The Services that are called and do not exist, as `namespace/name`. What may not be read counts as there. */
export async function readGoneServices(
  { cluster, signal }: { readonly cluster: Pick<KubeClient, "get">; readonly signal?: AbortSignal },
  entries: readonly Pick<EntryInForce, "entry">[],
): Promise<ReadonlySet<string>> {
  const called = entries.flatMap(({ entry }) => {
    const [namespace, name] = [readServiceNamespace(entry), readServiceName(entry)];
    return namespace === undefined || name === undefined ? [] : [`${namespace}/${name}`];
  });
  const asked = [...new Set(called)].map(async (label) => {
    const [namespace, name = ""] = label.split("/");
    const ref = { resource: kinds.service, name, ...(namespace !== undefined && { namespace }) };
    const found = await unlessForbidden(cluster.get(ref, signal && { signal }), "unknown");
    return found === undefined ? [label] : [];
  });
  return new Set((await Promise.all(asked)).flat());
}
