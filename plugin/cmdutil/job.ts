/** Runs a job of the kernel as a command. */
import type { AskingPorts } from "../kernel/permissions";
import type { CommandRun, GlobalOptions } from "./context";
import { usualTimeoutMs } from "./standard-flags";
import { execute, type Job, type JobRun, type Plan } from "../kernel/runner";
import { runPorts, writeOptions } from "./run-ports";

/** The limit of a whole wait: a time that was given, typed or in the environment; else what continues may. */
export function limitOf(
  { timeoutMs }: Pick<GlobalOptions, "timeoutMs">,
  isTyped: boolean,
): { readonly limitMs?: number } {
  return isTyped || timeoutMs !== usualTimeoutMs ? { limitMs: timeoutMs } : {};
}

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
    const { limited }: RunFlags = flags;
    const limit = limitOf(context.options, limited === true);
    const run = { namespace: ports.cluster.namespace, args, ...writeOptions(context), ...limit };
    return await execute(ports, { ...flags, ...run }, jobOf(ports, flags, run));
  };
}
