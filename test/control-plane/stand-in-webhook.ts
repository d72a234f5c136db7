import { createServer } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server, Socket } from "node:net";
import type { Pair } from "./certificate";

/**
 * How the stand-in answers; the last part of the called path chooses, so that two configurations
 * can call the same Service and get different answers. `/admission` judges.
 */
export const conducts = ["judges", "allows", "refuses", "silent", "fails", "cuts"] as const;
export type Conduct = (typeof conducts)[number];

export interface StandIn {
  close(): Promise<void>;
}

export interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: {
    readonly uid: string;
    readonly operation: string;
    readonly object?: unknown;
  };
}

const versions = ["7.2", "7.4", "8.0", "8.2", "major"];

/**
 * A webhook whose conduct a test chooses, at the address of a Service: the real one cannot be made
 * to allow everything. It knows one rule, that of the engineVersion. One that is always the same pays
 * no heed to the path.
 */
export async function startStandIn(host: string, pair: Pair, always?: Conduct): Promise<StandIn> {
  const server = createServer({ cert: pair.cert, key: pair.privateKey }, (request, response) => {
    // A probe that gives up in the middle takes its call with it.
    answer(request, response, always).catch(() => response.destroy());
  });
  return listenAt(host, server);
}

/** Listens at the address of a Service, until it is closed with all its connections. */
export async function listenAt(host: string, server: Server): Promise<StandIn> {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.on("error", () => undefined).on("close", () => open.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(443, host, resolve);
  });
  return {
    close: async () => {
      if (!server.listening) {
        return;
      }
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  always?: Conduct,
): Promise<void> {
  const conduct = always ?? conductOf(request.url ?? "");
  if (conduct === "silent") {
    return;
  }
  if (conduct === "cuts") {
    request.socket.destroy();
    return;
  }
  if (conduct === "fails") {
    response.writeHead(500).end("broken on purpose");
    return;
  }
  const review = await reviewOf(request);
  const wrong = conduct === "refuses" || (conduct === "judges" && isWrong(review));
  answerJson(
    response,
    verdictOn(review, wrong ? `refused by the stand-in (${conduct})` : undefined),
  );
}

export async function reviewOf(request: IncomingMessage): Promise<Review> {
  return JSON.parse(await bodyOf(request)) as Review;
}

/** By the one rule, that of the engineVersion. */
export function isWrong({ request }: Review): boolean {
  return !isKnown(versionOf(request.object));
}

/** The answer that allows, or that refuses for a reason. */
export function verdictOn({ apiVersion, kind, request }: Review, refusal?: string) {
  return {
    apiVersion,
    kind,
    response: {
      uid: request.uid,
      allowed: refusal === undefined,
      ...(refusal !== undefined && { status: { code: 422, message: refusal } }),
    },
  };
}

export function answerJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

function conductOf(url: string): Conduct {
  const path = new URL(url, "https://webhook").pathname.slice(1);
  return conducts.find((conduct) => conduct === path) ?? "judges";
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function versionOf(object: unknown): unknown {
  const { spec } = (object ?? {}) as { readonly spec?: Readonly<Record<string, unknown>> };
  const { globalConfigurations } = (spec ?? {}) as {
    readonly globalConfigurations?: Readonly<Record<string, unknown>>;
  };
  return (globalConfigurations ?? spec)?.["engineVersion"];
}

function isKnown(version: unknown): boolean {
  return version === undefined || versions.includes(version as string);
}
