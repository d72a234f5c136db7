/** What the command was given, as the part is told it. */
import type { CommandContext } from "../../cmdutil/context";
import { kubectlCommand } from "../../cmdutil/kubectl-command";
import { writeOptions } from "../../cmdutil/run-ports";
import { usualAtOnce } from "../../cmdutil/standard-flags";
import type { RoleFiles } from "../../domain/rbac/lines";
import type { ReapplyRbacFlags } from "./flags";
import type { RbacOptions } from "./read";

/** What the part is told. */
export interface RbacPartWish extends RbacOptions {
  /** A kubectl command for a person: quoted, to this cluster; it names its namespace itself. */
  readonly command: (words: readonly string[]) => string;
  /** Tells this run's temporary things from those of others. */
  readonly runId: string;
  /** A plan tells each object as it is and as it would be. */
  readonly shows?: boolean;
}

/** What the flags say. */
export function readWish(
  context: CommandContext,
  flags: ReapplyRbacFlags,
  found: RoleFiles & Pick<RbacOptions, "given" | "namespace">,
): RbacPartWish {
  const { options, run } = context;
  const { selector, account, canary, maxFailures, mode, prune, skip } = flags;
  const { fieldManager, shows } = writeOptions(context);
  return {
    ...{ ...found, selector, account, canary, maxFailures, mode, prune, skip, fieldManager, shows },
    ...{ takeFields: flags.takeFields, dropLocal: flags.dropLocal, prove: flags.probe },
    concurrency: options.concurrency ?? usualAtOnce.namespaces,
    timeoutMs: options.timeoutMs,
    command: kubectlCommand(options),
    runId: run.id.toLowerCase(),
  };
}
