import {
  findingsOf,
  olderLeft,
  planUnbind,
  runsUnder,
  type SccState,
} from "../../../../plugin/domain/scc/plan";
import {
  aBinding,
  aConstraint,
  account,
  aPod,
  aRole,
  granted,
  group,
  user,
  useOf,
} from "../../run/scc/objects";

const scc = "mine";
const ours = { namespace: "engine", name: "ec" };
const [role, binding] = granted(scc, { subjects: [account("engine"), account("other")] });

function aSituation(changes: Partial<SccState> = {}): SccState {
  return {
    name: scc,
    constraint: aConstraint(scc),
    access: { clusterRoles: [], clusterRoleBindings: [], roles: [], roleBindings: [] },
    pods: [],
    wantedBy: [],
    ...changes,
  };
}

const bound = (subjects: readonly object[], rules: readonly object[] = [useOf(scc)]): SccState => {
  const name = `system:openshift:scc:${scc}`;
  return aSituation({
    access: {
      clusterRoles: [aRole(name, rules)],
      clusterRoleBindings: [aBinding(name, { kind: "ClusterRole", name }, { subjects })],
      roles: [],
      roleBindings: [],
    },
  });
};

const codesOf = (situation: SccState): readonly string[] =>
  findingsOf(planUnbind(situation, [ours]), scc).map(({ code }) => code);

test("a constraint of nobody is deleted and nothing else is written", () => {
  const situation = aSituation();
  const plan = planUnbind(situation, [ours]);
  expect(plan).toEqual({
    changes: [],
    ways: [],
    users: [],
    remove: situation.constraint,
    leftover: undefined,
  });
  expect(findingsOf(plan, scc)).toEqual([]);
});

test("lists that are no lists are empty ones", () => {
  const constraint = { ...aConstraint(scc), users: null, groups: "all" };
  expect(planUnbind(aSituation({ constraint }), [ours])).toMatchObject({
    changes: [],
    users: [],
    remove: constraint,
  });
});

test("an account goes out of a list once and for all, the others keep their order", () => {
  const constraint = aConstraint(scc, { users: ["b", user("engine"), "a", user("engine")] });
  const { changes } = planUnbind(aSituation({ constraint }), [ours]);
  expect(changes).toEqual([
    {
      object: constraint,
      field: "users",
      left: ["b", "a"],
      removed: [user("engine")],
      deletes: false,
    },
  ]);
});

test("a constraint's last user leaves an empty list, a binding's last subject no binding", () => {
  const constraint = aConstraint(scc, { users: [user("engine")] });
  const situation = { ...bound([account("engine")]), constraint };
  const { changes, remove, leftover } = planUnbind(situation, [ours]);
  expect(changes).toMatchObject([
    { field: "users", left: [], deletes: false },
    { field: "subjects", left: [], deletes: true },
  ]);
  expect([remove, leftover?.metadata.name]).toEqual([constraint, `system:openshift:scc:${scc}`]);
});

test("a role that nobody is bound to any more is named", () => {
  expect(codesOf(bound([account("engine")]))).toEqual(["SCC-ROLE-LEFT"]);
});

test("several accounts go out of one binding in one write", () => {
  const two = [ours, { namespace: "engine", name: "second" }];
  const subjects = [account("engine"), account("other"), account("engine", "second")];
  expect(planUnbind(bound(subjects), two).changes).toMatchObject([
    {
      left: [account("other")],
      removed: ["ServiceAccount/engine/ec", "ServiceAccount/engine/second"],
    },
  ]);
});

test.each([
  ["another subject", bound([account("other")]), ["SCC-IN-USE"]],
  ["a group of its own", bound([group("system:authenticated")]), ["SCC-WAY-GROUP", "SCC-IN-USE"]],
  [
    "a role that grants more",
    bound([account("engine")], [useOf(scc, "other")]),
    ["SCC-WAY-ROLE", "SCC-IN-USE"],
  ],
  [
    "a group in the constraint",
    aSituation({ constraint: aConstraint(scc, { groups: ["system:serviceaccounts"] }) }),
    ["SCC-WAY-GROUP", "SCC-IN-USE"],
  ],
  ["a pod", aSituation({ pods: [aPod("other", { scc })] }), ["SCC-IN-USE"]],
  ["an EC that wants it", aSituation({ wantedBy: ["EC/engine/b"] }), ["SCC-IN-USE"]],
])("%s keeps the constraint", (_case, situation, codes) => {
  expect(planUnbind(situation, [ours]).remove).toBeUndefined();
  expect(codesOf(situation)).toEqual(codes);
});

test("of many who use it the first are named, the others counted", () => {
  const users = Array.from({ length: 12 }, (_, index) => `u${index}`);
  const plan = planUnbind(aSituation({ constraint: aConstraint(scc, { users }) }), [ours]);
  expect(plan.users).toHaveLength(12);
  expect(findingsOf(plan, scc)[0]?.cause).toMatch(/ by user u0; .*user u9; 2 more$/);
});

test("a wildcard keeps no constraint: every administrator holds one", () => {
  const situation = bound(
    [account("engine"), account("other")],
    [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }],
  );
  expect(planUnbind(situation, [ours]).remove).toBe(situation.constraint);
  expect(codesOf(situation)).toEqual(["SCC-WAY-ROLE"]);
});

test("bindings that outlive their constraint are removed as well", () => {
  const situation = {
    ...aSituation({ constraint: undefined }),
    access: {
      clusterRoles: role === undefined ? [] : [role],
      clusterRoleBindings: binding === undefined ? [] : [binding],
      roles: [],
      roleBindings: [],
    },
  };
  const plan = planUnbind(situation, [ours]);
  expect(plan).toMatchObject({ changes: [{ left: [account("other")] }], ways: [] });
  expect(plan.remove).toBeUndefined();
});

test.each([
  ["running", "Running", true],
  ["waiting for a node", "Pending", true],
  ["not yet told", undefined, true],
  ["ended", "Succeeded", false],
  ["failed", "Failed", false],
])("a pod that is %s", (_case, phase, runs) => {
  const pod = { ...aPod("engine", { scc }), status: { phase } };
  expect(runsUnder(pod, scc)).toBe(runs);
  expect(runsUnder(pod, "another")).toBe(false);
});

test("a pod without annotations runs under no constraint that is known", () => {
  expect(runsUnder({ apiVersion: "v1", kind: "Pod", metadata: {} }, scc)).toBe(false);
});

test("the older constraint is named with the command that takes it away", () => {
  expect(olderLeft("old", "kubectl engine unbind-scc --scc old")).toMatchObject({
    object: "SecurityContextConstraints/old",
    fix: expect.stringContaining("kubectl engine unbind-scc --scc old") as string,
  });
});

test("every way says whose it is, by what, and why it stays", () => {
  const causes = [
    bound([group("system:authenticated")]),
    bound([account("engine")], [useOf(scc, "other")]),
    bound([account("engine")], [{ apiGroups: ["*"], resources: ["*"], verbs: ["use"] }]),
  ].map((situation) => findingsOf(planUnbind(situation, [ours]), scc)[0]?.cause);
  expect(causes).toEqual([
    `${user("engine")} may still use mine as a member of group system:authenticated; removing the group would remove it from all its members`,
    `${user("engine")} may still use mine by ClusterRole/system:openshift:scc:mine, which also grants other things that it would lose`,
    `${user("engine")} may still use mine by ClusterRole/system:openshift:scc:mine, a role with a wildcard; this is an administrator's grant and not the constraint's`,
  ]);
});
