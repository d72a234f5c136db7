/** Which permissions a run was refused for want of, told by the requests that the API server refused. */
import { ApiError } from "../domain/errors";
import type { KubeObject, Ref, Resource } from "../domain/objects";
import type { Permission } from "../domain/permissions";
import { missingPermissions } from "./engine/permissions";
import type { Cluster, ListOptions } from "./ports";

/** A connection, and the permissions that it was refused for want of. */
export interface Remembered {
  readonly cluster: Cluster;
  /** Those that the user does not have: a refusal may be an admission's as well. */
  readonly missing: () => Promise<readonly Permission[]>;
}

type NeededPermission = Omit<Permission, "why">;
type Find = (cluster: Cluster, args: readonly unknown[]) => Promise<readonly NeededPermission[]>;

const byRef =
  (verb: string): Find =>
  (_cluster, [ref]) => {
    const { resource, name, namespace } = ref as Ref;
    return Promise.resolve([{ ...wanted(verb, resource, namespace), name }]);
  };

const byObject =
  (...verbs: readonly string[]): Find =>
  async (cluster, [object]) => {
    const { apiVersion, kind, metadata } = object as KubeObject;
    const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
    const served = (await cluster.serves(group ?? "", version ?? "")) ?? [];
    const resource = served.find((one) => one.kind === kind);
    return resource === undefined
      ? []
      : verbs.map((verb) => wanted(verb, resource, metadata.namespace));
  };

/** The requests that are refused by what a Role grants; an apply creates what is absent. */
const finders: Readonly<Record<string, Find>> = {
  get: byRef("get"),
  list: (_cluster, [resource, options]) => {
    const { namespace } = (options as ListOptions | undefined) ?? {};
    return Promise.resolve([wanted("list", resource as Resource, namespace)]);
  },
  patch: byRef("patch"),
  delete: byRef("delete"),
  create: byObject("create"),
  update: byObject("update"),
  apply: byObject("create", "patch"),
};

function wanted(
  verb: string,
  { group, plural }: Resource,
  namespace: string | undefined,
): NeededPermission {
  return { verb, group, resource: plural, ...(namespace !== undefined && { namespace }) };
}

/** The same connection; each refusal of a request is remembered beside it. */
export function remembering(cluster: Cluster): Remembered {
  const refused: (() => Promise<readonly NeededPermission[]>)[] = [];
  const proxy = new Proxy(cluster, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      const method = value.bind(target) as (...args: readonly unknown[]) => unknown;
      const find = finders[String(key)];
      if (find === undefined) return method;
      return async (...args: readonly unknown[]) => {
        try {
          return await method(...args);
        } catch (error) {
          if (isForbidden(error)) refused.push(() => find(cluster, args));
          throw error;
        }
      };
    },
  });
  return { cluster: proxy, missing: () => missingOf(cluster, refused) };
}

function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403;
}

async function missingOf(
  cluster: Cluster,
  refused: readonly (() => Promise<readonly NeededPermission[]>)[],
): Promise<readonly Permission[]> {
  const found = (await Promise.all(refused.map((find) => find()))).flat();
  const distinct = new Map(found.map((one) => [JSON.stringify(one), one]));
  const why = "the request was refused without it";
  return await missingPermissions(
    cluster,
    [...distinct.values()].map((one) => ({ ...one, why })),
  );
}
