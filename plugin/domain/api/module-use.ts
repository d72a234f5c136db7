/** Which databases use which modules, and what the EC and the list of modules say of each (S101, S102). */
import { moduleStanding, projectCluster } from "../clusters";
import type { Names } from "../names";
import type { KubeObject } from "../objects";
import { withInstalled } from "./modules";
import type { ApiDatabase, ApiNode, InstalledModule } from "./records";

/** What the REST API and the EC say, read at one time. */
export interface ModuleFacts {
  readonly ec: KubeObject;
  readonly names: Names;
  readonly databases: readonly ApiDatabase[];
  readonly modules: readonly InstalledModule[];
  /** Undefined where the server does not list them. */
  readonly nodes: readonly ApiNode[] | undefined;
}

/** One module in one version, with the databases that use it. */
export interface ModuleUse {
  readonly name: string;
  readonly version: string | undefined;
  readonly displayName: string | undefined;
  readonly installed: boolean;
  /** It came with the cluster: nobody defines it. */
  readonly bundled: boolean;
  /** In the EC's list, under either name (S54, S56). */
  readonly defined: boolean;
  readonly databases: readonly string[];
}

/** Every module in use, by name and version. */
export function moduleUses(facts: ModuleFacts): readonly ModuleUse[] {
  const users = new Map<string, ModuleUse>();
  for (const database of facts.databases) {
    for (const { name, version } of database.modules) {
      const key = JSON.stringify([name, version]);
      const use = users.get(key) ?? describe({ name, version }, facts);
      users.set(key, { ...use, databases: [...use.databases, databaseLabel(database)] });
    }
  }
  return [...users].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, use]) => use);
}

/** `orders (uid 1)`, or the uid alone. */
export function databaseLabel({ uid, name }: Pick<ApiDatabase, "uid" | "name">): string {
  return name === undefined ? `uid ${uid}` : `${name} (uid ${uid})`;
}

function describe(
  { name, version }: Pick<ModuleUse, "name" | "version">,
  { ec, names, modules }: ModuleFacts,
): ModuleUse {
  const builds = modules.filter((module) => module.name === name);
  const build = builds.find((module) => module.version === version);
  const cluster = projectCluster(ec, names);
  const known = cluster && withInstalled(cluster, modules);
  const standing = moduleStanding(name, known, names);
  return {
    name,
    version,
    displayName: (build ?? builds[0])?.displayName,
    // a server that does not tell the version tells nothing against it
    installed: version === undefined ? builds.length > 0 : build !== undefined,
    bundled: flagOf(build === undefined ? builds : [build]) ?? standing === "bundled",
    defined: standing === "defined",
    databases: [],
  };
}

/** What the list says; where it says nothing the names tell (C9). */
function flagOf(builds: readonly InstalledModule[]): boolean | undefined {
  const flags = builds.map(({ bundled }) => bundled).filter((flag) => flag !== undefined);
  return flags.length === 0 ? undefined : flags.includes(true);
}
