/** What one object of the bundle needs: compared, tried by dry run, and judged for local changes. */
import { ApiError, exitCodes, BlockedError, UntriedError } from "../../domain/base/errors";
import type { CustomResourceDefinition } from "../../domain/kube/models";
import { findDeletion } from "../../domain/kube/deletion";
import type { Finding } from "../../domain/base/findings";
import { annotationKey, type KubeObject, objectLabel } from "../../domain/kube/objects";
import { operatorFinding, operatorFindings } from "../../domain/operator/findings";
import {
  type DefinitionVerdict,
  judgeChange,
  judgeDefinition,
  lossKeys,
  markRelease,
  withFields,
} from "./definitions";
import { findConversionService, judgeConversion, dropNone } from "../../domain/operator/conversion";
import { findFixedFields } from "../../domain/operator/fixed-fields";
import { findKeepsUnknown, isNarrower } from "../../domain/operator/definition-limits";
import { kinds, rbacKinds } from "../../domain/kube/kinds";
import { withAdditions } from "../../domain/operator/additions";
import { changesTo, differences } from "../../domain/kube/differences";
import { bundleRef, type DesiredObject } from "../../domain/operator/wanted";
import { heldAmong, type HeldFacts, type HeldVerdict, judgeHeld, leftovers } from "./local-changes";
import { listHeld } from "../../domain/kube/owners";
import { lastFileOver } from "../../domain/kube/field-managers";
import { isOlder } from "../../domain/base/versions";
import { workByPlan } from "../../kernel/send";
import type { Session } from "../../kernel/session";
import { readSnapshot } from "../../readers/snapshot";
import { buildApply, type Evaluated, makeUnjudged } from "./changes";
import type { ReleaseContents } from "../../domain/release/contents";
import type { BundleOptions, OperatorDeps } from "./read";
import { isKind } from "../../domain/kube/typed";

/** What every object is judged with. */
export interface Evaluating {
  readonly deps: OperatorDeps;
  readonly options: Omit<BundleOptions, "contents" | "allowObjects" | "helmDriver"> & {
    readonly contents: Pick<ReleaseContents, "operatorVersion">;
    /** Helm has written what is there: what its managers hold is no change of anybody's. */
    readonly byHelm?: true;
  };
  readonly session: Session;
  /** Release of the operator that runs. */
  readonly runs: string | undefined;
}

/** Others write the status of an object all the time: it is read and judged again as often. */
export const attempts = 10;

/** Reads the object and judges it; nothing is written. What changes meanwhile is read again. */
export async function evaluate(tools: Evaluating, wanted: DesiredObject): Promise<Evaluated> {
  return await workByPlan(tools.deps, wanted, {
    work: (one) => evaluateOnce(tools, one),
    again: (_error, one) => Promise.resolve(one),
    attempts,
  });
}

/** Stops with what stands against a write, a conflict before a refusal, and gives the warnings. */
export function requireFit(findings: readonly Finding[]): readonly Finding[] {
  const errors = findings.filter(isError);
  if (errors.length === 0) return findings;
  const held = errors.some(({ code }) => code === operatorFindings.localChange.code);
  throw new BlockedError(held ? exitCodes.conflict : exitCodes.blocked, errors);
}

async function evaluateOnce(tools: Evaluating, given: DesiredObject): Promise<Evaluated> {
  const { deps, options } = tools;
  const wanted = { ...given, object: dropNone(given.object) };
  const live = await deps.cluster.get(bundleRef(wanted.kind, wanted.object));
  const deletion = findDeletion(live);
  if (deletion !== undefined) {
    return { ...makeUnjudged(wanted, { live, ours: options.fieldManager }), findings: [deletion] };
  }
  const conversion = await judgeStoredConversion(tools, wanted, live);
  const { is, keeps, object, findings: found } = await judgeObject(tools, wanted, live);
  const findings = [...found, ...conversion.findings];
  const { fieldManager: ours, takeFields, registry, rehearsed: isCopy, byHelm } = options;
  const { unconverts } = conversion;
  const at = { ...makeUnjudged({ ...wanted, object }, { live, ours }), findings, unconverts };
  if (is !== "write") return { ...at, is };
  return await evaluateApply(at, {
    tryApply: (one) => tryApply(tools, one),
    judge: async (tried) => {
      const given = { takeFields, registry, isCopy, ...(byHelm && { byHelm }) };
      const facts = { ...tried, wanted: object, ours, ...given };
      const first = judgeHeld(facts);
      if (first.findings.length === 0) return first;
      return judgeHeld({ ...facts, storedFile: await storedFile(tools, tried.live, keeps) });
    },
    listRemoved: (stored) => leftovers(stored, object, ours),
  });
}

/** How who writes an object tries it, and judges what is met. */
export interface Applying {
  readonly tryApply: (at: Evaluated) => Promise<Tried>;
  readonly judge: (tried: Tried & { readonly live: KubeObject }) => Promise<HeldVerdict>;
  /** Fields that go although the object itself does not say so. */
  readonly listRemoved: (live: KubeObject, stored: KubeObject | undefined) => readonly string[];
}

/** An object that is to be applied: tried, compared, and judged for local changes. */
export async function evaluateApply(at: Evaluated, how: Applying): Promise<Evaluated> {
  const { live, object, findings } = at;
  const refusals = live === undefined ? [] : findRefusals(live, object);
  // what the API server will refuse is told in its words only where nothing closer is known
  if (refusals.some(isError)) return { ...at, findings: [...findings, ...refusals] };
  let tried: Tried;
  try {
    tried = await how.tryApply(at);
  } catch (error) {
    return { ...at, findings: [refusedBy(error, object)] };
  }
  if (live === undefined) return { ...at, is: "create" };
  const { stored } = tried;
  const verdict = await how.judge({ ...tried, live });
  const changes = changesTo(live, object, stored);
  const removed = how.listRemoved(live, stored);
  return {
    ...{ ...at, changes, stored, removed, force: verdict.force },
    // what the API server alone would fill in is no reason to write, and no plan without it could name it
    is: changes.length + removed.length === 0 && at.unconverts !== true ? "same" : "change",
    findings: [...findings, ...refusals, ...verdict.findings],
  };
}

const isError = ({ severity }: Finding): boolean => severity === "error";

/** What the API server refuses for as long as the stored object stays as it is. */
export function findRefusals(live: KubeObject, object: KubeObject): readonly Finding[] {
  const keeps = isKind(live, "CustomResourceDefinition") ? findKeepsUnknown(live, object) : [];
  return [
    ...findFixedFields(live, object),
    ...keeps.map((about) => operatorFinding("definitionKeepsUnknown", about)),
  ];
}

/** What becomes of a stored conversion. */
interface Conversion {
  /** It is taken out, of a definition that is kept as well: nothing can be read through it. */
  readonly unconverts: boolean;
  readonly findings: readonly Finding[];
}

/** A conversion that the release does not have: taken out where it leads nowhere, else told and kept. */
async function judgeStoredConversion(
  { deps }: Evaluating,
  { kind, object }: DesiredObject,
  live: KubeObject | undefined,
): Promise<Conversion> {
  const nothing = { unconverts: false, findings: [] };
  if (kind.resource !== kinds.definition || live === undefined) return nothing;
  const service = findConversionService(live);
  const isThere = service === undefined ? undefined : await exists(deps, service);
  const { is, because: cause } = judgeConversion(live, object, isThere);
  if (is === "fine") return nothing;
  const unconverts = is === "broken" && findConversionService(object) === undefined;
  const code = is === "broken" ? "definitionConversion" : "definitionConverts";
  const finding = operatorFinding(code, { object: objectLabel(live), cause });
  return { unconverts, findings: unconverts ? [] : [finding] };
}

/** Undefined where it may not be read. */
async function exists(
  { cluster, signal }: OperatorDeps,
  place: { readonly name: string; readonly namespace: string },
): Promise<boolean | undefined> {
  try {
    return (await cluster.get({ resource: kinds.service, ...place }, { signal })) !== undefined;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** The file that a person applied last, as the API server stores it today; not where it refuses it. */
async function storedFile(
  { deps, options }: Evaluating,
  live: KubeObject,
  keeps: readonly string[],
): Promise<KubeObject | undefined> {
  const file = options.dryRun === "client" ? undefined : lastFileOver(live);
  if (file === undefined) return undefined;
  // a manager of its own: an apply removes what its manager held and the file lacks
  const fieldManager = `${options.fieldManager}-last-applied`;
  try {
    const stored = await deps.cluster.apply(file, { fieldManager, force: true, dryRun: true });
    // what is kept is no change that would be lost
    return withFields(stored, live, keeps);
  } catch (error) {
    if (error instanceof ApiError || error instanceof UntriedError) return undefined;
    throw error;
  }
}

/** The object to write, and whether it is written at all. */
interface EvaluatedObject {
  readonly is: "write" | "kept" | "same";
  readonly object: KubeObject;
  /** Fields of a stored definition that are kept beside the release's. */
  readonly keeps: readonly string[];
  readonly findings: readonly Finding[];
}

/** The object to write: beside the release's own what a person added to a role, or a definition has. */
async function judgeObject(
  tools: Evaluating,
  { kind, object }: DesiredObject,
  live: KubeObject | undefined,
): Promise<EvaluatedObject> {
  const { deps, options } = tools;
  if (kind.resource === kinds.definition) return await judgeDefinitionObject(tools, object, live);
  const plain = { is: "write", object, keeps: [], findings: [] } as const;
  if (live === undefined || kind.resource.group !== rbacKinds.role.group) return plain;
  const { takeFields } = options;
  return { ...plain, ...withAdditions(live, object, { names: deps.names, takeFields }) };
}

/** Definitions are shared by operators: they are never lowered. */
async function judgeDefinitionObject(
  { deps, options, runs }: Evaluating,
  object: KubeObject,
  live: KubeObject | undefined,
): Promise<EvaluatedObject> {
  const { names } = deps;
  const { operatorVersion } = options.contents;
  const plain: EvaluatedObject = { is: "write", object, keeps: [], findings: [] };
  const mark = markRelease(object, operatorVersion, names);
  if (live === undefined || !isKind(live, "CustomResourceDefinition"))
    return { ...plain, object: mark };
  const goesUp = isOlder(runs, operatorVersion);
  const ours = options.fieldManager;
  const verdict = judgeDefinition({ live, wanted: mark, goesUp, names, ours });
  if (verdict.is !== "apply") {
    const findings = judgeChange(verdict, { live, wanted: object }, undefined);
    return { ...plain, is: verdict.is === "keep" ? "kept" : "same", findings };
  }
  const { keeps } = verdict;
  const kept = `the stored definition has ${keeps.join(", ")} beside the release's fields: kept`;
  // a definition that is up to date otherwise is not written for the mark alone
  const isMarked = annotationKey(live, names.annotations.operatorVersion) !== undefined;
  const writes = isMarked || differences(live, object).length > 0;
  return {
    is: "write",
    object: withFields(writes ? mark : object, live, keeps),
    keeps,
    findings: [
      ...(await findChanges({ deps, options }, verdict, { live, wanted: object })),
      ...(keeps.length === 0
        ? []
        : [operatorFinding("definitionLocal", { object: objectLabel(object), cause: kept })]),
    ],
  };
}

/** What a change of a definition comes to; the objects are read only where it may do anything to them. */
export async function findChanges(
  { deps, options }: ChangeReading,
  verdict: DefinitionVerdict,
  pair: { readonly live: CustomResourceDefinition; readonly wanted: KubeObject },
): Promise<readonly Finding[]> {
  const loses = verdict.is === "apply" ? verdict.loses : [];
  const isOpen = loses.length > 0 || isNarrower(pair.live, pair.wanted);
  const facts = isOpen ? await readSnapshot(deps, options.namespace, lossKeys) : undefined;
  return judgeChange(verdict, pair, facts);
}

interface ChangeReading extends Pick<Evaluating, "deps"> {
  readonly options: Pick<BundleOptions, "namespace">;
}

export type Tried = Pick<HeldFacts, "held"> & Pick<Evaluated, "stored">;

/** The dry run says who holds what, and whether the API server takes the object at all. */
async function tryApply({ session, options }: Evaluating, at: Evaluated): Promise<Tried> {
  const { object: wanted, live, ours } = at;
  if (options.dryRun !== "client") {
    const { held, stored } = await session.tryOver(buildApply(at));
    if (stored !== undefined) return { held: listHeld(held), stored };
  }
  // not tried, or before an earlier part of an upgrade nothing can be: what its managers hold tells it
  if (live === undefined) return { held: [], stored: undefined };
  const held = heldAmong({ live, wanted, ours }, differences(live, wanted));
  return { held, stored: undefined };
}

/** A refusal of the object itself is a finding; any other end is an end of the run. */
function refusedBy(error: unknown, object: KubeObject): Finding {
  if (!(error instanceof ApiError) || ![400, 422].includes(error.status)) throw error;
  const cause = `the API server refuses it: ${error.message}`;
  return operatorFinding("refused", { object: objectLabel(object), cause });
}
