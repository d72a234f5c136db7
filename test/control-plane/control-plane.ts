import { delimiter, join } from "node:path";
import type { Api } from "./api";
import {
  type ApiServer,
  defaultUsers,
  type ServerSpec,
  startApiServer,
  startEtcd,
  type User,
  Users,
} from "./api-server";
import { type AuditEvent, fits, isWrite, type WriteFilter } from "./audit";
import { type Binaries, findBinaries, findProgram, type Log, logToStderr } from "./binaries";
import { run, type RunResult } from "./run";
import { openSite, type Site } from "./site";
import { repositoryRoot } from "./pins";

export interface ControlPlaneOptions {
  readonly log?: Log;
  /** The folder in which the scratch folder is made; the system's temporary one by default. */
  readonly dir?: string;
  /** Known to the server besides the default ones (users.ts). */
  readonly users?: readonly User[];
  readonly server?: Pick<ServerSpec, "endpointsThrough" | "env">;
}

/** What a second API server on the same store offers. */
export interface Server {
  readonly url: string;
  /** The certificate authority of the server, PEM. */
  readonly ca: string;
  readonly api: Api;
  readonly kubeconfig: string;
  /** Of its process, for tests that hold it up. */
  readonly pid: number | undefined;
  kubeconfigFor(user: string, namespace?: string): string;
  stop(): Promise<void>;
}

/** How far the audit logs of all servers had grown at one moment. */
export type AuditMark = ReadonlyMap<string, number>;

export interface ControlPlane extends Omit<Server, "stop"> {
  readonly binaries: Binaries;
  readonly site: Site;
  readonly logsDir: string;
  /** The environment of the kubectl helper, for tests that start a process of their own. */
  kubectlEnv(kubeconfig?: string): NodeJS.ProcessEnv;
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<RunResult>;
  /** Stops the first server, does this, and starts another one in its place. */
  withoutServer(act: () => Promise<unknown>): Promise<void>;
  addServer(
    options?: Pick<ServerSpec, "webhookClient" | "oidc" | "endpointsThrough">,
  ): Promise<Server>;
  auditMark(): Promise<AuditMark>;
  /** The events of all servers since the mark, else all, in the order of their arrival. */
  auditEvents(since?: AuditMark): Promise<readonly AuditEvent[]>;
  /** The write requests among them: no dry runs, no access reviews. */
  writesSince(mark: AuditMark, filter?: WriteFilter): Promise<readonly AuditEvent[]>;
  stop(options?: { readonly keepLogs?: boolean }): Promise<void>;
}

/** Starts etcd and kube-apiserver on loopback; both end with this process at the latest. */
export async function startControlPlane({
  log = logToStderr,
  dir,
  users: moreUsers = [],
  server = {},
}: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const binaries = await findBinaries(log);
  const site = openSite(binaries, dir);
  try {
    const users = new Users([...defaultUsers, ...moreUsers], join(site.dataDir, "users"));
    const etcd = await startEtcd(site);
    const spec = { name: "kube-apiserver", etcdUrl: etcd.url, users, ...server };
    return controlPlaneOf(site, spec, await startApiServer(site, spec));
  } catch (cause) {
    await site.close({ keepLogs: true });
    const because = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`the control plane did not start (logs: ${site.logsDir}): ${because}`, {
      cause,
    });
  }
}

function controlPlaneOf(site: Site, spec: ServerSpec, first: ApiServer): ControlPlane {
  const servers = [first];
  const face = faceOf(first, spec.users);
  let daemon = first.daemon;
  const auditEvents = async (since?: AuditMark): Promise<readonly AuditEvent[]> => {
    const perServer = await Promise.all(
      servers.map(async ({ audit }) => (await audit.read()).slice(since?.get(audit.file) ?? 0)),
    );
    const received = (event: AuditEvent): string => event.requestReceivedTimestamp;
    return perServer.flat().sort((a, b) => received(a).localeCompare(received(b), "en"));
  };
  return {
    ...face,
    get pid() {
      return daemon.pid;
    },
    withoutServer: async (act) => {
      // what it has recorded is read on from the log, to which its successor adds
      await daemon.stop({ patienceMs: 20_000 });
      await act();
      const port = Number(new URL(first.url).port);
      const next = await startApiServer(site, { ...spec, port });
      next.api.close();
      ({ daemon } = next);
    },
    binaries: site.binaries,
    site,
    logsDir: site.logsDir,
    kubectlEnv: (kubeconfig = face.kubeconfig) => kubectlEnv(site, kubeconfig),
    kubectl: (args, options = {}) =>
      runKubectl(site, args, { kubeconfig: face.kubeconfig, ...options }),
    addServer: async (options = {}) => {
      const name = `kube-apiserver-${String(servers.length + 1)}`;
      const server = await startApiServer(site, { ...spec, ...options, name });
      servers.push(server);
      return {
        ...faceOf(server, spec.users),
        stop: async () => {
          await server.audit.finish();
          await server.daemon.stop();
          server.api.close();
        },
      };
    },
    auditMark: async () =>
      new Map(
        await Promise.all(
          servers.map(async ({ audit }) => [audit.file, (await audit.read()).length] as const),
        ),
      ),
    auditEvents,
    writesSince: async (mark, filter = {}) =>
      (await auditEvents(mark)).filter((event) => isWrite(event) && fits(event, filter)),
    stop: async ({ keepLogs = false } = {}) => {
      servers.forEach(({ api }) => {
        api.close();
      });
      await site.close({ keepLogs });
    },
  };
}

function faceOf({ url, ca, api, daemon }: ApiServer, users: Users): Omit<Server, "stop"> {
  const kubeconfigFor = (user: string, namespace?: string): string =>
    users.writeKubeconfig({
      user,
      server: url,
      ca,
      ...(namespace === undefined ? {} : { namespace }),
    });
  return { url, ca, api, pid: daemon.pid, kubeconfig: kubeconfigFor("admin"), kubeconfigFor };
}

/** Where `npm run build` leaves the two executables. */
export const distDir = join(repositoryRoot, "dist");

export interface KubectlOptions {
  readonly input?: string;
  /** Added to the environment of kubectl and of the plugin; undefined takes a variable away. */
  readonly env?: NodeJS.ProcessEnv;
  /** Another kubeconfig than the admin's. */
  readonly kubeconfig?: string;
  readonly cwd?: string;
  readonly timeoutMs?: number;
}

/**
 * The environment in which kubectl runs: the programs of the control plane and the built plugin
 * first on PATH, and home folders in the scratch folder, so that nothing of the user's own
 * configuration is read or written.
 */
export function kubectlEnv(site: Site, kubeconfig: string): NodeJS.ProcessEnv {
  return {
    PATH: [site.binaries.dir, distDir, process.env["PATH"] ?? ""].join(delimiter),
    HOME: site.homeDir,
    ENGINE_HOME: join(site.homeDir, "engine"),
    KUBECONFIG: kubeconfig,
  };
}

/** Runs the pinned helm as the admin; a refusal is an error. */
export async function runHelm(
  { site, kubeconfig }: ControlPlane,
  namespace: string,
  args: readonly string[],
): Promise<RunResult> {
  const env = kubectlEnv(site, kubeconfig);
  const result = await run(await findProgram("helm"), [...args, "--namespace", namespace], { env });
  if (result.code !== 0) throw new Error(result.stderr);
  return result;
}

export function runKubectl(
  site: Site,
  args: readonly string[],
  options: KubectlOptions & { readonly kubeconfig: string },
): Promise<RunResult> {
  const { env, kubeconfig, ...rest } = options;
  return run(site.binaries.kubectl, args, {
    ...rest,
    env: { ...kubectlEnv(site, kubeconfig), ...env },
  });
}
