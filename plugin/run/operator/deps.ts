/** What an operator's upgrade is given: ports, options, and the words of the person. */
import type { Skip } from "../../domain/checks/selection";
import type { RegistryWish } from "../../domain/operator/clusters";
import type { ReleaseContents } from "../../domain/release/contents";
import type { RunPorts } from "../run-ports";

/** What both ways of upgrading are told. */
export interface OperatorOptions {
  /** The operator's. */
  readonly namespace: string;
  readonly dryRun: "none" | "client" | "server";
  readonly fieldManager: string;
  readonly timeoutMs: number;
  /** Findings of the prerequisites that are accepted; absent in a whole upgrade, which has judged them. */
  readonly skip?: readonly Skip[];
  /** Wait on while a cause stands in the way, instead of ending with it. */
  readonly wait: boolean;
}

/** The bundle's flags, judged. */
export interface BundleOptions extends OperatorOptions, RegistryWish {
  readonly contents: ReleaseContents;
  readonly takeFields: readonly string[];
  /** Objects of the bundle that are applied although they are unusual, each as `KIND/NAME`. */
  readonly allowObjects: readonly string[];
  /** The cluster is a copy in memory, which may lack what the real one has. */
  readonly rehearsed?: boolean;
}

/** The world around a run. */
export type OperatorDeps = RunPorts;
