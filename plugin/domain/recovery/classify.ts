/** Whether an upgrade is frozen, and why: from data alone, log lines are evidence beside (S97, S113; domain facts 10). */
import { scaledCauses } from "../engine-cluster/scale";
import { type Expansion, expansionOf } from "../engine-cluster/volumes";
import { clusterFinding } from "../engine-cluster/findings";
import { factNamed, type Facts } from "../facts/facts";
import type { Finding } from "../base/findings";
import { type KubeObject, objectLabel } from "../kube/objects";
import { renderVersion } from "../database/rollout";
import { isTakenUp } from "../engine-cluster/rollout";
import { defaultStallAfterMs, judgeStatefulSet } from "../rollout/stateful-set";
import { getPath, getOwn, parseJson, asString } from "../base/values";
import { recoveryFinding } from "./findings";
import { type ApiFacts, databasesOfCluster, type RecoveryDatabase } from "./databases";
import { type Apart, buildsOf, fits, outOfLine } from "./line";
import { termOf } from "../names/names";
import { withInstalled } from "../rest-api/modules";
import {
  canDefineModules,
  causesOf,
  databaseOld,
  isTooOld,
  moduleUndefined,
  undefinedModules,
} from "../engine-cluster/causes";
import { moduleStanding, projectCluster } from "../rules/clusters";
import { formatEngineVersion } from "../base/versions";
import { bundledVersions } from "../release/platforms";

/** One cause; what it is decides what takes it away. */
export type FreezeCause = { readonly finding: Finding } & (
  | { readonly is: "database"; readonly database: RecoveryDatabase }
  | {
      readonly is: "module";
      readonly module: string;
      readonly databases: readonly RecoveryDatabase[];
    }
  | { readonly is: "digest" }
  | { readonly is: "license" }
  /** Nothing that is done here takes it away. */
  | { readonly is: "other" }
);

/** What the causes are looked for in. */
export interface Frozen {
  readonly facts: Facts;
  readonly ec: KubeObject;
  readonly databases: readonly RecoveryDatabase[];
  readonly api: ApiFacts | undefined;
}

/** Every cause that the data show. */
function freezeCauses(frozen: Frozen): readonly FreezeCause[] {
  const { facts, ec } = frozen;
  return [
    ...licenseOf(frozen),
    ...causesOf("digestPinned", facts, { ec }).map(
      (finding) => ({ is: "digest", finding }) as const,
    ),
    ...oldDatabases(frozen),
    ...moduleCauses(frozen),
  ];
}

/** Either place that tells it counts: the resource may be behind (S114, S125). */
function licenseOf({ facts, ec, api }: Frozen): readonly FreezeCause[] {
  const told = causesOf("license", facts, { ec });
  const until = api?.license?.expirationDate;
  const cause = `the license has expired${until === undefined ? "" : ` on ${until}`}, as the REST API reports`;
  const expired = clusterFinding("license", { object: objectLabel(ec), cause }, facts.names);
  const found = told.length === 0 && api?.license?.expired === true ? [expired] : told;
  return found.map((finding) => ({ is: "license", finding }) as const);
}

function oldDatabases({ facts, ec, databases }: Frozen): readonly FreezeCause[] {
  const tag = asString(getPath(ec, facts.names.ecFields.versionTag));
  const bundled = bundledVersions(tag);
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

/** By the REST API where it was asked, else by the lists of the resources (S99, S101, S102). */
function moduleCauses(frozen: Frozen): readonly FreezeCause[] {
  return frozen.api === undefined ? undefinedOnes(frozen) : uninstalled(frozen, frozen.api);
}

function undefinedOnes(frozen: Frozen): readonly FreezeCause[] {
  const { facts, ec, databases } = frozen;
  return undefinedModules(facts, ec).flatMap((used): readonly FreezeCause[] => {
    const { module, standing, says, fix: rename } = used;
    if (standing === "installed") return notDefined(frozen, module, says);
    if (rename !== undefined) {
      return [{ is: "other", finding: moduleUndefined(facts, ec, { cause: says, fix: rename }) }];
    }
    const fix = `install ${module} with modules install FILE, then run recover again`;
    const finding = moduleUndefined(facts, ec, { cause: says, fix });
    const users = databases.filter(({ label }) => used.databases.includes(label));
    return [{ is: "module", module, databases: users, finding }];
  });
}

/** Where an older definition has no place to define it, that cannot be what is missing (C9, S124). */
function notDefined({ facts, ec }: Frozen, module: string, says: string): readonly FreezeCause[] {
  const { names } = facts;
  if (!canDefineModules(facts)) return [];
  const field = names.fields.userDefinedModules.join(".");
  const fix = `define ${module} in ${field} of the ${termOf(names.ec)}`;
  return [{ is: "other", finding: moduleUndefined(facts, ec, { cause: says, fix }) }];
}

function uninstalled(frozen: Frozen, api: ApiFacts): readonly FreezeCause[] {
  const { facts, ec, databases } = frozen;
  const projected = projectCluster(ec, facts.names);
  const cluster = projected && withInstalled(projected, api.modules);
  const mayBeUsed = (name: string): boolean =>
    ["bundled", "defined"].includes(moduleStanding(name, cluster, facts.names)) ||
    buildsOf(name, api.modules).some(({ bundled }) => bundled === true);
  const users = new Map<string, readonly RecoveryDatabase[]>();
  for (const database of databases) {
    for (const { name } of database.modules.filter(({ name }) => !mayBeUsed(name))) {
      users.set(name, [...(users.get(name) ?? []), database]);
    }
  }
  return [...users].flatMap(([module, all]) => {
    const builds = buildsOf(module, api.modules);
    // which build one that is too old needs shows when its version is known
    const left = all.filter(
      ({ runs }) =>
        builds.length === 0 || !(isTooOld(runs) || builds.some((build) => fits(build, runs))),
    );
    if (left.length === 0) {
      const labels = all.map(({ label }) => label).join(", ");
      const says = `module ${module} of ${labels} is installed but not defined in the ${termOf(facts.names.ec)}`;
      return notDefined(frozen, module, says);
    }
    const which = left.map(({ label, runs }) => `${label} at ${renderVersion(runs)}`).join(", ");
    const about = {
      object: objectLabel(ec),
      cause:
        builds.length === 0
          ? `module ${module} of ${which} is not installed`
          : `no installed build of module ${module} fits ${which}`,
    };
    const finding = recoveryFinding(builds.length === 0 ? "moduleAbsent" : "moduleUnfit", about);
    return [{ is: "module", module, databases: left, finding } as const];
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
export function classifyFreeze(facts: Facts, ec: KubeObject, api?: ApiFacts): Freeze {
  const state = asString(getPath(ec, facts.names.ecFields.state)) ?? "";
  const databases = databasesOfCluster(facts, ec, api);
  const { apart, warnings } = outOfLine(facts, databases, api);
  const expansion = expansionOf(facts, ec);
  const verdict = whileExpanding(
    judged({ facts, ec, databases, api }, { state, apart }),
    expansion,
  );
  const mismatches = databases.flatMap(({ mismatch }) => mismatch ?? []);
  const resizing =
    expansion === undefined || verdict.causes.some(({ finding }) => finding === expansion.finding)
      ? []
      : [{ ...expansion.finding, severity: "warning" } as const];
  return {
    ...verdict,
    ...{ state, databases, apart, mismatches },
    warnings: [...warnings, ...resizing],
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
}

type FreezeVerdict = Pick<Freeze, "is" | "says" | "causes">;

function judged(frozen: Frozen, { state, apart }: BdbState): FreezeVerdict {
  const { facts, ec } = frozen;
  const label = objectLabel(ec);
  const scaled = scaledCauses(facts, ec);
  if (scaled.length > 0) {
    const causes = scaled.map((finding) => ({ is: "other", finding }) as const);
    return { is: "frozen", says: `${label} does not have all its pods`, causes };
  }
  if (ends.includes(state) || state === "InvalidUpgrade") {
    const causes = freezeCauses(frozen);
    const found = causes.length > 0 ? causes : [unknown(frozen, state)];
    return {
      is: "frozen",
      says: `the upgrade of ${label} is refused: state ${state}`,
      causes: found,
    };
  }
  if (!rolling.includes(state)) {
    const says = `no upgrade of ${label} is frozen: state ${state === "" ? "not told" : state}`;
    return { is: "standing", says, causes: [] };
  }
  const name = String(ec.metadata.name);
  const set = factNamed(facts, "statefulSets", { name, namespace: facts.namespace });
  if (set === undefined || !isTakenUp(facts, name, {})) return begun(frozen, { state, apart });
  return rolled(frozen, state, set);
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

/** It has begun, and the pods' template is still the old one. */
function begun(frozen: Frozen, { state, apart }: BdbState): FreezeVerdict {
  const label = objectLabel(frozen.ec);
  const causes = freezeCauses(frozen);
  if (causes.length > 0 || apart.length > 0) {
    return { is: "frozen", says: `the upgrade of ${label} has begun and is stalled`, causes };
  }
  const expands = expansionOf(frozen.facts, frozen.ec) !== undefined;
  const unclear = expands ? "" : ", and the data show nothing that keeps it there";
  const says = `${label} is in state ${state}${unclear}`;
  return { is: "moving", says, causes };
}

/** The pods roll: what stands against it is a pod, or the license (domain facts 10). */
function rolled(frozen: Frozen, state: string, set: KubeObject): FreezeVerdict {
  const { facts, ec } = frozen;
  const label = objectLabel(ec);
  const progress = judgeStatefulSet(facts, set, { stallAfterMs: defaultStallAfterMs });
  if (progress.is !== "stalled") {
    const on = `: ${progress.is === "moving" ? progress.on : progress.says}`;
    return {
      is: "moving",
      says: `${label} continues automatically, state ${state}${on}`,
      causes: [],
    };
  }
  const { code, object, because: cause, fix } = progress;
  const pod: FreezeCause = {
    is: "other",
    finding: { code, severity: "error", object, cause, fix, source: "Facts 11" },
  };
  return {
    is: "frozen",
    says: `the pods of ${label} make no progress`,
    causes: [pod, ...licenseOf(frozen)],
  };
}

/** One line of evidence, oldest of its kind first. */
export interface Evidence {
  readonly from: "log" | "event";
  /** As it was told; undefined where it was not. */
  readonly at: string | undefined;
  readonly object: string | undefined;
  readonly says: string;
}

/** So many of each kind are shown: the newest tell the cause. */
const most = 5;
const longest = 500;

/** The newest errors of the log about an EC and its databases; each text once. */
export function logEvidence(log: string, about: readonly KubeObject[]): readonly Evidence[] {
  const names = new Set(about.map(({ metadata }) => keyOf(metadata.namespace, metadata.name)));
  const found = log.split("\n").flatMap((line) => {
    // a line that is no JSON, or was cut, says nothing
    const parsed = parseJson(line);
    if (parsed === undefined || getOwn(parsed, "level") !== "error") return [];
    const namespace = asString(getOwn(parsed, "Namespace"));
    const name = asString(getOwn(parsed, "Name"));
    if (!names.has(keyOf(namespace, name))) return [];
    const words = [getOwn(parsed, "msg"), getOwn(parsed, "error")].flatMap(
      (word) => asString(word) ?? [],
    );
    const says = words.join(": ").slice(0, longest);
    return [
      {
        from: "log",
        at: asString(getOwn(parsed, "ts")),
        object: `${namespace}/${name}`,
        says,
      } as const,
    ];
  });
  return newest(found);
}

function keyOf(namespace: unknown, name: unknown): string {
  return JSON.stringify([namespace, name]);
}

/** The newest Warning events about an EC, its pods and its databases; they last about an hour. */
export function eventEvidence(
  { objects }: Facts,
  ec: KubeObject,
  about: readonly KubeObject[],
): readonly Evidence[] {
  const labels = new Set([ec, ...about].map(objectLabel));
  const isPart = (event: KubeObject): boolean =>
    getOwn(getOwn(event, "involvedObject"), "namespace") === ec.metadata.namespace &&
    ["Pod", "StatefulSet"].includes(String(getPath(event, ["involvedObject", "kind"]))) &&
    isOf(String(getPath(event, ["involvedObject", "name"])), String(ec.metadata.name));
  const found = objects.events
    .filter((event) => getOwn(event, "type") === "Warning")
    .filter((event) => labels.has(involved(event)) || isPart(event))
    .map((event) => {
      const words = [getOwn(event, "reason"), getOwn(event, "message")];
      return {
        from: "event",
        at: asString(getOwn(event, "lastTimestamp")) ?? asString(getOwn(event, "eventTime")),
        object: involved(event),
        says: words
          .flatMap((word) => asString(word) ?? [])
          .join(": ")
          .slice(0, longest),
      } as const;
    })
    .toSorted((one, other) => timeOf(one).localeCompare(timeOf(other)));
  return newest(found);
}

/** What tells no time comes first. */
function timeOf({ at: time }: Pick<Evidence, "at">): string {
  return time ?? "";
}

function involved(event: KubeObject): string {
  const parts = ["kind", "namespace", "name"].map((key) => getPath(event, ["involvedObject", key]));
  return parts.flatMap((part) => asString(part) ?? []).join("/");
}

/** The StatefulSet has the EC's name, its pods that name and a number (S72). */
function isOf(name: string, ec: string): boolean {
  return name === ec || (name.startsWith(`${ec}-`) && /^\d+$/.test(name.slice(ec.length + 1)));
}

/** The last of each text, the last few of all. */
function newest(all: readonly Evidence[]): readonly Evidence[] {
  const last = new Map<string, Evidence>();
  for (const one of all) {
    const key = JSON.stringify([one.object, one.says]);
    last.delete(key);
    last.set(key, one);
  }
  return [...last.values()].slice(-most);
}
