/** The same release by bundle and by chart has the same findings, but for what helm itself does otherwise. */
import { exitCodes } from "../../../../plugin/domain/base/errors";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { kinds } from "../../../../plugin/domain/kube/kinds";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { bundleRef, findBundleKind } from "../../../../plugin/domain/operator/wanted";
import type { Report } from "../../../../plugin/kernel/report";
import { asArray, getPath, withValue } from "../../../../plugin/domain/base/values";
import { bundleOf } from "../../../support/releases/tree";
import { markRelease } from "../../../../plugin/commands/upgrade-operator/definitions";
import { runChart } from "./chart-scene";
import { aScene, contentsOf, inPlace, ns, type Scene } from "./scene";

interface Case {
  /** The installed objects as they were installed. */
  readonly installed?: (object: KubeObject) => KubeObject;
  /** The new release's. */
  readonly released?: (object: KubeObject) => KubeObject;
  readonly change?: (scene: Scene) => Promise<void>;
  readonly takeFields?: readonly string[];
  readonly allowObjects?: readonly string[];
  /** What must be found, so that the law is not about nothing. */
  readonly code?: string;
  /** What the chart finds where helm does otherwise, and ends with; absent: the same. */
  readonly byChart?: string;
  readonly ends?: number;
}

const edit =
  (kind: string, body: (live: KubeObject) => object) =>
  async ({ cluster }: Scene): Promise<void> => {
    const object = bundleOf("8.0.2-2").find((one) => one.kind === kind);
    const known = object === undefined ? undefined : findBundleKind(object);
    if (object === undefined || known === undefined) throw new Error(`no ${kind}`);
    const ref = bundleRef(known, inPlace(object));
    const live = await cluster.get(ref);
    if (live === undefined) throw new Error(`no ${kind} is stored`);
    const patch: object = body(live);
    await cluster.patch(ref, patch, { type: "merge", fieldManager: "kubectl-edit" });
  };

const ofKind =
  (kind: string, path: readonly string[], value: (object: KubeObject) => unknown) =>
  (object: KubeObject): KubeObject =>
    object.kind === kind ? (withValue(object, path, value(object)) as KubeObject) : object;

const podPath = ["spec", "template", "spec"];
const withImage = (image: string) => (live: KubeObject) => ({
  spec: {
    template: {
      spec: {
        containers: asArray(getPath(live, [...podPath, "containers"])).map((one) => ({
          ...(one as object),
          image,
        })),
      },
    },
  },
});
const wide = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] };
const withRule = (rule: object) => (object: KubeObject) => [...asArray(object["rules"]), rule];
const aRule = { apiGroups: ["example.com"], resources: ["things"], verbs: ["get"] };
const roleName = bundleOf("8.0.2-2").find(({ kind }) => kind === "Role")?.metadata.name ?? "";

const cases: readonly (readonly [string, Case])[] = [
  ["nothing was changed", {}],
  [
    "replicas by an edit",
    {
      change: edit("Deployment", () => ({ spec: { replicas: 3 } })),
      code: "OPERATOR-LOCAL-CHANGE",
    },
  ],
  [
    "replicas that the release wins",
    {
      change: edit("Deployment", () => ({ spec: { replicas: 3 } })),
      takeFields: [".spec.replicas"],
    },
  ],
  [
    "another tag",
    {
      change: edit("Deployment", withImage(`${names.images.operator}:8.0.1-9`)),
      code: "OPERATOR-LOCAL-CHANGE",
    },
  ],
  [
    "another registry",
    {
      change: edit("Deployment", withImage(`hub.example.net/${names.images.operator}:7.22.0-7`)),
      code: "OPERATOR-REGISTRY",
    },
  ],
  [
    "a field that only the cluster has",
    { change: edit("Deployment", () => ({ spec: { paused: true } })) },
  ],
  [
    "a Service's type",
    {
      change: edit("Service", () => ({ spec: { type: "NodePort" } })),
      installed: ofKind("Service", ["spec", "type"], () => "ClusterIP"),
      released: ofKind("Service", ["spec", "type"], () => "ClusterIP"),
      code: "OPERATOR-LOCAL-CHANGE",
    },
  ],
  [
    "rights that were taken",
    { change: edit("Role", () => ({ rules: [aRule] })), code: "OPERATOR-LOCAL-CHANGE" },
  ],
  [
    "rights that were added, which helm removes",
    {
      change: edit("Role", (live) => ({ rules: [...asArray(live["rules"]), aRule] })),
      ...{ code: "OPERATOR-ADDED", byChart: "OPERATOR-LOCAL-CHANGE", ends: exitCodes.conflict },
    },
  ],
  [
    "a right that no operator needs",
    { released: ofKind("Role", ["rules"], withRule(wide)), code: "OPERATOR-BUNDLE-UNUSUAL" },
  ],
  [
    "the same, accepted",
    { released: ofKind("Role", ["rules"], withRule(wide)), allowObjects: [`Role/${roleName}`] },
  ],
  [
    "the same, held",
    {
      installed: ofKind("Role", ["rules"], withRule(wide)),
      released: ofKind("Role", ["rules"], withRule(wide)),
      code: "OPERATOR-RIGHT-HELD",
    },
  ],
  [
    "a selector that is fixed",
    {
      released: ofKind("Deployment", ["spec", "selector", "matchLabels", "part"], () => "later"),
      code: "OPERATOR-FIXED-FIELD",
    },
  ],
  [
    "an object that is being deleted",
    {
      change: async (scene) => {
        const { name = "", uid = "" } = (await scene.stored("Service"))?.metadata ?? {};
        await edit("Service", () => ({ metadata: { finalizers: ["example.com/x"] } }))(scene);
        const ref = { resource: kinds.service, name, namespace: ns };
        await scene.cluster.delete(ref, { uid });
      },
      code: "OBJECT-DELETING",
    },
  ],
  [
    "a definition of another scope",
    {
      released: ofKind(kinds.definition.kind, ["spec", "scope"], () => "Cluster"),
      code: "DEFINITION-FIXED-FIELD",
    },
  ],
  [
    "definitions of a newer release, which helm would write over",
    {
      installed: (object) =>
        object.kind === kinds.definition.kind ? markRelease(object, "8.0.18-11", names) : object,
      ...{ code: "OPERATOR-CRD-NEWER", byChart: "OPERATOR-CHART-LOWERS", ends: exitCodes.blocked },
    },
  ],
];

const told = ({ findings = [] }: Report): readonly string[] =>
  [...new Set(findings.map(({ code, object = "" }) => `${code} ${object}`))].sort();

const asItIs = (object: KubeObject): KubeObject => object;

test.each(cases)("%s", async (_, one) => {
  const { installed = asItIs, released = asItIs, change } = one;
  const { takeFields = [], allowObjects = [] } = one;
  const options = { dryRun: "server", takeFields, allowObjects } as const;
  const scene = await aScene({ installed: "7.22.0-7", change: installed });
  await change?.(scene);
  scene.writes.length = 0;
  const bundle = await scene.run({ ...options, contents: contentsOf("8.0.2-2", released) });
  const chart = await runChart({
    deployed: bundleOf("7.22.0-7").map(installed),
    rendered: bundleOf("8.0.2-2").map(released),
    ...(change && { change }),
    options,
  });
  const { code = "", byChart = code } = one;
  expect(told(chart.report)).toEqual(told(bundle).map((line) => line.replace(code, byChart)));
  expect(told(bundle).join()).toContain(code);
  const { ends = bundle.exit.code } = one;
  expect(chart.report.exit.code).toBe(ends);
  expect([scene.writes, chart.upgrades, chart.scene.writes]).toEqual([[], [], []]);
});
