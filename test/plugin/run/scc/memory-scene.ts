/** An unbinding on a cluster in memory: the connection that it is given, and what it sends. */
import { rbac } from "../../../../plugin/rehearsal/access/rbac";
import { exampleDefinitions } from "../../../../plugin/rehearsal/example-definitions";
import { createRegistry } from "../../../../plugin/rehearsal/kinds/registry";
import { MemoryControlPlane } from "../../../../plugin/rehearsal/memory/control-plane";
import { at } from "../../../../plugin/domain/values";
import { defaultNames } from "../../../../plugin/domain/names";
import type { Cluster, KubeObject } from "../../../../plugin/run/ports";
import type { Journal } from "../../../../plugin/run/engine/journal";
import { Recorder } from "../../../../plugin/run/engine/recorder";
import type { Event, Report } from "../../../../plugin/run/report";
import type { UnbindOptions, UnbindPorts } from "../../../../plugin/run/scc/read";
import { unbindConstraint } from "../../../../plugin/run/scc/unbind";
import { ManualClock } from "../../../support/manual-clock";
import type { User } from "../../../../plugin/rehearsal/model";

const admin: User = { name: "admin", groups: ["system:masters", "system:authenticated"] };

/** A write that was sent, and whether it was a dry run. */
export interface Sent {
  readonly line: string;
  readonly dryRun: boolean;
}

export interface Scene {
  readonly cluster: Cluster;
  readonly clock: ManualClock;
  readonly controlPlane: MemoryControlPlane;
  readonly sent: Sent[];
  readonly saved: KubeObject[];
  readonly questions: string[];
  /** Before each write: the place for somebody else to act, or to throw. */
  beforeWrite: (line: string) => Promise<void>;
  /** Before an object is read. */
  beforeRead: () => void;
  /** After each write: the place to lose its answer. */
  afterWrite: (line: string) => void;
  /** Namespaces in which an authorizer beside RBAC allows everything. */
  readonly allowed: string[];
  readonly events: Event[];
  run(options?: Partial<UnbindOptions>, deps?: Partial<UnbindPorts>): Promise<Report>;
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
  const admission = { admit: () => Promise.resolve([]) };
  const controlPlane = new MemoryControlPlane({
    clock,
    registry: createRegistry(),
    access: rbac,
    admission,
  });
  const definitions = exampleDefinitions(defaultNames).filter(({ metadata }) =>
    metadata.name?.endsWith("security.openshift.io") === true ? openshift : product,
  );
  controlPlane.load([...definitions, clusterAdmin, ...objects]);
  const scene: Scene = {
    cluster: controlPlane.connect({ user: admin, namespace }),
    clock,
    controlPlane,
    sent: [],
    saved: [],
    questions: [],
    events: [],
    allowed: [],
    beforeWrite: () => Promise.resolve(),
    beforeRead: () => undefined,
    afterWrite: () => undefined,
    run: (options = {}, deps = {}) => {
      const connection = controlPlane.connect({ user, namespace });
      const journal: Journal = {
        problem: () => Promise.resolve(undefined),
        intent: () => Promise.resolve(),
        outcome: () => Promise.resolve(),
        save: (object) => {
          scene.saved.push(object);
          return Promise.resolve(`/home/${object.metadata.name ?? ""}.json`);
        },
      };
      return unbindConstraint(
        {
          cluster: watched(connection, scene),
          clock,
          names: defaultNames,
          signal: new AbortController().signal,
          recorder: new Recorder(
            { kind: "UnbindScc", target: { server: connection.server, namespace } },
            { clock, event: (event) => scene.events.push(event) },
          ),
          journal,
          ask: (question) => {
            scene.questions.push(question);
            return Promise.resolve(true);
          },
          yaml: (documents) => JSON.stringify(documents),
          command: (words) => words.join(" "),
          engine: (words) => ["kubectl engine", ...words].join(" "),
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
function watched(connection: Cluster, scene: Scene): Cluster {
  const seen = async (line: string, dryRun = false): Promise<void> => {
    await scene.beforeWrite(line);
    scene.sent.push({ line, dryRun });
  };
  return {
    server: connection.server,
    namespace: connection.namespace,
    get: async (ref, options) => {
      scene.beforeRead();
      return await connection.get(ref, options);
    },
    list: (resource, options) => connection.list(resource, options),
    watch: (resource, options) => connection.watch(resource, options),
    can: (access) => connection.can(access),
    whoAmI: () => connection.whoAmI(),
    version: () => connection.version(),
    serves: (group, version) => connection.serves(group, version),
    close: () => {
      connection.close();
    },
    apply: () => Promise.reject(new Error("nothing is applied here")),
    update: () => Promise.reject(new Error("nothing is updated here")),
    create: async (object, options) => {
      if (object.kind.endsWith("SubjectAccessReview"))
        return await reviewed(connection, scene, object);
      const line = `create ${object.kind}`;
      await seen(line, options?.dryRun);
      const created = await connection.create(object, options);
      scene.afterWrite(line);
      return created;
    },
    patch: async (ref, body, options) => {
      const line = `patch ${ref.resource.plural}`;
      await seen(line, options.dryRun);
      const patched = await connection.patch(ref, body, options);
      scene.afterWrite(line);
      return patched;
    },
    delete: async (ref, preconditions, options) => {
      const line = `delete ${ref.resource.plural}`;
      await seen(line, options?.dryRun);
      await connection.delete(ref, preconditions, options);
      scene.afterWrite(line);
    },
  };
}

async function reviewed(
  connection: Cluster,
  { allowed }: Scene,
  review: KubeObject,
): Promise<KubeObject> {
  const namespace = at(review, ["spec", "resourceAttributes", "namespace"]);
  if (!allowed.includes(String(namespace))) return await connection.create(review);
  return { ...review, status: { allowed: true, reason: "the other authorizer says so" } };
}
