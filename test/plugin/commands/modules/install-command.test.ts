/** `modules install FILE`, over HTTPS against the played REST API of every release. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UnavailableError } from "../../../../plugin/domain/base/errors";
import type { ApiFault } from "../../../../plugin/simulator/rest-api/faults";
import type { ProfileName } from "../../../../plugin/simulator/rest-api/profiles";
import type { Report } from "../../../../plugin/kernel/report";
import { schemaProblems } from "../../../control-plane/plugin-run";
import { expectGoldenText } from "../../../support/golden";
import type { Ended } from "../../../support/program-world";
import { closeScenes, gears, masked, type ModulesScene, modulesScene } from "./scene";
import { aFolder } from "../../../support/a-folder";

afterEach(closeScenes);

function documentOf({ out }: Ended): Report {
  const document = JSON.parse(out) as Report;
  expect(schemaProblems(document)).toEqual([]);
  return document;
}

const resultsOf = ({ steps = [] }: Report): readonly string[] =>
  steps.map(({ id, result }) => `${id} ${result}`);

const postsOf = (scene: ModulesScene): readonly string[] =>
  scene.calls().filter((call) => call.startsWith("POST"));

const isThere = ({ played }: ModulesScene): boolean =>
  [...played.store.modules.values()].some(({ name }) => name === "rg");

test("an archive is sent once, its action followed, and seen in the list", async () => {
  const scene = await modulesScene({ defined: ["rg"] });
  const ended = await scene.ask(["modules", "install", scene.archive()]);
  expect(ended.code).toBe(0);
  expect(postsOf(scene)).toEqual(["POST /v2/modules"]);
  expect(isThere(scene)).toBe(true);
  expect(ended.err).toContain("waiting for the upload of rg.zip: [####################] 100 %");
  expectGoldenText("modules/install.txt", masked(ended).replaceAll(/\b[0-9a-f-]{36}\b/g, "UID"));
});

test.each<ProfileName>(["7.4", "7.22", "8.0"])(
  "on %s a second run finds it there and sends nothing",
  async (profile) => {
    const scene = await modulesScene({ profile });
    const file = scene.archive();
    const first = documentOf(await scene.ask(["modules", "install", file, "-o", "json"]));
    expect(first.exit.code).toBe(0);
    const sent = postsOf(scene).length;
    const second = documentOf(await scene.ask(["modules", "install", file, "-o", "json"]));
    expect(resultsOf(second)).toEqual(["modules.install unchanged"]);
    expect(postsOf(scene)).toHaveLength(sent);
  },
);

test("where the older call has gone the newer ones bring it, to the node that answers", async () => {
  const scene = await modulesScene({ profile: "8.0" });
  const document = documentOf(await scene.ask(["modules", "install", scene.archive(), "-o=json"]));
  expect(document.exit.code).toBe(0);
  expect(postsOf(scene)).toEqual([
    "POST /v2/modules",
    "POST /v2/modules/user-defined",
    "POST /v2/local/modules/user-defined/artifacts",
  ]);
  expect(document.findings?.map(({ code }) => code)).toContain("MODULE-DEFINE-NEXT");
});

test.each(["none", "client"])(
  "for an EC that is being deleted it ends with 3, --dry-run=%s, and nothing is sent",
  async (mode) => {
    const scene = await modulesScene({ defined: ["rg"], deletedAt: "2026-01-02T01:00:00Z" });
    const words = ["modules", "install", scene.archive(), `--dry-run=${mode}`, "-o", "json"];
    const document = documentOf(await scene.ask(words));
    expect([document.exit.code, postsOf(scene), isThere(scene)]).toEqual([3, [], false]);
    expect(document.findings).toMatchObject([
      {
        code: "CLUSTER-DELETING",
        cause: expect.stringContaining(
          "it is being deleted since 2026-01-02T01:00:00Z, held by finalizer example.com/hold; with it go ",
        ) as string,
      },
    ]);
  },
);

test.each([
  ["NAMESPACE-DELETING", "Namespace/engine"],
  ["DEFINITION-DELETING", "CustomResourceDefinition/engineenterpriseclusters.app.engine.com"],
])("%s: 3 while %s is being deleted, and nothing is sent", async (code, deleted) => {
  const scene = await modulesScene({ deleted, deletedAt: "2026-01-02T01:00:00Z" });
  const document = documentOf(await scene.ask(["modules", "install", scene.archive(), "-o=json"]));
  expect([document.exit.code, postsOf(scene), isThere(scene)]).toEqual([3, [], false]);
  expect(document.findings).toMatchObject([{ code, object: deleted }]);
});

test("uploads that are switched off end with 4 and the call that switches them on", async () => {
  const scene = await modulesScene({ profile: "8.2" });
  const { code, out } = await scene.ask(["modules", "install", scene.archive()]);
  expect(code).toBe(4);
  expect(out).toContain('PUT /v1/cluster {"allow_modules_upload": true}');
  expect(isThere(scene)).toBe(false);
});

test.each<{ readonly name: string; readonly fault: ApiFault }>([
  { name: "cut after it was carried out", fault: { does: "cut", when: "after" } },
])("a request $name is looked for in the list, never repeated", async ({ fault }) => {
  const scene = await modulesScene();
  scene.played.faults.add({ fault, method: "POST", path: "/v2/modules" });
  const ended = await scene.ask(["modules", "install", scene.archive(), "-o=json"]);
  expect(ended.code).toBe(0);
  expect(postsOf(scene)).toEqual(["POST /v2/modules"]);
  expect(isThere(scene)).toBe(true);
});

test.each<{ readonly name: string; readonly fault: ApiFault; readonly code: number }>([
  { name: "refused with 500", fault: { does: "answer", status: 500 }, code: 69 },
])("a request $name is not repeated, and the next run installs", async ({ fault, code }) => {
  const scene = await modulesScene();
  const file = scene.archive();
  scene.played.faults.add({ fault, method: "POST", path: "/v2/modules" });
  const failed = documentOf(await scene.ask(["modules", "install", file, "-o=json"]));
  expect(failed.exit.code).toBe(code);
  expect(failed.exit.next).toBeDefined();
  expect(resultsOf(failed)).toEqual(["modules.install failed"]);
  expect(postsOf(scene)).toHaveLength(1);
  expect((await scene.ask(["modules", "install", file])).code).toBe(0);
  expect(isThere(scene)).toBe(true);
});

test("a server that is silent while the action runs is asked again", async () => {
  const scene = await modulesScene();
  scene.played.faults.add({ fault: { does: "cut", when: "before" }, path: /actions/, times: 9 });
  const { code } = await scene.ask(["modules", "install", scene.archive()]);
  expect(code).toBe(0);
});

test("an action that the server has forgotten is checked by the list", async () => {
  const scene = await modulesScene({ switched: { actions: false, newerActions: false } });
  const { code, out } = await scene.ask(["modules", "install", scene.archive(), "-v=1"]);
  expect(code).toBe(0);
  expect(out).toContain("the server keeps it no longer");
});

test("what does not appear in time ends with 124, and the next run continues", async () => {
  const scene = await modulesScene({
    times: { queuedMs: 1, batchMs: 1, failoverMs: 1, finishMs: 1, installMs: 3_600_000 },
  });
  const { code, out } = await scene.ask(["modules", "install", scene.archive(), "--timeout=10s"]);
  expect(code).toBe(124);
  expect(out).toContain("Next:");
  expect(postsOf(scene)).toHaveLength(1);
});

test.each([
  ["no such file", "absent.zip", /no such file: /],
  ["a folder", ".", /folder/],
])("%s ends with 2 before a cluster is asked", async (_, file, words) => {
  const scene = await modulesScene();
  const connect = () => Promise.reject(new UnavailableError("nobody connects here"));
  const { code, err, out } = await scene.ask(["modules", "install", file], { connect });
  expect(code).toBe(2);
  expect(err + out).toMatch(words);
});

test.each([
  ["no zip archive", "a text", /not a zip archive/],
  ["an archive without a manifest", { "other.txt": "x" }, /holds no module\.json/],
  ["a manifest without a name", { "module.json": "{}" }, /has no module_name/],
])("%s ends with 2 before a cluster is asked", async (_, content, words) => {
  const scene = await modulesScene();
  const file = join(aFolder("archive"), "x.zip");
  const { strToU8, zipSync } = await import("fflate");
  const bytes =
    typeof content === "string"
      ? content
      : zipSync(Object.fromEntries(Object.entries(content).map(([at, is]) => [at, strToU8(is)])));
  writeFileSync(file, bytes);
  const connect = () => Promise.reject(new UnavailableError("nobody connects here"));
  const { code, err, out } = await scene.ask(["modules", "install", file], { connect });
  expect(code).toBe(2);
  expect(err + out).toMatch(words);
});

test.each([
  ["built for another platform", { platforms: { solaris: {} } }, "os_not_supported"],
  ["for a newer release", { min_engine_pack_version: "99.0" }, "min_engine_pack_version"],
])("a module %s is refused with 3 and the server's code", async (_, more, code) => {
  const scene = await modulesScene();
  const file = scene.archive({ ...gears, ...more });
  const ended = await scene.ask(["modules", "install", file]);
  expect(ended.code).toBe(3);
  expect(ended.out).toContain(code);
  expect(isThere(scene)).toBe(false);
});

test("intent and outcome are on record, without any credentials", async () => {
  const scene = await modulesScene();
  const home = aFolder("record");
  await scene.ask(["modules", "install", scene.archive()], { env: { ENGINE_HOME: home } });
  const files = readdirSync(home, { recursive: true, encoding: "utf8", withFileTypes: true });
  const all = files
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), "utf8"))
    .join("\n");
  expect(all).toContain("POST /v2/modules");
  expect(all).not.toContain(scene.played.admin.password);
});

test("an interrupted wait ends with 130, what was sent stays sent", async () => {
  const scene = await modulesScene();
  const { InterruptedError } = await import("../../../../plugin/cmdutil/context.ts");
  const stop = new AbortController();
  scene.clock.beforeSleep = () => {
    stop.abort(new InterruptedError("SIGINT"));
  };
  const { code } = await scene.ask(["modules", "install", scene.archive()], {
    signal: stop.signal,
  });
  expect(code).toBe(130);
  expect(postsOf(scene)).toHaveLength(1);
});

test.each(["client", "server"])("with --dry-run=%s nothing is sent", async (mode) => {
  const scene = await modulesScene();
  const ended = await scene.ask(["modules", "install", scene.archive(), `--dry-run=${mode}`]);
  expect(ended.code).toBe(0);
  expect(ended.out).toContain("POST /v2/modules would be called");
  expect(scene.calls()).toEqual(["GET /v1/modules"]);
  expect(ended.err.includes("knows no dry run")).toBe(mode === "server");
});
