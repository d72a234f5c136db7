/** What a signal, a closed terminal and a closed pipe do to the real program, and to the programs that it has started. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { aFolder } from "../support/a-folder";
import { type FakeApiServer, type Handler, startFakeApiServer } from "../support/api-server";
import { kubeconfig } from "../support/api-server-kubeconfigs";
import { aNamespace } from "../support/builders";
import { bundled } from "../support/bundled";
import { deployment } from "../support/releases/operator";
import { serveObjects } from "../support/served-objects";

const program = bundled("plugin/main.ts");
const namespace = "engine";
jest.setTimeout(60_000);
const signals = [
  ["SIGHUP", 129],
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const;
/** What is said of the first signal: the second one may follow. */
const heard = "a second signal ends at once";

/** The operator as a chart has installed it, ready. */
function anOperator(version: string) {
  const image = `${names.images.operator}:${version}`;
  const { metadata, ...made } = deployment({ version: "8.0.2-2", openshift: "false", image });
  const labels = { ...metadata.labels, "app.kubernetes.io/managed-by": "Helm" };
  const annotations = {
    "meta.helm.sh/release-name": "operator",
    "meta.helm.sh/release-namespace": namespace,
  };
  const ready = { replicas: 1, readyReplicas: 1, updatedReplicas: 1, availableReplicas: 1 };
  return {
    ...made,
    metadata: { ...metadata, labels, annotations, namespace, generation: 1, uid: "u" },
    status: { observedGeneration: 1, ...ready },
  };
}

let handler: Handler;
let server: FakeApiServer;
let folder: string;
const at = (name: string): string => join(folder, name);
const left: ChildProcess[] = [];

beforeEach(async () => {
  handler = serveObjects([aNamespace(namespace), anOperator("7.22.0-7")]);
  server = await startFakeApiServer((request) => handler(request));
  folder = aFolder("signals");
  mkdirSync(at("tmp"));
  const config = kubeconfig({ server: server.url }, {}, { namespace });
  writeFileSync(at("config"), JSON.stringify(config));
});
afterEach(async () => {
  for (const child of left.splice(0)) child.kill("SIGKILL");
  await server.close();
});

/** An executable script; `begun` is there once it runs. */
function script(name: string, body: string): string {
  const shell = `#!/bin/sh\nbegin() { echo $$ > ${at("pid")}; mv ${at("pid")} ${at("begun")}; }\n`;
  writeFileSync(at(name), `${shell}${body}\n`, { mode: 0o700 });
  return at(name);
}

/** A helm that knows the release, renders the chart, and does the upgrade as the script says. */
function helm(upgrade: string): string {
  const chart = `${names.operator.chart}-7.22.0-7`;
  const release = { name: "operator", namespace, revision: "3", status: "deployed", chart };
  const manifest = `---\n${JSON.stringify(anOperator("8.0.2-2"))}`;
  writeFileSync(at("listed"), JSON.stringify([release]));
  writeFileSync(at("rendered"), JSON.stringify({ config: {}, hooks: [], manifest }));
  return script(
    "helm",
    `case "$*" in
version*) echo v4.2.1 ;;
list*) cat ${at("listed")} ;;
get*) echo '{}' ;;
show*) ;;
history*) cat ${at("history")} ;;
*--dry-run*) cat ${at("rendered")} ;;
rollback*) touch ${at("rolled-back")} ;;
*) ${upgrade} ;;
esac`,
  );
}

/** Helm marks its release as failed when it is asked to end. */
const works = `trap 'echo "Error: context canceled" >&2; touch ended; exit 1' INT; begin; while :; do sleep 0.05; done`;
const deaf = `trap "" INT; begin; while :; do sleep 0.05; done`;
const chart = [
  ...["upgrade-operator", "--chart", "oci://registry.example.test/op", "--version", "8.0.2-2"],
  ...["--release-name", "operator", "--token", "T", "--yes"],
];

const world = (): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  TMPDIR: at("tmp"),
  ENGINE_HOME: at("home"),
  ENGINE_HELM: at("helm"),
  KUBECONFIG: at("config"),
});

function start(words: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [program, ...words], { cwd: folder, env: world() });
  left.push(child);
  return child;
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** How it ends; the signals are sent one by one: at `moment`, and once the one before was heard. */
async function signaled(
  child: ChildProcess,
  moment: Promise<unknown>,
  [first, ...more]: readonly NodeJS.Signals[],
): Promise<Ended> {
  let [out, err] = ["", ""];
  child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => {
    err += chunk.toString();
    if (chunk.toString().includes(heard) && more.length > 0) child.kill(more.shift());
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  await Promise.race([moment, ended]);
  if (first !== undefined) child.kill(first);
  return { code: await ended, out, err };
}

/** Resolves when the file is there. */
async function appears(name: string): Promise<void> {
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (!existsSync(at(name))) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(folder, look);
    look();
  });
}

const readPid = (): number => Number(readFileSync(at("begun"), "utf8"));

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Nothing private is left of the run. */
function expectNothingLeft(): void {
  expect(readdirSync(at("tmp"))).toEqual([]);
}

describe.each(signals)("%s", (signal, code) => {
  test("ends a command that reads with one document, and leaves no file", async () => {
    handler = () => ({ instead: "hang" });
    const child = start(["status", "-o", "json"]);
    const end = await signaled(child, server.arrival(), [signal]);
    expect(end.code).toBe(code);
    const reason = expect.stringContaining(`interrupted by ${signal}`) as string;
    expect(JSON.parse(end.out)).toMatchObject({ kind: "Status", exit: { code, reason } });
    expectNothingLeft();
  });

  test("waits for helm to end in order, says what to look at, and leaves no kubeconfig", async () => {
    helm(works);
    const child = start(chart);
    const begun = appears("begun").then(() => {
      expect(readdirSync(at("tmp"))).toHaveLength(1);
    });
    const end = await signaled(child, begun, [signal]);
    expect(end.code).toBe(code);
    expect(end.err).toContain(
      `error: interrupted by ${signal}: helm upgrade operator was asked to end, and has ended: Error: context canceled\n`,
    );
    expect(end.err).toContain(
      "next: see what became of the release with helm history operator --namespace engine, then run the same command again\n",
    );
    expect(existsSync(at("ended"))).toBe(true);
    expectNothingLeft();
  });

  test("says what helm's history shows by then", async () => {
    helm(works);
    const chartOf = (version: string): string => `${names.operator.chart}-${version}`;
    const revisions = [
      { revision: 3, status: "deployed", chart: chartOf("7.22.0-7") },
      { revision: 4, status: "failed", chart: chartOf("8.0.2-2") },
    ];
    writeFileSync(at("history"), JSON.stringify(revisions));
    const end = await signaled(start(chart), appears("begun"), [signal]);
    expect(end.code).toBe(code);
    expect(end.err).toContain(
      `Error: context canceled; helm history shows revision 4 (${chartOf("8.0.2-2")}) as failed\n`,
    );
    expect(end.err).toContain("next: run the same command again: it continues from there");
    expectNothingLeft();
  });

  test("while helm works is told in one document", async () => {
    helm(works);
    const end = await signaled(start([...chart, "-o", "json"]), appears("begun"), [signal]);
    expect(end.code).toBe(code);
    const next = expect.stringContaining("helm history operator") as string;
    expect(JSON.parse(end.out)).toMatchObject({
      steps: [{ object: "Release/engine/operator", result: "failed" }],
      exit: { code, next },
    });
  });

  test("twice ends at once, although helm does not end", async () => {
    helm(deaf);
    const end = await signaled(start(chart), appears("begun"), [signal, signal]);
    const pid = readPid();
    const wasAlive = isAlive(pid);
    process.kill(pid, "SIGKILL");
    expect({ code: end.code, wasAlive }).toEqual({ code, wasAlive: true });
    expect(end.err).toContain(
      `ended at once by a second signal (${signal}): outcome open: chart Release/engine/operator; helm upgrade operator still runs as process ${pid}\n`,
    );
    expect(end.err.trimEnd().split("\n").at(-1)).toBe(
      `  next: wait until process ${pid} has ended (kill -KILL ${pid} ends it) and see what became of its work with helm history operator --namespace engine; then run the same command again: it reads what is there and continues from it`,
    );
    expectNothingLeft();
  });

  test("ends a rehearsal, the webhook that it has started, and the folder with its key", async () => {
    const webhook = script("webhook", `begin; exec sleep 1000`);
    const child = start(["rehearse", "--webhook", webhook]);
    const end = await signaled(child, appears("begun"), [signal]);
    expect(end.code).toBe(code);
    expect(isAlive(readPid())).toBe(false);
    expectNothingLeft();
  });

  test("ends a login plugin that waits for a person", async () => {
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: script("login", "begin; exec sleep 1000"),
      interactiveMode: "IfAvailable",
    };
    const config = kubeconfig({ server: server.url }, { exec }, { namespace });
    writeFileSync(at("config"), JSON.stringify(config));
    const end = await signaled(start(["status"]), appears("begun"), [signal]);
    expect(end.code).toBe(code);
    expect(isAlive(readPid())).toBe(false);
    expect(server.requests).toEqual([]);
  });
});

test("a login that runs out of time ends the program, and what the plugin has started", async () => {
  const exec = {
    apiVersion: "client.authentication.k8s.io/v1",
    command: script(
      "login",
      `sleep 1000 & echo $! > ${at("pid")}; mv ${at("pid")} ${at("begun")}; wait`,
    ),
    interactiveMode: "Never",
  };
  const config = kubeconfig({ server: server.url }, { exec }, { namespace });
  writeFileSync(at("config"), JSON.stringify(config));
  const child = start(["status", "-o", "json", "--timeout", "1s"]);
  const end = await signaled(child, new Promise(() => undefined), []);
  expect(end.code).toBe(4);
  expect(end.err).toContain("did not end within 1 s");
  while (isAlive(readPid())) await new Promise(setImmediate);
});

/** How a shell line ends; `$0` and `$@` are the program with these words. */
async function inShell(line: string, words: readonly string[]): Promise<Ended> {
  const args = ["--norc", "-c", line, process.execPath, program, ...words];
  const child = spawn("bash", args, { cwd: folder, env: world() });
  left.push(child);
  return await signaled(child, new Promise(() => undefined), []);
}

test("a terminal that is closed ends helm in order, and the run with 129", async () => {
  helm(works);
  const hangUp = join(__dirname, "../support/hang-up.py");
  const words = [hangUp, at("begun"), process.execPath, program, ...chart];
  const child = spawn("python3", words, { cwd: folder, env: world() });
  left.push(child);
  const end = await signaled(child, new Promise(() => undefined), []);
  expect(end).toEqual({ code: 0, out: "129\n", err: "" });
  expect(existsSync(at("ended"))).toBe(true);
  expectNothingLeft();
});

describe("a reader of stdout that goes away", () => {
  test("ends a watch, with 0 and without a word", async () => {
    const words = ["status", "--watch", "-o", "jsonl"];
    const end = await inShell(`"$0" "$@" | true; echo "\${PIPESTATUS[0]}"`, words);
    expect(end).toEqual({ code: 0, out: "0\n", err: "" });
  });

  test("after the result was printed changes nothing", async () => {
    const end = await inShell(`"$0" "$@" | true; echo "\${PIPESTATUS[0]}"`, ["status"]);
    expect(end).toEqual({ code: 0, out: "0\n", err: "" });
  });

  test("does not cut a command that writes: it goes on to its end", async () => {
    helm(`begin; touch ${at("upgraded")}`);
    const end = await inShell(`"$0" "$@" | true; echo "\${PIPESTATUS[0]}"`, chart);
    expect(end.out).toBe("7\n");
    expect([existsSync(at("upgraded")), existsSync(at("rolled-back"))]).toEqual([true, true]);
    expectNothingLeft();
  });
});
