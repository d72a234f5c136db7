/** `upgrade-operator`: its flags, and what is refused before a cluster is asked. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommandContext } from "../../../plugin/commands/context";
import { prepareUpgradeOperator } from "../../../plugin/commands/upgrade-operator";
import { type Ended, typed } from "../../support/program-world";
import { writeRelease } from "../../support/releases/tree";
import { aScene } from "../run/operator/scene";

let folder = "";
beforeAll(() => {
  folder = writeRelease(mkdtempSync(join(tmpdir(), "release-")), "8.0.2-2");
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const chart = ["--chart", "./c", "--release-name", "op", "--version", "1.0.0"];

test.each([
  ["neither", [], "--release and --chart: give one of the two"],
  ["both", ["--release", ".", ...chart], "--release and --chart: give one of the two"],
  ["a chart without its version", ["--chart", "./c", "--release-name", "op"], "--version:"],
  ["a range", ["--chart", "./c", "--release-name", "op", "--version", "^7.0.0"], "--version:"],
  ["a chart without its release", ["--chart", "./c", "--version", "1.0.0"], "--release-name:"],
  ["a flag for a chart", ["--chart=-x", "--release-name", "op", "--version", "1.0.0"], "--chart:"],
  ["a bundle with values", ["--release", ".", "--values", "f"], "--values: goes with --chart"],
  ["a chart with fields", [...chart, "--take-fields", ".x"], "--take-fields: goes with --release"],
  [
    "a URL for a registry",
    ["--release", ".", "--image-registry", "https://x"],
    "--image-registry:",
  ],
  ["an odd secret", ["--release", ".", "--pull-secret", "A_B"], "--pull-secret:"],
])("%s is wrong usage", async (_, args, problem) => {
  const { code, out, err } = await typed(["upgrade-operator", ...args]);
  expect([code, out + err]).toEqual([2, expect.stringContaining(problem)]);
});

const run = async (...args: readonly string[]): Promise<Ended> => {
  const { cluster } = await aScene({ installed: "7.22.0-7" });
  const all = ["upgrade-operator", "-n", "engine", "--release", folder, "-o", "json", ...args];
  return await typed(all, { connect: () => Promise.resolve(cluster) });
};

test("a bundle is planned whole, and bound to the release asked for", async () => {
  const { code, out } = await run("--dry-run=server", "--target", "8.0.2-2");
  expect([code, JSON.parse(out)]).toMatchObject([
    0,
    { kind: "UpgradeOperator", details: { operator: { from: "7.22.0-7", to: "8.0.2-2" } } },
  ]);
  expect((await run("--dry-run=client", "--target", "7.22.0-7")).code).toBe(2);
});

test("fields with a comma in their key are one field", async () => {
  const field = '.spec.ports[port=443,protocol="TCP"].targetPort';
  const { code } = await run("--dry-run=client", "--take-fields", `${field}, .x`);
  expect(code).toBe(0);
});

test("without helm a chart ends before the cluster is asked", async () => {
  const { code, err, out } = await typed(["upgrade-operator", ...chart], { env: { PATH: "" } });
  expect([code, err + out]).toEqual([2, expect.stringContaining("there is none on the PATH")]);
});

test("a chart is not rehearsed: helm would reach the real cluster", async () => {
  const context = { rehearsed: true } as CommandContext;
  const flags = { chart: "./c", releaseName: "op", version: "1.0.0" };
  await expect(prepareUpgradeOperator(context, { chart: flags, takeFields: [] })).rejects.toThrow(
    "cannot be rehearsed",
  );
});
