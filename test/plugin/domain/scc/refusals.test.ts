import { type FactObjects, factsOf } from "../../../../plugin/domain/facts/facts";
import { defaultNames } from "../../../../plugin/domain/names/names";
import {
  isFree,
  judgeAccounts,
  judgeOperator,
  type SccScene,
} from "../../../../plugin/domain/scc/refusals";
import type {
  Deployment,
  Pod,
  PodSpec,
  PodTemplate,
  StatefulSet,
} from "../../../../plugin/domain/kube/models";
import type { KubeObject, ObjectMeta } from "../../../../plugin/domain/kube/objects";
import { listUses } from "../../../../plugin/domain/scc/uses";
import {
  account,
  granted,
  aConstraint,
  adjusting,
  anEc,
  anOperator,
  aPod,
  user,
} from "../../commands/unbind-scc/objects";

const access = { clusterRoles: [], clusterRoleBindings: [], roles: [], roleBindings: [] };
const bound = aConstraint("mine", { users: [user("engine")] });
/** What is around the ECs. */
interface Around extends Partial<Pick<FactObjects, "pods" | "statefulSets" | keyof typeof access>> {
  readonly constraint?: KubeObject;
  readonly deployment?: Deployment;
}

function sceneOf(clusters: readonly KubeObject[], around: Around = {}): SccScene {
  const { constraint = bound, deployment, ...lists } = around;
  const given = { ...access, pods: [], statefulSets: [], ...lists };
  const deployments = deployment === undefined ? [] : [deployment];
  const read = { ...given, ecs: clusters, constraints: [constraint], deployments };
  const facts = factsOf({ names: defaultNames, namespace: "engine", now: 0 }, read);
  return { facts, clusters, scc: "mine" };
}

const judge = (cluster: KubeObject, around: Around = {}) =>
  judgeAccounts(sceneOf([cluster], around)).flatMap(({ findings }) =>
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
  const own: ObjectMeta = { ...deployment.metadata, annotations: { ...annotations } };
  const annotated = { ...deployment, metadata: own };
  expect(judge(tagged(), { deployment: annotated })).toEqual(found);
});

test("an operator whose containers have other names tells no release", () => {
  const deployment = { ...anOperator("engine", "engine/operator:7.8.2-6"), spec: {} };
  expect(judge(tagged("8.0.20-1"), { deployment })).toEqual([]);
});

function podOf(name: string, image: string, changes: object = {}): Pod {
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

test("ECs that share an account are checked together, others by themselves", () => {
  const clusters = [
    anEc("engine", { serviceAccountName: "shared" }),
    anEc("engine", {}, "alone"),
    anEc("engine", { ...adjusting, serviceAccountName: "shared" }, "third"),
  ];
  const accounts = judgeAccounts(sceneOf(clusters));
  expect(accounts).toMatchObject([
    { name: "shared", clusters: [clusters[0], clusters[2]], wanted: true },
    { name: "alone", clusters: [clusters[1]], wanted: false, findings: [] },
  ]);
  expect(accounts.map(isFree)).toEqual([false, true]);
});

test("a warning alone stands against nothing", () => {
  const accounts = judgeAccounts(sceneOf([tagged()]));
  expect(accounts[0]?.findings).toMatchObject([{ severity: "warning" }]);
  expect(accounts.map(isFree)).toEqual([true]);
});

test("an EC without a name has no pods", () => {
  const cluster = { ...tagged("8.0.20-1"), metadata: { namespace: "engine" } };
  expect(judge(cluster, { pods: [aPod("engine", { scc: "mine" })] })).toEqual([]);
});

test("a pod that needs nothing of a constraint with a priority comes back under it while its account is bound", () => {
  const pods = [aPod("engine", { scc: "mine" })];
  const told = (constraint: KubeObject) =>
    judgeAccounts(sceneOf([anEc("engine")], { constraint, pods }))[0]?.findings;
  const isBound = aConstraint("mine", { users: [user("engine")], priority: 20 });
  expect(told(isBound)).toMatchObject([
    {
      code: "SCC-POD-LEFT",
      cause:
        "the pod needs nothing of mine; it runs under it only by its priority 20, and so does each pod that is made before its account is out",
      fix: expect.stringMatching(
        /^once its account is out, delete the pods one at a time/,
      ) as string,
    },
  ]);
  expect(told(aConstraint("mine"))).toMatchObject([
    {
      code: "SCC-POD-LEFT",
      cause:
        "the pod needs nothing of mine; it runs under it since before its account was taken out",
      fix: expect.stringContaining("kubectl delete pod some-pod --namespace=engine;") as string,
    },
  ]);
  expect(told(aConstraint("mine", { users: [user("engine")], priority: 0 }))).toMatchObject([
    { code: "SCC-POD-RUNNING" },
  ]);
  const [role, binding] = granted("mine", { subjects: [account("engine")] });
  const given = { clusterRoles: [role], clusterRoleBindings: [binding] };
  const byBinding = { constraint: aConstraint("mine"), ...given, pods };
  expect(judge(anEc("engine"), byBinding)).toEqual(["SCC-POD-RUNNING Pod/engine/some-pod"]);
});

test.each<[string, PodSpec, readonly string[]]>([
  ["nothing", {}, []],
  ["the node's network", { hostNetwork: true, hostPID: false }, ["hostNetwork"]],
  [
    "a path of the node",
    { volumes: [{ name: "logs", hostPath: { path: "/var" } }, { name: "own" }] },
    ["volume logs is a path of the node"],
  ],
  ["root", { securityContext: { runAsUser: 0 } }, ["runAsUser 0"]],
  [
    "what its containers ask for",
    {
      initContainers: [{ name: "a", securityContext: { privileged: true, runAsUser: 0 } }],
      containers: [
        {
          name: "b",
          ports: [{ hostPort: 80 }, { containerPort: 81 }],
          securityContext: {
            allowPrivilegeEscalation: true,
            capabilities: { add: ["NET_BIND_SERVICE", "SYS_RESOURCE", "CHOWN"] },
          },
        },
      ],
    },
    [
      "container a is privileged",
      "container b adds SYS_RESOURCE",
      "container b takes port 80 of the node",
      "container a runs as user 0",
      "container b may escalate privileges",
    ],
  ],
])("a pod uses %s", (_what, spec, uses) => {
  expect(listUses(spec, { ...aConstraint("mine"), defaultAddCapabilities: ["CHOWN"] })).toEqual(
    uses,
  );
});

test.each<[string, Around, readonly string[]]>([
  ["no operator here", {}, []],
  [
    "an operator that needs the constraint",
    { deployment: anOperator("engine", "engine/operator:7.8.2-6", "op") },
    [],
  ],
  [
    "an operator of the default account",
    { deployment: anOperator("engine", "engine/operator:8.0.2-2") },
    [],
  ],
  [
    "an operator of a newer release",
    { deployment: anOperator("engine", "engine/operator:8.0.2-2", "op") },
    ["op"],
  ],
  [
    "a pod of its own that rests on the constraint",
    {
      deployment: anOperator("engine", "engine/operator:8.0.2-2", "op"),
      pods: [
        aPod("engine", {
          scc: "mine",
          serviceAccountName: "op",
          securityContext: { privileged: true },
        }),
      ],
    },
    [],
  ],
  [
    "pods of others",
    {
      deployment: anOperator("engine", "engine/operator:8.0.2-2", "op"),
      pods: [
        aPod("engine", { scc: "mine" }),
        aPod("other", { scc: "mine", serviceAccountName: "op" }),
        aPod("engine", { scc: "other", serviceAccountName: "op" }),
      ],
    },
    ["op"],
  ],
])("whether the operator's own account goes out as well: %s", (_what, changes, names) => {
  const found = judgeOperator(sceneOf([], changes));
  expect(found.map(({ name }) => name)).toEqual(names);
});

test("an operator without a namespace has no account", () => {
  const operator = anOperator("engine", "engine/operator:8.0.2-2", "op");
  const deployment = { ...operator, metadata: {} };
  expect(judgeOperator(sceneOf([], { deployment }))).toEqual([]);
});

const requires = (name: string) => ({ "openshift.io/required-scc": name });
const aStatefulSet = (template: PodTemplate, name = "ec", namespace = "engine"): StatefulSet => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name, namespace },
  spec: { template },
});
const asking = aStatefulSet({ metadata: { annotations: requires("mine") } });
const rooted = aStatefulSet({ spec: { securityContext: { runAsUser: 0 } } });
const named = (
  name: string,
  annotations: Readonly<Record<string, string>>,
  metadata: object = {},
): Pod => {
  const pod = aPod("engine", { scc: "mine" });
  const own = { ...pod.metadata.annotations, ...annotations };
  return { ...pod, metadata: { ...pod.metadata, name, annotations: own, ...metadata } };
};
const bySet = {
  ownerReferences: [{ apiVersion: "apps/v1", kind: "StatefulSet", name: "ec", uid: "u" }],
};
const byReplicas = {
  ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "rig-1", uid: "u" }],
};
const underOther = (name: string): Pod => {
  const pod = aPod("engine", { scc: "nonroot-v2" });
  return { ...pod, metadata: { ...pod.metadata, name } };
};
const asked = /made again (would not start|by .* would not start)|which its template does not have/;

test.each<[string, Around, readonly [...string[], RegExp]]>([
  [
    "the template and its pods",
    { statefulSets: [asking], pods: [named("ec-0", requires("mine"), bySet)] },
    [
      "SCC-REQUIRED StatefulSet/engine/ec spec.template.metadata.annotations",
      /openshift\.io\/required-scc=mine/,
    ],
  ],
  [
    "the template, and pods that run under it without the annotation",
    { statefulSets: [asking], pods: [named("ec-0", {}, bySet)] },
    ["SCC-REQUIRED StatefulSet/engine/ec spec.template.metadata.annotations", asked],
  ],
  [
    "a set of another name whose pods run as the account",
    {
      statefulSets: [
        aStatefulSet(
          { metadata: { annotations: requires("mine") }, spec: { serviceAccountName: "ec" } },
          "beside",
        ),
        aStatefulSet({ metadata: { annotations: requires("mine") } }, "others"),
        aStatefulSet({ metadata: { annotations: requires("mine") } }, "ec", "elsewhere"),
      ],
    },
    ["SCC-REQUIRED StatefulSet/engine/beside spec.template.metadata.annotations", asked],
  ],
  [
    "a pod of the set alone",
    { statefulSets: [aStatefulSet({})], pods: [named("ec-0", requires("mine"), bySet)] },
    ["SCC-REQUIRED Pod/engine/ec-0 metadata.annotations", /which its template does not have/],
  ],
  [
    "a pod that nothing owns, beside the set",
    { statefulSets: [aStatefulSet({})], pods: [named("ec-0", requires("mine"))] },
    ["SCC-REQUIRED Pod/engine/ec-0 metadata.annotations", /which its template does not have/],
  ],
  [
    "a pod that something else makes",
    { statefulSets: [aStatefulSet({})], pods: [named("ec-0", requires("mine"), byReplicas)] },
    ["SCC-REQUIRED Pod/engine/ec-0 metadata.annotations", /made again by ReplicaSet\/rig-1/],
  ],
  [
    "a pod that nothing is known to make",
    { pods: [named("ec-0", requires("mine"))] },
    ["SCC-REQUIRED Pod/engine/ec-0 metadata.annotations", /made again by whoever makes it/],
  ],
  [
    "another constraint",
    { statefulSets: [aStatefulSet({ metadata: { annotations: requires("x") } })] },
    [/^$/],
  ],
  [
    "what the template needs, before any pod is there",
    { statefulSets: [rooted] },
    ["SCC-REQUIRED StatefulSet/engine/ec spec.template.spec", /runAsUser 0/],
  ],
  [
    "what the template needs, and a pod under the constraint",
    { statefulSets: [rooted], pods: [named("ec-0", {}, bySet)] },
    [
      "SCC-REQUIRED StatefulSet/engine/ec spec.template.spec",
      /unless another constraint allows the same/,
    ],
  ],
  [
    "what another constraint gives to every pod",
    { statefulSets: [rooted], pods: [underOther("ec-0")] },
    [/^$/],
  ],
])("what asks for the constraint: %s", (_, changes, expected) => {
  const found = expected.slice(0, -1);
  const [judged] = judgeAccounts(sceneOf([tagged("8.0.20-1")], changes));
  const findings = judged?.findings ?? [];
  expect(findings.map(({ code, object, field }) => [code, object, field].join(" "))).toEqual(found);
  expect(findings.map(({ cause }) => cause).join("")).toMatch(expected.at(-1) as RegExp);
  expect(judged && isFree(judged)).toBe(found.length === 0);
});

test("what asks for the constraint: a map of annotations in the EC's spec, whatever its field", () => {
  const ec = anEc("engine", { parts: [{ podAnnotations: requires("mine") }] });
  const pods = [named("ec-0", requires("mine"), bySet)];
  expect(judgeAccounts(sceneOf([ec], { pods }))[0]?.findings).toMatchObject([
    { code: "SCC-REQUIRED", object: ecLabel, field: "spec.parts.0.podAnnotations" },
  ]);
});
