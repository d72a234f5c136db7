/** A command that is one job: it connects, runs the job, and ends with its report. */
import { execute, type Job, type Plan } from "../run/engine/execute";
import type { AskingPorts } from "../run/run-ports";
import type { CommandRun, DryRun } from "./context";
import { runPorts } from "./run-ports";

/** What the job knows beside its own flags. */
export interface JobRun {
  /** The operator's. */
  readonly namespace: string;
  readonly args: readonly string[];
  readonly dryRun: DryRun;
  readonly fieldManager: string;
}

/** The run of a command of this kind; every expected end comes back as a report. */
export function jobRun<F extends object, S, P extends Plan>(
  kind: string,
  jobOf: (ports: AskingPorts, flags: F, run: JobRun) => Job<S, P>,
): CommandRun<F> {
  return async (context, args, flags) => {
    const ports = await runPorts(context, kind);
    const { options, names } = context;
    const { namespace } = ports.cluster;
    const fieldManager = options.fieldManager ?? names.fieldManager;
    const own = { namespace, args, dryRun: options.dryRun, fieldManager };
    return await execute(ports, { ...flags, ...own }, jobOf(ports, flags, own));
  };
}
