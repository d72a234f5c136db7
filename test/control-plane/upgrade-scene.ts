/** A cluster before the whole upgrade: an operator of 7.4.2-2 as it was installed, and what it manages. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { connect } from "../../plugin/adapters/kubernetes/connect";
import { renderDocuments } from "../../plugin/adapters/kubernetes/text/yaml";
import { kinds } from "../../plugin/domain/kube/kinds";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { getPath } from "../../plugin/domain/base/values";
import {
  type Misbehavior,
  type PlayOptions,
  played,
  productKinds,
} from "../../plugin/simulator/operator/snapshot";
import type { KubeClient, KubeObject } from "../../plugin/ports/kubernetes";
import { makeOpenDefinition } from "../support/open-definition";
import { bundleOf, releaseFiles, writeRelease } from "../support/releases/tree";
import { releaseShapes, type ReleaseVersion } from "../support/releases/versions";
import { admissionSecret, caBundleOf, makePair, type Pair, writeTlsFolder } from "./certificate";
import type { User } from "./api-server";
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "./control-plane";
import { startControllers } from "./controllers";
import {
  cluster as clusterOf,
  clusterStatus,
  database,
  databaseStatus,
  untilServed,
} from "./scene";
import { namespaceNamed, settings } from "./managed-namespaces";
import { admissionService } from "./operator";
import { shortTimes, whilePlaying } from "./played-operator";
import { type PluginOptions, type PluginRun, runner, runPlugin } from "./plugin-run";
import { until } from "./until";
import { oldConfiguration } from "./webhook-configurations";
import { startWebhook } from "./webhook-process";
import { exampleDefinitions } from "../../plugin/simulator/example";

export const namespace = "engine";
export const managed = ["team-a", "team-b"] as const;
export const ecLabel = `${names.ec.kind}/${namespace}/ec`;

const kindsHere = productKinds(names);
export const ecRef = { resource: kindsHere.ec, name: "ec", namespace };
export const operatorRef = {
  resource: kinds.deployment,
  name: names.operator.deployment,
  namespace,
};
export const databaseRef = (name: string, of: string = namespace) => ({
  resource: kindsHere.edb,
  name,
  namespace: of,
});

/** Which namespaces the webhook is limited to; what a person has set there has to stay. */
export const selector = {
  matchExpressions: [
    { key: "kubernetes.io/metadata.name", operator: "In", values: [namespace, ...managed] },
  ],
};

export interface UpgradeSceneOptions {
  /** How the operator was installed; not at all: the caller does it. */
  readonly install?: "bundle" | ((controlPlane: ControlPlane) => Promise<void>);
  readonly openshift?: boolean;
  /** The same for scenes that are compared. */
  readonly pair?: Pair;
  /** Who is known beside those who may do everything. */
  readonly users?: readonly User[];
  readonly server?: NonNullable<ControlPlaneOptions["server"]>;
  /** Kubernetes' own controllers and scheduler, with nodes at play; what they do is played without them. */
  readonly controllers?: boolean;
  /** The real webhook behind its Service; without it no configuration is there either. */
  readonly webhook?: boolean;
}

export interface UpgradeScene {
  readonly controlPlane: ControlPlane;
  /** The admin's, of the operator's namespace. */
  readonly cluster: KubeClient;
  readonly caBundle: string;
  release(version: ReleaseVersion): string;
  /** `upgrade` to the bundle of a release, unattended unless the words say otherwise. */
  upgrade(
    version: ReleaseVersion,
    args?: readonly string[],
    options?: PluginOptions,
  ): Promise<PluginRun>;
  /** The operator plays as long as something is done. */
  whilePlaying<T>(act: () => Promise<T>, misbehave?: Misbehavior): Promise<T>;
  /** Waits until operator and cluster are at this release and at rest. */
  rest(version: ReleaseVersion): Promise<void>;
  close(): Promise<void>;
}

export async function openUpgradeScene(options: UpgradeSceneOptions = {}): Promise<UpgradeScene> {
  const { pair = makePair({ namespace }), webhook = true, controllers, server = {} } = options;
  const users = [runner, ...(options.users ?? [])];
  const controlPlane = await startControlPlane({ users, server });
  const folder = mkdtempSync(join(tmpdir(), "whole-upgrade-"));
  const cluster = await connect({ kubeconfig: controlPlane.kubeconfig, namespace }, {});
  const plays = controllers === true ? "operator" : "everything";
  const scene = sceneOf({ controlPlane, folder, cluster, caBundle: caBundleOf(pair.cert), plays });
  try {
    if (plays === "operator") await startControllers(controlPlane);
    await install(scene, options);
    if (webhook) await serveWebhook(controlPlane, pair, options);
    return scene;
  } catch (error) {
    await scene.close();
    throw error;
  }
}

/** The operator as it was installed, with what it manages, at rest. */
async function install(
  scene: UpgradeScene,
  { openshift = false, install: way }: UpgradeSceneOptions,
): Promise<void> {
  const { controlPlane, cluster } = scene;
  if (openshift) await serveOpenShift(cluster);
  await controlPlane.api.create(namespaceNamed(namespace));
  await scene.whilePlaying(async () => {
    await (typeof way === "function"
      ? way(controlPlane)
      : applied(controlPlane, bundleOf("7.4.2-2", openshift)));
    await seed(controlPlane);
    await scene.rest("7.4.2-2");
  });
}

type Parts = Pick<UpgradeScene, "controlPlane" | "cluster" | "caBundle"> & {
  readonly folder: string;
  readonly plays: NonNullable<PlayOptions["plays"]>;
};

function sceneOf({ controlPlane, folder, cluster, caBundle, plays }: Parts): UpgradeScene {
  const release = (version: ReleaseVersion): string => {
    const path = join(folder, version);
    // a test may have changed it
    return existsSync(path) ? path : writeRelease(path, version);
  };
  return {
    controlPlane,
    cluster,
    caBundle,
    release,
    upgrade: (version, args = ["--yes"], options = {}) =>
      runPlugin(controlPlane, ["upgrade", "--release", release(version), ...args], {
        namespace,
        timeoutMs: 240_000,
        ...options,
      }),
    whilePlaying: (act, misbehave = {}) => {
      const versions = { "7.4.2-2": releaseShapes["7.4.2-2"].cluster };
      const playing = {
        cluster,
        namespace,
        misbehave,
        versions,
        plays,
        times: { ...shortTimes, staleRunningMs: 100 },
      };
      return whilePlaying(playing, act);
    },
    rest: (version) => atRest(cluster, version),
    close: async () => {
      cluster.close();
      rmSync(folder, { recursive: true });
      await controlPlane.stop();
    },
  };
}

/** S16 as it is documented: the client's own apply command. */
export async function applied(
  controlPlane: ControlPlane,
  objects: readonly KubeObject[] | string,
  to: string = namespace,
): Promise<void> {
  const input = typeof objects === "string" ? objects : renderDocuments(objects);
  const words = ["apply", "-n", to, "-f", "-"];
  const { code, stderr } = await controlPlane.kubectl(words, { input });
  if (code !== 0) throw new Error(stderr);
}

/** The cluster, databases in two namespaces, and the managed namespaces with roles of the release. */
async function seed(controlPlane: ControlPlane): Promise<void> {
  const { api } = controlPlane;
  await untilServed(api);
  const { cluster: tag, tokens } = releaseShapes["7.4.2-2"];
  await api.create(settings({ [names.configMap.namespaces]: managed.join(",") }));
  const base = clusterOf({ namespace });
  const spec = {
    ...(base["spec"] as object),
    engineEnterpriseImageSpec: {
      repository: names.images.cluster,
      versionTag: tag,
      imagePullPolicy: "IfNotPresent",
    },
  };
  await api.create({ ...base, spec }, "kubectl-create");
  await api.writeStatus(base, clusterStatus);
  const files = releaseFiles("7.4.2-2");
  for (const each of managed) {
    await api.create(namespaceNamed(each, { team: each }));
    for (const file of ["role.yaml", "role_binding.yaml"]) {
      const text = files[`multi-namespace-edb/${file}`] ?? "";
      const filled = text.replaceAll(tokens.namespace, namespace).replaceAll(tokens.account, "ec");
      await applied(controlPlane, filled, each);
    }
  }
  const databases = [
    database({ namespace, name: "config", engineVersion: "7.2" }),
    database({ namespace: "team-a", name: "orders", engineVersion: "7.2", modules: ["search"] }),
  ];
  for (const [index, one] of databases.entries()) {
    await api.create(one, "kubectl-create");
    const { engineVersion = "" } = one["spec"] as { readonly engineVersion?: string };
    await api.writeStatus(one, databaseStatus(index + 1, engineVersion));
  }
}

async function serveWebhook(
  controlPlane: ControlPlane,
  pair: Pair,
  { install }: UpgradeSceneOptions,
): Promise<void> {
  const { api, site } = controlPlane;
  const tlsDir = join(site.dataDir, "webhook-tls");
  const secret = admissionSecret(namespace, pair);
  // a chart makes its own pair
  const found = await api.read(secret);
  writeTlsFolder(tlsDir, found === undefined ? pair : pairOf(found));
  if (found === undefined) await api.create(secret);
  await until("the Service", () => api.read(admissionService(namespace)));
  await startWebhook({ controlPlane, namespace, tlsDir });
  // and its own configuration
  if (typeof install === "function") return;
  const old = {
    namespace,
    caBundle: caBundleOf(pair.cert),
    entry: { namespaceSelector: selector },
  };
  await api.create(oldConfiguration(old), "kubectl-create");
}

function pairOf(secret: Readonly<Record<string, unknown>>): Pair {
  const data = secret["data"] as Readonly<Record<keyof Pair, string>>;
  const text = (key: keyof Pair): string => Buffer.from(data[key], "base64").toString("utf8");
  return { cert: text("cert"), privateKey: text("privateKey") };
}

/** Waits until the operator's pod is of the present template, and ready. */
export async function operatorAtRest(cluster: KubeClient): Promise<void> {
  await until("the operator", async () => {
    const deployment = await cluster.get(operatorRef);
    const set = (await cluster.list(played.replicaSet, { namespace }))?.filter(
      (each) => getPath(each, ["spec", "replicas"]) !== 0,
    );
    const counts = ["observedGeneration", "replicas", "updatedReplicas", "availableReplicas"];
    const wanted = [deployment?.metadata.generation, 1, 1, 1];
    const seen = counts.map((count) => getPath(deployment, ["status", count]));
    const rolled = set?.length === 1 && getPath(set[0], ["status", "readyReplicas"]) === 1;
    return (rolled && isDeepStrictEqual(seen, wanted)) || undefined;
  });
}

async function atRest(cluster: KubeClient, version: ReleaseVersion): Promise<void> {
  const tag = `:${releaseShapes[version].cluster}`;
  await until(`operator ${version} and its cluster at rest`, async () => {
    const deployment = await cluster.get(operatorRef);
    const set = await cluster.get({ resource: played.statefulSet, name: "ec", namespace });
    const facts = [
      JSON.stringify(deployment?.["spec"]).includes(`:${version}"`),
      getPath(deployment, ["status", "observedGeneration"]) === deployment?.metadata.generation,
      getPath(deployment, ["status", "availableReplicas"]) === 1,
      JSON.stringify(set?.["spec"]).includes(tag),
      getPath(set, ["status", "readyReplicas"]) === 3,
      getPath(set, ["status", "updateRevision"]) === getPath(set, ["status", "currentRevision"]),
      getPath(await cluster.get(ecRef), names.ecFields.state) === "Running",
    ];
    return facts.every(Boolean) || undefined;
  });
}

/** OpenShift serves its own kinds by itself; here they are custom resources. */
export async function serveOpenShift(cluster: KubeClient): Promise<void> {
  const name = "securitycontextconstraints.security.openshift.io";
  const constraints = exampleDefinitions(names).find(({ metadata }) => metadata.name === name);
  if (constraints === undefined) throw new Error(`no definition ${name}`);
  await cluster.create(constraints);
  await cluster.create(clusterVersions);
  for (const group of ["security.openshift.io", "config.openshift.io"]) {
    await until(`${group} to be served`, async () =>
      (await cluster.serves(group, "v1")) === undefined ? undefined : true,
    );
  }
  await platformIs(cluster, "4.19.3");
}

/** The kind that says which OpenShift it is, with anything in it. */
export const clusterVersions = makeOpenDefinition({
  group: "config.openshift.io",
  scope: "Cluster",
  kind: "ClusterVersion",
  plural: "clusterversions",
});

/** What OpenShift says of its own version. */
export async function platformIs(cluster: KubeClient, version: string): Promise<void> {
  const object: KubeObject = {
    apiVersion: "config.openshift.io/v1",
    kind: "ClusterVersion",
    metadata: { name: "version" },
    status: { desired: { version } },
  };
  // a definition may be served a moment before its objects can be stored
  await until("the platform's version", () =>
    cluster.apply(object, { fieldManager: "cluster-version-operator", force: true }),
  );
}
