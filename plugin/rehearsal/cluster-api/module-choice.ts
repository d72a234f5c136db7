/** Which modules a database has after an upgrade (S41–S44, S63, S87, S89; domain facts 7, 9). */
import type { Names } from "../../domain/names";
import { compareDotted, compareEngineVersions, leadingEngineVersion } from "../../domain/versions";
import type { Bdb, StoredModule, UsedModule } from "./model";
import { ApiRefusal, malformed } from "./refusal";
import type { ClusterStore } from "./store";
import type { ModuleEntry, UpgradeRequest } from "./upgrade-fields";

/** What the choice depends on. */
export interface Choosing {
  readonly store: ClusterStore;
  readonly names: Names;
  readonly bdb: Bdb;
  readonly request: UpgradeRequest;
  /** The engine version that the database will run. */
  readonly engine: string;
  readonly engineChanges: boolean;
}

/** The list of modules afterwards; refused where one is missing, older, or does not fit. */
export function chooseModules(choosing: Choosing): readonly UsedModule[] {
  const chosen = new Map<string, Chosen>();
  for (const entry of choosing.request.modules) {
    const one = chosenBy(entry, choosing);
    if (chosen.has(one.name))
      throw malformed([`${choosing.names.upgradeRequest.modules} names ${one.name} twice`]);
    chosen.set(one.name, one);
  }
  const after = choosing.bdb.modules.map((used) =>
    afterwards(used, chosen.get(used.name), choosing),
  );
  judgeCapabilities(after, choosing);
  return after;
}

interface Chosen {
  readonly name: string;
  readonly build: StoredModule | undefined;
  readonly args: readonly unknown[] | undefined;
}

/** The module in use that an entry means, and the build that it asks for. */
function chosenBy(entry: ModuleEntry, choosing: Choosing): Chosen {
  const [current, build] = [entry.current, entry.next].map((uid) =>
    uid === undefined ? undefined : installed(uid, choosing),
  );
  const name = nameOf(current, build, choosing);
  const used = choosing.bdb.modules.find((module) => module.name === name);
  const isOther = current !== undefined && current.version !== used?.version;
  if (used === undefined || isOther) {
    throw missing(`the database does not use ${name} ${current?.version ?? ""}`.trim(), choosing);
  }
  judgeBuild(build, used, choosing);
  return { name, build, args: entry.args };
}

/** By either of both, which have to agree; by neither where the database has one module alone. */
function nameOf(
  current: StoredModule | undefined,
  build: StoredModule | undefined,
  { bdb, names }: Choosing,
): string {
  const { currentModule, newModule } = names.upgradeRequest;
  if (current !== undefined && build !== undefined && current.name !== build.name) {
    throw malformed([
      `${currentModule} is ${current.name}, ${newModule} is ${build.name}: not the same module`,
    ]);
  }
  const [only, ...more] = bdb.modules;
  const named = current ?? build ?? (more.length === 0 ? only : undefined);
  if (named !== undefined) return named.name;
  throw malformed([`an entry without ${currentModule} and ${newModule} fits no single module`]);
}

function judgeBuild(
  build: StoredModule | undefined,
  { name, version }: UsedModule,
  { names }: Choosing,
): void {
  if (build === undefined || compareDotted(build.version, version) >= 0) return;
  const { moduleDowngrade } = names.restErrors;
  throw malformed([`${name} ${build.version} is older than ${version}`], moduleDowngrade);
}

function installed(uid: string, { store, names }: Choosing): StoredModule {
  const module = store.modules.get(uid);
  if (module === undefined)
    throw malformed(
      [`module ${JSON.stringify(uid)} is not installed`],
      names.restErrors.missingModule,
    );
  return module;
}

function missing(what: string, { names }: Choosing): ApiRefusal {
  return malformed([what], names.restErrors.missingModule);
}

function afterwards(used: UsedModule, chosen: Chosen | undefined, choosing: Choosing): UsedModule {
  const args = chosen?.args ?? used.args;
  const build = chosen?.build ?? (chosen === undefined ? undefined : newestFor(used, choosing));
  if (build !== undefined) {
    if (!fits(build, choosing.engine)) throw unfit(used, choosing);
    return { ...used, version: build.version, args };
  }
  return { ...used, version: followed(used, choosing), args };
}

/** Without a word about it: the bundled one goes with the engine (S63), others stay where they fit. */
function followed(used: UsedModule, choosing: Choosing): string {
  const { engineChanges, request } = choosing;
  if (!engineChanges && !request.latestWithModules) return used.version;
  const newest = newestFor(used, choosing);
  const present = buildsOf(used, choosing).find(
    (one) => one.version === used.version && fits(one, choosing.engine),
  );
  const stays = present !== undefined && !present.isBundled && !request.latestWithModules;
  if (stays) return used.version;
  if (newest !== undefined && compareDotted(newest.version, used.version) >= 0)
    return newest.version;
  if (!engineChanges) return used.version;
  throw unfit(used, choosing);
}

function buildsOf({ name }: UsedModule, { store }: Choosing): readonly StoredModule[] {
  return [...store.modules.values()].filter((one) => one.name === name);
}

function newestFor(used: UsedModule, choosing: Choosing): StoredModule | undefined {
  return buildsOf(used, choosing)
    .filter((one) => fits(one, choosing.engine))
    .toSorted((one, other) => compareDotted(one.version, other.version))
    .at(-1);
}

function unfit(used: UsedModule, choosing: Choosing): ApiRefusal {
  const { missingModule, incompatibleEngine } = choosing.names.restErrors;
  const known = buildsOf(used, choosing).length > 0;
  const what = known
    ? `no installed build of ${used.name} fits ${choosing.engine}`
    : `module ${used.name} is not installed`;
  return malformed([what], known ? incompatibleEngine : missingModule);
}

/** A build is made for one engine version, or for all from one on (domain facts 7). */
function fits(
  { minEngineVersion, compatibleEngineVersion }: StoredModule,
  engine: string,
): boolean {
  if (compatibleEngineVersion !== undefined) return compatibleEngineVersion === engine;
  return minEngineVersion === undefined || compareDotted(minEngineVersion, engine) <= 0;
}

/** What a database's configuration asks of its modules. */
export const capabilityRules: readonly {
  readonly needs: string;
  readonly when: (bdb: Bdb) => boolean;
}[] = [
  { needs: "crdb", when: ({ crdtGuid }) => crdtGuid !== undefined },
  { needs: "failover_migrate", when: ({ replication }) => replication },
  { needs: "persistence_aof", when: ({ persistence }) => persistence === "aof" },
  { needs: "persistence_rdb", when: ({ persistence }) => persistence === "snapshot" },
  {
    needs: "clustering",
    when: ({ shards }) => shards.filter(({ role }) => role === "master").length > 1,
  },
];

/** 406 (S111): a module that changes has to be able to do what the database is set to. */
function judgeCapabilities(after: readonly UsedModule[], choosing: Choosing): void {
  const { bdb, engine, names } = choosing;
  const lacking = after.flatMap((used) => {
    const before = bdb.modules.find(({ name }) => name === used.name);
    const build = buildsOf(used, choosing).find(
      (one) => one.version === used.version && fits(one, engine),
    );
    const { capabilities } = build ?? {};
    if (capabilities === undefined || before?.version === used.version) return [];
    const rules = capabilityRules.filter(
      ({ needs, when }) => when(bdb) && !capabilities.includes(needs),
    );
    return rules.map(
      ({ needs }) => `${used.name} ${used.version} lacks ${needs}, which the database needs`,
    );
  });
  if (lacking.length === 0) return;
  throw new ApiRefusal(406, names.restErrors.moduleCapabilities, lacking.join("; "));
}

/** The newest engine version of a list. */
export function newestOf(versions: readonly string[]): string | undefined {
  return versions
    .flatMap((version) => {
      const parsed = leadingEngineVersion(version);
      return parsed === undefined ? [] : [{ version, parsed }];
    })
    .toSorted((one, other) => compareEngineVersions(one.parsed, other.parsed))
    .at(-1)?.version;
}
