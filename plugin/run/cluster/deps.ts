/** What an upgrade of an EC is given: ports, options, and the words of the person who runs it. */
import type { Skip } from "../../domain/checks/selection";
import type { AskingPorts } from "../run-ports";

/** The flags of the command, judged. */
export interface UpgradeClusterOptions {
  /** The operator's and the EC's. */
  readonly namespace: string;
  readonly name: string;
  /** The tag to write; with `auto` the one that is expected. */
  readonly target?: string;
  readonly auto: boolean;
  readonly imagePullPolicy?: string;
  readonly imageRepository?: string;
  /** Planned before the operator is upgraded: this release of it counts as the one that runs. */
  readonly assumeOperator?: string;
  readonly takeFields: readonly string[];
  /** Findings that are accepted. */
  readonly skip: readonly Skip[];
  /** A part of a whole upgrade, which sees to it that each --skip matches something. */
  readonly skipMayMiss?: true;
  /** No progress for so long, and a cause in the data: stalled. */
  readonly stallAfterMs: number;
  /** Longest time for a whole wait; absent: as long as something moves. */
  readonly limitMs?: number;
  /** Wait for what is not ready before the write, instead of stopping. */
  readonly wait: boolean;
  readonly dryRun: "none" | "client" | "server";
  readonly fieldManager: string;
}

/** The world around a run. */
export type UpgradeClusterDeps = AskingPorts;
