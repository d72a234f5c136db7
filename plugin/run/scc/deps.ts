/** What an unbinding is given: ports, options, and the words of the person who runs it. */
import type { Reviews } from "../reviews";
import type { AskingPorts } from "../run-ports";

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
export interface UnbindPorts extends AskingPorts {
  /** A kubectl command for a person: quoted, to this cluster; it names its namespace itself. */
  readonly command: (words: readonly string[]) => string;
  /** A command line of this program. */
  readonly engine: (words: readonly string[]) => string;
}

/** The constraint that is meant. */
export function constraintOf({ names }: UnbindDeps, { scc }: UnbindOptions): string {
  return scc ?? names.scc.current;
}
