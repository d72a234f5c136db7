import { unreadFacts } from "../../../../plugin/domain/facts/facts";
import { isGone, listExisting } from "../../../../plugin/domain/rbac/managed";
import type { RolePair } from "../../../../plugin/domain/kube/kinds";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import * as managed from "../../../../plugin/domain/rbac/managed";
import { subjectLabel, listSubjects } from "../../../../plugin/domain/kube/role-rules";
import { placeName, planPlace } from "../../../../plugin/domain/rbac/site";
import type { ConfigMap, Deployment, EnvVar } from "../../../../plugin/domain/kube/models";
import { aBinding, account, aRole, podRule } from "./objects";

const { readConfiguredNamespaces, cutOff, findStale, namesIn, otherOperators } = managed;

const deployment = (
  env: readonly EnvVar[] | undefined,
  name: string = names.operator.container,
): Deployment => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: {},
  spec: { template: { spec: { containers: [{ name: "other" }, { name, env }] } } },
});
const configMap = (list: string, more: Readonly<Record<string, string>> = {}): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {},
  data: { EDB_NAMESPACES: list, ...more },
});
const listed = { name: "EDB_NAMESPACES", value: "a, b" };
const fromMap = (name: string) => ({
  name: "EDB_NAMESPACES",
  valueFrom: { configMapKeyRef: { name, key: "EDB_NAMESPACES" } },
});
const map = names.configMap.name;
const list = (...namespaces: readonly string[]) => ({ is: "list", namespaces });
const bare = { is: "label", selector: "k", bareKey: "k" };
const labelKey = { EDB_NAMESPACES_LABEL: "k" };
const labelEntry = { name: "EDB_NAMESPACES_LABEL", valueFrom: {} };

test.each<[string, Deployment | undefined, ConfigMap | undefined, object]>([
  ["nothing", undefined, undefined, { is: "none" }],
  ["an entry beats the ConfigMap", deployment([listed]), configMap("c"), list("a", "b")],
  ["the ConfigMap's list", deployment([]), configMap("c,c"), list("c")],
  ["the list beats the label", undefined, configMap("c", labelKey), list("c")],
  [
    "an empty entry hides the ConfigMap's list",
    deployment([{ name: "EDB_NAMESPACES" }]),
    configMap("c", labelKey),
    bare,
  ],
  [
    "a label with a value",
    undefined,
    configMap("", { EDB_NAMESPACES_LABEL: "k=v" }),
    { is: "label", selector: "k=v" },
  ],
  ["an entry that reads the ConfigMap", deployment([fromMap(map)]), configMap("c"), list("c")],
  ["an entry from elsewhere", deployment([fromMap("other")]), undefined, { is: "unknown" }],
  ["a label from elsewhere", deployment([labelEntry]), undefined, { is: "unknown" }],
  [
    "the first container where none is the operator's",
    deployment([listed], "x"),
    undefined,
    { is: "none" },
  ],
])("the operator is told: %s", (...[, found, settings, wanted]) => {
  const configured = readConfiguredNamespaces({ deployment: found, configMap: settings, names });
  expect(configured).toMatchObject(wanted);
  expect("bareKey" in configured).toBe("bareKey" in wanted);
});

test("a list is separated by commas, blanks and line ends", () => {
  expect(namesIn(" a,b\nc a ")).toEqual(["a", "b", "c"]);
});

const facts = { kept: new Set(["kept"]), operatorNamespace: "engine", names };
const at = (
  namespace: string | undefined,
  subjects: readonly object[] = [account()],
  name?: string,
) => aBinding(subjects, { metadata: { namespace, ...(name !== undefined && { name }) } });
const user = { kind: "User", name: "me", apiGroup: "rbac.authorization.k8s.io" };

test("a left-over is a binding of ours with the role beside it; others' are none", () => {
  const none = [
    at("kept"),
    at("engine"),
    at("left", [account(undefined, "other")]),
    at("left", [account("ec")]),
    at("left", [user]),
  ];
  expect(findStale({ ...facts, roles: [], bindings: none })).toEqual([]);
  const [binding, second, wide] = [
    at("left"),
    at("left", [account()], "second"),
    at(undefined, [account(), user]),
  ];
  const role = aRole([podRule], { namespace: "left" });
  const roles = [aRole([podRule], { namespace: "kept" }), role];
  expect(findStale({ ...facts, roles, bindings: [binding, second, at("bare"), wide] })).toEqual([
    { namespace: "left", bindings: [binding, second], role, others: [] },
    { namespace: "bare", bindings: [at("bare")], others: [] },
    { bindings: [wide], others: ["User/me"] },
  ]);
});

test.each([
  ["of the operator's namespace", "system:serviceaccounts:engine", [[]]],
  ["of another namespace", "system:serviceaccounts:other", []],
  ["of all accounts", "system:serviceaccounts", []],
])("a binding for the group %s", (_, name, others) => {
  const binding = at("left", [{ kind: "Group", name }]);
  const found = findStale({ ...facts, roles: [], bindings: [binding] });
  expect(found.map((stale) => stale.others)).toEqual(others);
});

test("operators of other namespaces are seen, and subjects are read as they are", () => {
  const binding = at("shop", [account(), account(undefined, "other"), account("ec", "x"), user]);
  expect(otherOperators(binding, facts)).toEqual(["other"]);
  const bareAccount = { kind: "ServiceAccount", name: names.operator.serviceAccount };
  expect(otherOperators(aBinding([bareAccount]), facts)).toEqual([""]);
  expect(listSubjects(undefined)).toEqual([]);
  expect(listSubjects(aBinding([user])).map(subjectLabel)).toEqual(["User/me"]);
});

test.each([
  [0, []],
  [3, ["x is left", "x is left", "x is left"]],
  [100, ["x is left; the same holds for Role/ns-1, Role/ns-2, Role/ns-3 and 96 more"]],
])("%d leftovers are shown so that they can be read", (count, causes) => {
  const found = Array.from({ length: count }, (_, at) => ({
    object: `Role/ns-${at}`,
    cause: "x is left",
  }));
  expect(cutOff(found).map(({ cause }) => cause)).toEqual(causes);
  expect(cutOff(Array.from({ length: 4 }, () => ({ cause: "y" })))).toHaveLength(1);
});

const rules = [{ apiGroups: [names.group], resources: [names.edb.plural], verbs: ["get"] }];
const reference = { kind: "ClusterRole", name: "all-databases" };
const shared: KubeObject = {
  ...aRole(rules),
  kind: "ClusterRole",
  metadata: { name: reference.name },
};
const wanted: RolePair<KubeObject> = { role: aRole(rules), binding: aBinding([account()]) };

test("a ClusterRole that stands for the role takes its place in a namespace, and nowhere else", () => {
  const options = { names, namespace: "engine", mode: "expand" } as const;
  const found = { binding: aBinding([account()], reference), boundRole: shared };
  const inNamespace = planPlace({ namespace: "a", wanted }, found, options);
  expect([inNamespace.part, inNamespace.plan.rebind]).toEqual(["binding", false]);
  const wide = planPlace({ wanted }, found, options);
  expect([wide.part, wide.plan.rebind]).toEqual([undefined, true]);
});

test("a place has a name in sentences", () => {
  expect(placeName({ namespace: "a", wanted })).toBe("namespace a");
  expect(placeName({ wanted })).toBe("the whole cluster");
  const place = { wanted: { ...wanted, role: shared }, part: "role" } as const;
  expect(placeName(place)).toBe("ClusterRole/all-databases");
});

test("where namespaces were not read, none is gone", () => {
  const facts = unreadFacts(names, "engine");
  expect(listExisting(facts)).toBeUndefined();
  const subject = { kind: "ServiceAccount", name: "x", namespace: "gone" };
  expect(isGone(subject, { existing: listExisting(facts), names })).toBe(false);
});
