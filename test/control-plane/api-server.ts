import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Api } from "./api";
import { AuditLog, auditPolicy } from "./audit";
import { freePorts, worker } from "../support/free-ports";
import type { Daemon, Site } from "./site";
import { until } from "./until";

/**
 * Services get their addresses from this range of loopback addresses: a process that binds such an
 * address is then reached through a Service as in a cluster, without any proxy in between. Test files
 * run side by side, and each worker has a range of its own: all webhooks listen on the same port.
 */
const serviceNetwork = `127.${String(96 + worker)}`;

/** An address that a Service may ask for; `last` is its last number. */
export const makeServiceAddress = (last: number): string => `${serviceNetwork}.0.${String(last)}`;

export interface ServerSpec {
  readonly name: string;
  readonly etcdUrl: string;
  readonly users: Users;
  /** What the server shows to a webhook that asks; nothing without it. */
  readonly webhookClient?: WebhookClient;
  /** Whose ID tokens it accepts; nobody's without it. */
  readonly oidc?: OidcTrust;
  /**
   * Calls a webhook at the endpoints of its Service, as in a cluster, through the proxy at this socket (HTTP CONNECT), since no process
   * here has the address of a pod; absent: at the address of the Service.
   */
  readonly endpointsThrough?: string;
  /** Through which proxies it calls; absent: through none. */
  readonly env?: NodeJS.ProcessEnv;
  /** Of a server that was stopped, for one that takes its place; absent: a free one. */
  readonly port?: number;
}

/** An OpenID Connect provider that the server trusts; users are named by their `email`. */
export interface OidcTrust {
  readonly issuer: string;
  readonly clientId: string;
  /** File with the CA of the provider. */
  readonly caFile: string;
}

/** The server's identity as a client of one webhook. */
export interface WebhookClient {
  /** The name under which it calls, `<service>.<namespace>.svc`. */
  readonly host: string;
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

export interface ApiServer {
  readonly url: string;
  /** The certificate authority of the server, PEM. */
  readonly ca: string;
  /** REST calls as the admin. */
  readonly api: Api;
  readonly audit: AuditLog;
  readonly daemon: Daemon;
}

export async function startApiServer(site: Site, spec: ServerSpec): Promise<ApiServer> {
  const [port = 0] = spec.port === undefined ? await freePorts(1) : [spec.port];
  const url = `https://127.0.0.1:${String(port)}`;
  const files = writeServerFiles(site, spec.users);
  const auditFile = join(site.logsDir, `${spec.name}-audit.log`);
  const daemon = site.start({
    name: spec.name,
    file: site.binaries["kube-apiserver"],
    ...(spec.env !== undefined && { env: spec.env }),
    args: [
      `--etcd-servers=${spec.etcdUrl}`,
      `--secure-port=${String(port)}`,
      "--bind-address=127.0.0.1",
      "--advertise-address=127.0.0.1",
      `--service-cluster-ip-range=${serviceNetwork}.0.0/16`,
      // A loopback address is no valid endpoint of the Service `kubernetes`, which nobody uses here.
      "--endpoint-reconciler-type=none",
      `--cert-dir=${files.certDir}`,
      `--service-account-key-file=${files.accountKey}`,
      `--service-account-signing-key-file=${files.accountKey}`,
      "--service-account-issuer=https://kubernetes.default.svc",
      `--token-auth-file=${files.tokens}`,
      "--authorization-mode=RBAC",
      // No controller creates service accounts, so that no pod could be admitted.
      "--disable-admission-plugins=ServiceAccount",
      `--audit-policy-file=${files.auditPolicy}`,
      `--audit-log-path=${auditFile}`,
      "--audit-log-mode=blocking",
      // Never rotated: the log is read from its beginning.
      "--audit-log-maxsize=100000",
      ...oidcArgs(spec),
      ...admissionArgs(site, spec),
      ...endpointArgs(site, spec),
    ],
  });
  const ca = await until("the API server's certificate", () => {
    daemon.assertRunning();
    return readFileSync(join(files.certDir, "apiserver.crt"), "utf8") || undefined;
  });
  const api = new Api({ url, ca, token: spec.users.tokenOf("admin") });
  await until("the API server to be ready", async () => {
    daemon.assertRunning();
    return (await api.send("GET", "/readyz")).status === 200 || undefined;
  });
  return { url, ca, api, audit: new AuditLog(auditFile, api), daemon };
}

interface ServerFiles {
  readonly certDir: string;
  readonly accountKey: string;
  readonly tokens: string;
  readonly auditPolicy: string;
}

/** All servers of one control plane share one certificate and one key for account tokens. */
function writeServerFiles(site: Site, users: Users): ServerFiles {
  const certDir = join(site.dataDir, "pki");
  mkdirSync(certDir, { recursive: true, mode: 0o700 });
  const accountKey = join(certDir, "service-account.key");
  writeOnce(accountKey, () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    return privateKey.export({ type: "sec1", format: "pem" }).toString();
  });
  const policyFile = join(site.dataDir, "audit-policy.json");
  writeOnce(policyFile, () => JSON.stringify(auditPolicy));
  return { certDir, accountKey, tokens: users.writeTokenFile(), auditPolicy: policyFile };
}

function oidcArgs({ oidc }: ServerSpec): readonly string[] {
  if (oidc === undefined) return [];
  return [
    `--oidc-issuer-url=${oidc.issuer}`,
    `--oidc-client-id=${oidc.clientId}`,
    `--oidc-ca-file=${oidc.caFile}`,
    "--oidc-username-claim=email",
    "--oidc-groups-claim=groups",
  ];
}

function admissionArgs({ dataDir }: Site, { name, webhookClient }: ServerSpec): readonly string[] {
  if (webhookClient === undefined) {
    return [];
  }
  const { host, cert, key } = webhookClient;
  const write = (kind: string, content: object): string => {
    const file = join(dataDir, `${name}-${kind}.json`);
    writeFileSync(file, JSON.stringify(content), { mode: 0o600 });
    return file;
  };
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const kubeConfigFile = write("webhook-client", {
    apiVersion: "v1",
    kind: "Config",
    users: [
      {
        name: host,
        user: { "client-certificate-data": base64(cert), "client-key-data": base64(key) },
      },
    ],
  });
  const configuration = {
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "WebhookAdmissionConfiguration",
    kubeConfigFile,
  };
  const file = write("admission", {
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AdmissionConfiguration",
    plugins: [{ name: "ValidatingAdmissionWebhook", configuration }],
  });
  return [`--admission-control-config-file=${file}`];
}

function endpointArgs(
  { dataDir }: Site,
  { name, endpointsThrough: udsName }: ServerSpec,
): readonly string[] {
  if (udsName === undefined) return [];
  const connection = { proxyProtocol: "HTTPConnect", transport: { uds: { udsName } } };
  const configuration = {
    apiVersion: "apiserver.k8s.io/v1beta1",
    kind: "EgressSelectorConfiguration",
    egressSelections: [{ name: "cluster", connection }],
  };
  const file = join(dataDir, `${name}-egress.json`);
  writeFileSync(file, JSON.stringify(configuration), { mode: 0o600 });
  return ["--enable-aggregator-routing=true", `--egress-selector-config-file=${file}`];
}

function writeOnce(file: string, content: () => string): void {
  try {
    readFileSync(file);
  } catch {
    writeFileSync(file, content(), { mode: 0o600 });
  }
}

export interface User {
  readonly name: string;
  readonly groups?: readonly string[];
}

/** The admin may do everything; the others hold no right until a test grants them some. */
export const defaultUsers: readonly User[] = [
  { name: "admin", groups: ["system:masters"] },
  { name: "restricted" },
  { name: "viewer" },
  { name: "editor" },
];

export interface KubeconfigOptions {
  readonly user: string;
  readonly server: string;
  /** Certificate authority in PEM; an empty one leaves the field out. */
  readonly ca: string;
  readonly token: string;
  readonly namespace?: string;
}

/** Users known to the server by static tokens, recreated for each control plane. */
export class Users {
  private readonly tokens = new Map<string, string>();

  constructor(
    private readonly users: readonly User[],
    private readonly dir: string,
  ) {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    users.forEach(({ name }) => this.tokens.set(name, randomBytes(24).toString("hex")));
  }

  tokenOf(user: string): string {
    const token = this.tokens.get(user);
    if (token === undefined) {
      const known = [...this.tokens.keys()].join(", ");
      throw new Error(`no user ${user} was declared when the control plane was started (${known})`);
    }
    return token;
  }

  /** The file that kube-apiserver reads: one line a user, groups in quotes. */
  writeTokenFile(): string {
    const file = join(this.dir, "tokens.csv");
    const lines = this.users.map(({ name, groups = [] }) => {
      const fields = [this.tokenOf(name), name, name];
      return [...fields, ...(groups.length > 0 ? [`"${groups.join(",")}"`] : [])].join(",");
    });
    writeFileSync(file, `${lines.join("\n")}\n`, { mode: 0o600 });
    return file;
  }

  writeKubeconfig(options: Omit<KubeconfigOptions, "token">): string {
    const port = new URL(options.server).port;
    const parts = [options.user, port, options.namespace].filter((part) => part !== undefined);
    // a colon, as in the names of service accounts, would end a path in KUBECONFIG
    const file = join(this.dir, `${parts.join("-").replaceAll(":", "-")}.kubeconfig`);
    const config = kubeconfig({ ...options, token: this.tokenOf(options.user) });
    // a run that has just been started may be reading it
    const whole = `${file}.new`;
    writeFileSync(whole, `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600 });
    renameSync(whole, file);
    return file;
  }
}

/** A kubeconfig as data (JSON is YAML); tests spoil single fields of it. */
export function kubeconfig({ user, server, ca, token, namespace }: KubeconfigOptions): object {
  const name = "control-plane";
  const authority = Buffer.from(ca).toString("base64");
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      { name, cluster: { server, ...(ca ? { "certificate-authority-data": authority } : {}) } },
    ],
    users: [{ name: user, user: { token } }],
    contexts: [
      { name, context: { cluster: name, user, ...(namespace === undefined ? {} : { namespace }) } },
    ],
    "current-context": name,
  };
}

export interface Etcd {
  readonly url: string;
  readonly daemon: Daemon;
}

/** One etcd that forgets everything when it ends, so that it need not wait for the disk. */
export async function startEtcd(site: Site): Promise<Etcd> {
  const [clientPort, peerPort] = await freePorts(2);
  const url = `http://127.0.0.1:${String(clientPort)}`;
  const peerUrl = `http://127.0.0.1:${String(peerPort)}`;
  const daemon = site.start({
    name: "etcd",
    file: site.binaries.etcd,
    args: [
      "--name=only",
      `--data-dir=${join(site.dataDir, "etcd")}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=only=${peerUrl}`,
      "--unsafe-no-fsync",
    ],
  });
  await until("etcd to be healthy", async () => {
    daemon.assertRunning();
    const answer = await fetch(`${url}/health`);
    return answer.ok || undefined;
  });
  return { url, daemon };
}
