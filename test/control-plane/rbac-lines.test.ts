/**
 * A healthy cluster of every release line: what its operator came with is up to date, whoever wrote it
 * down in whatever order, and neither looking at it nor the plain command changes a byte of it.
 */
import { defaultNames as names } from "../../plugin/domain/names/names";
import { bundleOf, writeRelease } from "../support/releases/tree";
import { type ControlPlane, startControlPlane } from "./control-plane";
import { cluster as clusterOf, clusterStatus, untilServed } from "./scene";
import { namespaceNamed, oldBinding, operatorNamespace, settings } from "./managed-namespaces";
import type { KubeObject } from "./api";
import { operatorDeployment, writeOperatorStatus } from "./operator";
import { type PluginRun, runner, runPlugin } from "./plugin-run";
import { join } from "node:path";

const app = "app.engine.com";
const parts = (plural: string): string =>
  [plural, `${plural}/status`, `${plural}/finalizers`].join(" ");
const edb = parts("engineenterprisedatabases");
const eaadb = parts("engineenterpriseactiveactivedatabases");

type Rule = readonly [group: string, resources: string, verbs: string];

/** edb-role as the operator's files have had it, release by release (domain facts 6). */
const withEndpoints: readonly Rule[] = [
  ["", "endpoints", "get list watch"],
  ["", "services", "get watch list update patch create delete"],
];
const secrets: Rule = ["", "secrets", "update get watch create patch list"];
const roles: Readonly<Record<string, readonly Rule[]>> = {
  "7.4.2-2": [
    [app, edb, "delete deletecollection get list patch create update watch"],
    [
      "",
      "secrets",
      "update get read list listallnamespaces watch watchlist watchlistallnamespaces create patch replace delete deletecollection",
    ],
    ...withEndpoints,
    ["", "events", "create"],
  ],
  "7.8.6-1": [
    [app, edb, "delete get list patch create update watch"],
    secrets,
    ...withEndpoints,
    ["", "events", "create"],
  ],
  "7.22.0-7": [
    [app, `${edb} ${eaadb}`, "delete get list patch create update watch"],
    secrets,
    ...withEndpoints,
    ["", "events", "create patch"],
  ],
  "8.0.2-2": [
    [app, `${edb} ${eaadb}`, "delete get list patch create update watch"],
    secrets,
    ["", "services", "get watch list update patch create delete"],
    ["", "events", "create patch"],
    ["discovery.k8s.io", "endpointslices", "get list watch"],
  ],
};

interface Spelling {
  readonly name: string;
  readonly rules: (rules: readonly Rule[]) => readonly Rule[];
  readonly labels: Readonly<Record<string, string>>;
}

const labels = { app: names.operator.appLabel };
const turned = (text: string): string => text.split(" ").reverse().join(" ");
const spellings: readonly Spelling[] = [
  { name: "as-shipped", rules: (rules) => rules, labels },
  {
    name: "turned",
    labels,
    rules: (rules) =>
      rules
        .toReversed()
        .map(([group, resources, verbs]) => [group, turned(resources), turned(verbs)]),
  },
  {
    name: "one-by-one",
    labels: {},
    rules: (rules) =>
      rules.flatMap(([group, resources, verbs]) =>
        resources
          .split(" ")
          .flatMap((resource) => verbs.split(" ").map((verb): Rule => [group, resource, verb])),
      ),
  },
];

const apiVersion = "rbac.authorization.k8s.io/v1";

function roleIn(namespace: string, rules: readonly Rule[], marks: Spelling["labels"]): KubeObject {
  return {
    apiVersion,
    kind: "Role",
    metadata: { name: "edb-role", namespace, labels: marks },
    rules: rules.map(([group, resources, verbs]) => ({
      apiGroups: [group],
      resources: resources.split(" "),
      verbs: verbs.split(" "),
    })),
  };
}

const places = spellings.map(({ name }) => name);

let controlPlane: ControlPlane;
let release = "";
beforeAll(async () => {
  controlPlane = await startControlPlane({ users: [runner] });
  const { api, site } = controlPlane;
  release = writeRelease(join(site.dataDir, "8.0.2-2"), "8.0.2-2");
  const definitions = bundleOf("8.0.2-2").filter(({ kind }) => kind === "CustomResourceDefinition");
  await applied(JSON.stringify({ apiVersion: "v1", kind: "List", items: definitions }), "default");
  await untilServed(api);
  await api.create(namespaceNamed(operatorNamespace));
  const base = clusterOf({ namespace: operatorNamespace });
  const image = {
    repository: names.images.cluster,
    versionTag: "7.4.2-40",
    imagePullPolicy: "Always",
  };
  const ec = { ...base, spec: { ...(base["spec"] as object), engineEnterpriseImageSpec: image } };
  await api.create(ec, "kubectl-create");
  await api.writeStatus(ec, clusterStatus);
  await api.create(settings({ EDB_NAMESPACES: places.join(",") }));
  for (const place of places) await api.create(namespaceNamed(place));
});
afterAll(() => controlPlane.stop());

/** Everything under RBAC that could be touched, as it is stored, down to its version. */
async function stored(): Promise<string> {
  const { api } = controlPlane;
  const lists = await Promise.all(
    ["roles", "rolebindings"].map((plural) => api.send("GET", `/apis/${apiVersion}/${plural}`)),
  );
  return JSON.stringify(lists.map(({ body }) => (body as { items: unknown }).items));
}

const run = (...words: readonly string[]): Promise<PluginRun> =>
  runPlugin(controlPlane, words, { namespace: operatorNamespace });

const rbacCodes = ({ report }: PluginRun): readonly string[] =>
  (report.findings ?? []).map(({ code }) => code).filter((code) => code.startsWith("RBAC-R"));

/** The operator of a release as a person installs it: the client's own apply command (S16). */
async function install(version: string): Promise<void> {
  const { api } = controlPlane;
  const shape = version.startsWith("7.4")
    ? "7.4.2-2"
    : version === "8.0.2-2"
      ? version
      : "7.22.0-7";
  const bundle = bundleOf(shape).filter(({ kind }) => kind !== "CustomResourceDefinition");
  const text = JSON.stringify({ apiVersion: "v1", kind: "List", items: bundle });
  await applied(text.replaceAll(`:${shape}"`, `:${version}"`), operatorNamespace);
  await writeOperatorStatus(api, operatorNamespace);
}

async function applied(input: string, namespace: string): Promise<void> {
  const words = ["apply", "-n", namespace, "-f", "-"];
  const { code, stderr } = await controlPlane.kubectl(words, { input });
  if (code !== 0) throw new Error(stderr);
}

async function installRoles(rules: readonly Rule[]): Promise<void> {
  for (const { name, rules: spelled, labels: marks } of spellings) {
    const objects = [roleIn(name, spelled(rules), marks), oldBinding(name)];
    for (const object of objects) await applied(JSON.stringify(object), name);
  }
}

describe.each(Object.entries(roles))("with operator %s and its own roles", (version, rules) => {
  const gains = version !== "8.0.2-2";
  beforeAll(async () => {
    await install(version);
    await installRoles(rules);
  });

  test("status says that all is up to date", async () => {
    const before = await stored();
    const { code, report } = await run("status");
    const { rbac } = report.details as { readonly rbac: object };
    expect([code, rbac]).toMatchObject([
      0,
      {
        differing: [],
        verdict: { is: "fine" },
        comparedWith: expect.stringContaining(version) as string,
      },
    ]);
    expect(await stored()).toBe(before);
  });

  test("check finds no role behind or beyond", async () => {
    const before = await stored();
    expect(rbacCodes(await run("check"))).toEqual([]);
    expect(await stored()).toBe(before);
  });

  test.each([
    ["reapply-rbac", []],
    ["reapply-rbac", ["--mode=contract"]],
  ])("%s %j writes nothing", async (command, words) => {
    const before = await stored();
    const done = await run(command, ...words);
    expect([done.code, done.writes]).toEqual([0, []]);
    expect(done.report.namespaces?.map(({ result }) => result)).toEqual(
      places.map(() => "unchanged"),
    );
    expect(await stored()).toBe(before);
  });

  test("upgrade --dry-run=server plans what the next release needs, and changes nothing", async () => {
    const before = await stored();
    const words = ["--release", release, "--cluster-target=8.0.2-17", "--dry-run=server"];
    const planned = await run("upgrade", ...words);
    expect([planned.code, planned.writes]).toEqual([0, []]);
    const steps = (planned.report.steps ?? []).map(({ object, why }) => `${object} ${why}`);
    const told = places.map((place) =>
      steps.filter((step) => step.startsWith(`Role/${place}/`) && step.includes("permissions")),
    );
    // once to widen, once to narrow
    expect(told.map((some) => some.length)).toEqual(places.map(() => (gains ? 2 : 0)));
    expect(await stored()).toBe(before);
  });
});

test.each(["sha256:abc", "6.4.2-4", "latest"])(
  "of operator %s the role is unknown: nothing is called stalled, and nothing is written",
  async (tag) => {
    const image = tag.includes(":") ? `engine/operator@${tag}` : `engine/operator:${tag}`;
    const deployment = JSON.stringify(operatorDeployment(operatorNamespace)).replaceAll(
      "engine/operator:8.0.20-23",
      image,
    );
    await controlPlane.api.apply(JSON.parse(deployment) as KubeObject);
    const before = await stored();
    const status = await run("status");
    expect(status.report.details).toMatchObject({ rbac: { verdict: { is: "unknown" } } });
    expect(rbacCodes(await run("check"))).toEqual([]);
    for (const words of [[], ["--mode=contract", "--yes"]]) {
      const done = await run("reapply-rbac", ...words);
      expect([done.code, done.writes, rbacCodes(done)]).toEqual([3, [], ["RBAC-RELEASE-UNKNOWN"]]);
    }
    expect(await stored()).toBe(before);
  },
);
