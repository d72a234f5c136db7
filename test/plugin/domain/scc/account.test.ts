import { defaultNames } from "../../../../plugin/domain/names";
import {
  accountOf,
  groupOf,
  groupsOf,
  isAccount,
  subjectLabel,
  userOf,
} from "../../../../plugin/domain/scc/grants";
import { anEc } from "../../run/scc/objects";

const account = { namespace: "engine", name: "ec" };

test.each([
  ["named in the spec", { serviceAccountName: "nodes" }, "nodes"],
  ["not named", {}, "ec"],
  ["named by an empty text", { serviceAccountName: "" }, "ec"],
  ["named by something else", { serviceAccountName: 7 }, "ec"],
])("the account of an EC, %s", (_case, spec, name) => {
  expect(accountOf(anEc("engine", spec), defaultNames)).toEqual({ namespace: "engine", name });
});

test("an object without a name has no account that anybody could have", () => {
  const bare = { apiVersion: "v1", kind: "EngineEnterpriseCluster", metadata: {} };
  expect(accountOf(bare, defaultNames)).toEqual({ namespace: "", name: "" });
});

test("the API server knows it by one name and three groups", () => {
  expect(userOf(account)).toBe("system:serviceaccount:engine:ec");
  expect(groupsOf(account)).toEqual([
    "system:serviceaccounts",
    "system:serviceaccounts:engine",
    "system:authenticated",
  ]);
});

test.each([
  ["as a service account", { kind: "ServiceAccount", namespace: "engine", name: "ec" }, true],
  ["as a user", { kind: "User", name: "system:serviceaccount:engine:ec" }, true],
  ["another name", { kind: "ServiceAccount", namespace: "engine", name: "ec2" }, false],
  ["another namespace", { kind: "ServiceAccount", namespace: "other", name: "ec" }, false],
  ["no namespace", { kind: "ServiceAccount", name: "ec" }, false],
  ["a user of its short name", { kind: "User", name: "ec" }, false],
  ["a group of its name", { kind: "Group", name: "system:serviceaccount:engine:ec" }, false],
  ["nothing that could be read", null, false],
])("a subject: %s", (_case, subject, is) => {
  expect(isAccount(subject, account)).toBe(is);
});

test.each([
  ["of all accounts", { kind: "Group", name: "system:serviceaccounts" }, "system:serviceaccounts"],
  ["of another namespace", { kind: "Group", name: "system:serviceaccounts:other" }, undefined],
  ["without a name", { kind: "Group" }, undefined],
  ["that is a user", { kind: "User", name: "system:authenticated" }, undefined],
])("a group %s", (_case, subject, group) => {
  expect(groupOf(subject, account)).toBe(group);
});

test("a subject for people", () => {
  expect(subjectLabel({ kind: "ServiceAccount", namespace: "engine", name: "ec" })).toBe(
    "ServiceAccount/engine/ec",
  );
  expect(subjectLabel({ kind: "User", name: "zoe" })).toBe("User/zoe");
});
