/** An operator in memory that a person has installed with `kubectl apply`, and its upgrade. */
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { type KubeObject, lastApplied } from "../../../../plugin/domain/kube/objects";
import { findBundleKind, bundleRef } from "../../../../plugin/domain/operator/wanted";
import type { ReleaseContents } from "../../../../plugin/domain/release/contents";
import type { MemoryControlPlane } from "../../../../plugin/simulator/api-server/control-plane";
import type { User } from "../../../../plugin/simulator/model";
import type { Misbehavior } from "../../../../plugin/simulator/operator/snapshot";
import { PlayedClock, playOperator } from "../../../../plugin/simulator/operator/controller";
import { VirtualClock } from "../../../../plugin/ports/virtual-clock";
import { bundlePart } from "../../../../plugin/commands/upgrade-operator/part";
import { runPart } from "../../../../plugin/kernel/run-part";
import type {
  BundleOptions,
  OperatorDeps,
} from "../../../../plugin/commands/upgrade-operator/read";
import type { Clock, KubeClient } from "../../../../plugin/ports/kubernetes";
import { observe } from "../../../../plugin/simulator/observed-cluster";
import type { Report } from "../../../../plugin/kernel/report";
import { bundleOf } from "../../../support/releases/tree";
import { admin, makeWorld } from "../../../support/world";
import { portsOf, type Witness } from "../world";
import type { ReleaseVersion } from "../../../support/releases/versions";

export const ns = "engine";
const start = Date.UTC(2026, 0, 2);

/** The contents of a release as its reader gives them. */
export function contentsOf(
  version: ReleaseVersion,
  change: (object: KubeObject) => KubeObject = (object) => object,
): ReleaseContents {
  const bundle = bundleOf(version).map(change);
  return {
    source: `release ${version}`,
    sha256: "0".repeat(64),
    platform: "kubernetes",
    operatorVersion: version,
    clusterVersion: undefined,
    bundle,
    definitions: bundle.filter(({ kind }) => kind === "CustomResourceDefinition"),
    webhook: undefined,
    rbac: [],
    scc: undefined,
  };
}

/** The object in the operator's namespace, where its kind lies in one. */
export function inPlace(object: KubeObject): KubeObject {
  const namespaced = findBundleKind(object)?.namespaced ?? true;
  return namespaced ? { ...object, metadata: { ...object.metadata, namespace: ns } } : object;
}

/** `kubectl apply -f bundle.yaml`, as it leaves the objects. */
export async function kubectlApply(
  cluster: KubeClient,
  objects: readonly KubeObject[],
  manager = "kubectl-client-side-apply",
): Promise<void> {
  for (const object of objects.map(inPlace)) {
    const { metadata } = object;
    const annotations = { ...metadata.annotations, [lastApplied]: JSON.stringify(object) };
    await cluster.create(
      { ...object, metadata: { ...metadata, annotations } },
      { fieldManager: manager },
    );
  }
}

/** What a scene begins with. */
export interface SceneWish {
  /** The release that is installed; absent: none. */
  readonly installed?: ReleaseVersion;
  readonly misbehave?: Misbehavior;
  readonly user?: User;
  readonly change?: (object: KubeObject) => KubeObject;
}

export interface Scene extends Pick<Witness, "events" | "saved" | "journal" | "questions"> {
  readonly controlPlane: MemoryControlPlane;
  readonly cluster: KubeClient;
  /** Sleeps let the operator play. */
  readonly clock: Clock;
  /** Writes that came into force or were tried to, in order; dry runs apart. */
  readonly writes: string[];
  readonly dryRuns: string[];
  /** Before each dry run, which the object may change under. */
  beforeDryRun: (line: string) => Promise<void>;
  /** Before each write that is no dry run. */
  beforeWrite: (line: string) => Promise<void>;
  /** After each write: the place to lose its answer. */
  afterWrite: (line: string) => void;
  run(options?: Partial<BundleOptions>, deps?: Partial<OperatorDeps>): Promise<Report>;
  /** The stored object of the bundle. */
  stored(kind: string, name?: string): Promise<KubeObject | undefined>;
}

export async function aScene({
  installed,
  misbehave = {},
  user = admin,
  change = (object) => object,
}: SceneWish = {}): Promise<Scene> {
  const virtual = new VirtualClock(start);
  const controlPlane = makeWorld({
    objects: [clusterAdmin, namespace],
    clock: virtual,
  }).controlPlane;
  const cluster = controlPlane.connect({ user: admin, namespace: ns });
  const played = (wrong: Misbehavior): Clock =>
    new PlayedClock(
      virtual,
      playOperator({ cluster, clock: virtual, names, namespace: ns, misbehave: wrong }),
    );
  if (installed !== undefined) {
    await kubectlApply(cluster, bundleOf(installed).map(change));
    await played({}).sleep(60_000);
  }
  const clock = played(misbehave);
  const scene: Scene = {
    controlPlane,
    cluster,
    clock,
    ...{ writes: [], dryRuns: [], events: [], saved: [], journal: [], questions: [] },
    beforeDryRun: () => Promise.resolve(),
    beforeWrite: () => Promise.resolve(),
    afterWrite: () => undefined,
    stored: async (kind, name) => {
      const found = bundleOf("8.0.2-2").find(
        (object) => object.kind === kind && (name ?? object.metadata.name) === object.metadata.name,
      );
      const known = found === undefined ? undefined : findBundleKind(found);
      if (found === undefined || known === undefined) throw new Error(`no ${kind} in the bundle`);
      return await cluster.get(bundleRef(known, inPlace(found)));
    },
    run: (options = {}, deps = {}) => {
      const connection = controlPlane.connect({ user, namespace: ns });
      const ports = portsOf(scene, {
        ...{ kind: "UpgradeOperator", cluster: watched(connection, scene), clock },
        file: ({ kind, metadata }) => `saved/${kind}-${metadata.name ?? ""}.json`,
      });
      const given: BundleOptions = {
        namespace: ns,
        dryRun: "none",
        fieldManager: names.fieldManager,
        timeoutMs: 300_000,
        wait: false,
        registry: undefined,
        pullSecret: undefined,
        takeFields: [],
        allowObjects: [],
        contents: contentsOf("8.0.2-2"),
        ...options,
      };
      const { dryRun, timeoutMs: limitMs } = given;
      return runPart({ ...ports, ...deps }, bundlePart(given), { dryRun, limitMs });
    },
  };
  return scene;
}

const namespace: KubeObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: ns } };

const clusterAdmin: KubeObject = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: "cluster-admin" },
  rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }],
};

/** The connection with every write seen. */
function watched(connection: KubeClient, scene: Scene): KubeClient {
  return observe(connection, async ({ verb, subject, writes, dryRun }, send) => {
    if (!writes && !dryRun) return await send();
    const line = `${verb} ${subject.replace(/ (?:[^/]*\/)?/, "/")}`;
    await (dryRun ? scene.beforeDryRun : scene.beforeWrite)(line);
    (dryRun ? scene.dryRuns : scene.writes).push(line);
    const answer = await send();
    if (!dryRun) scene.afterWrite(line);
    return answer;
  });
}
