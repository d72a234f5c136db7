/** Has cluster resources pull from the operator's registry (S17). */
import { ownedBy } from "../../domain/cluster/plan";
import { clusterFinding } from "../../domain/cluster/codes";
import { objectLabel, refTo } from "../../domain/objects";
import { type ClusterPatch, clusterPatches, isSamePatch } from "../../domain/operator/clusters";
import { type Patch, stepOf } from "../engine/change";
import { Session } from "../engine/session";
import { changedError } from "../outcome";
import type { BundleOptions, OperatorDeps } from "./deps";
import { clusterResource } from "./read";

/** Patches the image specs, bound to what was read. */
export class ClusterWriter {
  readonly #session: Session;

  constructor(
    private readonly deps: OperatorDeps,
    private readonly options: BundleOptions,
  ) {
    this.#session = new Session(deps, options);
  }

  /** How many writes came into force. */
  get written(): number {
    return this.#session.written;
  }

  patchOf({ cluster, edits }: ClusterPatch): Patch {
    const fields = edits.map(({ path }) => path.join(".")).join(", ");
    return {
      verb: "patch",
      id: "operator.cluster-images",
      resource: clusterResource(this.deps.names),
      object: cluster,
      edits,
      why: `${fields} follow the operator's registry (S17)`,
      does: [],
      risk: "the cluster's pods are made anew from that registry with its next upgrade",
      reverse: "the run saves the old values; the report prints the command that puts them back",
      owned: ownedBy(cluster),
      dropped: (lost, object) =>
        lost.map(({ path }) => clusterFinding("fieldPruned", { object, field: path.join(".") })),
    };
  }

  /** Judges who holds the fields, and sends the patch with dryRun=All where the server is asked. */
  async rehearse(patch: ClusterPatch): Promise<void> {
    this.#session.requireFree(this.patchOf(patch));
    await this.#session.rehearse(this.patchOf(patch));
  }

  /** Brings each of them to what was planned, from what is stored by now. */
  async write(patches: readonly ClusterPatch[]): Promise<void> {
    for (const planned of patches) {
      this.deps.signal.throwIfAborted();
      const patch = await this.#again(planned);
      if (patch === undefined) {
        this.deps.recorder.done(stepOf(this.patchOf(planned)), "unchanged");
        continue;
      }
      this.#session.confirm([this.patchOf(planned)]);
      await this.#session.send(patch, () => this.#again(planned));
    }
  }

  /** The patch as what is stored by now needs it; undefined where that is as wanted, or gone. */
  async #again(planned: ClusterPatch): Promise<Patch | undefined> {
    const { deps, options } = this;
    const cluster = await deps.cluster.get(refTo(clusterResource(deps.names), planned.cluster));
    const [patch] = clusterPatches(cluster === undefined ? [] : [cluster], options, deps.names);
    if (patch === undefined) return undefined;
    if (!isSamePatch(patch, planned, deps.names)) {
      throw changedError(undefined, objectLabel(planned.cluster));
    }
    return this.patchOf(patch);
  }
}
