/** The upgrade of the operator by a bundle, on a cluster in memory with the operator at play. */
import { ApiError, UnavailableError } from "../../../../plugin/domain/base/errors";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { type KubeObject, lastApplied } from "../../../../plugin/domain/kube/objects";
import { findBundleKind, bundleRef, listImages } from "../../../../plugin/domain/operator/wanted";
import { kinds } from "../../../../plugin/domain/kube/kinds";
import { asArray, getPath } from "../../../../plugin/domain/base/values";
import type { KubeClient } from "../../../../plugin/ports/kubernetes";
import { Recorder } from "../../../../plugin/kernel/recorder";
import type { Report } from "../../../../plugin/kernel/report";
import { unwritable } from "../world";
import { spelledOtherwise } from "../../../support/releases/spellings";
import { bundleOf } from "../../../support/releases/tree";
import { aScene, contentsOf, inPlace, kubectlApply, ns, type Scene } from "./scene";

const { deployment: operator } = names.operator;
const databaseResource = {
  group: names.group,
  version: names.version,
  plural: names.edb.plural,
  kind: names.edb.kind,
};
const imageField = `.spec.template.spec.containers[name="${names.operator.container}"].image`;

const deploymentLine = `apply Deployment/${operator}`;

const codes = ({ findings = [] }: Report): readonly string[] => [
  ...new Set(findings.map(({ code }) => code)),
];

/** Someone patches an object of the bundle under a manager of their own. */
async function edit(
  { cluster }: Scene,
  [kind, body, fieldManager]: readonly [kind: string, body: object, fieldManager: string],
): Promise<void> {
  const object = bundleOf("8.0.2-2").find((one) => one.kind === kind);
  const known = object === undefined ? undefined : findBundleKind(object);
  if (object === undefined || known === undefined) throw new Error(`no ${kind} in the bundle`);
  await cluster.patch(bundleRef(known, inPlace(object)), body, { type: "merge", fieldManager });
}

/** Everything of the bundle as it is stored, without what counts changes. */
async function stateOf(scene: Scene): Promise<unknown> {
  const objects = await Promise.all(
    bundleOf("8.0.2-2").map((object) => scene.stored(object.kind, object.metadata.name)),
  );
  return objects.map((object) => {
    const { labels, annotations, managedFields = [] } = object?.metadata ?? {};
    const managers = managedFields.map(({ manager, operation }) => [manager, operation]);
    const deployed = getPath(annotations, ["deployment.kubernetes.io/revision"]) === undefined;
    return {
      ...object,
      status: undefined,
      metadata: { labels, managers, ...(deployed && { annotations }) },
    };
  });
}

describe("a bundle over a person's own kubectl apply", () => {
  test("goes up twice, and a third run writes nothing", async () => {
    const scene = await aScene({ installed: "7.4.2-2" });
    const first = await scene.run({ contents: contentsOf("7.22.0-7") });
    expect([first.exit.code, first.exit.reason]).toEqual([
      0,
      "the operator is at 7.22.0-7: 1/1 ready, 1 up to date, 1 available",
    ]);
    scene.writes.length = 0;
    const second = await scene.run();
    expect(second.exit.code).toBe(0);
    expect(scene.writes.filter((line) => line.startsWith("patch"))).toEqual([]);
    scene.writes.length = 0;
    const again = await scene.run();
    expect([again.exit.code, scene.writes]).toEqual([0, []]);
    expect(again.exit.reason).toContain("nothing was written");
  });

  test("leaves exactly the release: old rules, variables and the copy of the file are gone", async () => {
    const scene = await aScene({ installed: "7.4.2-2" });
    await scene.run();
    const deployment = await scene.stored("Deployment");
    const image = `${names.images.operator}:8.0.2-2`;
    expect([...listImages(deployment).values()]).toEqual([image, image]);
    expect(JSON.stringify(deployment)).not.toContain("DEPLOY_RHEL");
    expect(deployment?.metadata.annotations ?? {}).not.toHaveProperty([lastApplied]);
    const wanted = bundleOf("8.0.2-2").find(({ kind }) => kind === "Role");
    expect((await scene.stored("Role"))?.["rules"]).toEqual(wanted?.["rules"]);
  });

  test("writes definitions first and the Deployment last, each noted, saved and told", async () => {
    const scene = await aScene({ installed: "7.4.2-2" });
    const report = await scene.run();
    const kinds = scene.writes.map((line) => line.replace(/^\w+ |\/.*/g, ""));
    const order = ["CustomResourceDefinition", "Role", "Deployment"];
    expect([...new Set(kinds)].filter((kind) => order.includes(kind))).toEqual(order);
    expect(kinds.at(-1)).toBe("Deployment");
    const intents = scene.journal.filter((line) => line.startsWith("intent"));
    expect(intents).toHaveLength(scene.writes.length);
    expect(scene.saved.map(({ kind }) => kind)).toEqual(
      [...new Set(scene.saved)].map((o) => o.kind),
    );
    expect(report.backups?.length).toBeGreaterThan(0);
    expect(report.details).toMatchObject({ operator: { from: "7.4.2-2", to: "8.0.2-2" } });
    expect(report.steps?.at(-1)).toMatchObject({ id: "operator.ready", result: "done" });
  });

  test.each(["kubectl-create", "kubectl-replace"])(
    "knows a file of %s as well",
    async (manager) => {
      const scene = await aScene();
      await kubectlApply(scene.cluster, bundleOf("7.4.2-2"), manager);
      expect((await scene.run()).exit.code).toBe(0);
      expect(JSON.stringify(await scene.stored("Deployment"))).not.toContain("DEPLOY_RHEL");
    },
  );

  const contents = contentsOf("8.0.2-2", spelledOtherwise);

  test.each(["kubectl-client-side-apply", "kubectl-create", "kubectl-replace"])(
    "that spells values in its own way is compared as it is stored, by %s",
    async (manager) => {
      const scene = await aScene();
      await kubectlApply(scene.cluster, bundleOf("7.4.2-2").map(spelledOtherwise), manager);
      scene.afterWrite = () => {
        throw new UnavailableError("the connection was cut");
      };
      const report = await scene.run({ contents });
      expect([report.exit.code, codes(report)]).toEqual([0, []]);
      expect(new Set(scene.writes).size).toBe(scene.writes.length);
      expect(JSON.stringify(report.details)).not.toMatch(/4000m|0\.5Gi|sizeLimit/);
    },
    20_000,
  );

  test("that spells values in its own way has no change to plan when it is there", async () => {
    const scene = await aScene({ installed: "8.0.2-2", change: spelledOtherwise });
    const plan = await scene.run({ contents, dryRun: "client" });
    expect([plan.exit.code, codes(plan)]).toEqual([0, []]);
    expect(plan.exit.reason).toContain("nothing would be written");
    expect([(await scene.run({ contents })).exit.code, scene.writes]).toEqual([0, []]);
  });

  test("installs where there is none", async () => {
    const scene = await aScene();
    const report = await scene.run();
    expect(report.exit.code).toBe(0);
    expect(report.details).toMatchObject({ operator: { from: "none" } });
    const { created } = report.details as { readonly created: readonly { object: string }[] };
    expect(created).toHaveLength(bundleOf("8.0.2-2").length);
    expect(created[0]).toMatchObject({
      content: { spec: { group: names.group, versions: ["v1", "v1alpha1"] } },
    });
    expect(scene.saved).toEqual([]);
  });
});

describe("local changes", () => {
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
  const changed = async (): Promise<Scene> => {
    const scene = await aScene({ installed: "7.4.2-2" });
    await edit(scene, ["Role", { rules }, "kubectl-edit"]);
    await edit(scene, ["Deployment", { spec: { replicas: 3 } }, "kubectl"]);
    await edit(scene, ["Service", { metadata: { labels: { app: "mine" } } }, "argocd"]);
    return scene;
  };

  test("are listed all at once with both values, and nothing is written", async () => {
    const scene = await changed();
    const report = await scene.run();
    expect([report.exit.code, scene.writes]).toEqual([5, []]);
    expect(report.findings).toEqual([
      {
        code: "OPERATOR-LOCAL-CHANGE",
        severity: "error",
        object: `Role/${ns}/${operator}`,
        field: ".rules",
        cause: expect.stringMatching(
          /^a local change: the cluster has \[.*"pods".*\], set by manager "kubectl-edit"; the release says \[/,
        ) as string,
        fix: "merge it into the release's files, or let the release win with --take-fields '.rules'",
        source: "S18",
      },
      expect.objectContaining({
        object: `Service/${ns}/${names.webhook.service}`,
        field: ".metadata.labels.app",
        cause: `a local change: the cluster has "mine", set by manager "argocd"; the release says ${JSON.stringify(names.operator.appLabel)}`,
      }),
      expect.objectContaining({
        object: `Deployment/${ns}/${operator}`,
        field: ".spec.replicas",
        cause: `a local change: the cluster has 3, set by manager "kubectl"; the release says 1`,
      }),
    ]);
  });

  test("are known without a dry run too, where a file tells what was applied", async () => {
    const scene = await changed();
    const report = await scene.run({ dryRun: "client" });
    expect([report.exit.code, scene.writes, scene.dryRuns]).toEqual([5, [], []]);
    expect(report.findings?.map(({ field }) => field)).toEqual([
      ".rules",
      ".metadata.labels.app",
      ".spec.replicas",
    ]);
  });

  test("give way where --take-fields names them, and only there", async () => {
    const scene = await changed();
    const some = await scene.run({ takeFields: [".rules", "spec.replicas"] });
    expect([some.exit.code, some.findings?.length, scene.writes]).toEqual([5, 1, []]);
    const takeFields = [".rules", "spec.replicas", ".metadata.labels.app"];
    expect((await scene.run({ takeFields })).exit.code).toBe(0);
    expect(await scene.stored("Deployment")).toMatchObject({ spec: { replicas: 1 } });
  });

  test("that say what the release says, or what it does not speak of, stay", async () => {
    const scene = await aScene({ installed: "7.4.2-2" });
    await edit(scene, ["Deployment", { metadata: { labels: { team: "a" } } }, "kubectl-label"]);
    await edit(scene, ["Deployment", { spec: { replicas: 1 } }, "kubectl-edit"]);
    expect((await scene.run()).exit.code).toBe(0);
    expect((await scene.stored("Deployment"))?.metadata.labels).toMatchObject({ team: "a" });
  });

  test("made after an upgrade by this tool are local changes as well", async () => {
    const scene = await aScene({ installed: "7.4.2-2" });
    await scene.run({ contents: contentsOf("7.22.0-7") });
    await edit(scene, ["Role", { rules }, "kubectl-edit"]);
    scene.writes.length = 0;
    const report = await scene.run();
    expect([report.exit.code, codes(report), scene.writes]).toEqual([
      5,
      ["OPERATOR-LOCAL-CHANGE"],
      [],
    ]);
  });
});

describe("what a person added to the operator's own access", () => {
  const mine = { apiGroups: ["metrics.k8s.io"], resources: ["pods"], verbs: ["list"] };
  const auditor = { kind: "User", name: "auditor", apiGroup: "rbac.authorization.k8s.io" };
  const of = (version: "7.4.2-2" | "8.0.2-2", kind: string, key: string): readonly unknown[] =>
    asArray(bundleOf(version).find((one) => one.kind === kind)?.[key]);

  async function added(manager = "kubectl-edit"): Promise<Scene> {
    const scene = await aScene({ installed: "7.4.2-2" });
    const rules = [...of("7.4.2-2", "Role", "rules"), mine];
    await edit(scene, ["Role", { rules }, manager]);
    const subjects = (await scene.stored("RoleBinding"))?.["subjects"];
    await edit(scene, ["RoleBinding", { subjects: [...asArray(subjects), auditor] }, manager]);
    return scene;
  }

  test("is kept and named, also by the run after it and without the file's copy", async () => {
    const scene = await added();
    const first = await scene.run();
    expect([first.exit.code, codes(first)]).toEqual([0, ["OPERATOR-ADDED"]]);
    expect(first.findings?.map(({ field, cause }) => [field, cause])).toEqual([
      [".rules", expect.stringContaining("pods.metrics.k8s.io: list")],
      [".subjects", expect.stringContaining("User/auditor")],
    ]);
    expect((await scene.stored("Role"))?.["rules"]).toEqual([
      ...of("8.0.2-2", "Role", "rules"),
      mine,
    ]);
    expect((await scene.stored("RoleBinding"))?.["subjects"]).toContainEqual(auditor);
    scene.writes.length = 0;
    const again = await scene.run();
    expect([again.exit.code, codes(again), scene.writes]).toEqual([0, ["OPERATOR-ADDED"], []]);
  });

  test("goes where --take-fields lets the release win", async () => {
    const scene = await added();
    await scene.run();
    const report = await scene.run({ takeFields: [".rules", ".subjects"] });
    expect([report.exit.code, codes(report)]).toEqual([0, []]);
    expect((await scene.stored("Role"))?.["rules"]).toEqual(of("8.0.2-2", "Role", "rules"));
    expect((await scene.stored("RoleBinding"))?.["subjects"]).not.toContainEqual(auditor);
  });

  test("by a controller is no person's: nothing is written", async () => {
    const scene = await added("access-controller");
    const report = await scene.run();
    expect([report.exit.code, codes(report), scene.writes]).toEqual([
      5,
      ["OPERATOR-LOCAL-CHANGE"],
      [],
    ]);
  });
});

test("marks of an OLM that is gone are told, and forbid nothing", async () => {
  const scene = await aScene({ installed: "7.4.2-2" });
  const labels = { "olm.owner": "operator.v1" };
  await edit(scene, ["Deployment", { metadata: { labels } }, "kubectl-edit"]);
  const report = await scene.run();
  expect(report.exit.code).toBe(0);
  expect(report.findings?.filter(({ code }) => code === "OPERATOR-OWNED")).toMatchObject([
    { severity: "warning", cause: expect.stringContaining("operator.v1 does not exist") as string },
  ]);
});

describe("nothing is written", () => {
  const owned =
    (mark: object) =>
    async (scene: Scene): Promise<void> => {
      await edit(scene, ["Deployment", { metadata: mark }, "helm"]);
    };
  const charted = owned({
    labels: { "app.kubernetes.io/managed-by": "Helm" },
    annotations: { "meta.helm.sh/release-name": "mine" },
  });
  const rows: readonly {
    readonly what: string;
    readonly given: Parameters<typeof aScene>[0];
    readonly before?: (scene: Scene) => Promise<void>;
    readonly options?: Parameters<Scene["run"]>[0];
    readonly deps?: Parameters<Scene["run"]>[1];
    readonly code: number;
    readonly finds: readonly string[];
  }[] = [
    {
      what: "over a chart",
      given: { installed: "7.4.2-2" },
      before: async (scene) => {
        await charted(scene);
        const labels = { owner: "helm", name: "mine", status: "deployed" };
        const metadata = { name: "sh.helm.release.v1.mine.v1", namespace: ns, labels };
        await scene.cluster.create({ apiVersion: "v1", kind: "Secret", metadata });
      },
      code: 5,
      finds: ["OPERATOR-OWNED"],
    },
    {
      what: "over the marks of a chart whose record is gone",
      given: { installed: "7.4.2-2" },
      before: charted,
      code: 5,
      finds: ["OPERATOR-CHART-LOST"],
    },
    {
      what: "over OLM",
      given: { installed: "7.4.2-2" },
      before: owned({ labels: { "olm.managed": "true" } }),
      code: 5,
      finds: ["OPERATOR-OWNED"],
    },
    {
      what: "by an older bundle",
      given: { installed: "8.0.2-2" },
      options: { contents: contentsOf("7.22.0-7") },
      code: 3,
      finds: ["OPERATOR-OLDER"],
    },
    {
      what: "from another registry than the one in use",
      given: {
        installed: "7.4.2-2",
        change: (object) =>
          JSON.parse(
            JSON.stringify(object).replaceAll(
              `"${names.images.operator}:`,
              `"mirror/x/${names.images.operator}:`,
            ),
          ) as KubeObject,
      },
      code: 3,
      finds: ["OPERATOR-REGISTRY"],
    },
    {
      what: "with a pull secret that is not there",
      given: { installed: "7.4.2-2" },
      options: { registry: "mirror", pullSecret: "nosuch" },
      code: 3,
      finds: ["OPERATOR-PULL-SECRET"],
    },
    {
      what: "in a namespace that is not there",
      given: {},
      options: { namespace: "elsewhere" },
      code: 3,
      finds: ["NAMESPACE-MISSING"],
    },
    {
      what: "where the API server refuses an object",
      given: { installed: "7.4.2-2" },
      options: {
        contents: contentsOf("8.0.2-2", (object) =>
          object.kind === "Service" ? { ...object, spec: { ports: [{ port: 0 }] } } : object,
        ),
      },
      code: 3,
      finds: ["OPERATOR-REFUSED"],
    },
    {
      what: "without the rights",
      given: { installed: "7.4.2-2", user: { name: "jane", groups: ["system:authenticated"] } },
      code: 4,
      finds: [],
    },
    {
      what: "where no record can be kept",
      given: { installed: "7.4.2-2" },
      deps: { journal: unwritable() },
      code: 2,
      finds: [],
    },
    {
      what: "of a release without the operator, with what no bundle holds",
      given: { installed: "7.4.2-2" },
      options: {
        contents: contentsOf("8.0.2-2", (object) =>
          object.kind === "Deployment" ? { ...object, kind: "DaemonSet" } : object,
        ),
      },
      code: 2,
      finds: [],
    },
  ];
  test.each(rows)("$what", async ({ given, before, options, deps, code, finds }) => {
    const scene = await aScene(given);
    await before?.(scene);
    const report = await scene.run(options, deps);
    expect([report.exit.code, codes(report), scene.writes]).toEqual([code, finds, []]);
    expect(report.exit.next ?? report.findings?.[0]?.fix ?? "").not.toBe("");
  });

  const addition: KubeObject = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "everybody" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [
      { apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "system:unauthenticated" },
    ],
  };
  const contents = contentsOf("8.0.2-2");
  const withAddition = { ...contents, bundle: [...contents.bundle, addition] };

  test("of a bundle that gives everybody every right, unless it is named", async () => {
    const scene = await aScene({ installed: "7.22.0-7" });
    const refused = await scene.run({ contents: withAddition });
    expect([refused.exit.code, scene.writes, scene.dryRuns]).toEqual([3, [], []]);
    expect(refused.findings).toMatchObject(
      ["it gives cluster-admin", "it is for system:unauthenticated"].map((cause) => ({
        ...{ code: "OPERATOR-BUNDLE-UNUSUAL", object: "ClusterRoleBinding/everybody", cause },
        fix: "accept it with --skip OPERATOR-BUNDLE-UNUSUAL=ClusterRoleBinding/everybody",
      })),
    );
    const allowObjects = ["ClusterRoleBinding/everybody"];
    const plan = await scene.run({ contents: withAddition, allowObjects, dryRun: "server" });
    const { roleRef, subjects } = addition;
    expect([plan.exit.code, plan.details]).toMatchObject([
      0,
      { created: [{ object: "ClusterRoleBinding/everybody", content: { roleRef, subjects } }] },
    ]);
  });

  describe("to rights that escalate", () => {
    const right = (verb: string) => ({
      apiGroups: ["rbac.authorization.k8s.io"],
      resources: ["roles"],
      verbs: [verb],
    });
    /** The operator's Role with one more rule. */
    const withRight =
      (rule: object | undefined) =>
      (object: KubeObject): KubeObject =>
        object.kind === "Role" && rule !== undefined
          ? { ...object, rules: [...(object["rules"] as object[]), rule] }
          : object;
    const giving = (rule: object) => ({
      ...contents,
      bundle: contents.bundle.map(withRight(rule)),
    });

    test.each(["bind", "escalate", "impersonate"])(
      "%s, where the Role has it already: taken",
      async (verb) => {
        const scene = await aScene({ installed: "7.22.0-7", change: withRight(right(verb)) });
        for (const dryRun of ["client", "server", "none"] as const) {
          const report = await scene.run({ contents: giving(right(verb)), dryRun });
          expect([report.exit.code, report.findings]).toMatchObject([
            0,
            expect.arrayContaining([
              expect.objectContaining({
                code: "OPERATOR-RIGHT-HELD",
                severity: "warning",
                object: expect.stringContaining("Role/engine/") as string,
                cause: expect.stringContaining(`the verb ${verb} on roles`) as string,
              }),
            ]),
          ]);
        }
        const again = await scene.run({ contents: giving(right(verb)) });
        expect([again.exit.code, again.findings ?? []]).toEqual([0, []]);
      },
    );

    test.each([
      ["nothing of it", undefined],
      ["another verb", right("get")],
      ["one name of it", { ...right("bind"), resourceNames: ["a"] }],
      ["another resource", { ...right("bind"), resources: ["clusterroles"] }],
    ])("bind, where the Role has %s: refused", async (_, had) => {
      const scene = await aScene({ installed: "7.22.0-7", change: withRight(had) });
      const refused = await scene.run({ contents: giving(right("bind")) });
      expect([refused.exit.code, scene.writes, scene.dryRuns]).toEqual([3, [], []]);
      expect(refused.exit.reason).toContain("its rules give the verb bind on roles");
      expect(refused.exit.next).toContain("--skip");
    });
  });

  test("to the stored versions of a definition that would not be served", async () => {
    const scene = await aScene({ installed: "7.4.2-2" });
    const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const withMore = {
      openAPIV3Schema: { type: "object", properties: { spec: anything, brandNew: anything } },
    };
    const only = contentsOf("8.0.2-2", (object) => {
      if (object.metadata.name !== `${names.ec.plural}.${names.group}`) return object;
      const versions = (
        getPath(object, ["spec", "versions"]) as { name: string; schema: unknown }[]
      )
        .filter(({ name }) => name === "v1")
        .map((version) => ({ ...version, schema: withMore, served: true, storage: true }));
      return { ...object, spec: { ...(object["spec"] as object), versions } };
    });
    const report = await scene.run({ contents: only });
    expect([report.exit.code, scene.writes]).toEqual([3, []]);
    expect(codes(report)).toContain("OPERATOR-CRD-STORED");
  });
});

describe("what the API server never changes", () => {
  const withSpec = (object: KubeObject, spec: object): KubeObject => ({
    ...object,
    spec: { ...(object["spec"] as object), ...spec },
  });
  const labels = { name: operator, "app.kubernetes.io/instance": "engine" };
  const rows: readonly {
    readonly what: string;
    readonly was?: (object: KubeObject) => KubeObject;
    readonly release?: (object: KubeObject) => KubeObject;
    readonly finds: readonly (readonly [code: string, field: string])[];
    /** Deleted, the upgrade creates it. */
    readonly gone?: string;
  }[] = [
    {
      what: "the selector of the operator's Deployment",
      was: (object) =>
        object.kind === "Deployment"
          ? withSpec(object, {
              selector: { matchLabels: labels },
              template: {
                ...(getPath(object, ["spec", "template"]) as object),
                metadata: { labels },
              },
            })
          : object,
      finds: [["OPERATOR-FIXED-FIELD", ".spec.selector"]],
      gone: "Deployment",
    },
    {
      what: "the role of a binding",
      was: (object) =>
        object.kind === "RoleBinding"
          ? { ...object, roleRef: { ...(object["roleRef"] as object), name: "earlier" } }
          : object,
      finds: [["OPERATOR-FIXED-FIELD", ".roleRef"]],
      gone: "RoleBinding",
    },
    {
      what: "the address of the Service",
      release: (object) =>
        object.kind === "Service" ? withSpec(object, { clusterIP: "None" }) : object,
      finds: [["OPERATOR-FIXED-FIELD", ".spec.clusterIP"]],
      gone: "Service",
    },
    {
      what: "the scope of a definition",
      release: (object) =>
        object.metadata.name === `${names.erc.plural}.${names.group}`
          ? withSpec(object, { scope: "Cluster" })
          : object,
      finds: [["DEFINITION-FIXED-FIELD", ".spec.scope"]],
    },
  ];

  test.each(
    rows.flatMap((row) => (["client", "none"] as const).map((dryRun) => ({ ...row, dryRun }))),
  )(
    "$what is in the plan with dry run $dryRun, before anything is tried or written",
    async ({ was, release, finds, dryRun }) => {
      const scene = await aScene({ installed: "7.4.2-2", ...(was && { change: was }) });
      const report = await scene.run({ contents: contentsOf("8.0.2-2", release), dryRun });
      const told = (report.findings ?? []).filter(({ severity }) => severity === "error");
      expect([report.exit.code, scene.writes]).toEqual([3, []]);
      expect(told.map(({ code, field }) => [code, field])).toEqual(finds);
    },
  );

  test.each(rows.flatMap((row) => (row.gone === undefined ? [] : [{ ...row, gone: row.gone }])))(
    "$what: once the object is deleted, the same command creates it",
    async ({ was, release, gone }) => {
      const scene = await aScene({ installed: "7.4.2-2", ...(was && { change: was }) });
      const object = bundleOf("8.0.2-2").find(({ kind }) => kind === gone);
      const known = object && findBundleKind(object);
      if (object === undefined || known === undefined) throw new Error(`no ${gone}`);
      const ref = bundleRef(known, inPlace(object));
      const { uid = "" } = (await scene.cluster.get(ref))?.metadata ?? {};
      await scene.cluster.delete(ref, { uid });
      const report = await scene.run({ contents: contentsOf("8.0.2-2", release) });
      expect([report.exit.code, codes(report)]).toEqual([0, []]);
    },
  );
});

describe("a release whose definition accepts less", () => {
  test.each([
    ["where an object holds such a value: 3, named with it, and nothing is written", "1GB", 3],
    ["where no object does, goes up", "100MB", 0],
  ])("%s", async (_, memorySize, code) => {
    const scene = await aScene({ installed: "7.4.2-2" });
    await scene.cluster.create({
      ...{ apiVersion: `${names.group}/${names.version}`, kind: names.edb.kind },
      metadata: { name: "carts", namespace: ns },
      spec: { memorySize, engineEnterpriseCluster: { name: "ec" } },
    });
    const contents = contentsOf("8.0.2-2", (object) =>
      object.metadata.name === `${names.edb.plural}.${names.group}`
        ? (JSON.parse(
            JSON.stringify(object).replaceAll('"memorySize":{', '"memorySize":{"pattern":"MB$",'),
          ) as KubeObject)
        : object,
    );
    const report = await scene.run({ contents });
    expect([report.exit.code, scene.writes.length > 0]).toEqual([code, code === 0]);
    const told = (report.findings ?? []).filter(({ severity }) => severity === "error");
    expect(told.map((one) => [one.code, one.cause])).toEqual(
      code === 0
        ? []
        : [
            [
              "DEFINITION-REFUSES-OBJECTS",
              `EngineEnterpriseDatabase/${ns}/carts has spec.memorySize "1GB", against pattern "MB$"`,
            ],
          ],
    );
  });
});

describe("definitions shared with a newer operator", () => {
  test("are left as they are, and the operator goes up", async () => {
    const scene = await aScene({ installed: "7.4.2-2" });
    const newer = bundleOf("8.0.2-2").filter(({ kind }) => kind === "CustomResourceDefinition");
    for (const object of newer) {
      const { metadata } = object;
      const annotations = { [names.annotations.operatorVersion[0]]: "8.0.2-2" };
      const marked = { ...object, metadata: { ...metadata, annotations } };
      await scene.cluster.apply(marked, { fieldManager: "other", force: true });
    }
    const report = await scene.run({ contents: contentsOf("7.22.0-7") });
    expect(report.exit.code).toBe(0);
    expect(codes(report)).toContain("OPERATOR-CRD-NEWER");
    expect(scene.writes.filter((line) => line.includes("CustomResource"))).toEqual([]);
  });
});

describe("a kind that a release brings", () => {
  const name = `engineenterpriseusers.${names.group}`;
  const { bundle, ...rest } = contentsOf("8.0.2-2");
  const [first] = bundle.filter(({ kind }) => kind === kinds.definition.kind);
  const spec = {
    ...(first?.["spec"] as object),
    names: { plural: "engineenterpriseusers", kind: "EngineEnterpriseUser" },
  };
  const users = { ...first, metadata: { name }, spec } as KubeObject;
  const contents = { ...rest, bundle: [users, ...bundle], definitions: [users] };
  const conditionsOf = async (scene: Scene): Promise<readonly unknown[]> => {
    const stored = await scene.cluster.get({ resource: kinds.definition, name });
    return (getPath(stored, ["status", "conditions"]) ?? []) as readonly unknown[];
  };

  test("is served before the operator that needs it is written", async () => {
    const scene = await aScene({ installed: "7.22.0-7" });
    const served: unknown[] = [];
    scene.beforeWrite = async (line) => {
      if (line === deploymentLine) served.push(...(await conditionsOf(scene)));
    };
    const report = await scene.run({ contents });
    expect([report.exit.code, codes(report)]).toEqual([0, []]);
    expect(served).toContainEqual(expect.objectContaining({ type: "Established", status: "True" }));
  });

  test("whose names another definition holds: 1, told at once, and the operator stays", async () => {
    const scene = await aScene({ installed: "7.22.0-7" });
    const message = '"engineenterpriseusers" is already in use';
    const conditions = [
      { type: "NamesAccepted", status: "False", reason: "PluralConflict", message },
      { type: "Established", status: "False", reason: "NotAccepted" },
    ];
    const taken: KubeClient = Object.assign(Object.create(scene.cluster) as KubeClient, {
      get: (async (ref, options) => {
        const found = await scene.cluster.get(ref, options);
        return ref.name === name && found !== undefined
          ? { ...found, status: { conditions } }
          : found;
      }) satisfies KubeClient["get"],
    });
    const began = scene.clock.now();
    const report = await scene.run({ contents }, { cluster: taken });
    expect(report.exit.code).toBe(1);
    expect(report.findings).toMatchObject([
      {
        code: "DEFINITION-NOT-ESTABLISHED",
        object: `CustomResourceDefinition/${name}`,
        cause: `the API server does not serve it: ${message}`,
      },
    ]);
    expect(scene.clock.now() - began).toBeLessThan(10_000);
    expect([...listImages(await scene.stored("Deployment")).values()]).toContain(
      `${names.images.operator}:7.22.0-7`,
    );
  });

  test("which may not be created: 4, and the right is asked for with the reason of the write", async () => {
    const scene = await aScene({ installed: "7.22.0-7" });
    const refusing: KubeClient = Object.assign(Object.create(scene.cluster) as KubeClient, {
      can: (asked) => Promise.resolve(asked.verb !== "create"),
    } satisfies Partial<KubeClient>);
    const report = await scene.run({ contents }, { cluster: refusing });
    expect([report.exit.code, scene.writes, report.permissions?.missing]).toEqual([
      4,
      [],
      ["create customresourcedefinitions.apiextensions.k8s.io: to apply the release's"],
    ]);
  });

  test("which may not be read: 4, with the right in the ledger, and nothing is written", async () => {
    const scene = await aScene({ installed: "7.22.0-7" });
    const refusing: KubeClient = Object.assign(Object.create(scene.cluster) as KubeClient, {
      can: (async (asked) =>
        !(asked.name === name && asked.verb === "get") &&
        (await scene.cluster.can(asked))) satisfies KubeClient["can"],
    });
    const before = await stateOf(scene);
    const report = await scene.run({ contents }, { cluster: refusing });
    expect(report.exit.code).toBe(4);
    expect(report.permissions?.manifest).toContain(name);
    expect(await stateOf(scene)).toEqual(before);
  });
});

describe("a field that a person added to a definition", () => {
  const name = `${names.edb.plural}.${names.group}`;
  const path = ["schema", "openAPIV3Schema", "properties", "spec", "properties"];
  const withField = (
    object: KubeObject | undefined,
    change: (fields: object) => object,
  ): object => {
    const spec = object?.["spec"] as { readonly versions: readonly object[] };
    const versions = JSON.parse(JSON.stringify(spec.versions)) as object[];
    for (const version of versions) {
      const fields = getPath(version, path) as object;
      Object.assign(fields, change(fields));
    }
    return { spec: { ...spec, versions } };
  };
  const changed = async (change: (fields: object) => object): Promise<Scene> => {
    const scene = await aScene({ installed: "7.4.2-2" });
    const body = withField(await scene.stored(kinds.definition.kind, name), change);
    await scene.cluster.patch({ resource: kinds.definition, name }, body, {
      type: "merge",
      fieldManager: "kubectl-edit",
    });
    scene.writes.length = 0;
    return scene;
  };
  const tier = { tier: { type: "string", maxLength: 9 } };
  const tierOf = async (scene: Scene): Promise<unknown> => {
    const stored = await scene.stored(kinds.definition.kind, name);
    const [version] = getPath(stored, ["spec", "versions"]) as readonly unknown[];
    return getPath(version, [...path, "tier"]);
  };
  /** A release whose definition says something else as well. */
  const next = contentsOf("8.0.2-2", (object) =>
    object.metadata.name === name
      ? { ...object, ...withField(object, () => ({ brandNew: { type: "string" } })) }
      : object,
  );

  test("stays, is told, and stays with every later run", async () => {
    const scene = await changed(() => tier);
    for (const contents of [next, next, contentsOf("8.0.2-2")]) {
      const report = await scene.run({ contents });
      expect([report.exit.code, await tierOf(scene)]).toEqual([0, tier.tier]);
      const told = report.findings?.map(({ code, cause }) => `${code} ${cause}`).join();
      expect(told).toMatch(/OPERATOR-CRD-LOCAL .*v1alpha1\.spec\.tier/);
    }
  });

  describe("goes with the release that had it, nothing of which was touched", () => {
    const old = (object: KubeObject): KubeObject =>
      object.metadata.name === name ? { ...object, ...withField(object, () => tier) } : object;
    const database = { resource: databaseResource, name: "one", namespace: ns };
    const holding = async (body: object): Promise<Scene> => {
      const scene = await aScene({ installed: "7.4.2-2", change: old });
      const { group, version, kind } = databaseResource;
      await scene.cluster.create({
        apiVersion: `${group}/${version}`,
        kind,
        metadata: { name: database.name, namespace: ns },
        ...body,
      });
      return scene;
    };
    const told = ({ findings = [] }: Report): readonly string[] =>
      findings.map(({ code, cause }) => `${code} ${cause}`);

    test("where no object holds it, nothing is told", async () => {
      const scene = await holding({ spec: { memorySize: "1GB" } });
      const report = await scene.run({ contents: next });
      expect([report.exit.code, told(report)]).toEqual([0, []]);
      expect(await tierOf(scene)).toBeUndefined();
    });

    test("where an object holds it, the object is named", async () => {
      const scene = await holding({ spec: { memorySize: "1GB", tier: "gold" } });
      const report = await scene.run({ contents: next, dryRun: "client" });
      expect([report.exit.code, told(report)]).toEqual([
        0,
        [
          `OPERATOR-CRD-LOSES the release's definition lacks v1alpha1.spec.tier, and EngineEnterpriseDatabase/${ns}/one holds something there: it is dropped`,
        ],
      ]);
    });

    test("where the objects may not be listed, it is told that this is not known", async () => {
      const scene = await holding({ spec: { memorySize: "1GB" } });
      const refusing: KubeClient = Object.assign(Object.create(scene.cluster) as KubeClient, {
        list: (async (resource, options) => {
          if (resource.plural === databaseResource.plural) {
            throw new ApiError("databases are forbidden", { status: 403 });
          }
          return await scene.cluster.list(resource, options);
        }) satisfies KubeClient["list"],
      });
      const report = await scene.run({ contents: next, dryRun: "client" }, { cluster: refusing });
      expect([report.exit.code, told(report)]).toEqual([
        0,
        [
          "OPERATOR-CRD-LOSES the release's definition lacks v1alpha1.spec.tier: whether objects hold something there, which would be dropped, is not known",
        ],
      ]);
    });
  });

  test("beside a change of another field: 5, shown where they differ, and nothing is written", async () => {
    const scene = await changed(() => ({ ...tier, memorySize: { type: "string", maxLength: 1 } }));
    const report = await scene.run({ contents: next });
    expect([report.exit.code, scene.writes]).toEqual([5, []]);
    const [, has, says] =
      /the cluster has (.*), set by .*; the release says (.*)$/.exec(
        report.findings?.find(({ severity }) => severity === "error")?.cause ?? "",
      ) ?? [];
    expect(has).not.toBe(says);
    expect(await tierOf(scene)).toEqual(tier.tier);
  });
});

describe("a private registry", () => {
  const wish = { registry: "mirror.local:5000/team", pullSecret: "mirror" };
  const aPullSecret: KubeObject = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: wish.pullSecret, namespace: ns },
  };
  const tagged = { versionTag: "7.4.2-40", imagePullPolicy: "IfNotPresent" };
  const anEc = (name: string, spec: object): KubeObject => ({
    apiVersion: `${names.group}/${names.version}`,
    kind: names.ec.kind,
    metadata: { name, namespace: ns },
    spec: { nodes: 3, ...spec },
  });

  test("is where both containers and every cluster pull from; a cluster that upgrades itself goes first", async () => {
    const scene = await aScene({ installed: "7.4.2-2" });
    await scene.cluster.create(
      anEc("manual", { pullSecrets: [{ name: "own" }], engineEnterpriseImageSpec: tagged }),
    );
    await scene.cluster.create(
      anEc("auto", { upgradeSpec: { autoUpgradeEngineEnterprise: true } }),
    );
    await scene.cluster.create(aPullSecret);
    const report = await scene.run(wish);
    expect([report.exit.code, codes(report)]).toEqual([0, ["OPERATOR-CLUSTER-IMAGE"]]);
    const deployment = await scene.stored("Deployment");
    const image = `${wish.registry}/${names.images.operator}:8.0.2-2`;
    expect([...listImages(deployment).values()]).toEqual([image, image]);
    expect(getPath(deployment, ["spec", "template", "spec", "imagePullSecrets"])).toEqual([
      { name: "mirror" },
    ]);
    const order = scene.writes.filter((line) => /Deployment|manual|auto/.test(line));
    expect(order.map((line) => line.replace(/.*\//, ""))).toEqual([
      "auto",
      operator,
      operator,
      "manual",
    ]);
    const resource = {
      group: names.group,
      version: names.version,
      plural: names.ec.plural,
      kind: names.ec.kind,
    };
    const manual = await scene.cluster.get({ resource, name: "manual", namespace: ns });
    expect(getPath(manual, names.ecFields.repository)).toBe(
      `${wish.registry}/${names.images.cluster}`,
    );
    expect(getPath(manual, [...names.ecFields.meterImage, "repository"])).toBe(
      `${wish.registry}/${names.images.callHome}`,
    );
    expect(getPath(manual, names.ecFields.pullSecrets)).toEqual([
      { name: "own" },
      { name: "mirror" },
    ]);
    scene.writes.length = 0;
    expect([(await scene.run(wish)).exit.code, scene.writes]).toEqual([0, []]);
  });

  test("is where a cluster on OpenShift pulls the images of OpenShift from", async () => {
    const scene = await aScene({ installed: "7.4.2-2" });
    await scene.cluster.create(anEc("manual", { engineEnterpriseImageSpec: tagged }));
    const contents = { ...contentsOf("8.0.2-2"), platform: "openshift" } as const;
    const openshiftImages = { ...names.openshiftImages, cluster: ["registry.public/rhel/engine"] };
    const report = await scene.run(
      { registry: "mirror", contents },
      { names: { ...names, openshiftImages } },
    );
    expect([report.exit.code, codes(report)]).toEqual([0, []]);
    const manual = await scene.cluster.get(ec);
    expect(getPath(manual, names.ecFields.repository)).toBe("mirror/rhel/engine");
  });

  const ec = {
    resource: {
      group: names.group,
      version: names.version,
      plural: names.ec.plural,
      kind: names.ec.kind,
    },
    name: "manual",
    namespace: ns,
  };
  const withCluster = async (metadata: object = {}): Promise<Scene> => {
    const scene = await aScene({ installed: "7.4.2-2" });
    const made = anEc("manual", { pullSecrets: [{ name: "own" }] });
    await scene.cluster.create({ ...made, metadata: { ...made.metadata, ...metadata } });
    await scene.cluster.create(aPullSecret);
    return scene;
  };
  const patchedBy = (scene: Scene, spec: object, fieldManager: string): Promise<unknown> =>
    scene.cluster.patch(ec, { spec }, { type: "merge", fieldManager });
  const patchLine = `patch ${names.ec.kind}/manual`;

  test("keeps the pull secrets that others add while the operator comes up", async () => {
    const scene = await withCluster();
    let added = 0;
    scene.beforeWrite = async (line) => {
      // before the wait, and between the last read and the write
      const isTime = line === deploymentLine || (line === patchLine && added === 1);
      if (!isTime) return;
      added += 1;
      const all = ["own", "one", "two"].slice(0, 1 + added);
      await patchedBy(scene, { pullSecrets: all.map((name) => ({ name })) }, "kubectl-edit");
    };
    const report = await scene.run(wish);
    expect([report.exit.code, added]).toEqual([0, 2]);
    expect(getPath(await scene.cluster.get(ec), names.ecFields.pullSecrets)).toEqual(
      ["own", "one", "two", "mirror"].map((name) => ({ name })),
    );
  });

  test("is left where others write the same values before it", async () => {
    const scene = await withCluster();
    scene.beforeWrite = async (line) => {
      if (line !== patchLine) return;
      scene.beforeWrite = () => Promise.resolve();
      const twin = await withCluster();
      await twin.run(wish);
      await patchedBy(scene, (await twin.cluster.get(ec))?.["spec"] as object, "kubectl-edit");
    };
    const report = await scene.run(wish);
    expect([report.exit.code, scene.writes.includes(patchLine)]).toEqual([0, true]);
    expect(report.steps?.find(({ object }) => object.endsWith("/manual"))?.result).toBe(
      "unchanged",
    );
  });

  test("is not written over a value that someone gives meanwhile", async () => {
    const scene = await withCluster();
    scene.beforeWrite = async (line) => {
      if (line !== deploymentLine) return;
      await patchedBy(scene, { bootstrapperImageSpec: { repository: "theirs" } }, "kubectl-edit");
    };
    const report = await scene.run(wish);
    expect([report.exit.code, scene.writes.includes(patchLine)]).toEqual([5, false]);
    expect(report.exit.reason).toContain("was changed");
  });

  test("is not written where GitOps owns the cluster, or holds the field", async () => {
    const owned = await withCluster({ labels: { "argocd.argoproj.io/instance": "x" } });
    for (const dryRun of ["client", "server", "none"] as const) {
      const report = await owned.run({ ...wish, dryRun });
      expect([report.exit.code, owned.writes]).toEqual([5, []]);
      expect(codes(report)).toContain("CLUSTER-OWNED");
    }
    const held = await withCluster();
    await patchedBy(held, { pullSecrets: [{ name: "theirs" }] }, "pipeline");
    const report = await held.run(wish);
    expect([report.exit.code, held.writes]).toEqual([5, []]);
    expect(codes(report)).toContain("FIELD-CONFLICT");
    const takeFields = [names.ecFields.pullSecrets.join(".")];
    expect((await held.run({ ...wish, takeFields })).exit.code).toBe(0);
  });

  test("of a copy that lacks its secret is planned, and what is not known is said", async () => {
    const scene = await aScene({ installed: "7.4.2-2" });
    const notes: string[] = [];
    const recorder = new Recorder(
      { kind: "UpgradeOperator", target: { server: "", namespace: ns } },
      { clock: scene.clock, event: (event) => notes.push(JSON.stringify(event)) },
    );
    const report = await scene.run({ ...wish, rehearsed: true }, { recorder });
    expect(report.exit.code).toBe(0);
    expect(notes.join()).toContain("Secret/engine/mirror is not in the copy");
  });

  test("that is in use already is asked for, and kept with its secrets when given", async () => {
    const scene = await aScene({ installed: "7.4.2-2" });
    await scene.cluster.create(aPullSecret);
    await scene.run({ contents: contentsOf("7.22.0-7"), registry: "mirror", pullSecret: "mirror" });
    const report = await scene.run();
    expect(codes(report)).toEqual(["OPERATOR-REGISTRY"]);
    expect(report.findings?.[0]?.fix).toContain("--image-registry mirror,");
    expect((await scene.run({ registry: "mirror" })).exit.code).toBe(0);
    expect(JSON.stringify(await scene.stored("Deployment"))).toContain('"name":"mirror"');
    const back = await scene.run({ takeFields: [imageField] });
    expect(back.exit.code).toBe(0);
  });
});

interface Restless {
  /** Dry runs of the Deployment before which its status moves. */
  left: number;
  isDone: boolean;
  move(): Promise<void>;
}

/** The Deployment's status moves before the next dry runs of it, as many as are wished. */
async function restlessOf(scene: Scene): Promise<Restless> {
  const object = await scene.stored("Deployment");
  const kind = object === undefined ? undefined : findBundleKind(object);
  if (object === undefined || kind === undefined) throw new Error("no Deployment is stored");
  let observedGeneration = 1_000;
  const restless: Restless = {
    left: 0,
    isDone: false,
    move: async () => {
      observedGeneration += 1;
      const status = { status: { observedGeneration } };
      const how = { type: "merge", subresource: "status" } as const;
      await scene.cluster.patch(bundleRef(kind, object), status, how);
    },
  };
  scene.beforeDryRun = async (line) => {
    if (line !== deploymentLine || restless.left === 0) return;
    restless.left -= 1;
    await restless.move();
  };
  return restless;
}

describe("a run that is cut off", () => {
  test("by someone who changes the object before its first write keeps it with that change", async () => {
    const scene = await aScene({ installed: "7.4.2-2" });
    scene.beforeWrite = async (line) => {
      if (line !== `patch Deployment/${operator}`) return;
      scene.beforeWrite = () => Promise.resolve();
      await edit(scene, ["Deployment", { metadata: { labels: { team: "a" } } }, "kubectl-label"]);
    };
    expect((await scene.run()).exit.code).toBe(0);
    const kept = scene.saved.findLast(({ kind }) => kind === "Deployment");
    expect(kept?.metadata.labels).toMatchObject({ team: "a" });
  });

  test.each([
    ["while it is planned", 3, 0],
    ["before the write, and while that is checked again", 0, 2],
    ["both", 2, 2],
  ])("by a status that moves %s: it is read and tried again", async (_name, plans, judgments) => {
    const scene = await aScene({ installed: "7.4.2-2" });
    const restless = await restlessOf(scene);
    restless.left = plans;
    scene.beforeWrite = async (line) => {
      if (line !== deploymentLine || restless.isDone) return;
      Object.assign(restless, { left: judgments, isDone: true });
      await restless.move();
    };
    const report = await scene.run();
    expect([report.exit.code, codes(report), restless]).toMatchObject([0, [], { left: 0 }]);
  });

  test("by a status that never rests: 5, and nothing is written", async () => {
    const scene = await aScene({ installed: "7.4.2-2" });
    const restless = await restlessOf(scene);
    restless.left = Infinity;
    const report = await scene.run();
    expect([report.exit.code, scene.writes]).toEqual([5, []]);
    expect(report.exit.reason).toContain(`Deployment/${ns}/${operator} was changed`);
  });

  test("by a local change in between ends with it", async () => {
    const scene = await aScene({ installed: "7.4.2-2" });
    scene.beforeWrite = async (line) => {
      if (line !== `apply Deployment/${operator}`) return;
      await edit(scene, ["Deployment", { spec: { replicas: 5 } }, "kubectl-edit"]);
    };
    const report = await scene.run();
    expect([report.exit.code, codes(report)]).toEqual([5, ["OPERATOR-LOCAL-CHANGE"]]);
    expect(report.exit.reason).toContain("are done and stay");
  });
});

describe("an operator that does not come", () => {
  test.each([
    ["image", { operatorImagePull: true }, "OPERATOR-IMAGE-PULL"],
    ["quota", { operatorQuota: true }, "OPERATOR-QUOTA"],
    ["crash", { operatorCrash: true }, "OPERATOR-CRASH"],
    ["forbidden", { operatorForbidden: true }, "OPERATOR-POD-FORBIDDEN"],
  ] as const)("for %s ends with its cause, and the way back", async (_, misbehave, code) => {
    const scene = await aScene({ installed: "7.4.2-2", misbehave });
    const report = await scene.run();
    expect([report.exit.code, codes(report)]).toEqual([1, [code]]);
    expect(report.backups?.length).toBeGreaterThan(0);
    expect(report.findings?.[0]?.fix).not.toBe("");
  });

  test("is waited for with --wait until the time is over", async () => {
    const scene = await aScene({ installed: "7.4.2-2", misbehave: { operatorCrash: true } });
    const report = await scene.run({ wait: true, timeoutMs: 60_000 });
    expect([report.exit.code, codes(report)]).toEqual([124, ["OPERATOR-CRASH"]]);
  });

  test("in time is 124, and says how far it is", async () => {
    const scene = await aScene({ installed: "7.4.2-2", misbehave: { slow: 1000 } });
    const report = await scene.run({ timeoutMs: 10_000 });
    expect(report.exit.code).toBe(124);
    expect(report.exit.reason).toContain("not ready in time");
  });
});
