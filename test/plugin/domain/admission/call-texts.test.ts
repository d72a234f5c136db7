/** What each text of an API server means: the words of its sources, one row for each, beside what they may be mistaken for. */
import { type CallTrouble, readTrouble } from "../../../../plugin/domain/admission/call-texts";

const post = 'Post "https://admission.engine.svc:443/admission?timeout=30s": ';
const dial = `${post}dial tcp 10.96.9.9:443: `;
const handshake = `${post}remote error: tls: `;
const verify = `${post}tls: failed to verify certificate: x509: `;
const server = (body: string): string =>
  `an error on the server (${JSON.stringify(body)}) has prevented the request from succeeding`;

/** Behind `failed to call webhook: `. */
const failedCalls: Readonly<Record<CallTrouble, readonly string[]>> = {
  "no-endpoints": [`${post}no endpoints available for service "admission"`],
  "no-service": [`${post}service "admission" not found`],
  "no-address": [
    `${post}cannot route to service with ClusterIP "None"`,
    `${post}unsupported service type "ExternalName"`,
  ],
  "no-port": [`${post}no service port 443 found for service "admission"`],
  proxy: [
    `${post}proxyconnect tcp: dial tcp 10.9.9.9:3128: connect: connection refused`,
    `${post}Forbidden`,
    `${post}Service Unavailable`,
    `${post}Gateway Time-out`,
  ],
  "no-name": [
    `${post}dial tcp: lookup gate.example.com on 10.96.0.10:53: no such host`,
    `${post}dial tcp: lookup gate.example.com on 10.96.0.10:53: server misbehaving`,
    `${post}dial tcp: lookup gate.example.com: i/o timeout`,
  ],
  tunnel: [
    `${post}No agent available`,
    `${post}failed to dial backend, dialing timed out`,
    `${post}dial timeout, backstop`,
    `${post}dial timeout, context`,
    `${post}dial closed`,
    `${post}tunnel closed`,
    `${post}tunnel is closed`,
    `${post}proxy error from 127.0.0.1:8131 while dialing 10.0.0.7:8443, code 503: 503 Service Unavailable`,
    `${post}rpc error: code = Unavailable desc = connection error`,
  ],
  "no-route": [
    `${post}Address is not allowed`,
    `${post}ssh: rejected: connect failed (Connection refused)`,
    `${dial}connect: network is unreachable`,
    `${dial}connect: no route to host`,
    `${dial}connect: operation not permitted`,
  ],
  late: [
    `${post}context deadline exceeded`,
    `${post}context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
    `${post}net/http: TLS handshake timeout`,
    `${post}net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)`,
    `${dial}i/o timeout`,
    `${dial}connect: connection timed out`,
    "the server was unable to return a response in the time allotted, but may still be processing the request",
  ],
  closed: [`${dial}connect: connection refused`],
  lost: [
    `${post}http2: client connection lost`,
    `${post}http2: client connection force closed via ClientConn.Close`,
    `${post}http2: server sent GOAWAY and closed the connection; LastStreamID=5, ErrCode=NO_ERROR, debug=""`,
    `${post}context canceled`,
    `${post}write tcp 10.0.0.2:5000->10.0.0.7:8443: use of closed network connection`,
    `${post}http: server closed idle connection`,
  ],
  cut: [
    `${post}EOF`,
    `${post}unexpected EOF`,
    `${post}read tcp 10.0.0.2:5000->10.0.0.7:8443: read: connection reset by peer`,
    `${post}write tcp 10.0.0.2:5000->10.0.0.7:8443: write: broken pipe`,
    `${post}stream error: stream ID 1; INTERNAL_ERROR; received from peer`,
    "unexpected error when reading response body. Please retry. Original error: unexpected EOF",
    "stream error when reading response body, may be caused by closed connection. Please retry. Original error: stream error: stream ID 1",
  ],
  "no-tls": [
    `${post}http: server gave HTTP response to HTTPS client`,
    `${post}tls: first record does not look like a TLS handshake`,
    `${post}tls: oversized record received with length 20527`,
  ],
  "no-http": [
    `${post}net/http: HTTP/1.x transport connection broken: malformed HTTP response "SSH-2.0"`,
    `${post}stopped after 10 redirects`,
  ],
  "tls-version": [
    `${handshake}protocol version not supported`,
    `${handshake}insufficient security level`,
    `${post}tls: server selected unsupported protocol version 301`,
  ],
  "no-certificate": [
    `${handshake}internal error`,
    `${handshake}handshake failure`,
    `${handshake}unrecognized name`,
  ],
  "client-certificate": [
    `${handshake}bad certificate`,
    `${handshake}certificate required`,
    `${handshake}unknown certificate authority`,
    `${handshake}expired certificate`,
  ],
  expired: [
    `${verify}certificate has expired or is not yet valid: current time 2026-11-28T02:00:00Z is after 2026-11-20T00:00:00Z`,
  ],
  "other-name": [
    `${verify}certificate is valid for admission.elsewhere.svc, not admission.engine.svc`,
    `${verify}certificate is not valid for any names, but wanted to match admission.engine.svc`,
    `${verify}certificate relies on legacy Common Name field, use SANs instead`,
    `${verify}cannot validate certificate for 10.0.0.7 because it doesn't contain any IP SANs`,
  ],
  untrusted: [
    `${verify}certificate signed by unknown authority`,
    `${verify}certificate signed by unknown authority (possibly because of "x509: cannot verify signature: insecure algorithm SHA1-RSA" while trying to verify candidate authority certificate "root")`,
  ],
  unfit: [
    `${verify}certificate specifies an incompatible key usage`,
    `${verify}too many intermediates for path length constraint`,
    `${post}tls: failed to parse certificate from server: x509: negative serial number`,
  ],
  bundle: [],
  "review-versions": [],
  "no-review": [
    "couldn't get version/kind; json parse error: invalid character '<' looking for beginning of value",
    'no kind "Review" is registered for version "v1" in scheme "pkg/runtime/scheme.go:110"',
    "json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool",
    "0-length response with status code: 200 and content type: text/plain",
    "Object 'Kind' is missing in '{}'",
    "converting (v1.Status) to (v1.AdmissionReview): unknown conversion",
  ],
  "no-path": [
    "the server could not find the requested resource",
    "the server does not allow this method on the requested resource",
    "the server responded with the status code 302 but did not return more information",
    "the server was unable to respond with a content type that the client supports",
  ],
  mesh: [
    "RBAC: access denied",
    server("RBAC: access denied"),
    server(
      "upstream connect error or disconnect/reset before headers. reset reason: connection refused",
    ),
    server("no healthy upstream"),
    "upstream request timeout",
  ],
  caller: [
    "the server has asked for the client to provide credentials",
    "Forbidden",
    "Unauthorized",
  ],
  busy: [
    "the server has received too many requests and has asked us to try again later",
    "the server is currently unable to handle the request",
  ],
  "too-large": [
    "request entity too large",
    "the server responded with the status code 413 but did not return more information",
  ],
  broken: [
    server("panic: runtime error"),
    // a server may quote any of the words above
    server("dial tcp 10.0.0.9:5432: connect: connection refused"),
    server("x509: certificate signed by unknown authority"),
  ],
};

/** Behind `failed calling webhook "NAME": `. */
const otherwise: readonly (readonly [CallTrouble, string])[] = [
  [
    "bundle",
    "could not get REST client: unable to load root certificates: unable to parse bytes as PEM block",
  ],
  [
    "review-versions",
    "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)",
  ],
  ["no-review", "received invalid webhook response: webhook response was absent"],
  ["no-review", 'received invalid webhook response: expected response.uid="a", got "b"'],
  ["late", "no answer within 5 s"],
];

const rows = [
  ...Object.entries(failedCalls).flatMap(([means, texts]) =>
    texts.map((text) => [means, `failed to call webhook: ${text}`] as const),
  ),
  ...otherwise,
];

test.each(rows)("%s: %s", (means, text) => {
  expect(readTrouble(`Internal error occurred: failed calling webhook "gate": ${text}`)).toBe(
    means,
  );
  expect(readTrouble(text)).toBe(means);
});

test("every meaning has a text", () => {
  const told = new Set(rows.map(([means]) => means));
  expect(Object.keys(failedCalls).filter((one) => !told.has(one))).toEqual([]);
});

test.each([
  "failed to call webhook: something new",
  `failed to call webhook: ${post}something new`,
  // an answer's own words are not the network's
  "failed to call webhook: the database says: connection refused",
  "failed to call webhook: x509: certificate signed by unknown authority",
  `failed to call webhook: ${post}the server could not find the requested resource`,
])("blamed on nothing: %s", (text) => {
  expect(readTrouble(text)).toBeUndefined();
});
