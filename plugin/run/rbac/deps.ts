/** What a run over many namespaces is given: ports, options, and the words of the person. */
import type { RoleFiles } from "../../domain/rbac/lines";
import type { Mode } from "../../domain/rbac/plan";
import type { Reviews } from "../reviews";
import type { AskingPorts } from "../run-ports";

/** The flags of the command, judged. */
export interface RbacOptions extends RoleFiles {
  /** The operator's. */
  readonly namespace: string;
  readonly mode: Mode;
  readonly dryRun: "none" | "client" | "server";
  readonly fieldManager: string;
  readonly concurrency: number;
  readonly timeoutMs: number;
  /** The exact set, by name; else by label; else what the operator is told. */
  readonly given: readonly string[] | undefined;
  readonly selector: string | undefined;
  /** The cluster's service account, where no cluster resource names it yet. */
  readonly account: string | undefined;
  readonly prune: boolean;
  readonly canary: string | undefined;
  /** Stop when so many namespaces have failed; undefined: never. */
  readonly maxFailures: number | undefined;
  readonly takeFields: readonly string[];
  readonly takeOver: boolean;
  readonly prove: boolean;
  /** Additions of persons to give up, by their entries; `all` for all of them. */
  readonly dropLocal: readonly string[];
  /**
   * In a dry run of `contract`: what is read is first taken through the plan of `expand`, so that
   * a run which expands first can show all of its plan. Nothing is sent, whatever `dryRun` says.
   */
  readonly assumeExpanded?: true;
}

/** The world around a run, as its parts see it. */
export interface RbacDeps extends RbacPorts {
  readonly reviews: Reviews;
}

/** The world around a run. */
export interface RbacPorts extends AskingPorts {
  /** A kubectl command for a person: quoted, to this cluster; it names its namespace itself. */
  readonly command: (words: readonly string[]) => string;
  /** Tells this run's temporary things from those of others. */
  readonly runId: string;
}
