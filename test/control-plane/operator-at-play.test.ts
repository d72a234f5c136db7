/** The operator at play on the real API server: what no controller does there, it does. */
import { connect } from "../../plugin/adapters/kubernetes/connect";
import { kinds } from "../../plugin/domain/kinds";
import { defaultNames as names } from "../../plugin/domain/names";
import type { KubeObject } from "../../plugin/domain/objects";
import { getPath, asArray, getOwn } from "../../plugin/domain/values";
import type { PlayOptions } from "../../plugin/rehearsal/operator/play";
import { played, productKinds } from "../../plugin/rehearsal/operator/snapshot";
import type { Cluster, Resource } from "../../plugin/run/ports";
import { type ControlPlane, startControlPlane } from "./control-plane";
import { startPlay } from "./played-operator";
import { seedScene } from "./scene";
import { until } from "./until";

const namespace = "engine";
const product = productKinds(names);

/** Short ones: the test waits for facts, not for times. */

let controlPlane: ControlPlane;
let cluster: Cluster;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  await seedScene(controlPlane.api);
  cluster = await connect({ kubeconfig: controlPlane.kubeconfig, namespace }, {});
});

afterAll(async () => {
  cluster.close();
  await controlPlane.stop();
});

/** Plays until the returned function is called. */
function play(options: Partial<PlayOptions> = {}): () => Promise<void> {
  return startPlay({ cluster, namespace, ...options });
}

function read(resource: Resource, name: string): Promise<KubeObject | undefined> {
  return cluster.get({ resource, name, namespace });
}

async function seen(
  resource: Resource,
  name: string,
  wanted: (object: KubeObject) => boolean,
): Promise<KubeObject> {
  return until(`${name} to be up to date`, async () => {
    const object = await read(resource, name);
    return object !== undefined && wanted(object) ? object : undefined;
  });
}

/** What is seen of an object from now on, each fact once. */
function facts(
  resource: Resource,
  factOf: (object: KubeObject, type: string) => string | undefined,
): { readonly seen: string[]; readonly end: () => Promise<void> } {
  const seen: string[] = [];
  const ending = new AbortController();
  const watching = (async () => {
    const events = cluster.watch(resource, { namespace, signal: ending.signal });
    for await (const event of events) {
      if (event.type === "BOOKMARK") continue;
      const fact = factOf(event.object, event.type);
      if (fact !== undefined && seen.at(-1) !== fact) seen.push(fact);
    }
  })();
  return {
    seen,
    end: async () => {
      ending.abort();
      await watching;
    },
  };
}

const operator = names.operator.deployment;

function isUp(deployment: KubeObject): boolean {
  const { generation } = deployment.metadata;
  const status = deployment["status"];
  return (
    getOwn(status, "observedGeneration") === generation &&
    getOwn(status, "availableReplicas") === 1 &&
    getOwn(status, "updatedReplicas") === 1
  );
}

async function setImages(version: string): Promise<void> {
  const image = `${names.images.operator}:${version}`;
  const containers = [names.operator.container, names.operator.admissionContainer].map((name) => ({
    name,
    image,
  }));
  const body = { spec: { template: { spec: { containers } } } };
  const ref = { resource: kinds.deployment, name: operator, namespace };
  await cluster.patch(ref, body, { type: "strategic" });
}

const stateOf = (ec: KubeObject): string => String(getPath(ec, names.ecFields.state));

test("what is missing behind a Deployment and an EC is made, and both come to rest", async () => {
  const end = play();
  await seen(kinds.deployment, operator, isUp);
  const set = await seen(played.statefulSet, "ec", (object) => {
    return getPath(object, ["status", "readyReplicas"]) === 3;
  });
  await end();
  expect(getPath(set, ["status", "updateRevision"])).toBe(
    getPath(set, ["status", "currentRevision"]),
  );
});

test("a new image takes the webhook's endpoints away until the new pod is ready", async () => {
  const end = play();
  const endpoints = facts(kinds.endpointSlice, (slice) => {
    const ready = asArray(slice["endpoints"]).map((one) =>
      String(getPath(one, ["conditions", "ready"])),
    );
    return `${slice.metadata.name ?? ""} ${ready.join()}`;
  });
  await until("the watch", () => endpoints.seen[0]);
  await setImages("8.2.0-13");
  await seen(kinds.deployment, operator, isUp);
  await until("the endpoints", () => (endpoints.seen.length >= 4 ? true : undefined));
  await endpoints.end();
  await end();
  expect(endpoints.seen).toEqual([
    "admission-1 true",
    "admission-1 ",
    "admission-1 false",
    "admission-1 true",
  ]);
});

test("an EC is upgraded pod by pod in reverse order, also by a play that continues where one was ended", async () => {
  const first = play();
  const states = facts(product.ec, stateOf);
  const deleted = facts(played.pod, ({ metadata }, type) =>
    type === "DELETED" ? metadata.name : undefined,
  );
  await until("the watch", () => states.seen[0]);
  const ref = { resource: product.ec, name: "ec", namespace };
  const spec = { engineEnterpriseImageSpec: { versionTag: "8.2.0-46.13" } };
  await cluster.patch(ref, { spec }, { type: "merge" });
  await until("the first pod to go", () => deleted.seen[0]);
  await first();
  const second = play();
  await until("Upgrade to end", () => (states.seen.length >= 3 ? true : undefined));
  await Promise.all([states.end(), deleted.end(), second()]);
  expect(states.seen).toEqual(["Running", "Upgrade", "Running"]);
  expect(deleted.seen).toEqual(["ec-2", "ec-1", "ec-0"]);
  const pods = (await cluster.list(played.pod, { namespace })) ?? [];
  const images = pods
    .filter(({ metadata }) => metadata.name?.startsWith("ec-"))
    .map((pod) => getOwn(asArray(getPath(pod, ["spec", "containers"]))[0], "image"));
  expect(images).toEqual(Array.from({ length: 3 }, () => `${names.images.cluster}:8.2.0-46.13`));
});

test("a database reaches its new version by way of a pending change", async () => {
  const end = play();
  const states = facts(product.edb, (edb) =>
    edb.metadata.name === "sessions" ? String(getPath(edb, names.edbFields.status)) : undefined,
  );
  await until("the watch", () => states.seen[0]);
  const ref = { resource: product.edb, name: "sessions", namespace };
  await cluster.patch(ref, { spec: { engineVersion: "7.4" } }, { type: "merge" });
  const raised = await seen(product.edb, "sessions", (edb) => {
    return getPath(edb, names.fields.statusVersion) === "7.4.0";
  });
  // the watch may tell it later than a read does
  await until("the pending change to end", () => states.seen.length >= 3 || undefined);
  await Promise.all([states.end(), end()]);
  expect(states.seen).toEqual(["active", "active-change-pending", "active"]);
  expect(getPath(raised, names.edbFields.observedGeneration)).toBe(raised.metadata.generation);
});

test("a hook Job ends well, and the definitions that it mounts are there", async () => {
  const end = play();
  const group = "hooked.example";
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind: "Thing", plural: "things" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object" } },
        },
      ],
    },
  };
  await cluster.create({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "crds", namespace },
    data: { "things.yaml": JSON.stringify(definition) },
  });
  await cluster.create({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "crds", namespace, annotations: { "helm.sh/hook": "pre-upgrade" } },
    spec: {
      template: {
        spec: {
          restartPolicy: "Never",
          containers: [{ name: "apply", image: "apply:1" }],
          volumes: [{ name: "crds", configMap: { name: "crds" } }],
        },
      },
    },
  });
  const job = await seen(
    played.job,
    "crds",
    (object) => getOwn(object["status"], "succeeded") === 1,
  );
  await end();
  const types = asArray(getPath(job, ["status", "conditions"])).map((one) => getOwn(one, "type"));
  expect(types).toContain("Complete");
  expect(await cluster.serves(group, "v1")).toBeDefined();
});

test("a play whose API server refuses the new pod says why in the Deployment", async () => {
  const end = play({ misbehave: { operatorQuota: true } });
  await setImages("8.2.0-12");
  const failing = await seen(kinds.deployment, operator, (deployment) =>
    asArray(getPath(deployment, ["status", "conditions"])).some(
      (one) => getOwn(one, "type") === "ReplicaFailure",
    ),
  );
  await end();
  const failure = asArray(getPath(failing, ["status", "conditions"])).at(-1);
  expect(getOwn(failure, "message")).toContain("exceeded quota");
});
