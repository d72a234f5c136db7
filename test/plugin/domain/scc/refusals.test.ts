import { defaultNames } from "../../../../plugin/domain/names/names";
import { isFree, judgeAccounts, type SccEnvironment } from "../../../../plugin/domain/scc/refusals";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { adjusting, anEc, anOperator, aPod } from "../../commands/unbind-scc/objects";

const around: SccEnvironment = { constraint: "mine", deployment: undefined, pods: [] };

const judge = (cluster: KubeObject, changes: Partial<SccEnvironment> = {}) =>
  judgeAccounts([cluster], { ...around, ...changes }, defaultNames).flatMap(({ findings }) =>
    findings.map(({ code, object }) => `${code} ${object ?? ""}`),
  );

const tagged = (versionTag?: string) =>
  anEc("engine", {
    engineEnterpriseImageSpec: versionTag === undefined ? undefined : { versionTag },
  });

const ecLabel = "EngineEnterpriseCluster/engine/ec";

test.each([
  ["7.22.0-6", []],
  ["7.22.0-5", [`SCC-RELEASE-OLD ${ecLabel}`]],
  ["7.8.2-34", [`SCC-RELEASE-OLD ${ecLabel}`]],
  ["8.0.20-44.23.minimal", []],
  ["v7.22.0-28", []],
  ["latest", [`SCC-RELEASE-UNKNOWN ${ecLabel}`]],
  [undefined, [`SCC-RELEASE-UNKNOWN ${ecLabel}`]],
])("an EC at %s", (tag, found) => {
  expect(judge(tagged(tag))).toEqual(found);
});

const operatorLabel = "Deployment/engine/engine-enterprise-operator";
const digest = `sha256:${"0".repeat(64)}`;

test.each([
  ["engine/operator:8.0.20-23", {}, []],
  ["engine/operator:7.8.2-6", {}, [`SCC-RELEASE-OLD ${operatorLabel}`]],
  ["registry:5000/engine/operator:7.8.2-6", {}, [`SCC-RELEASE-OLD ${operatorLabel}`]],
  [`engine/operator:7.8.2-6@${digest}`, {}, [`SCC-RELEASE-OLD ${operatorLabel}`]],
  [`engine/operator@${digest}`, {}, [`SCC-RELEASE-UNKNOWN ${ecLabel}`]],
  ["registry:5000/engine/operator", {}, [`SCC-RELEASE-UNKNOWN ${ecLabel}`]],
  [
    `engine/operator@${digest}`,
    { "engine.io/operator-ver": "7.8.6-2" },
    [`SCC-RELEASE-OLD ${operatorLabel}`],
  ],
  ["engine/operator:8.0.20-23", { "engine.io/operator-ver": "7.8.6-2" }, []],
])("an operator of image %s with annotations %j", (image, annotations, found) => {
  const deployment = anOperator("engine", image);
  const annotated = { ...deployment, metadata: { ...deployment.metadata, annotations } };
  expect(judge(tagged(), { deployment: annotated })).toEqual(found);
});

test("an operator whose containers have other names tells no release", () => {
  const deployment = { ...anOperator("engine", "engine/operator:7.8.2-6"), spec: {} };
  expect(judge(tagged("8.0.20-1"), { deployment })).toEqual([]);
});

function podOf(name: string, image: string, changes: object = {}): KubeObject {
  const pod = aPod("engine", { scc: "nonroot-v2" });
  return {
    ...pod,
    metadata: { ...pod.metadata, name, ...changes },
    spec: { containers: [{ name: "engine-enterprise-node", image }] },
  };
}

test("pods of the stateful set tell what really runs", () => {
  const pods = [
    podOf("ec-0", "engine/engine:8.0.20-44.23"),
    podOf("ec-1", "engine/engine:7.8.2-34"),
    podOf("ec-rigger-7", "engine/engine:7.4.2-1"),
    podOf("ec-2", "engine/engine:7.4.2-1", { namespace: "other" }),
    podOf("second-0", "engine/engine:7.4.2-1"),
  ];
  expect(judge(tagged("8.0.20-44.23"), { pods })).toEqual(["SCC-RELEASE-OLD Pod/engine/ec-1"]);
});

test("pods that still run under the constraint, by stateful set or by account", () => {
  const annotations = { "openshift.io/scc": "mine" };
  const nameless = podOf("", "engine/engine:8.0.20-1", { annotations, name: undefined });
  const pods = [
    podOf("ec-0", "engine/engine:8.0.20-1", { annotations }),
    aPod("engine", { scc: "mine", serviceAccountName: "ec" }),
    aPod("engine", { scc: "mine", serviceAccountName: "builder" }),
    nameless,
  ];
  expect(judge(tagged("8.0.20-1"), { pods })).toEqual([
    "SCC-POD-RUNNING Pod/engine/ec-0",
    "SCC-POD-RUNNING Pod/engine/some-pod",
  ]);
});

test.each([
  ["Running", []],
  ["Upgrade", [`SCC-EC-NOT-RUNNING ${ecLabel}`]],
  [undefined, []],
])("an EC in state %s", (state, found) => {
  expect(judge({ ...anEc("engine"), status: { state } })).toEqual(found);
});

test("every reason is told at once", () => {
  const cluster = { ...anEc("engine", adjusting), status: { state: "Upgrade" } };
  const pods = [aPod("engine", { scc: "mine" })];
  expect(judge(cluster, { pods })).toEqual([
    `SCC-ADJUSTMENT ${ecLabel}`,
    `SCC-EC-NOT-RUNNING ${ecLabel}`,
    "SCC-POD-RUNNING Pod/engine/some-pod",
  ]);
});

test("ECs that share an account are judged together, others by themselves", () => {
  const clusters = [
    anEc("engine", { serviceAccountName: "shared" }),
    anEc("engine", {}, "alone"),
    anEc("engine", { ...adjusting, serviceAccountName: "shared" }, "third"),
  ];
  const accounts = judgeAccounts(clusters, around, defaultNames);
  expect(accounts).toMatchObject([
    { name: "shared", clusters: [clusters[0], clusters[2]], wanted: true },
    { name: "alone", clusters: [clusters[1]], wanted: false, findings: [] },
  ]);
  expect(accounts.map(isFree)).toEqual([false, true]);
});

test("a warning alone stands against nothing", () => {
  const accounts = judgeAccounts([tagged()], around, defaultNames);
  expect(accounts[0]?.findings).toMatchObject([{ severity: "warning" }]);
  expect(accounts.map(isFree)).toEqual([true]);
});

test("an EC without a name has no pods", () => {
  const cluster = { ...tagged("8.0.20-1"), metadata: { namespace: "engine" } };
  expect(judge(cluster, { pods: [aPod("engine", { scc: "mine" })] })).toEqual([]);
});
