/**
 * `kubectl engine upgrade` from 7.4.2-2 over 7.22.0-7 to 8.0.2-2 on a real API server, unattended, by
 * the built program: on OpenShift, with bundles, while the operator plays and the webhook serves.
 */
import { kinds, rbacKinds, constraintResource } from "../../plugin/domain/kube/kinds";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { getPath, asArray, getOwn } from "../../plugin/domain/base/values";
import { played } from "../../plugin/simulator/operator/snapshot";
import type { KubeObject } from "../../plugin/ports/kubernetes";
import { account, granted, user } from "../plugin/commands/unbind-scc/objects";
import { bundleOf } from "../support/releases/tree";
import { consumerRules } from "../support/releases/rights";
import { releaseShapes, type ReleaseVersion } from "../support/releases/versions";
import { matching, type PluginRun } from "./plugin-run";
import { verdictsOf } from "./suite";
import { entryOf, readBack } from "./swap-states";
import {
  databaseRef,
  ecRef,
  managed,
  namespace,
  openUpgradeScene,
  operatorRef,
  selector,
  type UpgradeScene,
} from "./upgrade-scene";

const constraintRef = { resource: constraintResource, name: names.scc.current };

let scene: UpgradeScene;
jest.setTimeout(240_000);

beforeAll(async () => {
  scene = await openUpgradeScene({ openshift: true });
  const { cluster } = scene;
  // bound in both ways: by its own list, and by a role
  await cluster.patch(constraintRef, { users: [user(namespace)] }, { type: "merge" });
  const subjects = [account(namespace)];
  for (const object of granted(names.scc.current, { subjects, namespace })) {
    await cluster.create(object);
  }
  await added("role", "/rules/-", person.rule);
  await added("rolebinding", "/subjects/-", person.subject);
});

/** What a person added in one namespace, which no release has. */
const person = {
  namespace: managed[0],
  rule: { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] },
  subject: { apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "alice" },
} as const;

async function added(kind: string, path: string, value: object): Promise<void> {
  const patch = JSON.stringify([{ op: "add", path, value }]);
  const words = ["patch", kind, "edb-role", "-n", person.namespace, "--type=json", "-p", patch];
  const { code, stderr } = await scene.controlPlane.kubectl(words);
  if (code !== 0) throw new Error(stderr);
}
afterAll(() => scene.close());

/** What an audit log says of the writes of a run, in the order of the parts. */
const writesFrom7_4: readonly string[] = [
  ...managed.map(() => "patch edb-role"),
  // what kubectl had applied is adopted first, then brought to the release
  ...["adopted", "applied"].map(() => "patch engineenterpriseclusters.app.engine.com"),
  ...["adopted", "applied"].map(() => "patch engine-enterprise-operator"),
  ...["adopted", "applied"].map(() => "patch engine-enterprise-operator"),
  "patch engine-enterprise-admission",
  "delete edb-admission",
  "patch ec",
  `patch ${names.scc.current}`,
  `delete system:openshift:scc:${names.scc.current}`,
  `delete ${names.scc.current}`,
  ...managed.map(() => "patch edb-role"),
];

async function expectAt(version: ReleaseVersion): Promise<void> {
  const { cluster } = scene;
  const tag = releaseShapes[version].cluster;
  const deployment = await cluster.get(operatorRef);
  const containers = asArray(getPath(deployment, ["spec", "template", "spec", "containers"]));
  const image = `${names.images.operator}:${version}`;
  expect(containers.map((container) => getOwn(container, "image"))).toEqual([image, image]);
  expect(getPath(deployment, ["status", "availableReplicas"])).toBe(1);

  const ec = await cluster.get(ecRef);
  expect([getPath(ec, names.ecFields.versionTag), getPath(ec, names.ecFields.state)]).toEqual([
    tag,
    "Running",
  ]);
  const pods = (await cluster.list(played.pod, { namespace })) ?? [];
  const nodes = pods.filter(({ metadata }) => /^ec-\d$/.test(metadata.name ?? ""));
  expect(
    nodes.map((pod) => getOwn(asArray(getPath(pod, ["spec", "containers"]))[0], "image")),
  ).toEqual(Array.from({ length: 3 }, () => `${names.images.cluster}:${tag}`));
  await expectDefinitions(version);
  await expectRights(version);
}

async function expectDefinitions(version: ReleaseVersion): Promise<void> {
  const wanted = bundleOf(version).filter(({ kind }) => kind === "CustomResourceDefinition");
  for (const definition of wanted) {
    const { name = "" } = definition.metadata;
    const found = await scene.cluster.get({ resource: kinds.definition, name });
    const stored = asArray(getPath(found, ["spec", "versions"])).find((one) =>
      getOwn(one, "storage"),
    );
    const shipped = asArray(getPath(definition, ["spec", "versions"])).find((one) =>
      getOwn(one, "storage"),
    );
    expect([name, getOwn(stored, "name")]).toEqual([name, getOwn(shipped, "name")]);
  }
}

async function expectRights(version: ReleaseVersion): Promise<void> {
  for (const one of managed) {
    const ref = { resource: rbacKinds.role, name: names.rbac.consumerRole, namespace: one };
    const role = await scene.cluster.get(ref);
    const isOwn = one === person.namespace;
    const rules = [...consumerRules(version), ...(isOwn ? [person.rule] : [])];
    expect(getOwn(role, "rules")).toEqual(rules);
    const binding = await scene.cluster.get({
      resource: rbacKinds.roleBinding,
      name: names.rbac.consumerBinding,
      namespace: one,
    });
    expect(getOwn(binding, "subjects")).toEqual([
      { kind: "ServiceAccount", name: names.operator.serviceAccount, namespace },
      { kind: "ServiceAccount", name: "ec", namespace },
      ...(isOwn ? [person.subject] : []),
    ]);
  }
}

async function expectGuarded(): Promise<void> {
  const { old, current } = await readBack(scene.controlPlane);
  expect(old).toBeUndefined();
  expect(entryOf(current)).toMatchObject({
    clientConfig: { caBundle: scene.caBundle, service: { namespace } },
    namespaceSelector: selector,
  });
  expect(await verdictsOf(scene.controlPlane.api, namespace)).toEqual({
    right: "accepted",
    wrongRefusedBy: matching(/admission\.engine$/),
  });
}

/** The words of the one line at the end, part by part. */
const titles = /Widen RBAC.*Upgrade the operator.*webhook.*Upgrade the cluster.*SCC.*Narrow RBAC/;

async function expectNothingLeft(version: ReleaseVersion): Promise<void> {
  const again = await scene.upgrade(version);
  expect([again.code, again.writes]).toEqual([0, []]);
}

/** Rule by rule, in the one report of the whole run. */
function expectListed({ report }: PluginRun): void {
  const local = (report.findings ?? []).filter(({ code }) => code === "RBAC-LOCAL");
  const place = `${person.namespace}/${names.rbac.consumerRole}`;
  expect(local.map(({ object, cause }) => [object, cause.replace(/^.*: /, "")])).toEqual([
    [`Role/${place}`, "get"],
    [`RoleBinding/${place}`, "User/alice"],
  ]);
  expect(local[0]?.cause).toContain("deployments.apps: get");
}

function upgradeWhilePlaying(version: ReleaseVersion): Promise<PluginRun> {
  return scene.whilePlaying(async () => {
    const run = await scene.upgrade(version);
    expect([run.code, run.report.exit.reason]).toEqual([0, matching(titles)]);
    expectListed(run);
    await expectNothingLeft(version);
    return run;
  });
}

test("from 7.4.2-2 to 7.22.0-7: everything is as the release has it, and then nothing is written", async () => {
  const run = await upgradeWhilePlaying("7.22.0-7");
  expect(run.writes).toEqual(writesFrom7_4);
  await expectAt("7.22.0-7");
  await expectGuarded();
  expect(await scene.cluster.get(constraintRef)).toBeUndefined();
});

test("from 7.22.0-7 to 8.0.2-2: the same, and neither the webhook nor the constraint is touched", async () => {
  const run = await upgradeWhilePlaying("8.0.2-2");
  expect(run.writes.filter((write) => /admission|scc/.test(write))).toEqual([]);
  await expectAt("8.0.2-2");
  await expectGuarded();
});

test("the databases and what persons have set are as they were", async () => {
  const { cluster } = scene;
  const database = await cluster.get(databaseRef("orders", "team-a"));
  expect(getPath(database, ["spec", "engineVersion"])).toBe("7.2");
  const labels = (object: KubeObject | undefined): unknown => object?.metadata.labels;
  const team = await cluster.get({ resource: kinds.namespace, name: "team-a" });
  expect(labels(team)).toMatchObject({ team: "team-a" });
});
