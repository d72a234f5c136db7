import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import * as bundles from "../../../../plugin/domain/operator/wanted";
import type { Placing } from "../../../../plugin/domain/operator/wanted";
import { bundleOf } from "../../../support/releases/tree";
import { releaseVersions } from "../../../support/releases/versions";

const {
  findBundleKind,
  bundleRef,
  explainUnfit,
  listHeldRights,
  listImages,
  readOperatorVersion,
  placeBundle,
  unusualIn,
} = bundles;
const { container, deployment: operatorName } = names.operator;

const rbac = "rbac.authorization.k8s.io/v1";
const anObject = (kind: string, more: object = {}, apiVersion = "v1"): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: "x" },
  ...more,
});
const aDeployment = (pod: unknown, metadata: KubeObject["metadata"] = {}): KubeObject =>
  anObject(
    "Deployment",
    { metadata: { name: operatorName, ...metadata }, spec: { template: { spec: pod } } },
    "apps/v1",
  );
const operator = aDeployment({ containers: [{ name: container, image: "engine/operator:1" }] });
const placing: Placing = {
  namespace: "engine",
  names,
  registry: undefined,
  pullSecret: undefined,
  allowObjects: [],
  live: undefined,
};

function placed(bundle: readonly KubeObject[], more: Partial<Placing> = {}): readonly KubeObject[] {
  const result = placeBundle(bundle, { ...placing, ...more });
  if (result.is === "unfit") throw new Error(result.problems.join());
  return result.objects.map(({ object }) => object);
}

test("definitions come first, the Deployment last; the status of a file is none", () => {
  const definition = [
    "CustomResourceDefinition",
    { status: {} },
    "apiextensions.k8s.io/v1",
  ] as const;
  const objects = placed([
    operator,
    anObject("ClusterRoleBinding", {}, rbac),
    anObject("ServiceAccount"),
    anObject(...definition),
  ]);
  expect(objects.map(({ kind, metadata }) => [kind, metadata.namespace])).toEqual([
    ["CustomResourceDefinition", undefined],
    ["ServiceAccount", "engine"],
    ["ClusterRoleBinding", undefined],
    ["Deployment", "engine"],
  ]);
  expect(objects[0]).not.toHaveProperty("status");
});

test("labels and annotations stay, what a server gives does not", () => {
  const kept = { labels: { a: "1" }, annotations: { b: "2" } };
  const [object] = placed([aDeployment({}, { ...kept, uid: "u" })]);
  expect(object?.metadata).toEqual({ name: operatorName, namespace: "engine", ...kept });
});

const stranger = { ...operator, metadata: { name: "miner" } };
const unnamed = anObject("Service", { metadata: {} });

test.each<[readonly KubeObject[], readonly string[], readonly string[]]>([
  [
    [anObject("Pod"), unnamed],
    [],
    [
      "Pod in v1 is not a part of a bundle",
      "a Service has no name",
      `one Deployment ${operatorName} is requested, not 0`,
    ],
  ],
  [
    [operator, stranger],
    ["Deployment/miner", "Role/x"],
    ["--skip OPERATOR-BUNDLE-UNUSUAL=Role/x: nothing of that name needs to be accepted"],
  ],
])("every problem of a bundle is named (%#)", (bundle, allowObjects, problems) => {
  const result = placeBundle(bundle, { ...placing, allowObjects });
  expect(result).toMatchObject({ is: "unfit", problems });
});

test.each<[string, readonly KubeObject[], object]>([
  [
    "is unusual, a check refuses",
    [operator, stranger],
    {
      exitCode: 3,
      findings: [
        {
          ...{ code: "OPERATOR-BUNDLE-UNUSUAL", object: "Deployment/miner" },
          fix: "accept it with --skip OPERATOR-BUNDLE-UNUSUAL=Deployment/miner",
        },
      ],
    },
  ],
  [
    "is no bundle's, is wrong input",
    [operator, stranger, anObject("Pod")],
    { exitCode: 2, problems: ["release ./r: Pod in v1 is not a part of a bundle"] },
  ],
])("what %s", (_, bundle, error) => {
  const result = placeBundle(bundle, placing);
  if (result.is === "placed") throw new Error("it is fit");
  expect(explainUnfit(result, "./r")).toMatchObject(error);
  expect(result.findings).toHaveLength(1);
});

test("what is unusual is applied where a person names it", () => {
  expect(placed([operator, stranger], { allowObjects: ["Deployment/miner"] })).toHaveLength(2);
});

test("all containers follow the registry, and pull secrets add up", () => {
  const pod = {
    initContainers: [{ name: "i", image: "a:1" }, { name: "none" }, "odd"],
    containers: [{ name: container, image: "a:1" }],
    imagePullSecrets: [{ name: "one" }, {}],
  };
  const live = aDeployment({ imagePullSecrets: [{ name: "two" }, { name: "one" }] });
  const more = { registry: "mirror", pullSecret: "three", live };
  const spec = {
    initContainers: [{ name: "i", image: "mirror/a:1" }, { name: "none" }, "odd"],
    containers: [{ name: container, image: "mirror/a:1" }],
    imagePullSecrets: [{ name: "one" }, { name: "two" }, { name: "three" }],
  };
  expect(placed([aDeployment(pod)], more)).toMatchObject([{ spec: { template: { spec } } }]);
  for (const odd of [undefined, "odd"]) {
    expect(placed([aDeployment(odd)], { registry: "mirror" })).toHaveLength(1);
  }
});

test.each([
  ["mirror/other/path:0", "mirror/other/path:1"],
  ["mirror/other/path@sha256:00", "mirror/other/path:1"],
  ["mirrors/a:0", "mirror/a:1"],
  ["", "mirror/a:1"],
])("an image that runs as %s becomes %s in the registry", (image, expected) => {
  const live = aDeployment({ containers: [{ name: container, image }] });
  const pod = { containers: [{ name: container, image: "a:1" }] };
  const spec = { containers: [{ image: expected }] };
  expect(placed([aDeployment(pod)], { registry: "mirror", live })).toMatchObject([
    { spec: { template: { spec } } },
  ]);
});

const marked = { annotations: { [names.annotations.operatorVersion[0]]: "8.0.2-2" } };

test.each([
  [undefined, undefined],
  [operator, "1"],
  [aDeployment({ containers: [{ name: container }, { image: "a:2" }] }), undefined],
  [aDeployment({ containers: [{ name: container, image: "a@sha256:0" }] }), undefined],
  [aDeployment({}, marked), "8.0.2-2"],
])("%# runs %s", (deployment, version) => {
  expect(readOperatorVersion(deployment, names)).toBe(version);
  expect([...listImages(operator)]).toEqual([[container, "engine/operator:1"]]);
});

test("objects are addressed by their kinds", () => {
  const account = anObject("ServiceAccount");
  const known = findBundleKind(account);
  if (known === undefined) throw new Error("not known");
  const { resource } = known;
  expect(bundleRef(known, account)).toEqual({ resource, name: "x" });
  const here = { ...account, metadata: { namespace: "engine" } };
  expect(bundleRef(known, here)).toEqual({ resource, name: "", namespace: "engine" });
});

test.each(releaseVersions)("nothing of release %s is unusual", (version) => {
  for (const openshift of [false, true]) {
    expect(unusualIn(bundleOf(version, openshift), names)).toEqual([]);
  }
});

const mighty = (verb: string, more: object = {}) => ({
  apiGroups: ["rbac.authorization.k8s.io"],
  resources: ["roles"],
  verbs: ["get", verb],
  ...more,
});
const aRole = (rule: object) => anObject("Role", { rules: [rule] });
const aBinding = (name: string, subject: string) =>
  anObject("ClusterRoleBinding", { roleRef: { name }, subjects: [{ name: subject }] });
const aConstraint = (more: object) => anObject("SecurityContextConstraints", more);
const aContainer = (securityContext: object) =>
  aDeployment({ containers: [{ name: container, securityContext }] });
const hostPath = { volumes: [{ name: "v", hostPath: { path: "/" } }] };

test.each<[KubeObject, string]>([
  [aRole({ apiGroups: ["*"], resources: ["pods"] }), "its rules are for every API group"],
  [aRole({ apiGroups: [""], resources: ["*"] }), "its rules are for every resource"],
  [aRole({ nonResourceURLs: ["/metrics"] }), "its rules are for paths of the API server"],
  [
    aRole(mighty("escalate")),
    "its rules give the verb escalate on roles.rbac.authorization.k8s.io",
  ],
  [aRole(mighty("bind")), "its rules give the verb bind on roles.rbac.authorization.k8s.io"],
  [
    aRole({ apiGroups: [""], resources: ["users"], resourceNames: ["x"], verbs: ["impersonate"] }),
    'its rules give the verb impersonate on users "x"',
  ],
  [aBinding("cluster-admin", "op"), "it gives cluster-admin"],
  [aBinding("r", "system:unauthenticated"), "it is for system:unauthenticated"],
  [aBinding("r", "system:serviceaccounts"), "it is for system:serviceaccounts"],
  [aConstraint({ allowHostPID: true }), "it has allowHostPID"],
  [aConstraint({ groups: ["system:authenticated"] }), "it is for system:authenticated"],
  [stranger, "it is not the operator's"],
  [{ ...anObject("Deployment"), metadata: {} }, "it is not the operator's"],
  [aDeployment({ hostNetwork: true }), "its pod has hostNetwork"],
  [aDeployment(hostPath), "its pod mounts a folder of the node"],
  [aContainer({ privileged: true }), "it has a privileged container"],
  [aContainer({ capabilities: { add: ["X"] } }), "a container adds the capability X"],
])("unusual (%#): %s", (object, because) => {
  const label = `${object.kind}/${object.metadata.name ?? ""}`;
  expect(unusualIn([object], names)).toEqual([{ object: label, because }]);
});

const named = { resourceNames: ["a"] };

test.each<[string, KubeObject, KubeObject, readonly string[], readonly string[]]>([
  ["held by the same role", aRole(mighty("bind")), aRole(mighty("bind")), [], ["bind"]],
  ["held with every verb", aRole(mighty("escalate")), aRole(mighty("*")), [], ["escalate"]],
  ["held on one name of it", aRole(mighty("bind")), aRole(mighty("bind", named)), ["bind"], []],
  ["held on every name", aRole(mighty("bind", named)), aRole(mighty("bind")), [], ["bind"]],
  ["another verb of it", aRole(mighty("escalate")), aRole(mighty("bind")), ["escalate"], []],
  [
    "held by a role of another name",
    aRole(mighty("bind")),
    { ...aRole(mighty("bind")), metadata: { name: "other" } },
    ["bind"],
    [],
  ],
  [
    "held by another kind",
    anObject("ClusterRole", { rules: [mighty("bind")] }),
    aRole(mighty("bind")),
    ["bind"],
    [],
  ],
  [
    "a whole rule that is held",
    aRole({ apiGroups: ["*"], resources: ["pods"], verbs: ["get"] }),
    aRole({ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }),
    [],
    ["every API group"],
  ],
])("a right of a role: %s", (...[, role, live, fresh, held]) => {
  const matches = (words: readonly string[]) =>
    words.map((word) => expect.stringContaining(word) as string);
  const told = unusualIn([role], names, [live]).map(({ because }) => because);
  expect(told).toEqual(matches(fresh));
  const same = live.kind === role.kind && live.metadata.name === role.metadata.name;
  expect(listHeldRights(role, same ? live : undefined, names)).toEqual(matches(held));
  expect(listHeldRights(operator, live, names)).toEqual([]);
});

test("before the cluster is read no right is checked, and what was allowed once may be named again", () => {
  const role = { ...aRole(mighty("bind")), apiVersion: rbac };
  const bundle = [operator, role];
  expect(placed(bundle)).toHaveLength(2);
  const refused = placeBundle(bundle, { ...placing, held: [] });
  expect(refused).toMatchObject({ is: "unfit", problems: [], findings: [{ object: "Role/x" }] });
  const allowObjects = ["Role/x"];
  for (const held of [undefined, [], [role]]) {
    expect(placed(bundle, { allowObjects, held })).toHaveLength(2);
  }
});

test("what has no name, no role and no subject is no more than that", () => {
  const nameless = { ...anObject("RoleBinding", { subjects: [{}] }), metadata: {} };
  expect(unusualIn([nameless, anObject("Unknown")], names)).toEqual([]);
});
