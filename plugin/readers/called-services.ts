/** Looks for the Services that webhooks of others call: one that is gone fails every call (domain facts 4.4). */
import {
  type EntryInForce,
  readServiceName,
  readServiceNamespace,
} from "../domain/admission/configuration";
import { ApiError } from "../domain/base/errors";
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
    try {
      const ref = { resource: kinds.service, name, ...(namespace !== undefined && { namespace }) };
      const found = await cluster.get(ref, signal && { signal });
      return found === undefined ? [label] : [];
    } catch (error) {
      if (error instanceof ApiError && error.status === 403) return [];
      throw error;
    }
  });
  return new Set((await Promise.all(asked)).flat());
}
