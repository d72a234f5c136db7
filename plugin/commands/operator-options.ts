/** What bundle and chart of the operator are told alike. */
import type { Skip } from "../domain/checks/selection";
import type { OperatorDeps, OperatorOptions } from "../run/operator/deps";
import type { CommandContext } from "./context";

/** Flags of the chart, judged: all that helm is told. */
export interface ChartFlags {
  readonly chart: string;
  readonly releaseName: string;
  readonly version: string;
  /** A file. */
  readonly values?: string;
}

/** Findings that are accepted; undefined where the prerequisites are judged already. */
export interface Skipping {
  readonly skip: readonly Skip[] | undefined;
}

/** What both ways are told by the flags of every command. */
export function operatorOptions(
  { options, names }: CommandContext,
  { cluster }: OperatorDeps,
  skip: readonly Skip[] | undefined,
): OperatorOptions {
  return {
    namespace: cluster.namespace,
    dryRun: options.dryRun,
    fieldManager: options.fieldManager ?? names.fieldManager,
    timeoutMs: options.timeoutMs,
    wait: options.wait,
    ...(skip !== undefined && { skip }),
  };
}
