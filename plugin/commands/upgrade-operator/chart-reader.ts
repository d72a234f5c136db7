/** Finds what the cluster has of an object of a chart, by what the API server says of its kind. */
import { omit } from "../../domain/base/values";
import {
  type KubeObject,
  objectLabel,
  type Ref,
  refTo,
  type ServedResource,
  splitApiVersion,
} from "../../domain/kube/objects";
import { findBundleKind } from "../../domain/operator/wanted";
import { unlessForbidden } from "../../ports/forbidden";
import type { Evaluated } from "./changes";
import type { OperatorDeps } from "./read";

/** An object that was read; `live` is undefined where the cluster does not have it. */
interface SeenObject {
  readonly is: "seen";
  readonly ref: Ref;
  readonly live: KubeObject | undefined;
}

/** An object that cannot be read, as a sentence says it. */
export interface UnseenObject {
  readonly is: "unseen";
  readonly label: string;
  readonly because: string;
}

/** Where an object comes to lie; `ref` is undefined where its kind is not served. */
interface Placed {
  readonly label: string;
  readonly ref: Ref | undefined;
}

/** Reads objects of a chart whose release is in `namespace`. */
export class ChartReader {
  readonly #served = new Map<string, Promise<readonly ServedResource[] | undefined>>();

  constructor(
    private readonly deps: Pick<OperatorDeps, "cluster" | "signal">,
    private readonly namespace: string,
  ) {}

  async read(object: KubeObject): Promise<SeenObject | UnseenObject> {
    const { cluster, signal } = this.deps;
    const { label, ref } = await this.place(object);
    if (ref === undefined) {
      const because = `the API server does not serve ${object.kind} of ${object.apiVersion}`;
      return { is: "unseen", label, because };
    }
    const live = await unlessForbidden(cluster.get(ref, { signal }), "forbidden");
    if (live !== "forbidden") return { is: "seen", ref, live };
    const where = ref.namespace === undefined ? "" : ` in namespace ${ref.namespace}`;
    const because = `the permission to get ${ref.resource.plural}${where} is missing`;
    return { is: "unseen", label, because };
  }

  async place(object: KubeObject): Promise<Placed> {
    const found = findBundleKind(object) ?? (await this.#discover(object));
    const { name, namespace = this.namespace } = object.metadata;
    const metadata = { ...(name && { name }), ...(found?.namespaced === true && { namespace }) };
    const placed = { ...object, metadata };
    const label = objectLabel(placed);
    if (found === undefined) return { label, ref: undefined };
    return { label, ref: refTo(found.resource, placed) };
  }

  async #discover({
    apiVersion,
    kind,
  }: KubeObject): Promise<Pick<Evaluated["kind"], "resource" | "namespaced"> | undefined> {
    const { group, version } = splitApiVersion(apiVersion);
    const served = this.#served.get(apiVersion) ?? this.deps.cluster.serves(group, version);
    this.#served.set(apiVersion, served);
    const found = (await served)?.find((one) => one.kind === kind);
    // a namespace that is not known would be a guess
    if (found?.namespaced === undefined) return undefined;
    return { resource: omit(found, "namespaced"), namespaced: found.namespaced };
  }
}
