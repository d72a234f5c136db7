/** `modules list` and `modules in-use`, over HTTPS against the played REST API. */
import type { ModulesListDetails } from "../../../../plugin/commands/modules/command";
import type { Report } from "../../../../plugin/kernel/report";
import { schemaProblems } from "../../../control-plane/plugin-run";
import { expectGoldenText } from "../../../support/golden";
import type { BdbWish } from "../../../../plugin/simulator/rest-api/state";
import type { Ended } from "../../../support/program-world";
import { closeScenes, masked, modulesScene } from "./scene";

afterEach(closeScenes);

function documentOf({ out }: Ended): Report {
  const document = JSON.parse(out) as Report;
  expect(schemaProblems(document)).toEqual([]);
  return document;
}

const codesOf = ({ findings = [] }: Report): readonly string[] => findings.map(({ code }) => code);

const gearsBuild = (engine: string, more: object = {}) => ({
  uid: `rg-${engine}`,
  name: "rg",
  displayName: "EngineGears",
  version: "1.2.5",
  compatibleEngineVersion: engine,
  isBundled: false,
  ...more,
});

const graphBuild = (name: string) => ({
  ...gearsBuild("7.2"),
  ...{ uid: name, name, displayName: "EngineGraph" },
});

const orders: BdbWish = {
  uid: 1,
  name: "orders",
  version: "7.2.0",
  modules: [
    { name: "rg", version: "1.2.5", args: [] },
    { name: "search", version: "7.2.0", args: [] },
  ],
};

test("the list shows every installed module, one call, nothing written", async () => {
  const scene = await modulesScene({ profile: "7.4" });
  scene.played.store.modules.set("rg", gearsBuild("7.2", { platforms: ["rhel8"] }));
  const ended = await scene.ask(["modules", "list"]);
  expect(ended.err).toBe("");
  expect(ended.code).toBe(0);
  expect(scene.calls()).toEqual(["GET /v1/modules"]);
  expectGoldenText("modules/list.txt", masked(ended));
});

test("where platforms are not told the list says so, and JSON leaves them out", async () => {
  const scene = await modulesScene({ profile: "8.0" });
  const text = await scene.ask(["modules", "list"]);
  expect(text.out).toContain("not told");
  const { details, kind } = documentOf(await scene.ask(["modules", "list", "-o", "json"]));
  expect(kind).toBe("Modules");
  expect((details as ModulesListDetails).modules[0]).not.toHaveProperty("platforms");
});

test("in-use shows who uses what, and ends with 0 where all is well", async () => {
  const scene = await modulesScene({ bdbs: [orders], defined: ["EngineGears"] });
  scene.played.store.modules.set("rg", gearsBuild("7.2"));
  const ended = await scene.ask(["modules", "in-use"]);
  expect(ended.code).toBe(0);
  expectGoldenText("modules/in-use.txt", masked(ended));
  expect([...scene.calls()].sort()).toEqual(["GET /v1/bdbs", "GET /v1/modules"]);
});

test("what an upgrade would freeze on ends with 3, each with its way out", async () => {
  const scene = await modulesScene({ bdbs: [orders], defined: ["EngineGeras"] });
  scene.played.store.modules.set("rg", gearsBuild("7.2", { platforms: ["rhel8"] }));
  const wanted = ["modules", "in-use", "--target", "7.4", "--platform", "rhel9"];
  const ended = await scene.ask(wanted);
  expect(ended.code).toBe(3);
  expectGoldenText("modules/in-use-findings.txt", masked(ended));
});

test.each<{
  readonly name: string;
  readonly argv?: readonly string[];
  readonly builds?: readonly ReturnType<typeof gearsBuild>[];
  readonly bdbs?: readonly BdbWish[];
  readonly defined?: readonly string[];
  readonly codes: readonly string[];
  readonly code: number;
}>([
  { name: "all in order", codes: [], code: 0 },
  { name: "not installed", builds: [], codes: ["MODULE-ABSENT", "MODULE-NAME"], code: 3 },
  { name: "not defined", defined: [], codes: ["CLUSTER-MODULE-UNDEFINED"], code: 3 },
  {
    name: "defined by another name than its manifest's",
    defined: ["gears"],
    codes: ["CLUSTER-MODULE-UNDEFINED", "MODULE-NAME"],
    code: 3,
  },
  {
    name: "one at the end of its life, whose builds for another base nobody can install",
    bdbs: [{ ...orders, modules: [{ name: "graph", version: "1.2.5", args: [] }] }],
    builds: [graphBuild("graph")],
    argv: ["--platform=rhel9", "--target=7.4"],
    codes: ["MODULE-END-OF-LIFE", "MODULE-NAME"],
    code: 3,
  },
  {
    name: "one at the end of its life that no database uses, on a cluster beyond that release",
    bdbs: [],
    builds: [graphBuild("mine")],
    defined: [],
    codes: [],
    code: 0,
  },
  { name: "no build for the target", argv: ["--target=7.4"], codes: ["MODULE-TARGET"], code: 3 },
  {
    name: "not for the platform",
    argv: ["--platform=rhel9"],
    builds: [gearsBuild("7.2", { platforms: ["rhel8"] })],
    codes: ["MODULE-PLATFORM"],
    code: 3,
  },
  {
    name: "a target that no node supports",
    argv: ["--target=8.2"],
    builds: [gearsBuild("7.2"), gearsBuild("8.2")],
    codes: ["MODULE-ENGINE-UNKNOWN"],
    code: 0,
  },
])("in-use, $name", async ({ argv = [], bdbs = [orders], builds, defined, codes, code }) => {
  const scene = await modulesScene({ bdbs, defined: defined ?? ["rg"] });
  const installed = builds ?? [gearsBuild("7.2")];
  installed.forEach((build, at) => scene.played.store.modules.set(`rg-${at}`, build));
  const ended = await scene.ask(["modules", "in-use", "-o", "json", ...argv]);
  const document = documentOf(ended);
  expect(codesOf(document)).toEqual(codes);
  expect(ended.code).toBe(code);
});

test("a platform that the server does not report is a warning", async () => {
  const scene = await modulesScene({ profile: "8.0", bdbs: [orders], defined: ["rg"] });
  scene.played.store.modules.set("rg", gearsBuild("7.2"));
  const ended = await scene.ask(["modules", "in-use", "-o=json", "--platform=rhel9"]);
  expect(codesOf(documentOf(ended))).toEqual(["MODULE-PLATFORM-UNKNOWN"]);
  expect(ended.code).toBe(0);
});

test("a person without rights is told all that it takes, and the API is not asked", async () => {
  const scene = await modulesScene({ user: { name: "jane", groups: ["system:authenticated"] } });
  const { code, out } = await scene.ask(["modules", "list"]);
  expect(code).toBe(4);
  expect(out).toContain("engineenterpriseclusters");
  expect(scene.calls()).toEqual([]);
});

test("a wrong password ends with 4 and is nowhere in the output", async () => {
  const scene = await modulesScene({ password: "correct-horse" });
  for (const form of ["text", "json"]) {
    const { code, out, err } = await scene.ask(["modules", "list", "-v=9", "-o", form]);
    expect(code).toBe(4);
    expect(out + err).not.toContain("correct-horse");
    expect(out + err).not.toContain(Buffer.from("correct-horse").toString("base64"));
  }
});

test.each([
  [["--target=latest"], "--target"],
  [["--api-url=http://api.example"], "--api-url"],
  [["--api-ca=ca.pem", "--api-insecure"], "--api-ca and --api-insecure"],
  [["--ec=other"], "other"],
])("wrong flags %j are named, and nothing is asked", async (flags, named) => {
  const scene = await modulesScene();
  const { code, out, err } = await scene.type(["modules", "in-use", ...flags]);
  expect(code).toBe(2);
  expect(out + err).toContain(named);
  expect(scene.calls()).toEqual([]);
});
