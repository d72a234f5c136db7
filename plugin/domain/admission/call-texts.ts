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
  | "handshake"
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

/** The phrases of the statuses by which a proxy refuses to connect. */
const phrases =
  "Bad Request|Unauthorized|Forbidden|Not Found|Method Not Allowed|Proxy Authentication Required|Request Time-?out|" +
  "Too Many Requests|Internal Server Error|Not Implemented|Bad Gateway|Service Unavailable|Gateway Time-?out";

/** Why there is no connection, or what became of it: what follows `Post "URL": `. */
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
    text: new RegExp(`^proxyconnect |^socks connect |^unknown status code$|^(?:${phrases})$`),
    means: "proxy",
    source: "net/http, CONNECT and SOCKS",
  },
  { text: /^dial tcp: (?:lookup|address) /, means: "no-name", source: "net, DNSError, AddrError" },
  {
    text: /No (?:agent|backend) available|failed to dial backend|dialing timed out|tunnel (?:is )?closed|^dial (?:timeout,|closed|unix )|^proxy error from |^reading HTTP response from CONNECT|^unexpected \d+ bytes of buffered data from CONNECT|^rpc error: code = /,
    means: "tunnel",
    source: "apiserver-network-proxy; apiserver/pkg/server/egressselector",
  },
  {
    text: /: connection refused$|^ssh: rejected: connect failed \(Connection refused\)$/,
    means: "closed",
    source: "net, errno; tunnels of providers",
  },
  {
    text: /deadline exceeded|i\/o timeout|TLS handshake timeout|timeout awaiting response headers|Client\.Timeout exceeded|: connection timed out$|^no answer within /,
    means: "late",
    source: "context, net, net/http",
  },
  {
    text: /^Address is not allowed|^ssh: rejected: |: (?:operation not permitted|permission denied|invalid argument|network is (?:unreachable|down)|no route to host|host is down|cannot assign requested address|address family not supported by protocol)$/,
    means: "no-route",
    source: "net, errno; tunnels of providers",
  },
  {
    text: /\bGOAWAY\b|^http2: client conn|^http2: Transport: cannot retry|cannot rewind body|context canceled|operation was canceled|request canceled|server closed idle connection/,
    means: "lost",
    source: "golang.org/x/net/http2, net/http, context",
  },
  {
    text: /server gave HTTP response to HTTPS client|first record does not look like a TLS handshake|unsupported SSLv2 handshake|tls: oversized record/,
    means: "no-tls",
    source: "net/http, crypto/tls",
  },
  {
    text: /remote error: tls: (?:protocol version not supported|insufficient security level|inappropriate fallback)|tls: server (?:selected unsupported|chose an unconfigured cipher suite)|tls: received record with version|tls: FIPS 140-3 requires/,
    means: "tls-version",
    source: "crypto/tls, alerts",
  },
  {
    text: /remote error: tls: handshake failure/,
    means: "handshake",
    source: "crypto/tls, alerts",
  },
  {
    text: /remote error: tls: (?:internal error|unrecognized name)|tls: received empty certificates message/,
    means: "no-certificate",
    source: "crypto/tls, alerts",
  },
  {
    text: /remote error: tls: (?:(?:bad|unknown|expired|revoked|unsupported) certificate|unknown certificate authority|certificate required|access denied)/,
    means: "client-certificate",
    source: "crypto/tls, alerts",
  },
  {
    text: /^(?:tls: failed to verify certificate: )?x509: certificate has expired or is not yet valid/,
    means: "expired",
    source: "crypto/x509",
  },
  {
    text: /^(?:tls: failed to verify certificate: )?x509: (?:certificate (?:is valid for |is not valid for any names|relies on legacy Common Name)|cannot validate certificate for )/,
    means: "other-name",
    source: "crypto/x509",
  },
  {
    text: /^(?:tls: failed to verify certificate: )?x509: (?:certificate signed by unknown authority|failed to load system roots)/,
    means: "untrusted",
    source: "crypto/x509",
  },
  {
    text: /^(?:tls: failed to verify certificate: )?x509: |tls: (?:failed to parse certificate from server|invalid signature by the server certificate|certificate used with invalid signature|server sent certificate|server certificate contains|server's certificate|no FIPS compatible certificate)/,
    means: "unfit",
    source: "crypto/x509, crypto/tls",
  },
  {
    text: /\bEOF$|connection reset by peer|broken pipe|software caused connection abort|use of closed network connection|^(?:stream|connection) error: /,
    means: "cut",
    source: "net, io, golang.org/x/net/http2",
  },
  {
    text: /remote error: tls: no application protocol|transport connection broken: |malformed HTTP |stopped after \d+ redirects|failed to parse Location header|response headers exceeded|frame header looked like an HTTP\/1\.1 header|^gzip: |\bchunk(?:ed)? (?:length|line|encoding)/,
    means: "no-http",
    source: "net/http, compress/gzip, golang.org/x/net/http2, crypto/tls",
  },
];

/** Something has answered, or the call was never made: what follows `failed calling webhook "NAME": `. */
const ofAnswers: readonly CallText[] = [
  {
    text: /^could not get REST client: unable to load root certificates/,
    means: "bundle",
    source: "apiserver/pkg/util/webhook",
  },
  // in this webhook's own words
  { text: /^there is nothing at this path$/, means: "no-path", source: "webhook/app" },
  {
    text: /^the client certificate is for someone else$/,
    means: "client-certificate",
    source: "webhook/review/call",
  },
  { text: /^too many (?:large )?reviews at once/, means: "busy", source: "webhook/review/call" },
  {
    text: /^the body is larger than \d+ bytes$/,
    means: "too-large",
    source: "webhook/review/body",
  },
  {
    text: /^(?:cannot judge: |a rule failed, see the webhook's log$|the call failed$)/,
    means: "broken",
    source: "webhook/review",
  },
  {
    text: /does not accept known AdmissionReview versions/,
    means: "review-versions",
    source: "apiserver, webhook/request",
  },
  {
    text: /^(?:an error on the server \(")?(?:RBAC: access denied|upstream connect error|upstream request timeout|no healthy upstream)/,
    means: "mesh",
    source: "Envoy",
  },
  {
    text: /^received (?:invalid webhook response|undecodable patch)|^unsupported patch type |^(?:Internal error occurred: )?(?:couldn't get version\/kind|no kind "[^"]*" is registered|json: |yaml: |proto: |mime: |illegal base64 data|converting \(|0-length response|Object '\w+' is missing)/,
    means: "no-review",
    source: "apiserver, webhook/request; apimachinery, serializers",
  },
  {
    text: /^the server (?:rejected our request|reported a conflict)/,
    means: "no-review",
    source: "apimachinery/pkg/api/errors",
  },
  {
    text: /^the server could not find the requested resource|^the server does not allow this method|^the server responded with the status code (?:3|404|405|406|410)|unable to respond with a content type/,
    means: "no-path",
    source: "apimachinery/pkg/api/errors",
  },
  {
    // the answer's own words are told of few statuses: of 403 without any, none or "unknown", else a page
    text: /^(?:unknown)?$|^<|has asked for the client to provide credentials|^(?:forbidden|unauthorized|access denied)\b/i,
    means: "caller",
    source: "apimachinery/pkg/api/errors",
  },
  {
    text: /^the server has received too many requests|^the server is currently unable to handle the request/,
    means: "busy",
    source: "apimachinery/pkg/api/errors",
  },
  {
    text: /^the server was unable to return a response in the time allotted|status code 408\b/,
    means: "late",
    source: "apimachinery/pkg/api/errors",
  },
  {
    text: /^request entity too large|status code 413\b/i,
    means: "too-large",
    source: "apimachinery/pkg/api/errors",
  },
  {
    text: /^the server responded with the status code \d/,
    means: "no-http",
    source: "apimachinery/pkg/api/errors",
  },
  {
    text: /^an error on the server \(/,
    means: "broken",
    source: "apimachinery/pkg/api/errors",
  },
];

const calling = /^(?:Internal error occurred: )?failed calling webhook "[^"]*": /;
/** A limit of this tool's own belongs here as well: then no text of the API server came. */
const ofTheCall =
  /^(?:Post "?([^" ]*)"?: |(?:unexpected|stream) error when reading response body.* Original error: |(?=no answer within ))([^]*)$/;

/** What the text of a failed call means; undefined where no row knows it. */
export function readTrouble(text: string): CallTrouble | undefined {
  const said = text.replace(calling, "").replace(/^failed to call webhook: ?/, "");
  const [isCall, url, call = ""] = ofTheCall.exec(said) ?? [];
  if (isCall === undefined) return find(ofAnswers, said);
  // an API server tells each webhook its limit: without it, the call was sent on to somewhere else
  return url?.includes("timeout=") === false ? "no-http" : find(ofCalls, call);
}

/**
 * Whether an edit was refused because a condition of a webhook (matchConditions) could not be evaluated for it: the
 * text names the expression, and not whose it is (apiserver, webhook/matchconditions).
 */
export function isUnevaluated(text: string): boolean {
  return /^\S+ "[^"]*" is forbidden: \[?expression '/.test(text);
}

function find(rows: readonly CallText[], said: string): CallTrouble | undefined {
  return rows.find((one) => one.text.test(said))?.means;
}
