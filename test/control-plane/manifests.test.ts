/** The companion webhook's manifests as the built program prints them, on a real API server. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { defaultNames } from "../../plugin/domain/names";
import { everyOverride, renamed } from "../support/renamed";
import { type ControlPlane, distDir, startControlPlane } from "./control-plane";
import type { KubeObject } from "./api";
import { repositoryRoot } from "./pins";
import { run } from "./run";

let controlPlane: ControlPlane;
let folder = "";
beforeAll(async () => {
  controlPlane = await startControlPlane({ users: [] });
  folder = mkdtempSync(join(tmpdir(), "manifests-"));
  writeFileSync(join(folder, "names.json"), JSON.stringify(everyOverride));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await controlPlane.stop();
});

/** From a folder that holds nothing of the repository. */
async function printed(...flags: readonly string[]): Promise<string> {
  const words = [join(distDir, "kubectl-engine"), "options", "--manifests", ...flags];
  const { code, stdout, stderr } = await run(process.execPath, words, {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

const named = (objects: readonly unknown[]) =>
  new Map(
    (objects as KubeObject[]).map((object) => [`${object.kind}/${object.metadata.name}`, object]),
  );

test.each([
  ["webhook", []],
  ["webhook-own-cert", ["--own-cert"]],
])("%s: the objects are those that kustomize makes", async (name, flags) => {
  const path = join(repositoryRoot, "manifests", name);
  const { code, stdout } = await controlPlane.kubectl(["kustomize", path]);
  expect(code).toBe(0);
  expect(named(loadAll(await printed(...flags)))).toEqual(named(loadAll(stdout)));
});

test.each([
  ["the default names", defaultNames, []],
  ["the default names, own certificate", defaultNames, ["--own-cert"]],
  ["every name renamed", renamed, ["--names=names.json"]],
  ["every name renamed, own certificate", renamed, ["--names=names.json", "--own-cert"]],
])("%s: kubectl apply takes every object, and none is left out", async (_title, names, flags) => {
  const input = await printed(...flags);
  const space = names.companion.namespace;
  await controlPlane.kubectl(["create", "namespace", space]);
  const applied = await controlPlane.kubectl(["apply", "--dry-run=server", "-f", "-"], { input });
  expect(applied.code).toBe(0);
  const lines = applied.stdout.trim().split("\n");
  expect(lines).toHaveLength(loadAll(input).length);
  expect(lines.filter((line) => !line.endsWith("(server dry run)"))).toEqual([]);
});

test.each(["webhook", "webhook-own-cert", "webhook-example"])(
  "manifests/%s: kubectl apply -k takes every object",
  async (name) => {
    await controlPlane.kubectl(["create", "namespace", defaultNames.companion.namespace]);
    const path = join(repositoryRoot, "manifests", name);
    const { stdout: built } = await controlPlane.kubectl(["kustomize", path]);
    const applied = await controlPlane.kubectl(["apply", "--dry-run=server", "-k", path]);
    expect(applied).toMatchObject({ code: 0 });
    expect(applied.stdout.match(/\(server dry run\)$/gm)).toHaveLength(loadAll(built).length);
  },
);
