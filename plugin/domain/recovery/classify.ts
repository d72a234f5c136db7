/** Whether an upgrade is frozen, and why: from data alone, log lines are evidence beside (S97, S113; domain facts 10). */
import { type Expansion, readExpansion } from "../engine-cluster/volumes";
import { clusterFinding, clusterFindings } from "../engine-cluster/findings";
import { type Facts, isKnown } from "../facts/facts";
import type { Finding } from "../base/findings";
import { type KubeObject, readName, objectLabel } from "../kube/objects";
import { judgeCluster, rollIn } from "../engine-cluster/rollout";
import { renderState } from "../engine-cluster/not-taken";
import { listStalls } from "../engine-cluster/standstill";
import { renderMoving } from "../rollout/health";
import type { Progress } from "../rollout/progress";
import { defaultStallAfterMs, type StallDeadline } from "../rollout/stateful-set";
import { licenseCodes } from "../engine-cluster/license";
import { getPath, asString } from "../base/values";
import { recoveryFinding } from "./findings";
import type { FreezeCause, Frozen } from "./cause";
import { notSeen } from "./unread";
import { type ApiFacts, databasesOfCluster, type RecoveryDatabase } from "./databases";
import { type Apart, outOfLine } from "./line";
import { moduleCauses } from "./module-causes";
import { provenStep } from "./roll";
import {
  type CauseKey,
  findCauses,
  isTooOld,
  renderNoCause,
  withoutPointer,
} from "../engine-cluster/causes";
import { formatEngineVersion } from "../base/versions";
import { listBundledVersions } from "../release/platforms";

/** Every cause that the data show, the surest first: each is judged as all commands judge it. */
function freezeCauses(frozen: Frozen): readonly FreezeCause[] {
  const { facts, ec, api, databases } = frozen;
  const told = {
    license: api?.license,
    databases: databases.map(({ label, runs }) => ({ label, version: runs })),
  };
  const listFound = (key: CauseKey): readonly Finding[] => findCauses(key, facts, { ec, told });
  return [
    ...listFound("license").map((finding) => ({ is: "license", finding }) as const),
    ...listFound("digestPinned").map((finding) => ({ is: "digest", finding }) as const),
    ...[...listFound("databaseOld"), ...findUnbundled(frozen)].flatMap((finding) =>
      databases
        .filter(({ label }) => label === finding.object)
        .map((database) => ({ is: "database", database, finding }) as const),
    ),
    ...moduleCauses(frozen),
  ];
}

/** Databases that run what the release that is asked for does not bundle. */
function findUnbundled({ facts, ec, databases }: Frozen): readonly Finding[] {
  const tag = asString(getPath(ec, facts.names.ecFields.versionTag));
  const bundled = listBundledVersions(tag);
  return databases.flatMap(({ label, runs }) => {
    const version = runs && formatEngineVersion(runs);
    if (version === undefined || isTooOld(runs) || bundled?.includes(version) !== false) return [];
    const cause = `it runs ${version}, and ${String(tag)} bundles ${bundled.join(", ")}`;
    return [recoveryFinding("versionUnbundled", { object: label, cause })];
  });
}

/** What is the matter with an EC's upgrade; `says` is for people. */
export interface Freeze {
  /** `moving`: it continues automatically; `standing`: no upgrade is under way. */
  readonly is: "frozen" | "moving" | "standing";
  readonly says: string;
  /** As the EC tells it. */
  readonly state: string;
  readonly causes: readonly FreezeCause[];
  readonly databases: readonly RecoveryDatabase[];
  /** Resources that ask for less than what runs, to be edited when the EC is Running (S98). */
  readonly apart: readonly Apart[];
  readonly warnings: readonly Finding[];
  /** Databases whose number and name are of two records in the REST API: nothing is changed. */
  readonly mismatches: readonly Finding[];
}

const ends: readonly string[] = ["Error", "Invalid"];
const rolling: readonly string[] = ["Upgrade", "RunningRollingUpdate"];

/** Classifies by versions, modules, license, digests, states and pods; every cause is named. */
export function classifyFreeze(
  facts: Facts,
  ec: KubeObject,
  {
    api,
    patience = { stallAfterMs: defaultStallAfterMs },
  }: { readonly api?: ApiFacts | undefined; readonly patience?: StallDeadline } = {},
): Freeze {
  const state = asString(getPath(ec, facts.names.ecFields.state)) ?? "";
  const databases = databasesOfCluster(facts, ec, api);
  const { apart, warnings } = outOfLine(facts, databases, api);
  const expansion = readExpansion(facts, ec);
  const verdict = whileExpanding(
    judge({ facts, ec, databases, api }, { state, apart, patience }),
    expansion,
  );
  const mismatches = databases.flatMap(({ mismatch }) => mismatch ?? []);
  const resizing =
    expansion === undefined ||
    verdict.causes.some(({ finding: { code } }) => code === expansion.finding.code)
      ? []
      : [{ ...expansion.finding, severity: "warning" } as const];
  const { but = [], ...rest } = verdict;
  return {
    ...rest,
    ...{ state, databases, apart, mismatches },
    warnings: [
      ...notSeen(facts),
      ...warnings,
      ...resizing,
      ...but.map((one) => ({ ...one, severity: "warning" }) as const),
    ],
  };
}

/** The StatefulSet may be absent meanwhile, and its pods without an owner: that is the reason then, and no freeze. */
function whileExpanding(verdict: FreezeVerdict, expansion: Expansion | undefined): FreezeVerdict {
  if (expansion === undefined) return verdict;
  const { finding, failed } = expansion;
  if (verdict.is === "frozen") return verdict;
  if (!failed || verdict.is === "standing")
    return { ...verdict, says: `${verdict.says}; ${finding.cause}` };
  const says = `${String(finding.object)} makes no progress: a volume cannot be expanded`;
  return { is: "frozen", says, causes: [{ is: "other", finding }] };
}

interface BdbState {
  readonly state: string;
  readonly apart: readonly Apart[];
  readonly patience: StallDeadline;
}

interface FreezeVerdict extends Pick<Freeze, "is" | "says" | "causes"> {
  /** What will stand against an upgrade that still moves. */
  readonly but?: readonly Finding[];
}

/** The cause is that of `status` and `check`: one judgment of a standstill for all of them. */
function judge(frozen: Frozen, { state, apart, patience }: BdbState): FreezeVerdict {
  const { facts, ec } = frozen;
  const label = objectLabel(ec);
  const own = freezeCauses(frozen);
  const isSeen = isKnown(facts, "statefulSets") && isKnown(facts, "pods");
  const progress = isSeen
    ? judgeCluster(facts, readName(ec), { patience, license: frozen.api?.license })
    : undefined;
  const hold = findHold(frozen, { state, apart, own, progress });
  if (hold !== undefined) return { is: "frozen", ...hold };
  const but = own.map(({ finding }) => finding);
  const isRolling = rolling.includes(state);
  if (progress === undefined) {
    const says = `${label} is in state ${renderState(state)}; its pods could not be read, so what keeps it is not seen`;
    return { is: isRolling ? "moving" : "standing", says, causes: [], but: isRolling ? but : [] };
  }
  if (progress.is === "moving" && (isRolling || state === "Running")) {
    const on = renderMoving({ ...progress, but });
    const says = `${label} continues automatically, state ${state}: ${on}`;
    return { is: "moving", says, causes: [], but };
  }
  const says = `no upgrade of ${label} is frozen: state ${renderState(state)}`;
  return { is: "standing", says, causes: [] };
}

interface Held extends Pick<BdbState, "state" | "apart"> {
  /** What the data show, whether or not anything stands still. */
  readonly own: readonly FreezeCause[];
  /** Undefined where StatefulSet and pods could not be read: then only the state and `own` tell something. */
  readonly progress: Progress | undefined;
}

/** What an upgrade stands still for; undefined while it does not. */
function findHold(
  frozen: Frozen,
  { state, apart, own, progress }: Held,
): Pick<Freeze, "says" | "causes"> | undefined {
  const { facts, ec } = frozen;
  const label = objectLabel(ec);
  const stalls = progress === undefined ? [] : causesOfStall(frozen, progress, own);
  if (stalls.some(({ finding }) => finding.code === clusterFindings.scaled.code))
    return { says: `${label} does not have all its pods`, causes: stalls };
  if (ends.includes(state) || state === "InvalidUpgrade")
    return describeRefusal(frozen, state, together(own, stalls));
  if (progress !== undefined && isBegun(frozen, state) && own.length + apart.length > 0)
    return { says: `the upgrade of ${label} has begun and is stalled`, causes: own };
  if (progress?.is !== "stalled") return undefined;
  const beside = isKnown(facts, "ecs") ? own : own.filter((cause) => isHere(cause, ec));
  return { says: `${label} makes no progress`, causes: together(stalls, beside) };
}

function describeRefusal(
  frozen: Frozen,
  state: string,
  causes: readonly FreezeCause[],
): Pick<Freeze, "says" | "causes"> {
  const says = `the upgrade of ${objectLabel(frozen.ec)} is refused: state ${state}`;
  return { says, causes: causes.length > 0 ? causes : [unknown(frozen, state)] };
}

/** It has begun, and the pods' template is still the old one. */
function isBegun({ facts, ec }: Frozen, state: string): boolean {
  return rolling.includes(state) && rollIn(facts, readName(ec), {}) === undefined;
}

/** Of databases of other namespaces nothing is told where the ECs there may not be read: they may be of one of those. */
function isHere(cause: FreezeCause, { metadata: { namespace } }: KubeObject): boolean {
  if (cause.is === "database") return isIn(cause.database, namespace);
  return cause.is !== "module" || cause.databases.some((one) => isIn(one, namespace));
}

function isIn({ target }: RecoveryDatabase, namespace: string | undefined): boolean {
  return target === undefined || target.object.metadata.namespace === namespace;
}

/** What the refusal and the freeze are made of is told cause by cause, where there is one. */
const summaries: readonly string[] = [
  clusterFindings.invalidUpgrade.code,
  clusterFindings.frozen.code,
];

function causesOfStall(
  { facts, ec }: Frozen,
  progress: Progress,
  own: readonly FreezeCause[],
): readonly FreezeCause[] {
  return listStalls(progress)
    .filter(({ code }) => own.length === 0 || !summaries.includes(code))
    .map((problem) => ({
      ...(provenStep(facts, readName(ec), problem) ?? {
        is: licenseCodes.includes(problem.code) ? "license" : "other",
      }),
      finding: withoutPointer(problem),
    }));
}

/** The same cause at the same object once, in the words that come first. */
function together(
  first: readonly FreezeCause[],
  others: readonly FreezeCause[],
): readonly FreezeCause[] {
  const keyIn = ({ finding: { code, object } }: FreezeCause): string =>
    JSON.stringify([code, object]);
  const known = new Set(first.map(keyIn));
  return [...first, ...others.filter((one) => !known.has(keyIn(one)))];
}

function unknown({ facts, ec }: Frozen, state: string): FreezeCause {
  const object = objectLabel(ec);
  const finding = ends.includes(state)
    ? clusterFinding("state", { object, cause: `its state is ${state}` }, facts.names)
    : recoveryFinding("causeUnknown", {
        object,
        field: facts.names.ecFields.state.join("."),
        cause: `its state is ${state}, and ${renderNoCause(facts)}`,
      });
  return { is: "other", finding };
}
