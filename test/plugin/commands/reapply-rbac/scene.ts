/** A run over namespaces of a cluster in memory: what it is given, and what it sends. */
import { exampleDefinitions } from "../../../../plugin/simulator/example";
import type { MemoryControlPlane } from "../../../../plugin/simulator/api-server/control-plane";
import type { User } from "../../../../plugin/simulator/model";
import { type ObservedCall, observe } from "../../../../plugin/simulator/observed-cluster";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { getPath } from "../../../../plugin/domain/base/values";
import type { KubeClient, KubeObject } from "../../../../plugin/ports/kubernetes";
import type { RbacPartWish } from "../../../../plugin/commands/reapply-rbac/input";
import { rbacPart } from "../../../../plugin/commands/reapply-rbac/part";
import type { Planned } from "../../../../plugin/kernel/part";
import { runPart } from "../../../../plugin/kernel/run-part";
import { overlayWorld, type Projection, unchanged } from "../../../../plugin/kernel/projection";
import type { AskingPorts } from "../../../../plugin/kernel/world";
import type { Report } from "../../../../plugin/kernel/report";
import { ManualClock } from "../../../support/manual-clock";
import { anOperator } from "../../domain/engine-cluster/scene";
import { admin, makeWorld } from "../../../support/world";
import { portsOf, type Witness } from "../world";
import { aBinding, account, aRole, shipped } from "../../domain/rbac/objects";

export const operatorNamespace = "engine";

export const aNamespace = (name: string, more: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, ...more },
  status: { phase: "Active" },
});

export const settings = (data: Readonly<Record<string, string>>): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: names.configMap.name, namespace: operatorNamespace },
  data,
});

export const aCluster: KubeObject = {
  apiVersion: `${names.group}/${names.ecVersion}`,
  kind: names.ec.kind,
  metadata: { name: "ec", namespace: operatorNamespace },
  spec: { nodes: 3 },
};

export interface Scene extends Pick<Witness, "events" | "saved" | "journal" | "questions"> {
  readonly cluster: KubeClient;
  readonly controlPlane: MemoryControlPlane;
  readonly clock: ManualClock;
  readonly calls: ObservedCall[];
  /** Before each request: the place for someone else to act, or to throw. */
  before: (call: ObservedCall) => Promise<void>;
  /** After each request that was carried out. */
  after: (call: ObservedCall) => Promise<void>;
  writes(): readonly string[];
  run(options?: RunWish, deps?: Partial<AskingPorts>): Promise<Report>;
  /** The part planned over what earlier parts leave behind; the namespaces are told to its report. */
  plan(options?: RunWish, after?: Projection): Promise<Planned & Pick<Report, "namespaces">>;
}

/** What one run is told. */
interface RunWish extends Partial<RbacPartWish> {
  readonly dryRun?: "none" | "client" | "server";
}

/** The operator's namespace with a cluster, and the objects given. */
export function aScene(objects: readonly KubeObject[], user: User = admin): Scene {
  const clock = new ManualClock();
  const all = [
    ...exampleDefinitions(names),
    aNamespace(operatorNamespace),
    aCluster,
    ...(objects.length === 0 ? [] : [anOperator("8.0.2-2")]),
    ...objects,
  ];
  const controlPlane = makeWorld({ objects: all, clock }).controlPlane;
  const scene: Scene = {
    cluster: controlPlane.connect({ user: admin, namespace: operatorNamespace }),
    controlPlane,
    clock,
    ...{ calls: [], events: [], saved: [], journal: [], questions: [] },
    before: () => Promise.resolve(),
    after: () => Promise.resolve(),
    writes: () =>
      scene.calls.filter(({ writes }) => writes).map(({ verb, subject }) => `${verb} ${subject}`),
    run: async ({ dryRun = "none", ...options } = {}, deps = {}) => {
      scene.calls.length = 0;
      const part = rbacPart({ ...usual, ...options });
      const ports = { ...portsIn(scene, user), ...deps };
      return await runPart(ports, part, { dryRun, limitMs: 0 });
    },
    plan: async ({ dryRun = "server", ...options } = {}, after = unchanged) => {
      const ports = portsIn(scene, user);
      const { recorder } = ports;
      const world = { ...ports, dryRun, waits: false, tell: recorder.once() };
      const before = controlPlane.state;
      const planned = await rbacPart({ ...usual, ...options }).plan(overlayWorld(world, after));
      expect(controlPlane.state).toBe(before);
      const { namespaces = [] } = recorder.success("");
      return { ...planned, namespaces };
    },
  };
  return scene;
}

/** Every request is told to the scene first. */
function portsIn(scene: Scene, user: User): AskingPorts {
  const inner = scene.controlPlane.connect({ user, namespace: operatorNamespace });
  const cluster = observe(inner, async (call, send) => {
    scene.calls.push(call);
    await scene.before(call);
    const answer = await send();
    await scene.after(call);
    return answer;
  });
  const file = ({ kind, metadata: { namespace = "", name = "" } }: KubeObject): string =>
    `/records/${kind}_${namespace}_${name}.json`;
  return portsOf(scene, { kind: "ReapplyRbac", cluster, clock: scene.clock, file });
}

const usual: RbacPartWish = {
  namespace: operatorNamespace,
  mode: "expand",
  dropLocal: [],
  command: (words) => words.join(" "),
  runId: "1",
  fieldManager: names.fieldManager,
  concurrency: 4,
  timeoutMs: 60_000,
  given: undefined,
  selector: undefined,
  account: undefined,
  prune: false,
  canary: undefined,
  maxFailures: undefined,
  takeFields: [],
  skip: [],
  prove: true,
  documents: shipped,
  source: "the files of the test",
};

/** Whether the operator's account may do so: an access review. */
export async function may(
  { cluster }: Scene,
  namespace: string,
  [verb, group, resource]: readonly [string, string, string],
): Promise<boolean> {
  const answer = await cluster.create({
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    metadata: {},
    spec: {
      user: `system:serviceaccount:${operatorNamespace}:${names.operator.serviceAccount}`,
      groups: ["system:authenticated"],
      resourceAttributes: { verb, group, resource, namespace },
    },
  });
  return getPath(answer, ["status", "allowed"]) === true;
}

/** Results by namespace, and the codes of their findings. */
export function resultsOf({
  namespaces = [],
}: Pick<Report, "namespaces">): Readonly<Record<string, string>> {
  return Object.fromEntries(
    namespaces.map(({ name, result, findings = [] }) => [
      name,
      [result, ...new Set(findings.map(({ code }) => code))].join(" "),
    ]),
  );
}

/** Someone who may do only what is granted. */
export const jane: User = { name: "jane", groups: ["system:authenticated"] };

/** A role of jane's with its binding, in a namespace or everywhere. */
export function grant(
  rules: readonly object[],
  namespace?: string,
  name = `jane-${namespace ?? "all"}`,
): readonly KubeObject[] {
  const apiGroup = "rbac.authorization.k8s.io";
  const apiVersion = `${apiGroup}/v1`;
  const kind = namespace === undefined ? "ClusterRole" : "Role";
  const metadata = { name, ...(namespace && { namespace }) };
  const subjects = [{ apiGroup, kind: "User", name: jane.name }];
  return [
    { apiVersion, kind, metadata, rules },
    { apiVersion, kind: `${kind}Binding`, metadata, roleRef: { apiGroup, kind, name }, subjects },
  ];
}

/** A namespace with a role of these rules and the binding to it, or to another one. */
export function inPlace(
  namespace: string,
  { rules = [], labels, roleRef = {} }: PlaceWish = {},
): readonly KubeObject[] {
  const metadata = { namespace, ...(labels && { labels }) };
  return [
    aNamespace(namespace),
    aRole(rules, metadata),
    aBinding([account(), account("ec")], { metadata, ...roleRef }),
  ];
}

interface PlaceWish {
  readonly rules?: readonly object[];
  readonly labels?: object;
  readonly roleRef?: object;
}

/** The setting that names what is managed. */
export const list = (...namespaces: readonly string[]): KubeObject =>
  settings({ [names.configMap.namespaces]: namespaces.join(",") });
