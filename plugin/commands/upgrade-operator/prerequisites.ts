/** Reads and judges what an upgrade cannot begin without. */
import { pick } from "../../domain/base/values";
import { exitCodes, BlockedError } from "../../domain/base/errors";
import type { Judgment } from "../../domain/checks/judge";
import { accept, requireMatched } from "../../domain/checks/selection";
import type { Finding } from "../../domain/base/findings";
import type { Skip } from "../../domain/base/skip";
import { judgeAutomaticFollowers } from "../../domain/database/channel";
import { operatorFinding } from "../../domain/operator/findings";
import { clusterVersionFor } from "../../domain/release/platforms";
import {
  judgeOperatorPrerequisites,
  listOperatorPrerequisiteKeys,
  warnOfReleases,
} from "../../domain/checks/prerequisites";
import { type PermissionChecker, requireRead } from "../../kernel/permissions";
import type { WaitPorts } from "../../kernel/wait";
import { readOtherOperators, unseenOperators } from "../../readers/operator-namespace";
import { readAfterVolumeExpansion } from "../../readers/volume-expansion";
import {
  type SnapshotDeps,
  readSnapshot,
  readDefinition,
  withDefinition,
} from "../../readers/snapshot";
import { describeShared } from "./definition-checks";

/** What is upgraded to, and what is accepted. */
interface Beginning {
  readonly namespace: string;
  /** Release of the operator; undefined where the release does not report. */
  readonly version: string | undefined;
  /** What the release says of it; absent: only the published pairs tell which release of the cluster belongs to it. */
  readonly contents?: { readonly clusterVersion: string | undefined };
  /** Absent in a whole upgrade, which has judged the prerequisites itself. */
  readonly skip?: readonly Skip[];
  /** What passes by itself is waited for, so long. */
  readonly wait: boolean;
  readonly dryRun: "none" | "client" | "server";
  readonly timeoutMs: number;
}

/** Reads and judges the prerequisites; throws where one is missing, may not be read, or a skip matches none. */
export async function requirePrerequisites(
  deps: SnapshotDeps & PermissionChecker & WaitPorts,
  beginning: Beginning,
): Promise<void> {
  const { skip, wait, dryRun, timeoutMs: ms } = beginning;
  if (skip === undefined) return;
  const patience = { waits: wait && dryRun === "none", ms };
  const judgment = await readAfterVolumeExpansion(deps, patience, () =>
    readJudgment(deps, beginning, skip),
  );
  await requireRead(deps, judgment);
  const findings = [...judgment.findings, ...(await findShared(deps, beginning))];
  requireMatched(skip, findings);
  if (findings.some(({ severity }) => severity === "error")) {
    throw new BlockedError(exitCodes.blocked, findings);
  }
  deps.recorder.addFindings(findings);
}

/** Operators of other namespaces, for which the definitions are as well. */
async function findShared(
  deps: SnapshotDeps & PermissionChecker,
  { namespace }: Beginning,
): Promise<readonly Finding[]> {
  const { names, recorder } = deps;
  const operators = await readOtherOperators(deps, namespace);
  if (operators === undefined) recorder.note(unseenOperators);
  const cause = describeShared({ names, namespace, ...(operators && { operators }) }, []);
  return cause === undefined ? [] : [operatorFinding("definitionShared", { cause })];
}

async function readJudgment(
  deps: SnapshotDeps,
  { namespace, version, contents }: Beginning,
  skip: readonly Skip[],
): Promise<Judgment> {
  const [read, definition] = await Promise.all([
    readSnapshot(deps, namespace, listOperatorPrerequisiteKeys(deps)),
    readDefinition(deps, "ec"),
  ]);
  const facts = withDefinition(read, definition);
  const judged = judgeOperatorPrerequisites(
    facts,
    { operatorVersion: version, ...pick(deps, "advised") },
    skip,
  );
  const tag =
    contents?.clusterVersion ?? (version === undefined ? undefined : clusterVersionFor(version));
  const followers = accept(judgeAutomaticFollowers(facts, { tag }), skip);
  const target = { operatorVersion: version, ...pick(deps, "advised") };
  const told = accept(warnOfReleases(facts, target, "upgrade-operator"), skip);
  return { ...judged, findings: [...judged.findings, ...followers, ...told] };
}
