/** What a user may not do is found out and said before the first write, with the fix. */
import { loadAll } from "js-yaml";
import { containing, matching, type PluginOptions, type PluginRun } from "./plugin-run";
import type { KubeObject } from "./api";
import { rightsOf } from "./managed-namespaces";
import { openSuite, type Suite } from "./suite";
import {
  applied,
  clear,
  deleted,
  type Found,
  lay,
  putOldConfiguration,
  readBack,
  runSwap,
} from "./swap-states";
import { newConfigurationName, oldConfigurationName } from "./webhook-configurations";

const admissionGroup = "admissionregistration.k8s.io";
const configurations = "validatingwebhookconfigurations";

let suite: Suite;
beforeAll(async () => {
  suite = await openSuite({ users: [{ name: "granted" }, { name: "impersonated" }] });
});
afterAll(() => suite.close());
beforeEach(async () => {
  await clear(suite.api, suite.scene);
});

/** Runs the swap as a user who may not, and holds it to having left everything alone. */
async function refused(args: readonly string[], options: PluginOptions): Promise<PluginRun> {
  const before = await readBack(suite.controlPlane);
  const run = await runSwap(suite.controlPlane, args, options);
  expect(run.report.exit.code).toBe(4);
  expect(run.writes).toEqual([]);
  expect(await readBack(suite.controlPlane)).toEqual(before);
  return run;
}

async function grant(manifest: string, user: string): Promise<readonly KubeObject[]> {
  const input = manifest.replaceAll("REPLACE-WITH-THE-USER", user);
  const { code, stderr } = await suite.controlPlane.kubectl(["apply", "-f", "-"], { input });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return loadAll(input) as readonly KubeObject[];
}

async function withdraw(objects: readonly KubeObject[]): Promise<void> {
  await Promise.all(objects.map((object) => suite.api.remove(object)));
}

/** Every `verb resource` that the rules of a manifest grant. */
function granted(manifest: string): readonly string[] {
  const roles = (loadAll(manifest) as readonly KubeObject[]).filter(({ kind }) =>
    ["Role", "ClusterRole"].includes(kind),
  );
  return roles
    .flatMap((role) => role["rules"] as readonly { verbs: string[]; resources: string[] }[])
    .flatMap(({ verbs, resources }) =>
      verbs.flatMap((verb) => resources.map((resource) => `${verb} ${resource}`)),
    )
    .sort();
}

/** All that the swap may need, as it tells where nothing is granted yet. */
const everything = [
  `create ${configurations}`,
  "create engineenterpriseactiveactivedatabases",
  "create engineenterprisedatabases",
  "create engineenterpriseremoteclusters",
  `delete ${configurations}`,
  "get deployments",
  "get namespaces",
  "get secrets",
  "get services",
  `get ${configurations}`,
  "list endpointslices",
  "list namespaces",
  `list ${configurations}`,
  `patch ${configurations}`,
  `update ${configurations}`,
];

/** What it does without, and then judges less: in the Role, and not told as missing. */
const beside = [
  "get customresourcedefinitions",
  "get helmreleases",
  "list configmaps",
  "list deployments",
  "list engineenterpriseactiveactivedatabases",
  "list engineenterprisedatabases",
  "list mutatingwebhookconfigurations",
  "list engineenterpriseclusters",
  "list pods",
  "list networkpolicies",
  "list services",
];

/** Once the entry was read: a kind that it does not match needs no probe. */
const matched = everything.filter((line) => line !== "create engineenterpriseremoteclusters");

describe("a user without any right", () => {
  test("gets 4 before any write, with each verb named and the roles to ask for", async () => {
    await lay(suite, { old: {} });

    const { report, stderr } = await refused([], { user: "restricted" });

    const { missing = [], manifest = "" } = report.permissions ?? {};
    expect(new Set(granted(manifest))).toEqual(new Set([...everything, ...beside]));
    for (const line of everything) {
      const [verb = "", resource = ""] = line.split(" ");
      expect(missing).toContainEqual(matching(new RegExp(`^${verb} .*${resource}`)));
      expect(stderr).toMatch(new RegExp(`${verb} .*${resource}`));
    }
    expect(manifest).toMatch(/kind: ClusterRole\n/);
    expect(manifest).toMatch(/kind: ClusterRoleBinding\n/);
    expect(manifest).toMatch(/kind: Role\n/);
    expect(manifest).toMatch(/kind: RoleBinding\n/);
  });

  test("sees the roles in text as well", async () => {
    const { controlPlane, api, scene } = suite;
    await putOldConfiguration(api, scene);
    const args = ["engine", "upgrade-webhook", "-n", scene.namespace, "--yes"];
    const kubeconfig = controlPlane.kubeconfigFor("restricted");
    const { code, stdout, stderr } = await controlPlane.kubectl(args, { kubeconfig });
    expect(code).toBe(4);
    expect(stdout + stderr).toContain("kind: ClusterRole");
    expect(stdout + stderr).not.toMatch(/^\s+at /m);
  });

  test("who applies what was printed can run the swap", async () => {
    const { controlPlane } = suite;
    await lay(suite, { old: {} });
    const { report } = await refused([], { user: "granted" });
    const roles = await grant(report.permissions?.manifest ?? "", "granted");

    const run = await runSwap(controlPlane, [], { user: "granted" });

    await withdraw(roles);
    expect(run.report.exit.code).toBe(0);
    expect(run.writes).toEqual([applied, deleted]);
    expect((await readBack(controlPlane)).old).toBeUndefined();
  });

  test("is told nothing of a namespace's secrets", async () => {
    const { stdout, stderr } = await refused(["-v", "9"], { user: "restricted" });
    expect(stdout + stderr).not.toContain("PRIVATE KEY");
  });
});

interface Right {
  readonly verbs: readonly string[];
  readonly group: string;
  readonly resource: string;
  readonly names?: readonly string[];
}

/** All reads and probes; the writes are what a test is about. */
const reads: readonly Right[] = [
  { verbs: ["get", "list"], group: admissionGroup, resource: configurations },
  { verbs: ["get"], group: "", resource: "namespaces" },
  { verbs: ["get"], group: "", resource: "secrets" },
  { verbs: ["get"], group: "", resource: "services" },
  { verbs: ["list"], group: "discovery.k8s.io", resource: "endpointslices" },
  { verbs: ["get"], group: "apps", resource: "deployments" },
  { verbs: ["create", "list"], group: "app.engine.com", resource: "engineenterprisedatabases" },
  {
    verbs: ["create", "list"],
    group: "app.engine.com",
    resource: "engineenterpriseactiveactivedatabases",
  },
  // the probe covers every kind that was guarded before
  {
    verbs: ["create", "list"],
    group: "app.engine.com",
    resource: "engineenterpriseremoteclusters",
  },
];

const on = (verbs: readonly string[], ...names: readonly string[]): Right => ({
  verbs,
  group: admissionGroup,
  resource: configurations,
  ...(names.length > 0 ? { names } : {}),
});

async function grantRights(user: string, rights: readonly Right[]): Promise<() => Promise<void>> {
  const rules = rights.map(({ verbs, group, resource, names }) => ({
    verbs,
    apiGroups: [group],
    resources: [resource],
    resourceNames: names,
  }));
  const objects = rightsOf(user, rules);
  for (const object of objects) {
    await suite.api.replace(object);
  }
  return () => withdraw(objects);
}

describe("one right is missing", () => {
  const halfDone: Found = { current: { caBundle: "" } };
  const old: Found = { old: {} };
  type Row = readonly [
    name: string,
    found: Found,
    rights: readonly Right[],
    /** What is missing, or what is written where these rights are enough. */
    end: { readonly missing: string } | { readonly writes: readonly string[] },
  ];
  const rows: readonly Row[] = [
    ["create, for an object that is absent", old, [on(["patch", "delete"])], { missing: "create" }],
    ["patch, for an object that is absent", old, [on(["create", "delete"])], { missing: "patch" }],
    [
      "delete, for the old one",
      old,
      [on(["create", "patch"]), on(["delete"], newConfigurationName)],
      { missing: "delete" },
    ],
    [
      "patch, for an object that is there",
      halfDone,
      [on(["create", "delete"])],
      { missing: "patch" },
    ],
    [
      "none: create is not needed for an object that is there",
      halfDone,
      [on(["patch"], newConfigurationName)],
      { writes: [applied] },
    ],
    [
      "none: rights on the two names alone, where the old one is replaced",
      old,
      [
        on(["create"]),
        on(["patch"], newConfigurationName),
        on(["delete"], newConfigurationName, oldConfigurationName),
      ],
      { writes: [applied, deleted] },
    ],
    ["none: nothing needs to be written", { current: {} }, [], { writes: [] }],
  ];

  test.each(rows)("%s", async (_name, ...[found, rights, end]) => {
    await lay(suite, found);
    const withdrawRights = await grantRights("editor", [...reads, ...rights]);
    if ("missing" in end) {
      const { report } = await refused([], { user: "editor" });
      expect(report.permissions?.missing).toEqual([
        matching(new RegExp(`^${end.missing} ${configurations}`)),
      ]);
      expect(new Set(granted(report.permissions?.manifest ?? ""))).toEqual(
        new Set([...(found === halfDone ? everything : matched), ...beside]),
      );
    } else {
      const run = await runSwap(suite.controlPlane, [], { user: "editor" });
      expect([run.report.exit.code, run.writes]).toEqual([0, end.writes]);
    }
    await withdrawRights();
  });

  test("to probe: 4, and --no-probe goes without", async () => {
    const { controlPlane } = suite;
    await lay(suite, old);
    const withoutProbes = reads.filter(({ group }) => group !== "app.engine.com");
    const withdrawRights = await grantRights("editor", [
      ...withoutProbes,
      on(["create", "patch", "delete"]),
    ]);
    const { report } = await refused([], { user: "editor" });
    expect(granted(report.permissions?.manifest ?? "")).toContain(
      "create engineenterprisedatabases",
    );
    expect(report.permissions?.missing).toContainEqual(containing("--no-probe"));
    const run = await runSwap(controlPlane, ["--no-probe"], { user: "editor" });
    expect(run.report.exit.code).toBe(0);
    await withdrawRights();
  });
});

describe("--as", () => {
  test("asks for the rights of the other user, and writes in their name", async () => {
    const { controlPlane } = suite;
    await lay(suite, { old: {} });
    const { report } = await refused(["--as", "impersonated"], {});
    const roles = await grant(report.permissions?.manifest ?? "", "impersonated");
    const mark = await controlPlane.auditMark();

    const run = await runSwap(controlPlane, ["--as", "impersonated"]);

    await withdraw(roles);
    expect(run.report.exit.code).toBe(0);
    const writes = await controlPlane.writesSince(mark, { user: "impersonated" });
    expect(writes).toHaveLength(2);
    expect(writes.map(({ impersonatedUser }) => impersonatedUser?.username)).toEqual([
      "impersonated",
      "impersonated",
    ]);
  });

  test("with --as-group has the rights of the group", async () => {
    const { controlPlane } = suite;
    await lay(suite, { old: {} });
    const run = await runSwap(controlPlane, ["--as", "nobody", "--as-group", "system:masters"]);
    expect(run.report.exit.code).toBe(0);
  });

  test("without the right to impersonate: 4", async () => {
    const { report } = await refused(["--as", "someone"], { user: "restricted" });
    expect(report.exit.reason).toMatch(/impersonate/);
  });
});
