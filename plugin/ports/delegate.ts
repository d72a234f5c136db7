/** A decorator of the Kubernetes port is a function from port to port, made of this. */
import type { KubeClient } from "./kubernetes";

/** What only a copy of a cluster has. */
export function pickCopied({ lacks, misfits }: KubeClient): Pick<KubeClient, "lacks" | "misfits"> {
  return { ...(lacks !== undefined && { lacks }), ...(misfits !== undefined && { misfits }) };
}

/** The port itself but for the methods that are given; one that it may lack stays absent. */
export function withMethods(cluster: KubeClient, own: Partial<KubeClient>): KubeClient {
  return {
    server: cluster.server,
    namespace: cluster.namespace,
    ...(cluster.login !== undefined && { login: cluster.login }),
    ...pickCopied(cluster),
    get: (ref, options) => cluster.get(ref, options),
    list: (resource, options) => cluster.list(resource, options),
    watch: (resource, options) => cluster.watch(resource, options),
    ...(cluster.logs !== undefined && { logs: cluster.logs.bind(cluster) }),
    ...(cluster.forward !== undefined && { forward: cluster.forward.bind(cluster) }),
    create: (object, options) => cluster.create(object, options),
    update: (object, options) => cluster.update(object, options),
    apply: (object, options) => cluster.apply(object, options),
    patch: (ref, body, options) => cluster.patch(ref, body, options),
    delete: (ref, preconditions, options) => cluster.delete(ref, preconditions, options),
    can: (access) => cluster.can(access),
    whoAmI: () => cluster.whoAmI(),
    version: () => cluster.version(),
    serves: (group, version) => cluster.serves(group, version),
    close: () => {
      cluster.close();
    },
    ...own,
  };
}
