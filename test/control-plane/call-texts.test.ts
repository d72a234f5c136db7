/**
 * What a real API server says of webhooks that it calls in vain, beside what the product reads in it. A row that is read
 * otherwise shows both. UPDATE_GOLDEN=1 records the texts, which npm test reads without a control plane.
 */
import { writeFileSync } from "node:fs";
import { createServer as createHttp } from "node:http";
import { once } from "node:events";
import type { AddressInfo, Server as TcpServer } from "node:net";
import { join } from "node:path";
import { readAnswer } from "../../plugin/domain/admission/answers";
import { readTrouble } from "../../plugin/domain/admission/call-texts";
import { freePorts } from "../support/free-ports";
import { callTextsFile, type ProducedText, settleText } from "../support/produced-call-texts";
import { type Api, pathOf } from "./api";
import {
  atHome,
  authority,
  namespace,
  onService,
  type Row,
  rows,
  service,
} from "../support/failing-calls";
import { caBundleOf } from "./certificate";
import { type ControlPlane, type Server, startControlPlane } from "./control-plane";
import { until } from "./until";

let controlPlane: ControlPlane;
let tunnelled: Server;
let proxy: TcpServer;
let tunnel: TcpServer;
const open: TcpServer[] = [];
const produced: ProducedText[] = [];

const phrases: Readonly<Record<string, string>> = {
  403: "Forbidden",
  407: "Proxy Authentication Required",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

/** A proxy: the number in the address that is asked for says how it answers. */
async function startProxy(at: string | number): Promise<TcpServer> {
  const server = createHttp();
  server.on("connect", ({ url: target = "" }, socket) => {
    socket.on("error", () => undefined);
    const [, number = ""] = /(?:^s|:8)(\d+)/.exec(target) ?? [];
    const phrase = phrases[number];
    if (phrase !== undefined) socket.end(`HTTP/1.1 ${number} ${phrase}\r\n\r\n`);
    else if (number === "001") socket.end("HTTP/1.1 200 OK\r\n\r\nhello");
    else if (number === "003") socket.end("SSH-2.0-OpenSSH_9.6\r\n");
    else if (number !== "002") socket.destroy();
  });
  return await listening(server, at);
}

async function listening<T extends TcpServer>(
  server: T,
  at: string | number,
  host = "127.0.0.1",
): Promise<T> {
  if (typeof at === "string") server.listen(at);
  else server.listen(at, host);
  await once(server, "listening");
  open.push(server);
  return server;
}

const keyOf = (index: number): string => `row-${String(index)}`;

/** The Services that are called; returns the address of the first. */
async function createServices(api: Api, ports: readonly number[]): Promise<string> {
  await api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const specs: readonly (readonly [string, object])[] = [
    [service, { ports: ports.map((port) => ({ name: `p${String(port)}`, port })) }],
    ["headless", { clusterIP: "None", ports: [{ port: 443 }] }],
    ["elsewhere", { type: "ExternalName", externalName: "gate.example.onion" }],
    ...rows.flatMap(({ far }, index) =>
      far === undefined
        ? []
        : [[keyOf(index), { ports: [{ port: 443 }], ...far.service }] as const],
    ),
  ];
  const [first] = await Promise.all(
    specs.map(([name, spec]) =>
      api.create({ apiVersion: "v1", kind: "Service", metadata: { name, namespace }, spec }),
    ),
  );
  await Promise.all(
    rows.map(async ({ far }, index) => {
      if (far?.port === undefined) return;
      const { port, address = "203.0.113.7", ready = true } = far;
      await api.create({
        apiVersion: "discovery.k8s.io/v1",
        kind: "EndpointSlice",
        metadata: {
          name: keyOf(index),
          namespace,
          labels: { "kubernetes.io/service-name": keyOf(index) },
        },
        addressType: address.includes(":") ? "IPv6" : "IPv4",
        endpoints: [{ addresses: [address], conditions: { ready } }],
        ports: [{ name: "", port }],
      });
    }),
  );
  const { clusterIP } = first?.["spec"] as { readonly clusterIP: string };
  return clusterIP;
}

function entryOf(
  { call, far, caBundle = caBundleOf(authority.cert), entry }: Row,
  index: number,
  port: number,
): object {
  const name = keyOf(index);
  const client = far === undefined ? call?.(port) : { service: { name, namespace } };
  return {
    name: `${name}.texts.example`,
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    timeoutSeconds: 5,
    clientConfig: { ...(client ?? onService({ port, path: "/admission" })()), caBundle },
    objectSelector: { matchLabels: { row: name } },
    rules: [
      { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] },
    ],
    ...entry,
  };
}

async function messageOf({ api }: { readonly api: Api }, row: string, more = ""): Promise<string> {
  const metadata = { name: "probe", namespace, labels: { row } };
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata };
  const path = `${pathOf(body, "collection")}?dryRun=All${more}`;
  const answered = await api.send("POST", path, { body });
  return (answered.body as { readonly message?: string }).message ?? "";
}

beforeAll(async () => {
  proxy = await startProxy(0);
  const { port } = proxy.address() as AddressInfo;
  const env = {
    HTTPS_PROXY: `http://127.0.0.1:${String(port)}`,
    NO_PROXY: ".svc,.onion,224.0.0.1",
  };
  controlPlane = await startControlPlane({ server: { env } });
  const { api, site } = controlPlane;
  const socket = join(site.dataDir, "tunnel");
  tunnel = await startProxy(socket);
  tunnelled = await controlPlane.addServer({ endpointsThrough: socket });
  const ports = await freePorts(rows.length);
  const clusterIP = await createServices(api, ports);
  await Promise.all(
    rows.map(async ({ server, call }, index) => {
      const host = call === atHome ? "127.0.0.1" : clusterIP;
      if (server !== undefined) await listening(server(), ports[index] ?? 0, host);
    }),
  );
  await api.create({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: namespace },
    webhooks: rows.map((row, index) => entryOf(row, index, ports[index] ?? 0)),
  });
  for (const server of [controlPlane, tunnelled]) {
    await until(
      "the entries to be in force",
      async () =>
        (await messageOf(server, keyOf(0))).includes("failed calling webhook") || undefined,
    );
  }
});
afterAll(async () => {
  await controlPlane.stop();
  open.forEach((server) => server.close());
  if (process.env["UPDATE_GOLDEN"] !== "1") return;
  writeFileSync(callTextsFile, `${JSON.stringify(produced, undefined, 2)}\n`);
});

test.each(rows.map((row, index) => ({ ...row, index })))(
  "$title",
  async ({ title, means, far, without, within, is = "failed", index }) => {
    if (without === "proxy") proxy.close();
    if (without === "tunnel") tunnel.close();
    const message = await messageOf(
      far === undefined ? controlPlane : tunnelled,
      keyOf(index),
      within === undefined ? "" : `&timeout=${within}`,
    );
    const text = settleText(message);
    produced.push({ title, ...(means !== undefined && { means }), text });
    expect({
      message,
      is: readAnswer({ status: 500, message }).is,
      means: readTrouble(message),
    }).toEqual({ message, is, means });
  },
);
