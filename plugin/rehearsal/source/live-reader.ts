/** Reads that may be refused: what the user may not read is left out, and told. */
import { atMost } from "../../domain/at-most";
import { ApiError } from "../../domain/errors";
import { permissionLine } from "../../domain/permissions";
import type { Cluster, KubeObject, Ref, Resource } from "../../run/ports";

/** How many requests are under way at once. */
const concurrency = 8;

/** Lists and gets through the port; anything but a refusal of permission is thrown. */
export class LiveReader {
  private readonly refused: string[] = [];
  private readonly bounded = atMost(concurrency);

  constructor(
    private readonly cluster: Cluster,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** What could not be read, one line each. */
  get warnings(): readonly string[] {
    return this.refused.map(
      (permission) => `not allowed to ${permission}: the rehearsal goes on with less`,
    );
  }

  /** Undefined when the user may not; nothing for a kind that is not served. */
  async list(resource: Resource, namespace?: string): Promise<readonly KubeObject[] | undefined> {
    const within = namespace === undefined ? {} : { namespace };
    const signal = this.signal === undefined ? {} : { signal: this.signal };
    return this.allowed({ ...resource, ...within, verb: "list" }, async () => {
      return (await this.cluster.list(resource, { ...within, ...signal })) ?? [];
    });
  }

  /** The object in a list of its own; an empty one where it is not there or may not be read. */
  async get(ref: Ref): Promise<readonly KubeObject[]> {
    const { resource, ...rest } = ref;
    const signal = this.signal === undefined ? {} : { signal: this.signal };
    const found = await this.allowed({ ...resource, ...rest, verb: "get" }, () =>
      this.cluster.get(ref, signal),
    );
    return found === undefined ? [] : [found];
  }

  /** Of Kubernetes; undefined where it is not told. */
  async version(): Promise<string | undefined> {
    try {
      return await this.cluster.version();
    } catch (error) {
      if (error instanceof ApiError && error.status === 403) return undefined;
      throw error;
    }
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

  private async allowed<T>(wanted: Wanted, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await this.bounded(work);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 403) throw error;
      this.refused.push(permissionLine({ ...wanted, resource: wanted.plural, why: "" }));
      return undefined;
    }
  }
}

interface Wanted {
  readonly verb: string;
  readonly group: string;
  readonly plural: string;
  readonly namespace?: string;
  readonly name?: string;
}
