/** The real webhook as a process on loopback, and what can be seen of it from outside. */
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePorts } from "../../support/free-ports";
import { aPair } from "../../support/tls";
import { aWebhookProgram, type WebhookProgram } from "../../support/webhook-program";
import { anEc } from "../fake-clusters";
import { type Answer, call, type Call } from "../https-client";
import { emptyFolder, TlsFolder } from "../tls-folder";
import { RawConnection } from "./raw-connection";

/** A webhook that runs, and knows one EC of policy major. */
export interface WebhookProcess {
  readonly port: number;
  readonly metricsPort: number;
  readonly ca: string;
  /** All that it has written so far. */
  log(): string;
  /** Resolves when a line of its log has the text. */
  said(text: string): Promise<unknown>;
  isAlive(): boolean;
  /** The sockets that it listens on; Linux tells. */
  listening(): number;
  /** The value of one metric, whose name has its labels behind it. */
  metric(name: string): Promise<number>;
  /** Resolves when no call is under way any more; a place that is never given back is an error. */
  untilIdle(): Promise<void>;
  /** One review over a connection of its own. */
  review(body: string, more?: Partial<Call>): Promise<Answer>;
  /** A connection that is encrypted for the webhook. */
  open(servername?: string): Promise<RawConnection>;
  /** The most memory that it ever had, in MiB. */
  peakMiB(): number;
  /** How many files and connections it has open. */
  descriptors(): number;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Bundled once for all processes; it lies in the temporary folder of the run. */
let program: WebhookProgram | undefined;

/** Starts it with more settings; it has said the message when this resolves. */
export async function startWebhookProcess(
  more: Readonly<Record<string, string>> = {},
  message = "ready",
  wrapper: readonly string[] = [],
): Promise<WebhookProcess> {
  const pair = aPair({
    names: ["localhost", "127.0.0.1", "admission.engine.svc", "admission.engine-admission.svc"],
  });
  const folder = new TlsFolder(pair);
  const dir = emptyFolder();
  program ??= aWebhookProgram();
  const ecs = join(dir, "ecs.json");
  writeFileSync(ecs, JSON.stringify(anEc({ policy: "major" })));
  const env = {
    ENGINE_WEBHOOK_HOST: "127.0.0.1",
    ENGINE_WEBHOOK_PORT: "0",
    ENGINE_WEBHOOK_TLS_DIR: folder.dir,
    ENGINE_WEBHOOK_CLUSTERS: `file:${ecs}`,
    ENGINE_WEBHOOK_DRAIN: "0",
    ENGINE_NAMESPACE: "engine",
    LOG_LEVEL: "debug",
    ...more,
  };
  const [command, ...args] = [...wrapper, process.execPath, program.file];
  const begin = async () => {
    const [metricsPort = 0] = await freePorts(1);
    const child = spawn(command, args, {
      env: { ENGINE_WEBHOOK_METRICS_PORT: String(metricsPort), ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const output = collect(child);
    return { metricsPort, child, output, line: await output.line(`"message":"${message}"`) };
  };
  // another process may take the port before the webhook does: the next one is another port
  const begun = begin().catch((error: unknown) => {
    if (String(error).includes("EADDRINUSE")) return begin();
    throw error;
  });
  const { metricsPort, child, output, line } = await begun;
  const { port } = JSON.parse(line) as { readonly port: number };
  const ca = pair.certPem;
  const metric = async (name: string) => {
    const { body } = await call({ port: metricsPort, path: "/metrics" });
    const line = String(body)
      .split("\n")
      .find((each) => each.startsWith(`${name} `));
    return Number(line?.slice(name.length));
  };
  return {
    port,
    metricsPort,
    ca,
    metric,
    untilIdle: async () => {
      for (let looks = 0; (await metric("engine_admission_in_flight")) !== 0; looks += 1) {
        if (looks === 1_000) throw new Error("something stays in flight");
      }
    },
    review: (body, more) => {
      const headers = { "content-type": "application/json" };
      const path = "/admission?timeout=10s";
      return call({ port, ca, method: "POST", path, headers, body, ...more });
    },
    open: (servername) => RawConnection.open({ port, ca, servername }),
    log: output.text,
    said: output.line,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    listening: () => listeningSockets(child.pid),
    peakMiB: () => {
      const status = readFileSync(`/proc/${String(child.pid)}/status`, "utf8");
      return Number(/^VmHWM:\s*(\d+) kB/m.exec(status)?.[1]) / 1_024;
    },
    descriptors: () => readdirSync(`/proc/${String(child.pid)}/fd`).length,
    stop: async (signal = "SIGTERM") => {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(signal);
        await ended;
      }
      folder.remove();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Of all sockets that wait for connections those that the process has open. */
function listeningSockets(pid = 0): number {
  const listens = "0A";
  const rows = ["tcp", "tcp6"].flatMap((file) =>
    readFileSync(`/proc/${pid}/net/${file}`, "utf8").trim().split("\n").slice(1),
  );
  const columns = rows.map((row) => row.trim().split(/\s+/));
  const waiting = columns.filter(([, , , state]) => state === listens);
  const inodes = new Set(waiting.map((row) => `socket:[${row[9] ?? ""}]`));
  const open = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return ""; // closed meanwhile
    }
  });
  return open.filter((target) => inodes.has(target)).length;
}

/** What a process writes: all of it, and the first line with a text. */
function collect(child: ChildProcess) {
  let written = "";
  const waiting = new Set<() => void>();
  const take = (part: Buffer) => {
    written += part.toString("utf8");
    for (const look of waiting) look();
  };
  child.stdout?.on("data", take);
  child.stderr?.on("data", take);
  return {
    text: () => written,
    line: (part: string) =>
      new Promise<string>((resolve, reject) => {
        const look = () => {
          const found = written.split("\n").find((line) => line.includes(part));
          if (found !== undefined) resolve(found);
        };
        waiting.add(look);
        child.once("exit", () => {
          reject(new Error(`the webhook ended: ${written}`));
        });
        look();
      }),
  };
}

/** A kubeconfig for an API server that asks for no login; the file's path. */
export function plainKubeconfig(dir: string, port: number): string {
  const file = join(dir, "config");
  // the library takes no plain HTTP without the flag
  const cluster = { server: `http://127.0.0.1:${port}`, "insecure-skip-tls-verify": true };
  const config = {
    "current-context": "here",
    contexts: [{ name: "here", context: { cluster: "here", user: "me" } }],
    clusters: [{ name: "here", cluster }],
    users: [{ name: "me", user: {} }],
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}
