/** A cluster that is running, read as far as the commands look at it. Nothing is written. */
import { isForbidden, unlessForbidden } from "../../ports/forbidden";
import { withMethods } from "../../ports/delegate";
import { constraintResource, kinds, rbacKinds } from "../../domain/kube/kinds";
import type { CustomResourceDefinition, WebhookConfiguration } from "../../domain/kube/models";
import { ofKind } from "../../domain/kube/typed";
import type { KindNames, Names } from "../../domain/names/names";
import { atMost } from "../../domain/base/concurrency";
import type { Access, KubeClient, KubeObject, Ref, Resource } from "../../ports/kubernetes";
import { imitatedVersion, type Registry, type User } from "../model";
import { complete, findLacks, type Source } from "./completion";
import { disarm } from "./stand-in";
import { ApiError } from "../../domain/base/errors";
import { permissionLine } from "../../domain/kube/permissions";
import { type CallTarget, type Gate, type ObservedCall, observe } from "../observed-cluster";

/** What a cluster is read with. */
interface LiveOptions {
  readonly names: Names;
  /** Where the operator is. */
  readonly namespace: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** "context prod of ~/.kube/config". */
  readonly described: string;
  /** Definitions of the product's own kinds, where the cluster's may not be read. */
  readonly shippedCrds: readonly CustomResourceDefinition[];
  /** Fresh, and used up: it learns the cluster's custom kinds. */
  readonly registry: Registry;
  readonly signal?: AbortSignal;
}

/** Read as a whole: there are few, or a command looks at all of them. */
const global: readonly Resource[] = [
  ...[kinds.namespace, kinds.node, kinds.clusterVersion],
  ...[rbacKinds.clusterRole, rbacKinds.clusterRoleBinding, constraintResource],
];
const everywhere: readonly Resource[] = [rbacKinds.role, rbacKinds.roleBinding];
/** Read where the operator and webhooks are: a big cluster has very many. */
const nearby: readonly Resource[] = [
  ...[kinds.service, kinds.endpointSlice, kinds.deployment, kinds.replicaSet, kinds.statefulSet],
  ...[kinds.claim, kinds.pod, kinds.configMap, kinds.serviceAccount, kinds.networkPolicy],
];

/** Reads with the rights of the user; what they may not read is left out with a warning. */
export async function readLive(cluster: KubeClient, options: LiveOptions): Promise<Source> {
  const { names, namespace, described } = options;
  const reader = new LiveReader(cluster, options.signal);
  const [validating = [], changing = [], allCrds] = await Promise.all([
    reader.list(kinds.webhookConfiguration),
    reader.list(kinds.mutatingConfiguration),
    reader.list(kinds.definition),
  ]);
  const crds = ofKind(allCrds ?? [], kinds.definition.kind).filter(
    ({ metadata, spec }) =>
      [names.group, constraintResource.group].includes(spec?.group ?? "") ||
      metadata.name === `${kinds.clusterVersion.plural}.${kinds.clusterVersion.group}`,
  );
  const configurations: readonly WebhookConfiguration[] = [
    ...ofKind(validating, kinds.webhookConfiguration.kind),
    ...ofKind(changing, kinds.mutatingConfiguration.kind),
  ];
  const places = [...new Set([namespace, ...configurations.flatMap(listServedFrom)])];
  const found = await Promise.all([
    ...global.map(async (resource) => (await reader.list(resource)) ?? []),
    ...everywhere.map((resource) => reader.everywhere(resource, places)),
    ...nearby.map((resource) => reader.within(resource, places)),
    ...places.map((place) => reader.get(secretIn(place, names))),
    ...ownKinds(names).map((kind) => readOwn(reader, { kind, crds, names, places })),
  ]);
  const version = await reader.version();
  const warnings: string[] = [];
  const note = (warning: string): void => {
    warnings.push(warning);
  };
  if (version === undefined)
    note(`the cluster does not report its version: ${imitatedVersion} is taken`);
  const read = [...crds, ...configurations, ...found.flat()];
  const objects = complete(read, {
    ...options,
    shippedCrds: allCrds === undefined ? options.shippedCrds : [],
    origin: "what was read of the cluster",
    problem: note,
    warning: note,
  });
  const disarmed = await disarm(objects, { ...options, mayBeRedacted: false });
  return {
    ...disarmed,
    warnings: [...reader.warnings, ...warnings, ...disarmed.warnings],
    ...(await findUser(cluster)),
    ...(version !== undefined && { version }),
    described,
    lacks: findLacks(read, options),
    namespace,
  };
}

/** Namespaces of the Services behind a configuration's webhooks. */
function listServedFrom({ webhooks }: WebhookConfiguration): readonly string[] {
  return (webhooks ?? []).flatMap(({ clientConfig }) => clientConfig?.service?.namespace ?? []);
}

function secretIn(namespace: string, { webhook }: Names) {
  return { resource: kinds.secret, name: webhook.secret, namespace };
}

function ownKinds({ ec, edb, eaadb, erc }: Names): readonly KindNames[] {
  return [ec, edb, eaadb, erc];
}

/** One of the product's kinds, and where it may be found. */
interface Own {
  readonly kind: KindNames;
  readonly crds: readonly CustomResourceDefinition[];
  readonly names: Names;
  readonly places: readonly string[];
}

/** In one version: every version that is served shows the same objects. */
async function readOwn(reader: LiveReader, own: Own): Promise<readonly KubeObject[]> {
  const { kind, plural } = own.kind;
  const { group } = own.names;
  const versions = listVersions(own);
  for (const version of versions) {
    const found = await reader.everywhere({ group, version, plural, kind }, own.places);
    if (found.length > 0) return found;
  }
  return [];
}

/** The stored version first; without a definition to look at, the ones that the names tell. */
function listVersions({ kind: { plural }, crds, names }: Own): readonly string[] {
  const crd = crds.find(({ metadata }) => metadata.name === `${plural}.${names.group}`);
  if (crd === undefined) return [...new Set([names.ecVersion, names.version])];
  return (crd.spec?.versions ?? [])
    .filter(({ served }) => served === true)
    .sort((one, other) => Number(other.storage) - Number(one.storage))
    .flatMap(({ name }) => name ?? [])
    .slice(0, 1);
}

/** Groups are not told by the API; who may do everything is as good as a member of the masters. */
async function findUser(cluster: KubeClient): Promise<{ readonly user?: User }> {
  const name = await cluster.whoAmI();
  if (name === undefined) return {};
  const all = await liveCan(cluster)({ verb: "*", group: "*", resource: "*" });
  const groups = ["system:authenticated", ...(all ? ["system:masters"] : [])];
  return { user: { name, groups } };
}

/** How many requests are under way at once. */
const concurrency = 8;

/** Lists and gets through the port; anything but a refusal of permission is thrown. */
class LiveReader {
  private readonly refused: string[] = [];
  private readonly bounded = atMost(concurrency);

  constructor(
    private readonly cluster: KubeClient,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** What could not be read, one line each. */
  get warnings(): readonly string[] {
    return this.refused.map(
      (permission) => `not allowed to ${permission}: the rehearsal continues with less`,
    );
  }

  /** Undefined when the user may not; nothing for a kind that is not served. */
  async list(resource: Resource, namespace?: string): Promise<readonly KubeObject[] | undefined> {
    const within = namespace === undefined ? {} : { namespace };
    const signal = this.signal === undefined ? {} : { signal: this.signal };
    return this.tryAllowed({ ...resource, ...within, verb: "list" }, async () => {
      return (await this.cluster.list(resource, { ...within, ...signal })) ?? [];
    });
  }

  /** The object in a list of its own; an empty one where it is not there or may not be read. */
  async get(ref: Ref): Promise<readonly KubeObject[]> {
    const { resource, ...rest } = ref;
    const signal = this.signal === undefined ? {} : { signal: this.signal };
    const found = await this.tryAllowed({ ...resource, ...rest, verb: "get" }, () =>
      this.cluster.get(ref, signal),
    );
    return found === undefined ? [] : [found];
  }

  /** Of Kubernetes; undefined where it is not told. */
  async version(): Promise<string | undefined> {
    return await unlessForbidden(this.cluster.version(), undefined);
  }

  /** Of all namespaces, or at least of some. */
  async everywhere(
    resource: Resource,
    namespaces: readonly string[],
  ): Promise<readonly KubeObject[]> {
    return (await this.list(resource)) ?? this.within(resource, namespaces);
  }

  /** Of some namespaces. */
  async within(resource: Resource, namespaces: readonly string[]): Promise<readonly KubeObject[]> {
    const lists = namespaces.map((namespace) => this.list(resource, namespace));
    return (await Promise.all(lists)).flatMap((objects) => objects ?? []);
  }

  private async tryAllowed<T>(
    wanted: NeededAccess,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await this.bounded(work);
    } catch (error) {
      if (!isForbidden(error)) throw error;
      this.refused.push(permissionLine({ ...wanted, resource: wanted.plural, why: "" }));
      return undefined;
    }
  }
}

interface NeededAccess {
  readonly verb: string;
  readonly group: string;
  readonly plural: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** Asks the live cluster, each question once. */
export function liveCan(cluster: KubeClient): (access: Access) => Promise<boolean> {
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

/** Answers as the live cluster does: roles are not read, and other authorizers count as well. */
export type Can = (access: Access) => Promise<boolean>;

/** The copy as this person may use it; `copy` itself is an administrator's connection. */
export function withLiveRights(copy: KubeClient, allowed: Can, user: string): KubeClient {
  return withMethods(observe(copy, makeGate(copy, allowed, user)), {
    can: allowed,
    whoAmI: () => Promise.resolve(user),
  });
}

const verbs: Readonly<Record<ObservedCall["verb"], readonly string[]>> = {
  get: ["get"],
  list: ["list"],
  watch: ["watch"],
  create: ["create"],
  update: ["update"],
  // an apply of what does not exist asks for create as well
  apply: ["patch"],
  patch: ["patch"],
  delete: ["delete"],
  ask: [],
};

function makeGate(copy: KubeClient, allowed: Can, user: string): Gate {
  return async (call, send) => {
    const { target } = call;
    if (target !== undefined) {
      const access = await describeAccess(copy, target);
      for (const verb of await listVerbs(copy, call, access)) {
        const { name, ...collection } = access;
        const asked = { ...(verb === "create" ? collection : access), verb };
        if (!(await allowed(asked))) throw forbidden(asked, user, name);
      }
    }
    return await send();
  };
}

async function listVerbs(
  copy: KubeClient,
  call: ObservedCall,
  access: Omit<Access, "verb">,
): Promise<readonly string[]> {
  const { target } = call;
  if (call.verb !== "apply" || target === undefined) return verbs[call.verb];
  const resource = { ...target, plural: access.resource };
  const found = await copy.get({ ...target, resource, name: target.name ?? "" });
  return found === undefined ? [...verbs.apply, "create"] : verbs.apply;
}

async function describeAccess(copy: KubeClient, target: CallTarget): Promise<Omit<Access, "verb">> {
  const { group, version, kind, name, namespace } = target;
  const served = target.plural === undefined ? await copy.serves(group, version) : undefined;
  const found = served?.find((one) => one.kind === kind)?.plural;
  return {
    group,
    resource: target.plural ?? found ?? `${kind.toLowerCase()}s`,
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
  };
}

function forbidden(access: Access, user: string, name: string | undefined): ApiError {
  const { verb, group, resource, namespace } = access;
  const what = group === "" ? resource : `${resource}.${group}`;
  const where =
    namespace === undefined
      ? "at the cluster scope"
      : `in the namespace ${JSON.stringify(namespace)}`;
  return new ApiError(
    `${what} ${name === undefined ? "" : `${JSON.stringify(name)} `}is forbidden: User ${JSON.stringify(user)} ` +
      `cannot ${verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(group)} ${where}`,
    { status: 403, reason: "Forbidden" },
  );
}
