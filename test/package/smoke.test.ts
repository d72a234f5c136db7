/** The executable of this machine, from its archive. */
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
