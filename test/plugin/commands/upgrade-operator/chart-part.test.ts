/** The upgrade by chart as a part: it is planned without a write, and what helm will bring about is planned over. */
import { chartPart } from "../../../../plugin/commands/upgrade-operator/chart";
import type { Helm } from "../../../../plugin/commands/upgrade-operator/chart-options";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { kinds } from "../../../../plugin/domain/kube/kinds";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { listImages } from "../../../../plugin/domain/operator/wanted";
import { omit } from "../../../../plugin/domain/base/values";
import { overlayWorld, unchanged } from "../../../../plugin/kernel/projection";
import { readSnapshot } from "../../../../plugin/readers/snapshot";
import { aWitness, portsOf } from "../world";
import { deployment } from "../../../support/releases/operator";
import { aScene, inPlace, ns } from "./scene";

const imageAt = (version: string): string => `${names.images.operator}:${version}`;
const marks = {
  labels: { "app.kubernetes.io/managed-by": "Helm" },
  annotations: { "meta.helm.sh/release-name": "operator" },
};
const anOperator = (image: string): KubeObject => {
  const object = inPlace(deployment({ version: "8.0.2-2", openshift: "false", image }));
  return { ...object, metadata: { ...object.metadata, ...marks } };
};

interface Wish {
  readonly version?: string;
  readonly isStuck?: boolean;
  /** What helm renders. */
  readonly objects?: readonly unknown[];
  /** Definitions of its hooks. */
  readonly hooked?: readonly KubeObject[];
  /** What is in the cluster as well. */
  readonly held?: readonly KubeObject[];
}

async function plan({
  version = "8.0.2-2",
  isStuck = false,
  objects,
  hooked = [],
  held = [],
}: Wish = {}) {
  const { cluster, clock } = await aScene();
  for (const one of [anOperator(imageAt("7.22.0-7")), ...held]) await cluster.create(one);
  const upgrades: string[] = [];
  const chart = `${names.operator.chart}-7.22.0-7`;
  let found = { name: "operator", chart, status: isStuck ? "pending-upgrade" : "deployed" };
  const helm: Helm = {
    find: () => Promise.resolve(found),
    values: () => Promise.resolve({}),
    upgrade: async (call) => {
      upgrades.push(call.version);
      found = { ...found, chart: `${names.operator.chart}-${call.version}` };
      const options = { fieldManager: "helm", force: true };
      await cluster.apply(anOperator(imageAt(call.version)), options);
    },
    render: () => {
      const object = anOperator(imageAt(version));
      const rendered = { ...object, metadata: omit(object.metadata, "namespace") };
      return Promise.resolve({ objects: objects ?? ["odd", rendered], hooked, values: {} });
    },
    manifest: () => Promise.resolve({ objects: [] }),
    folderDefinitions: () => Promise.resolve([]),
    rollback: () => Promise.resolve(),
  };
  const ports = portsOf(aWitness(), { kind: "UpgradeOperator", cluster, clock });
  const world = { ...ports, dryRun: "server", waits: false, tell: () => undefined } as const;
  let open = 0;
  const part = chartPart({
    ...{ namespace: ns, fieldManager: names.fieldManager, timeoutMs: 60_000, wait: false },
    ...{
      chart: "./chart",
      releaseName: "operator",
      version,
      values: [],
      given: [],
      home: "Secrets",
    },
    ...{ takeFields: [], applyCrds: false },
    dryRun: "server",
    before: await readSnapshot({ ...ports, cluster }, ns),

    withHelm: async (work) => {
      open += 1;
      return await work(helm).finally(() => (open -= 1));
    },
  });
  const planned = await part.plan(overlayWorld(world, unchanged));
  expect([upgrades, open]).toEqual([[], 0]);
  return { planned, upgrades, ports, isClosed: () => open === 0 };
}

const operatorsIn = (stored: readonly KubeObject[]): readonly string[] =>
  stored.flatMap((object) => [
    ...new Set(listImages(object).values()),
    String(JSON.stringify(object["status"]).includes('"availableReplicas":1')),
  ]);

test("one call of helm is planned, and the operator that it renders is ready after it", async () => {
  const { planned } = await plan();
  const image = `.spec.template.spec.containers[name="${names.operator.container}"].image`;
  expect(planned.calls).toMatchObject([
    { action: "chart", write: { reverse: "helm rollback operator" } },
    {
      ...{ action: "apply", object: `Deployment/${ns}/${names.operator.deployment}` },
      write: {
        reverse: "helm rollback operator",
        changes: expect.arrayContaining([
          { path: image, from: imageAt("7.22.0-7"), to: imageAt("8.0.2-2") },
        ]) as unknown,
      },
    },
  ]);
  expect([planned.stops, planned.questions]).toEqual([undefined, []]);
  expect(operatorsIn(planned.after.stored)).toEqual([imageAt("8.0.2-2"), "true"]);
  expect(planned.expects).toMatchObject({ code: 0, details: { before: { operator: "7.22.0-7" } } });
});

test("a chart whose operator is not found stops the plan, which goes on with what it is named after", async () => {
  const { planned } = await plan({ objects: [{ kind: kinds.configMap.kind }] });
  expect(planned.stops).toMatchObject({ findings: [{ code: "OPERATOR-CHART-UNCOMPARED" }] });
  expect([planned.calls, planned.writes]).toEqual([undefined, []]);
  expect(operatorsIn(planned.after.stored)).toEqual([imageAt("8.0.2-2"), "true"]);
});

test("what was planned by dry run is done by helm, which is closed again", async () => {
  const { planned, upgrades, ports, isClosed } = await plan();
  const outcome = await planned.act({ ...ports, tell: () => undefined });
  expect([outcome.code, upgrades, isClosed()]).toEqual([0, ["8.0.2-2"], true]);
  expect(outcome.details).toMatchObject({ after: { operator: "8.0.2-2" } });
});

test("a chart that is there is no call", async () => {
  const { planned, upgrades, ports } = await plan({ version: "7.22.0-7" });
  expect([planned.calls, planned.stops]).toEqual([[], undefined]);
  expect(operatorsIn(planned.after.stored)).toEqual([imageAt("7.22.0-7"), "true"]);
  expect(await planned.act({ ...ports, tell: () => undefined })).toMatchObject({ code: 0 });
  expect(upgrades).toEqual([]);
});

test("what stands against it is a value, with the operator as it is", async () => {
  const { planned } = await plan({ isStuck: true });
  expect(planned.stops).toMatchObject({ findings: [{ code: "OPERATOR-CHART-PENDING" }] });
  expect(planned.expects.details).toMatchObject({ before: { operator: "7.22.0-7" } });
});

test("a selector that the API server never changes stops it before helm is called", async () => {
  const rendered = anOperator(imageAt("8.0.2-2"));
  const spec = rendered["spec"] as object;
  const { planned, upgrades } = await plan({
    objects: [{ ...rendered, spec: { ...spec, selector: { matchLabels: { app: "later" } } } }],
  });
  expect(planned.stops).toMatchObject({
    exitCode: 3,
    findings: [{ code: "OPERATOR-FIXED-FIELD", field: ".spec.selector" }],
  });
  expect([planned.calls, upgrades]).toEqual([undefined, []]);
});

const name = `${names.ec.plural}.${names.group}`;
const schema = (...fields: readonly string[]) => ({
  openAPIV3Schema: {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field, { type: "object" }])),
  },
});

/** A definition of the EC whose version has these fields. */
function aDefinition(version: string, ...fields: readonly string[]): KubeObject {
  const { group, ec } = names;
  const served = { name: version, served: true, storage: true, schema: schema(...fields) };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: kinds.definition.kind,
    metadata: { name },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind: ec.kind, plural: ec.plural },
      versions: [served],
    },
  };
}

const later = aDefinition("v1", "spec", "status", "more");
const stranger = {
  ...later,
  metadata: { name: "others.example.com" },
  spec: {
    ...(later["spec"] as object),
    ...{ group: "example.com", names: { kind: "Other", plural: "others" } },
  },
};
const operator = anOperator(imageAt("8.0.2-2"));

test.each<readonly [string, Wish, readonly KubeObject[]]>([
  ["helm writes", { objects: [later, stranger, operator] }, [later]],
  ["a hook brings", { hooked: [later, stranger] }, [later]],
  ["a hook brings, and there is an older one", { hooked: [later], held: [anOlder()] }, [later]],
  ["a hook brings, and there is a newer one", { hooked: [anOlder()], held: [later] }, []],
  ["helm writes and a hook brings", { objects: [later, operator], hooked: [anOlder()] }, [later]],
  ["none", {}, []],
])("a definition that %s is told to what is planned after it", async (_, wish, wanted) => {
  const { planned } = await plan(wish);
  expect(planned.stops).toBeUndefined();
  expect(planned.after.definitions).toEqual(wanted);
});

function anOlder(): KubeObject {
  return aDefinition("v1", "spec", "status");
}

test("a definition without the version in which objects are stored stops it before helm is called", async () => {
  const held = { ...aDefinition("v1", "spec"), status: { storedVersions: ["v1"] } };
  const objects = [aDefinition("v2", "spec"), operator];
  for (const wish of [{ objects }, { hooked: [aDefinition("v2")] }]) {
    const { planned, upgrades } = await plan({ ...wish, held: [held] });
    expect(planned.stops).toMatchObject({
      exitCode: 3,
      findings: [{ code: "OPERATOR-CRD-STORED" }],
    });
    expect(upgrades).toEqual([]);
  }
});
