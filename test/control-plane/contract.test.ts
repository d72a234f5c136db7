/** Every behavior of the contract on the real API server, and that memory behaves the same. */
import { groups } from "../contract/cases/all";
import { openMemoryWorld } from "../contract/memory-world";
import { seenIn } from "../contract/seen";
import { type ControlPlane, startControlPlane } from "./control-plane";
import { applyCrds } from "./scene";
import { connect } from "../../plugin/adapters/kubernetes/connect";
import type { ConnectionFlags } from "../../plugin/adapters/kubernetes/target";
import { getPath, isObject, asString } from "../../plugin/domain/base/values";
import type { KubeClient, KubeObject } from "../../plugin/ports/kubernetes";
import { admissionService, kinds, refTo } from "../contract/objects";
import { type RunningWebhook, startWebhook } from "../contract/webhook";
import type { ShortWorld } from "../contract/world";
import { until } from "./until";

let controlPlane: ControlPlane;
let opened = 0;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  await applyCrds(controlPlane.api);
});

afterAll(async () => {
  await controlPlane.stop();
});

describe.each(groups)("$about", ({ cases }) => {
  test.each(cases)("$says", async ({ act, sees, limit }) => {
    opened += 1;
    const namespace = `contract-${String(opened).padStart(4, "0")}`;
    const real = await seenIn(await openRealWorld(controlPlane, namespace), act);
    expect(real).toEqual(sees);
    if (limit !== undefined) return;
    expect(await seenIn(await openMemoryWorld(namespace), act)).toEqual(real);
  });
});

/** A namespace on the real API server, reached through the adapter that the plugin uses. */
export async function openRealWorld(
  controlPlane: ControlPlane,
  namespace: string,
): Promise<ShortWorld> {
  const connections: KubeClient[] = [];
  const webhooks: RunningWebhook[] = [];
  const connected = async (flags: ConnectionFlags): Promise<KubeClient> => {
    const { kubeconfig } = controlPlane;
    const connection = await connect({ kubeconfig, namespace, ...flags }, {});
    connections.push(connection);
    return connection;
  };
  const cluster = await connected({});
  await cluster.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const setStatus = async (object: KubeObject, status: object): Promise<void> => {
    const { name = "", ...rest } = object.metadata;
    await controlPlane.api.writeStatus({ ...object, metadata: { name, ...rest } }, status);
  };
  return {
    namespace,
    cluster,
    as: (user, groups = []) => connected({ as: user, asGroup: groups }),
    seed: async (...objects) => {
      for (const object of objects) {
        await cluster.create(object, { fieldManager: "seed" });
        if (isObject(object["status"])) await setStatus(object, object["status"]);
      }
    },
    setStatus,
    serve: async ({ port = 443, ...webhook }) => {
      const service = await cluster.create(admissionService(namespace, port));
      const host = asString(getPath(service, ["spec", "clusterIP"])) ?? "";
      webhooks.push(await startWebhook({ host, port }, webhook));
    },
    settle: async (ready) => {
      const act = async (): Promise<true | undefined> => (await ready()) || undefined;
      await until("the server to act upon what was written", act, { everyMs: 10 });
    },
    close: async () => {
      await removeClusterWide(cluster, namespace);
      await Promise.all(webhooks.map((webhook) => webhook.close()));
      connections.forEach((connection) => {
        connection.close();
      });
    },
  };
}

const clusterWide = [
  kinds.configurations,
  kinds.clusterBindings,
  kinds.clusterRoles,
  kinds.definitions,
];

/** What a case leaves outside its namespace would act upon the next one. */
async function removeClusterWide(cluster: KubeClient, namespace: string): Promise<void> {
  for (const resource of clusterWide) {
    const found = (await cluster.list(resource)) ?? [];
    const left = found.filter(({ metadata }) => metadata.name?.includes(namespace));
    await Promise.all(left.map((object) => cluster.delete(refTo(resource, object), {})));
  }
}
