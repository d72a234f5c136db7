/** Roles and bindings of many namespaces, on a cluster in memory. */
import { toDocument } from "../../../../plugin/domain/diagnosis/symptom";
import { InterruptedError } from "../../../../plugin/cmdutil/context";
import { ApiError, UnavailableError } from "../../../../plugin/domain/base/errors";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/ports/kubernetes";
import { rbacKinds } from "../../../../plugin/domain/kube/kinds";
import {
  grantLines,
  grantsOf,
  readRules,
  listSubjects,
} from "../../../../plugin/domain/kube/role-rules";
import { getOwn } from "../../../../plugin/domain/base/values";
import { readShippedTemplates } from "../../../../plugin/cmdutil/release-option";
import { unwritable } from "../world";
import { findLine } from "../../../../plugin/domain/rbac/lines";
import { anOperator } from "../../domain/engine-cluster/scene";
import { aBinding, account, aRole } from "../../domain/rbac/objects";
import {
  aNamespace,
  aScene,
  may,
  operatorNamespace,
  resultsOf,
  type Scene,
  settings,
  grant,
  inPlace as placed,
  jane,
  list,
} from "./scene";

const rulesAt = (tag: string): readonly object[] => findLine(tag, names)?.rules ?? [];
const matching = (text: string): unknown => expect.stringContaining(text);
const labels = { app: names.operator.appLabel };
const endpoints = { apiGroups: [""], resources: ["endpoints"], verbs: ["get"] };
const inPlace = (namespace: string, roleRef = {}) =>
  placed(namespace, { rules: [endpoints], labels, roleRef });
const slices = ["get", "discovery.k8s.io", "endpointslices"] as const;
const old = ["get", "", "endpoints"] as const;
const role = (namespace: string, name = "edb-role") => ({
  resource: rbacKinds.role,
  namespace,
  name,
});
const binding = (namespace: string, name = "edb-role") => ({
  ...role(namespace, name),
  resource: rbacKinds.roleBinding,
});

describe("what is told to be managed", () => {
  test("is brought up to date, and only that", async () => {
    const scene = aScene([list("a", "b"), ...inPlace("a"), aNamespace("b"), ...inPlace("c")]);
    const report = await scene.run();
    expect(report.exit.code).toBe(0);
    expect(resultsOf(report)).toEqual({ a: "changed", b: "created" });
    expect(scene.writes()).toEqual(
      expect.arrayContaining([
        "apply Role a/edb-role",
        "apply Role b/edb-role",
        "apply RoleBinding b/edb-role",
      ]),
    );
    expect(await may(scene, "b", slices)).toBe(true);
    expect(report.namespaces?.[0]?.rules?.lost).toEqual([]);
    expect(await may(scene, "a", old)).toBe(true);
    expect(report.backups?.map(({ object }) => object)).toEqual(["Role/a/edb-role"]);
    expect(report.findings?.map(({ code }) => code)).toEqual(["RBAC-STALE"]);
  });

  test("and up to date already is not written; lists do not grow with namespaces", async () => {
    const lists = async (count: number): Promise<number> => {
      const all = Array.from({ length: count }, (_, at) => `ns-${at}`);
      const scene = aScene([list(...all), ...all.flatMap((name) => inPlace(name))]);
      await scene.run();
      const report = await scene.run();
      expect(report.exit.code).toBe(0);
      expect(scene.writes()).toEqual([]);
      expect(scene.calls.filter(({ verb }) => verb === "get").length).toBeLessThan(6);
      return scene.calls.filter(({ verb }) => verb === "list").length;
    };
    expect(await lists(30)).toBe(await lists(3));
  });

  test("by label: with the cluster-wide pair, and a warning for a value", async () => {
    const scene = aScene([
      settings({ EDB_NAMESPACES_LABEL: "managed" }),
      aNamespace("a", { labels: { managed: "" } }),
      aNamespace("b", { labels: { managed: "yes" } }),
      aNamespace("c"),
    ]);
    const report = await scene.run();
    expect(report.exit.code).toBe(0);
    expect(resultsOf(report)).toEqual({ "(cluster)": "created", a: "created", b: "created" });
    expect(report.findings?.map(({ object }) => object)).toEqual(["Namespace/b"]);
    expect((await scene.run()).exit.code).toBe(0);
    expect(scene.writes()).toEqual([]);
  });

  test("by label: files without the cluster-wide pair are wrong usage, and nothing is written", async () => {
    const scene = aScene([
      settings({ EDB_NAMESPACES_LABEL: "managed" }),
      aNamespace("a", { labels: { managed: "" } }),
    ]);
    const { documents: all } = readShippedTemplates(names);
    const documents = all.filter((each) => !String(getOwn(each, "kind")).startsWith("Cluster"));
    const report = await scene.run({ documents, source: "roles.yaml" });
    expect(report.exit).toMatchObject({
      code: 2,
      reason: matching("template roles.yaml: it holds no ClusterRole/"),
    });
    expect(scene.writes()).toEqual([]);
  });

  test("yields to the exact set that is given, with a warning", async () => {
    const scene = aScene([list("a"), ...inPlace("a"), aNamespace("b")]);
    const report = await scene.run({ given: ["b"] });
    expect(resultsOf(report)).toEqual({ b: "created" });
    expect(report.findings?.map(({ code }) => code)).toEqual(["RBAC-NOT-CONFIGURED"]);
  });

  test("and given by label is the labeled set", async () => {
    const scene = aScene([aNamespace("a", { labels: { team: "x" } }), aNamespace("b")]);
    expect(resultsOf(await scene.run({ selector: "team=x" }))).toEqual({ a: "created" });
  });

  test.each([
    ["no operator", [], "RBAC-NO-CONFIGURATION"],
    ["no cluster", [list("a"), aNamespace("a")], "RBAC-NO-CLUSTER"],
  ])("with %s stops with 3 before any write", async (what, objects, code) => {
    const scene = aScene(objects);
    if (what === "no cluster") {
      const resource = { group: names.group, version: names.ecVersion, ...names.ec };
      await scene.cluster.delete({ resource, name: "ec", namespace: operatorNamespace }, {});
    }
    const report = await scene.run();
    expect(report.exit.code).toBe(3);
    expect(report.findings?.map((finding) => finding.code)).toEqual([code]);
    expect(scene.writes()).toEqual([]);
  });
});

describe("namespaces that fail", () => {
  const broken = (): KubeObject[] => [
    list("absent", "ending", "fine", "held", "owned"),
    { ...aNamespace("ending"), status: { phase: "Terminating" } },
    ...inPlace("fine"),
    ...inPlace("held"),
    ...inPlace("owned").map((object) => ({
      ...object,
      metadata: { ...object.metadata, labels: { "app.kubernetes.io/managed-by": "Helm" } },
    })),
  ];
  const held = async (scene: ReturnType<typeof aScene>): Promise<void> => {
    const object = aRole([endpoints], { namespace: "held", labels });
    await scene.cluster.apply(object, { fieldManager: "argocd", force: true });
  };
  const wanted = {
    absent: "failed RBAC-NAMESPACE-ABSENT",
    ending: "failed RBAC-NAMESPACE-TERMINATING",
    held: "failed FIELD-CONFLICT",
    owned: "failed RBAC-OWNED",
  };

  test("are named with their cause, the others are done, and the next run writes to them alone", async () => {
    const scene = aScene(broken());
    await held(scene);
    const report = await scene.run();
    expect(report.exit.code).toBe(6);
    expect(report.exit.reason).toContain("failed: absent, ending, held, owned");
    expect(resultsOf(report)).toEqual({ ...wanted, fine: "changed" });
    const told = report.namespaces?.flatMap(({ findings = [] }) => findings) ?? [];
    expect(told.flatMap((one) => Object.keys(toDocument(one)))).toEqual(told.flatMap(Object.keys));
    await scene.cluster.create(aNamespace("absent"));
    const again = await scene.run({ takeFields: [".rules"] });
    expect(resultsOf(again)).toMatchObject({
      absent: "created",
      fine: "unchanged",
      held: "changed",
    });
    expect(scene.writes().filter((line) => line.includes("fine"))).toEqual([]);
  });

  test("stop the run at --max-failures, and the rest is skipped", async () => {
    const scene = aScene(broken());
    const report = await scene.run({ maxFailures: 2 });
    expect(resultsOf(report)).toMatchObject({ fine: "skipped", held: "skipped" });
    expect(scene.writes()).toEqual([]);
  });

  test("stop it when they are the canary", async () => {
    const scene = aScene(broken());
    const report = await scene.run({ canary: "owned" });
    expect(resultsOf(report)).toMatchObject({ owned: "failed RBAC-OWNED", fine: "skipped" });
    expect(scene.writes()).toEqual([]);
  });

  test("stop it before the cluster-wide pair when the canary cannot be worked on at all", async () => {
    const scene = aScene([
      settings({ EDB_NAMESPACES_LABEL: "managed" }),
      { ...aNamespace("a", { labels: { managed: "" } }), status: { phase: "Terminating" } },
      aNamespace("b", { labels: { managed: "" } }),
    ]);
    const report = await scene.run({ canary: "a" });
    expect(report.exit.reason).toContain("stopped: the canary a failed");
    expect(resultsOf(report)).toEqual({ a: "failed RBAC-NAMESPACE-TERMINATING", b: "skipped" });
    expect(scene.writes()).toEqual([]);
  });

  test("a canary that is not managed is wrong usage", async () => {
    const scene = aScene(broken());
    expect((await scene.run({ canary: "other" })).exit.code).toBe(2);
    expect(scene.writes()).toEqual([]);
  });
});

describe("a binding for another role", () => {
  const everywhere = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "shared" },
    rules: [endpoints],
  };
  const reference = { kind: "ClusterRole", name: "shared" };
  const objects = [list("a"), everywhere, ...inPlace("a", reference)];

  test.each(["expand", "contract"] as const)(
    "is replaced without a moment without access (%s)",
    async (mode) => {
      const scene = aScene(objects);
      const right = mode === "expand" ? old : (["get", "", "secrets"] as const);
      const seen: boolean[] = [];
      if (mode === "contract") {
        // what the old role gave beyond the new one goes; what both give stays
        await scene.cluster.apply(
          { ...everywhere, rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }] },
          { fieldManager: "x", force: true },
        );
      }
      scene.after = async () => {
        seen.push(await may(scene, "a", right));
      };
      const report = await scene.run({ mode });
      expect(report.exit.code).toBe(0);
      expect(seen).not.toContain(false);
      expect(scene.questions).toHaveLength(1);
      const stored = await scene.cluster.get(binding("a"));
      expect(getOwn(stored, "roleRef")).toMatchObject({ kind: "Role", name: "edb-role" });
      expect(await scene.cluster.get(binding("a", "edb-role-kubectl-engine"))).toBeUndefined();
      expect((await scene.run({ mode })).exit.code).toBe(0);
      expect(scene.writes()).toEqual([]);
    },
  );

  test("cut off after any request is brought to its end by the next run, with access all the time", async () => {
    const length = aScene(objects);
    await length.run({ mode: "expand" });
    const count = length.calls.length;
    for (let cut = 0; cut < count; cut += 1) {
      const scene = aScene(objects);
      let left = cut;
      scene.after = () => {
        left -= 1;
        return left < 0 ? Promise.reject(new UnavailableError("cut off")) : Promise.resolve();
      };
      expect((await scene.run({ mode: "expand" })).exit.code).toBe(69);
      expect(await may(scene, "a", old)).toBe(true);
      scene.after = async () => {
        expect(await may(scene, "a", old)).toBe(true);
      };
      expect((await scene.run({ mode: "expand" })).exit.code).toBe(0);
      expect(await scene.cluster.get(binding("a", "edb-role-kubectl-engine"))).toBeUndefined();
    }
  });

  test.each(["client", "server"] as const)(
    "is planned write by write beside a role that is not there yet (%s)",
    async (dryRun) => {
      const [namespace, , bound] = inPlace("a", reference) as [KubeObject, KubeObject, KubeObject];
      const scene = aScene([list("a"), everywhere, namespace, bound]);
      const { steps = [] } = await scene.run({ dryRun });
      expect(steps.map(({ object, write }) => `${String(write?.verb)} ${object}`)).toEqual([
        "create Role/a/edb-role",
        "create RoleBinding/a/edb-role-kubectl-engine",
        "delete RoleBinding/a/edb-role",
        "create RoleBinding/a/edb-role",
        "delete RoleBinding/a/edb-role-kubectl-engine",
      ]);
      const commands = steps.map(({ write }) => write?.command);
      expect(commands.slice(0, 3)).toEqual([
        "kubectl auth reconcile -f deploy/multi-namespace-edb/role.yaml -n a",
        expect.stringMatching(
          /^kubectl create rolebinding edb-role-kubectl-engine --role=edb-role --serviceaccount=engine:engine-enterprise-operator .*--user=kubectl-engine:1 -n a$/,
        ),
        "kubectl delete rolebinding edb-role -n a",
      ]);
    },
  );
});

test("expand, then contract: old rights go only at the end", async () => {
  const scene = aScene([list("a"), ...inPlace("a")]);
  await scene.run({ mode: "expand" });
  expect([await may(scene, "a", old), await may(scene, "a", slices)]).toEqual([true, true]);
  await scene.run({ mode: "contract" });
  expect([await may(scene, "a", old), await may(scene, "a", slices)]).toEqual([false, true]);
});

const ofTheTool = { shipped: true } as const;
const runs = (tag: string): KubeObject => anOperator(tag);
const deployments = { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get", "list"] };
const alice = { apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "alice" };

describe("rights are removed", () => {
  const both = (namespace: string): readonly KubeObject[] => [
    aNamespace(namespace),
    aRole([...rulesAt("7.22.0-7"), ...rulesAt("8.0.2-2")], { namespace, labels }),
    aBinding([account(), account("ec")], { metadata: { namespace, labels } }),
  ];

  test.each<[string, string, Parameters<Scene["run"]>[0], readonly string[], readonly string[]]>([
    ["never by the plain command", "8.0.2-2", ofTheTool, [], []],
    [
      "by contract: of the old release",
      "8.0.2-2",
      { ...ofTheTool, mode: "contract" },
      ["endpoints"],
      [],
    ],
    [
      "by contract: of the next one",
      "7.22.0-7",
      { ...ofTheTool, mode: "contract" },
      ["endpointslices"],
      [],
    ],
    [
      "by contract to a release that runs",
      "8.0.2-2",
      { mode: "contract", release: "8.0.2-2" },
      ["endpoints"],
      [],
    ],
    [
      "by contract to an older file, of a newer operator",
      "8.0.6-8",
      { mode: "contract", release: "8.0.2-2" },
      ["endpoints"],
      [],
    ],
    [
      "not before the operator is there",
      "7.22.0-7",
      { mode: "contract", release: "8.0.2-2" },
      [],
      ["RBAC-CONTRACT-EARLY"],
    ],
    [
      "not while it uses what a file lacks",
      "7.22.0-7",
      { mode: "contract" },
      [],
      ["RBAC-CONTRACT-EARLY"],
    ],
    [
      "not while what it uses is not known",
      "6.4.2-4",
      { mode: "contract" },
      [],
      ["RBAC-CONTRACT-EARLY"],
    ],
    [
      "not by the plain command of an unknown release",
      "6.4.2-4",
      ofTheTool,
      [],
      ["RBAC-RELEASE-UNKNOWN"],
    ],
    [
      "not where the image tells nothing",
      "latest",
      { mode: "contract" },
      [],
      ["RBAC-RELEASE-UNKNOWN"],
    ],
    [
      "not without a tag",
      "latest",
      { ...ofTheTool, mode: "contract" },
      [],
      ["RBAC-RELEASE-UNKNOWN"],
    ],
  ])("%s (operator %s)", async (...[, tag, options, gone, codes]) => {
    const scene = aScene([list("a"), ...both("a"), runs(tag)]);
    const report = await scene.run(options);
    expect([report.exit.code, report.findings?.map(({ code }) => code)]).toEqual([
      codes.length === 0 ? 0 : 3,
      codes,
    ]);
    expect(scene.writes()).toEqual(gone.length === 0 ? [] : ["apply Role a/edb-role"]);
    expect(scene.questions).toHaveLength(gone.length);
    const left = {
      endpoints: await may(scene, "a", old),
      endpointslices: await may(scene, "a", slices),
    };
    expect(Object.entries(left).flatMap(([key, has]) => (has ? [] : [key]))).toEqual(gone);
  });

  test("where nothing is managed, an unknown release is no obstacle", async () => {
    const scene = aScene([list(), runs("latest")]);
    expect((await scene.run(ofTheTool)).exit.code).toBe(0);
  });
});

describe("what a person added", () => {
  const added = (namespace: string, more: readonly object[] = []): readonly KubeObject[] => [
    aNamespace(namespace),
    aRole([...rulesAt("8.0.2-2"), endpoints, deployments, ...more], { namespace, labels }),
    aBinding([account(), account("ec"), alice], { metadata: { namespace, labels } }),
  ];
  const rules = async (scene: Scene): Promise<readonly string[]> =>
    grantLines(grantsOf(readRules(await scene.cluster.get(role("a")))));
  const named = "a person added what no known release had, and it is kept: ";

  test.each(["expand", "contract"] as const)("is kept and listed (%s)", async (mode) => {
    const scene = aScene([list("a"), ...added("a")]);
    const report = await scene.run({ ...ofTheTool, mode });
    expect(report.exit.code).toBe(0);
    expect(await rules(scene)).toContain("deployments.apps: get, list");
    expect(await may(scene, "a", old)).toBe(mode === "expand");
    expect(listSubjects(await scene.cluster.get(binding("a")))).toContainEqual(alice);
    expect(report.findings).toMatchObject([
      {
        code: "RBAC-LOCAL",
        object: "Role/a/edb-role",
        cause: `${named}deployments.apps: get, list`,
        fix: matching(
          "reapply-rbac --drop-local edb-role:apps/deployments:get,edb-role:apps/deployments:list",
        ),
      },
      {
        code: "RBAC-LOCAL",
        object: "RoleBinding/a/edb-role",
        cause: `${named}User/alice`,
        fix: matching("reapply-rbac --drop-local edb-role:User/alice"),
      },
    ]);
  });

  test("in many places is listed once for those that are alike", async () => {
    const pods = { apiGroups: [""], resources: ["pods"], verbs: ["get"] };
    const scene = aScene([
      list("a", "b", "c"),
      ...added("a"),
      ...added("b"),
      ...added("c", [pods]),
    ]);
    const { findings = [] } = await scene.run(ofTheTool);
    expect(findings.map(({ object, cause }) => [object, cause.replace(named, "")])).toEqual([
      ["Role/a/edb-role", "deployments.apps: get, list (1 more: Role/b/edb-role)"],
      [
        "RoleBinding/a/edb-role",
        "User/alice (2 more: RoleBinding/b/edb-role, RoleBinding/c/edb-role)",
      ],
      ["Role/c/edb-role", "deployments.apps: get, list; pods: get"],
    ]);
  });

  test.each<[readonly string[], readonly string[]]>([
    [["edb-role:apps/deployments:get"], ["apply Role a/edb-role"]],
    [["edb-role:User/alice"], ["apply RoleBinding a/edb-role"]],
    [["all"], ["apply Role a/edb-role", "apply RoleBinding a/edb-role"]],
  ])("goes by --drop-local %j, after a question", async (dropLocal, writes) => {
    const scene = aScene([list("a"), ...added("a")]);
    const refused = await scene.run(
      { ...ofTheTool, dropLocal },
      { ask: () => Promise.resolve(false) },
    );
    expect([refused.exit.code, scene.writes()]).toEqual([2, []]);
    const report = await scene.run({ ...ofTheTool, dropLocal });
    expect([report.exit.code, scene.writes()]).toEqual([0, writes]);
    expect(await may(scene, "a", old)).toBe(true);
  });

  test.each<[string, readonly string[], RegExp]>([
    [
      "a typo",
      ["edb-role:apps/deployment:get"],
      /name one of: edb-role:User\/alice, edb-role:apps/,
    ],
    ["a rule of the release", ["edb-role:/secrets:get"], /name one of/],
    ["a right one beside a wrong one", ["edb-role:User/alice", "edb-role:User/bob"], /name one of/],
  ])("--drop-local with %s is wrong usage, and nothing is written", async (_, dropLocal, next) => {
    const scene = aScene([list("a"), ...added("a")]);
    const report = await scene.run({ ...ofTheTool, dropLocal });
    expect([report.exit.code, scene.writes()]).toEqual([2, []]);
    expect(report.exit.next).toMatch(next);
  });

  test("nobody added anything: an entry is wrong usage, all is not", async () => {
    const scene = aScene([list("a"), ...inPlace("a")]);
    const report = await scene.run({ ...ofTheTool, dropLocal: ["edb-role:User/bob"] });
    expect([report.exit.code, report.exit.next, scene.writes()]).toEqual([
      2,
      "go without it: there are no local additions",
      [],
    ]);
    expect((await scene.run({ ...ofTheTool, dropLocal: ["all"] })).exit.code).toBe(0);
  });
});

describe("leftovers", () => {
  const left = inPlace("left");

  test("are saved and deleted with --prune", async () => {
    const scene = aScene([list("a"), ...inPlace("a"), ...left]);
    const report = await scene.run({ prune: true });
    expect(report.exit.code).toBe(0);
    expect(await scene.cluster.get(role("left"))).toBeUndefined();
    expect(await scene.cluster.get(binding("left"))).toBeUndefined();
    expect(report.backups?.map(({ command }) => command)).toContain(
      "kubectl create -f /records/RoleBinding_left_edb-role.json",
    );
  });

  test("that others use too are left alone", async () => {
    const shared = aBinding([account(), account("x", "y")], { metadata: { namespace: "both" } });
    const used = aBinding([account("x", "y")], { metadata: { namespace: "left", name: "more" } });
    const scene = aScene([list("a"), ...inPlace("a"), ...left, used, aNamespace("both"), shared]);
    const report = await scene.run({ prune: true });
    expect(report.findings?.map(({ code }) => code).sort()).toEqual([
      "RBAC-STALE",
      "RBAC-STALE-SHARED",
    ]);
    expect(await scene.cluster.get(role("left"))).toBeDefined();
    expect(await scene.cluster.get(binding("left"))).toBeUndefined();
    expect(await scene.cluster.get(binding("both"))).toBeDefined();
  });
});

test("accounts of a namespace that is gone are leftovers, which only contract takes out", async () => {
  const [, own, shared] = inPlace("a");
  const subjects = [account(undefined, "gone"), account("ec", "gone")];
  const held = (shared as unknown as { readonly subjects: readonly object[] }).subjects;
  const foreign = { ...shared, subjects: [...held, ...subjects] } as KubeObject;
  const scene = aScene([list("a"), aNamespace("a"), own as KubeObject, foreign]);
  const read = async () => (await scene.cluster.get(binding("a")))?.["subjects"];
  expect(resultsOf(await scene.run({}))).toEqual({ a: "changed" });
  expect(await read()).toHaveLength(held.length + 2);
  expect(resultsOf(await scene.run({ mode: "contract" }))).toEqual({ a: "changed" });
  expect(await read()).toEqual(held);
});

test("a binding for another operator is not taken unless it is accepted, by its name", async () => {
  const [, theirs, shared] = inPlace("a");
  const foreign = { ...shared, subjects: [account(undefined, "elsewhere")] } as KubeObject;
  const namespaces = [aNamespace("a"), aNamespace("elsewhere")];
  const scene = aScene([list("a"), ...namespaces, theirs as KubeObject, foreign]);
  const mode = "contract";
  expect(resultsOf(await scene.run({ mode }))).toEqual({ a: "failed RBAC-OTHER-OPERATOR" });
  expect(scene.writes()).toEqual([]);
  const skip = (object: string) => [{ code: "RBAC-OTHER-OPERATOR", object }];
  const mistyped = await scene.run({ mode, skip: skip("RoleBinding/b/edb-role-binding") });
  expect(mistyped.exit).toMatchObject({
    code: 2,
    reason: expect.stringContaining("matches no finding") as string,
  });
  expect(scene.writes()).toEqual([]);
  const { name } = binding("a");
  const accepted = { mode, skip: skip(`RoleBinding/a/${name}`) } as const;
  const report = await scene.run(accepted);
  expect(resultsOf(report)).toEqual({ a: "changed" });
  expect(report.findings).toContainEqual(
    expect.objectContaining({ code: "RBAC-OTHER-OPERATOR", severity: "warning", accepted: true }),
  );
  expect((await scene.run(accepted)).exit.code).toBe(0);
  expect(listSubjects(await scene.cluster.get(binding("a")))).toHaveLength(2);
});

describe("a user who may not do everything", () => {
  const apiGroup = "rbac.authorization.k8s.io";
  const user = jane;
  const reads = [
    { apiGroups: ["", "apps", names.group], resources: ["*"], verbs: ["get", "list"] },
    { apiGroups: ["authorization.k8s.io"], resources: ["*"], verbs: ["create"] },
    { apiGroups: [apiGroup], resources: ["*"], verbs: ["get", "list"] },
  ];
  const writes = { apiGroups: [apiGroup], resources: ["*"], verbs: ["create", "patch", "delete"] };
  const mighty = { apiGroups: [apiGroup], resources: ["*"], verbs: ["escalate", "bind"] };

  test("writes where it is allowed, and the Role for the rest is printed", async () => {
    const scene = aScene(
      [
        list("a", "b"),
        aNamespace("a"),
        aNamespace("b"),
        ...grant(reads),
        ...grant([writes, mighty], "a"),
      ],
      user,
    );
    const report = await scene.run();
    expect(report.exit.code).toBe(6);
    expect(resultsOf(report)).toEqual({ a: "created", b: "failed RBAC-FORBIDDEN" });
    expect(report.permissions?.manifest).toContain('"namespace":"b"');
  });

  test("writes nothing where it is allowed nowhere, and ends with 4", async () => {
    const scene = aScene([list("a"), ...inPlace("a"), ...grant(reads)], user);
    const report = await scene.run();
    expect(report.exit.code).toBe(4);
    expect(report.permissions?.missing[0]).toMatch(/^patch roles/);
    expect(scene.writes()).toEqual([]);
  });

  test("permissions of many namespaces are asked for no more than --concurrency at once", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `n${String(index)}`);
    const near = { apiGroups: [apiGroup], resources: ["*"], verbs: ["*"] };
    const objects = names.flatMap((name) => [...inPlace(name), ...grant([near], name)]);
    const scene = aScene([list(...names), ...objects, ...grant(reads)], user);
    let [running, most] = [0, 0];
    scene.before = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
    };
    scene.after = () => {
      running -= 1;
      return Promise.resolve();
    };
    await scene.run({ concurrency: 2, dryRun: "client" });
    expect(most).toBeLessThan(6);
  });

  test("reads namespace by namespace where it may not list everywhere", async () => {
    const near = { apiGroups: [apiGroup], resources: ["*"], verbs: ["*"] };
    const scene = aScene(
      [list("a"), ...inPlace("a"), ...grant(reads.slice(0, 2)), ...grant([near], "a")],
      user,
    );
    expect(resultsOf(await scene.run())).toEqual({ a: "changed" });
    expect(scene.calls.some(({ subject }) => subject.startsWith("roles"))).toBe(false);
  });

  test("prunes with the right to delete what is left over, and nothing else", async () => {
    const named = { ...writes, resourceNames: ["edb-role"], verbs: ["delete"] };
    const scene = aScene(
      [list(), ...inPlace("left"), ...grant(reads), ...grant([named], "left")],
      user,
    );
    expect((await scene.run({ prune: true })).exit.code).toBe(0);
    expect(scene.writes()).toEqual([
      "delete Role left/edb-role",
      "delete RoleBinding left/edb-role",
    ]);
  });

  test("learns rule by rule what it lacks to give the role", async () => {
    const scene = aScene([list("a"), ...inPlace("a"), ...grant([...reads, writes])], user);
    const report = await scene.run();
    expect(report.exit.code).toBe(4);
    const causes = report.namespaces?.[0]?.findings?.map(({ cause }) => cause) ?? [];
    expect(causes).toContainEqual(
      expect.stringMatching(/endpointslices.discovery.k8s.io: get, list, watch$/),
    );
    expect(causes).not.toContainEqual(expect.stringMatching(/secrets: .*\bget\b/));
    expect(report.permissions?.manifest).toContain("endpointslices");
    const lacking = await scene.cluster.get(role("a"));
    expect(getOwn(lacking, "rules")).toEqual([endpoints]);
    for (const object of JSON.parse(report.permissions?.manifest ?? "[]") as KubeObject[]) {
      const subjects = [{ apiGroup, kind: "User", name: user.name }];
      await scene.cluster.create(
        object.kind.endsWith("Binding") ? { ...object, subjects } : object,
      );
    }
    expect((await scene.run()).exit.code).toBe(0);
  });
});

describe("what happens on the way", () => {
  test("a server that stays too busy (429) fails that namespace, and the next run finishes it", async () => {
    const scene = aScene([list("a", "b"), ...inPlace("a"), ...inPlace("b")]);
    scene.before = ({ subject, verb }) =>
      verb === "apply" && subject === "Role a/edb-role"
        ? Promise.reject(new ApiError("too many requests", { status: 429 }))
        : Promise.resolve();
    const report = await scene.run();
    expect(resultsOf(report)).toEqual({ a: "failed RBAC-REFUSED", b: "changed" });
    expect(scene.clock.sleeps).not.toContain(30_000);
    scene.before = () => Promise.resolve();
    expect(resultsOf(await scene.run())).toEqual({ a: "changed", b: "unchanged" });
  });

  test("a refusal by the API server fails that namespace in its words", async () => {
    const scene = aScene([list("a", "b"), ...inPlace("a"), ...inPlace("b")]);
    scene.before = ({ subject, verb }) =>
      verb === "apply" && subject === "Role a/edb-role"
        ? Promise.reject(new ApiError("exceeded quota: roles", { status: 403 }))
        : Promise.resolve();
    const report = await scene.run();
    expect(resultsOf(report)).toEqual({ a: "failed RBAC-REFUSED", b: "changed" });
    expect(report.namespaces?.[0]?.findings?.[0]?.cause).toBe("exceeded quota: roles");
  });

  test("an access that is not seen to be given fails the namespace", async () => {
    const scene = aScene([list("a"), ...inPlace("a")]);
    scene.after = async ({ verb, subject }) => {
      if (verb === "apply" && subject === "Role a/edb-role") {
        await scene.cluster.delete(binding("a"), {});
      }
    };
    expect(resultsOf(await scene.run())).toEqual({ a: "failed RBAC-NOT-PROVEN" });
  });

  test("the proof of one namespace does not keep the next one waiting", async () => {
    const scene = aScene([list("a", "b"), ...inPlace("a"), ...inPlace("b")]);
    let wrote = (): void => undefined;
    const isWritten = new Promise<void>((resolve) => (wrote = resolve));
    scene.before = async ({ subject }) => {
      if (subject.startsWith("for a ")) await isWritten;
    };
    scene.after = ({ verb, subject }) => {
      if (verb === "apply" && subject === "Role b/edb-role") wrote();
      return Promise.resolve();
    };
    const report = await scene.run({ concurrency: 1 });
    expect(resultsOf(report)).toEqual({ a: "changed", b: "changed" });
  });

  test("a canary is proven before another namespace is written", async () => {
    const scene = aScene([list("a", "b"), ...inPlace("a"), ...inPlace("b")]);
    scene.after = async ({ verb, subject }) => {
      if (verb === "apply" && subject === "Role b/edb-role") {
        await scene.cluster.delete(binding("b"), {});
      }
    };
    const report = await scene.run({ canary: "b" });
    expect(resultsOf(report)).toEqual({ a: "skipped", b: "failed RBAC-NOT-PROVEN" });
  });

  test("what concerns every namespace lets none begin that waits for its turn", async () => {
    const names = ["a", "b", "c"];
    const scene = aScene([list(...names), ...names.flatMap((name) => inPlace(name))]);
    scene.before = ({ verb }) =>
      verb === "apply" ? Promise.reject(new UnavailableError("gone")) : Promise.resolve();
    const report = await scene.run({ concurrency: 1 });
    expect(report.exit.code).toBe(69);
    expect(scene.writes()).toHaveLength(1);
  });

  test("an interrupt leaves the rest as it was, and says so", async () => {
    const scene = aScene([
      list("a", "b", "c"),
      ...["a", "b", "c"].flatMap((name) => inPlace(name)),
    ]);
    const stop = new AbortController();
    scene.after = ({ verb }) => {
      if (verb === "apply") stop.abort(new UnavailableError("interrupted"));
      return Promise.resolve();
    };
    const report = await scene.run({ concurrency: 1, prove: false }, { signal: stop.signal });
    expect(report.exit.code).toBe(69);
    expect(resultsOf(report)).toEqual({ a: "changed", b: "skipped", c: "skipped" });
  });

  test("an interrupt lets a namespace that was begun be seen to its end", async () => {
    const scene = aScene([list("a", "b"), ...inPlace("a"), ...inPlace("b")]);
    const stop = new AbortController();
    scene.after = async ({ verb, subject }) => {
      if (verb !== "apply" || subject !== "Role a/edb-role") return;
      stop.abort(new InterruptedError("SIGINT"));
      await scene.cluster.delete(binding("a"), {});
    };
    const report = await scene.run({ concurrency: 1 }, { signal: stop.signal });
    expect(report.exit.code).toBe(130);
    expect(resultsOf(report)).toEqual({ a: "failed RBAC-NOT-PROVEN", b: "skipped" });
  });

  test("a home that cannot be written stops before the first write", async () => {
    const scene = aScene([list("a"), ...inPlace("a")]);
    const journal = unwritable();
    expect((await scene.run({}, { journal })).exit.code).toBe(2);
    expect(scene.writes()).toEqual([]);
  });
});
