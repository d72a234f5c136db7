/** Whose the operator of a chart is: where helm keeps its release, which other release has it, and what runs helm. */
import { ApiError } from "../../../../plugin/domain/base/errors";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { ChartMarks } from "../../../../plugin/domain/operator/chart-marks";
import type { ChartRelease } from "../../../../plugin/domain/operator/refusals";
import type { KubeClient } from "../../../../plugin/ports/kubernetes";
import type { Report } from "../../../../plugin/kernel/report";
import { bundleOf } from "../../../support/releases/tree";
import { type ChartWish, helmInstall, runChart } from "./chart-scene";
import { aScene, contentsOf, ns, type Scene } from "./scene";

const object = `Deployment/${ns}/${names.operator.deployment}`;
const there = "elsewhere";

const record = (
  kind: "Secret" | "ConfigMap",
  namespace: string,
  name = "operator",
): KubeObject => ({
  ...{ apiVersion: "v1", kind },
  metadata: {
    ...{ name: `sh.helm.release.v1.${name}.v3`, namespace },
    labels: { owner: "helm", name, status: "deployed" },
  },
});

const place =
  (...records: readonly KubeObject[]) =>
  async ({ cluster }: Scene): Promise<void> => {
    await cluster.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: there } });
    for (const one of records) await cluster.create(one);
  };

const finding = (releases: readonly ChartRelease[]) => ({
  find: (name: string) => Promise.resolve(releases.find((one) => one.name === name)),
});

/** The cluster with its lists of records, of which those that are named are forbidden. */
function watchLists(lists: string[], isForbidden: (line: string) => boolean = () => false) {
  return (cluster: KubeClient): KubeClient =>
    Object.create(cluster, {
      list: {
        value: async (...[resource, options = {}]: Parameters<KubeClient["list"]>) => {
          const { labelSelector = "", namespace = "*" } = options;
          if (!labelSelector.startsWith("owner=helm")) return await cluster.list(resource, options);
          const line = `${namespace} ${resource.plural} ${labelSelector}`;
          lists.push(line);
          if (isForbidden(line)) throw new ApiError("forbidden", { status: 403 });
          return await cluster.list(resource, options);
        },
      },
    }) as KubeClient;
}

/** A run that is refused, of which nothing was written; its first finding. */
async function refused(wish: ChartWish): Promise<NonNullable<Report["findings"]>[number]> {
  const { report, upgrades, scene } = await runChart(wish);
  expect([report.exit.code, upgrades, scene.writes]).toEqual([5, [], []]);
  const [first] = report.findings ?? [];
  if (first === undefined) throw new Error("it is refused without a finding");
  return first;
}

describe("records that are not where helm looks", () => {
  const elsewhere = { name: "operator", namespace: there };
  const here = { name: "operator", namespace: ns };
  const inNamespace = `give -n ${there}; see helm get manifest operator --namespace=${there}`;
  const inMaps = `set HELM_DRIVER=configmap, since the records are in ConfigMaps; see kubectl get configmaps -l owner=helm,name=operator --namespace=${ns}; then run again`;

  test.each<[string, ChartMarks | null, readonly KubeObject[], string, readonly string[]]>([
    [
      "no marks, records in another namespace",
      ...([null, [record("Secret", there)], "OPERATOR-NOT-CHART"] as const),
      [`in Secrets of namespace ${there}`, inNamespace, "use the bundle"],
    ],
    [
      "no marks, records in ConfigMaps",
      ...([null, [record("ConfigMap", ns)], "OPERATOR-NOT-CHART"] as const),
      [`in ConfigMaps of namespace ${ns}`, inMaps],
    ],
    [
      "marks, records in another namespace",
      ...([here, [record("Secret", there)], "OPERATOR-CHART-LOST"] as const),
      [inNamespace, "helm install operator", "restore its records"],
    ],
    [
      "marks of another namespace, which has the records",
      ...([elsewhere, [record("Secret", there)], "OPERATOR-NOT-CHART"] as const),
      [`in namespace ${there}`, "helm upgrade operator", `--namespace=${there}`],
    ],
    [
      "marks of another namespace, which has none",
      ...([elsewhere, [], "OPERATOR-CHART-LOST"] as const),
      [`are in namespace ${there}: its records are gone`, `--namespace=${there}`],
    ],
    [
      "records of another release alone",
      ...([here, [record("Secret", there, "other")], "OPERATOR-CHART-LOST"] as const),
      ["its records are gone from Secrets"],
    ],
  ])("%s", async (...[, marks, records, code, says]) => {
    const lists: string[] = [];
    const { cause, fix, ...told } = await refused({
      ...{ marks, change: place(...records), connect: watchLists(lists) },
      helm: finding([]),
    });
    expect(told).toMatchObject({ code, object });
    for (const part of says) expect(`${cause}; ${fix}`).toContain(part);
    const other = marks?.namespace ?? ns;
    expect(lists.sort()).toEqual([
      "* secrets owner=helm,name=operator",
      `${other} configmaps owner=helm,name=operator`,
    ]);
  });

  test("marks, records in ConfigMaps: they are no reason to restore or to adopt", async () => {
    const change = place(record("ConfigMap", ns));
    const { code, cause, fix } = await refused({ change, helm: finding([]) });
    expect([code, fix]).toEqual(["OPERATOR-CHART-LOST", inMaps]);
    expect(cause).toContain(
      `records of a release of that name are in ConfigMaps of namespace ${ns}`,
    );
    expect(cause).not.toContain("gone");
  });

  test("with HELM_DRIVER for ConfigMaps the Secrets here are the other storage", async () => {
    const lists: string[] = [];
    const { fix } = await refused({
      ...{ change: place(record("Secret", ns)), connect: watchLists(lists), helm: finding([]) },
      options: { home: "ConfigMaps" },
    });
    expect(fix).toContain("set HELM_DRIVER=secret, since the records are in Secrets");
    expect(lists.sort()).toEqual([
      "* configmaps owner=helm,name=operator",
      `${ns} secrets owner=helm,name=operator`,
    ]);
  });

  test.each<[string, ChartMarks | null, string]>([
    ["no marks", null, "OPERATOR-NOT-CHART"],
    ["marks", here, "OPERATOR-CHART-LOST"],
    ["marks of another namespace", elsewhere, "OPERATOR-NOT-CHART"],
  ])("%s, and lists that are forbidden: it is not known", async (_, marks, code) => {
    const { cause, fix, ...told } = await refused({
      ...{ marks, helm: finding([]), change: place() },
      connect: watchLists([], () => true),
    });
    expect(told).toMatchObject({ code, object });
    const other = marks?.namespace ?? ns;
    expect(cause).toContain(
      `whether some are in Secrets of all namespaces and ConfigMaps of namespace ${other} is not known`,
    );
    if (code === "OPERATOR-CHART-LOST" || marks === null) {
      expect(fix).toContain(
        "kubectl get secrets -l owner=helm,name=operator --all-namespaces; else ",
      );
      expect(fix).toContain(`kubectl get configmaps -l owner=helm,name=operator --namespace=${ns}`);
    }
  });

  test("where there is no operator, the release is looked for by its name", async () => {
    const { code, cause, fix } = await refused({
      ...{ deployed: [], change: place(record("Secret", there)), helm: finding([]) },
    });
    expect(code).toBe("OPERATOR-NOT-CHART");
    expect(cause).toContain("has no operator");
    expect(fix).toContain(inNamespace);
  });

  test("a release that helm knows, and an operator of others, cost no list", async () => {
    const lists: string[] = [];
    const known = await runChart({ options: { dryRun: "server" }, connect: watchLists(lists) });
    expect(known.report.exit.code).toBe(0);
    await refused({ manager: "helm-controller", connect: watchLists(lists), helm: finding([]) });
    expect(lists).toEqual([]);
  });

  test("by bundle the same places are told, and a release that is there costs no list more", async () => {
    for (const [one, fixes] of [
      [record("ConfigMap", ns), [inMaps]],
      [record("Secret", there), [inNamespace, "restore its records"]],
    ] as const) {
      const scene = await aScene();
      await helmInstall(scene.cluster, bundleOf("7.22.0-7"));
      await place(one)(scene);
      const { exit, findings } = await scene.run({ contents: contentsOf("8.0.2-2") });
      expect([exit.code, scene.writes]).toEqual([5, []]);
      expect(findings).toMatchObject([{ code: "OPERATOR-CHART-LOST" }]);
      for (const fix of fixes) expect(findings?.[0]?.fix).toContain(fix);
    }
    const lists: string[] = [];
    const scene = await aScene();
    await helmInstall(scene.cluster, bundleOf("7.22.0-7"));
    await scene.cluster.create(record("Secret", ns));
    const { findings } = await scene.run({}, { cluster: watchLists(lists)(scene.cluster) });
    expect(findings?.[0]?.code).toBe("OPERATOR-OWNED");
    expect(lists).toEqual([`${ns} secrets owner=helm,name=operator`]);
  });
});

describe("two releases that have the operator", () => {
  const chart = `${names.operator.chart}-7.22.0-7`;
  const release = (name: string, more: Partial<ChartRelease> = {}): ChartRelease => ({
    ...{ name, chart, status: "deployed" },
    ...more,
  });
  const both = (...twins: readonly ChartRelease[]) => {
    const all = [release("operator"), ...twins];
    return finding(
      all.map((one) => ({ ...one, beside: all.filter(({ name }) => name !== one.name) })),
    );
  };
  const forget = (name: string): string =>
    `compare what release ${name} has with the cluster: helm get manifest ${name} --namespace=${ns}; then to keep what is installed, remove all its records: kubectl delete secret -l owner=helm,name=${name} --namespace=${ns}; then run again`;
  const options = { dryRun: "server" } as const;

  test.each(["deployed", "failed", "pending-install"])(
    "the one that is marked is upgraded, and a %s one is warned of",
    async (status) => {
      const helm = both(release("second", { status }));
      const { report, upgrades, scene } = await runChart({ helm, options });
      expect([report.exit.code, upgrades, scene.writes]).toEqual([0, [], []]);
      const [twin] = (report.findings ?? []).filter(({ code }) => code === "OPERATOR-CHART-TWICE");
      expect(twin).toMatchObject({ severity: "warning", object, fix: forget("second") });
      expect(twin?.cause).toContain("the operator is marked for release operator");
      expect(twin?.fix).not.toContain("helm uninstall");
    },
  );

  test.each<[string, ChartRelease]>([
    ["another chart", release("second", { chart: "other-7.22.0-7" })],
    [
      "a release that is uninstalled, with its history",
      release("second", { status: "uninstalled" }),
    ],
  ])("%s is no second one", async (_, twin) => {
    const { report } = await runChart({ helm: both(twin), options });
    expect([report.exit.code, report.findings ?? []]).toEqual([0, []]);
  });

  test("the one that is not marked is refused, with the way to either", async () => {
    const marks = { name: "second", namespace: ns };
    const { code, severity, cause, fix } = await refused({ marks, helm: both(release("second")) });
    expect([code, severity]).toEqual(["OPERATOR-CHART-TWICE", "error"]);
    expect(cause).toContain("installed by release second of a chart, not by release operator");
    expect(fix).toBe(`give --release-name second; else ${forget("operator")}`);
  });

  test("records in ConfigMaps are removed there", async () => {
    const marks = { name: "second", namespace: ns };
    const helm = both(release("second"));
    const { fix } = await refused({ marks, helm, options: { home: "ConfigMaps" } });
    expect(fix).toContain(`kubectl delete configmap -l owner=helm,name=operator --namespace=${ns}`);
  });

  test("one of another namespace that the marks name is told too", async () => {
    const marks = { name: "operator", namespace: there };
    const change = place(record("Secret", there));
    const { code, fix } = await refused({ marks, change, helm: both() });
    expect(code).toBe("OPERATOR-CHART-TWICE");
    expect(fix).toMatch(new RegExp(`helm upgrade operator .*--namespace=${there}; else compare`));
    expect(fix).toContain(forget("operator"));
  });

  test("a release of another chart under the name that was given is only the wrong name", async () => {
    const marks = { name: "second", namespace: ns };
    const helm = finding([release("operator", { chart: "other-1.2.3" }), release("second")]);
    const { code, fix } = await refused({ marks, helm });
    expect([code, fix]).toEqual(["OPERATOR-NOT-CHART", "give --release-name second"]);
  });
});

describe("what runs helm has its own way, by chart as by bundle", () => {
  test.each<[string, string, string]>([
    ["Terraform", "terraform-provider-helm_v2.12.1_x5", "run terraform apply"],
    ["Flux", "helm-controller", "flux suspend helmrelease"],
    ["Argo CD", "argocd-controller", "targetRevision"],
  ])("%s", async (name, manager, way) => {
    const { code, cause, fix } = await refused({ manager });
    const scene = await aScene();
    await helmInstall(scene.cluster, bundleOf("7.22.0-7"), { manager });
    const bundle = await scene.run();
    expect([bundle.exit.code, scene.writes]).toEqual([5, []]);
    const same = bundle.findings?.find((one) => one.object === object);
    expect([code, cause]).toEqual([
      "OPERATOR-OWNED",
      `${name} owns the object and would undo or fight the change`,
    ]);
    expect(fix).toContain(way);
    expect([same?.code, same?.cause, same?.fix]).toEqual([code, cause, fix]);
  });

  describe("a HelmRelease of Flux", () => {
    const labels = {
      "helm.toolkit.fluxcd.io/name": "stack",
      "helm.toolkit.fluxcd.io/namespace": "flux",
    };
    const labeled = bundleOf("7.22.0-7").map((one) => ({
      ...one,
      metadata: { ...one.metadata, labels: { ...one.metadata.labels, ...labels } },
    }));
    const holding =
      (suspend: boolean) =>
      (cluster: KubeClient): KubeClient =>
        Object.create(cluster, {
          get: {
            value: async (...[ref, options]: Parameters<KubeClient["get"]>) =>
              ref.resource.kind === "HelmRelease"
                ? { apiVersion: "v2", kind: "HelmRelease", metadata: {}, spec: { suspend } }
                : await cluster.get(ref, options),
          },
        }) as KubeClient;

    test("that is carried out owns the operator", async () => {
      const { code, fix } = await refused({ deployed: labeled, connect: holding(false) });
      expect(code).toBe("OPERATOR-OWNED");
      expect(fix).toContain("flux suspend helmrelease stack --namespace=flux");
    });

    test("that is suspended leaves it to helm, and what it would take back is said", async () => {
      const options = { dryRun: "server" } as const;
      const wish = { deployed: labeled, connect: holding(true), options };
      const { report, notes, upgrades, scene } = await runChart(wish);
      expect([report.exit.code, upgrades, scene.writes]).toEqual([0, [], []]);
      expect(notes.join()).toContain("HelmRelease/flux/stack is suspended; bring the same change");
    });
  });

  test("where no field manager tells it, that is said", async () => {
    const unknown = "what runs helm is not known from the field managers";
    const options = { dryRun: "server" } as const;
    const known = await runChart({ options });
    const { report, notes } = await runChart({ options, manager: "before-first-apply" });
    expect(known.notes.join()).not.toContain(unknown);
    expect(report.exit.code).toBe(0);
    expect(notes.join()).toContain(unknown);
    const scene = await aScene();
    await helmInstall(scene.cluster, bundleOf("7.22.0-7"), { manager: "before-first-apply" });
    await scene.cluster.create(record("Secret", ns));
    const bundle = await scene.run();
    expect(bundle.findings?.[0]).toMatchObject({ code: "OPERATOR-OWNED" });
    expect(bundle.findings?.[0]?.fix).toContain(unknown);
    expect(scene.writes).toEqual([]);
  });
});
