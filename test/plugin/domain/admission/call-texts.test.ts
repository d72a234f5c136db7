/**
 * What each text of an API server means: those that a real one has said (test/control-plane/call-texts.test.ts), and those
 * that need more than one machine, in the words of their sources, beside what they may be mistaken for.
 */
import {
  type CallTrouble,
  isUnevaluated,
  readTrouble,
} from "../../../../plugin/domain/admission/call-texts";
import { readGoVerdicts } from "../../../support/go-verdicts";
import { readProducedTexts } from "../../../support/produced-call-texts";

const post =
  'failed to call webhook: Post "https://admission.engine.svc:443/admission?timeout=30s": ';
const dial = `${post}dial tcp 10.96.9.9:443: `;

test.each(readProducedTexts().map((one) => [one.title, one] as const))(
  "as it was said: %s",
  (title, { means, text }) => {
    const isCondition = /conditions? that cannot be evaluated$/.test(title);
    expect([text, readTrouble(text), isUnevaluated(text)]).toEqual([text, means, isCondition]);
  },
);

/** What Go said of certificates: which link each of its texts blames. */
const verdicts: Readonly<Record<string, CallTrouble>> = {
  "unable to load root certificates": "bundle",
  "certificate has expired or is not yet valid": "expired",
  "certificate is valid for": "other-name",
  "certificate is not valid for any names": "other-name",
  "certificate relies on legacy Common Name": "other-name",
  "certificate signed by unknown authority": "untrusted",
  "remote error: tls: handshake failure": "handshake",
  "remote error: tls: internal error": "no-certificate",
};

test.each(
  [...new Set(readGoVerdicts().rows.flatMap(({ go, go123 = go }) => [go, go123]))].filter(
    (one) => one !== "accepted",
  ),
)("of a certificate: %s", (said) => {
  const told = Object.keys(verdicts).find((one) =>
    said.replace(/^tls:.*? x509: /, "").startsWith(one),
  );
  const isBundle = told === "unable to load root certificates";
  const text = isBundle ? `could not get REST client: ${said}` : `${post}${said}`;
  expect([text, readTrouble(text)]).toEqual([text, verdicts[told ?? ""] ?? "unfit"]);
});

/** What needs a network, a tunnel or an older API server; beside each the file of its source that says so. */
const elsewhere: readonly (readonly [CallTrouble, source: string, ...texts: readonly string[]])[] =
  [
    [
      "no-name",
      "net/dnsclient_unix.go",
      `${post}dial tcp: lookup gate.example.com on 10.96.0.10:53: no such host`,
      `${post}dial tcp: lookup gate.example.com on 10.96.0.10:53: server misbehaving`,
      `${post}dial tcp: lookup gate.example.com: i/o timeout`,
      `${post}dial tcp: lookup gate.example.com on [fd00::a]:53: read udp [fd00::2]:4000->[fd00::a]:53: connection refused`,
    ],
    [
      "tunnel",
      "konnectivity-client/pkg/client/client.go, conn.go",
      `${post}dial timeout, backstop`,
      `${post}dial timeout, context`,
      `${post}dial closed`,
      `${post}tunnel closed`,
      `${post}tunnel is closed`,
    ],
    [
      "tunnel",
      "apiserver-network-proxy/pkg/server/backend_manager.go, server.go",
      `${post}No agent available`,
      `${post}No backend available`,
      `${post}failed to dial backend, dialing timed out`,
    ],
    [
      "tunnel",
      "google.golang.org/grpc/internal/status/status.go",
      `${post}rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial unix /run/konnectivity.socket: connect: no such file or directory"`,
    ],
    [
      "tunnel",
      "apiserver/pkg/server/egressselector",
      `${post}dial unix /run/konnectivity.socket: connect: connection refused`,
    ],
    [
      // the agent's own words
      "closed",
      "apiserver-network-proxy/pkg/agent/client.go",
      `${post}dial tcp [2001:db8::7]:8443: connect: connection refused`,
    ],
    [
      "closed",
      "golang.org/x/crypto/ssh/channel.go",
      `${post}ssh: rejected: connect failed (Connection refused)`,
    ],
    [
      "no-route",
      "golang.org/x/crypto/ssh/channel.go, tunnels of providers",
      `${post}Address is not allowed`,
      `${post}ssh: rejected: administratively prohibited (open failed)`,
    ],
    [
      "no-route",
      "syscall/zerrors_linux_amd64.go",
      ...[
        "network is unreachable",
        "network is down",
        "no route to host",
        "host is down",
        "operation not permitted",
        "permission denied",
        "invalid argument",
        "cannot assign requested address",
        "address family not supported by protocol",
      ].map((errno) => `${dial}connect: ${errno}`),
      `${post}dial tcp [fd00::7]:443: connect: network is unreachable`,
      `${post}read tcp [fd00::2]:5000->[fd00::7]:8443: read: no route to host`,
    ],
    [
      "late",
      "net/http/client.go, transport.go, h2_bundle.go",
      `${post}context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
      `${post}net/http: TLS handshake timeout`,
      `${post}net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)`,
      `${post}http2: timeout awaiting response headers`,
    ],
    [
      "late",
      "net/net.go, syscall/zerrors_linux_amd64.go",
      `${dial}i/o timeout`,
      `${dial}connect: connection timed out`,
      `${post}dial tcp [fd00::7]:443: i/o timeout`,
      `${post}read tcp 10.0.0.2:5000->10.0.0.7:8443: read: connection timed out`,
    ],
    ["late", "this tool", "no answer within 5 s"],
    [
      "proxy",
      "net/http/socks_bundle.go",
      `${post}socks connect tcp 10.9.9.9:1080->10.0.0.7:8443: unknown error host unreachable`,
    ],
    [
      "proxy",
      "net/http/transport.go",
      `${post}Bad Gateway`,
      `${post}Gateway Time-out`,
      `${post}unknown status code`,
    ],
    [
      "lost",
      "net/http/h2_bundle.go, transport.go",
      `${post}http2: client connection lost`,
      `${post}http2: client connection force closed via ClientConn.Close`,
      `${post}http2: client conn not usable`,
      `${post}http2: Transport: cannot retry err [http2: Transport received Server's graceful shutdown GOAWAY] after Request.Body was written; define Request.GetBody to avoid this error`,
      `${post}http: server closed idle connection`,
      `${post}net/http: cannot rewind body after connection loss`,
      `${post}net/http: request canceled`,
    ],
    [
      "lost",
      "context/context.go, net/net.go",
      `${post}context canceled`,
      `${dial}operation was canceled`,
    ],
    [
      "cut",
      "syscall/zerrors_linux_amd64.go, internal/poll/fd.go",
      `${post}write tcp 10.0.0.2:5000->10.0.0.7:8443: write: broken pipe`,
      `${post}write tcp 10.0.0.2:5000->10.0.0.7:8443: use of closed network connection`,
      `${post}read tcp [fd00::2]:5000->[fd00::7]:8443: read: connection reset by peer`,
      `${post}read tcp 10.0.0.2:5000->10.0.0.7:8443: read: software caused connection abort`,
    ],
    [
      "tls-version",
      "crypto/tls/handshake_client_tls13.go, conn.go",
      `${post}tls: server selected unsupported group`,
      `${post}tls: received record with version 302 when expecting version 303`,
      `${post}tls: FIPS 140-3 requires the use of Extended Master Secret`,
    ],
    [
      "no-certificate",
      "crypto/tls/handshake_client_tls13.go",
      `${post}tls: received empty certificates message`,
    ],
    [
      "unfit",
      "crypto/tls/handshake_client_tls13.go, key_agreement.go, common.go",
      `${post}tls: certificate used with invalid signature algorithm`,
      `${post}tls: server certificate contains incorrect key type for selected ciphersuite`,
      `${post}tls: no FIPS compatible certificate chains found`,
    ],
    [
      "untrusted",
      "crypto/x509/verify.go",
      `${post}tls: failed to verify certificate: x509: failed to load system roots and no roots provided`,
    ],
    [
      // a reason in the hint is that of another certificate
      "untrusted",
      "crypto/x509/verify.go",
      `${post}tls: failed to verify certificate: x509: certificate signed by unknown authority (possibly because of "x509: certificate has expired or is not yet valid" while trying to verify candidate authority certificate "root")`,
    ],
    [
      "review-versions",
      "apiserver/pkg/admission/plugin/webhook/request/admissionreview.go, of an entry from before version 1",
      "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)",
    ],
    [
      "no-review",
      "apiserver/pkg/admission/plugin/webhook/mutating/dispatcher.go",
      "received undecodable patch in webhook response: invalid character 'x' looking for beginning of value",
      'unsupported patch type "MergePatch"',
    ],
    [
      "no-review",
      "apimachinery/pkg/runtime/error.go",
      "failed to call webhook: Object 'Kind' is missing in '{}'",
    ],
    [
      "no-http",
      "net/http/internal/chunked.go",
      "failed to call webhook: unexpected error when reading response body. Please retry. Original error: malformed chunked encoding",
    ],
    [
      "late",
      "apiserver/pkg/admission/plugin/webhook/validating/dispatcher.go, before 1.23, and net/url/url.go before Go 1.14",
      "Post https://admission.engine.svc:443/admission?timeout=30s: context deadline exceeded",
    ],
    ["no-path", "webhook/app.ts", "failed to call webhook: there is nothing at this path"],
    [
      "client-certificate",
      "webhook/review/call.ts",
      "failed to call webhook: the client certificate is for someone else",
    ],
    [
      "busy",
      "webhook/review/call.ts",
      "failed to call webhook: too many reviews at once",
      "failed to call webhook: too many large reviews at once",
      "failed to call webhook: too many reviews at once, and the body is late",
    ],
    [
      "too-large",
      "webhook/review/body.ts",
      "failed to call webhook: the body is larger than 3145728 bytes",
    ],
    [
      "broken",
      "webhook/review",
      "failed to call webhook: cannot judge: the body did not arrive in time",
      "failed to call webhook: a rule failed, see the webhook's log",
      "failed to call webhook: the call failed",
    ],
    // a server may quote any of the words above
    ...[
      "dial tcp 10.0.0.9:5432: connect: connection refused",
      "x509: certificate signed by unknown authority",
      "calling it: upstream connect error",
    ].map(
      (words) =>
        [
          "broken",
          "apimachinery/pkg/api/errors/errors.go",
          `failed to call webhook: an error on the server (${JSON.stringify(words)}) has prevented the request from succeeding`,
        ] as const,
    ),
  ];

const rows = elsewhere.flatMap(([means, , ...texts]) =>
  texts.map((text) => [means, text] as const),
);

test.each(rows)("%s: %s", (means, text) => {
  expect(readTrouble(`Internal error occurred: failed calling webhook "gate": ${text}`)).toBe(
    means,
  );
  expect(readTrouble(text)).toBe(means);
});

/** TLS alerts that tell of no one link, errors of the API server's own, words of the webhook, and what is new. */
test.each([
  "failed to call webhook: something new",
  `${post}something new`,
  `${post}remote error: tls: encrypted client hello required`,
  `${post}local error: tls: bad record MAC`,
  `${post}dial tcp 10.96.9.9:443: socket: too many open files`,
  "could not get REST client: tls: private key does not match public key",
  "Webhook SideEffects is nil",
  // an answer's own words are not the network's
  "failed to call webhook: the database says: connection refused",
  "failed to call webhook: x509: certificate signed by unknown authority",
  'failed to call webhook: asking Post "https://db.example/?timeout=5s": dial tcp 10.0.0.9:5432: connect: connection refused',
  `${post}the server could not find the requested resource`,
])("blamed on nothing: %s", (text) => {
  expect(readTrouble(text)).toBeUndefined();
});

test("a policy is no condition of a webhook", () => {
  const policy = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request";
  expect(isUnevaluated(`edbs.x "a" is forbidden: ${policy}: expression 'false' failed`)).toBe(
    false,
  );
});
