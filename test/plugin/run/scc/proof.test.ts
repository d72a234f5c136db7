/** By which kind of review an unbinding proves itself, and what a dry run tells of its writes. */
import { defaultNames as names } from "../../../../plugin/domain/names";
import type { KubeObject } from "../../../../plugin/run/ports";
import { aScene } from "./memory-scene";
import { aBinding, account, aConstraint, anEc, aRole, granted, user } from "./objects";
import { alone, bindingName, bindingRef, namespaces, ns, objects, other, scc } from "./start";

const jane = { name: "jane", groups: ["system:authenticated"] };
const apiGroup = "rbac.authorization.k8s.io";
const every = (apiGroups: readonly string[], verbs: readonly string[]) => ({
  apiGroups,
  resources: ["*"],
  verbs,
});

/** What the rest of the run needs, and local reviews in some namespaces. */
function rights(...reviewedIn: readonly string[]): readonly KubeObject[] {
  const role = { kind: "ClusterRole", name: "work" } as const;
  const subjects = [{ apiGroup, kind: "User", name: jane.name }];
  const rules = [
    every(["", "apps", names.group], ["get", "list"]),
    every(["security.openshift.io", apiGroup], ["*"]),
  ];
  const review = {
    apiGroups: ["authorization.k8s.io"],
    resources: ["localsubjectaccessreviews"],
    verbs: ["create"],
  };
  return [
    aRole("work", rules),
    aBinding("work", role, { subjects }),
    aRole("review", [review]),
    ...reviewedIn.map((namespace) =>
      aBinding("review", { ...role, name: "review" }, { subjects, namespace }),
    ),
  ];
}

describe("who may ask about their namespaces alone", () => {
  test("proves it there", async () => {
    const scene = aScene([...alone, ...rights(ns)], { user: jane });
    const report = await scene.run({ scc });
    expect(report.exit.code).toBe(0);
    expect(report.steps?.map(({ id }) => id)).toContain("scc.review-after");
    expect(await scene.cluster.get(bindingRef)).toBeUndefined();
  });

  test("and not where a binding is too, learns of that place before anything is written", async () => {
    const near = granted(scc, { subjects: [account(ns)], namespace: other });
    const start = [...namespaces, anEc(ns), aConstraint(scc, { users: [user(ns)] }), ...near];
    const scene = aScene([...start, ...rights(ns)], { user: jane });
    const report = await scene.run({ scc });
    expect([report.exit.code, scene.sent]).toEqual([4, []]);
    expect(report.permissions?.missing).toEqual([
      `create localsubjectaccessreviews.authorization.k8s.io in namespace ${other}: to prove who may use the constraint`,
    ]);
  });

  test("and nowhere, learns that reviews are missing", async () => {
    const scene = aScene([...alone, ...rights()], { user: jane });
    const report = await scene.run({ scc });
    expect([report.exit.code, scene.sent]).toEqual([4, []]);
    expect(report.permissions?.missing.join()).toContain("create subjectaccessreviews");
  });
});

describe("a dry run tells of each write its verb, risk, way back and command", () => {
  const told = async (start: readonly KubeObject[]) => {
    const { steps = [] } = await aScene(start).run({ scc, dryRun: "client" });
    return steps.flatMap(({ write }) => (write === undefined ? [] : [write]));
  };

  test("where others stay", async () => {
    const writes = await told(objects);
    expect(writes.map(({ verb, target, command }) => [verb, target.kind, command])).toEqual([
      [
        "patch",
        "SecurityContextConstraints",
        `kubectl patch securitycontextconstraints.security.openshift.io ${scc} --type=merge -p {"users":[]}`,
      ],
      [
        "patch",
        "ClusterRoleBinding",
        `kubectl patch clusterrolebindings.rbac.authorization.k8s.io ${bindingName} --type=merge -p ${JSON.stringify({ subjects: [account(other)] })}`,
      ],
    ]);
    expect(writes[0]?.read).toEqual({
      uid: expect.any(String) as string,
      resourceVersion: expect.any(String) as string,
    });
    expect(writes[0]?.reverse).toContain("kubectl replace");
  });

  test("where nobody does", async () => {
    const near = granted(scc, { subjects: [account(ns)], namespace: ns });
    const writes = await told([...namespaces, anEc(ns), aConstraint(scc), ...near]);
    expect(writes.map(({ verb, target, command }) => [verb, target.kind, command])).toEqual([
      ["delete", "RoleBinding", `kubectl delete rolebinding ${bindingName} -n ${ns}`],
      ["delete", "SecurityContextConstraints", `kubectl delete securitycontextconstraints ${scc}`],
    ]);
    expect(writes.map(({ reverse }) => reverse)).toEqual([
      expect.stringContaining("kubectl create"),
      expect.stringContaining("kubectl create"),
    ]);
  });
});
