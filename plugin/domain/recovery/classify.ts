/** Whether an upgrade is frozen, and why: from data alone, log lines are evidence beside (S97, S113; domain facts 10). */
import { type Expansion, readExpansion } from "../engine-cluster/volumes";
import { clusterFinding, clusterFindings } from "../engine-cluster/findings";
import { type Facts, isKnown } from "../facts/facts";
import type { Finding } from "../base/findings";
import { type KubeObject, readName, objectLabel } from "../kube/objects";
import { isTakenUp, judgeCluster } from "../engine-cluster/rollout";
import { listStalls } from "../engine-cluster/standstill";
import type { Progress } from "../rollout/progress";
import { defaultStallAfterMs, type StallDeadline } from "../rollout/stateful-set";
import { findLicense, licenseCodes } from "../engine-cluster/license";
import { getPath, asString } from "../base/values";
import { recoveryFinding } from "./findings";
import type { FreezeCause, Frozen } from "./cause";
import { notSeen } from "./unread";
import { type ApiFacts, databasesOfCluster, type RecoveryDatabase } from "./databases";
import { type Apart, outOfLine } from "./line";
import { moduleCauses } from "./module-causes";
import { provenStep } from "./roll";
import { findCauses, databaseOld, isTooOld, withoutPointer } from "../engine-cluster/causes";
import { formatEngineVersion } from "../base/versions";
import { listBundledVersions } from "../release/platforms";

/** Every cause that the data show. */
function freezeCauses(frozen: Frozen): readonly FreezeCause[] {
  const { facts, ec } = frozen;
  return [
    ...findLicense(facts, ec, frozen.api?.license).map(
      (finding) => ({ is: "license", finding }) as const,
    ),
    ...findCauses("digestPinned", facts, { ec }).map(
      (finding) => ({ is: "digest", finding }) as const,
    ),
    ...oldDatabases(frozen),
    ...moduleCauses(frozen),
  ];
}

function oldDatabases({ facts, ec, databases }: Frozen): readonly FreezeCause[] {
  const tag = asString(getPath(ec, facts.names.ecFields.versionTag));
  const bundled = listBundledVersions(tag);
  return databases.flatMap((database): readonly FreezeCause[] => {
    const { runs, label } = database;
    if (runs === undefined) return [];
    const version = formatEngineVersion(runs);
    if (isTooOld(runs)) {
      const fix = "upgrade it over the REST API: recover --apply --engine-version VERSION";
      const finding = { ...databaseOld(label, runs, facts.names), fix };
      return [{ is: "database", database, finding }];
    }
    if (bundled === undefined || bundled.includes(version)) return [];
    const cause = `it runs ${version}, and ${String(tag)} bundles ${bundled.join(", ")}`;
    return [
      {
        is: "database",
        database,
        finding: recoveryFinding("versionUnbundled", { object: label, cause }),
      },
    ];
  });
}

/** What is the matter with an EC's upgrade; `says` is for people. */
export interface Freeze {
  /** `judgeMoving`: it continues automatically; `standing`: no upgrade is under way. */
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
  const name = String(ec.metadata.name);
  if (!isSeen(facts)) return unseen(frozen, state);
  const progress = judgeCluster(facts, name, { patience, license: frozen.api?.license });
  const stalls = causesOfStall(frozen, progress);
  const first =
    judgeScaledAway(frozen, stalls) ??
    judgeRefused(frozen, state, stalls) ??
    judgeBegun(frozen, state, apart);
  if (first !== undefined) return first;
  const label = objectLabel(ec);
  if (progress.is === "stalled") {
    const causes = together(stalls, besideStall(frozen));
    return { is: "frozen", says: `${label} makes no progress`, causes };
  }
  const isUnderWay = rolling.includes(state) || state === "Running";
  if (progress.is === "moving" && isUnderWay) return judgeMoving(frozen, state, progress);
  const says = `no upgrade of ${label} is frozen: state ${renderState(state)}`;
  return { is: "standing", says, causes: [] };
}

/** Of databases of other namespaces nothing is told where the ECs there may not be read: they may be of one of those. */
function besideStall(frozen: Frozen): readonly FreezeCause[] {
  const { namespace } = frozen.ec.metadata;
  if (isKnown(frozen.facts, "ecs")) return freezeCauses(frozen);
  return freezeCauses(frozen).filter((cause) => {
    if (cause.is === "database") return isIn(cause.database, namespace);
    return cause.is !== "module" || cause.databases.some((one) => isIn(one, namespace));
  });
}

function isIn({ target }: RecoveryDatabase, namespace: string | undefined): boolean {
  return target === undefined || target.object.metadata.namespace === namespace;
}

function isSeen(facts: Facts): boolean {
  return isKnown(facts, "statefulSets") && isKnown(facts, "pods");
}

/** Without StatefulSet and pods only the state and the prerequisites tell something. */
function unseen(frozen: Frozen, state: string): FreezeVerdict {
  const refused = judgeRefused(frozen, state, []);
  if (refused !== undefined) return refused;
  const is = rolling.includes(state) ? "moving" : "standing";
  const says = `${objectLabel(frozen.ec)} is in state ${renderState(state)}; its pods could not be read, so what keeps it is not seen`;
  const but = is === "moving" ? freezeCauses(frozen).map(({ finding }) => finding) : [];
  return { is, says, causes: [], but };
}

function renderState(state: string): string {
  return state === "" ? "not told" : state;
}

function judgeScaledAway(
  { ec }: Frozen,
  stalls: readonly FreezeCause[],
): FreezeVerdict | undefined {
  const { code } = clusterFindings.scaled;
  if (!stalls.some(({ finding }) => finding.code === code)) return undefined;
  return { is: "frozen", says: `${objectLabel(ec)} does not have all its pods`, causes: stalls };
}

function judgeRefused(
  frozen: Frozen,
  state: string,
  stalls: readonly FreezeCause[],
): FreezeVerdict | undefined {
  if (!ends.includes(state) && state !== "InvalidUpgrade") return undefined;
  const causes = together(freezeCauses(frozen), stalls);
  const says = `the upgrade of ${objectLabel(frozen.ec)} is refused: state ${state}`;
  return { is: "frozen", says, causes: causes.length > 0 ? causes : [unknown(frozen, state)] };
}

/** It moves; what will stand against it is told all the same. */
function judgeMoving(
  frozen: Frozen,
  state: string,
  { on, last: moved }: Extract<Progress, { is: "moving" }>,
): FreezeVerdict {
  const label = objectLabel(frozen.ec);
  const last = moved === undefined ? "" : `; ${moved}`;
  const but = freezeCauses(frozen).map(({ finding }) => finding);
  const told = but.length === 0 ? "" : `, but: ${but.map(({ cause }) => cause).join("; ")}`;
  return {
    is: "moving",
    says: `${label} continues automatically, state ${state}: ${on}${last}${told}`,
    causes: [],
    but,
  };
}

/** What the refusal and the freeze are made of is told cause by cause, where there is one. */
const summaries: readonly string[] = [
  clusterFindings.invalidUpgrade.code,
  clusterFindings.frozen.code,
];

function causesOfStall(frozen: Frozen, progress: Progress): readonly FreezeCause[] {
  const { facts, ec } = frozen;
  const isExplained = freezeCauses(frozen).length > 0;
  return listStalls(progress)
    .filter(({ code }) => !(isExplained && summaries.includes(code)))
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
        cause: `its state is ${state}, and license, digests, databases and modules show no cause`,
      });
  return { is: "other", finding };
}

/** It has begun, and the pods' template is still the old one; undefined where no cause shows. */
function judgeBegun(
  frozen: Frozen,
  state: string,
  apart: readonly Apart[],
): FreezeVerdict | undefined {
  const isBegun =
    rolling.includes(state) && !isTakenUp(frozen.facts, String(frozen.ec.metadata.name), {});
  if (!isBegun) return undefined;
  const causes = freezeCauses(frozen);
  if (causes.length === 0 && apart.length === 0) return undefined;
  const says = `the upgrade of ${objectLabel(frozen.ec)} has begun and is stalled`;
  return { is: "frozen", says, causes };
}
