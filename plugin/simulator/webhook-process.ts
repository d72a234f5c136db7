/** The real webhook program as a child: started on a free port of loopback, ended with its rehearsal. */
import { type ChildProcess, spawn } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { EngineError, exitCodes, UsageError } from "../domain/base/errors";
import { asString, getOwn, parseJson } from "../domain/base/values";
import { constants, mkdirSync, writeFileSync } from "node:fs";
import { unlessAborted } from "../adapters/abort";
import { temporaryFolder } from "../adapters/files";
import type { Names } from "../domain/names/names";
import type { KubeObject } from "../domain/kube/objects";
import type { ServedPair } from "./source/completion";
import { access, realpath, stat } from "node:fs/promises";

/** What the program is started with. */
interface WebhookStart {
  readonly file: string;
  /** A folder with the pair, as the mounted Secret. */
  readonly tlsDir: string;
  /** A file with the ECs. */
  readonly clustersFile: string;
  readonly namespace: string;
  /** A names file, where the names are not the program's own. */
  readonly namesFile?: string | undefined;
  readonly signal: AbortSignal;
}

/** The program, listening. */
export interface RunningWebhook {
  readonly port: number;
  /** False when it listens and cannot judge: a pair that does not fit. */
  readonly ready: boolean;
  /** Ends it, and waits until it has ended. */
  stop(): Promise<void>;
}

/** The program ended or said nothing; its last words are the message's end. */
export class WebhookStartError extends EngineError {
  readonly code = "REHEARSAL-WEBHOOK";
  readonly exitCode = exitCodes.failed;
}

const name = "engine-webhook";
const startLimitMs = 20_000;
/** It says `ready` in the same breath as `awaitListening`, if it ever does. */
const readyLimitMs = 1_000;
const stopLimitMs = 5_000;
const keptLines = 20;

/** Starts the program and waits until it says that it listens. */
export async function startWebhookProcess(start: WebhookStart): Promise<RunningWebhook> {
  start.signal.throwIfAborted();
  const child = spawn(start.file, [], {
    argv0: name, // which of two an executable that holds both shall be
    env: buildEnvironment(start),
    // stdin tells it that the rehearsal has ended, also where that was killed
    stdio: ["pipe", "pipe", "pipe"],
    // its own group: Ctrl-C is for the rehearsal, which ends it when the last call is answered
    detached: true,
  });
  const killAtExit = (): void => void child.kill("SIGKILL");
  process.once("exit", killAtExit);
  const stop = async (): Promise<void> => {
    await awaitEnd(child);
    process.removeListener("exit", killAtExit);
  };
  try {
    return { ...(await unlessAborted(awaitListening(child, start), start.signal)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Nothing of the person's environment but the PATH, led by the folder of this very node. */
function buildEnvironment(start: WebhookStart): NodeJS.ProcessEnv {
  const path = [dirname(process.execPath), process.env["PATH"] ?? ""];
  return {
    PATH: path.filter((folder) => folder !== "").join(delimiter),
    ENGINE_WEBHOOK_HOST: "127.0.0.1",
    ENGINE_WEBHOOK_PORT: "0",
    ENGINE_WEBHOOK_METRICS_PORT: "0",
    ENGINE_WEBHOOK_TLS_DIR: start.tlsDir,
    ENGINE_WEBHOOK_CLUSTERS: `file:${start.clustersFile}`,
    // in a cluster the drain covers the delay with which endpoints are withdrawn; there is none here
    ENGINE_WEBHOOK_DRAIN: "1ms",
    ENGINE_WEBHOOK_END_WITH_STDIN: "true",
    ENGINE_NAMESPACE: start.namespace,
    ...(start.namesFile !== undefined && { ENGINE_NAMES: start.namesFile }),
    LOG_LEVEL: "info",
  };
}

function awaitListening(
  child: ChildProcess,
  { file }: WebhookStart,
): Promise<{ readonly port: number; readonly ready: boolean }> {
  const said: string[] = [];
  return new Promise((resolve, reject) => {
    const fail = (why: string, cause?: unknown): void => {
      const words = said.length === 0 ? "" : `; it said: ${said.join(" | ")}`;
      const hint = "run it by itself to see why, or name another one with --webhook FILE";
      reject(new WebhookStartError(`${file} ${why}${words}`, { cause, hint }));
    };
    const limit = setTimeout(() => {
      fail(`did not listen within ${startLimitMs / 1000} s`);
    }, startLimitMs);
    const done = (port: number, ready: boolean): void => {
      clearTimeout(limit);
      resolve({ port, ready });
    };
    child.once("error", (cause) => {
      fail("cannot be started", cause);
    });
    child.once("close", (code, by) => {
      clearTimeout(limit);
      fail(`ended at its start (${by ?? `exit code ${code ?? 0}`})`);
    });
    hear(child, (line) => {
      said.push(line);
      if (said.length > keptLines) said.shift();
      const port = getOwn(parseJson(line), "port");
      if (typeof port !== "number") return;
      const message = asString(getOwn(parseJson(line), "message"));
      if (message === "ready") done(port, true);
      if (message === "listening") setTimeout(done, readyLimitMs, port, false).unref();
    });
  });
}

/** Every line of both streams; they are read to their end, for a full pipe would stop the program. */
function hear(child: ChildProcess, onLine: (line: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null) createInterface({ input: stream }).on("line", onLine);
  }
}

/** Asks it to leave; one that does not is killed. */
async function awaitEnd(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise((resolve) => child.once("close", resolve));
  child.kill("SIGTERM");
  const killer = setTimeout(() => child.kill("SIGKILL"), stopLimitMs);
  await closed;
  clearTimeout(killer);
}

/** A folder for its owner alone, gone with the rehearsal. */
interface WebhookFolder {
  readonly tlsDir: string;
  readonly clustersFile: string;
  readonly namesFile: string;
  /** Writes the ECs again, before anybody can ask the program about them. */
  writeClusters(clusters: readonly KubeObject[]): void;
  remove(): void;
}

/** Makes the folder and writes the pair into it as the mounted Secret has it. */
export function makeWebhookFolder(
  pair: ServedPair | undefined,
  clusters: readonly KubeObject[],
  names: Names,
): WebhookFolder {
  const { path: root, remove } = temporaryFolder();
  const tlsDir = join(root, "tls");
  const clustersFile = join(root, "clusters.json");
  const namesFile = join(root, "names.json");
  const writeClusters = (all: readonly KubeObject[]): void => {
    write(clustersFile, JSON.stringify({ kind: "List", items: all }));
  };
  mkdirSync(tlsDir, { mode: 0o700 });
  if (pair !== undefined) {
    write(join(tlsDir, names.webhook.secretCert), pair.cert);
    write(join(tlsDir, names.webhook.secretKey), pair.key);
  }
  writeClusters(clusters);
  write(namesFile, JSON.stringify(names));
  return {
    tlsDir,
    clustersFile,
    namesFile,
    writeClusters,
    remove,
  };
}

function write(file: string, content: string): void {
  writeFileSync(file, content, { mode: 0o600 });
}

/** Where to look. */
interface WebhookPlaces {
  /** Given by the person: looked at alone. */
  readonly given?: string | undefined;
  /** The running program, or a link to it; the webhook is installed beside it. */
  readonly executable: string;
  readonly path: string | undefined;
}

/** The path of the program; UsageError when there is none. */
export async function findWebhook({ given, executable, path }: WebhookPlaces): Promise<string> {
  const places =
    given === undefined
      ? [await beside(executable), own(executable), ...(path ?? "").split(delimiter).map(inFolder)]
      : [given];
  const looked = [...new Set(places.filter((place) => place !== ""))];
  for (const place of looked) {
    if (await isExecutable(place)) return place;
  }
  throw new UsageError(
    given === undefined
      ? `${name}, the real webhook, which this rehearsal calls, is neither beside this program nor on the PATH`
      : `--webhook: ${given} is no executable file`,
    { hint: `install ${name} beside this program, or name it with --webhook FILE` },
  );
}

/** One that node is part of holds the webhook as well. */
function own(executable: string): string {
  return executable === process.execPath ? executable : "";
}

/** The program may be called by a link in another folder. */
async function beside(executable: string): Promise<string> {
  const file = await realpath(executable).catch(() => executable);
  return join(dirname(file), name);
}

function inFolder(folder: string): string {
  return folder === "" ? "" : join(folder, name);
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
