import { omit } from "../../../../plugin/domain/base/values";
import { defaultNames } from "../../../../plugin/domain/names/names";
import * as grants from "../../../../plugin/domain/scc/grants";
import * as plans from "../../../../plugin/domain/scc/lists";
import type { SccState } from "../../../../plugin/domain/scc/lists";
import { listGroups } from "../../../../plugin/domain/kube/role-rules";
import type { PolicyRule, Subject } from "../../../../plugin/domain/kube/models";
import {
  aBinding,
  aConstraint,
  account,
  aPod,
  aRole,
  anEc,
  granted,
  group,
  user,
  useOf,
} from "../../commands/unbind-scc/objects";

const {
  readAccount,
  listGrants,
  findGroup,
  isAccount,
  accessRef,
  runsUnder,
  subjectLabel,
  renderUser,
} = grants;
const { listFindings, olderLeft, planLists } = plans;

const scc = "mine";
const ours = { namespace: "engine", name: "ec" };
const none: grants.AccessObjects = {
  clusterRoles: [],
  clusterRoleBindings: [],
  roles: [],
  roleBindings: [],
};

test.each<[object, string]>([
  [{ serviceAccountName: "nodes" }, "nodes"],
  [{}, "ec"],
  [{ serviceAccountName: "" }, "ec"],
  [{ serviceAccountName: 7 }, "ec"],
])("the account of an EC with %j is %s", (spec, name) => {
  expect(readAccount(anEc("engine", spec), defaultNames)).toEqual({ namespace: "engine", name });
  const bare = { apiVersion: "v1", kind: "EngineEnterpriseCluster", metadata: {} };
  expect(readAccount(bare, defaultNames)).toEqual({ namespace: "", name: "" });
});

test("the API server knows an account by one name and three groups", () => {
  expect(renderUser(ours)).toBe("system:serviceaccount:engine:ec");
  const all = "system:serviceaccounts";
  expect(listGroups(ours)).toEqual([all, `${all}:engine`, "system:authenticated"]);
});

const asUser = "system:serviceaccount:engine:ec";

test.each<[Subject, boolean, string?]>([
  [{ kind: "ServiceAccount", ...ours }, true],
  [{ kind: "User", name: asUser }, true],
  [{ kind: "ServiceAccount", ...ours, name: "ec2" }, false],
  [{ kind: "ServiceAccount", ...ours, namespace: "other" }, false],
  [{ kind: "ServiceAccount", name: "ec" }, false],
  [{ kind: "User", name: "ec" }, false],
  [{ kind: "Group", name: asUser }, false],
  [{}, false],
  [{ kind: "Group", name: "system:serviceaccounts" }, false, "system:serviceaccounts"],
  [{ kind: "Group", name: "system:serviceaccounts:other" }, false],
  [{ kind: "Group" }, false],
  [{ kind: "User", name: "system:authenticated" }, false],
])("the subject %j is the account: %s", (subject, ...[is, ofGroup]) => {
  expect([isAccount(subject, ours), findGroup(subject, ours)]).toEqual([is, ofGroup]);
});

const toRole = { kind: "ClusterRole", name: "some" } as const;
const toAny = aBinding("any", toRole, { subjects: [] });
const use = useOf(scc);
const wildcard = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] };

test.each<[string, readonly PolicyRule[] | null, grants.Breadth | undefined]>([
  ["about this constraint alone", [use], "only"],
  ["with more verbs on it", [{ ...use, verbs: ["use", "get"] }], "only"],
  ["with every verb on it", [{ ...use, verbs: ["*"] }], "only"],
  ["in two rules about it", [use, { ...use, verbs: ["get"] }], "only"],
  ["naming another one too", [useOf(scc, "yours")], "names"],
  ["beside other rights", [use, { apiGroups: [""], resources: ["pods"], verbs: ["get"] }], "names"],
  ["beside paths", [use, { nonResourceURLs: ["/metrics"], verbs: ["get"] }], "names"],
  ["on all resources of that name", [{ ...use, resources: ["*"] }], "names"],
  ["on every constraint", [{ ...use, resourceNames: [] }], "wide"],
  ["on everything", [wildcard], "wide"],
  ["on another constraint", [useOf("yours")], undefined],
  ["with other verbs", [{ ...use, verbs: ["get"] }], undefined],
  ["in another group", [{ ...use, apiGroups: ["policy"] }], undefined],
  ["of a subresource", [{ ...use, resources: ["*/status"] }], undefined],
  ["without rules", [], undefined],
  ["with null for rules", null, undefined],
  ["with rules that say nothing", [{}, { verbs: ["use"] }], undefined],
])("a role %s", (_case, rules, breadth) => {
  const clusterRoles = [aRole("some", rules)];
  const found = listGrants({ ...none, clusterRoles, clusterRoleBindings: [toAny] }, scc);
  expect(found.map((grant) => grant.breadth)).toEqual(breadth === undefined ? [] : [breadth]);
});

test("a Role counts in its own namespace alone, a binding to what cannot be read for nothing", () => {
  const own = { kind: "Role", name: "some" } as const;
  const roleBindings = ["engine", "other"].map((namespace) =>
    aBinding("any", own, { subjects: [], namespace }),
  );
  expect(
    listGrants({ ...none, roles: [aRole("some", [use], "engine")], roleBindings }, scc),
  ).toMatchObject([{ role: "Role/engine/some", binding: { metadata: { namespace: "engine" } } }]);
  const clusterRoleBindings = [own, {}, undefined].map((roleRef) => ({ ...toAny, roleRef }));
  const clusterRoles = [aRole("some", [use])];
  expect(listGrants({ ...none, clusterRoles, clusterRoleBindings }, scc)).toEqual([]);
});

test("constraints and bindings are addressed by their kind", () => {
  const plural = "securitycontextconstraints";
  expect(accessRef(aConstraint(scc))).toMatchObject({ name: scc, resource: { plural } });
  expect(accessRef(aBinding("any", toRole, { subjects: [], namespace: "engine" }))).toMatchObject({
    name: "any",
    namespace: "engine",
    resource: { plural: "rolebindings" },
  });
  const odd = accessRef({ apiVersion: "v1", kind: "Other", metadata: {} });
  expect(odd).toMatchObject({ name: "", resource: { plural } });
});

function aState(changes: Partial<SccState> = {}): SccState {
  const constraint = aConstraint(scc);
  return {
    ...{ name: scc, constraint, access: none, pods: [], wantedBy: [] },
    ...{ members: [asUser], own: [], ...changes },
  };
}

function bound(subjects: readonly Subject[], rules: readonly PolicyRule[] = [use]): SccState {
  const name = `system:openshift:scc:${scc}`;
  const clusterRoles = [aRole(name, rules)];
  const clusterRoleBindings = [aBinding(name, { kind: "ClusterRole", name }, { subjects })];
  return aState({ access: { ...none, clusterRoles, clusterRoleBindings } });
}

const codesOf = (state: SccState): readonly string[] =>
  listFindings(planLists(state, [ours]), scc).map(({ code }) => code);

test("a constraint of nobody is deleted and nothing else is written", () => {
  const state = aState();
  const plan = planLists(state, [ours]);
  const remove = state.constraint;
  expect(plan).toEqual({ changes: [], ways: [], users: [], pods: [], remove, leftover: undefined });
  expect(listFindings(plan, scc)).toEqual([]);
  const constraint = { ...aConstraint(scc), users: null, groups: "all" };
  const odd = planLists(aState({ constraint }), [ours]);
  expect(odd).toMatchObject({ changes: [], users: [], remove: constraint });
});

test("an account goes out of a list once and for all, the others keep their order", () => {
  const object = aConstraint(scc, { users: ["b", user("engine"), "a", user("engine")] });
  const removed = [user("engine")];
  expect(planLists(aState({ constraint: object }), [ours]).changes).toEqual([
    { object, lists: [{ field: "users", left: ["b", "a"], removed }], deletes: false },
  ]);
});

test("a constraint's last user leaves an empty list, a binding's last subject no binding", () => {
  const constraint = aConstraint(scc, { users: [user("engine")] });
  const { changes, remove, leftover } = planLists({ ...bound([account("engine")]), constraint }, [
    ours,
  ]);
  expect(changes).toMatchObject([
    { lists: [{ field: "users", left: [] }], deletes: false },
    { lists: [{ field: "subjects", left: [] }], deletes: true },
  ]);
  expect([remove, leftover?.metadata.name]).toEqual([constraint, `system:openshift:scc:${scc}`]);
});

test("several accounts go out of one binding in one write", () => {
  const two = [ours, { namespace: "engine", name: "second" }];
  const subjects = [account("engine"), account("other"), account("engine", "second")];
  const removed = ["ServiceAccount/engine/ec", "ServiceAccount/engine/second"];
  const { changes } = planLists(bound(subjects), two);
  expect(changes).toMatchObject([{ lists: [{ left: [account("other")], removed }] }]);
});

const inGroup = aConstraint(scc, { groups: ["system:serviceaccounts"] });

test.each<[string, SccState, boolean, readonly string[]]>([
  ["nobody is bound any more", bound([account("engine")]), false, ["ROLE-LEFT"]],
  ["another subject", bound([account("other")]), true, ["IN-USE"]],
  ["a group of its own", bound([group("system:authenticated")]), true, ["WAY-GROUP", "IN-USE"]],
  [
    "a role that grants more",
    bound([account("engine")], [useOf(scc, "other")]),
    true,
    ["WAY-ROLE", "IN-USE"],
  ],
  ["a group in the constraint", aState({ constraint: inGroup }), true, ["WAY-GROUP", "IN-USE"]],
  ["a pod", aState({ pods: [aPod("other", { scc })] }), true, ["IN-USE"]],
  ["an EC that wants it", aState({ wantedBy: ["EC/engine/b"] }), true, ["IN-USE"]],
  [
    "a wildcard, which every administrator holds",
    bound([account("engine"), account("other")], [wildcard]),
    false,
    ["WAY-ROLE"],
  ],
])("what keeps the constraint: %s", (_case, state, ...[keeps, codes]) => {
  const remove = keeps ? undefined : state.constraint;
  expect(planLists(state, [ours]).remove).toBe(remove);
  expect(codesOf(state)).toEqual(codes.map((code) => `SCC-${code}`));
});

test("of many who use it the first are named, the others counted", () => {
  const users = Array.from({ length: 12 }, (_, index) => `u${index}`);
  const plan = planLists(aState({ constraint: aConstraint(scc, { users }) }), [ours]);
  expect(plan.users).toHaveLength(12);
  expect(listFindings(plan, scc)[0]?.cause).toMatch(/ by user u0; .*user u9; 2 more$/);
});

test("bindings that outlive their constraint are removed as well", () => {
  const [role, binding] = granted(scc, { subjects: [account("engine"), account("other")] });
  const access = { ...none, clusterRoles: [role], clusterRoleBindings: [binding] };
  const plan = planLists(aState({ constraint: undefined, access }), [ours]);
  expect(plan).toMatchObject({
    changes: [{ lists: [{ left: [account("other")] }] }],
    ways: [],
  });
  expect(plan.remove).toBeUndefined();
});

test("a binding for nobody lets nobody in", () => {
  const state = bound([]);
  const clusterRoleBindings = state.access.clusterRoleBindings.map((one) => omit(one, "subjects"));
  const plan = planLists({ ...state, access: { ...state.access, clusterRoleBindings } }, [ours]);
  expect(plan).toMatchObject({ changes: [], ways: [], users: [] });
  expect(plan.remove).toBe(state.constraint);
});

test("a pod runs under the constraint of its annotation until it has ended", () => {
  const runs = (phase: string | undefined, name = scc) =>
    runsUnder({ ...aPod("engine", { scc }), status: { phase } }, name);
  expect(["Running", "Pending", undefined].map((phase) => runs(phase))).toEqual([true, true, true]);
  expect([runs("Succeeded"), runs("Failed"), runs("Running", "x")]).toEqual([false, false, false]);
  expect(runsUnder({ apiVersion: "v1", kind: "Pod", metadata: {} }, scc)).toBe(false);
});

test("the older constraint is named with the command that takes it away", () => {
  const object = "SecurityContextConstraints/old";
  const run = { of: "tool", words: ["unbind-scc", "--scc=old"] };
  expect(olderLeft("old")).toMatchObject({ object, remedies: [{ run }] });
});

test.each([
  [[], "no pod runs under it: take the group out, then run again: "],
  [
    [aPod("shop", { scc })],
    "make sure that none of these needs it any more: Pod/shop/some-pod, which runs under it; then take the group out: ",
  ],
])("a group that lets the account in is taken out by a line: %#", (pods, says) => {
  const state = { ...bound([group("system:authenticated")]), pods };
  expect(listFindings(planLists(state, [ours]), scc)[0]?.fix).toBe(
    `${says}oc adm policy remove-scc-from-group mine system:authenticated`,
  );
});

test("every way says whose it is, by what, and why it stays", () => {
  const way = "ClusterRole/system:openshift:scc:mine";
  const causes = [
    bound([group("system:authenticated")]),
    bound([account("engine")], [useOf(scc, "other")]),
    bound([account("engine")], [{ ...wildcard, verbs: ["use"] }]),
  ].map((state) => listFindings(planLists(state, [ours]), scc)[0]?.cause);
  expect(causes).toEqual([
    `${asUser} may still use mine as a member of group system:authenticated; removing the group would remove it from all its members`,
    `${asUser} may still use mine by ${way}, which also grants other things that it would lose`,
    `${asUser} may still use mine by ${way}, a role with a wildcard; this is an administrator's grant and not the constraint's`,
  ]);
  expect(subjectLabel({ kind: "User", name: "zoe" })).toBe("User/zoe");
});
