/** User-defined modules are defined in a cluster in memory, with an operator at play. */
import type { PartRun } from "../../../../plugin/cmdutil/part-command";
import { definePart } from "../../../../plugin/commands/modules/define";
import type { ModulesDefineFlags } from "../../../../plugin/commands/modules/flags";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { asArray, getPath, omit, withValue } from "../../../../plugin/domain/base/values";
import { runPart } from "../../../../plugin/kernel/run-part";
import type { AskingPorts } from "../../../../plugin/kernel/world";
import type { KubeObject } from "../../../../plugin/ports/kubernetes";
import type { Report } from "../../../../plugin/kernel/report";
import { aPlayedWorld, here, product, type PlayedWorld } from "../../../support/played-operator";
import { commandAt, typed } from "../../../support/program-world";
import { exampleOnce } from "../../../support/world";
import { planDefinition } from "../../../../plugin/commands/modules/plan";
import { anEc, factsOf } from "../../domain/engine-cluster/scene";
import { aWitness, codesOf, portsOf, stepsOf, watched } from "../world";

const ecRef = here(product.ec, "ec");
const edbRef = here(product.edb, "config");
const ecLabel = "EngineEnterpriseCluster/engine/ec";
const patchLine = "patch EngineEnterpriseCluster engine/ec";
const url = "https://modules.example/gears.zip";
const rg = { name: "rg", source: { https: { url: "https://modules.example/rg.zip" } } };
const by = { type: "merge", fieldManager: "kubectl-edit" } as const;

interface World extends PlayedWorld {
  readonly sent: readonly string[];
  readonly saved: readonly KubeObject[];
  define(
    flags?: Partial<ModulesDefineFlags>,
    run?: Partial<PartRun>,
    deps?: Partial<AskingPorts>,
  ): Promise<Report>;
  listed(): Promise<readonly unknown[]>;
  stateNow(): Promise<unknown>;
}

type Arrange = (world: World) => Promise<void>;
type Change = (all: readonly KubeObject[]) => readonly KubeObject[];

/** The operator runs 8.0.2-2, the cluster 7.8.2-34. */
async function aWorld(change: Change = (all) => all): Promise<World> {
  const image = names.images.operator;
  const { objects } = await exampleOnce();
  const upgraded = JSON.parse(
    JSON.stringify(objects).replaceAll(`${image}:7.8.2-6`, `${image}:8.0.2-2`),
  ) as readonly KubeObject[];
  const world = await aPlayedWorld({ objects: change(upgraded) });
  await world.settle();
  const seen = aWitness();
  return {
    ...world,
    sent: seen.sent,
    saved: seen.saved,
    listed: async () =>
      asArray(getPath(await world.cluster.get(ecRef), ["spec", "userDefinedModules"])),
    stateNow: async () => getPath(await world.cluster.get(ecRef), names.ecFields.state),
    define: async (flags = {}, run = {}, deps = {}) => {
      const cluster = watched(world.cluster, seen);
      const ports = portsOf(seen, { kind: "ModulesDefine", cluster, clock: world.clock });
      const all: PartRun = {
        ...{ namespace: "engine", args: ["gears"], wait: false, takeFields: [] },
        ...{ dryRun: "none", fieldManager: names.fieldManager },
        ...run,
      };
      const given: ModulesDefineFlags = {
        ...{ ec: "ec", sources: new Map([["gears", url]]), takeFields: [] },
        ...{ stallAfterMs: 600_000, limited: false },
        ...flags,
      };
      const part = definePart(given, all);
      return await runPart({ ...ports, ...deps }, part, { dryRun: all.dryRun, limitMs: 60_000 });
    },
  };
}

test("one patch adds the module, every pod is renewed, and a second run writes nothing", async () => {
  const world = await aWorld();
  await world.cluster.patch(ecRef, { spec: { userDefinedModules: [rg] } }, by);
  await world.settle();
  const report = await world.define({ credentialsSecret: "downloads" });
  expect(report.exit).toEqual({
    code: 0,
    reason: `${ecLabel}: gears: defined; every pod is renewed, state Running`,
  });
  expect(stepsOf(report)).toEqual(["modules.define changed", "modules.follow done"]);
  expect(await world.listed()).toEqual([
    rg,
    { name: "gears", source: { https: { url, credentialsSecret: "downloads" } } },
  ]);
  expect(getPath(world.saved[0], ["spec", "userDefinedModules"])).toEqual([rg]);
  const again = await world.define({ credentialsSecret: "downloads" });
  expect([again.exit.code, stepsOf(again), world.sent]).toEqual([
    0,
    ["modules.define unchanged"],
    [patchLine],
  ]);
});

test("by its name alone, under the other name of an entry: nothing to do", async () => {
  const world = await aWorld();
  const modules = [{ name: "gears", displayName: "EngineGears", versions: ["1.0"] }];
  await world.cluster.patch(ecRef, { status: { modules } }, { ...by, subresource: "status" });
  await world.define();
  const again = await world.define({ sources: new Map() }, { args: ["EngineGears"] });
  expect([again.exit.code, stepsOf(again)]).toEqual([0, ["modules.define unchanged"]]);
  const other = new Map([["EngineGears", "http://mirror.example/g.zip"]]);
  const moved = await world.define({ sources: other }, { args: ["EngineGears"] });
  expect([moved.exit.code, await world.listed()]).toEqual([
    0,
    [{ name: "gears", source: { http: { url: "http://mirror.example/g.zip" } } }],
  ]);
});

test("a frozen upgrade is set free, and followed to its end", async () => {
  const world = await aWorld();
  const modules = [{ name: "gears", displayName: "EngineGears", versions: ["1.0"] }];
  await world.cluster.patch(ecRef, { status: { modules } }, { ...by, subresource: "status" });
  await world.cluster.patch(edbRef, { spec: { modulesList: [{ name: "gears" }] } }, by);
  await world.cluster.patch(
    ecRef,
    { spec: { engineEnterpriseImageSpec: { versionTag: "8.0.2-17" } } },
    by,
  );
  await world.clock.sleep(60_000);
  expect(await world.stateNow()).toBe("Upgrade");
  const report = await world.define();
  expect([report.exit.code, await world.stateNow(), world.sent]).toEqual([
    0,
    "Running",
    [patchLine],
  ]);
});

/** The EC's status reads so. */
function inState(value: string): Arrange {
  return async ({ cluster }) => {
    await cluster.patch(ecRef, { status: { state: value } }, { ...by, subresource: "status" });
  };
}

/** The definition of the EC, with another schema of its list of modules. */
function changeList(schema: object | undefined): Change {
  return (all) =>
    all.map((object) => {
      if (object.metadata.name !== `${names.ec.plural}.${names.group}`) return object;
      const versions = asArray(getPath(object, ["spec", "versions"])).map((version) => {
        const path = ["schema", "openAPIV3Schema", "properties", "spec", "properties"];
        const fields = getPath(version, path) as Readonly<Record<string, unknown>>;
        const others = omit(fields, "userDefinedModules");
        const more = schema === undefined ? {} : { userDefinedModules: schema };
        return withValue(version as Record<string, unknown>, path, { ...others, ...more });
      });
      return withValue(object, ["spec", "versions"], versions) as KubeObject;
    });
}

const nothing: Arrange = async () => {};

/** Someone else has changed the list a moment ago. */
const renewing: Arrange = async ({ cluster, clock }) => {
  await cluster.patch(ecRef, { spec: { userDefinedModules: [rg] } }, by);
  await clock.sleep(10_000);
};

/** The EC publishes this module, shown as Documents. */
function publishing(name: string): Arrange {
  return async ({ cluster }) => {
    const modules = [{ name, displayName: "Documents", versions: ["2.8"] }];
    await cluster.patch(ecRef, { status: { modules } }, { ...by, subresource: "status" });
  };
}

const deleting: Arrange = async ({ cluster }) => {
  await cluster.patch(ecRef, { metadata: { finalizers: ["example.com/hold"] } }, by);
  await cluster.delete(ecRef, {});
};

interface Refusal {
  readonly code: string;
  readonly change?: Change;
  readonly arrange?: Arrange;
  readonly flags?: Partial<ModulesDefineFlags>;
  readonly args?: readonly string[];
}

describe("refused, and nothing is written", () => {
  test.each<[string, Refusal]>([
    ["a bundled module", { code: "CLUSTER-MODULE-BUNDLED", args: ["ReJSON"] }],
    ["its display name", { code: "CLUSTER-MODULE-BUNDLED", args: ["EngineJSON"] }],
    [
      "a definition without the list",
      { code: "CLUSTER-MODULES-FIELD-ABSENT", change: changeList(undefined) },
    ],
    [
      "a definition that requires a source",
      {
        code: "CLUSTER-MODULE-SOURCE",
        change: changeList({ type: "array", items: { type: "object", required: ["source"] } }),
        flags: { sources: new Map() },
      },
    ],
    [
      "a bundled one by a display name of its own",
      { code: "CLUSTER-MODULE-BUNDLED", args: ["Documents"], arrange: publishing("ReJSON") },
    ],
    ["a cluster that is being deleted", { code: "CLUSTER-DELETING", arrange: deleting }],
    ["a state that is no start", { code: "CLUSTER-STATE", arrange: inState("Initializing") }],
    ["no state", { code: "CLUSTER-STATE", arrange: inState("") }],
    ["pods being renewed", { code: "CLUSTER-BUSY", arrange: renewing }],
    ["an upgrade that moves", { code: "CLUSTER-BUSY", arrange: inState("Upgrade") }],
  ])("%s", async (_title, { code, change, arrange = nothing, flags, args = ["gears"] }) => {
    const world = await aWorld(change);
    await arrange(world);
    const report = await world.define(flags, { args });
    expect([report.exit.code, codesOf(report), world.sent]).toEqual([
      3,
      expect.arrayContaining([code]),
      [],
    ]);
  });

  test("no such cluster", async () => {
    const world = await aWorld();
    const report = await world.define({ ec: "other" });
    expect([report.exit.code, world.sent]).toEqual([2, []]);
    expect(report.exit.reason).toContain('no EC "other"');
  });

  test("the question is denied", async () => {
    const world = await aWorld();
    const questions: string[] = [];
    const ask = (question: string): Promise<boolean> => {
      questions.push(question);
      return Promise.resolve(false);
    };
    const report = await world.define({}, {}, { ask });
    expect([report.exit.code, questions, world.sent]).toEqual([
      2,
      [`Restart all pods of ${ecLabel}, one after the other?`],
      [],
    ]);
  });
});

test("a dry run tells the restart, and writes nothing", async () => {
  const world = await aWorld();
  const report = await world.define({}, { dryRun: "server" });
  expect([report.exit.code, stepsOf(report)]).toEqual([0, ["modules.define planned"]]);
  expect(world.sent).toEqual([`${patchLine} (dry run)`]);
  expect(report.steps?.[0]?.write?.risk).toContain("all pods of the cluster are restarted");
  expect(await world.listed()).toEqual([]);
});

const unstructured = {
  type: "array",
  items: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
};

test("a name that no installed module has, without a source: warnings", async () => {
  const world = await aWorld(changeList(unstructured));
  const modules = [{ name: "rg", displayName: "EngineGears", versions: ["1.0"] }];
  await world.cluster.patch(ecRef, { status: { modules } }, { ...by, subresource: "status" });
  const report = await world.define({ sources: new Map() }, { dryRun: "server" });
  expect([report.exit.code, codesOf(report)]).toEqual([
    0,
    ["CLUSTER-MODULE-SOURCE", "CLUSTER-MODULE-NAME"],
  ]);
});

describe("the flags", () => {
  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    ["no address", { source: ["rg"] }, "--source: give NAME=URL"],
    ["no name", { source: ["=https://m.example/rg.zip"] }, "--source: give NAME=URL"],
    ["a login", { source: ["rg=https://me:pass@m.example/rg.zip"] }, "--source: give NAME=URL"],
    ["no URL", { source: ["rg=here"] }, "--source: give NAME=URL"],
    ["another protocol", { source: ["rg=ftp://m.example/rg.zip"] }, "--source: give NAME=URL"],
    ["a Secret alone", { credentialsSecret: "s" }, "--credentials-secret: goes with --source"],
  ])("are refused: %s", (_title, raw, problem) => {
    const { problems, missing = [] } = commandAt("modules define").prepare(raw);
    expect([...problems, ...missing].join()).toContain(problem);
    expect([...problems, ...missing].join()).not.toContain("pass");
  });
});

test.each([
  [
    "--cluster names the EC",
    ["--cluster", "ec"],
    "EngineEnterpriseCluster/engine/ec would be patched",
  ],
  ["beside --ec it is of the kubeconfig", ["--ec", "other", "--cluster", "x"], 'no EC "other"'],
])("as typed: %s", async (_title, words, says) => {
  const world = await aWorld();
  const connect = () => Promise.resolve(world.cluster);
  const line = [
    "modules",
    "define",
    "gears",
    `--source=gears=${url}`,
    ...words,
    "--dry-run=server",
  ];
  const { out, err } = await typed(line, { connect, clock: world.clock });
  expect(out + err).toContain(says);
});

test("an EC that publishes no modules: no name is unknown", async () => {
  const world = await aWorld();
  await world.cluster.patch(ecRef, { status: { modules: [] } }, { ...by, subresource: "status" });
  const report = await world.define({}, { dryRun: "server" });
  expect([report.exit.code, codesOf(report)]).toEqual([0, []]);
});

test("an EC that is not among the facts has no plan", () => {
  const facts = factsOf({ ecs: [anEc()] });
  const asked = { version: names.ecVersion, modules: [] };
  expect(planDefinition(facts, { ...asked, ec: "other" })).toBeUndefined();
  expect(planDefinition(facts, { ...asked, ec: "ec" })?.edits).toEqual([]);
});
