/** What one object of the bundle needs: compared, tried by dry run, and judged for local changes. */
import { ApiError, exitCodes } from "../../domain/errors";
import type { Finding } from "../../domain/findings";
import { annotationKey, type KubeObject, objectLabel, preconditionsOf } from "../../domain/objects";
import { operatorFinding } from "../../domain/operator/codes";
import { judgeDefinition, marked, withFields } from "../../domain/operator/definitions";
import { changesTo, type Difference, differences } from "../../domain/operator/differences";
import { bundleRef, definitionResource } from "../../domain/operator/kinds";
import { leftovers } from "../../domain/operator/leftovers";
import { heldAmong, type HeldFacts, judgeHeld } from "../../domain/operator/local-changes";
import { type Held, heldOf } from "../../domain/webhook/conflicts";
import { lastFileOver } from "../../domain/operator/managers";
import { isOlder } from "../../domain/versions";
import { lossesOf, lossKeys } from "../../domain/operator/losses";
import type { Wanted } from "../../domain/operator/wanted";
import { changedError, ChangedError } from "../outcome";
import { readSnapshot } from "../snapshot";
import type { BundleOptions, OperatorDeps } from "./deps";

/** An object with its verdict. */
export interface Evaluated extends Wanted {
  readonly live: KubeObject | undefined;
  /** `kept`: the stored one is newer and is left alone. */
  readonly is: "create" | "change" | "same" | "kept";
  /** Fields of others are taken, all of them by consent. */
  readonly force: boolean;
  /** Errors refuse the whole run; `exitCode` is theirs. */
  readonly findings: readonly Finding[];
  readonly exitCode: typeof exitCodes.conflict | typeof exitCodes.blocked;
  readonly changes: readonly Difference[];
  /** What the API server would store, where it was asked. */
  readonly stored: KubeObject | undefined;
  /** Fields of the old file that go. */
  readonly removed: readonly string[];
}

const nothing = {
  force: false,
  findings: [],
  exitCode: exitCodes.conflict,
  changes: [],
  stored: undefined,
  removed: [],
} as const;

/** What every object is judged with. */
export interface Evaluating {
  readonly deps: OperatorDeps;
  readonly options: BundleOptions;
  /** Release of the operator that runs. */
  readonly runs: string | undefined;
}

/** Others write the status of an object all the time: it is read and judged again as often. */
export const attempts = 10;

/** Reads the object and judges it; nothing is written. What changes meanwhile is read again. */
export async function evaluate(tools: Evaluating, wanted: Wanted): Promise<Evaluated> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await evaluateOnce(tools, wanted);
    } catch (error) {
      if (!(error instanceof ChangedError) || attempt >= attempts) throw error;
    }
  }
}

async function evaluateOnce(tools: Evaluating, wanted: Wanted): Promise<Evaluated> {
  const { deps, options } = tools;
  const live = await deps.cluster.get(bundleRef(wanted.kind, wanted.object));
  const { verdict, object, keeps } = await judged(tools, wanted, live);
  const at = { ...nothing, kind: wanted.kind, object, live };
  if (verdict.is === "kept") return { ...at, is: "kept", findings: verdict.findings };
  if (verdict.is === "refused")
    return { ...at, is: "same", findings: verdict.findings, exitCode: exitCodes.blocked };
  const tried = await tryApply(deps, options, { object, live });
  if (tried.is === "refused") {
    return { ...at, is: "same", findings: [tried.finding], exitCode: exitCodes.blocked };
  }
  if (live === undefined) return { ...at, is: "create", findings: verdict.findings };
  const stored = tried.result;
  const facts: HeldFacts = {
    ...{ live, wanted: object, held: tried.held, stored },
    ours: options.fieldManager,
    takeFields: options.takeFields,
    isCopy: options.rehearsed,
  };
  const first = judgeHeld(facts);
  const { findings, force } =
    first.findings.length === 0
      ? first
      : judgeHeld({ ...facts, storedFile: await storedFile(tools, live, keeps) });
  const changes = changesTo(live, object, stored);
  const removed = leftovers(live, object, options.fieldManager);
  return {
    ...at,
    // what the API server alone would fill in is no reason to write, and no plan without it could name it
    is: changes.length + removed.length === 0 ? "same" : "change",
    force,
    findings: [...verdict.findings, ...findings],
    changes,
    stored,
    removed,
  };
}

/** The file that a person applied last, as the API server stores it today; not where it refuses it. */
async function storedFile(
  { deps, options }: Evaluating,
  live: KubeObject,
  keeps: readonly string[],
): Promise<KubeObject | undefined> {
  const file = options.dryRun === "client" ? undefined : lastFileOver(live);
  if (file === undefined) return undefined;
  // a manager of its own: an apply takes away what its manager held and the file lacks
  const fieldManager = `${options.fieldManager}-last-applied`;
  try {
    const stored = await deps.cluster.apply(file, { fieldManager, force: true, dryRun: true });
    // what is kept is no change that would be lost
    return withFields(stored, live, keeps);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

interface Judged {
  readonly object: KubeObject;
  /** Fields of a stored definition that are kept beside the release's. */
  readonly keeps: readonly string[];
  readonly verdict: {
    readonly is: "write" | "kept" | "refused";
    readonly findings: readonly Finding[];
  };
}

/** Definitions are shared by operators: they are never lowered. */
async function judged(
  { deps, options, runs }: Evaluating,
  { kind, object }: Wanted,
  live: KubeObject | undefined,
): Promise<Judged> {
  const { names } = deps;
  const { operatorVersion } = options.contents;
  const plain: Judged = { object, keeps: [], verdict: { is: "write", findings: [] } };
  if (kind.resource !== definitionResource) return plain;
  const mark = marked(object, operatorVersion, names);
  if (live === undefined) return { ...plain, object: mark };
  const goesUp = isOlder(runs, operatorVersion);
  const verdict = judgeDefinition({
    ...{ live, wanted: mark, goesUp, names },
    ours: options.fieldManager,
  });
  const about = { object: objectLabel(object) };
  if (verdict.is === "keep") {
    const cause = `the stored definition is left as it is: ${verdict.because}`;
    return {
      ...plain,
      verdict: { is: "kept", findings: [operatorFinding("definitionKept", { ...about, cause })] },
    };
  }
  if (verdict.is === "refuse") {
    const cause = `objects are stored in version ${verdict.versions.join(", ")}, which the release does not serve`;
    const findings = [operatorFinding("definitionStored", { ...about, cause })];
    return { ...plain, verdict: { is: "refused", findings } };
  }
  const { loses, keeps } = verdict;
  const lacks =
    loses.length === 0
      ? undefined
      : lossesOf(loses, live, await readSnapshot(deps, options.namespace, lossKeys));
  const kept = `the stored definition has ${keeps.join(", ")} beside the release's fields: kept`;
  const findings = [
    ...(lacks === undefined
      ? []
      : [operatorFinding("definitionLoses", { ...about, cause: lacks })]),
    ...(keeps.length === 0 ? [] : [operatorFinding("definitionLocal", { ...about, cause: kept })]),
  ];
  // a definition that is as wanted otherwise is not written for the mark alone
  const isMarked = annotationKey(live, names.annotations.operatorVersion) !== undefined;
  const writes = isMarked || differences(live, object).length > 0;
  const given = withFields(writes ? mark : object, live, keeps);
  return { object: given, keeps, verdict: { is: "write", findings } };
}

type Tried =
  | { readonly is: "tried"; readonly held: readonly Held[]; readonly result?: KubeObject }
  | { readonly is: "refused"; readonly finding: Finding };

/** The dry run says who holds what, and whether the API server takes the object at all. */
async function tryApply(
  deps: OperatorDeps,
  options: BundleOptions,
  { object, live }: { readonly object: KubeObject; readonly live: KubeObject | undefined },
): Promise<Tried> {
  const { fieldManager, dryRun } = options;
  if (dryRun === "client") {
    if (live === undefined) return { is: "tried", held: [] };
    const found = differences(live, object);
    return { is: "tried", held: heldAmong({ live, wanted: object, ours: fieldManager }, found) };
  }
  const metadata = { ...object.metadata, ...(live !== undefined && preconditionsOf(live)) };
  const apply = (force: boolean): Promise<KubeObject> =>
    deps.cluster.apply({ ...object, metadata }, { fieldManager, force, dryRun: true });
  try {
    return { is: "tried", held: [], result: await apply(false) };
  } catch (error) {
    if (!isConflict(error)) return refusedOr(error, object);
    if (error.causes.length === 0) throw changedError(error, objectLabel(object));
    try {
      return { is: "tried", held: heldOf(error.causes), result: await apply(true) };
    } catch (inner) {
      return refusedOr(inner, object);
    }
  }
}

function isConflict(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 409;
}

/** A refusal of the object itself is a finding; any other end is an end of the run. */
function refusedOr(error: unknown, object: KubeObject): Tried {
  if (isConflict(error)) throw changedError(error, objectLabel(object));
  if (!(error instanceof ApiError) || ![400, 422].includes(error.status)) throw error;
  const cause = `the API server refuses it: ${error.message}`;
  return {
    is: "refused",
    finding: operatorFinding("refused", { object: objectLabel(object), cause }),
  };
}
