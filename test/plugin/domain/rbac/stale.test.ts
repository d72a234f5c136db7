import { defaultNames as names } from "../../../../plugin/domain/names";
import { rbacFinding } from "../../../../plugin/domain/rbac/codes";
import { cutOff, findStale, otherOperators } from "../../../../plugin/domain/rbac/managed";
import { subjectLabel, subjectsOf } from "../../../../plugin/domain/rbac/rules";
import { aBinding, account, aRole, podRule } from "./objects";

const facts = { kept: new Set(["kept"]), operatorNamespace: "engine", names };
const at = (namespace: string, subjects: readonly object[] = [account()]) =>
  aBinding(subjects, { metadata: { namespace } });
const user = { kind: "User", name: "me", apiGroup: "rbac.authorization.k8s.io" };

test.each([
  ["kept", at("kept")],
  ["the operator's own", at("engine")],
  ["another operator's", at("left", [account(undefined, "other")])],
  ["another account's", at("left", [account("ec")])],
  ["a person's", at("left", [user])],
])("%s binding is no left-over", (_, binding) => {
  expect(findStale({ ...facts, roles: [], bindings: [binding] })).toEqual([]);
});

test("a left-over is a binding of ours with the role beside it", () => {
  const binding = at("left");
  const role = aRole([podRule], { namespace: "left" });
  const second = aBinding([account()], { metadata: { namespace: "left", name: "second" } });
  const roles = [aRole([podRule], { namespace: "kept" }), role];
  expect(findStale({ ...facts, roles, bindings: [binding, second, at("bare")] })).toEqual([
    { namespace: "left", bindings: [binding, second], role, others: [] },
    { namespace: "bare", bindings: [at("bare")], others: [] },
  ]);
});

test("cluster-wide ones are left over too, and others are named", () => {
  const binding = aBinding([account(), user], { metadata: { namespace: undefined } });
  expect(findStale({ ...facts, roles: [], bindings: [binding] })).toEqual([
    { bindings: [binding], others: ["User/me"] },
  ]);
});

test("operators of other namespaces are seen", () => {
  const binding = at("shop", [account(), account(undefined, "other"), account("ec", "x"), user]);
  expect(otherOperators(binding, facts)).toEqual(["other"]);
  expect(
    otherOperators(
      aBinding([{ kind: "ServiceAccount", name: names.operator.serviceAccount }]),
      facts,
    ),
  ).toEqual([""]);
});

test("subjects are read as they are, and named", () => {
  expect(subjectsOf(undefined)).toEqual([]);
  expect(subjectsOf(aBinding([user])).map(subjectLabel)).toEqual(["User/me"]);
});

test("a finding takes cause and fix of its code where it has none of its own", () => {
  expect(rbacFinding("stale", { object: "x" })).toMatchObject({ code: "RBAC-STALE", object: "x" });
  expect(rbacFinding("stale", { cause: "so" }).cause).toBe("so");
});

test.each([
  [2, ["x is left", "x is left"]],
  [3, ["x is left", "x is left", "x is left"]],
  [100, ["x is left; the same holds for Role/ns-1, Role/ns-2, Role/ns-3 and 96 more"]],
])("%d leftovers are shown so that they can be read", (count, causes) => {
  const found = Array.from({ length: count }, (_, at) => ({
    object: `Role/ns-${at}`,
    cause: "x is left",
  }));
  expect(cutOff(found).map(({ cause }) => cause)).toEqual(causes);
  expect(cutOff([])).toEqual([]);
  expect(cutOff(Array.from({ length: 4 }, () => ({ cause: "y" })))).toHaveLength(1);
});
