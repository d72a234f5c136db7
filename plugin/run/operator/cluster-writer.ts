/** Has cluster resources pull from the operator's registry (S17). */
import { preconditionsOf } from "../../domain/objects";
import type { ClusterPatch } from "../../domain/operator/clusters";
import { covers } from "../../domain/operator/differences";
import { certain, noted } from "../outcome";
import type { OperatorDeps, OperatorOptions } from "./deps";
import { clusterInfo } from "./steps";
import type { BundleWriter } from "./writer";

/** Patches the image specs, bound to what was read. */
export class ClusterWriter {
  constructor(
    private readonly deps: OperatorDeps,
    private readonly options: OperatorOptions,
    private readonly writer: BundleWriter,
  ) {}

  /** Sends the patch with dryRun=All. */
  async rehearse(patch: ClusterPatch): Promise<void> {
    await this.#send(patch, true);
  }

  /** Saves and patches each of them. */
  async write(patches: readonly ClusterPatch[]): Promise<void> {
    const { deps } = this;
    for (const patch of patches) {
      await this.writer.save(patch.cluster);
      deps.signal.throwIfAborted();
      const { ref, result, info } = clusterInfo(patch, deps);
      const seen = async (): Promise<true | undefined> => {
        const stored = await deps.cluster.get(ref, { signal: new AbortController().signal });
        return covers(stored, patch.body) ? true : undefined;
      };
      const send = async (): Promise<true> => {
        await this.#send(patch, false);
        return true;
      };
      await deps.recorder.step(info, async () => {
        await noted(deps, info, () => certain({ send, seen, label: info.object }));
        this.writer.written += 1;
        return { result, value: undefined };
      });
    }
  }

  async #send(patch: ClusterPatch, dryRun: boolean): Promise<void> {
    const { deps, options } = this;
    const { ref } = clusterInfo(patch, deps);
    // its status changes all the time: the uid alone says that it is the same one
    const { uid } = preconditionsOf(patch.cluster);
    const body = { ...patch.body, metadata: { ...(uid !== undefined && { uid }) } };
    const { fieldManager } = options;
    await deps.cluster.patch(ref, body, { type: "merge", dryRun, fieldManager });
  }
}
