import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startWebhookProcess, WebhookStartError } from "../../../plugin/simulator/webhook-process";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "process-"));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

/** A program in the webhook's place. */
function program(body: string): string {
  const file = join(root, "engine-webhook");
  writeFileSync(file, `#!/usr/bin/env node\nconst out = process.argv[1] + ".out";\n${body}\n`);
  chmodSync(file, 0o755);
  return file;
}

const start = (file: string, signal = new AbortController().signal) =>
  startWebhookProcess({
    file,
    tlsDir: "/tls",
    clustersFile: "/ecs.json",
    namespace: "engine",
    signal,
  });

const says = (message: string) =>
  `console.log(JSON.stringify({ message: "${message}", port: 4711 }));`;
const stays = "setInterval(() => {}, 1000);";
const remembers = `process.on("SIGTERM", () => { require("fs").writeFileSync(out, "left"); process.exit(0); });`;

test("it is ready when it says so, and leaves when asked to", async () => {
  const file = program(`${remembers}${says("listening")}${says("ready")}${stays}`);
  const running = await start(file);
  expect(running).toMatchObject({ port: 4711, ready: true });
  await running.stop();
  expect(readFileSync(`${file}.out`, "utf8")).toBe("left");
});

test("one that listens without a usable pair is known not to be ready", async () => {
  const running = await start(program(`${says("listening")}${stays}`));
  expect(running).toMatchObject({ port: 4711, ready: false });
  await running.stop();
});

test("its environment is its own: settings for loopback, and nothing of the person's", async () => {
  process.env["SECRET_OF_MINE"] = "x";
  const file = program(
    `require("fs").writeFileSync(out, JSON.stringify(process.env));${says("ready")}${stays}`,
  );
  const running = await start(file);
  await running.stop();
  delete process.env["SECRET_OF_MINE"];
  const { PATH, ...rest } = JSON.parse(readFileSync(`${file}.out`, "utf8")) as NodeJS.ProcessEnv;
  expect(PATH?.startsWith(join(process.execPath, ".."))).toBe(true);
  expect(rest).toMatchObject({
    ENGINE_WEBHOOK_HOST: "127.0.0.1",
    ENGINE_WEBHOOK_PORT: "0",
    ENGINE_WEBHOOK_METRICS_PORT: "0",
    ENGINE_WEBHOOK_TLS_DIR: "/tls",
    ENGINE_WEBHOOK_CLUSTERS: "file:/ecs.json",
    ENGINE_NAMESPACE: "engine",
  });
  expect(rest).not.toHaveProperty("SECRET_OF_MINE");
  expect(rest).not.toHaveProperty("HOME");
});

test("one that ends at its start is an error with its exit code and its last words", async () => {
  const started = start(program(`console.error("engine-webhook: no pair"); process.exitCode = 2;`));
  await expect(started).rejects.toThrow(WebhookStartError);
  await expect(started).rejects.toThrow(
    /ended at its start \(exit code 2\); it said: engine-webhook: no pair$/,
  );
});

test("one that cannot be started is an error, with nothing left running", async () => {
  const file = program("");
  writeFileSync(file, "#!/no/such/interpreter\n");
  await expect(start(file)).rejects.toThrow(`${file} cannot be started`);
});

test("an interrupt while it starts ends it, and is the outcome", async () => {
  const file = program(`${remembers}require("fs").writeFileSync(out, "began");${stays}`);
  const interrupt = new AbortController();
  const started = start(file, interrupt.signal);
  const reason = new Error("interrupted");
  const poll = setInterval(() => {
    if (existsSync(`${file}.out`)) interrupt.abort(reason);
  }, 10);
  await expect(started).rejects.toBe(reason);
  clearInterval(poll);
  expect(readFileSync(`${file}.out`, "utf8")).toBe("left");
});
