/** One arrangement of grants around an account, and the end that is wanted. */
import type { KubeObject } from "../../../../plugin/run/ports";
import type { Place } from "./objects";

export interface Constellation {
  readonly name: string;
  /** Beside the namespaces. */
  readonly objects: (at: Place) => readonly KubeObject[];
  /** The account's name where it is not the EC's. */
  readonly account?: string;
  readonly exit: number;
  /** Codes of the findings, each once. */
  readonly codes: readonly string[];
  /** Writes sent, as `delete kind` or `patch kind`. */
  readonly writes: readonly string[];
  /** What becomes of the constraint. */
  readonly constraint: "deleted" | "kept" | "absent";
  /** The account keeps a way in, which was reported or is wanted. */
  readonly may?: true;
}
