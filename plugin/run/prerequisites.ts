/** What stands against beginning an upgrade ends the run before its first write (S113; cli contract, Output). */
import type { Judgement } from "../domain/checks/judge";
import { requireMatched, type Skip } from "../domain/checks/selection";
import { exitCodes } from "../domain/errors";
import { judgePrerequisites, prerequisiteKeys } from "../domain/procedure";
import { readDefinition, withDefinition } from "./cluster/read";
import { type Ledger, MissingPermissionsError, tellMissing } from "./engine/permissions";
import { BlockedError } from "./engine/recorder";
import { readSnapshot, type SnapshotDeps } from "./snapshot";

/** What is upgraded to, and what is accepted. */
export interface Beginning {
  readonly namespace: string;
  /** Release of the operator; undefined where the release does not tell. */
  readonly version: string | undefined;
  /** Absent in a whole upgrade, which has judged the prerequisites itself. */
  readonly skip?: readonly Skip[];
}

/** Reads and judges the prerequisites; throws where one is missing, may not be read, or a skip matches none. */
export async function requirePrerequisites(
  deps: SnapshotDeps & Ledger,
  { namespace, version, skip }: Beginning,
): Promise<void> {
  if (skip === undefined) return;
  const [read, definition] = await Promise.all([
    readSnapshot(deps, namespace, prerequisiteKeys),
    readDefinition(deps, "ec"),
  ]);
  const facts = withDefinition(read, definition);
  const judgement = judgePrerequisites(facts, { operatorVersion: version }, skip);
  await requireRead(deps, judgement);
  const { findings } = judgement;
  requireMatched(skip, findings);
  if (findings.some(({ severity }) => severity === "error")) {
    throw new BlockedError(exitCodes.blocked, findings);
  }
  deps.recorder.findings(findings);
}

/** Throws where prerequisites are not judged because a list may not be read. */
export async function requireRead(
  ledger: Ledger,
  { missing }: Pick<Judgement, "missing">,
): Promise<void> {
  if (missing.length === 0) return;
  await tellMissing(ledger, missing);
  throw new MissingPermissionsError(missing);
}
