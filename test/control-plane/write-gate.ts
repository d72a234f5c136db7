/** Stands between a program and the API server, understands what passes, and stops at one write. */
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Agent, createServer, request } from "node:https";
import { join } from "node:path";
import { certify } from "../support/tls";
import type { ControlPlane } from "./control-plane";
import { freePorts } from "../support/free-ports";
import { runner } from "./plugin-run";

/**
 * What happens at a request, before it reaches the API server, or, for a write, after its answer has
 * come back: it passes, its connection is cut, or nothing is heard of it any more.
 */
export type AtWrite = (
  line: string,
  moment: "before" | "after",
) => Promise<"pass" | "cut" | "hang">;

export interface WriteGate {
  /** Like the runner's, but through the gate. */
  readonly kubeconfig: string;
  /** From now on; a write is a request that would persist something. */
  watch(at: AtWrite): void;
  /** The same for every other request too, `POST … dry run` and `GET …?query` among them. */
  watchAll(at: AtWrite): void;
  close(): Promise<void>;
}

const passes: AtWrite = () => Promise.resolve("pass");

export async function startWriteGate(controlPlane: ControlPlane): Promise<WriteGate> {
  const { key, cert } = certify({ commonName: "gate", ips: ["127.0.0.1"] });
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  let at = passes;
  let all = false;
  const server = createServer({ key, cert }, (incoming, outgoing) => {
    pass({ incoming, outgoing, agent, target: controlPlane.url, at, all }).catch(() => {
      incoming.socket.destroy();
    });
  });
  const [port = 0] = await freePorts(1);
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    kubeconfig: kubeconfigThrough(controlPlane, { port, cert }),
    watch: (next) => {
      [at, all] = [next, false];
    },
    watchAll: (next) => {
      [at, all] = [next, true];
    },
    close: async () => {
      agent.destroy();
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

interface Passing {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly agent: Agent;
  readonly target: string;
  readonly at: AtWrite;
  /** Requests that persist nothing are watched too. */
  readonly all: boolean;
}

async function pass({ incoming, outgoing, agent, target, at, all }: Passing): Promise<void> {
  const line = writeLineOf(incoming);
  const watched = line ?? (all ? readLineOf(incoming) : undefined);
  const body = await bytesOf(incoming);
  if (watched !== undefined && stops(incoming, await at(watched, "before"))) return;
  const call = request(new URL(incoming.url ?? "/", target), {
    method: incoming.method,
    headers: incoming.headers,
    agent,
  });
  call.end(body);
  const [answer] = (await once(call, "response")) as [IncomingMessage];
  if (line === undefined) {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
    outgoing.on("close", () => answer.destroy());
    return;
  }
  const text = await bytesOf(answer);
  if (stops(incoming, await at(line, "after"))) return;
  outgoing.writeHead(answer.statusCode ?? 502, answer.headers).end(text);
}

/** True when the caller is to hear nothing; a cut connection is at least heard to end. */
function stops({ socket }: IncomingMessage, decision: Awaited<ReturnType<AtWrite>>): boolean {
  if (decision === "cut") socket.destroy();
  return decision !== "pass";
}

/** `PATCH …/name` of a request that persists something; undefined for all others. */
function writeLineOf({ method = "GET", url = "/" }: IncomingMessage): string | undefined {
  const { pathname, searchParams } = new URL(url, "https://server");
  const reads = method === "GET" || pathname.endsWith("reviews");
  if (reads || searchParams.getAll("dryRun").includes("All")) return undefined;
  return `${method} ${pathname}`;
}

function readLineOf({ method = "GET", url = "/" }: IncomingMessage): string {
  const { pathname, searchParams } = new URL(url, "https://server");
  return `${method} ${pathname}${searchParams.has("dryRun") ? " dry run" : ""}`;
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function kubeconfigThrough(
  controlPlane: ControlPlane,
  { port, cert }: { readonly port: number; readonly cert: string },
): string {
  const config = JSON.parse(readFileSync(controlPlane.kubeconfigFor(runner.name), "utf8")) as {
    readonly clusters: { cluster: Record<string, string> }[];
  };
  for (const { cluster } of config.clusters) {
    cluster["server"] = `https://127.0.0.1:${String(port)}`;
    cluster["certificate-authority-data"] = Buffer.from(cert).toString("base64");
  }
  const file = join(controlPlane.site.dataDir, `write-gate-${String(port)}.kubeconfig`);
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}
