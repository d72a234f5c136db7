/**
 * Access reviews about others. The cluster-wide kind is asked with where that is allowed, else the
 * kind that is created in the namespace asked about, which administrators of a namespace may use.
 */
import type { KubeObject, Ref, Resource } from "../domain/kube/objects";
import { reviewKinds } from "../domain/kube/kinds";
import { type Permission, reviewPermission } from "../domain/kube/permissions";
import { asString, getPath } from "../domain/base/values";
import { missingPermissions } from "../kernel/permissions";
import { withMethods } from "../ports/delegate";
import type { Access, KubeClient, WriteOptions } from "../ports/kubernetes";
import { ApiError } from "../domain/base/errors";

/** Who is asked about, and what they want to do; without a namespace in the whole cluster. */
export interface ReviewQuestion {
  readonly user: string;
  readonly groups: readonly string[];
  readonly access: Access;
}

/** What the API server answers, with the authorizer's own words. */
interface ReviewAnswer {
  readonly allowed: boolean;
  readonly reason: string;
}

/** Asks on behalf of one run, which learns once what it may ask where. */
export class Reviews {
  #wide: Promise<boolean> | undefined;
  #everywhere: Promise<boolean> | undefined;
  readonly #near = new Map<string, Promise<boolean>>();

  constructor(private readonly cluster: KubeClient) {}

  /** Whether anything may be asked about the namespace, or about the whole cluster. */
  async possible(namespace: string | undefined): Promise<boolean> {
    return (await this.#may(undefined)) || (await this.#mayNear(namespace));
  }

  async ask(question: ReviewQuestion, options: WriteOptions = {}): Promise<ReviewAnswer> {
    const { user, groups, access } = question;
    const { namespace } = access;
    const near = !(await this.#may(undefined)) && (await this.#mayNear(namespace));
    const { group, version, kind } = near ? reviewKinds.local : reviewKinds.wide;
    const object: KubeObject = {
      apiVersion: `${group}/${version}`,
      kind,
      metadata: near && namespace !== undefined ? { namespace } : {},
      spec: { user, groups, resourceAttributes: access },
    };
    const answer = await this.cluster.create(object, options);
    return {
      allowed: getPath(answer, ["status", "allowed"]) === true,
      reason: asString(getPath(answer, ["status", "reason"])) ?? "",
    };
  }

  async #mayNear(namespace: string | undefined): Promise<boolean> {
    if (namespace === undefined) return false;
    // one question for all namespaces, where a cluster-wide role allows it
    const { group, plural: resource } = reviewKinds.local;
    this.#everywhere ??= this.cluster.can({ verb: "create", group, resource });
    return (await this.#everywhere) || (await this.#may(namespace));
  }

  #may(namespace: string | undefined): Promise<boolean> {
    const known = namespace === undefined ? this.#wide : this.#near.get(namespace);
    if (known !== undefined) return known;
    const asked = missingPermissions(this.cluster, [reviewPermission("", namespace)]).then(
      (missing) => missing.length === 0,
    );
    if (namespace === undefined) this.#wide = asked;
    else this.#near.set(namespace, asked);
    return asked;
  }
}

/** A connection, and the permissions that it was refused for want of. */
export interface Remembered {
  readonly cluster: KubeClient;
  /** Those that the user does not have: a refusal may be an admission's as well. */
  readonly missing: () => Promise<readonly Permission[]>;
}

type NeededPermission = Omit<Permission, "why">;
type Find = () => Promise<readonly NeededPermission[]>;

const byRef =
  (verb: string, { resource, name, namespace }: Ref): Find =>
  () =>
    Promise.resolve([{ ...wanted(verb, resource, namespace), name }]);

const byObject =
  (cluster: KubeClient, { apiVersion, kind, metadata }: KubeObject, ...verbs: string[]): Find =>
  async () => {
    const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
    const served = (await cluster.serves(group ?? "", version ?? "")) ?? [];
    const resource = served.find((one) => one.kind === kind);
    return resource === undefined
      ? []
      : verbs.map((verb) => wanted(verb, resource, metadata.namespace));
  };

function wanted(
  verb: string,
  { group, plural }: Resource,
  namespace: string | undefined,
): NeededPermission {
  return { verb, group, resource: plural, ...(namespace !== undefined && { namespace }) };
}

/** The same connection; each request that is refused for want of a permission is remembered beside it. */
export function remembering(cluster: KubeClient): Remembered {
  const refused: Find[] = [];
  const noting = async <T>(find: Find, send: () => Promise<T>): Promise<T> => {
    try {
      return await send();
    } catch (error) {
      if (isForbidden(error)) refused.push(find);
      throw error;
    }
  };
  const noted = withMethods(cluster, {
    get: (ref, options) => noting(byRef("get", ref), () => cluster.get(ref, options)),
    list: (resource, options) => {
      const find: Find = () => Promise.resolve([wanted("list", resource, options?.namespace)]);
      return noting(find, () => cluster.list(resource, options));
    },
    patch: (ref, body, options) =>
      noting(byRef("patch", ref), () => cluster.patch(ref, body, options)),
    delete: (ref, preconditions, options) =>
      noting(byRef("delete", ref), () => cluster.delete(ref, preconditions, options)),
    create: (object, options) =>
      noting(byObject(cluster, object, "create"), () => cluster.create(object, options)),
    update: (object, options) =>
      noting(byObject(cluster, object, "update"), () => cluster.update(object, options)),
    // an apply creates what is absent
    apply: (object, options) =>
      noting(byObject(cluster, object, "create", "patch"), () => cluster.apply(object, options)),
  });
  return { cluster: noted, missing: () => missingOf(cluster, refused) };
}

function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403;
}

async function missingOf(
  cluster: KubeClient,
  refused: readonly Find[],
): Promise<readonly Permission[]> {
  const found = (await Promise.all(refused.map((find) => find()))).flat();
  const distinct = new Map(found.map((one) => [JSON.stringify(one), one]));
  const why = "the request was refused without it";
  return await missingPermissions(
    cluster,
    [...distinct.values()].map((one) => ({ ...one, why })),
  );
}
