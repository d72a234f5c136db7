/** Plays the kubelet of one node: pods of stored Deployments become containers of runc. */
import { mkdirSync, writeFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { get as getOverTls } from "node:https";
import { join } from "node:path";
import type { KubeObject } from "../control-plane/api";
import { writeMounted } from "../control-plane/certificate";
import type { ControlPlane } from "../control-plane/control-plane";
import { run } from "../control-plane/run";
import type { Daemon } from "../control-plane/site";
import type { Layout } from "./layout";
import { type Container, type PodSpec, type Probe, runtimeConfig, type SecretVolume } from "./pod";

/** Where the token and what belongs to it are mounted in every pod. */
const accountDir = "/var/run/secrets/kubernetes.io/serviceaccount";

export interface RunningPod {
  readonly id: string;
  readonly spec: PodSpec;
  readonly container: Container;
  readonly daemon: Daemon;
  /** The first process of the container, as this machine numbers it. */
  pid(): Promise<number>;
  /** As the kubelet does a while after a Secret has changed. */
  updateSecrets(): Promise<void>;
  /** The status of the answer to a probe; the certificate is not verified, as no kubelet does. */
  probe(probe: Probe | undefined): Promise<number>;
  /** Asks the process to end and waits for the grace period of the spec; how it ended. */
  stop(): Promise<string | undefined>;
}

export class Kubelet {
  private readonly root: string;
  private readonly containers: string[] = [];
  private readonly roots = new Map<Layout, string>();

  constructor(
    private readonly controlPlane: ControlPlane,
    private readonly uid: number,
  ) {
    this.root = join(controlPlane.site.dataDir, "kubelet");
  }

  /** Runs a pod of the Deployment: of its template as the API server has stored it. */
  async runDeployment(namespace: string, name: string, layout: Layout): Promise<RunningPod> {
    const { api } = this.controlPlane;
    const metadata = { name, namespace };
    const deployment = await api.read({ apiVersion: "apps/v1", kind: "Deployment", metadata });
    const { template } = deployment?.["spec"] as {
      readonly template: { readonly metadata: object; readonly spec: PodSpec };
    };
    const id = `${name}-${String(this.containers.length)}`;
    // what a namespace does not admit is refused here
    const pod = await api.create({
      apiVersion: "v1",
      kind: "Pod",
      ...template,
      metadata: { ...template.metadata, name: id, namespace },
    });
    return this.run(pod, layout);
  }

  /** Runs a stored pod. */
  private async run(pod: KubeObject, layout: Layout): Promise<RunningPod> {
    const spec = pod["spec"] as PodSpec;
    const { name: id, namespace = "" } = pod.metadata;
    const [container] = spec.containers;
    if (container === undefined) throw new Error(`${id}: no container`);
    layout.expectNamed(container.image);
    const bundle = join(this.root, id);
    const secrets = (spec.volumes ?? []).flatMap(({ name, secret }) =>
      secret === undefined ? [] : [{ secret, folder: join(bundle, "volumes", name), name }],
    );
    const updateSecrets = async (): Promise<void> => {
      for (const { secret, folder } of secrets) {
        writeMounted(folder, await this.itemsOf(namespace, secret), secret.defaultMode ?? 0o644);
      }
    };
    await updateSecrets();
    const { hostname, port } = new URL(this.controlPlane.url);
    const config = runtimeConfig(spec, layout.config("amd64").config, {
      id,
      rootfs: this.rootOf(layout),
      uid: this.uid,
      folders: Object.fromEntries(secrets.map(({ name, folder }) => [name, folder])),
      binds: await this.accountOf(pod, join(bundle, "account")),
      env: { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port },
      fields: { "metadata.name": id, "metadata.namespace": namespace, "status.podIP": hostname },
    });
    const daemon = this.startContainer(id, config);
    return {
      id,
      spec,
      container,
      daemon,
      updateSecrets,
      probe: (probe) => ask(container, probe),
      pid: async () => {
        const { stdout } = await this.runc(["state", id]);
        return (JSON.parse(stdout) as { readonly pid: number }).pid;
      },
      stop: async () => {
        await daemon.stop({ patienceMs: 1_000 * (spec.terminationGracePeriodSeconds ?? 30) });
        return daemon.ended();
      },
    };
  }

  /** Runs a container that ends by itself. */
  async runOnce(
    spec: PodSpec,
    layout: Layout,
  ): Promise<{ code: number; stdout: string; stderr: string }> {
    const id = `once-${String(this.containers.length)}`;
    const { uid } = this;
    const { config } = layout.config("amd64");
    this.write(id, runtimeConfig(spec, config, { id, rootfs: this.rootOf(layout), uid }));
    return this.runc(["run", "--bundle", join(this.root, id), id]);
  }

  /** Ends what still runs. */
  async close(): Promise<void> {
    for (const id of this.containers) await this.runc(["delete", "--force", id]);
  }

  private startContainer(id: string, config: object): Daemon {
    this.write(id, config);
    const args = [...this.runcRoot(), "run", "--bundle", join(this.root, id), id];
    return this.controlPlane.site.start({ name: id, file: "runc", args });
  }

  private write(id: string, config: object): void {
    const bundle = join(this.root, id);
    mkdirSync(bundle, { recursive: true });
    writeFileSync(join(bundle, "config.json"), JSON.stringify(config));
    this.containers.push(id);
  }

  private runcRoot(): readonly string[] {
    return ["--root", join(this.root, "runc")];
  }

  private runc(args: readonly string[]): ReturnType<typeof run> {
    return run("runc", [...this.runcRoot(), ...args], { env: process.env });
  }

  /** One tree for all containers of an image: none of them can write to it. */
  private rootOf(layout: Layout): string {
    const known = this.roots.get(layout);
    if (known !== undefined) return known;
    const folder = join(this.root, `root-${String(this.roots.size)}`);
    layout.unpack("amd64", folder);
    this.roots.set(layout, folder);
    return folder;
  }

  private async itemsOf(
    namespace: string,
    { secretName, items }: SecretVolume,
  ): Promise<Readonly<Record<string, Buffer>>> {
    const metadata = { name: secretName, namespace };
    const secret = await this.controlPlane.api.read({ apiVersion: "v1", kind: "Secret", metadata });
    if (secret === undefined) throw new Error(`secret "${secretName}" not found`);
    const data = (secret["data"] ?? {}) as Readonly<Record<string, string>>;
    const wanted = items ?? Object.keys(data).map((key) => ({ key, path: key }));
    return Object.fromEntries(
      wanted.map(({ key, path }) => {
        const value = data[key];
        if (value === undefined) throw new Error(`references non-existent secret key: ${key}`);
        return [path, Buffer.from(value, "base64")];
      }),
    );
  }

  /** The token of the pod's account, bound to the pod, with the authority and the namespace. */
  private async accountOf(
    pod: KubeObject,
    folder: string,
  ): Promise<Readonly<Record<string, string>>> {
    const { serviceAccountName = "default", automountServiceAccountToken } = pod["spec"] as PodSpec;
    if (automountServiceAccountToken !== true) return {};
    const { name, namespace = "", uid } = pod.metadata;
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${serviceAccountName}/token`;
    const boundObjectRef = { apiVersion: "v1", kind: "Pod", name, uid };
    const answer = await this.controlPlane.api.send("POST", path, {
      body: {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: { expirationSeconds: 3_607, boundObjectRef },
      },
    });
    const { status } = answer.body as { readonly status: { readonly token: string } };
    const files = {
      token: Buffer.from(status.token),
      "ca.crt": Buffer.from(this.controlPlane.ca),
      namespace: Buffer.from(namespace),
    };
    writeMounted(folder, files, 0o644);
    return { [accountDir]: folder };
  }
}

function ask({ ports = [] }: Container, probe: Probe | undefined): Promise<number> {
  if (probe === undefined) throw new Error("there is no such probe");
  const { port: wanted, path, scheme } = probe.httpGet;
  const port = ports.find(({ name }) => name === wanted)?.containerPort ?? Number(wanted);
  return new Promise((resolve, reject) => {
    const timeout = 1_000 * (probe.timeoutSeconds ?? 1);
    const options = { host: "127.0.0.1", port, path, agent: false, timeout } as const;
    const answered = (response: IncomingMessage): void => {
      response.resume();
      resolve(response.statusCode ?? 0);
    };
    const call =
      scheme === "HTTPS"
        ? getOverTls({ ...options, rejectUnauthorized: false }, answered)
        : get(options, answered);
    call.on("timeout", () => call.destroy(new Error(`no answer within ${String(timeout)} ms`)));
    call.on("error", reject);
  });
}
