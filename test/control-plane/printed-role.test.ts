/**
 * Each command of the procedure by a user of its own who may do nothing: what is printed with exit 4 is
 * applied once by kubectl, and the command gets through on a real API server.
 */
import { loadAll } from "js-yaml";
import { releaseShapes } from "../support/releases/versions";
import type { KubeObject } from "./api";
import { type PluginRun, runner, runPlugin } from "./plugin-run";
import { namespace, openUpgradeScene, type UpgradeScene } from "./upgrade-scene";

jest.setTimeout(240_000);

const version = "7.22.0-7";

type Row = readonly [user: string, words: (release: string) => readonly string[]];

/** In the order of the procedure, from 7.4.2-2: each finds what the one before has left. */
const rows: readonly Row[] = [
  ["checker", (release) => ["check", "--release", release]],
  ["granter", (release) => ["reapply-rbac", "--release", release]],
  ["installer", (release) => ["upgrade-operator", "--release", release]],
  ["guard", (release) => ["upgrade-webhook", "--release", release, "--yes"]],
  ["roller", () => ["upgrade-cluster", "ec", "--target", releaseShapes[version].cluster]],
  ["keeper", () => ["upgrade-database", "config", "--engine-version", "7.4"]],
  ["healer", () => ["recover"]],
  ["everybody", () => ["upgrade", "--release", scene.release("8.0.2-2"), "--yes"]],
];

let scene: UpgradeScene;
beforeAll(async () => {
  scene = await openUpgradeScene({ users: rows.map(([name]) => ({ name })) });
});
afterAll(() => scene.close());

function run(words: readonly string[], user: string): Promise<PluginRun> {
  return scene.whilePlaying(() => runPlugin(scene.controlPlane, words, { namespace, user }));
}

async function applied(manifest: string): Promise<void> {
  const { code, stderr } = await scene.controlPlane.kubectl(["apply", "-f", "-"], {
    input: manifest,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
}

const namesIn = (manifest: string): ReadonlySet<string> =>
  new Set((loadAll(manifest) as readonly KubeObject[]).map(({ metadata }) => metadata.name));

test("every Role has a name of its own: none takes the place of another's", async () => {
  const [words, others] = [["check"], ["status"]];
  const runs = [await run(words, "checker"), await run(words, "granter")];
  const printed = [...runs, await run(others, "checker"), await run(words, "checker")].map(
    ({ report }) => [...namesIn(report.permissions?.manifest ?? "")],
  );
  expect(printed.map((list) => list.length)).toEqual([1, 1, 1, 1]);
  expect(new Set(printed.flat()).size).toBe(3);
  expect(printed[3]).toEqual(printed[0]);
});

test.each(rows)("%s applies what is printed once, and gets through", async (user, words) => {
  const line = words(scene.release(version));
  const refused = await run(line, user);
  expect([refused.code, refused.writes]).toEqual([4, []]);
  await applied(refused.report.permissions?.manifest ?? "");

  const { code, report } = await run(line, user);

  // `check` may find something: then it does by whoever may do everything
  const wanted = line[0] === "check" ? (await run(line, runner.name)).code : 0;
  const { permissions, exit } = report;
  expect([code, permissions?.missing, exit.reason]).toEqual([wanted, undefined, exit.reason]);
});
