/**
 * Access reviews about others. The cluster-wide kind is asked with where that is allowed, else the
 * kind that is created in the namespace asked about, which administrators of a namespace may use.
 */
import { isForbidden } from "../ports/forbidden";
import type { AccessReviewSpec } from "../domain/kube/models";
import { type KubeObject, type Ref, type Resource, splitApiVersion } from "../domain/kube/objects";
import { rbacKinds, reviewKinds } from "../domain/kube/kinds";
import { type Permission, reviewPermission } from "../domain/kube/permissions";
import { asString, getPath } from "../domain/base/values";
import { findMissingPermissions } from "../kernel/permissions";
import { withMethods } from "../ports/delegate";
import type { Access, KubeClient, WriteOptions } from "../ports/kubernetes";

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
      spec: { user, groups, resourceAttributes: access } satisfies AccessReviewSpec,
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
    const asked = findMissingPermissions(this.cluster, [reviewPermission("", namespace)]).then(
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
    Promise.resolve([{ ...needPermission(verb, resource, namespace), name }]);

const byObject =
  (cluster: KubeClient, { apiVersion, kind, metadata }: KubeObject, ...verbs: string[]): Find =>
  async () => {
    const { group, version } = splitApiVersion(apiVersion);
    const served = (await cluster.serves(group, version)) ?? [];
    const resource = served.find((one) => one.kind === kind);
    if (resource === undefined) return [];
    return verbs.map((verb) => ({
      ...needPermission(verb, resource, metadata.namespace),
      // what is created cannot be limited to a name
      ...(verb !== "create" && { name: metadata.name }),
    }));
  };

/** What else allows a write that gives more than the user holds (the API server asks for it by these words). */
const escalates = "attempting to grant RBAC permissions not currently held";

/** The right to give what one does not hold: escalate on the role, or bind on the role that a binding names. */
function findToGrant(of: NeededPermission, object: KubeObject | undefined): NeededPermission[] {
  if (!of.resource.endsWith("bindings")) return [{ ...of, verb: "escalate" }];
  const name = asString(getPath(object, ["roleRef", "name"]));
  if (name === undefined) return [];
  const isWide = getPath(object, ["roleRef", "kind"]) === rbacKinds.clusterRole.kind;
  const needed = isWide
    ? needPermission("bind", rbacKinds.clusterRole, undefined)
    : needPermission("bind", rbacKinds.role, of.namespace);
  return [{ ...needed, name }];
}

function needPermission(
  verb: string,
  { group, plural }: Resource,
  namespace: string | undefined,
): NeededPermission {
  return { verb, group, resource: plural, ...(namespace !== undefined && { namespace }) };
}

/** The same connection; each request that is refused for want of a permission is remembered beside it. */
export function rememberRefusals(cluster: KubeClient): Remembered {
  const refused: Find[] = [];
  const noteRefusal = async <T>(
    find: Find,
    send: () => Promise<T>,
    object?: KubeObject,
  ): Promise<T> => {
    try {
      return await send();
    } catch (error) {
      if (!isForbidden(error)) throw error;
      refused.push(find);
      if (error.message.includes(escalates)) {
        refused.push(async () => (await find()).flatMap((one) => findToGrant(one, object)));
      }
      throw error;
    }
  };
  const noteObject = <T>(object: KubeObject, verbs: string[], send: () => Promise<T>) =>
    noteRefusal(byObject(cluster, object, ...verbs), send, object);
  const noted = withMethods(cluster, {
    get: (ref, options) => noteRefusal(byRef("get", ref), () => cluster.get(ref, options)),
    list: (resource, options) => {
      const find: Find = () =>
        Promise.resolve([needPermission("list", resource, options?.namespace)]);
      return noteRefusal(find, () => cluster.list(resource, options));
    },
    patch: (ref, body, options) =>
      noteRefusal(byRef("patch", ref), () => cluster.patch(ref, body, options)),
    delete: (ref, preconditions, options) =>
      noteRefusal(byRef("delete", ref), () => cluster.delete(ref, preconditions, options)),
    create: (object, options) =>
      noteObject(object, ["create"], () => cluster.create(object, options)),
    update: (object, options) =>
      noteObject(object, ["update"], () => cluster.update(object, options)),
    // an apply creates what is absent
    apply: (object, options) =>
      noteObject(object, ["create", "patch"], () => cluster.apply(object, options)),
  });
  return { cluster: noted, missing: () => findMissing(cluster, refused) };
}

async function findMissing(
  cluster: KubeClient,
  refused: readonly Find[],
): Promise<readonly Permission[]> {
  const found = (await Promise.all(refused.map((find) => find()))).flat();
  const distinct = new Map(found.map((one) => [JSON.stringify(one), one]));
  const why = "the request was refused without it";
  return await findMissingPermissions(
    cluster,
    [...distinct.values()].map((one) => ({ ...one, why })),
  );
}
