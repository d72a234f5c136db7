/** The REST service and the operator at play on the real API server: in line both ways. */
import { connect } from "../../plugin/adapters/kubernetes/connect";
import { kinds } from "../../plugin/domain/kinds";
import { defaultNames as names } from "../../plugin/domain/names";
import type { KubeObject } from "../../plugin/domain/objects";
import { getPath } from "../../plugin/domain/values";
import { productKinds } from "../../plugin/rehearsal/operator/snapshot";
import type { Cluster } from "../../plugin/run/ports";
import { type ControlPlane, startControlPlane } from "./control-plane";
import { seedScene } from "./scene";
import { until } from "./until";
import { EdbBridge } from "../../plugin/rehearsal/cluster-api/bridge";
import { playOperator, type PlayOptions } from "../../plugin/rehearsal/operator/play";
import { systemClock } from "../../plugin/adapters/clock";
import {
  aClusterApi,
  type ClusterApiForTest,
  type PlayedWish,
} from "../support/played-cluster-api";
import { shortTimes } from "./played-operator";

const namespace = "engine";
const product = productKinds(names);
const sessions = { resource: product.edb, name: "sessions", namespace };
const ec = { resource: product.ec, name: "ec", namespace };

let controlPlane: ControlPlane;
let cluster: Cluster;
let both: PlayedBoth;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  const databases = [
    { name: "orders", version: "7.2", modules: ["search"] },
    { name: "sessions", version: "6.2" },
  ];
  await seedScene(controlPlane.api, { databases });
  cluster = await connect({ kubeconfig: controlPlane.kubeconfig, namespace }, {});
  both = await playServed(controlPlane, { namespace });
  await until("the databases", () => both.api.store.bdbs.get(2));
});

afterAll(async () => {
  await both.end();
  cluster.close();
  await controlPlane.stop();
});

async function seen(
  ref: typeof sessions,
  wanted: (object: KubeObject) => boolean,
): Promise<KubeObject> {
  return until(`${ref.name} to be up to date`, async () => {
    const object = await cluster.get(ref);
    return object !== undefined && wanted(object) ? object : undefined;
  });
}

const versionOf = (edb: KubeObject): unknown => getPath(edb, names.fields.statusVersion);
const stateOf = (object: KubeObject): unknown => getPath(object, names.ecFields.state);

test("an edit of an EDB is an upgrade of its database, whose action the EDB tells", async () => {
  const orders = { ...sessions, name: "orders" };
  await cluster.patch(orders, { spec: { engineVersion: "7.4" } }, { type: "merge" });
  const raised = await seen(orders, (edb) => versionOf(edb) === "7.4.0");
  expect(both.api.store.bdbs.get(1)).toMatchObject({ version: "7.4.0", status: "active" });
  const action = String(getPath(raised, names.edbFields.lastActionUid));
  expect(await both.api.call(`/v1/actions/${action}`)).toMatchObject({
    body: { status: "completed", object_name: "bdb:1" },
  });
});

test("S100: an upgrade of the cluster that is frozen by an old database continues when that was raised over REST", async () => {
  const image = `${names.images.operator}:8.2.0-13`;
  const containers = [names.operator.container, names.operator.admissionContainer].map((name) => ({
    name,
    image,
  }));
  await cluster.patch(
    { resource: kinds.deployment, name: names.operator.deployment, namespace },
    { spec: { template: { spec: { containers } } } },
    { type: "strategic" },
  );
  const spec = { engineEnterpriseImageSpec: { versionTag: "8.2.0-46.13" } };
  await cluster.patch(ec, { spec }, { type: "merge" });
  await until("the freeze", () => both.log.find((line) => line.includes("incompatible version")));
  expect(stateOf(await seen(ec, () => true))).toBe("Upgrade");
  const body = { engine_version: "7.4", may_discard_data: true };
  expect(await both.api.call("/v1/bdbs/2/upgrade", { body })).toMatchObject({ status: 200 });
  await seen(ec, (object) => stateOf(object) === "Running");
  const raised = await seen(sessions, (edb) => versionOf(edb) === "7.4.0");
  expect(getPath(raised, names.fields.engineVersion)).toBe("6.2");
});

/** Of the service's work: a test waits for facts, not for times. */
const workTimes = { queuedMs: 20, batchMs: 50, failoverMs: 20, finishMs: 20, installMs: 20 };

/** What may differ. */
export interface ServedPlay {
  readonly namespace: string;
  readonly api?: Omit<PlayedWish, "clock" | "store" | "bdbs">;
  readonly play?: Partial<PlayOptions>;
}

/** Both, until they are ended. */
export interface PlayedBoth {
  readonly api: ClusterApiForTest;
  /** The operator's log so far. */
  readonly log: readonly string[];
  readonly end: () => Promise<void>;
}

/** Plays both; a database is there for every EDB once the operator has looked. */
export async function playServed(
  { kubeconfig }: ControlPlane,
  { namespace, api: wish, play }: ServedPlay,
): Promise<PlayedBoth> {
  const cluster = await connect({ kubeconfig, namespace }, {});
  const api = await aClusterApi({ times: workTimes, ...wish, clock: systemClock, bdbs: [] });
  const { store, works, profile } = api;
  const ending = new AbortController();
  const operator = playOperator({
    ...{ cluster, clock: systemClock, names, namespace, times: shortTimes, pollMs: 100 },
    ...{
      endpoints: ["192.0.2.10"],
      rest: new EdbBridge({ store, works, names, profile }),
      ...play,
    },
  });
  const running = operator.run(ending.signal);
  return {
    api,
    log: operator.log,
    end: async () => {
      ending.abort();
      await running;
      cluster.close();
      await api.close();
    },
  };
}
