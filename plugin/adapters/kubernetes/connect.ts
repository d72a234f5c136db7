/** Connecting to a Kubernetes API server: flags and environment into the Cluster port. */
import { type KubeClient, type Login, requestDeadlineMs } from "../../ports/kubernetes";
import { systemClock } from "../clock";
import { Agents, type ClientPair } from "../http/agents";
import type { Limits } from "../http/exchange";
import { joinPems, readableRoots, systemRoots } from "../http/trust";
import { proxyFor, tunnelTo, verifyPeer } from "../http/tunnel";
import { Client } from "./client";
import { HttpCluster } from "./cluster";
import {
  chooseTarget,
  type ConnectionFlags,
  type ConnectOptions,
  podAccount,
  type RequestSeen,
  type ServerTarget,
  serviceAccountDir,
} from "./target";
import { type Impersonation, loadKubeconfig, type UserEntry } from "./kubeconfig";
import { type OutgoingHttpHeaders, validateHeaderValue } from "node:http";
import {
  EngineError,
  exitCodes,
  InputError,
  PermissionError,
  UsageError,
} from "../../domain/base/errors";
import { asArray, asString, getOwn } from "../../domain/base/values";
import {
  bearer,
  type Credential,
  type CredentialContext,
  type CredentialSource,
} from "./credentials";
import { ExecPlugin } from "./exec-plugin";
import { OidcLogin } from "./oidc";
import { readPem, tlsProblem } from "./pem";
import { fileProblem, follow, readText } from "../files";
import type { ConnectionOptions } from "node:tls";

const dialMs = 30_000;
const usualLoginMs = 5 * 60_000;

/**
 * The cluster that flags, environment and kubeconfig name. Sends nothing yet: what cannot work
 * whatever the server says (no configuration, unknown names, unreadable files) is a UsageError.
 */
export function connect(
  flags: ConnectionFlags,
  env: NodeJS.ProcessEnv,
  options: ConnectOptions = {},
): Promise<KubeClient> {
  return Promise.resolve().then(() => openCluster(flags, env, options));
}

function openCluster(
  flags: ConnectionFlags,
  env: NodeJS.ProcessEnv,
  options: ConnectOptions,
): KubeClient {
  const kubeconfig = loadKubeconfig(flags.kubeconfig, env);
  const explicit = flags.kubeconfig !== undefined;
  const dir = options.serviceAccountDir ?? serviceAccountDir;
  const target = chooseTarget(kubeconfig, flags, explicit ? undefined : podAccount(env, dir));
  const { requestTimeoutMs: answerMs = requestDeadlineMs } = flags;
  const limits = { answerMs, dialMs: options.dialTimeoutMs ?? dialMs };
  return new HttpCluster(openClient(target, env, { ...options, limits }), {
    server: renderServer(target),
    namespace: target.namespace,
    login: describeLogin(target),
  });
}

/** How a client is opened, beside where to. */
type ClientOptions = Omit<ConnectOptions, "dialTimeoutMs" | "serviceAccountDir"> & {
  readonly limits?: Partial<Limits>;
  readonly userAgent?: string;
};

/** A client of the API server that was chosen; sends nothing yet. */
export function openClient(
  target: ServerTarget,
  env: NodeJS.ProcessEnv,
  options: ClientOptions,
): Client {
  const { base, cluster, user, userName, clusterName } = target;
  const { clock = systemClock, signal, onRequest, onSlow, readOnly, onRefused } = options;
  const { warn = () => undefined, silent, isDocument } = options;
  const limits = { dialMs, answerMs: requestDeadlineMs, ...options.limits };
  const { trust, roots } = readTrust(target, env, warn);
  const proxy = proxyFor(base, env, cluster.proxyUrl);
  return new Client({
    base,
    place: { server: renderServer(target), clusterName, userName },
    agents: new Agents({
      tls: base.protocol === "https:" ? trust : undefined,
      open: tunnelTo(base, proxy, () => joinPems(systemRoots(env, warn), roots())),
    }),
    credentials: credentialSource({
      target,
      env,
      clock,
      timeoutMs: limits.answerMs,
      loginMs: options.loginTimeoutMs ?? usualLoginMs,
      silent,
      isDocument,
      warn,
    }),
    impersonation: impersonationHeaders(user),
    userAgent: options.userAgent ?? "kubectl-engine",
    compress: cluster.disableCompression !== true,
    clock,
    limits,
    signal,
    onRequest,
    onSlow,
    guard: readOnly === true ? refuseWrites(onRefused) : undefined,
  });
}

function describeLogin({
  contextName: context,
  userName,
  user: { as, asGroups },
}: ServerTarget): Login {
  return { context, user: userName, as, asGroups };
}

function renderServer({ base }: ServerTarget): string {
  return base.href.replace(/\/$/, "");
}

/** The headers that ask the server to act as someone else. */
function impersonationHeaders(whom: Impersonation): OutgoingHttpHeaders {
  const { as, asUid, asGroups = [], asExtra = {} } = whom;
  const extra = Object.entries(asExtra).map(([key, values]): [string, string[]] => [
    `Impersonate-Extra-${encodeURIComponent(key.toLowerCase())}`,
    asArray(values).flatMap((value) => asString(value) ?? []),
  ]);
  const headers: [string, string[]][] = [
    ["Impersonate-User", as === undefined ? [] : [as]],
    ["Impersonate-Uid", asUid === undefined ? [] : [asUid]],
    ["Impersonate-Group", [...asGroups]],
    ...extra,
  ];
  const given = headers.filter(([, values]) => values.length > 0);
  return Object.fromEntries(given.map(([name, values]) => [name, values.map(carryInHeader)]));
}

/** Header bytes are UTF-8, as Go sends them; control characters no header can carry. */
function carryInHeader(value: string): string {
  const bytes = Buffer.from(value, "utf8").toString("latin1");
  try {
    validateHeaderValue("Impersonate", bytes);
  } catch {
    throw new UsageError("a user, uid or group to impersonate holds control characters");
  }
  return bytes;
}

/** These are asked with a POST and change nothing: what may I do, and who am I. */
const questions: readonly string[] = [
  "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
  "/apis/authentication.k8s.io/v1/selfsubjectreviews",
];

/** A write was about to be sent over a connection that only reads: an error of the program. */
export class ReadOnlyError extends EngineError {
  readonly code = "READ_ONLY";
  readonly exitCode = exitCodes.failed;
}

/** Throws for every request that could change something, dry runs included; nothing is sent then. */
function refuseWrites(
  refused: ((request: RequestSeen) => void) | undefined,
): (request: RequestSeen) => void {
  return (request) => {
    const { method, path, dryRun } = request;
    if (method === "GET") return;
    if (method === "POST" && !dryRun && questions.includes(path)) return;
    refused?.(request);
    throw new ReadOnlyError(
      `${method} ${path} was not sent: this connection only reads${dryRun ? ", and a dry run is a write" : ""}`,
      { hint: "report this as an error of kubectl-engine; the cluster was not touched" },
    );
  };
}

/** The user's source; reads certificates at once, runs plugins at the first request. */
function credentialSource(site: CredentialContext): CredentialSource {
  const { user, userName } = site.target;
  return withPair(loginSource(site), readClientPair(user, userName));
}

/** The user's own client certificate goes with whatever brings none of its own. */
function withPair(login: CredentialSource, pair: () => ClientPair | undefined): CredentialSource {
  return {
    get: async () => {
      const credential = await login.get();
      return credential.pair === undefined ? { ...credential, pair: pair() } : credential;
    },
    refused: (used) => {
      const isOther = used.pair !== pair();
      return login.refused(used) || isOther;
    },
    accepted: (used) => login.accepted?.(used),
    close: () => {
      login.close();
    },
  };
}

function loginSource(site: CredentialContext): CredentialSource {
  const { user } = site.target;
  if (user.tokenFile !== undefined) return tokenFile(site);
  if (user.token !== undefined) return constant({ authorization: bearer(user.token) });
  if (user.username !== undefined) {
    const login = Buffer.from(`${user.username}:${user.password ?? ""}`).toString("base64");
    return constant({ authorization: `Basic ${login}` });
  }
  if (user.exec !== undefined) return new ExecPlugin(site, user.exec);
  if (user.authProvider !== undefined) return authProviderSource(site);
  return constant({});
}

function constant(credential: Credential): CredentialSource {
  return { get: () => Promise.resolve(credential), refused: () => false, close: () => undefined };
}

/** Read for every request: the kubelet replaces the file while we run. */
function tokenFile({ target }: CredentialContext): CredentialSource {
  const { user, userName } = target;
  const get = (): Credential => {
    const file = user.tokenFile ?? "";
    const read = readText(file);
    const token = "text" in read ? asString(read.text.trim()) : user.token;
    if (token !== undefined) return { authorization: bearer(token) };
    const problem = "text" in read ? `the file is empty: ${file}` : fileProblem(file, read.failure);
    throw new PermissionError(`cannot read the token of ${userName}: ${problem}`);
  };
  return {
    get: () => Promise.resolve().then(get),
    refused: ({ authorization }) => get().authorization !== authorization,
    close: () => undefined,
  };
}

/** The source for a user with an auth-provider; kubectl knows none but OIDC any more. */
function authProviderSource(site: CredentialContext): CredentialSource {
  const { user, userName } = site.target;
  const name = asString(getOwn(user.authProvider, "name")) ?? "";
  if (name === "oidc") return new OidcLogin(site);
  throw new PermissionError(`the auth provider "${name}" of ${userName} is not supported`, {
    hint: "give the user an exec credential plugin instead, as kubectl requires too",
  });
}

/** What the server's certificate has to fit, now: the kubeconfig's CA, else this machine's roots. */
function readTrust(
  { cluster, clusterName }: ServerTarget,
  env: NodeJS.ProcessEnv,
  warn: (text: string) => void,
): { readonly trust: () => ConnectionOptions; readonly roots: () => string | undefined } {
  const whose = `the certificate authority of ${clusterName}`;
  const names = cluster.tlsServerName === undefined ? [] : [cluster.tlsServerName];
  const isGiven = (cluster.caData ?? cluster.caFile) !== undefined;
  const machine = isGiven ? undefined : systemRoots(env, warn);
  const followedCa = follow(
    () => readPem(cluster.caData, cluster.caFile, whose),
    (text) => {
      const ca = text === undefined ? undefined : readableRoots(text, whose, warn);
      if (text !== undefined && ca === undefined) {
        throw new InputError(`cannot use ${whose}: no certificate in it can be read`);
      }
      const trust = {
        ...verifyPeer(ca ?? machine, names),
        ...(cluster.insecure === true && { rejectUnauthorized: false }),
      };
      return { ca, trust };
    },
  );
  return { trust: () => followedCa().trust, roots: () => followedCa().ca };
}

/** The user's own client certificate and key as they are now, undefined when it has none. */
function readClientPair(user: UserEntry, userName: string): () => ClientPair | undefined {
  return follow(
    () => ({
      cert: readPem(user.certData, user.certFile, `the client certificate of ${userName}`),
      key: readPem(user.keyData, user.keyFile, `the client key of ${userName}`),
    }),
    ({ cert, key }) => {
      if (cert === undefined || key === undefined) return undefined;
      usable({ cert, key }, `the client certificate and key of ${userName}`);
      return { cert, key };
    },
  );
}

function usable(pair: ClientPair, what: string): void {
  const problem = tlsProblem(pair);
  if (problem !== undefined) throw new InputError(`cannot use ${what}${problem}`);
}
