/** The real webhook program as a child: started on a free port of loopback, ended with its rehearsal. */
import { type ChildProcess, spawn } from "node:child_process";
import { dirname, delimiter } from "node:path";
import { createInterface } from "node:readline";
import { EngineError, exitCodes } from "../domain/errors";
import { getOwn, parseJson, asString } from "../domain/values";

/** What the program is started with. */
export interface WebhookStart {
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

const startLimitMs = 20_000;
/** It says `ready` in the same breath as `listening`, if it ever does. */
const readyLimitMs = 1_000;
const stopLimitMs = 5_000;
const keptLines = 20;

/** Starts the program and waits until it says that it listens. */
export async function startWebhookProcess(start: WebhookStart): Promise<RunningWebhook> {
  start.signal.throwIfAborted();
  const child = spawn(start.file, [], {
    env: environmentOf(start),
    // stdin tells it that the rehearsal has ended, also where that was killed
    stdio: ["pipe", "pipe", "pipe"],
    // its own group: Ctrl-C is for the rehearsal, which ends it when the last call is answered
    detached: true,
  });
  const killAtExit = (): void => void child.kill("SIGKILL");
  process.once("exit", killAtExit);
  const stop = async (): Promise<void> => {
    await ended(child);
    process.removeListener("exit", killAtExit);
  };
  try {
    return { ...(await listening(child, start)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Nothing of the person's environment but the PATH, led by the folder of this very node. */
function environmentOf(start: WebhookStart): NodeJS.ProcessEnv {
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

function listening(
  child: ChildProcess,
  { file, signal }: WebhookStart,
): Promise<{ readonly port: number; readonly ready: boolean }> {
  const said: string[] = [];
  return new Promise((resolve, reject) => {
    const fail = (why: string, cause?: unknown): void => {
      const words = said.length === 0 ? "" : `; it said: ${said.join(" | ")}`;
      const hint = "run it alone to see why, or name another one with --webhook FILE";
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
    signal.addEventListener("abort", () => {
      clearTimeout(limit);
      reject(signal.reason as Error);
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
async function ended(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise((resolve) => child.once("close", resolve));
  child.kill("SIGTERM");
  const killer = setTimeout(() => child.kill("SIGKILL"), stopLimitMs);
  await closed;
  clearTimeout(killer);
}
