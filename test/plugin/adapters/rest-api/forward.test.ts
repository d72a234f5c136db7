/** The REST API by a port of a pod, against a stand-in of API server and kubelet. */
import { connect as connectKube } from "../../../../plugin/adapters/kubernetes/connect";
import type { KubeClient } from "../../../../plugin/ports/kubernetes";
import { anApiClient, anApiSecret } from "../../../support/cluster-api-client";
import { ManualClock } from "../../../support/manual-clock";
import {
  aClusterApi,
  aModuleArchive,
  type ClusterApiForTest,
  type PlayedWish,
  testCluster,
} from "../../../support/played-cluster-api";
import {
  type ForwardAnswer,
  type ForwardAsked,
  type PodForwardServer,
  startPodForward,
} from "../../../support/pod-forward";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const { signal } = new AbortController();

interface Pods {
  readonly played: ClusterApiForTest;
  readonly server: PodForwardServer;
  readonly cluster: KubeClient;
}

type Decide = (asked: ForwardAsked, played: ClusterApiForTest) => ForwardAnswer;

const toPlayed: Decide = (_asked, played) => ({ to: played.port });

async function pods(
  decide: Decide = toPlayed,
  kube: object = {},
  wish: PlayedWish = {},
): Promise<Pods> {
  const played = await aClusterApi({ clock: new ManualClock(), ...wish });
  open.push(played);
  const server = await startPodForward((asked) => decide(asked, played));
  open.push(server);
  const cluster = await connectKube({ server: server.url, namespace: "engine", ...kube }, {});
  open.push(cluster);
  const secret = anApiSecret(played.admin.name, played.admin.password);
  // the stand-in forwards and knows no objects
  cluster.get = () => Promise.resolve(secret);
  return { played, server, cluster };
}

async function clientOf({ played, cluster }: Pods, requestTimeoutMs?: number) {
  const api = await anApiClient({
    cluster,
    caPem: played.caPem,
    clock: new ManualClock(),
    ...(requestTimeoutMs !== undefined && { requestTimeoutMs }),
  });
  open.push(api);
  return api;
}

const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => Promise.reject(new Error("it went well")),
    (error: unknown) => error as Error,
  );

test("the first pod's port is asked for, in the kubelet's protocol, as the user", async () => {
  const scene = await pods(toPlayed, { token: "t0ken", as: "jane", asGroup: ["admins"] });
  const api = await clientOf(scene);
  expect(await api.databases(signal)).toHaveLength(1);
  const [asked] = scene.server.asked;
  expect(asked).toMatchObject({
    path: "/api/v1/namespaces/engine/pods/ec-0/portforward",
    ports: ["9443"],
    protocol: "v4.channel.k8s.io",
  });
  expect(asked?.headers).toMatchObject({
    authorization: "Bearer t0ken",
    "impersonate-user": "jane",
    "impersonate-group": "admins",
  });
});

test("the Host header and the name in the certificate are the cluster's, not localhost's", async () => {
  const scene = await pods();
  await (await clientOf(scene)).databases(signal);
  expect(scene.played.calls.map(({ host }) => host)).toEqual([testCluster]);
});

test("reads share a connection, each write has its own", async () => {
  const scene = await pods();
  const api = await clientOf(scene);
  await api.databases(signal);
  await api.modules(signal);
  expect(scene.server.asked).toHaveLength(1);
  await api.upgrade(1, {}, signal);
  expect(scene.server.asked.length).toBeGreaterThan(1);
});

test("the newer calls give a module's file to every node", async () => {
  const scene = await pods(toPlayed, {}, { profile: "8.0" });
  const api = await clientOf(scene);
  const bytes = aModuleArchive({ module_name: "rg", semantic_version: "1.2.5" });
  const upload = await api.installModule({ name: "rg.zip", bytes }, { signal });
  expect(upload.nodes?.given).toBe(3);
  const hosts = scene.played.calls.filter(({ path }) => path.includes("artifacts"));
  expect(hosts.map(({ host }) => host)).toEqual([
    "ec-0.ec.engine.svc",
    "ec-1.ec.engine.svc",
    "ec-2.ec.engine.svc",
  ]);
  const pod = scene.server.asked.map(({ path }) => path.split("/")[6]);
  expect([...new Set(pod)]).toEqual(["ec-0", "ec-1", "ec-2"]);
});

test("while a pod cannot be reached the next one is asked", async () => {
  const scene = await pods(({ path }, played) =>
    path.includes("/ec-2/") ? { to: played.port } : { status: 500, message: "no such container" },
  );
  const api = await clientOf(scene);
  expect(await api.databases(signal)).toHaveLength(1);
  const names = scene.server.asked.map(({ path }) => path.split("/")[6]);
  expect([...new Set(names)]).toEqual(["ec-0", "ec-1", "ec-2"]);
});

test("a first pod that is away for good is not asked at every call", async () => {
  const scene = await pods(({ path }, played) =>
    path.includes("/ec-0/") ? { status: 404, message: "not found" } : { to: played.port },
  );
  const api = await clientOf(scene);
  await api.databases(signal);
  await api.upgrade(1, {}, signal);
  expect(scene.server.asked.filter(({ path }) => path.includes("/ec-0/"))).toHaveLength(1);
});

test("where no pod can be reached it is told of the first", async () => {
  const scene = await pods(({ path }) => ({
    status: 404,
    message: `pods "${path.split("/")[6] ?? ""}" not found`,
  }));
  const error = await failureOf((await clientOf(scene)).databases(signal));
  expect(error).toMatchObject({ exitCode: 69 });
  expect(error.message).toMatch(/^cannot reach the cluster's REST API .*: pods "ec-0" not found$/);
});

test("who may not forward is told so, and no other pod is tried", async () => {
  const scene = await pods(() => ({
    status: 403,
    reason: "Forbidden",
    message: "jane cannot create resource pods/portforward",
  }));
  const error = await failureOf((await clientOf(scene)).databases(signal));
  expect(error).toMatchObject({ exitCode: 4 });
  expect(error.message).toContain("pods/portforward");
  expect(scene.server.asked).toHaveLength(1);
});

test.each<"hang" | "cut">(["hang", "cut"])(
  "an API server that %ss ends with 69",
  async (instead) => {
    const scene = await pods(() => ({ instead }));
    const error = await failureOf((await clientOf(scene, 100)).databases(signal));
    expect(error).toMatchObject({ exitCode: 69 });
  },
);

test("an abort ends a forward that does not come to stand", async () => {
  const scene = await pods(() => ({ instead: "hang" }));
  if (scene.cluster.forward === undefined) throw new Error("it forwards nothing");
  const stop = new AbortController();
  const resource = { group: "", version: "v1", plural: "pods", kind: "Pod" };
  const work = scene.cluster.forward(
    { pod: { resource, name: "ec-0", namespace: "engine" }, port: 9443 },
    stop.signal,
  );
  stop.abort(new Error("stopped"));
  await expect(work).rejects.toThrow("stopped");
});

test("a forward that breaks is recreated for the next read", async () => {
  const scene = await pods();
  const api = await clientOf(scene);
  await api.databases(signal);
  scene.server.cut();
  expect(await api.databases(signal)).toHaveLength(1);
});

test("words of the kubelet reach the person", async () => {
  const scene = await pods(() => ({ error: "connection refused inside the pod" }));
  const error = await failureOf((await clientOf(scene)).databases(signal));
  expect(error).toMatchObject({ exitCode: 69 });
  expect(error.message).toContain("connection refused inside the pod");
});

test("an upload of some MiB gets through whole", async () => {
  const scene = await pods();
  const api = await clientOf(scene);
  const noise = Buffer.alloc(3_000_000, "0123456789abcdef").toString("latin1");
  const manifest = { module_name: "rg", semantic_version: "1.2.5" };
  const bytes = aModuleArchive({ ...manifest, description: noise.slice(0, 900_000) });
  const upload = await api.installModule({ name: "rg.zip", bytes }, { signal });
  expect(upload.module?.name).toBe("rg");
});
