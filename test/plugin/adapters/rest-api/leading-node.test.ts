/** A node that redirects to the leading one, over forwarded ports: followed to the cluster's own pods, and to nobody else. */
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { ApiError } from "../../../../plugin/domain/base/errors";
import { kinds } from "../../../../plugin/domain/kube/kinds";
import { withMethods } from "../../../../plugin/ports/delegate";
import type { KubeClient } from "../../../../plugin/ports/kubernetes";
import { anObject } from "../../../support/builders";
import { aCredentialsCluster, anApiClient } from "../../../support/cluster-api-client";
import { type HostileApi, type HostileSeen, startHostileApi } from "../../../support/hostile-api";
import { testCluster } from "../../../support/played-cluster-api";
import { aPair, type PemPair } from "../../../support/tls";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});
const { signal } = new AbortController();

let own: PemPair;
let strange: PemPair;
beforeAll(() => {
  own = aPair({ names: [testCluster], commonName: testCluster });
  strange = aPair({ names: ["node.elsewhere.example"] });
});

type Answering = (seen: HostileSeen, response: ServerResponse) => void;

const addresses: Readonly<Record<string, string>> = {
  "ec-0": "10.4.0.5",
  "ec-1": "10.4.0.7",
  "ec-2": "fd00:10:4::9",
  // not one of the three nodes
  "ec-7": "10.4.0.8",
  other: "10.4.0.9",
};

const podObjects = Object.entries(addresses).map(([name, ip]) =>
  anObject(kinds.pod, { name, namespace: "engine" }, { status: { podIP: ip, podIPs: [{ ip }] } }),
);

interface Nodes {
  /** What the first node answers. */
  readonly first: Answering;
  readonly leader?: Answering;
  readonly pair?: PemPair;
  /** How pods are listed. */
  readonly list?: KubeClient["list"];
}

/** Two servers, of which the second one leads, behind forwarded ports of pods. */
async function nodes({ first, leader = json([]), pair = own, list }: Nodes) {
  const servers: Readonly<Record<string, HostileApi>> = {
    "ec-0": await startHostileApi(own, first),
    "ec-1": await startHostileApi(pair, leader),
    "ec-2": await startHostileApi(own, leader),
  };
  open.push(...Object.values(servers));
  const credentials = aCredentialsCluster("admin", "s3cret");
  const cluster = withMethods(credentials, {
    list: list ?? (() => Promise.resolve(podObjects)),
    forward: ({ pod }) => {
      const server = servers[pod.name];
      if (server === undefined) throw new Error(`no port of ${pod.name} is forwarded here`);
      const socket = connect(server.port, "127.0.0.1");
      return Promise.resolve(socket);
    },
  });
  const api = await anApiClient({ cluster, caPem: own.certPem });
  open.push(api);
  return { api, servers, seen: (name: string) => servers[name]?.seen ?? [] };
}

const json =
  (body: unknown): Answering =>
  (_seen, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
const redirect =
  (host: string, status = 307): Answering =>
  ({ path }, response) => {
    response.writeHead(status, { location: `https://${host}${path}` }).end();
  };

const failed = { exitCode: 1 };
const unavailable = { exitCode: 69, message: expect.stringMatching(/certificate/) as unknown };

/** The bodies that were sent to be carried out. */
function writes(seen: readonly HostileSeen[]): readonly string[] {
  return seen.filter(({ method }) => method === "POST").map(({ body }) => body);
}

test.each<[string, string, string]>([
  ["by its name", `ec-1.${testCluster}:9443`, "ec-1"],
  ["by its address", "10.4.0.7:9443", "ec-1"],
  ["by an address of version 6", "[fd00:10:4::9]:9443", "ec-2"],
])("the leading node %s is asked, with its own name", async (_title, host, pod) => {
  const { api, seen } = await nodes({ first: redirect(host) });
  expect(await api.databases(signal)).toEqual([]);
  expect(seen(pod).map((one) => [one.method, one.path.split("?")[0], one.host])).toEqual([
    ["GET", "/v1/bdbs", expect.stringMatching(`^${pod}\\.ec\\.engine\\.svc`)],
  ]);
});

test.each([301, 302, 307, 308])("a write keeps its method and body: %d", async (status) => {
  const leader: Answering = (seen, response) => {
    json(seen.method === "POST" ? { uid: 1, action_uid: "a" } : [])(seen, response);
  };
  const { api, seen } = await nodes({ first: redirect("10.4.0.7:9443", status), leader });
  expect(await api.upgrade(1, { force_restart: true }, signal)).toMatchObject({ actionUid: "a" });
  expect(writes(seen("ec-1"))).toEqual(['{"force_restart":true}']);
});

test("a write that is answered with 303 is not sent again", async () => {
  const { api, seen } = await nodes({ first: redirect("10.4.0.7:9443", 303) });
  await expect(api.upgrade(1, {}, signal)).rejects.toMatchObject(failed);
  expect([seen("ec-0"), seen("ec-1")].map(writes)).toEqual([["{}"], []]);
});

const refuses: KubeClient["list"] = () =>
  Promise.reject(new ApiError("pods is forbidden", { status: 403 }));

test.each<[string, string, Partial<Nodes>]>([
  ["of a pod that is no node of the cluster", "10.4.0.8:9443", {}],
  ["of another pod of the namespace", "10.4.0.9:9443", {}],
  ["of nobody", "10.4.0.77:9443", {}],
  ["of a node, at another port", "10.4.0.7:8443", {}],
  ["of a node, where pods may not be listed", "10.4.0.7:9443", { list: refuses }],
  ["of a node, where no kind of pods is served", "10.4.0.7:9443", { list: nothing }],
])("an address %s gets no credentials", async (_title, host, more) => {
  const { api, seen } = await nodes({ first: redirect(host), ...more });
  await expect(api.databases(signal)).rejects.toThrow("where it is not sent");
  expect([seen("ec-1"), seen("ec-2")]).toEqual([[], []]);
});

function nothing(): Promise<undefined> {
  return Promise.resolve(undefined);
}

test("a node whose certificate is not the cluster's gets no credentials", async () => {
  const { api, seen } = await nodes({ first: redirect("10.4.0.7:9443"), pair: strange });
  await expect(api.databases(signal)).rejects.toMatchObject(unavailable);
  expect(seen("ec-1")).toEqual([]);
});
