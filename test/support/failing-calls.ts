/** Ways in which the call of a webhook fails, and what is to be read in what an API server says of each. */
import { networkInterfaces } from "node:os";
import type { CallTrouble } from "../../plugin/domain/admission/call-texts";
import { certify, type Pair } from "./tls";
import { sign } from "../plugin/simulator/admission/authority";
import {
  alerting,
  answering,
  frame,
  frames,
  http2,
  https,
  insideTls,
  type Misbehaving,
  onConnection,
  plainHttp,
  saying,
  serverHello,
  spoilingSignature,
} from "./misbehaving-servers";

/** Of the Services that are called. */
export const namespace = "texts";
export const service = "gate";
const host = `${service}.${namespace}.svc`;

export const authority = certify({ commonName: "authority" });
const good = certify({ commonName: "gate", dns: [host], ips: ["127.0.0.1"] }, authority);
const over = certify({ commonName: "over", days: [-3, -1] });
const namesake = certify({ commonName: "authority" });

interface Far {
  /** Laid over the Service. */
  readonly service?: object;
  /** Of the endpoint; none without it. */
  readonly port?: number;
  readonly address?: string;
  readonly ready?: boolean;
}

/** How the API server comes to fail. */
export interface Row {
  readonly title: string;
  /** Undefined: blamed on nothing. */
  readonly means: CallTrouble | undefined;
  /** What listens on the port that is called; nothing without it. */
  readonly server?: Misbehaving;
  /** Over what is called: the port of the Service by default. */
  readonly call?: (port: number) => object;
  readonly caBundle?: string;
  /** Laid over the entry. */
  readonly entry?: object;
  /** Called at an endpoint of a Service of its own, through a tunnel. */
  readonly far?: Far;
  /** What has been taken away: for the last rows. */
  readonly without?: "proxy" | "tunnel";
  /** The edit's own limit. */
  readonly within?: string;
  /** It names no webhook. */
  readonly is?: "other";
}

const url = (of: (port: number) => string) => (port: number) => ({ url: of(port) });
/** An address of this machine. */
export const atHome = url((port) => `https://127.0.0.1:${String(port)}/admission`);
export const onService = (more: object) => () => ({
  service: { name: service, namespace, ...more },
});

const answer = (status: number, body = "", headers: Readonly<Record<string, string>> = {}) =>
  https(good, (_request, response) => response.writeHead(status, headers).end(body));
const text = { "Content-Type": "text/plain" };
const html = { "Content-Type": "text/html" };
const json = { "Content-Type": "application/json" };
const page =
  "<html>\r\n<head><title>Welcome: here</title></head>\r\n<body>\t<h1>Hello</h1></body>\r\n</html>";
const mistaken = (make: Parameters<typeof answering>[0]) => https(good, answering(make));
const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" };
const old = { admissionReviewVersions: ["v1beta1"] };
const condition = (...expressions: readonly string[]): object => ({
  matchConditions: expressions.map((expression, at) => ({ name: `c${String(at)}`, expression })),
});
const soon = { timeoutSeconds: 1 };

const served = (pair: Pair): Misbehaving => https(pair, () => undefined);
const of = (wanted: Partial<Parameters<typeof certify>[0]>, by: Pair | undefined = authority) =>
  served(certify({ commonName: "gate", dns: [host], ...wanted }, by));

const forClients = sign(
  { commonName: "gate", names: [host], usage: "clientAuth" },
  { certPem: authority.cert, keyPem: authority.key },
);
const caBundleOf = (pem: string): string => Buffer.from(pem).toString("base64");

/** RFC 8446, section 6.2; the last number is no alert. */
const alerts: readonly (readonly [CallTrouble | undefined, readonly number[]])[] = [
  ["handshake", [40]],
  ["no-certificate", [80, 112]],
  ["no-http", [120]],
  ["client-certificate", [42, 43, 44, 45, 46, 48, 49, 116]],
  ["tls-version", [70, 71, 86]],
  [undefined, [10, 20, 22, 47, 50, 51, 90, 109, 110, 200]],
];

const statuses: readonly (readonly [
  title: string,
  number,
  CallTrouble | undefined,
  string?,
  Readonly<Record<string, string>>?,
])[] = [
  ["204", 204, "no-review"],
  ["300", 300, "no-path"],
  ["302 without a place", 302, "no-path"],
  ["400", 400, "no-review", page, html],
  ["401", 401, "caller"],
  ["402", 402, "no-http"],
  ["403 of Envoy", 403, "mesh", "RBAC: access denied", text],
  ["403 of nginx", 403, "caller", page, html],
  ["403 with a reason", 403, undefined, "only on weekdays", text],
  ["403 in a word", 403, "caller", "Forbidden", text],
  ["403 without a word", 403, "caller", "", text],
  ["403 in JSON", 403, "caller", '{"error":"no"}', json],
  ["404", 404, "no-path", page, html],
  ["405", 405, "no-path"],
  ["406", 406, "no-path"],
  ["407", 407, "no-http"],
  ["408", 408, "late"],
  ["409", 409, "no-review"],
  ["410", 410, "no-path"],
  ["411", 411, "no-http"],
  ["413", 413, "too-large", page, html],
  ["415", 415, undefined, "Unsupported Media Type", text],
  ["421", 421, "no-http"],
  ["422", 422, "no-review"],
  ["426", 426, "no-http"],
  ["429", 429, "busy"],
  ["431", 431, "no-http"],
  ["500", 500, "broken", "panic: runtime error", text],
  [
    "500 with a Status",
    500,
    undefined,
    JSON.stringify({
      kind: "Status",
      apiVersion: "v1",
      status: "Failure",
      message: "the database is away",
    }),
    json,
  ],
  ["501", 501, "broken"],
  [
    "502 of nginx",
    502,
    "broken",
    "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n</html>",
    html,
  ],
  [
    "502 of Envoy",
    502,
    "mesh",
    "upstream connect error or disconnect/reset before headers. reset reason: protocol error",
    text,
  ],
  ["503 of Envoy", 503, "busy", "no healthy upstream", text],
  ["504 of Envoy", 504, "late", "upstream request timeout", text],
  ["505", 505, "broken"],
];

const reviews: readonly (readonly [title: string, Parameters<typeof answering>[0], object?])[] = [
  ["nothing", () => ""],
  ["null", () => "null"],
  ["an empty object", () => "{}"],
  ["half an object", () => '{"apiVersion":"admission'],
  ["an array", () => "[]"],
  ["a word", () => "ok"],
  ["a page", () => page],
  ["binary", () => "\u0000\u0001\u0002"],
  ["protobuf", () => "k8s\u0000\u0001"],
  ["another kind", () => ({ apiVersion: "v1", kind: "Pod" })],
  ["a Status", () => ({ apiVersion: "v1", kind: "Status", status: "Success" })],
  ["no response", () => review],
  ["another uid", () => ({ ...review, response: { uid: "other", allowed: true } })],
  [
    "the old version for the new one",
    ({ uid }) => ({
      ...review,
      apiVersion: "admission.k8s.io/v1beta1",
      response: { uid, allowed: true },
    }),
  ],
  [
    "the new version for the old one",
    ({ uid }) => ({ ...review, response: { uid, allowed: true } }),
    old,
  ],
  [
    "a version that does not exist",
    ({ uid }) => ({
      ...review,
      apiVersion: "admission.k8s.io/v2",
      response: { uid, allowed: true },
    }),
  ],
  ["no version", ({ uid }) => ({ kind: "AdmissionReview", response: { uid, allowed: true } })],
  ["a word for yes", ({ uid }) => ({ ...review, response: { uid, allowed: "yes" } })],
  [
    "a patch",
    ({ uid }) => ({
      ...review,
      response: { uid, allowed: true, patch: "W10=", patchType: "JSONPatch" },
    }),
  ],
  [
    "a patch that is no base64",
    ({ uid }) => ({ ...review, response: { uid, allowed: true, patch: "[]" } }),
  ],
];

const hasIpv6 = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .some(({ address }) => address === "::1");

const code = (number: number): readonly number[] => [0, 0, 0, number];
const begun = [frame(frames.headers, 1, [0x88]), frame(frames.data, 1, [123])];
const http2Rows: readonly (readonly [title: string, CallTrouble, ...(readonly Buffer[])])[] = [
  ["GOAWAY", "lost", frame(frames.goAway, 0, [...code(1), ...code(0)])],
  ["GOAWAY for a reason", "lost", frame(frames.goAway, 0, [...code(1), ...code(11)])],
  [
    "GOAWAY to a request that was not taken",
    "lost",
    frame(frames.goAway, 0, [...code(0), ...code(11)]),
  ],
  ["GOAWAY during the answer", "lost", ...begun, frame(frames.goAway, 0, [...code(1), ...code(0)])],
  ["the stream is reset", "cut", frame(frames.reset, 1, code(2))],
  ["the stream is reset during the answer", "cut", ...begun, frame(frames.reset, 1, code(2))],
  ["the connection ends", "cut"],
  ["the connection ends during the answer", "cut", ...begun],
  ["a frame that is none", "cut", frame(frames.data, 0, [1])],
  ["HTTP/1.1 instead", "no-http", Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")],
];

/** All of them. */
export const rows: readonly Row[] = [
  { title: "nothing listens", means: "closed" },
  {
    title: "nothing listens, IPv6",
    // without an address of its kind there is no way to it
    means: hasIpv6 ? "closed" : "no-route",
    call: url((port) => `https://[::1]:${String(port)}/`),
  },
  { title: "a group of machines", means: "no-route", call: url(() => "https://224.0.0.1/") },
  {
    title: "no Service",
    means: "no-service",
    call: () => ({ service: { name: "none", namespace } }),
  },
  { title: "no such port", means: "no-port", call: onService({ port: 9 }) },
  {
    title: "a headless Service",
    means: "no-address",
    call: () => ({ service: { name: "headless", namespace } }),
  },
  {
    title: "a Service that is another name",
    means: "no-name",
    call: () => ({ service: { name: "elsewhere", namespace } }),
  },
  {
    title: "a name that is not resolved",
    means: "no-name",
    call: url(() => "https://gate.example.onion/"),
  },
  {
    title: "no bundle in the bundle",
    means: "bundle",
    caBundle: caBundleOf("none"),
    server: answer(200),
  },
  {
    title: "a key in the bundle",
    means: "bundle",
    caBundle: caBundleOf(good.key),
    server: answer(200),
  },
  {
    title: "a broken certificate in the bundle",
    means: "bundle",
    caBundle: caBundleOf("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
    server: answer(200),
  },
  {
    title: "no word in time",
    means: "late",
    server: onConnection((socket) => socket.resume()),
    entry: soon,
  },
  {
    title: "no answer in the time of the edit",
    // whose the time was is not said
    means: undefined,
    is: "other",
    server: https(good, () => undefined),
    within: "1s",
  },
  { title: "no answer in time", means: "late", server: https(good, () => undefined), entry: soon },
  {
    title: "half an answer in time",
    means: "late",
    server: https(good, (_request, response) => response.writeHead(200).write("{")),
    entry: soon,
  },
  {
    title: "a wish to wait longer than there is time",
    means: "late",
    server: answer(503, "", { "Retry-After": "60" }),
    entry: soon,
  },
  {
    title: "an end without a word",
    means: "cut",
    server: onConnection((socket) => socket.resume().end()),
  },
  {
    title: "a reset without a word",
    means: "cut",
    server: onConnection((socket) => socket.once("data", () => socket.resetAndDestroy())),
  },
  {
    title: "an end within TLS",
    means: "cut",
    server: insideTls(good),
  },
  {
    title: "a reset during the answer",
    means: "cut",
    server: https(good, (request, response) =>
      response
        .writeHead(200, { "Content-Length": 100 })
        .write("{", () => setImmediate(() => request.socket.destroy())),
    ),
  },
  {
    title: "an end during a chunked answer",
    means: "cut",
    server: https(good, (request, response) =>
      response.writeHead(200).write("{", () => request.socket.destroy()),
    ),
  },
  { title: "HTTP without TLS", means: "no-tls", server: plainHttp },
  {
    title: "SSH",
    means: "no-tls",
    server: onConnection((socket) => socket.resume().write("SSH-2.0-OpenSSH_9.6\r\n")),
  },
  {
    title: "a record that is too long",
    means: "no-tls",
    server: saying(Uint8Array.of(22, 3, 3, 255, 255)),
  },
  { title: "SSL 2", means: "no-tls", server: saying(Uint8Array.of(128, 46, 4, 0, 1)) },
  { title: "a database", means: "no-tls", server: saying("E\0\0\0\u0091SFATAL") },
  { title: "a mail server", means: "no-tls", server: saying("220 mail.example ESMTP\r\n") },
  {
    title: "something else behind TLS",
    means: "no-http",
    server: insideTls(good, "+OK ready\r\n\r\n"),
  },
  {
    title: "half HTTP behind TLS",
    means: "no-http",
    server: insideTls(good, "HTTP/1.1 200 OK\r\nno header\r\n\r\n"),
  },
  {
    title: "a status that is none",
    means: "no-http",
    server: insideTls(good, "HTTP/1.1 abc OK\r\n\r\n"),
  },
  {
    title: "two lengths",
    means: "no-http",
    server: insideTls(good, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
  },
  {
    title: "chunks that are none",
    means: "no-http",
    server: insideTls(good, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"),
  },
  {
    title: "headers without an end",
    means: "no-http",
    server: insideTls(good, `HTTP/1.1 200 OK\r\n${`a: ${"b".repeat(1000)}\r\n`.repeat(11_000)}`),
  },
  {
    title: "gzip that is none",
    means: "no-http",
    server: answer(200, "{}".repeat(20), { "Content-Encoding": "gzip" }),
  },
  {
    title: "a type that is none",
    means: "no-review",
    server: answer(200, "{}", { "Content-Type": "a b" }),
  },
  {
    title: "a redirect in a circle",
    means: "no-http",
    server: answer(307, "", { Location: "/again" }),
  },
  {
    title: "a redirect to a page",
    means: "no-review",
    server: https(good, ({ method }, response) =>
      method === "GET"
        ? response.writeHead(200, html).end(page)
        : response.writeHead(302, { Location: "/login" }).end(),
    ),
  },
  {
    title: "a redirect to a place that is not reached",
    means: "no-http",
    server: answer(302, "", { Location: "https://login.example.onion/" }),
  },
  {
    title: "a redirect to no address",
    means: "no-http",
    server: answer(302, "", { Location: "https://%zz/" }),
  },
  ...alerts.flatMap(([means, codes]) =>
    codes.map((one) => ({ title: `alert ${String(one)}`, means, server: alerting(one) })),
  ),
  {
    title: "TLS 1.0 though it was not offered",
    means: "tls-version",
    server: saying(serverHello(0x301, 0x2f)),
  },
  {
    title: "a cipher that was not offered",
    means: "tls-version",
    server: saying(serverHello(0x303, 0x05)),
  },
  {
    title: "an older TLS",
    means: "tls-version",
    server: https(good, () => undefined, {
      minVersion: "TLSv1",
      maxVersion: "TLSv1.1",
      ciphers: "DEFAULT@SECLEVEL=0",
    }),
  },
  {
    title: "no cipher in common",
    means: "handshake",
    server: https(good, () => undefined, {
      maxVersion: "TLSv1.2",
      ciphers: "CAMELLIA256-SHA:ECDHE-RSA-CAMELLIA256-SHA384",
    }),
  },
  {
    title: "no certificate",
    means: "handshake",
    server: https({ cert: "", key: "" }, () => undefined),
  },
  {
    title: "a client certificate is required, TLS 1.2",
    means: "handshake",
    server: https(good, () => undefined, {
      requestCert: true,
      rejectUnauthorized: true,
      ca: authority.cert,
      maxVersion: "TLSv1.2",
    }),
  },
  {
    title: "a key of another certificate",
    means: "unfit",
    server: spoilingSignature(https(good, () => undefined, { maxVersion: "TLSv1.2" })),
  },
  { title: "expired", means: "expired", server: of({ days: [-3, -1] }) },
  { title: "not yet valid", means: "expired", server: of({ days: [1, 3] }) },
  {
    title: "an authority that has expired",
    means: "expired",
    server: of({}, over),
    caBundle: caBundleOf(over.cert),
  },
  { title: "another name", means: "other-name", server: of({ dns: ["other.texts.svc"] }) },
  {
    title: "an address instead of a name",
    means: "other-name",
    server: of({ dns: [], ips: ["10.0.0.1"] }),
  },
  { title: "a name instead of an address", means: "other-name", server: of({}), call: atHome },
  {
    title: "another address",
    means: "other-name",
    server: of({ ips: ["10.0.0.1"] }),
    call: atHome,
  },
  { title: "no name", means: "other-name", server: of({ dns: [] }) },
  {
    title: "the name as its common name",
    means: "other-name",
    server: of({ dns: [], commonName: host }),
  },
  {
    title: "a hundred other names",
    means: "other-name",
    server: of({ dns: Array.from({ length: 120 }, (_, at) => `n${String(at)}.svc`) }),
  },
  {
    title: "a hundred other addresses",
    means: "other-name",
    server: of({ ips: Array.from({ length: 120 }, (_, at) => `10.0.0.${String(at)}`) }),
    call: atHome,
  },
  {
    title: "self-signed, and not in the bundle",
    means: "untrusted",
    server: served(certify({ commonName: "gate", dns: [host] })),
  },
  { title: "of an authority of the same name", means: "untrusted", server: of({}, namesake) },
  { title: "no bundle, so the system's", means: "untrusted", server: of({}), caBundle: "" },
  {
    title: "for clients",
    means: "unfit",
    server: served({ cert: forClients.certPem, key: forClients.keyPem }),
  },
  ...statuses.map(([title, status, means, body, headers]) => ({
    title: `HTTP ${title}`,
    means,
    server: answer(status, body, headers),
  })),
  ...reviews.map(([title, make, entry]) => ({
    title: `a review: ${title}`,
    means: "no-review" as const,
    server: mistaken(make),
    ...(entry && { entry }),
  })),
  ...http2Rows.map(([title, means, ...said]) => ({
    title: `HTTP/2: ${title}`,
    means,
    call: atHome,
    server: http2(good, ...said),
  })),
  { title: "the proxy refuses", means: "proxy", call: url(() => "https://s403.through.example/") },
  {
    title: "the proxy asks who calls",
    means: "proxy",
    call: url(() => "https://s407.through.example/"),
  },
  {
    title: "the proxy reaches nothing",
    means: "proxy",
    call: url(() => "https://s503.through.example/"),
  },
  {
    title: "the proxy waits in vain",
    means: "proxy",
    call: url(() => "https://s504.through.example/"),
  },
  { title: "the proxy cuts", means: "cut", call: url(() => "https://cut.through.example/") },
  { title: "no endpoints", means: "no-endpoints", far: {} },
  { title: "no ready endpoint", means: "no-endpoints", far: { port: 8503, ready: false } },
  {
    title: "another name at the end of the tunnel",
    means: "no-address",
    far: { service: { type: "ExternalName", externalName: "gate.example.onion" } },
  },
  { title: "the tunnel refuses", means: "tunnel", far: { port: 8503 } },
  {
    title: "the tunnel refuses, IPv6",
    means: "tunnel",
    far: { port: 8503, address: "2001:db8::7" },
  },
  { title: "the tunnel ends without a word", means: "tunnel", far: { port: 8000 } },
  { title: "the tunnel says more than it should", means: "tunnel", far: { port: 8001 } },
  { title: "the tunnel says nothing", means: "late", far: { port: 8002 }, entry: soon },
  { title: "the tunnel speaks something else", means: "tunnel", far: { port: 8003 } },
  {
    title: "the tunnel is not there",
    means: "tunnel",
    far: { port: 8503 },
    without: "tunnel",
  },
  {
    title: "the proxy is not there",
    means: "proxy",
    call: url(() => "https://s403.through.example/"),
    without: "proxy",
  },
  {
    title: "a condition that cannot be evaluated",
    means: undefined,
    is: "other",
    entry: condition("object.data.size == '1'"),
  },
  {
    title: "two conditions that cannot be evaluated",
    means: undefined,
    is: "other",
    entry: condition("object.data.size == '1'", "object.data.color == 'red'"),
  },
];
