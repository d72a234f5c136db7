/** What an unbinding is given: ports, options, and the words of the person who runs it. */
import type { Names } from "../../domain/names";
import type { Clock, Cluster } from "../ports";
import type { Journal } from "../record";
import type { Recorder } from "../recorder";
import type { Reviews } from "../reviews";

/** The flags of the command, judged. */
export interface UnbindOptions {
  readonly namespace: string;
  /** The constraint to unbind; absent: the current one, and the older one is looked for. */
  readonly scc?: string;
  /** The EC whose account is meant; absent: every EC of the namespace that no longer needs it. */
  readonly ec?: string;
  readonly dryRun: "none" | "client" | "server";
  readonly fieldManager: string;
  /** Planned before the EC is upgraded: its release, state and pods count as they will be then. */
  readonly assumeUpgraded?: true;
}

/** The world around an unbinding, as its parts see it. */
export interface UnbindDeps extends UnbindPorts {
  readonly reviews: Reviews;
}

/** The world around an unbinding. */
export interface UnbindPorts {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly names: Names;
  readonly recorder: Recorder;
  readonly journal: Journal;
  /** Asks once before the first write; throws UsageError where nobody can be asked. */
  readonly ask: (question: string) => Promise<boolean>;
  /** Renders a list of objects as YAML, for Roles to ask for. */
  readonly yaml: (objects: readonly unknown[]) => string;
  /** A kubectl command for a person: quoted, to this cluster; it names its namespace itself. */
  readonly command: (words: readonly string[]) => string;
  /** A command line of this program. */
  readonly engine: (words: readonly string[]) => string;
}

/** The constraint that is meant. */
export function constraintOf({ names }: UnbindDeps, { scc }: UnbindOptions): string {
  return scc ?? names.scc.current;
}
