/**
 * A cluster as earlier parts of an upgrade will leave it: reads are overlaid with what is planned, and dry runs
 * that today's cluster cannot answer are not sent. It refuses writes, so whoever plans over it changes nothing.
 */
import type { Awaited } from "../domain/base/awaited";
import { NotYetKnownError, UntriedError } from "../domain/base/errors";
import { kinds, rbacKinds, reviewKinds } from "../domain/kube/kinds";
import { matchesQuery, readSelectedName } from "../domain/kube/selectors";
import {
  objectLabel,
  type KubeObject,
  type Ref,
  type Resource,
  splitApiVersion,
} from "../domain/kube/objects";
import { getOwn, getPath, omit, sameJson } from "../domain/base/values";
import { pickCopied } from "../ports/delegate";
import type { KubeClient, ListOptions, WriteOptions } from "../ports/kubernetes";
import type { RunPorts } from "./world";
import { changeRef, findLive, type PlannedChange } from "../domain/kube/change";
import { predictStored } from "./preview";

/** What parts leave behind. */
export interface Projection {
  /** Objects as they will be stored; the later one of the same object counts. */
  readonly stored: readonly KubeObject[];
  /** Objects that will not be there. */
  readonly gone: readonly Ref[];
  /** What nobody can read before the parts are done. */
  readonly unknown: readonly UnknownPlace[];
  /** Kinds whose dry runs depend on what is projected: a cluster of today would answer them wrongly. */
  readonly shades: readonly Kind[];
  /** Definitions to come, told apart: dry runs of their kinds are sent all the same, and show what a policy refuses. */
  readonly definitions: readonly KubeObject[];
}

type Kind = Pick<Resource, "group" | "kind">;

/** Objects that will be there, or change, in a way that cannot be foretold. */
export interface UnknownPlace {
  readonly resource: Kind;
  /** Absent: in every namespace. */
  readonly namespace?: string;
  /** Absent: every name. */
  readonly name?: string;
  /** What has to come about first, for people: "the operator runs the new release". */
  readonly until: Awaited;
}

/** Leaves everything as it is. */
export const unchanged: Projection = {
  stored: [],
  gone: [],
  unknown: [],
  shades: [],
  definitions: [],
};

/** Both after one another: what is said of an object later counts. */
export function joinProjections(first: Projection, next: Projection): Projection {
  const isTold = new Set([...next.stored.map(objectKey), ...next.gone.map(refKey)]);
  return {
    stored: [...first.stored.filter((one) => !isTold.has(objectKey(one))), ...next.stored],
    gone: [...first.gone.filter((one) => !isTold.has(refKey(one))), ...next.gone],
    unknown: [...first.unknown, ...next.unknown],
    shades: [...first.shades, ...next.shades],
    definitions: [...first.definitions, ...next.definitions],
  };
}

interface Address extends Kind {
  readonly namespace?: string | undefined;
  readonly name: string;
}

function addressObject({ apiVersion, kind, metadata }: KubeObject): Address {
  const { group } = splitApiVersion(apiVersion);
  return { group, kind, namespace: metadata.namespace, name: metadata.name ?? "" };
}

function addressRef({ resource, namespace, name }: Ref): Address {
  return { group: resource.group, kind: resource.kind, namespace, name };
}

/** Versions do not count: one object is served in several. */
function addressKey({ group, kind, namespace = "", name }: Address): string {
  return [group, kind, namespace, name].join("/");
}

const objectKey = (object: KubeObject): string => addressKey(addressObject(object));
const refKey = (ref: Ref): string => addressKey(addressRef(ref));

/** Reads the cluster with the projection laid over it; every write that is no dry run is a fault of the program. */
export function projectCluster(cluster: KubeClient, projection: Projection): KubeClient {
  const overlay = new Overlay(projection);
  const tryWrite = async <T>(
    address: Address,
    { dryRun, fresh }: Pick<WriteOptions, "dryRun" | "fresh"> = {},
    send: () => Promise<T>,
  ) => {
    if (dryRun !== true) throw new Error(`a plan writes nothing: ${addressKey(address)}`);
    // a probe asks who answers today
    if (fresh !== true) overlay.requireTriable(address);
    return await send();
  };
  // each method is named: one that the port gains is none of a plan's until somebody has thought of it
  return {
    server: cluster.server,
    ...pickCopied(cluster),
    namespace: cluster.namespace,
    ...(cluster.login !== undefined && { login: cluster.login }),
    get: async (ref, options) => {
      const found = overlay.find(ref);
      return found.is === "here" ? found.object : await cluster.get(ref, options);
    },
    list: async (resource, options = {}) => {
      if (!overlay.touches(resource, options)) return await cluster.list(resource, options);
      const { limit, ...rest } = options;
      const all = await cluster.list(resource, rest);
      const laid = overlay.over(all ?? [], resource, options);
      if (all === undefined && laid.length === 0) return undefined;
      return limit === undefined ? laid : laid.slice(0, limit);
    },
    watch: ({ kind }) => {
      throw new Error(`a plan watches nothing: ${kind}`);
    },
    logs: async (pod, options) => await cluster.logs?.(pod, options),
    create: async (object, options) => {
      const address = addressObject(object);
      if (isReview(address)) {
        if (overlay.hasAccess) throw refuseUntried(address);
        return await cluster.create(object, options);
      }
      return await tryWrite(address, options, () => {
        overlay.requireRole(object);
        return cluster.create(object, options);
      });
    },
    update: (object, options) =>
      tryWrite(addressObject(object), options, () => cluster.update(object, options)),
    apply: (object, options) =>
      tryWrite(addressObject(object), options, () => {
        overlay.requireRole(object);
        return cluster.apply(object, options);
      }),
    patch: (ref, body, options) =>
      tryWrite(addressRef(ref), options, () => cluster.patch(ref, body, options)),
    delete: (ref, preconditions, options) =>
      tryWrite(addressRef(ref), options, () => cluster.delete(ref, preconditions, options)),
    // no part gives the user anything: rights and what is served are those of today
    can: (access) => cluster.can(access),
    whoAmI: () => cluster.whoAmI(),
    version: () => cluster.version(),
    serves: (group, version) => cluster.serves(group, version),
    close: () => {
      cluster.close();
    },
  };
}

/** Reviews of what others may do; they store nothing. */
function isReview({ group, kind }: Kind): boolean {
  return group === reviewKinds.wide.group && kind.endsWith("Review");
}

type Found = { readonly is: "here"; readonly object: KubeObject | undefined } | { is: "below" };

class Overlay {
  /** By key; undefined for what is gone. */
  readonly #objects: ReadonlyMap<string, KubeObject | undefined>;
  /** Kinds of which an object is projected. */
  readonly #kinds: ReadonlySet<string>;
  readonly #shades: ReadonlySet<string>;

  constructor(private readonly projection: Projection) {
    const { stored, gone, shades } = projection;
    this.#objects = new Map([
      ...gone.map((ref) => [refKey(ref), undefined] as const),
      ...stored.map((object) => [objectKey(object), object] as const),
    ]);
    const told = [...stored.map(addressObject), ...gone.map(addressRef)];
    this.#kinds = new Set(told.map(kindKey));
    this.#shades = new Set(shades.map(kindKey));
  }

  /** True once rights of accounts are projected: today's answers about them are none. */
  get hasAccess(): boolean {
    return Object.values(rbacKinds).some((kind) => this.#kinds.has(kindKey(kind)));
  }

  find(ref: Ref): Found {
    const key = refKey(ref);
    if (this.#objects.has(key)) {
      const object = this.#objects.get(key);
      return { is: "here", object: object && inVersion(object, ref.resource) };
    }
    this.#requireKnown(ref.resource, ref.namespace, ref.name);
    return { is: "below" };
  }

  /** Whether a list may be otherwise than today; throws where nobody can know it yet. */
  touches(resource: Resource, { namespace, fieldSelector }: ListOptions): boolean {
    this.#requireKnown(resource, namespace, readSelectedName(fieldSelector));
    return this.#kinds.has(kindKey(resource));
  }

  over(
    all: readonly KubeObject[],
    resource: Resource,
    options: ListOptions,
  ): readonly KubeObject[] {
    const { namespace } = options;
    const left = all.filter((object) => !this.#objects.has(objectKey(object)));
    const own = this.projection.stored.filter((object) => {
      const is = addressObject(object);
      return (
        kindKey(is) === kindKey(resource) &&
        (namespace === undefined || namespace === is.namespace) &&
        matchesQuery(object, options)
      );
    });
    const laid = [...left, ...own.map((object) => inVersion(object, resource))];
    return own.length === 0 ? laid : laid.sort(byPlace);
  }

  /** Throws UntriedError for a dry run that depends on what is projected. */
  requireTriable(address: Address): void {
    const { group, kind, namespace } = address;
    const home = namespace && addressKey({ ...kinds.namespace, name: namespace });
    const isNew = home !== undefined && this.#objects.has(home);
    const isShaded = this.#shades.has(kindKey({ group, kind }));
    if (isNew || isShaded || this.#objects.has(addressKey(address))) throw refuseUntried(address);
  }

  /** The API server lets nobody bind more than they may do: today's role is not the one that is bound. */
  requireRole(object: KubeObject): void {
    const role = getOwn(object, "roleRef");
    if (role === undefined) return;
    const kind = String(getOwn(role, "kind"));
    const namespace = kind === rbacKinds.role.kind ? object.metadata.namespace : undefined;
    const name = String(getOwn(role, "name"));
    const key = addressKey({ group: rbacKinds.role.group, kind, namespace, name });
    if (this.#objects.has(key)) throw refuseUntried(addressObject(object));
  }

  #requireKnown(resource: Kind, namespace: string | undefined, name: string | undefined): void {
    const open = this.projection.unknown.find(
      (place) =>
        kindKey(place.resource) === kindKey(resource) &&
        canMeet(place.namespace, namespace) &&
        canMeet(place.name, name),
    );
    if (open !== undefined) throw new NotYetKnownError(open.until);
  }
}

function kindKey({ group, kind }: Kind): string {
  return `${group}/${kind}`;
}

function canMeet(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}

function inVersion(object: KubeObject, { group, version }: Resource): KubeObject {
  return { ...object, apiVersion: group === "" ? version : `${group}/${version}` };
}

/** The order in which an API server lists. */
function byPlace(one: KubeObject, other: KubeObject): number {
  const [left, right] = [one, other].map(({ metadata }) =>
    [metadata.namespace ?? "", metadata.name ?? ""].join("/"),
  );
  return String(left) < String(right) ? -1 : 1;
}

function refuseUntried(address: Address): UntriedError {
  return new UntriedError(`${addressKey(address)} depends on what is only planned`);
}

/** The kind that a definition defines. */
function readDefinedKind(definition: KubeObject): Kind {
  return {
    group: String(getPath(definition, ["spec", "group"])),
    kind: String(getPath(definition, ["spec", "names", "kind"])),
  };
}

/** What a read gives, or what has to come about before it can be read. */
export type Reading<T> =
  { readonly is: "known"; readonly value: T } | { readonly is: "open"; readonly until: Awaited };

/** Reads what may not be known yet: the planner says itself what that means. */
export async function unlessUnknown<T>(read: () => Promise<T>): Promise<Reading<T>> {
  try {
    return { is: "known", value: await read() };
  } catch (error) {
    if (!(error instanceof NotYetKnownError)) throw error;
    return { is: "open", until: error.until };
  }
}

/** The world as a projection leaves it; with none it only refuses writes. */
export function overlayWorld<W extends Pick<RunPorts, "cluster">>(world: W, after: Projection): W {
  return { ...world, cluster: projectCluster(world.cluster, after) };
}

/** What writes leave behind, by their dry runs or, where they were not tried, by what they send. */
export function projectWrites(writes: readonly PlannedChange[]): Projection {
  // an object that is written twice is as the last write leaves it
  const last = new Map(writes.map((write) => [objectLabel(write.change.object), write]));
  const left = [...last.values()].map(({ change, stored }): Projection => {
    if (change.verb === "delete") return { ...unchanged, gone: [changeRef(change)] };
    const live = findLive(change);
    const object = identifyObject(stored ?? predictStored(change), live);
    return { ...unchanged, stored: [object], shades: listShades(object, live) };
  });
  return {
    ...unchanged,
    stored: left.flatMap(({ stored }) => stored),
    gone: left.flatMap(({ gone }) => gone),
    shades: left.flatMap(({ shades }) => shades),
  };
}

const identity = ["uid", "resourceVersion", "generation", "creationTimestamp"];

/** An object that exists keeps its identity, so that a saved plan sees a change; a new one has none yet. */
function identifyObject(object: KubeObject, live: KubeObject | undefined): KubeObject {
  const kept = Object.fromEntries(
    identity.flatMap((name) =>
      live?.metadata[name] === undefined ? [] : [[name, live.metadata[name]]],
    ),
  );
  return { ...object, metadata: { ...omit(object.metadata, ...identity), ...kept } };
}

/** A definition that changes makes dry runs of its kind untriable; one of which only marks change does not. */
function listShades(object: KubeObject, live: KubeObject | undefined): Projection["shades"] {
  if (object.kind !== kinds.definition.kind) return [];
  return sameJson(object["spec"], live?.["spec"]) ? [] : [readDefinedKind(object)];
}
