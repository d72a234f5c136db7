/** What keeps an upgrade from going on, each cause with what takes it away (S97-S103, S113, S114, S121-S126). */
import { termOf } from "../names";
import { withInstalled } from "../api/modules";
import { causesOf, databaseOld, moduleUndefined } from "../cluster/causes";
import { clusterFinding } from "../cluster/codes";
import { canDefineModules, isTooOld, undefinedModules } from "../cluster/databases";
import { projectCluster } from "../clusters";
import type { Facts } from "../facts";
import type { Finding } from "../findings";
import { moduleStanding } from "../module-standing";
import { type KubeObject, objectLabel } from "../objects";
import { at, text } from "../values";
import { formatEngineVersion } from "../versions";
import { bundledVersions } from "../release/bundled";
import { recoveryFinding } from "./codes";
import { type ApiFacts, type RecoveryDatabase, shownVersion } from "./databases";
import { buildsOf, fits } from "./line";

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
export function freezeCauses(frozen: Frozen): readonly FreezeCause[] {
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
export function licenseOf({ facts, ec, api }: Frozen): readonly FreezeCause[] {
  const told = causesOf("license", facts, { ec });
  const until = api?.license?.expirationDate;
  const expired = clusterFinding("license", {
    object: objectLabel(ec),
    cause: `the license has expired${until === undefined ? "" : ` on ${until}`}, as the REST API tells`,
  });
  const found = told.length === 0 && api?.license?.expired === true ? [expired] : told;
  return found.map((finding) => ({ is: "license", finding }) as const);
}

function oldDatabases({ facts, ec, databases }: Frozen): readonly FreezeCause[] {
  const tag = text(at(ec, facts.names.ecFields.versionTag));
  const bundled = bundledVersions(tag);
  return databases.flatMap((database): readonly FreezeCause[] => {
    const { runs, label } = database;
    if (runs === undefined) return [];
    const version = formatEngineVersion(runs);
    if (isTooOld(runs)) {
      const fix = "upgrade it over the REST API: recover --apply --engine-version VERSION";
      return [{ is: "database", database, finding: databaseOld(label, runs, fix) }];
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
    const { module, standing, says } = used;
    if (standing === "installed") return notDefined(frozen, module, says);
    const fix = `install ${module}: recover --apply --module FILE`;
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
    const which = left.map(({ label, runs }) => `${label} at ${shownVersion(runs)}`).join(", ");
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
