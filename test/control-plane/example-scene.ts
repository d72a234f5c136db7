/** The built-in example of `rehearse` on the real API server. */
import { join } from "node:path";
import { systemClock } from "../../plugin/adapters/clock";
import { connect } from "../../plugin/adapters/kubernetes/connect";
import { isObject, omit } from "../../plugin/domain/base/values";
import { defaultNames as names } from "../../plugin/domain/names/names";
import type { KubeObject } from "../../plugin/ports/kubernetes";
import { exampleSource } from "../../plugin/simulator/example";
import { type Api, type KubeObject as WrittenObject, personsManager } from "./api";
import { logToStderr } from "./binaries";
import { writeTlsFolder } from "./certificate";
import type { ControlPlane } from "./control-plane";
import { startControllers } from "./controllers";
import { startPlay, untilPodsReady } from "./played-operator";
import { type Definition, serveDefinitions } from "./scene";
import { untilCalled } from "./swap-states";
import { oldEntryName } from "./webhook-configurations";
import { startWebhook } from "./webhook-process";

/** Kinds that the controllers and the operator create by themselves. */
const createdByOthers = ["EndpointSlice", "ReplicaSet", "StatefulSet", "Pod", "Node"];

const { namespace } = names.operator;

export interface ExampleScene {
  readonly namespace: string;
  /** Ends the operator at play. */
  end(): Promise<void>;
}

/** Creates the example's objects, and waits until operator, cluster and webhook are at rest. */
export async function openExample(controlPlane: ControlPlane): Promise<ExampleScene> {
  const { api } = controlPlane;
  const { objects, pairs } = await exampleSource(names, systemClock.now());
  const created = objects.filter(({ kind }) => !createdByOthers.includes(kind));
  const pick = (wanted: string): readonly KubeObject[] =>
    created.filter(({ kind }) => kind === wanted);
  const definitions = pick("CustomResourceDefinition");
  await serveDefinitions(
    api,
    definitions.map((one) => asCreated(one) as Definition),
    (definition) => api.create(definition, managerOf(definitions[0])),
  );
  await createAll(api, pick("Namespace"));
  const plays = await playWhatLacks(controlPlane);
  const cluster = await connect({ kubeconfig: controlPlane.kubeconfig, namespace }, {});
  const endPlay = startPlay({ cluster, namespace, plays, times: {} });
  const end = async (): Promise<void> => {
    await endPlay();
    cluster.close();
  };
  try {
    const apart = ["CustomResourceDefinition", "Namespace", "ValidatingWebhookConfiguration"];
    await createAll(
      api,
      created.filter(({ kind }) => !apart.includes(kind)),
    );
    await untilPodsReady(cluster, namespace);
    await serveWebhook(controlPlane, pairs[0]);
    await createAll(api, pick("ValidatingWebhookConfiguration"));
    await untilCalled(api, { namespace }, { entry: oldEntryName });
    return { namespace, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Kubernetes' own controllers do their part where Go has built them; else all of it is played. */
async function playWhatLacks(controlPlane: ControlPlane): Promise<"operator" | "everything"> {
  try {
    await startControllers(controlPlane);
    logToStderr("controllers, scheduler and three nodes are running");
    return "operator";
  } catch (cause) {
    const because = cause instanceof Error ? cause.message : String(cause);
    logToStderr(`pods are played, since there are no controllers: ${because}`);
    return "everything";
  }
}

async function serveWebhook(
  controlPlane: ControlPlane,
  pair: { readonly cert: string; readonly key: string } | undefined,
): Promise<void> {
  if (pair === undefined) throw new Error("the example has no certificate of the webhook");
  const tlsDir = join(controlPlane.site.dataDir, "tls-example");
  writeTlsFolder(tlsDir, { cert: pair.cert, privateKey: pair.key });
  await startWebhook({ controlPlane, namespace, tlsDir });
}

/** One after the other, since a database needs its cluster; a status is written as a controller would. */
async function createAll(api: Api, objects: readonly KubeObject[]): Promise<void> {
  for (const object of objects) {
    const written = asCreated(object);
    const { status } = object;
    await api.create(written, managerOf(object));
    const isProduct = object.apiVersion.startsWith(`${names.group}/`);
    if (isProduct && isObject(status)) await api.writeStatus(written, status);
  }
}

/** Without what the API server sets, a Service's address included. */
function asCreated(object: KubeObject): WrittenObject {
  const { name, namespace: home, labels, annotations } = object.metadata;
  const { spec } = object;
  return {
    ...omit(object, "status"),
    spec:
      isObject(spec) && object.kind === "Service" ? omit(spec, "clusterIP", "clusterIPs") : spec,
    metadata: { name, namespace: home, labels, annotations },
  } as WrittenObject;
}

function managerOf(object: KubeObject | undefined): string {
  const [entry] = (object?.metadata.managedFields ?? []) as readonly { readonly manager: string }[];
  return entry?.manager ?? personsManager;
}
