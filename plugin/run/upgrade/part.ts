/** A part of the whole upgrade as the procedure sees it. */
import type { Part } from "../../domain/procedure";
import type { Recorder } from "../engine/recorder";
import type { Report } from "../report";

/** How a part is run. */
export interface Stage {
  readonly dryRun: "none" | "client" | "server";
  /** It is planned before the parts ahead of it are done: what those bring about counts as there. */
  readonly ahead: boolean;
  /** What the part goes on with; of one that is only planned nothing is told. */
  readonly recorder: Recorder;
}

/** A part that is ready to be planned and run. */
export interface ReadyPart {
  readonly part: Part;
  /** Why it has nothing to do here; absent: it is run. */
  readonly skip?: string;
  readonly run: (stage: Stage) => Promise<Report>;
  /** Of a part that is skipped since somebody else does it: whether that has come about. */
  readonly verify?: (stage: Stage) => Promise<Report>;
}
