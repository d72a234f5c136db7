/** The operator's work on ECs: new ones, upgrades, restarts, nodes (S10, S45, S55, S58, S68–S74, S113; domain facts 7, 10, 11). */
import { kinds } from "../../domain/kube/kinds";
import type { Names } from "../../domain/names/names";
import { listBundledVersions } from "../../domain/release/platforms";
import {
  getPath,
  type Json,
  asArray,
  getOwn,
  sameJson,
  asString,
  numberAt,
  withValue,
} from "../../domain/base/values";
import type { StatefulSet, StatefulSetSpec } from "../../domain/kube/models";
import type { KubeObject } from "../../ports/kubernetes";
import {
  type PlannedAction,
  createObject,
  fieldsWritten,
  hashValue,
  identity,
  type LogLine,
  once,
  react,
  type Reactions,
  statusWith,
  statusWritten,
  type ActionTarget,
  warn,
} from "./acts";
import {
  readAppliedModules,
  type PrerequisiteContext,
  listDatabases,
  frozenBecause,
  hasOtherImage,
  impossibleBecause,
  isAtLeast,
  isAutomatic,
  modulesHash,
  explainPin,
  findRelease,
  readRunningTag,
  makeStatefulSet,
  templateFor,
} from "./prerequisites";
import { isSameRelease } from "../../domain/base/versions";
import { operatorVersion } from "./deployment";
import { isRolled } from "./pods";
import { type FieldValue, productKinds, type OperatorSnapshot, setOfCluster } from "./snapshot";

/** States of an EC that the play enters. */
const states = {
  running: "Running",
  upgrade: "Upgrade",
  invalid: "InvalidUpgrade",
  rolling: "RunningRollingUpdate",
} as const;

/** RunningRollingUpdate is told since this release. */
const tellsRolling = "7.8.2-0";

/** An EC, and what its operator knows of it; `wanted` is the tag that is asked for. */
interface Managed extends PrerequisiteContext {
  readonly set: StatefulSet;
  /** Tag that the StatefulSet is made with. */
  readonly running: string;
  /** The state that it tells. */
  readonly state: string | undefined;
}

/** What the operator does about an EC, the first row that holds. */
const reactions: Reactions<Managed> = [
  [(one) => one.state !== states.upgrade && explainPin(one), invalid],
  [
    ({ wanted, running }) => wanted === running,
    (one) => [...nodes(one), ...restart(one), ...arrival(one)],
  ],
  [impossibleBecause, invalid],
  [(one) => tellsUpgrade(one) && frozenBecause(one), (one, why) => [planRefusal(one, why)]],
  [
    tellsUpgrade,
    (one) => [
      roll(one, `roll ${one.wanted}`, `rolling the cluster from ${one.running} to ${one.wanted}`),
    ],
  ],
  [(one) => canBegin(one) && isUntagged(one), (one) => [tagImage(one)]],
  [canBegin, (one) => [enterUpgrade(one)]],
  [
    ({ state }) => state,
    (one, state) => [
      planRefusal(
        one,
        `Upgrade Applied but will not start since ${one.scene.names.ec.short.toUpperCase()} Status.State ` +
          `is '${state}' and not one of: '${states.running}', '${states.invalid}'`,
      ),
      ...(isRolled(one.set, one.scene.pods) ? [become(one, states.running)] : []),
    ],
  ],
];

/** What the operator has to do about every EC; nothing while no operator is ready. */
export function clusterActs(scene: OperatorSnapshot): readonly PlannedAction[] {
  const operator = operatorVersion(scene);
  if (operator === undefined || scene.misbehave.deafOperator === true) return [];
  return scene.ecs.flatMap((ec) => {
    const set = setOfCluster(scene, ec);
    if (set === undefined) return creation(scene, ec, operator);
    const running = readRunningTag(set, scene.names);
    if (running === undefined) return [];
    rememberModules(scene, ec, set);
    const wanted = findWantedTag(scene, ec, operator) ?? running;
    const state = readState(scene, ec);
    return react(reactions, { scene, ec, operator, set, running, wanted, state });
  });
}

/** Whether the operator looks after the databases of an EC: not between its own upgrade and the EC's (S10, S98). */
export function isManaged(scene: OperatorSnapshot, ec: KubeObject): boolean {
  const operator = operatorVersion(scene);
  const set = setOfCluster(scene, ec);
  if (operator === undefined || set === undefined) return false;
  const release = findRelease(scene, operator);
  const current = release === undefined || isSameRelease(release, readRunningTag(set, scene.names));
  return current && readState(scene, ec) === states.running && isRolled(set, scene.pods);
}

function readState({ names }: OperatorSnapshot, ec: KubeObject): string | undefined {
  return asString(getPath(ec, names.ecFields.state));
}

function tellsUpgrade({ state, scene }: Managed): boolean {
  return state === states.upgrade || scene.misbehave.lyingStatus === true;
}

/** From these states alone an upgrade begins. */
function canBegin({ state = states.running }: Managed): boolean {
  return state === states.running || state === states.invalid;
}

/** By itself the operator wants its own cluster release, otherwise what the spec says. */
function findWantedTag(
  scene: OperatorSnapshot,
  ec: KubeObject,
  operator: string,
): string | undefined {
  const release = findRelease(scene, operator);
  const asked = asString(getPath(ec, scene.names.ecFields.versionTag));
  if (!isAutomatic(ec, scene) || release === undefined) return asked;
  return isSameRelease(asked, release) ? asked : release;
}

/** Something that the operator does about an EC, a moment after its cause. */
function planStep(
  { times }: OperatorSnapshot,
  ec: KubeObject,
  { does, run }: { does: string; run: PlannedAction["run"] },
): PlannedAction {
  const key = `${identity(ec)} ${ec.metadata.generation ?? 0} ${does}`;
  return { key, afterMs: times.reactMs, run };
}

function creation(
  scene: OperatorSnapshot,
  ec: KubeObject,
  operator: string,
): readonly PlannedAction[] {
  const tag = findWantedTag(scene, ec, operator) ?? findRelease(scene, operator);
  if (tag === undefined) return [];
  const run = createObject(makeStatefulSet(ec, tag, scene.names), scene.names.operator.deployment);
  return [planStep(scene, ec, { does: "create", run })];
}

/** The EC, to be written by its operator. */
function clusterTarget({ scene: { names }, ec }: Pick<Managed, "scene" | "ec">): ActionTarget {
  return { resource: productKinds(names).ec, object: ec, manager: names.operator.deployment };
}

/** The StatefulSet of an EC, to be written by the operator. */
function setTarget({ scene: { names }, set }: Managed): ActionTarget {
  return { resource: kinds.statefulSet, object: set, manager: names.operator.deployment };
}

/** Writes a state, and with it whether the spec is accepted; a log line and other fields where they are given. */
function become(
  { scene, ec }: Managed,
  state: string,
  { log, status = {} }: { readonly log?: LogLine; readonly status?: Json } = {},
): PlannedAction {
  const { state: statePath, specStatus } = scene.names.ecFields;
  const before = { ...ec, status: { ...(ec["status"] as Json | undefined), ...status } };
  const after = statusWith(before, [
    [statePath, scene.misbehave.lyingStatus === true ? states.running : state],
    [specStatus, state === states.invalid ? "Invalid" : "Valid"],
  ]);
  return planStep(scene, ec, {
    does: `state ${state} ${hashValue(status)}`,
    run: async (hands) => {
      await statusWritten(clusterTarget({ scene, ec }), after)(hands);
      if (log !== undefined) hands.log(log);
    },
  });
}

/** A line of the operator's log about an EC. */
function line({ metadata }: KubeObject, msg: string): LogLine {
  const { name = "", namespace = "" } = metadata;
  return { level: "info", logger: "controllers.cluster", msg, Namespace: namespace, Name: name };
}

/** The known line of an upgrade that makes no progress (domain facts 10). */
function errorLine(ec: KubeObject, error: string): LogLine {
  return { ...line(ec, "Upgrade Error"), level: "error", error };
}

/** Says once in the log why the upgrade makes no progress. */
function planRefusal({ scene, ec }: Managed, why: string): PlannedAction {
  return once(scene, {
    key: `log ${ec.metadata.uid ?? ""} ${why}`,
    afterMs: scene.times.reactMs,
    run: ({ log }) => {
      log(errorLine(ec, why));
      return Promise.resolve();
    },
  });
}

/** InvalidUpgrade, with a Warning event (S70; domain facts 7). */
function invalid(one: Managed, why: string): readonly PlannedAction[] {
  const { scene, ec, state } = one;
  const event = warn(scene, ec, { reason: states.invalid, message: why });
  const isTold = state === states.invalid || scene.misbehave.lyingStatus === true;
  return isTold ? [event] : [become(one, states.invalid, { log: errorLine(ec, why) }), event];
}

/** Running is stale for a moment. */
function enterUpgrade(one: Managed): PlannedAction {
  const log = line(one.ec, `upgrading to ${one.wanted}`);
  return { ...become(one, states.upgrade, { log }), afterMs: one.scene.times.staleRunningMs };
}

function isUntagged({ scene, ec, wanted }: Managed): boolean {
  const tag = asString(getPath(ec, scene.names.ecFields.versionTag));
  return isAutomatic(ec, scene) && tag !== undefined && tag !== wanted;
}

/** By itself the operator writes the tag, so that the listing shows what is on its way. */
function tagImage({ scene, ec, wanted }: Managed): PlannedAction {
  const fields = withValue({}, scene.names.ecFields.versionTag, wanted);
  const run = fieldsWritten(clusterTarget({ scene, ec }), fields);
  return planStep(scene, ec, { does: `tag ${wanted}`, run });
}

/** Changes the template: the StatefulSet's controller does the rest. */
function roll(one: Managed, does: string, says: string): PlannedAction {
  const { scene, ec, set, wanted } = one;
  const { names } = scene;
  const template = templateFor(set, ec, { names, tag: wanted });
  const replicas = numberAt(ec, names.ecFields.nodes, set.spec?.replicas ?? 1);
  const spec: StatefulSetSpec = { replicas, template };
  const write = fieldsWritten(setTarget(one), { spec });
  return planStep(scene, ec, {
    does,
    run: (hands) => {
      hands.log(line(ec, says));
      return write(hands);
    },
  });
}

/** Nodes are added and removed with the EC's number of them. */
function nodes(one: Managed): readonly PlannedAction[] {
  const { scene, ec, set, state } = one;
  const replicas = set.spec?.replicas ?? 1;
  const wanted = numberAt(ec, scene.names.ecFields.nodes, replicas);
  if (wanted === replicas || state !== states.running) return [];
  const spec: StatefulSetSpec = { replicas: wanted };
  const run = fieldsWritten(setTarget(one), { spec });
  return [planStep(scene, ec, { does: `nodes ${wanted}`, run })];
}

const modulesKey = (ec: KubeObject): string => `modules ${ec.metadata.uid ?? ""}`;

/** A StatefulSet that the play has not made tells nothing of modules: those of the first look count. */
function rememberModules(
  { names, seen }: OperatorSnapshot,
  ec: KubeObject,
  set: StatefulSet,
): void {
  const key = modulesKey(ec);
  if (!seen.has(key)) seen.set(key, readAppliedModules(set, names) ?? modulesHash(ec, names));
}

/** The pods are made with other modules or another image spec than the EC has. */
function isOutdated({ scene: { names, seen }, ec, set, running }: Managed): boolean {
  if (hasOtherImage(set, ec, { names, tag: running })) return true;
  return (readAppliedModules(set, names) ?? seen.get(modulesKey(ec))) !== modulesHash(ec, names);
}

/** An edit of the modules, of the repository or of the pull policy restarts the pods, one by one (S48, S49, S55). */
function restart(one: Managed): readonly PlannedAction[] {
  const { scene, ec, operator, state } = one;
  if (!isOutdated(one)) return [];
  const tells = isAtLeast(operator, tellsRolling) && scene.misbehave.lyingStatus !== true;
  if (tells && state === states.running) return [become(one, states.rolling)];
  if (tells && state !== states.rolling) return [];
  const says = "restarting the pods for a change of the modules or the image";
  return [roll(one, `restart ${ec.metadata.generation ?? 0}`, says)];
}

/** What was rolled has arrived: Running, with what the release brings. */
function arrival(one: Managed): readonly PlannedAction[] {
  const { scene, ec, set, running, state } = one;
  if (!isRolled(set, scene.pods) || scene.misbehave.endlessUpgrade === true) return [];
  if (state === states.rolling && isOutdated(one)) return [];
  const told = getPath(ec, scene.names.fields.bundledDatabaseVersions);
  const isNews = !sameJson(told, listBundled(running, scene.names));
  if (state === states.running && !(scene.misbehave.lyingStatus === true && isNews)) return [];
  const log = line(ec, `the cluster runs ${running}`);
  return [become(one, states.running, { log, status: releaseStatus(one) })];
}

/** Versions; modules and a license where nothing was told of them yet (domain facts 7). */
function releaseStatus({ ec, running, scene: { names } }: Managed): Json {
  const { fields, ecFields, entryFields } = names;
  const known = asArray(getPath(ec, fields.statusModules));
  const bundled = names.bundledModules.map((name) => ({
    [entryFields.statusModuleName]: name,
    [entryFields.statusModuleDisplayName]: name,
    versions: [running.replace(/-.*$/, "")],
  }));
  return statusWith(ec, [
    [fields.bundledDatabaseVersions, listBundled(running, names)],
    [fields.statusModules, known.length > 0 ? known : bundled],
    [ecFields.licenseState, asString(getPath(ec, ecFields.licenseState)) ?? "Valid"],
  ]);
}

/** What a cluster release bundles; one before the published releases has what the first of them has. */
function listBundled(tag: string, names: Names): readonly Json[] {
  const { bundledType, bundledVersion } = names.entryFields;
  return (listBundledVersions(tag) ?? ["6.0", "6.2", "7.2"]).map((version) => ({
    [bundledType]: names.engineDbType,
    [bundledVersion]: version,
  }));
}

/** Shows the REST service what is stored, before anybody asks it. */
export function showService(scene: OperatorSnapshot): void {
  const ec = findServedCluster(scene);
  if (ec === undefined) return;
  const running = readRunningTag(setOfCluster(scene, ec), scene.names);
  scene.rest?.follow({ ec, edbs: listDatabases(scene, ec), running });
}

function findServedCluster({ rest, ecs }: OperatorSnapshot): KubeObject | undefined {
  if (rest === undefined) return undefined;
  if (rest.ec === undefined) return ecs.length === 1 ? ecs[0] : undefined;
  return ecs.find(({ metadata }) => metadata.name === rest.ec);
}

/** The license and the modules that came over REST are told as soon as they are there (S45, S114). */
export function planServedCluster(scene: OperatorSnapshot): readonly PlannedAction[] {
  const ec = findServedCluster(scene);
  if (ec === undefined) return [];
  const news = [...licenseNews(scene, ec), ...moduleNews(scene, ec)];
  if (news.length === 0) return [];
  const run = statusWritten(clusterTarget({ scene, ec }), statusWith(ec, news));
  return [{ key: `${identity(ec)} rest ${hashValue(news)}`, afterMs: scene.times.reactMs, run }];
}

/** Only what changes between good and not good: the words for "not good" are not published. */
function licenseNews({ rest, names }: OperatorSnapshot, ec: KubeObject): readonly FieldValue[] {
  const path = names.ecFields.licenseState;
  const told = asString(getPath(ec, path));
  if (told === undefined || (told.toLowerCase() === "valid") === rest?.isLicensed) return [];
  return [[path, rest?.isLicensed === true ? "Valid" : "Expired"]];
}

function moduleNews({ rest, names }: OperatorSnapshot, ec: KubeObject): readonly FieldValue[] {
  const { statusModuleName, statusModuleDisplayName } = names.entryFields;
  const told = asArray(getPath(ec, names.fields.statusModules));
  const known = new Set(told.map((entry) => getOwn(entry, statusModuleName)));
  const added = (rest?.modules ?? []).filter(({ name }) => !known.has(name));
  if (added.length === 0) return [];
  const entries = [...new Set(added.map(({ name }) => name))].map((name) => {
    const all = added.filter((module) => module.name === name);
    return {
      [statusModuleName]: name,
      [statusModuleDisplayName]: all[0]?.displayName ?? name,
      versions: all.map(({ version }) => version),
    };
  });
  return [[names.fields.statusModules, [...told, ...entries]]];
}
