/**
 * What API servers say of a webhook call that failed. The words are those of their sources and of the libraries and
 * tunnels that they call through; a row names where they come from. A text that no row knows is blamed on nothing.
 */

/** What a text means. */
export type CallTrouble =
  | "no-endpoints"
  | "no-service"
  | "no-address"
  | "no-port"
  | "proxy"
  | "no-name"
  | "tunnel"
  | "no-route"
  | "late"
  | "closed"
  | "lost"
  | "cut"
  | "no-tls"
  | "no-http"
  | "tls-version"
  | "no-certificate"
  | "client-certificate"
  | "expired"
  | "other-name"
  | "untrusted"
  | "unfit"
  | "bundle"
  | "review-versions"
  | "no-review"
  | "no-path"
  | "mesh"
  | "caller"
  | "busy"
  | "too-large"
  | "broken";

interface CallText {
  readonly text: RegExp;
  readonly means: CallTrouble;
  /** Where the words come from. */
  readonly source: string;
}

/** The answer never came: what follows `Post "URL": `. */
const ofCalls: readonly CallText[] = [
  {
    text: /^no endpoints available for service /,
    means: "no-endpoints",
    source: "apiserver/pkg/util/proxy",
  },
  { text: /^service "[^"]*" not found$/, means: "no-service", source: "client-go/listers" },
  {
    text: /^cannot route to service with ClusterIP|^unsupported service type /,
    means: "no-address",
    source: "apiserver/pkg/util/proxy",
  },
  {
    text: /^no service port \S+ found for service /,
    means: "no-port",
    source: "apiserver/pkg/util/proxy",
  },
  {
    text: /^proxyconnect |^(?:Forbidden|Service Unavailable|Bad Gateway|Gateway Time-?out|Proxy Authentication Required)$/,
    means: "proxy",
    source: "net/http, CONNECT",
  },
  { text: /^dial tcp: lookup /, means: "no-name", source: "net, DNSError" },
  {
    text: /No agent available|failed to dial backend|dialing timed out|tunnel (?:is )?closed|^dial (?:timeout,|closed)|^proxy error from |^reading HTTP response from CONNECT|^rpc error: code = /,
    means: "tunnel",
    source: "apiserver-network-proxy; apiserver/pkg/server/egressselector",
  },
  {
    text: /^Address is not allowed|ssh: rejected: |: operation not permitted$|: (?:network is unreachable|no route to host|host is down)$/,
    means: "no-route",
    source: "net, errno; tunnels of providers",
  },
  {
    text: /context deadline exceeded|i\/o timeout|TLS handshake timeout|Client\.Timeout exceeded|: connection timed out$|^no answer within /,
    means: "late",
    source: "context, net, net/http",
  },
  { text: /: connection refused$/, means: "closed", source: "net, errno" },
  {
    text: /http2: client connection (?:lost|force closed)|server sent GOAWAY|context canceled|use of closed network connection|server closed idle connection/,
    means: "lost",
    source: "golang.org/x/net/http2, context",
  },
  {
    text: /server gave HTTP response to HTTPS client|first record does not look like a TLS handshake|tls: oversized record/,
    means: "no-tls",
    source: "net/http, crypto/tls",
  },
  { text: /malformed HTTP |stopped after \d+ redirects/, means: "no-http", source: "net/http" },
  {
    text: /remote error: tls: (?:protocol version not supported|insufficient security level|inappropriate fallback)|tls: server selected unsupported protocol version/,
    means: "tls-version",
    source: "crypto/tls, alerts",
  },
  {
    text: /remote error: tls: (?:internal error|handshake failure|unrecognized name|no application protocol)/,
    means: "no-certificate",
    source: "crypto/tls, alerts",
  },
  {
    text: /remote error: tls: (?:(?:bad|unknown|expired|revoked|unsupported) certificate|unknown certificate authority|certificate required|access denied)/,
    means: "client-certificate",
    source: "crypto/tls, alerts",
  },
  {
    text: /x509: certificate has expired or is not yet valid/,
    means: "expired",
    source: "crypto/x509",
  },
  {
    text: /x509: certificate (?:is valid for |is not valid for any names|relies on legacy Common Name)|x509: cannot validate certificate for /,
    means: "other-name",
    source: "crypto/x509",
  },
  {
    text: /x509: certificate signed by unknown authority/,
    means: "untrusted",
    source: "crypto/x509",
  },
  {
    text: /x509: |failed to parse certificate from server/,
    means: "unfit",
    source: "crypto/x509, crypto/tls",
  },
  {
    text: /\bEOF\b|connection reset by peer|broken pipe|^stream error: /,
    means: "cut",
    source: "net, io, golang.org/x/net/http2",
  },
];

/** Something has answered, or the call was never made: what follows `failed calling webhook "NAME": `. */
const ofAnswers: readonly CallText[] = [
  {
    text: /^could not get REST client: unable to load root certificates/,
    means: "bundle",
    source: "apiserver/pkg/util/webhook",
  },
  {
    text: /does not accept known AdmissionReview versions/,
    means: "review-versions",
    source: "apiserver, webhook/request",
  },
  {
    text: /RBAC: access denied|upstream connect error|upstream request timeout|no healthy upstream/,
    means: "mesh",
    source: "Envoy",
  },
  {
    text: /^received invalid webhook response: |couldn't get version\/kind|no kind "[^"]*" is registered|json: cannot unmarshal|converting \(|0-length response|Object '\w+' is missing/,
    means: "no-review",
    source: "apiserver, webhook/request; apimachinery, serializers",
  },
  {
    text: /(?:unexpected|stream) error when reading response body/,
    means: "cut",
    source: "client-go/rest",
  },
  {
    text: /the server could not find the requested resource|the server does not allow this method|the server responded with the status code (?:3|404|405|406)|unable to respond with a content type/,
    means: "no-path",
    source: "apimachinery/pkg/api/errors",
  },
  {
    text: /has asked for the client to provide credentials|^failed to call webhook: (?:forbidden|unauthorized|access denied)\b/i,
    means: "caller",
    source: "apimachinery/pkg/api/errors",
  },
  {
    text: /the server has received too many requests|the server is currently unable to handle the request/,
    means: "busy",
    source: "apimachinery/pkg/api/errors",
  },
  {
    text: /the server was unable to return a response in the time allotted/,
    means: "late",
    source: "apimachinery/pkg/api/errors",
  },
  {
    text: /request entity too large|status code 413\b/,
    means: "too-large",
    source: "apimachinery/pkg/api/errors",
  },
  {
    text: /an error on the server \(/,
    means: "broken",
    source: "apimachinery/pkg/api/errors",
  },
];

const asked = /\bPost "[^"]*": ([^]*)$/;

/** What the text of a failed call means; undefined where no row knows it. */
export function readTrouble(text: string): CallTrouble | undefined {
  const calling = /^(?:Internal error occurred: )?failed calling webhook "[^"]*": ([^]*)$/;
  const said = calling.exec(text)?.[1] ?? text;
  const [, call] = asked.exec(said) ?? [];
  // a limit of this tool's own: then no text of the API server came
  const isCall = call !== undefined || said.startsWith("no answer within ");
  return (isCall ? ofCalls : ofAnswers).find((one) => one.text.test(call ?? said))?.means;
}
