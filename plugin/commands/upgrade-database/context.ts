/** What all work on databases is given: the world, the options, and what a run keeps. */
import { Session } from "../../kernel/session";
import type { World } from "../../kernel/world";
import { ProgressLine } from "./progress-line";
import { DatabasePoller, type UpgradeDatabaseDeps, type UpgradeDatabaseOptions } from "./read";

/** One for a whole run. */
export interface DatabaseContext {
  readonly deps: UpgradeDatabaseDeps;
  readonly options: UpgradeDatabaseOptions;
  readonly session: Session;
  readonly poller: DatabasePoller;
  readonly line: ProgressLine;
}

interface Followed {
  /** What was read a moment ago is not read again, and its time counts. */
  readonly before: DatabaseContext | undefined;
  readonly dryRun: World["dryRun"];
}

/** The context of a plan, or of its act. */
export function makeContext(
  deps: UpgradeDatabaseDeps,
  options: UpgradeDatabaseOptions,
  { before, dryRun }: Followed,
): DatabaseContext {
  // its operator writes databases as well
  const others = [deps.names.operator.deployment];
  return {
    ...{ deps, options },
    line: new ProgressLine(deps.clock, deps.recorder, before?.line.from),
    poller: before?.poller.handTo(deps, options) ?? new DatabasePoller(deps, options),
    session: new Session(deps, { ...options, dryRun, others }),
  };
}
