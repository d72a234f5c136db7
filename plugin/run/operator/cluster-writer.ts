/** Has cluster resources pull from the operator's registry (S17). */
import { holdersOf } from "../../domain/cluster/edits";
import { ownedBy } from "../../domain/cluster/plan";
import { exitCodes } from "../../domain/errors";
import { objectLabel } from "../../domain/objects";
import { type ClusterPatch, clusterPatches, isSamePatch } from "../../domain/operator/clusters";
import { actsOf, conflictsOf } from "../cluster/conflicts";
import { saveOldValues, sendPatch, writePatch } from "../field-patch";
import { changedError, ChangedError, requireConfirmed } from "../outcome";
import { BlockedError, type StepInfo } from "../recorder";
import type { Result } from "../report";
import type { BundleOptions, OperatorDeps } from "./deps";
import { attempts } from "./evaluate";
import { clusterInfo, patchWords } from "./steps";
import type { BundleWriter } from "./writer";

/** Patches the image specs, bound to what was read. */
export class ClusterWriter {
  constructor(
    private readonly deps: OperatorDeps,
    private readonly options: BundleOptions,
    private readonly writer: BundleWriter,
  ) {}

  /** Judges who holds the fields, and sends the patch with dryRun=All where the server is asked. */
  async rehearse(patch: ClusterPatch): Promise<void> {
    const { deps, options } = this;
    this.#requireFree(patch);
    if (options.dryRun === "client") return;
    const { fieldManager } = options;
    await sendPatch(deps, this.#to(patch), { dryRun: true, fieldManager });
  }

  /** Brings each of them to what was planned, from what is stored by now. */
  async write(patches: readonly ClusterPatch[]): Promise<void> {
    for (const planned of patches) {
      const { info } = clusterInfo(planned, this.deps);
      await this.deps.recorder.step(info, async () => ({
        result: await this.#write(planned, info),
        value: undefined,
      }));
    }
  }

  async #write(planned: ClusterPatch, step: StepInfo): Promise<Result> {
    const { deps, options, writer } = this;
    const { fieldManager } = options;
    for (let attempt = 1; ; attempt += 1) {
      deps.signal.throwIfAborted();
      const patch = await this.#again(planned);
      if (patch === undefined) return "unchanged";
      const to = this.#to(patch);
      if (attempt === 1) await saveOldValues(deps, to, patchWords(patch, deps));
      try {
        await writePatch(deps, { ...to, step }, { fieldManager });
      } catch (error) {
        if (!(error instanceof ChangedError) || attempt >= attempts) throw error;
        continue;
      }
      writer.written += 1;
      return "changed";
    }
  }

  /** The patch as what is stored by now needs it; undefined where that is as wanted, or gone. */
  async #again(planned: ClusterPatch): Promise<ClusterPatch | undefined> {
    const { deps, options } = this;
    const cluster = await deps.cluster.get(clusterInfo(planned, deps).ref);
    const [patch] = clusterPatches(cluster === undefined ? [] : [cluster], options, deps.names);
    if (patch === undefined) return undefined;
    if (!isSamePatch(patch, planned, deps.names)) {
      throw changedError(undefined, objectLabel(planned.cluster));
    }
    this.#requireFree(patch);
    requireConfirmed(
      actsOf(deps, options, takenBy(planned)),
      actsOf(deps, options, takenBy(patch)),
    );
    return patch;
  }

  #requireFree(patch: ClusterPatch): void {
    const { conflicts } = conflictsOf(this.deps, this.options, takenBy(patch));
    if (conflicts.length > 0) throw new BlockedError(exitCodes.conflict, conflicts);
  }

  #to({ cluster, edits }: ClusterPatch) {
    const { ref } = clusterInfo({ cluster, edits }, this.deps);
    return { ref, object: cluster, edits };
  }
}

/** From whose hands a patch takes its fields; what it writes there is compared by `isSamePatch`. */
function takenBy({ cluster, edits }: ClusterPatch) {
  const holders = holdersOf(cluster, edits);
  return { ec: cluster, owned: ownedBy(cluster), holders, edits: [] };
}
