import { defaultNames as names } from "../../../../plugin/domain/names/names";
import {
  listAccounts,
  pairIn,
  renderRbac,
  wantsAccounts,
} from "../../../../plugin/domain/rbac/templates";
import { listSubjects } from "../../../../plugin/domain/kube/role-rules";
import { aBinding, account, aRole, podRule, shipped } from "./objects";

const filling = { namespace: "engine", accounts: ["ec", "two"], label: false, names };
const rendered = (documents: readonly unknown[], more = {}) => {
  const result = renderRbac(documents, { ...filling, ...more });
  if (result.is !== "rendered") throw new Error(result.problems.join("; "));
  return result;
};
const problems = (documents: readonly unknown[], more = {}): readonly string[] => {
  const result = renderRbac(documents, { ...filling, ...more });
  return result.is === "rendered" ? [] : result.problems;
};

test.each([
  ["NAMESPACE_OF_SERVICE_ACCOUNT", "NAME_OF_EC_SERVICE_ACCOUNT"],
  ["OPERATOR_NAMESPACE", "<service-account-name>"],
  ["<ec-namespace>", "<service-account-name>"],
])("the placeholders %s and %s are filled in", (namespace, name) => {
  const documents = [
    aRole([podRule]),
    aBinding([account(undefined, namespace), account(name, namespace)]),
  ];
  const { consumer } = rendered(documents);
  expect(wantsAccounts(documents, names)).toBe(true);
  expect(listSubjects(consumer.binding)).toEqual([account(), account("ec"), account("two")]);
});

test("the namespace comes from where the pair goes, not from the file", () => {
  const { consumer, label } = rendered([aRole([podRule]), aBinding()]);
  expect(consumer.role.metadata).toEqual({ name: "edb-role" });
  expect(pairIn(consumer, "shop").binding.metadata.namespace).toBe("shop");
  expect(label).toBeUndefined();
});

test("what is shipped is fit, in label mode too", () => {
  const { consumer, label } = rendered(shipped, { label: true });
  expect(label?.role.kind).toBe("ClusterRole");
  expect(listAccounts(consumer.binding).map(({ name }) => name)).toEqual([
    "engine-enterprise-operator",
    "ec",
    "two",
  ]);
  expect(wantsAccounts([aRole([podRule])], names)).toBe(false);
});

test("annotations of the file are kept", () => {
  const { consumer } = rendered([aRole([podRule], { annotations: { a: "b" } }), aBinding()]);
  expect(consumer.role.metadata.annotations).toEqual({ a: "b" });
});

test.each([
  ["no Role", [aBinding()], ["it holds no Role/edb-role"]],
  ["no binding", [aRole([podRule])], ["it holds no RoleBinding/edb-role"]],
  ["nothing", [null], ["it holds no Role/edb-role", "it holds no RoleBinding/edb-role"]],
  [
    "another name",
    [aRole([podRule], { name: "x" }), aBinding()],
    ['it holds Role "x" instead of one Role/edb-role'],
  ],
  [
    "two of them",
    [aRole([podRule]), aRole([podRule]), aBinding()],
    ['it holds Role "edb-role", "edb-role" instead of one Role/edb-role'],
  ],
  ["no rules", [aRole([]), aBinding()], ["Role/edb-role has no rules"]],
  [
    "a binding for another role",
    [aRole([podRule]), aBinding([account()], { kind: "ClusterRole", name: "x" })],
    ["RoleBinding/edb-role is for ClusterRole/x, expected Role/edb-role"],
  ],
  [
    "a placeholder inside a name",
    [aRole([podRule]), aBinding([account("x-NAME_OF_EC_SERVICE_ACCOUNT")])],
    ["placeholder NAME_OF_EC_SERVICE_ACCOUNT is left after rendering"],
  ],
])("a file with %s is refused", (_, documents, wanted) => {
  expect(problems(documents)).toEqual(wanted);
});

test("label mode asks for its own pair", () => {
  expect(problems([aRole([podRule]), aBinding()], { label: true })).toHaveLength(2);
});
