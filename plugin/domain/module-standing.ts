/** What a module is to an EC: rules, checks, plans and recovery all ask here (S51, S54, S56; C9). */
import type { Names } from "./names";
import type { ClusterFacts } from "./rules/types";

/**
 * `bundled` and `defined` ones may be used. One that is merely `installed` is the user's own and
 * undefined: with it an upgrade freezes (S113, S124).
 */
export type ModuleStanding = "bundled" | "defined" | "installed" | "unknown";

/** The modules of an EC under all of their names. */
export interface KnownModules {
  /** Absent: unknown. */
  readonly standings: ReadonlyMap<string, Exclude<ModuleStanding, "unknown">>;
  /** The names that may be used, by their lower-case form: for hints. */
  readonly lowered: ReadonlyMap<string, string>;
}

/** Made once for each EC as it was read, and for none. */
const made = new WeakMap<
  ClusterFacts | Names,
  { readonly names: Names; readonly modules: KnownModules }
>();

/** The modules of an EC; those that are bundled with every one where it is not known. */
export function knownModules(cluster: ClusterFacts | undefined, names: Names): KnownModules {
  const found = made.get(cluster ?? names);
  if (found?.names === names) return found.modules;
  const standings = standingsOf(cluster, names);
  const passing = [...standings].filter(([, standing]) => standing !== "installed");
  const modules = {
    standings,
    lowered: new Map(passing.map(([name]) => [name.toLowerCase(), name])),
  };
  made.set(cluster ?? names, { names, modules });
  return modules;
}

/** What a module of a database is to its EC, by either of its names. */
export function moduleStanding(
  name: string,
  cluster: ClusterFacts | undefined,
  names: Names,
): ModuleStanding {
  return knownModules(cluster, names).standings.get(name) ?? "unknown";
}

/** What is said last counts. A bundled module is known by its own name, which no user chooses. */
function standingsOf(cluster: ClusterFacts | undefined, names: Names): KnownModules["standings"] {
  const { installedModules = [], userModules = [] } = cluster ?? {};
  const entries = installedModules.map((entry) => ({
    name: entry.name,
    both: Object.values(entry),
  }));
  const bundled: readonly (string | undefined)[] = names.bundledModules;
  const defined = entries.filter(({ both }) => both.some((each) => userModules.includes(each)));
  const shipped = entries.filter(({ name }) => bundled.includes(name));
  const all = (some: typeof entries) => some.flatMap(({ both }) => both);
  return new Map([
    ...all(entries).map((name) => [name, "installed"] as const),
    ...[...all(defined), ...userModules].map((name) => [name, "defined"] as const),
    ...[...all(shipped), ...names.bundledModules].map((name) => [name, "bundled"] as const),
  ]);
}
