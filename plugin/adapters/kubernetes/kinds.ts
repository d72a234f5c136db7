/** Which path serves a kind: asked once for each group and version. */
import { ApiError, UsageError } from "../../domain/base/errors";
import {
  type KubeObject,
  type Ref,
  type Resource,
  type ServedResource,
  splitApiVersion,
} from "../../domain/kube/objects";
import { asArray, asString, getOwn } from "../../domain/base/values";
import type { Client } from "./client";

/** A kind that the server serves, and where its objects live. */
interface ServedKind {
  readonly resource: Resource;
  readonly namespaced: boolean;
}

/** Discovery with a memory for what was found; what was not found is asked for again. */
export class Kinds {
  private readonly known = new Map<string, Promise<readonly ServedKind[] | undefined>>();

  constructor(
    private readonly client: Client,
    private readonly namespace: string,
  ) {}

  /** The kinds of a group and version as they are now, undefined when it is not served. */
  async served(group: string, version: string): Promise<readonly ServedResource[] | undefined> {
    const found = await this.ask(group, version);
    return found?.map(({ resource, namespaced }) => ({ ...resource, namespaced }));
  }

  /** Where an object of this kind is written; in the connection's namespace if it names none. */
  async findRef(object: KubeObject, signal: AbortSignal | undefined): Promise<Ref> {
    const { apiVersion, kind, metadata } = object;
    const found = await this.find({ ...splitApiVersion(apiVersion), kind }, signal);
    const namespace = found.namespaced ? (metadata.namespace ?? this.namespace) : undefined;
    return {
      resource: found.resource,
      name: metadata.name ?? "",
      namespace,
    };
  }

  private async find(
    { group, version, kind }: Omit<Resource, "plural">,
    signal: AbortSignal | undefined,
  ): Promise<ServedKind> {
    const key = `${group}/${version}`;
    const before = this.known.get(key);
    // not awaited where nobody has asked: of many who begin at once the first one asks
    const known = before && (await before)?.find(({ resource }) => resource.kind === kind);
    if (known !== undefined) return known;
    const asked = this.ask(group, version, signal);
    this.known.set(
      key,
      asked.catch(() => undefined),
    );
    const found = (await asked)?.find(({ resource }) => resource.kind === kind);
    if (found !== undefined) return found;
    throw new ApiError(
      `the API server serves no kind ${kind} in ${group === "" ? version : key}`,
      { status: 404, reason: "NotFound" },
      { hint: "check the kind, or install its CustomResourceDefinition first" },
    );
  }

  private async ask(
    group: string,
    version: string,
    signal?: AbortSignal,
  ): Promise<readonly ServedKind[] | undefined> {
    const path = versionPath(group, version);
    const subject = `list the kinds of ${group === "" ? version : `${group}/${version}`}`;
    const answer = await this.client.object(
      { method: "GET", path, subject, writes: false, signal },
      "absent",
    );
    const kinds = asArray(getOwn(answer, "resources")).flatMap((entry) => {
      const plural = asString(getOwn(entry, "name"));
      const kind = asString(getOwn(entry, "kind"));
      if (plural === undefined || kind === undefined || plural.includes("/")) return [];
      const resource = { group, version, plural, kind };
      return [{ resource, namespaced: getOwn(entry, "namespaced") === true }];
    });
    return kinds.length === 0 ? undefined : kinds;
  }
}

/** The path of a group and version; group "" is the core group. */
function versionPath(group: string, version: string): string {
  return group === "" ? `/api/${segment(version)}` : `/apis/${segment(group)}/${segment(version)}`;
}

/** The path of all objects of a kind, in one namespace or in all. */
export function collectionPath(resource: Resource, namespace: string | undefined): string {
  const within = namespace === undefined ? "" : `/namespaces/${segment(namespace)}`;
  return `${versionPath(resource.group, resource.version)}${within}/${segment(resource.plural)}`;
}

/** The path of one object. */
export function objectPath({ resource, name, namespace }: Ref): string {
  return `${collectionPath(resource, namespace)}/${segment(name)}`;
}

/** `secrets/x in namespace y`, for messages. */
export function nameRef({ resource, name, namespace }: Ref): string {
  return `${resource.plural}/${name}${namespace === undefined ? "" : ` in namespace ${namespace}`}`;
}

/** An empty segment would turn one object into all of them, and dots lead elsewhere. */
function segment(name: string): string {
  if (name === "" || name === "." || name === ".." || name.includes("/")) {
    throw new UsageError(`"${name}" is not a name in the Kubernetes API`);
  }
  return encodeURIComponent(name);
}
