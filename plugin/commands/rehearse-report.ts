/** What a rehearsal was played on, and how it ended, for its document. */
import { type ExitCode, exitCodes } from "../domain/errors";
import type { KubeObject } from "../domain/objects";
import type { Embedded } from "../rehearsal/embedded";
import type { User } from "../rehearsal/model";
import type { Report } from "../run/report";
import type { CommandContext } from "./context";
import type { RehearsedFaults, RehearsedSource, RehearsedStage } from "./rehearse-details";
import type { Opened } from "./rehearse-source";
import type { Staged } from "./rehearse-stages";

/** The source in words and numbers, with what a person must know about it. */
export function sourceOf({ context, opened, embedded }: Staged): RehearsedSource {
  const { source, user } = opened;
  return {
    described: source.described,
    objects: source.objects.length,
    kinds: countsOf(source.objects, context),
    user: userText(user, opened),
    warnings: [...source.warnings, ...notServing(embedded, context)],
  };
}

function userText({ name, groups }: User, { narrowed }: Opened): string {
  if (narrowed) return `${name}, with the permissions that the live cluster tells`;
  return groups.includes("system:masters") ? `${name}, who may do everything` : name;
}

function countsOf(
  objects: readonly KubeObject[],
  { names }: CommandContext,
): Readonly<Record<string, number>> {
  const kinds = ["Namespace", names.ec.kind, names.edb.kind, names.eaadb.kind, names.erc.kind];
  const counts = kinds.map((kind) => [kind, objects.filter((one) => one.kind === kind).length]);
  return Object.fromEntries(counts.filter(([, count]) => count !== 0)) as Record<string, number>;
}

function notServing({ webhook }: Embedded, { names }: CommandContext): readonly string[] {
  if (webhook === undefined) {
    return [`no Secret ${names.webhook.secret} to serve with: calls of the webhook are refused`];
  }
  if (webhook.ready) return [];
  return [`the webhook program does not become ready with the pair of ${names.webhook.secret}`];
}

/** The worst of the stages; runs with failures count when every stage went well. */
export function exitOf(
  stages: readonly RehearsedStage[],
  faults: RehearsedFaults | undefined,
): Report["exit"] {
  const failed = faults?.failures.length ?? 0;
  const worst = stages.reduce<RehearsedStage | undefined>(
    (found, stage) => (rank(stage) > rank(found) ? stage : found),
    undefined,
  );
  if (worst !== undefined) {
    const { exit } = worst.report;
    return { ...exit, reason: `${worst.title}: ${exit.reason}` };
  }
  if (failed > 0) {
    return {
      code: exitCodes.failed,
      reason: `${failed} runs with failures did not end as they have to`,
      next: "repeat one of them with the command that is printed with it, and report it",
    };
  }
  return {
    code: exitCodes.ok,
    reason: "the rehearsal went as it has to, nothing real was touched",
  };
}

/** Order of gravity; 0 for an end that is none. */
const gravity: readonly ExitCode[] = [
  exitCodes.ok,
  exitCodes.usage,
  exitCodes.blocked,
  exitCodes.permission,
  exitCodes.conflict,
  exitCodes.timeout,
  exitCodes.unavailable,
  exitCodes.partial,
  exitCodes.rolledBack,
  exitCodes.rollbackIncomplete,
  exitCodes.failed,
];

function rank(stage: RehearsedStage | undefined): number {
  return stage === undefined ? 0 : gravity.indexOf(stage.report.exit.code);
}
