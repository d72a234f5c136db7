/** A short YAML that stands for a huge one ends every command that reads it with 2, whatever the file is for. */
import { cpSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readNames } from "../../../webhook/config";
import { aPlayedWorld } from "../../support/played-operator";
import { typed } from "../../support/program-world";
import { writeRelease } from "../../support/releases/tree";
import { releaseShapes } from "../../support/releases/versions";
import { aWebhookProgram } from "../../support/webhook-program";
import { yamlBomb } from "../../support/yaml-bomb";
import { aFolder } from "../../support/a-folder";

let folder = "";
let bomb = "";
beforeAll(() => {
  folder = aFolder("bounded");
  bomb = join(folder, "bomb.yaml");
  writeFileSync(bomb, yamlBomb);
});

/** A release whose bundles are the bomb. */
function releaseOfBombs(): string {
  const given = writeRelease(join(folder, "good"), "8.0.2-2");
  const copy = mkdtempSync(join(folder, "release-"));
  cpSync(given, copy, { recursive: true });
  const folderOfFiles = releaseShapes["8.0.2-2"].deployFolder ? "deploy" : "";
  for (const file of ["bundle.yaml", "openshift.bundle.yaml"]) {
    writeFileSync(join(copy, folderOfFiles, file), yamlBomb);
  }
  return copy;
}

test.each<[string, () => readonly string[]]>([
  ["--names", () => ["version", "--names", bomb]],
  ["--template of the webhook", () => ["upgrade-webhook", "--template", bomb]],
  ["--probe-file", () => ["upgrade-webhook", "--probe-file", bomb]],
  ["--template of the roles", () => ["reapply-rbac", "--template", bomb]],
  ["a bundle", () => ["upgrade-operator", "--release", releaseOfBombs()]],
  ["a plan", () => ["upgrade", "--release", folder, "--plan", bomb]],
  ["modules of a request", () => ["upgrade-database", "db", "--via=api", "--modules", bomb]],
  ["a certificate", () => ["cert", "inspect", "-f", bomb]],
])("%s", async (_, line) => {
  const { cluster, clock } = await aPlayedWorld();
  const env = { HOME: folder, ENGINE_HOME: join(folder, "home") };
  const scene = { connect: () => Promise.resolve(cluster), clock, env };
  const { code, err } = await typed([...line(), "--yes"], scene);
  expect([code, err]).toEqual([2, expect.stringMatching(/absurd size|neither a PEM/)]);
  expect(err.length).toBeLessThan(2_000);
});

test("a dump", async () => {
  const webhook = aWebhookProgram();
  const words = ["rehearse", "check", `--webhook=${webhook.file}`, "--from", bomb];
  const { code, err } = await typed(words, { env: { HOME: folder } });
  expect([code, err]).toEqual([2, expect.stringContaining("absurd size")]);
});

test("the webhook's names file", () => {
  expect(readNames(bomb)).toEqual({ problems: [expect.stringContaining("absurd size")] });
});

test("a file without an end", async () => {
  const { code, err } = await typed(["upgrade-webhook", "--template", "/dev/zero"]);
  expect([code, err]).toEqual([2, expect.stringContaining("/dev/zero: more than 16 MiB")]);
});
