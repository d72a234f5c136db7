/** Each pod behind the Service by its own address: here ports of this machine. */
import { createServer, type RequestListener } from "node:http";
import { createServer as createSecure } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { askReplicas } from "../../../plugin/cmdutil/ask-replicas";
import { systemClock } from "../../../plugin/adapters/clock";
import { ApiError } from "../../../plugin/domain/base/errors";
import { defaultNames as names } from "../../../plugin/domain/names/names";
import { withMethods } from "../../../plugin/ports/delegate";
import type { KubeClient, KubeObject, PodPort } from "../../../plugin/ports/kubernetes";
import { aPair } from "../../support/tls";
import { admin, makeWorld } from "../../support/world";
import type { EndpointSlice } from "../../../plugin/domain/kube/models";

const pair = aPair({ names: ["admission.engine.svc"] });
const other = aPair({ names: ["admission.engine.svc"] });

interface Request {
  readonly request: { readonly uid: string };
}

const reviewed =
  (allowed: boolean): RequestListener =>
  (request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { uid } = (JSON.parse(Buffer.concat(parts).toString()) as Request).request;
      const path = request.url === "/admission" ? "" : "another path";
      const verdict = { uid, allowed: allowed && path === "", status: { message: "no" } };
      response.end(JSON.stringify({ response: verdict }));
    });
  };

const servers = {
  good: createSecure({ cert: pair.certPem, key: pair.keyPem }, reviewed(true)),
  strict: createSecure({ cert: pair.certPem, key: pair.keyPem }, reviewed(false)),
  foreign: createSecure({ cert: other.certPem, key: other.keyPem }, reviewed(true)),
  broken: createServer((_request, response) => response.end()),
};

beforeAll(async () => {
  for (const server of Object.values(servers)) {
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  }
});

afterAll(() => {
  for (const server of Object.values(servers)) server.close();
});

const configuration: KubeObject = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name: names.webhook.configuration },
  webhooks: [
    {
      name: names.webhook.entry,
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      clientConfig: {
        service: { name: names.webhook.service, namespace: "engine", path: "/admission" },
        caBundle: Buffer.from(pair.certPem).toString("base64"),
      },
    },
  ],
};

const slice: EndpointSlice = {
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name: "s", namespace: "engine" },
  ports: [{ port: 8443 }],
  endpoints: Object.keys(servers).map((name) => ({ targetRef: { kind: "Pod", name } })),
};

const resource = {
  ...{ group: names.group, version: names.version },
  ...{ plural: names.edb.plural, kind: names.edb.kind },
};
const accept = {
  ...{ apiVersion: `${names.group}/${names.version}`, kind: names.edb.kind },
  ...{ metadata: { name: "probe", namespace: "engine" }, spec: {} },
};

async function asked(own: Partial<KubeClient>, objects = [configuration]) {
  const { controlPlane } = makeWorld({ objects });
  const cluster = withMethods(controlPlane.connect({ user: admin, namespace: "engine" }), own);
  const ports = { cluster, clock: systemClock, signal: new AbortController().signal, names };
  return await askReplicas(ports, { slices: [slice], pair: { accept, resource }, uid: "u" });
}

const forward = ({ pod }: PodPort) => {
  const { port } = servers[pod.name as keyof typeof servers].address() as AddressInfo;
  return Promise.resolve(connect(port, "127.0.0.1"));
};

test("each one says whether it answers; one that refuses or fails is named", async () => {
  expect(await asked({ forward })).toEqual([
    { pod: "Pod/engine/good", is: "answers" },
    { pod: "Pod/engine/strict", is: "refuses", because: "no" },
    { pod: "Pod/engine/foreign", is: "fails", because: expect.any(String) as string },
    { pod: "Pod/engine/broken", is: "fails", because: expect.any(String) as string },
  ]);
});

test("where no port can be forwarded nothing is said of the pod", async () => {
  const because = "pod good does not have a host assigned";
  const cut = () => Promise.reject(new ApiError(because, { status: 400, reason: "BadRequest" }));
  const [first] = (await asked({ forward: cut })) ?? [];
  expect(first).toEqual({ pod: "Pod/engine/good", is: "unreached", because });
});

test("a pod that does not listen fails", async () => {
  const refused = () => Promise.reject(new Error("connection refused in the pod"));
  const [first] = (await asked({ forward: refused })) ?? [];
  expect(first).toMatchObject({
    is: "fails",
    because: expect.stringContaining("connection refused in the pod") as string,
  });
});

test("none is asked where that is not allowed, where nothing can, and where no entry calls them", async () => {
  const can = () => Promise.resolve(false);
  expect(await asked({ forward, can })).toBeUndefined();
  expect(await asked({})).toBeUndefined();
  expect(await asked({ forward }, [])).toBeUndefined();
});
