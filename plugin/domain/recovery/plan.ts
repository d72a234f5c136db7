/** What --apply does about the causes, and what it cannot do (S99, S100; domain facts 7, 10). */
import { sameBuild, withInstalled } from "../api/modules";
import type { InstalledModule } from "../api/records";
import { isTooOld } from "../cluster/causes";
import type { FieldEdit } from "../cluster/edits";
import { resizingCauses } from "../cluster/volumes";
import { databaseFinding } from "../databases/codes";
import { planDatabase } from "../databases/plan";
import type { DatabaseTarget } from "../databases/target";
import type { Facts } from "../facts";
import type { Finding } from "../findings";
import type { KubeObject } from "../objects";
import { getPath } from "../values";
import {
  compareEngineVersions,
  type EngineVersion,
  formatEngineVersion,
  parseEngineVersion,
} from "../versions";
import type { Freeze, FreezeCause } from "./classify";
import { recoveryFinding } from "./codes";
import type { ApiFacts, RecoveryDatabase } from "./databases";
import { renderVersion } from "../rollout/database";
import { fits } from "./line";

/** What the person gives. */
export interface RecoveryWish {
  readonly engineVersion?: string;
  /** Manifests of the archives that were given. */
  readonly modules: readonly InstalledModule[];
  readonly dropDigests: boolean;
}

/** One call of S100. */
export interface DatabaseUpgrade {
  readonly database: RecoveryDatabase;
  readonly uid: number;
  /** A text, as the field of the request is (C22). */
  readonly version: string;
}

/** The remedies; `problems` are flags that are missing or wrong, `blocks` what no flag fixes. */
export interface RecoveryPlan {
  readonly installs: readonly InstalledModule[];
  readonly upgrades: readonly DatabaseUpgrade[];
  /** Of the EC. */
  readonly digests: readonly FieldEdit[];
  readonly problems: readonly string[];
  readonly blocks: readonly Finding[];
}

/** Whose causes, and what is known of the cluster. */
export interface Planning {
  readonly facts: Facts;
  readonly ec: KubeObject;
  readonly freeze: Freeze;
  readonly api: ApiFacts | undefined;
}

/** Plans the remedies of every cause; given again after them, the same flags plan nothing. */
export function planRecovery(planning: Planning, wish: RecoveryWish): RecoveryPlan {
  const plans = planning.freeze.causes.map((cause) => remedyOf(planning, cause, wish));
  const installs = [...new Set(plans.flatMap(({ installs }) => installs ?? []))];
  const problems = plans.flatMap(({ problems }) => problems ?? []);
  return {
    installs,
    upgrades: plans.flatMap(({ upgrades }) => upgrades ?? []),
    digests: plans.flatMap(({ digests }) => digests ?? []),
    problems: [...new Set([...problems, ...needless(planning, wish, installs)])],
    blocks: plans.flatMap(({ blocks }) => blocks ?? []),
  };
}

type Remedy = Partial<RecoveryPlan>;

function remedyOf(planning: Planning, cause: FreezeCause, wish: RecoveryWish): Remedy {
  switch (cause.is) {
    case "database":
      return upgradeOf(planning, cause.database, wish);
    case "module":
      return installOf(cause, wish);
    case "digest":
      return digestOf(planning, cause.finding, wish);
    case "license":
    case "other":
      return { blocks: [cause.finding] };
  }
}

function upgradeOf(
  planning: Planning,
  database: RecoveryDatabase,
  { engineVersion, modules }: RecoveryWish,
): Remedy {
  const { label, uid, runs } = database;
  const version = parseEngineVersion(engineVersion);
  const choice = supported(planning);
  if (version === undefined) {
    const known = choice.length === 0 ? "" : `; the nodes can run ${choice.join(", ")}`;
    return { problems: [`--engine-version: give the version for ${label}${known}`] };
  }
  const text = formatEngineVersion(version);
  if (choice.length > 0 && !choice.includes(text)) {
    const problem = `--engine-version: the nodes cannot run ${text}, but ${choice.join(", ")}`;
    return { problems: [problem] };
  }
  if (runs !== undefined && compareEngineVersions(version, runs) <= 0) {
    return { problems: [`--engine-version: ${label} runs ${renderVersion(runs)} already`] };
  }
  const blocks = upgradeBlocks(planning, database, { version, modules });
  if (uid === undefined) {
    return { blocks: [databaseFinding("uidUnknown", { object: label }), ...blocks] };
  }
  return { upgrades: [{ database, uid, version: text }], blocks };
}

/** What every node can run, 7.2 and later: the best proof that a version exists (domain facts 9). */
export function supported({ api }: Pick<Planning, "api">): readonly string[] {
  const [first, ...others] = api?.nodes ?? [];
  return (first?.supportedVersions ?? []).filter((version) => {
    const parsed = parseEngineVersion(version);
    return (
      parsed !== undefined &&
      !isTooOld(parsed) &&
      others.every((node) => node.supportedVersions.includes(version))
    );
  });
}

interface Raise {
  readonly version: EngineVersion;
  /** Those that are installed first. */
  readonly modules: readonly InstalledModule[];
}

/** The edit that has to follow is judged before the call: a refused one would leave both apart. */
function upgradeBlocks(
  { facts, api }: Planning,
  { label, target, volatile }: RecoveryDatabase,
  { version, modules }: Raise,
): readonly Finding[] {
  const atRisk = databaseFinding("volatile", {
    object: label,
    fix: "switch on replication or persistence, or allow the loss: upgrade-database --via api --may-discard-data",
  });
  const wish = { version: formatEngineVersion(version), via: "api" } as const;
  const known = [...modules, ...(api?.modules ?? [])];
  const edit =
    target === undefined ? [] : planDatabase(facts, withModules(target, known), wish).blocks;
  return [...(volatile ? [atRisk] : []), ...edit];
}

/** The EC as it will be when the edit is sent: what is installed counts. */
function withModules(target: DatabaseTarget, modules: readonly InstalledModule[]): DatabaseTarget {
  const { lookup } = target;
  if (lookup.is !== "found") return target;
  return { ...target, lookup: { ...lookup, cluster: withInstalled(lookup.cluster, modules) } };
}

function installOf(
  cause: Extract<FreezeCause, { is: "module" }>,
  { modules, engineVersion }: RecoveryWish,
): Remedy {
  const { module, databases } = cause;
  const given = modules.filter(({ name, displayName }) => [name, displayName].includes(module));
  if (given.length === 0) {
    const labels = databases.map(({ label }) => label).join(", ");
    return { problems: [`--module: give the archive of ${module}, which ${labels} use`] };
  }
  // a database that is too old is upgraded afterwards, and the module has to fit it then
  const aimOf = (runs: EngineVersion | undefined): EngineVersion | undefined =>
    isTooOld(runs) ? parseEngineVersion(engineVersion) : runs;
  const unfit = databases.filter(({ runs }) => !given.some((one) => fits(one, aimOf(runs))));
  if (unfit.length === 0) return { installs: given };
  const made = given.map(({ compatibleEngineVersion }) => String(compatibleEngineVersion));
  const which = unfit.map(({ label, runs }) => `${label} at ${renderVersion(runs)}`).join(", ");
  const what = `the archive of ${module} is made for ${made.join(", ")}, and does not fit ${which}`;
  return { blocks: [recoveryFinding("moduleUnfit", { cause: what })] };
}

/** An image is a field of the StatefulSet: it stays while that is made anew. */
function digestOf(
  { facts, ec }: Planning,
  finding: Finding,
  { dropDigests }: RecoveryWish,
): Remedy {
  const field = String(finding.field);
  const path = field.split(".");
  const blocks = resizingCauses(facts, ec);
  if (dropDigests && blocks.length > 0) return { blocks };
  if (dropDigests) return { digests: [{ path, from: getPath(ec, path), to: null }] };
  return { problems: [`--drop-digests: ${field} pins an image; give the flag to remove it`] };
}

/** An archive that no cause asks for and that is not installed either was given by mistake. */
function needless(
  { api }: Planning,
  { modules }: RecoveryWish,
  installs: readonly InstalledModule[],
): readonly string[] {
  if (api === undefined) return [];
  return modules
    .filter((one) => !installs.includes(one) && sameBuild(one, api.modules) === undefined)
    .map(({ name }) => `--module: no database lacks the module ${name}`);
}
