/** What a recovery is given: ports, options, and the words of the person who runs it. */
import type { Resource } from "../../domain/objects";
import type { Permission } from "../../domain/permissions";
import type { ClusterApi } from "../cluster-api";
import type { Session } from "../engine/session";
import type { ModuleFile } from "../modules/upload";
import type { UpgradeClusterDeps } from "../cluster/deps";

/** The flags of the command, judged. */
export interface RecoverOptions {
  /** The operator's and the EC's. */
  readonly namespace: string;
  /** Name of the EC. */
  readonly name: string;
  readonly apply: boolean;
  readonly engineVersion?: string;
  readonly modules: readonly ModuleFile[];
  readonly dropDigests: boolean;
  /** No progress for so long: it stands still. */
  readonly stallAfterMs: number;
  /** Longest time for each wait; absent: as long as something moves. */
  readonly limitMs?: number;
  /** Wait for actions that run, instead of stopping. */
  readonly wait: boolean;
  readonly dryRun: "none" | "client" | "server";
  readonly fieldManager: string;
}

/** The REST API of the EC, not yet connected. */
export interface ApiSource {
  readonly permissions: readonly Permission[];
  readonly connect: () => Promise<ClusterApi>;
}

/** The world around a run. */
export interface RecoverDeps extends UpgradeClusterDeps {
  /** Absent: nothing was given to reach it with, and it is judged from the resources. */
  readonly api: ApiSource | undefined;
}

/** One for a whole run. */
export interface RecoverContext {
  readonly deps: RecoverDeps;
  readonly options: RecoverOptions;
  readonly session: Session;
  /** By which version of its kind the EC is read. */
  readonly resource: Resource;
  /** The REST API where it is asked. */
  readonly api: ClusterApi | undefined;
}
