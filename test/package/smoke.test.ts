/** The executable of this machine, from its archive. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fetchNode, nodeHere, nodeVersion } from "../../.ci/package/nodes";
import { run } from "../control-plane/run";
import { archHere, released, unpackInto } from "./released";
import { smoke } from "./smoke";

const dir = mkdtempSync(join(tmpdir(), "smoke-"));
const home = join(dir, "home");
const plugin = join(dir, "kubectl-engine");

beforeAll(async () => {
  await unpackInto(released(`kubectl-engine_linux_${archHere}.tar.gz`), dir);
  await unpackInto(released(`engine-webhook_linux_${archHere}.tar.gz`), join(dir, "webhook"));
});
afterAll(() => {
  rmSync(dir, { recursive: true });
});

describe(`kubectl-engine_linux_${archHere} with an empty PATH answers`, () => {
  smoke(() => ({ file: plugin, home }));
});

test.each([
  ["its own executable", () => join(dir, "webhook/engine-webhook")],
  [
    "a link of its name to the plugin",
    () => {
      const link = join(dir, "engine-webhook");
      symlinkSync(plugin, link);
      return link;
    },
  ],
])("the webhook by %s says what it lacks", async (_name, fileOf) => {
  const { code, stderr } = await run(fileOf(), [], { env: { PATH: "" } });
  expect(stderr).toContain("engine-webhook: ENGINE_WEBHOOK_TLS_DIR: not set");
  expect(code).toBe(2);
});

test("the help takes at most half as long again as the node within does to start", async () => {
  const node = join(await fetchNode(nodeHere(nodeVersion)), "node");
  const timed = (file: string, args: readonly string[]): number => {
    const from = process.hrtime.bigint();
    expect(spawnSync(file, args, { env: {} }).status).toBe(0);
    return Number(process.hrtime.bigint() - from) / 1e6;
  };
  // by turns, so that a busy machine slows both
  const both = Array.from({ length: 21 }, () => [
    timed(node, ["-e", "0"]),
    timed(plugin, ["--help"]),
  ]);
  const [nodeMs, helpMs] = [0, 1].map((at) => Math.min(...both.map((pair) => pair[at] ?? 0)));
  console.info(`--help ${String(helpMs)} ms, node ${String(nodeMs)} ms`);
  expect((helpMs ?? 0) / (nodeMs ?? 1)).toBeLessThan(1.5);
});
