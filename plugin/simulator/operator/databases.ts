/** The operator's work on databases: what is asked of them, and how it is reached (S61–S67, S98; domain facts 7, 11). */
import { findFields } from "../../domain/rules/fields";
import {
  compareEngineVersions,
  type EngineVersion,
  formatEngineVersion,
  parseLeadingEngineVersion,
  parseEngineVersion,
} from "../../domain/base/versions";
import { getPath, asArray, getOwn, asString, numberAt } from "../../domain/base/values";
import type { KubeObject } from "../../ports/kubernetes";
import {
  type PlannedAction,
  convergeStatus,
  hashValue,
  identity,
  once,
  react,
  type Reactions,
  statusWith,
  statusWritten,
} from "./acts";
import { isManaged } from "./clusters";
import { listDatabases, listModules, readRunningVersion, listSupported } from "./prerequisites";
import {
  type FieldValue,
  productKinds,
  type OperatorSnapshot,
  type ServedDatabase,
} from "./snapshot";

/** States of a database that the play enters. */
const states = {
  active: "active",
  pending: "active-change-pending",
  notMade: "creation-failed",
} as const;

/** A database, what is asked of it, and what the REST service has of it. */
interface PlayedDatabase {
  readonly scene: OperatorSnapshot;
  readonly edb: KubeObject;
  /** The version that is asked for; undefined where the spec asks for none. */
  readonly version: EngineVersion | undefined;
  /** What a database without a version gets. */
  readonly newest: EngineVersion | undefined;
  /** Why the operator does not take it. */
  readonly refused: string | undefined;
  readonly state: string | undefined;
  /** Lowering is not done: a database that runs more has what is asked for. */
  readonly reached: boolean;
  /** Absent where the play raises databases by itself. */
  readonly served: ServedDatabase | undefined;
}

/** One that the REST service holds: the wish goes there, what came of it comes back. */
const servedReactions: Reactions<PlayedDatabase> = [
  // what is at work is only told
  [(one) => one.served?.isBusy, (one) => planStatus(one, listServed(one))],
  [refusal, (one, why) => refuse(one, why)],
  [
    (one) => one.reached || one.scene.seen.has(attempt(one)),
    // the service's word on the state counts
    (one) => planStatus(one, [...atRest(one), ...listServed(one)]),
  ],
  [() => true, (one) => [raiseVersion(one)]],
];

/** One without the service. */
const reactions: Reactions<PlayedDatabase> = [
  [(one) => one.reached && isNoted(one) && one.state !== undefined && !isPending(one), () => []],
  [({ refused }) => refused, refuse],
  [
    ({ state }) => state === undefined || state === states.notMade,
    (one) => [become(one, bornFields(one))],
  ],
  [({ reached }) => reached, (one) => [become(one, atRest(one))]],
  [(one) => !isPending(one), (one) => [become(one, listBegun(one))]],
  [isStuck, () => []],
  [() => true, (one) => [{ ...become(one, done(one)), afterMs: one.scene.times.databaseMs }]],
];

/** What the operator has to do about the databases of the ECs that it looks after. */
export function databaseActs(scene: OperatorSnapshot): readonly PlannedAction[] {
  return scene.ecs
    .filter((ec) => isManaged(scene, ec))
    .flatMap((ec) =>
      listDatabases(scene, ec).flatMap((edb) => {
        const one = describeDatabase(scene, ec, edb);
        return react(one.served === undefined ? reactions : servedReactions, one);
      }),
    );
}

function describeDatabase(
  scene: OperatorSnapshot,
  ec: KubeObject,
  edb: KubeObject,
): PlayedDatabase {
  const { names } = scene;
  const bundled = readBundledVersions(ec, names);
  const version = versionFor(scene, readWanted(scene, edb), bundled);
  const service = scene.rest?.find(edb);
  const served = isStuck({ scene, edb }) ? undefined : service;
  const told = served?.version ?? getPath(edb, names.fields.statusVersion);
  return {
    ...{ scene, edb, version, served },
    newest: bundled.at(-1),
    refused: explainRefusal(scene, ec, { edb, version, bundled }),
    state: asString(getPath(edb, names.edbFields.status)),
    reached: version === undefined || !isBelow(parseLeadingEngineVersion(told), version),
  };
}

function isBelow(runs: EngineVersion | undefined, version: EngineVersion): boolean {
  return runs === undefined || compareEngineVersions(runs, version) < 0;
}

/** An instance of an active-active database has that one's wish. */
function readWanted({ names, eaadbs }: OperatorSnapshot, edb: KubeObject): unknown {
  const name = edb.metadata.name ?? "";
  const owner = eaadbs.find((one) =>
    asArray(getPath(one, names.eaadbFields.linkedEdbs)).includes(name),
  );
  return owner === undefined ? getPath(edb, names.fields.engineVersion) : readAsked(owner, names);
}

/** What an active-active database asks for, in either of its places (S61; domain facts 7). */
function readAsked(eaadb: KubeObject, names: OperatorSnapshot["names"]): unknown {
  const { engineVersions } = findFields("eaadb", names);
  return engineVersions
    .map((path) => getPath(eaadb, path))
    .find((value) => (value ?? null) !== null);
}

/** Engine versions that an EC tells that it bundles, oldest first. */
export function readBundledVersions(
  ec: KubeObject,
  names: OperatorSnapshot["names"],
): readonly EngineVersion[] {
  const { bundledType, bundledVersion } = names.entryFields;
  return asArray(getPath(ec, names.fields.bundledDatabaseVersions))
    .filter((entry) => getOwn(entry, bundledType) === names.engineDbType)
    .flatMap((entry) => parseLeadingEngineVersion(getOwn(entry, bundledVersion)) ?? [])
    .toSorted(compareEngineVersions);
}

/** A channel means the newest version, of those that begin a major line for the major one (C4). */
function versionFor(
  { names }: OperatorSnapshot,
  wanted: unknown,
  bundled: readonly EngineVersion[],
): EngineVersion | undefined {
  if (wanted === names.latestChannel) return bundled.at(-1);
  if (wanted !== names.majorChannel) return parseEngineVersion(wanted);
  return bundled.findLast((one, index) => one.major !== bundled[index - 1]?.major);
}

function explainRefusal(
  scene: OperatorSnapshot,
  ec: KubeObject,
  wish: Pick<PlayedDatabase, "edb" | "version"> & { readonly bundled: readonly EngineVersion[] },
): string | undefined {
  const { edb, version, bundled } = wish;
  if (version !== undefined && !bundled.some((one) => compareEngineVersions(one, version) === 0))
    return `version ${formatEngineVersion(version)} is not bundled`;
  const listed = listModules(scene, edb);
  if (listed.length === 0) return undefined;
  const runs = readRunningVersion(scene, edb);
  const rises = runs === undefined || (version !== undefined && isBelow(runs, version));
  const isSupported = listSupported(scene, ec, rises);
  const module = listed.find((name) => !isSupported(name));
  return module === undefined ? undefined : `module ${module} is not supported`;
}

function isStuck({ scene, edb }: Pick<PlayedDatabase, "scene" | "edb">): boolean {
  return scene.misbehave.stuckDatabase === edb.metadata.name;
}

const isPending = ({ state }: PlayedDatabase): boolean => state === states.pending;

function isNoted({ scene, edb }: PlayedDatabase): boolean {
  const { observedGeneration } = scene.names.edbFields;
  return numberAt(edb, observedGeneration, 0) === edb.metadata.generation;
}

function listServed({ served }: PlayedDatabase): readonly FieldValue[] {
  return served?.status ?? [];
}

function refusal({ scene, edb, version, refused, reached }: PlayedDatabase): string | undefined {
  return (
    refused ?? (reached || version === undefined ? undefined : scene.rest?.refusal(edb, version))
  );
}

/** Begun once for each edit: what failed waits for another one, or for someone at the REST API. */
function attempt({ edb, version }: PlayedDatabase): string {
  return `raised ${identity(edb)} ${edb.metadata.generation ?? 0} ${JSON.stringify(version)}`;
}

function raiseVersion(one: PlayedDatabase): PlannedAction {
  const { scene, edb, version } = one;
  const run = (): Promise<void> => {
    if (version !== undefined) scene.rest?.raise(edb, version);
    return Promise.resolve();
  };
  return once(scene, { key: attempt(one), afterMs: scene.times.reactMs, run });
}

/** What a database says when nothing is left to do. */
function atRest(
  { scene: { names }, edb }: PlayedDatabase,
  specStatus = "Valid",
): readonly FieldValue[] {
  const { edbFields } = names;
  return [
    [edbFields.status, states.active],
    [edbFields.specStatus, specStatus],
    [edbFields.observedGeneration, edb.metadata.generation],
  ];
}

/** Pending, with an action of its own. */
function listBegun({ scene: { names }, edb, version }: PlayedDatabase): readonly FieldValue[] {
  const { namespace, name } = edb.metadata;
  const { edbFields } = names;
  const asked = version && formatEngineVersion(version);
  return [
    [edbFields.status, states.pending],
    [edbFields.lastActionUid, hashValue([namespace, name, asked])],
    [edbFields.lastActionStatus, "active"],
  ];
}

function done(one: PlayedDatabase): readonly FieldValue[] {
  const { scene, version } = one;
  const { edbFields, fields } = scene.names;
  return [
    ...(version ? [[fields.statusVersion, inFull(version)] as const] : []),
    ...atRest(one),
    [edbFields.lastActionStatus, "completed"],
  ];
}

/** A database that was just made: the next number, and the version that it asks for, or the newest. */
function bornFields({ scene, version, newest }: PlayedDatabase): readonly FieldValue[] {
  const { names, edbs, rest } = scene;
  const taken = edbs.map((edb) => Number(asString(getPath(edb, names.edbFields.databaseUid)) ?? 0));
  const first = version ?? newest;
  return [
    [names.edbFields.databaseUid, String(Math.max(0, ...taken, ...(rest?.uids ?? [])) + 1)],
    [names.edbFields.status, "pending"],
    ...(first ? [[names.fields.statusVersion, inFull(first)] as const] : []),
  ];
}

function inFull(version: EngineVersion): string {
  return `${formatEngineVersion(version)}.0`;
}

/** The spec is told to be invalid, once in the log as well; what was never made is not active (domain facts 7). */
function refuse(one: PlayedDatabase, error: string): readonly PlannedAction[] {
  const { edb, state, scene } = one;
  const isNew = state === undefined || state === states.notMade;
  const notMade: readonly FieldValue[] = isNew
    ? [[scene.names.edbFields.status, states.notMade]]
    : [];
  const { name = "", namespace = "" } = edb.metadata;
  const line = { level: "error", logger: "controllers.database", msg: "Invalid Spec" } as const;
  return planStatus(one, [...atRest(one, "Invalid"), ...notMade, ...listServed(one)]).map(
    (act) => ({
      ...act,
      run: async (hands) => {
        await act.run(hands);
        hands.log({ ...line, error, Namespace: namespace, Name: name });
      },
    }),
  );
}

/** Writes fields of the status, unless it says all of that already. */
function planStatus(one: PlayedDatabase, fields: readonly FieldValue[]): readonly PlannedAction[] {
  const { edb } = one;
  const after = { status: statusWith(edb, fields) };
  return fields.every(([path]) => getPath(after, path) === getPath(edb, path))
    ? []
    : [become(one, fields)];
}

/** Writes fields of the status, a moment after their cause. */
function become({ scene, edb }: PlayedDatabase, fields: readonly FieldValue[]): PlannedAction {
  const { names, times } = scene;
  const manager = names.operator.deployment;
  const status = statusWith(edb, fields);
  return {
    key: `${identity(edb)} ${edb.metadata.generation ?? 0} ${hashValue(status)}`,
    afterMs: times.reactMs,
    run: statusWritten({ resource: productKinds(names).edb, object: edb, manager }, status),
  };
}

/** The state of active-active databases follows that of their instances (S65). */
export function activeActiveActs(scene: OperatorSnapshot): readonly PlannedAction[] {
  if (!scene.ecs.some((ec) => isManaged(scene, ec))) return [];
  const { names, times } = scene;
  const { eaadbFields } = names;
  const manager = names.operator.deployment;
  return scene.eaadbs.flatMap((eaadb) => {
    const isBehind = hasInstanceBehind(scene, eaadb);
    const task = hashValue([eaadb.metadata.name, eaadb.metadata.generation]);
    const status = statusWith(eaadb, [
      [eaadbFields.status, isBehind ? states.pending : states.active],
      [eaadbFields.specStatus, "Valid"],
      [
        eaadbFields.replicationStatus,
        asString(getPath(eaadb, eaadbFields.replicationStatus)) ?? "up",
      ],
      ...(isBehind ? [[eaadbFields.lastTaskUid, task] as const] : []),
    ]);
    const target = { resource: productKinds(names).eaadb, object: eaadb, manager };
    return convergeStatus(target, status, times.reactMs);
  });
}

/** Some instance is on its way while it does not run the version that is asked for. */
function hasInstanceBehind({ names, edbs }: OperatorSnapshot, eaadb: KubeObject): boolean {
  const wanted = parseEngineVersion(readAsked(eaadb, names));
  if (wanted === undefined) return false;
  const linked = asArray(getPath(eaadb, names.eaadbFields.linkedEdbs));
  return edbs
    .filter(({ metadata }) => linked.includes(metadata.name))
    .some((edb) =>
      isBelow(parseLeadingEngineVersion(getPath(edb, names.fields.statusVersion)), wanted),
    );
}
