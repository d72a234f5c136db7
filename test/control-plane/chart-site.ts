/** A namespace of the real API server in which a real helm keeps the operator's release. */
import { gunzipSync, gzipSync } from "node:zlib";
import { type KubeObject, objectLabel } from "../../plugin/domain/kube/objects";
import type { Api } from "./api";
import { findProgram } from "./binaries";
import type { Contents } from "./chart-comparison";
import type { ControlPlane } from "./control-plane";
import { type PluginOptions, type PluginRun, runPlugin } from "./plugin-run";
import { run } from "./run";
import { until } from "./until";

export const programs = ["helm", "helm4"] as const;
/** A helm, by its pinned program. */
export type Program = (typeof programs)[number];

export class ChartSite {
  constructor(
    readonly controlPlane: ControlPlane,
    readonly namespace: string,
    readonly program: Program,
    /** For the chart that is deployed, the one that follows, and what else helm is given. */
    readonly folder: string,
  ) {}

  /** Runs it and gives its output; an end with an error is one of the test. */
  async helm(...words: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.tryHelm(...words);
    expect([words.join(" "), code, code === 0 ? "" : stderr]).toEqual([words.join(" "), 0, ""]);
    return stdout;
  }

  async tryHelm(...words: readonly string[]) {
    const env = { ...this.controlPlane.kubectlEnv(), ...this.env };
    const file = await findProgram(this.program);
    return await run(file, [...words, "--namespace", this.namespace], { env });
  }

  async kubectl(...words: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.controlPlane.kubectl([
      ...words,
      ...["-n", this.namespace],
    ]);
    expect([words.join(" "), code, code === 0 ? "" : stderr]).toEqual([words.join(" "), 0, ""]);
    return stdout;
  }

  /** As another manager than helm changes it. */
  async edit(kind: string, name: string, patch: object): Promise<void> {
    const words = ["patch", kind, name, "--field-manager=kubectl-edit", "--type=strategic"];
    await this.kubectl(...words, "-p", JSON.stringify(patch));
  }

  get env(): NodeJS.ProcessEnv {
    return { HELM_PLUGINS: `${this.folder}/plugins` };
  }

  async engine(
    args: readonly string[],
    options: Pick<PluginOptions, "input" | "kubeconfig"> = {},
  ): Promise<PluginRun> {
    return await runPlugin(this.controlPlane, ["upgrade-operator", "--timeout=60s", ...args], {
      ...options,
      namespace: this.namespace,
      env: { ...this.env, ENGINE_HELM: await findProgram(this.program) },
    });
  }

  /** Marks the last revision as in that state, as a helm that was killed leaves it. */
  async mark(status: string): Promise<void> {
    const listed = await this.kubectl("get", "secret", "-l", "owner=helm", "-o", "json");
    const { items } = JSON.parse(listed) as {
      items: { metadata: { name: string }; data: { release: string } }[];
    };
    const last = items.at(-1);
    const bytes = Buffer.from(Buffer.from(last?.data.release ?? "", "base64").toString(), "base64");
    const release = JSON.parse(gunzipSync(bytes).toString()) as { info: object };
    const changed = { ...release, info: { ...release.info, status } };
    const packed = gzipSync(JSON.stringify(changed)).toString("base64");
    const data = { release: Buffer.from(packed).toString("base64") };
    const patch = JSON.stringify({ data, metadata: { labels: { status } } });
    await this.kubectl("patch", "secret", last?.metadata.name ?? "", "--type=merge", "-p", patch);
  }

  /** Everything that the API server has in these namespaces and outside of all. */
  async contents(...others: readonly string[]): Promise<Contents> {
    return await readContents(this.controlPlane.api, [this.namespace, ...others]);
  }
}

interface Served {
  readonly path: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

async function listServed(api: Api): Promise<readonly Served[]> {
  const get = async <T>(path: string): Promise<T> => (await api.send("GET", path)).body as T;
  const { groups } = await get<{ groups: { preferredVersion: { groupVersion: string } }[] }>(
    "/apis",
  );
  const paths = ["/api/v1", ...groups.map((one) => `/apis/${one.preferredVersion.groupVersion}`)];
  const found: Served[] = [];
  for (const path of paths) {
    const { resources } = await get<{
      resources: { name: string; namespaced: boolean; verbs: readonly string[] }[];
    }>(path);
    for (const { name, namespaced, verbs } of resources) {
      if (verbs.includes("list")) found.push({ path, plural: name, namespaced });
    }
  }
  return found;
}

/** Written by the API server or controllers at any time, and by no manifest. */
const ofNoManifest = [
  ...["componentstatuses", "endpoints", "endpointslices", "events", "ipaddresses"],
  ...["leases", "pods", "replicasets"],
];

async function readContents(api: Api, namespaces: readonly string[]): Promise<Contents> {
  const contents = new Map<string, KubeObject>();
  const served = await listServed(api);
  for (const { path, plural, namespaced } of served) {
    if (ofNoManifest.includes(plural)) continue;
    const places = namespaced ? namespaces.map((one) => `namespaces/${one}/`) : [""];
    for (const place of places) {
      // a kind may be told of before its objects can be listed
      const { kind, apiVersion, items } = await until(`the list of ${plural}`, async () => {
        const { status, body } = await api.send("GET", `${path}/${place}${plural}`);
        return status === 200 ? (body as KubeObject & { items: readonly KubeObject[] }) : undefined;
      });
      for (const item of items) {
        const object = { ...item, apiVersion, kind: kind.replace(/List$/, "") };
        if (!isOfTest(object)) contents.set(objectLabel(object), object);
      }
    }
  }
  return contents;
}

/** Helm's own records, and the definitions that a Job of the chart applies at play. */
function isOfTest({ kind, metadata }: KubeObject): boolean {
  const isRecord = metadata.labels?.["owner"] === "helm";
  const isApplied = metadata.managedFields?.some(({ manager }) => manager === "helm-hook") ?? false;
  return isRecord || (kind === "CustomResourceDefinition" && isApplied);
}
