/** The operator's work on ECs: new ones, upgrades, restarts, nodes (S10, S55, S58; domain facts 7, 11). */
import { at, text } from "../../domain/values";
import type { KubeObject } from "../../run/ports";
import type { Act } from "./act";
import { releaseStatus, tellsRelease } from "./cluster-release";
import {
  appliedModules,
  hasOtherImage,
  modulesHash,
  runningTag,
  setOfCluster,
  statefulSetOf,
} from "./cluster-set";
import { become, deed, invalid, line, type Managed, stateOf, states } from "./cluster-state";
import { roll, setTarget, upgrade } from "./cluster-upgrade";
import { operatorVersion } from "./operator-pod";
import { isAutomatic, pinnedBecause } from "./prerequisites";
import { isAtLeast, isSameRelease, releaseOf } from "./releases";
import { numberAt, type Scene } from "./scene";
import { isRolled } from "./stateful-set";
import { writeFields } from "./writes";

/** RunningRollingUpdate is told since this release. */
const tellsRolling = "7.8.2-0";

/** What the operator has to do about every EC; nothing while no operator is ready. */
export function clusterActs(scene: Scene): readonly Act[] {
  const operator = operatorVersion(scene);
  if (operator === undefined || scene.misbehave.deafOperator === true) return [];
  return scene.ecs.flatMap((ec) => ofCluster(scene, ec, operator));
}

/** Whether the operator looks after the databases of an EC: not between its own upgrade and the EC's (S10, S98). */
export function isManaged(scene: Scene, ec: KubeObject): boolean {
  const operator = operatorVersion(scene);
  const set = setOfCluster(scene, ec);
  if (operator === undefined || set === undefined) return false;
  const release = releaseOf(scene.releases, operator);
  const current = release === undefined || isSameRelease(release, runningTag(set, scene.names));
  return current && stateOf(scene, ec) === states.running && isRolled(set, scene.pods);
}

function ofCluster(scene: Scene, ec: KubeObject, operator: string): readonly Act[] {
  const set = setOfCluster(scene, ec);
  if (set === undefined) return creation(scene, ec, operator);
  const running = runningTag(set, scene.names);
  if (running === undefined) return [];
  rememberModules(scene, ec, set);
  const wanted = wantedTag(scene, ec, operator) ?? running;
  const managed: Managed = { scene, ec, operator, set, running, wanted };
  const pinned = pinnedBecause(ec, scene);
  if (pinned !== undefined && stateOf(scene, ec) !== states.upgrade)
    return invalid(managed, pinned);
  if (wanted !== running) return upgrade(managed);
  return [...nodes(managed), ...restart(managed), ...arrival(managed)];
}

/** By itself the operator wants its own cluster release, otherwise what the spec says. */
function wantedTag(scene: Scene, ec: KubeObject, operator: string): string | undefined {
  const release = releaseOf(scene.releases, operator);
  const asked = text(at(ec, scene.names.ecFields.versionTag));
  if (!isAutomatic(ec, scene) || release === undefined) return asked;
  return isSameRelease(asked, release) ? asked : release;
}

function creation(scene: Scene, ec: KubeObject, operator: string): readonly Act[] {
  const tag = wantedTag(scene, ec, operator) ?? releaseOf(scene.releases, operator);
  if (tag === undefined) return [];
  const made = statefulSetOf(ec, tag, scene.names);
  const options = { fieldManager: scene.names.operator.deployment };
  return [deed(scene, ec, { does: "create", run: ({ cluster }) => cluster.create(made, options) })];
}

/** Nodes are added and taken away with the EC's number of them. */
function nodes(managed: Managed): readonly Act[] {
  const { scene, ec, set } = managed;
  const replicas = numberAt(set, ["spec", "replicas"], 1);
  const wanted = numberAt(ec, scene.names.ecFields.nodes, replicas);
  if (wanted === replicas || stateOf(scene, ec) !== states.running) return [];
  const run: Act["run"] = ({ cluster }) =>
    writeFields(cluster, setTarget(managed), { spec: { replicas: wanted } });
  return [deed(scene, ec, { does: `nodes ${wanted}`, run })];
}

/** A StatefulSet that the play has not made tells nothing of modules: those of the first look count. */
function rememberModules(scene: Scene, ec: KubeObject, set: KubeObject): void {
  const { names, seen } = scene;
  const key = `modules ${ec.metadata.uid ?? ""}`;
  if (!seen.has(key)) seen.set(key, appliedModules(set, names) ?? modulesHash(ec, names));
}

/** The pods are made with other modules or another image spec than the EC has. */
function isOutdated({ scene, ec, set, running }: Managed): boolean {
  const { names, seen } = scene;
  if (hasOtherImage(set, ec, { names, tag: running })) return true;
  const applied = appliedModules(set, names) ?? seen.get(`modules ${ec.metadata.uid ?? ""}`);
  return applied !== modulesHash(ec, names);
}

/** An edit of the modules, of the repository or of the pull policy restarts the pods, one by one (S48, S49, S55). */
function restart(managed: Managed): readonly Act[] {
  const { scene, ec, operator } = managed;
  if (!isOutdated(managed)) return [];
  const state = stateOf(scene, ec);
  const tells = isAtLeast(operator, tellsRolling) && scene.misbehave.lyingStatus !== true;
  if (tells && state === states.running) return [become(managed, states.rolling)];
  if (tells && state !== states.rolling) return [];
  const log = line(ec, "restarting the pods for a change of the modules or the image");
  return [roll(managed, { does: `restart ${ec.metadata.generation ?? 0}`, log })];
}

/** What was rolled has arrived: Running, with what the release brings. */
function arrival(managed: Managed): readonly Act[] {
  const { scene, ec, set, running } = managed;
  if (!isRolled(set, scene.pods) || scene.misbehave.endlessUpgrade === true) return [];
  const state = stateOf(scene, ec);
  if (state === states.rolling && isOutdated(managed)) return [];
  const lied = scene.misbehave.lyingStatus === true && !tellsRelease(managed);
  if (state === states.running && !lied) return [];
  const log = line(ec, `the cluster runs ${running}`);
  return [become(managed, states.running, { log, status: releaseStatus(managed) })];
}
