/** A command that is one job: it connects, runs the job, and ends with its report. */
import { execute, type Job, type JobRun, type Plan } from "../run/engine/execute";
import type { AskingPorts } from "../run/run-ports";
import type { CommandRun } from "./context";
import { limitOf, runPorts } from "./run-ports";

/** What flags may tell the runner as well. */
interface RunFlags {
  readonly takeFields?: readonly string[];
  readonly stallAfterMs?: number;
  /** --timeout was typed: it then limits the whole wait. */
  readonly limited?: boolean;
}

/** Makes the job of judged flags. */
export type JobOf<F, S, P extends Plan> = (ports: AskingPorts, flags: F, run: JobRun) => Job<S, P>;

/** The run of a command of this kind; every expected end comes back as a report. */
export function jobRun<F extends object, S, P extends Plan>(
  kind: string,
  jobOf: JobOf<F, S, P>,
): CommandRun<F> {
  return async (context, args, flags) => {
    const ports = await runPorts(context, kind);
    const { dryRun, wait, fieldManager = context.names.fieldManager } = context.options;
    const { limited }: RunFlags = flags;
    const limit = limitOf(context.options, limited === true);
    const run = { namespace: ports.cluster.namespace, args, dryRun, wait, fieldManager, ...limit };
    return await execute(ports, { ...flags, ...run }, jobOf(ports, flags, run));
  };
}
