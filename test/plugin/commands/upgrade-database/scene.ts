/** Databases of the example in memory, with an operator at play, and what is sent on the way. */
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { RequestWish } from "../../../../plugin/domain/database/bdb";
import { getPath, withValue } from "../../../../plugin/domain/base/values";
import type { MemoryControlPlane } from "../../../../plugin/simulator/api-server/control-plane";
import type { User } from "../../../../plugin/simulator/model";
import type { Misbehavior } from "../../../../plugin/simulator/operator/snapshot";
import { PlayedClock, playOperator } from "../../../../plugin/simulator/operator/controller";
import { VirtualClock } from "../../../../plugin/ports/virtual-clock";
import type { ClusterApi } from "../../../../plugin/ports/rest-api";
import type {
  UpgradeDatabaseDeps,
  UpgradeDatabaseOptions,
} from "../../../../plugin/commands/upgrade-database/read";
import { databasesPart } from "../../../../plugin/commands/upgrade-database/part";
import type { Planned } from "../../../../plugin/kernel/part";
import { runPart } from "../../../../plugin/kernel/run-part";
import { overlayWorld, type Projection, unchanged } from "../../../../plugin/kernel/projection";
import type { AskingPorts } from "../../../../plugin/kernel/world";
import type { Clock, KubeClient, KubeObject } from "../../../../plugin/ports/kubernetes";
import type { Report } from "../../../../plugin/kernel/report";
import { testTime } from "../../../support/manual-clock";
import { aPlayedWorld, here, product } from "../../../support/played-operator";
import { admin, exampleOnce } from "../../../support/world";
import { anyWish, aWitness, codesOf as readCodes, portsOf, type Witness, watched } from "../world";

export { anyWish, stepsOf, waits } from "../world";

/** Without what is told before every upgrade. */
export const codesOf = (report: Report): readonly string[] =>
  readCodes(report).filter((code) => code !== "DATABASE-BACKUP");

export const namespace = "engine";
export const ecRef = here(product.ec, "ec");
export const edbLabel = (name: string, place = "shop"): string =>
  `EngineEnterpriseDatabase/${place}/${name}`;
export const patchLine = (name: string, place = "shop"): string =>
  `patch EngineEnterpriseDatabase ${place}/${name}`;

export interface Scene extends Witness {
  readonly controlPlane: MemoryControlPlane;
  readonly cluster: KubeClient;
  readonly clock: Clock;
  run(options?: RunWish, deps?: Partial<UpgradeDatabaseDeps & AskingPorts>): Promise<Report>;
  /** The part planned over what earlier parts leave behind. */
  plan(options?: RunWish, after?: Projection): Promise<Planned>;
  /** The database as it is stored. */
  edb(name: string, place?: string): Promise<KubeObject | undefined>;
  /** Changes it as someone else would. */
  edit(name: string, body: object, place?: string): Promise<KubeObject>;
}

/** What one run is told. */
export interface RunWish extends Partial<UpgradeDatabaseOptions> {
  readonly dryRun?: "none" | "client" | "server";
}

export interface SceneWish {
  readonly user?: User;
  readonly objects?: (all: readonly KubeObject[]) => readonly KubeObject[];
  readonly misbehave?: Misbehavior;
  /** Instead of the played operator's. */
  readonly clock?: (controlPlane: MemoryControlPlane, inner: VirtualClock) => Clock;
}

const times = { reactMs: 500, databaseMs: 3_000 };

/** The example after its EC's upgrade: what the operator's release brings is there. */
export async function upgradedExample(): Promise<readonly KubeObject[]> {
  const source = await exampleOnce();
  const text = JSON.stringify(source.objects)
    .replaceAll(`${names.images.operator}:7.8.2-6`, `${names.images.operator}:8.0.2-2`)
    .replaceAll('"versionTag":"7.8.2-34"', '"versionTag":"8.0.2-17"')
    .replaceAll(
      '{"dbType":"engine","version":"7.4"}',
      ["7.4", "8.0", "8.2"]
        .map((version) => JSON.stringify({ dbType: "engine", version }))
        .join(","),
    );
  return (JSON.parse(text) as readonly KubeObject[]).map(replicated);
}

/** A database as it is, with replicas: without them its data is at risk. */
function replicated(object: KubeObject): KubeObject {
  const { edb, eaadb, fields } = names;
  const places = new Map<unknown, readonly string[]>([
    [edb.kind, ["spec", "replication"]],
    [eaadb.kind, [...fields.globalConfigurations, "replication"]],
  ]);
  const at = places.get(object.kind);
  return at === undefined ? object : (withValue(object, at, true) as KubeObject);
}

/** Made once: whoever changes nothing of it begins with a copy. */
let settled: Promise<MemoryControlPlane> | undefined;

async function atRest(
  change: (all: readonly KubeObject[]) => readonly KubeObject[],
): Promise<MemoryControlPlane> {
  const world = await aPlayedWorld({ objects: change(await upgradedExample()), times });
  await world.settle();
  return world.controlPlane;
}

function same(all: readonly KubeObject[]): readonly KubeObject[] {
  return all;
}

export async function aScene({ user = admin, objects, ...wish }: SceneWish = {}): Promise<Scene> {
  const base = await (objects === undefined ? (settled ??= atRest(same)) : atRest(objects));
  const inner = new VirtualClock(testTime + 3_600_000);
  const controlPlane = base.fork(inner);
  const cluster = controlPlane.connect({ user: admin, namespace });
  const { misbehave = {} } = wish;
  const play = playOperator({ cluster, clock: inner, names, namespace, times, misbehave });
  const clock = wish.clock?.(controlPlane, inner) ?? new PlayedClock(inner, play);
  const scene: Scene = {
    controlPlane,
    cluster,
    clock,
    ...aWitness(),
    edb: (name, place = "shop") => cluster.get(here(product.edb, name, place)),
    edit: (name, body, place = "shop") =>
      cluster.patch(here(product.edb, name, place), body, {
        type: "merge",
        fieldManager: "kubectl-edit",
      }),
    run: async ({ dryRun = "none", ...options } = {}, { participants = [], ...deps } = {}) => {
      const { api = noApi, typed = () => Promise.resolve(undefined), ...own } = deps;
      const ports = { ...portsIn(scene, user), ...own };
      const { limitMs = Infinity, ...wish } = wished({ ...usual, ...options });
      const beside = { participants, api, typed, command: ports.command };
      const limit = limitMs === Infinity ? {} : { limitMs };
      const part = databasesPart({ ...wish, ...limit, ...beside });
      return await runPart(ports, part, { dryRun, limitMs });
    },
    plan: async ({ dryRun = "server", ...options } = {}, after = unchanged) => {
      const ports = portsIn(scene, user);
      const world = { ...ports, dryRun, waits: false, tell: ports.recorder.once() };
      const typed = () => Promise.resolve(undefined);
      const beside = { participants: [], api: noApi, typed, command: ports.command };
      const before = controlPlane.state;
      const part = databasesPart({ ...wished({ ...usual, ...options }), ...beside });
      const planned = await part.plan(overlayWorld(world, after));
      expect(controlPlane.state).toBe(before);
      return planned;
    },
  };
  return scene;
}

function portsIn(scene: Scene, user: User): AskingPorts {
  const { clock, controlPlane } = scene;
  const cluster = watched(controlPlane.connect({ user, namespace }), scene);
  return portsOf(scene, { kind: "UpgradeDatabase", cluster, clock, file: () => "edb.json" });
}

/** An empty version is none: the REST API is to choose. */
function wished({ version, ...rest }: UpgradeDatabaseOptions): UpgradeDatabaseOptions {
  return { ...rest, ...(version !== undefined && version !== "" && { version }) };
}

const usual: UpgradeDatabaseOptions = {
  namespace,
  databases: ["shop/sessions"],
  everywhere: false,
  version: "8.0",
  via: "resource",
  request: {} satisfies RequestWish,
  confirmed: [],
  takeFields: [],
  skip: [],
  concurrency: 4,
  stallAfterMs: 60_000,
  wait: false,
  fieldManager: names.fieldManager,
};

const noApi = {
  unread: anyWish,
  permissions: () => [],
  connect: () => Promise.reject<ClusterApi>(new Error("no REST API here")),
};

/** What became of each database. */
export function databasesOf({ details }: Report): readonly { object: string; result: string }[] {
  return (getPath(details, ["databases"]) ?? []) as readonly { object: string; result: string }[];
}
