/** Which modules keep an upgrade frozen (S99, S101-S103). */
import { renderVersion } from "../database/rollout";
import {
  canDefineModules,
  defineModule,
  isTooOld,
  listUndefinedModules,
  moduleUndefined,
} from "../engine-cluster/causes";
import { operatorRelease } from "../engine-cluster/operator";
import {
  listRetiredUses,
  retiredFinding,
  type RetiredUse,
  stopsUpgrade,
} from "../engine-cluster/retired-modules";
import { readRunningVersion } from "../engine-cluster/rollout";
import { objectLabel } from "../kube/objects";
import { renderTerm } from "../names/names";
import { withInstalled } from "../rest-api/modules";
import { moduleStanding, projectCluster } from "../rules/clusters";
import { asString, getPath } from "../base/values";
import { isOlder } from "../base/versions";
import type { FreezeCause, Frozen } from "./cause";
import type { ApiFacts, RecoveryDatabase } from "./databases";
import { recoveryFinding } from "./findings";
import { fits } from "../engine-cluster/modules";
import { listBuilds } from "./line";

/** By the REST API where it was asked, else by the lists of the resources (S99, S101, S102). */
export function moduleCauses(frozen: Frozen): readonly FreezeCause[] {
  const { facts, ec, api } = frozen;
  const { names } = facts;
  const databases = frozen.databases.map(({ label, modules }) => ({
    label,
    modules: modules.map(({ name }) => name),
  }));
  const lists = { ec, names, databases, ...(api !== undefined && { modules: api.modules }) };
  const ended = listRetiredUses(lists).filter((use) => isHolding(frozen, use));
  return [
    ...ended.map((use) => ({ is: "other", finding: retiredFinding(ec, use, names) }) as const),
    ...(api === undefined ? findUndefined(frozen, ended) : findUninstalled(frozen, api, ended)),
  ];
}

/** A module at the end of its life holds an upgrade beyond that release, as long as pods are before it. */
function isHolding({ facts, ec }: Frozen, use: RetiredUse): boolean {
  const tag = asString(getPath(ec, facts.names.ecFields.versionTag));
  const goal = tag ?? operatorRelease(facts).version;
  const runs = readRunningVersion(facts, ec);
  const isThere = !runs.some((one) => isOlder(one, use.row.from));
  return !isOlder(goal, use.row.from) && stopsUpgrade(use, isThere);
}

const isAmong = (module: string, ended: readonly RetiredUse[]): boolean =>
  ended.some(({ called }) => called(module));

function findUndefined(frozen: Frozen, ended: readonly RetiredUse[]): readonly FreezeCause[] {
  const { facts, ec, databases } = frozen;
  const others = listUndefinedModules(facts, ec).filter(({ module }) => !isAmong(module, ended));
  return others.flatMap((used): readonly FreezeCause[] => {
    const { module, standing, says, fix: rename } = used;
    if (rename !== undefined) {
      return [{ is: "other", finding: moduleUndefined(facts, ec, { cause: says, fix: rename }) }];
    }
    if (standing === "installed") return notDefined(frozen, module, says);
    const fix = `install ${module} with modules install FILE, then run recover again`;
    const finding = moduleUndefined(facts, ec, { cause: says, fix });
    const users = databases.filter(({ label }) => used.databases.includes(label));
    return [{ is: "module", module, databases: users, finding }];
  });
}

/** Where an older definition has no place to define it, that cannot be what is missing (C9, S124). */
function notDefined({ facts, ec }: Frozen, module: string, says: string): readonly FreezeCause[] {
  if (!canDefineModules(facts)) return [];
  const remedies = [defineModule(ec, module)];
  return [{ is: "other", finding: moduleUndefined(facts, ec, { cause: says, remedies }) }];
}

function findUninstalled(
  frozen: Frozen,
  api: ApiFacts,
  ended: readonly RetiredUse[],
): readonly FreezeCause[] {
  const { facts, ec, databases } = frozen;
  const projected = projectCluster(ec, facts.names);
  const cluster = projected && withInstalled(projected, api.modules);
  const mayBeUsed = (name: string): boolean => {
    const builds = listBuilds(name, api.modules);
    const standing = moduleStanding(name, cluster, facts.names);
    // what is defined has to be installed as well: the upgrade waits for it (S99, S103)
    if (standing === "defined") return builds.length > 0;
    return standing === "bundled" || builds.some(({ bundled }) => bundled === true);
  };
  const users = new Map<string, readonly RecoveryDatabase[]>();
  for (const database of databases) {
    for (const { name } of database.modules) {
      if (mayBeUsed(name) || isAmong(name, ended)) continue;
      users.set(name, [...(users.get(name) ?? []), database]);
    }
  }
  return [...users].flatMap(([module, all]) => {
    const builds = listBuilds(module, api.modules);
    // which build one that is too old needs shows when its version is known
    const left = all.filter(
      ({ runs }) =>
        builds.length === 0 ||
        !(runs === undefined || isTooOld(runs) || builds.some((build) => fits(build, runs))),
    );
    if (left.length === 0) {
      const labels = all.map(({ label }) => label).join(", ");
      const says = `module ${module} of ${labels} is installed but not defined in the ${renderTerm(facts.names.ec)}`;
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
