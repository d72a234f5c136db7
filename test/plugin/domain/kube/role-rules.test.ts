import {
  type BindingSubject,
  findCoveringGroup,
  isAggregated,
  listAggregationLabels,
  nameByGroups,
  readAccountNamespace,
  readServiceAccount,
  subjectsBeyond,
  compareRules,
  grantLines,
  grantsOf,
  readRules,
  uniteRules,
} from "../../../../plugin/domain/kube/role-rules";

const rule = (
  groups: string,
  resources: string,
  ...[verbs, names = ""]: readonly [string, string?]
) => ({
  apiGroups: groups === "core" ? [""] : groups.split(","),
  resources: resources.split(","),
  verbs: verbs.split(","),
  ...(names !== "" && { resourceNames: names.split(",") }),
});
const onPaths = (...paths: readonly string[]) => ({ nonResourceURLs: paths, verbs: ["get"] });

const get = (groups: string, resources: string, names?: string) =>
  rule(groups, resources, "get", names);
const many = (groups: string, resources: string) => rule(groups, resources, "get,list");
const status = get("core", "*/status");
const odd = { apiGroups: "x", resources: [1], verbs: ["get"] };
const all = rule("*", "*", "*");

test.each<[string, readonly object[], readonly object[], readonly string[], readonly string[]]>([
  ["a verb", [get("core", "pods")], [many("core", "pods")], ["pods: list"], []],
  [
    "nothing, in other words",
    [get("core", "pods,nodes")],
    [get("core", "nodes"), get("core", "pods")],
    [],
    [],
  ],
  [
    "what no wildcard gave",
    [get("*", "*")],
    [many("apps", "pods")],
    ["pods.apps: list"],
    ["*.*: get"],
  ],
  ["nothing beyond a verb", [rule("core", "pods", "*")], [rule("core", "pods", "*,get")], [], []],
  ["what a name limits", [get("core", "pods", "a")], [get("core", "pods")], ["pods: get"], []],
  [
    "another name",
    [get("core", "pods", "a")],
    [get("core", "pods", "b")],
    ['pods "b": get'],
    ['pods "a": get'],
  ],
  ["nothing of a subresource of all", [status], [get("core", "*/status,pods/status")], [], []],
  ["another subresource", [status], [get("core", "*/status,pods/scale")], ["pods/scale: get"], []],
  [
    "another group",
    [get("apps", "pods")],
    [get("core", "pods")],
    ["pods: get"],
    ["pods.apps: get"],
  ],
  ["a path", [onPaths("/healthz")], [onPaths("/healthz", "/livez")], ["/livez: get"], []],
  ["nothing below a path", [onPaths("/apis/*")], [onPaths("/apis/*", "/apis/apps")], [], []],
  ["paths that objects do not give", [all], [all, onPaths("/healthz")], ["/healthz: get"], []],
  ["nothing that is not a text", [odd], [], [], []],
])("a change of rules gives and takes: %s", (...[, before, after, gained, lost]) => {
  const difference = compareRules(readRules({ rules: before }), readRules({ rules: after }));
  expect(grantLines(difference.gained)).toEqual(gained);
  expect(grantLines(difference.lost)).toEqual(lost);
});

test("rules of no role are none", () => {
  expect(readRules(undefined)).toEqual([]);
  expect(readRules({ rules: [null, rule("core", "pods", "get")] })).toHaveLength(1);
});

test("a grant that is given twice is one grant", () => {
  expect(grantsOf([rule("core", "pods", "get"), rule("core", "pods", "get")])).toHaveLength(1);
});

test("united rules keep the first and add whole rules that give more", () => {
  const [first, more] = [rule("core", "pods", "get"), rule("core", "pods", "get,list")];
  expect(uniteRules([first], [first, more])).toEqual([first, more]);
});

test("the same two lists of rules are compared once, and a list with anything else in it is cleaned", () => {
  const [before, after] = [[rule("core", "pods", "get")], [rule("core", "nodes", "get")]];
  expect(compareRules(before, after)).toBe(compareRules(before, after));
  expect(readRules({ rules: before })).toBe(before);
  expect(readRules({ rules: [...before, "no rule"] })).toEqual(before);
});

const operator = { kind: "ServiceAccount", namespace: "ops", name: "upgrader" };
const asUser = { kind: "User", name: "system:serviceaccount:ops:upgrader" };

test.each([
  ["an account", operator, operator],
  ["its user name", asUser, operator],
  ["a person", { kind: "User", name: "ann" }, undefined],
  ["a user of that prefix", { kind: "User", name: "system:serviceaccount:ops" }, undefined],
  ["a group of that name", { kind: "Group", name: asUser.name }, undefined],
])("the service account that a subject is: %s", (_, subject, account) => {
  expect(readServiceAccount(subject)).toEqual(account);
});

test("one account in two spellings is one subject", () => {
  expect(subjectsBeyond([operator], [asUser])).toEqual([]);
  expect(subjectsBeyond([asUser], [operator])).toEqual([]);
  expect(subjectsBeyond([asUser], [{ ...operator, namespace: "other" }])).toEqual([asUser]);
});

test.each([
  [operator, "system:serviceaccounts:ops"],
  [asUser, "system:serviceaccounts"],
  [operator, "system:authenticated"],
])("%j is in the group %s", (subject, name) => {
  const group = { kind: "Group", name };
  expect(findCoveringGroup(subject, [operator, group])).toBe(group);
});

test.each([
  [operator, "system:serviceaccounts:other"],
  [{ kind: "User", name: "ann" }, "system:authenticated"],
  [{ kind: "ServiceAccount", name: "x" }, "admins"],
])("%j is not in the group %s", (subject, name) => {
  expect(findCoveringGroup(subject, [operator, { kind: "Group", name }])).toBeUndefined();
});

const groupOf = (namespace: string) => ({
  kind: "Group",
  name: `system:serviceaccounts:${namespace}`,
});
const second = { kind: "ServiceAccount", namespace: "ops", name: "second" };
const person = { kind: "User", name: "ann" };

test.each<[string, readonly BindingSubject[], readonly BindingSubject[]]>([
  ["an account that is there is itself", [operator, groupOf("ops")], [operator, groupOf("ops")]],
  ["two accounts of one group are it once", [groupOf("ops")], [groupOf("ops"), person]],
  ["a group of another namespace is no access", [groupOf("else")], [operator, second, person]],
])("accounts as a binding names them: %s", (_, others, named) => {
  const found = nameByGroups([operator, second, person], others);
  expect(found).toEqual(others.includes(operator) ? [operator, groupOf("ops"), person] : named);
});

test.each([
  [operator, "ops"],
  [asUser, "ops"],
  [groupOf("ops"), "ops"],
  [{ kind: "Group", name: "system:serviceaccounts" }, undefined],
  [{ kind: "User", name: "system:serviceaccounts:ops" }, undefined],
])("the namespace of %j is %s", (subject, namespace) => {
  expect(readAccountNamespace(subject)).toBe(namespace);
});

test.each<[string, object | undefined, boolean, readonly string[]]>([
  ["one with rules of its own", undefined, false, []],
  ["one without selectors", {}, true, []],
  ["by expressions alone", { clusterRoleSelectors: [{ matchExpressions: [] }] }, true, []],
  [
    "by the labels of the first selector",
    { clusterRoleSelectors: [{ matchLabels: { a: "1", b: "x" } }, { matchLabels: { c: "2" } }] },
    true,
    ["a=1", "b=x"],
  ],
])("a ClusterRole that is made of others: %s", (_, aggregationRule, ...told) => {
  const role = {
    ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: {} },
    ...(aggregationRule !== undefined && { aggregationRule }),
  };
  expect([isAggregated(role), listAggregationLabels(role)]).toEqual(told);
});

test("what is not there is made of nothing", () => {
  expect(isAggregated(undefined)).toBe(false);
});
