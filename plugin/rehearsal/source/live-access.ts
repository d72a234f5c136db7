/** The permissions of a user in the cluster that was read, for a rehearsal of that user's run. */
import type { Access, Cluster } from "../../run/ports";

/** Asks the live cluster, each question once. */
export function liveCan(cluster: Cluster): (access: Access) => Promise<boolean> {
  const asked = new Map<string, Promise<boolean>>();
  return (access) => {
    const { verb, group, resource, subresource, namespace, name } = access;
    const key = JSON.stringify([verb, group, resource, subresource, namespace, name]);
    const known = asked.get(key) ?? cluster.can(access);
    asked.set(key, known);
    // a question without an answer may be asked again
    known.catch(() => asked.delete(key));
    return known;
  };
}
