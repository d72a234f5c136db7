/** An unbinding on a cluster in memory: the connection that it is given, and what it sends. */
import { exampleDefinitions } from "../../../../plugin/simulator/example";
import type { MemoryControlPlane } from "../../../../plugin/simulator/api-server/control-plane";
import { getPath } from "../../../../plugin/domain/base/values";
import { defaultNames } from "../../../../plugin/domain/names/names";
import type { KubeClient, KubeObject } from "../../../../plugin/ports/kubernetes";
import type { Report } from "../../../../plugin/kernel/report";
import type { AskingPorts } from "../../../../plugin/kernel/world";
import type { UnbindOptions } from "../../../../plugin/commands/unbind-scc/read";
import { unbindConstraint } from "../../../../plugin/commands/unbind-scc/command";
import { observe } from "../../../../plugin/simulator/observed-cluster";
import { admin, makeWorld } from "../../../support/world";
import { portsOf, type Witness } from "../world";
import { ManualClock } from "../../../support/manual-clock";
import type { User } from "../../../../plugin/simulator/model";

/** A write that was sent, and whether it was a dry run. */
export interface Sent {
  readonly line: string;
  readonly dryRun: boolean;
}

export interface Scene extends Pick<Witness, "events" | "saved" | "journal" | "questions"> {
  readonly cluster: KubeClient;
  readonly clock: ManualClock;
  readonly controlPlane: MemoryControlPlane;
  readonly sent: Sent[];
  /** Before each write: the place for someone else to act, or to throw. */
  beforeWrite: (line: string) => Promise<void>;
  /** Before an object is read. */
  beforeRead: () => void;
  /** After each write: the place to lose its answer. */
  afterWrite: (line: string) => void;
  /** Namespaces in which an authorizer beside RBAC allows everything. */
  readonly allowed: string[];
  run(options?: Partial<UnbindOptions>, deps?: Partial<AskingPorts>): Promise<Report>;
}

export function aScene(
  objects: readonly KubeObject[],
  {
    namespace = "engine",
    user = admin,
    openshift = true,
    product = true,
  }: { namespace?: string; user?: User; openshift?: boolean; product?: boolean } = {},
): Scene {
  const clock = new ManualClock();
  const definitions = exampleDefinitions(defaultNames).filter(({ metadata }) =>
    metadata.name?.endsWith("security.openshift.io") === true ? openshift : product,
  );
  const controlPlane = makeWorld({
    objects: [...definitions, clusterAdmin, ...objects],
    clock,
  }).controlPlane;
  const scene: Scene = {
    cluster: controlPlane.connect({ user: admin, namespace }),
    clock,
    controlPlane,
    ...{ sent: [], events: [], saved: [], journal: [], questions: [], allowed: [] },
    beforeWrite: () => Promise.resolve(),
    beforeRead: () => undefined,
    afterWrite: () => undefined,
    run: (options = {}, deps = {}) => {
      const connection = controlPlane.connect({ user, namespace });
      return unbindConstraint(
        {
          ...portsOf(scene, {
            ...{ kind: "UnbindScc", cluster: watched(connection, scene), clock },
            file: ({ metadata }) => `/home/${metadata.name ?? ""}.json`,
          }),
          ...deps,
        },
        { namespace, dryRun: "none", fieldManager: "kubectl-engine", ...options },
      );
    },
  };
  return scene;
}

const clusterAdmin: KubeObject = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: "cluster-admin" },
  rules: [
    { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
    { nonResourceURLs: ["*"], verbs: ["*"] },
  ],
};

/** The connection with every write seen before it is sent. */
function watched(connection: KubeClient, scene: Scene): KubeClient {
  const cluster = observe(connection, async (call, send) => {
    const { verb, target, writes, dryRun } = call;
    if (verb === "get") scene.beforeRead();
    if (!writes && !dryRun) return await send();
    const line = `${verb} ${target?.plural ?? target?.kind ?? ""}`;
    await scene.beforeWrite(line);
    scene.sent.push({ line, dryRun });
    const answer = await send();
    scene.afterWrite(line);
    return answer;
  });
  const create = cluster.create.bind(cluster);
  cluster.create = async (object, options) => {
    const namespace = getPath(object, ["spec", "resourceAttributes", "namespace"]);
    const isOthers = object.kind.endsWith("SubjectAccessReview");
    if (!isOthers || !scene.allowed.includes(String(namespace))) {
      return await create(object, options);
    }
    return { ...object, status: { allowed: true, reason: "the other authorizer says so" } };
  };
  return cluster;
}
