/** Connections that fail, in the words of a real API server (1.34). */
import { createServer as createHttp } from "node:http";
import { createServer as createTcp, type Server } from "node:net";
import { ApiError } from "../../../../plugin/domain/base/errors";
import {
  createAdmission,
  type ServiceRoute,
} from "../../../../plugin/simulator/admission/admission";
import type { KubeObject } from "../../../../plugin/ports/kubernetes";
import { ManualClock } from "../../../support/manual-clock";
import { aPair, type PairParts } from "../../../support/tls";
import { attemptOf, person, stateOf } from "../authorization/state";
import {
  answering,
  closed,
  configuration,
  entry,
  listening,
  serverName,
  service,
  startWebhook,
  trusting,
} from "./webhook-server";

const now = Math.floor(Date.now() / 1000) * 1000;
const clock = new ManualClock(now);
const good = aPair({ names: [serverName] });
const stranger = aPair();
const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one", namespace: "a" } };
const url = `Post "https://${serverName}:443/case?timeout=5s"`;
const tls = `failed to call webhook: ${url}: tls: failed to verify certificate: x509:`;

interface Given {
  readonly route?: ServiceRoute;
  readonly service?: KubeObject;
  readonly entry?: object;
  readonly ca?: string;
  readonly keepAlive?: boolean;
}

/** What the writer is told of one attempt. */
async function toldOf(given: Given): Promise<string> {
  const { route = () => undefined, ca = good.certPem } = given;
  const skipped: string[] = [];
  const admission = createAdmission({
    clock,
    route,
    onSkipped: (name, why) => skipped.push(`skipped ${name}: ${why}`),
  });
  const webhook = trusting(entry("case", given.entry), ca);
  const state = stateOf([given.service ?? service, configuration("probe", [webhook])]);
  try {
    await admission.admit(attemptOf({ user: person("ann"), object }), state);
    return skipped[0] ?? "admitted";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const prefix = 'Internal error occurred: failed calling webhook "case.x.y": ';
    expect(error.message.startsWith(prefix)).toBe(true);
    expect(error.causes).toEqual([{ message: error.message.replace(/^[^:]*: /, "") }]);
    return error.message.slice(prefix.length);
  } finally {
    admission.close();
  }
}

interface Certificate {
  readonly title: string;
  readonly parts: PairParts;
  /** The CA of the entry; the certificate itself when absent. */
  readonly ca?: string;
  readonly told: string;
}

const certificates: readonly Certificate[] = [
  {
    title: "for all Services of the namespace",
    parts: { names: ["*.engine.svc"] },
    told: "admitted",
  },
  {
    title: "for no name",
    parts: { names: [], commonName: "admission" },
    told: `${tls} certificate is not valid for any names, but wanted to match ${serverName}`,
  },
  {
    title: "of an authority that is not in the bundle",
    parts: { names: [serverName], commonName: "one" },
    ca: good.certPem,
    told: `${tls} certificate signed by unknown authority`,
  },
];

test.each(certificates)("a certificate $title", async ({ parts, ca, told }) => {
  const pair = aPair(parts);
  const server = await startWebhook(pair, { case: answering({ allowed: true }) });
  const route = (): { host: string; port: number } => ({ host: "127.0.0.1", port: server.port });
  const bundle = ca ?? `${stranger.certPem}\n${pair.certPem}`;
  expect(await toldOf({ route, ca: bundle })).toBe(told);
  if (told !== "admitted") expect(server.received).toEqual([]);
  await server.close();
});

const spec = (more: object): KubeObject => ({ ...service, spec: more });
const anywhere: ServiceRoute = () => ({ host: "127.0.0.1", port: 9 });
const roots = "could not get REST client: unable to load root certificates:";

interface Unreachable extends Given {
  readonly title: string;
  readonly told: string;
}

const unreachable: readonly Unreachable[] = [
  {
    title: "a headless Service",
    service: spec({ clusterIP: "None", ports: [{ port: 443 }] }),
    told: `failed to call webhook: ${url}: cannot route to service with ClusterIP "None"`,
  },
  {
    title: "a Service whose code is not rehearsed",
    route: () => undefined,
    told: "skipped case.x.y: the code behind service engine/admission is not rehearsed",
  },
  {
    title: "an address outside of this machine",
    entry: { clientConfig: { url: "https://webhook.example/check" } },
    told: "skipped case.x.y: webhook.example is outside of this machine, where a rehearsal calls nobody",
  },
  {
    title: "a bundle whose certificate cannot be read",
    route: anywhere,
    ca: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    told: `${roots} failed to parse certificate: x509: malformed certificate`,
  },
  {
    title: "a bundle without a certificate",
    route: anywhere,
    ca: good.keyPem,
    told: `${roots} no valid certificate authority data seen`,
  },
];

test.each(unreachable)("$title", async ({ told, ...given }) => {
  expect(await toldOf(given)).toBe(told);
});

interface Broken {
  readonly title: string;
  readonly server: () => Server;
  readonly told: string;
}

const broken: readonly Broken[] = [
  {
    title: "a server that speaks plain HTTP",
    server: () => createHttp((_request, response) => response.end("hi")),
    told: `failed to call webhook: ${url}: http: server gave HTTP response to HTTPS client`,
  },
  {
    title: "a server that hangs up at once",
    server: () =>
      createTcp((socket) => {
        socket.on("error", () => undefined);
        socket.resume().end();
      }),
    told: `failed to call webhook: ${url}: EOF`,
  },
];

test.each(broken)("$title", async ({ server: make, told }) => {
  const server = make();
  const port = await listening(server);
  expect(await toldOf({ route: () => ({ host: "127.0.0.1", port }) })).toBe(told);
  await closed(server);
});

test("a port where nobody listens is shown as the address of the Service", async () => {
  const server = createTcp();
  const port = await listening(server);
  await closed(server);
  expect(await toldOf({ route: () => ({ host: "127.0.0.1", port }) })).toBe(
    `failed to call webhook: ${url}: dial tcp 10.0.0.7:443: connect: connection refused`,
  );
});

const slow = { timeoutSeconds: 1 };
const inASecond = url.replace("5s", "1s");

test.each([
  [
    "half an answer in time",
    "half",
    "unexpected error when reading response body. Please retry. Original error: context deadline exceeded",
  ],
  [
    "an answer that is cut",
    "cut",
    "unexpected error when reading response body. Please retry. Original error: unexpected EOF",
  ],
  ["a connection that is closed without an answer", "close", `${inASecond}: EOF`],
  ["a wish to wait longer than there is time", "later", `${inASecond}: context deadline exceeded`],
])("%s", async (_title, how, told) => {
  const server = await startWebhook(good, {
    case: (_review, to) => {
      if (how === "later") to.writeHead(503, { "Retry-After": "60" }).end();
      if (how === "close") to.destroy();
      if (how === "half" || how === "cut")
        to.writeHead(200).write("{", () => {
          if (how === "cut") to.destroy();
        });
    },
  });
  const route: ServiceRoute = () => ({ host: "127.0.0.1", port: server.port });
  expect(await toldOf({ route, entry: slow })).toBe(`failed to call webhook: ${told}`);
  await server.close();
});

test("the end of the write ends the call with its reason", async () => {
  const end = new AbortController();
  const reason = new Error("interrupted");
  const server = await startWebhook(good, {
    case: () => {
      end.abort(reason);
    },
  });
  const route: ServiceRoute = () => ({ host: "127.0.0.1", port: server.port });
  const admission = createAdmission({ clock, route });
  const webhook = trusting(entry("case"), good.certPem);
  const state = stateOf([service, configuration("probe", [webhook])]);
  const attempt = attemptOf({ user: person("ann"), object }, { signal: end.signal });
  await expect(admission.admit(attempt, state)).rejects.toBe(reason);
  admission.close();
  await server.close();
});

test.each([
  ["are kept", true, [0, 0, 0]],
  ["are recreated", false, [0, 1, 2]],
])("connections %s when keepAlive is %s", async (_title, keepAlive, connections) => {
  const server = await startWebhook(good, { case: answering({ allowed: true }) });
  const route: ServiceRoute = () => ({ host: "127.0.0.1", port: server.port });
  const admission = createAdmission({ clock, route, keepAlive });
  const webhook = trusting(entry("case"), good.certPem);
  const state = stateOf([service, configuration("probe", [webhook])]);
  for (let call = 0; call < 3; call++) {
    await admission.admit(attemptOf({ user: person("ann"), object }), state);
  }
  expect(server.received.map(({ connection }) => connection)).toEqual(connections);
  admission.close();
  await server.close();
});

test("a kept connection that the server has closed in between is replaced", async () => {
  const first = await startWebhook(good, { case: answering({ allowed: true }) });
  const route: ServiceRoute = () => ({ host: "127.0.0.1", port: first.port });
  const admission = createAdmission({ clock, route });
  const webhook = trusting(entry("case"), good.certPem);
  const state = stateOf([service, configuration("probe", [webhook])]);
  const attempt = attemptOf({ user: person("ann"), object });
  await admission.admit(attempt, state);
  await first.close();
  await expect(admission.admit(attempt, state)).rejects.toThrow("connection refused");
  admission.close();
});

test("a webhook at an address of this machine is called", async () => {
  const pair = aPair({ names: ["127.0.0.1"] });
  const server = await startWebhook(pair, { case: answering({ allowed: true }) });
  const clientConfig = { url: `https://127.0.0.1:${server.port}/case` };
  expect(await toldOf({ entry: { clientConfig }, ca: pair.certPem })).toBe("admitted");
  expect(server.received[0]?.headers.host).toBe(`127.0.0.1:${server.port}`);
  await server.close();
});
