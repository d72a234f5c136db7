/** An upgrade of the example's EC in memory, with an operator at play, and what is sent on the way. */
import type { UpgradeClusterOptions } from "../../../../plugin/commands/upgrade-cluster/read";
import { choosePatience } from "../../../../plugin/kernel/wait";
import { kinds } from "../../../../plugin/domain/kube/kinds";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { Misbehavior } from "../../../../plugin/simulator/operator/snapshot";
import type { MemoryControlPlane } from "../../../../plugin/simulator/api-server/control-plane";
import { PlayedClock, playOperator } from "../../../../plugin/simulator/operator/controller";
import { VirtualClock } from "../../../../plugin/ports/virtual-clock";
import type { User } from "../../../../plugin/simulator/model";
import { clusterPart } from "../../../../plugin/commands/upgrade-cluster/part";
import type { AskingPorts } from "../../../../plugin/kernel/world";
import { runPart } from "../../../../plugin/kernel/run-part";
import type { KubeClient, KubeObject } from "../../../../plugin/ports/kubernetes";
import type { Report } from "../../../../plugin/kernel/report";
import { testTime } from "../../../support/manual-clock";
import { aPlayedWorld, here, product } from "../../../support/played-operator";
import { admin, exampleOnce } from "../../../support/world";
import { aWitness, portsOf, type Witness, watched } from "../world";

export { codesOf, stepsOf, waits } from "../world";

export const namespace = "engine";
export const name = "ec";
export const target = "8.0.2-17";
export const ecRef = here(product.ec, name);
export const ecLabel = `EngineEnterpriseCluster/${namespace}/${name}`;
export const deploymentRef = here(kinds.deployment, names.operator.deployment);

export interface Scene extends Witness {
  readonly controlPlane: MemoryControlPlane;
  readonly cluster: KubeClient;
  readonly clock: PlayedClock;
  run(options?: Partial<UpgradeClusterOptions>, deps?: Partial<AskingPorts>): Promise<Report>;
  /** Changes the EC as someone else would. */
  patch(body: object): Promise<KubeObject>;
  ec(): Promise<KubeObject | undefined>;
}

interface SceneWish {
  readonly user?: User;
  readonly objects?: (all: readonly KubeObject[]) => readonly KubeObject[];
}

/** Short ones: fewer looks, the same facts. */
const times = {
  reactMs: 500,
  staleRunningMs: 2_500,
  podStartMs: 1_000,
  podReadyMs: 1_500,
  drainMs: 1_000,
};

let settled: Promise<MemoryControlPlane> | undefined;

/** The example at rest after the operator's upgrade: EC and pods are still of the older release. */
async function atRest(
  change: (all: readonly KubeObject[]) => readonly KubeObject[],
): Promise<MemoryControlPlane> {
  const source = await exampleOnce();
  const image = names.images.operator;
  const upgraded = JSON.parse(
    JSON.stringify(source.objects).replaceAll(`${image}:7.8.2-6`, `${image}:8.0.2-2`),
  ) as readonly KubeObject[];
  const world = await aPlayedWorld({ objects: change(upgraded), times });
  await world.settle();
  return world.controlPlane;
}

export async function aScene(
  misbehave: Misbehavior = {},
  { user = admin, objects }: SceneWish = {},
): Promise<Scene> {
  const base = await (objects === undefined ? (settled ??= atRest(same)) : atRest(objects));
  const inner = new VirtualClock(testTime + 3_600_000);
  const controlPlane = base.fork(inner);
  const cluster = controlPlane.connect({ user: admin, namespace });
  const play = playOperator({ cluster, clock: inner, names, namespace, times, misbehave });
  const clock = new PlayedClock(inner, play);
  const scene: Scene = {
    controlPlane,
    cluster,
    clock,
    ...aWitness(),
    patch: (body) => cluster.patch(ecRef, body, { type: "merge", fieldManager: "kubectl-edit" }),
    ec: () => cluster.get(ecRef),
    run: (options = {}, deps = {}) => {
      const cluster = watched(controlPlane.connect({ user, namespace }), scene);
      const given = { kind: "UpgradeCluster", cluster, clock, file: () => "ec.json" };
      const ports = { ...portsOf(scene, given), ...deps };
      const all = {
        ...{ namespace, name, target, auto: false, takeFields: [], skip: [], limited: false },
        ...{ stallAfterMs: 600_000, wait: false, dryRun: "none" as const },
        fieldManager: names.fieldManager,
        ...options,
      };
      const part = clusterPart(all, { ...all, args: [all.name] });
      return runPart(ports, part, { dryRun: all.dryRun, limitMs: choosePatience(all) });
    },
  };
  return scene;
}

function same(all: readonly KubeObject[]): readonly KubeObject[] {
  return all;
}
