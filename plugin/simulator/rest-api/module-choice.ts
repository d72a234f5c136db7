/** Which modules a database has after an upgrade (S41–S44, S63, S87, S89, S111; domain facts 7, 9). */
import type { Names } from "../../domain/names/names";
import { compareDotted } from "../../domain/base/versions";
import {
  ApiRefusal,
  type Bdb,
  type ClusterStore,
  refuseMalformed,
  countMasters,
  type StoredModule,
  type RunningModule,
} from "./state";

/** An entry of the modules, read. */
export interface ModuleEntry {
  readonly current: string | undefined;
  readonly next: string | undefined;
  readonly args: readonly unknown[] | undefined;
}

/** A request, read, with its defaults. */
export interface UpgradeRequest {
  readonly forceRestart: boolean;
  readonly keepEngineVersion: boolean;
  readonly keepCrdtProtocolVersion: boolean;
  readonly mayDiscardData: boolean;
  readonly forceDiscard: boolean;
  readonly preserveRoles: boolean;
  readonly parallelShardsUpgrade: number | undefined;
  readonly modules: readonly ModuleEntry[];
  readonly engineVersion: string | undefined;
  readonly latestWithModules: boolean;
  /** It was asked for in so many words. */
  readonly asksForLatest: boolean;
}

/** What a request is judged with. */
export interface Judging {
  readonly store: ClusterStore;
  readonly names: Names;
  readonly bdb: Bdb;
  readonly request: UpgradeRequest;
}

/** What the choice depends on; `engine` is the version that the database will run. */
interface Choosing extends Judging {
  readonly engine: string;
  readonly engineChanges: boolean;
}

interface Chosen {
  readonly name: string;
  readonly build: StoredModule | undefined;
  readonly args: readonly unknown[] | undefined;
}

/** The list of modules afterwards; refused where one is missing, older, or does not fit. */
export function chooseModules(choosing: Choosing): readonly RunningModule[] {
  const chosen = new Map<string, Chosen>();
  for (const entry of choosing.request.modules) {
    const one = chooseByEntry(entry, choosing);
    if (chosen.has(one.name))
      throw refuseMalformed([`${choosing.names.upgradeRequest.modules} names ${one.name} twice`]);
    chosen.set(one.name, one);
  }
  const after = choosing.bdb.modules.map((used) =>
    afterwards(used, chosen.get(used.name), choosing),
  );
  judgeCapabilities(after, choosing);
  return after;
}

/** The module in use that an entry means, and the build that it asks for. */
function chooseByEntry(entry: ModuleEntry, choosing: Choosing): Chosen {
  const { missingModule, moduleDowngrade } = choosing.names.restErrors;
  const [current, build] = [entry.current, entry.next].map((uid) => {
    const module = uid === undefined ? undefined : choosing.store.modules.get(uid);
    if (uid === undefined || module !== undefined) return module;
    throw refuseMalformed([`module ${JSON.stringify(uid)} is not installed`], missingModule);
  });
  const name = renderName(current, build, choosing);
  const used = choosing.bdb.modules.find((module) => module.name === name);
  if (used === undefined || (current !== undefined && current.version !== used.version)) {
    const which = `${name} ${current?.version ?? ""}`.trim();
    throw refuseMalformed([`the database does not use ${which}`], missingModule);
  }
  if (build !== undefined && compareDotted(build.version, used.version) < 0)
    throw refuseMalformed(
      [`${name} ${build.version} is older than ${used.version}`],
      moduleDowngrade,
    );
  return { name, build, args: entry.args };
}

/** By either of both, which have to agree; by neither where the database has one module alone. */
function renderName(
  current: StoredModule | undefined,
  build: StoredModule | undefined,
  { bdb, names }: Choosing,
): string {
  const { currentModule, newModule } = names.upgradeRequest;
  if (current !== undefined && build !== undefined && current.name !== build.name) {
    throw refuseMalformed([
      `${currentModule} is ${current.name}, ${newModule} is ${build.name}: not the same module`,
    ]);
  }
  const named = current ?? build ?? (bdb.modules.length === 1 ? bdb.modules[0] : undefined);
  if (named !== undefined) return named.name;
  throw refuseMalformed([
    `an entry without ${currentModule} and ${newModule} fits no single module`,
  ]);
}

function afterwards(
  used: RunningModule,
  chosen: Chosen | undefined,
  choosing: Choosing,
): RunningModule {
  const args = chosen?.args ?? used.args;
  const build = chosen && (chosen.build ?? newestFor(used, choosing));
  if (build === undefined) return { ...used, version: followEngine(used, choosing), args };
  if (!fits(build, choosing.engine)) throw unfit(used, choosing);
  return { ...used, version: build.version, args };
}

/** Without a word about it: the bundled one goes with the engine (S63), others stay where they fit. */
function followEngine(used: RunningModule, choosing: Choosing): string {
  const { engineChanges, request } = choosing;
  if (!engineChanges && !request.latestWithModules) return used.version;
  const newest = newestFor(used, choosing);
  const stays = findBuild(used, choosing)?.isBundled === false && !request.latestWithModules;
  if (stays) return used.version;
  if (newest !== undefined && compareDotted(newest.version, used.version) >= 0)
    return newest.version;
  if (!engineChanges) return used.version;
  throw unfit(used, choosing);
}

function listBuilds({ name }: RunningModule, { store }: Choosing): readonly StoredModule[] {
  return [...store.modules.values()].filter((one) => one.name === name);
}

/** The installed build of just this version that fits the engine. */
function findBuild(used: RunningModule, choosing: Choosing): StoredModule | undefined {
  return listBuilds(used, choosing).find(
    (one) => one.version === used.version && fits(one, choosing.engine),
  );
}

function newestFor(used: RunningModule, choosing: Choosing): StoredModule | undefined {
  return listBuilds(used, choosing)
    .filter((one) => fits(one, choosing.engine))
    .toSorted((one, other) => compareDotted(one.version, other.version))
    .at(-1);
}

function unfit(used: RunningModule, choosing: Choosing): ApiRefusal {
  const { missingModule, incompatibleEngine } = choosing.names.restErrors;
  return listBuilds(used, choosing).length > 0
    ? refuseMalformed(
        [`no installed build of ${used.name} fits ${choosing.engine}`],
        incompatibleEngine,
      )
    : refuseMalformed([`module ${used.name} is not installed`], missingModule);
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
const capabilityRules: readonly {
  readonly needs: string;
  readonly when: (bdb: Bdb) => boolean;
}[] = [
  { needs: "crdb", when: ({ crdtGuid }) => crdtGuid !== undefined },
  { needs: "failover_migrate", when: ({ replication }) => replication },
  { needs: "persistence_aof", when: ({ persistence }) => persistence === "aof" },
  { needs: "persistence_rdb", when: ({ persistence }) => persistence === "snapshot" },
  { needs: "clustering", when: (bdb) => countMasters(bdb) > 1 },
];

/** 406 (S111): a module that changes has to be able to do what the database is set to. */
function judgeCapabilities(after: readonly RunningModule[], choosing: Choosing): void {
  const { bdb, names } = choosing;
  const lacking = after.flatMap((used) => {
    const before = bdb.modules.find(({ name }) => name === used.name);
    const { capabilities } = findBuild(used, choosing) ?? {};
    if (capabilities === undefined || before?.version === used.version) return [];
    return capabilityRules
      .filter(({ needs, when }) => when(bdb) && !capabilities.includes(needs))
      .map(({ needs }) => `${used.name} ${used.version} lacks ${needs}, which the database needs`);
  });
  if (lacking.length === 0) return;
  throw new ApiRefusal(406, names.restErrors.moduleCapabilities, lacking.join("; "));
}
