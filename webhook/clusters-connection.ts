/** Requests to the API server over plain https; KubeConfig knows where it is and who we are. */
import { type IncomingMessage, request as httpRequest } from "node:http";
import { Agent, type RequestOptions, request as httpsRequest } from "node:https";
import { delimiter } from "node:path";
// Deep on purpose: the package's index brings in every generated API class.
import { KubeConfig } from "@kubernetes/client-node/dist/config.js";
import { UsageError } from "../plugin/domain/errors";
import { errorText } from "./log";
import { parseJson } from "../plugin/domain/values";

/** A request whose answer is small. */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "PATCH";
  readonly path: string;
  readonly body?: object;
  readonly contentType?: string;
}

/** An answer of any status; a body that is no JSON is undefined. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Sends one request and reads its answer to the end. */
export interface ApiSender {
  send(request: ApiRequest, signal: AbortSignal): Promise<ApiAnswer>;
}

/** A connection to one API server, as one user. */
export interface ApiConnection extends ApiSender {
  /** Sends a GET; resolves with the head of the answer, whose body is still to be read. */
  get(path: string, signal: AbortSignal): Promise<IncomingMessage>;
}

/** By KUBECONFIG, else in a cluster by the service account; a UsageError when neither is there. */
export function connect(env: NodeJS.ProcessEnv): ApiConnection {
  try {
    return connectTo(readConfig(env));
  } catch (cause) {
    throw new UsageError(`no way to the API server: ${errorText(cause)}`, { cause });
  }
}

function readConfig(env: NodeJS.ProcessEnv): KubeConfig {
  const config = new KubeConfig();
  const [first, ...others] = (env["KUBECONFIG"] ?? "").split(delimiter).filter(Boolean);
  if (first !== undefined) {
    config.loadFromFile(first);
    for (const file of others) {
      const other = new KubeConfig();
      other.loadFromFile(file);
      config.mergeConfig(other, true);
    }
  } else if ((env["KUBERNETES_SERVICE_HOST"] ?? "") !== "") {
    config.loadFromCluster();
  } else {
    throw new Error("KUBECONFIG is not set and this is no pod");
  }
  return config;
}

/** Shorter than any server or balancer keeps an idle connection. */
const idleMs = 30_000;

/** A kept connection that says nothing for so long may have died without a word: a new one is asked. */
const silentMs = 250;

/** A kept connection was closed, or silent, before it brought an answer: another one may. */
class StaleConnection extends Error {}

/** True for an agent that goes straight to the server: connections of other credentials are others. */
function isPlain(agent: RequestOptions["agent"]): boolean {
  return agent instanceof Agent && Object.getPrototypeOf(agent) === Agent.prototype;
}

/** An https proxy is verified too: its own options are not those of the server behind it. */
function verifyProxy(agent: RequestOptions["agent"]): void {
  if (typeof agent === "object" && "proxyRequestOptions" in agent) {
    agent.proxyRequestOptions = { rejectUnauthorized: true };
  }
}

/** Credentials are asked for on every request, so that a renewed token or certificate is used. */
export function connectTo(config: KubeConfig): ApiConnection {
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) throw new Error("the kubeconfig's current context names no cluster");
  const base = new URL(server);
  const start = base.protocol === "http:" ? httpRequest : httpsRequest;
  const kept = new Agent({ keepAlive: true, maxFreeSockets: 4, timeout: idleMs });
  const open = async ({ method, path, body, contentType }: ApiRequest, signal: AbortSignal) => {
    const type = body === undefined ? {} : { "content-type": contentType ?? "application/json" };
    const headers = { accept: "application/json", ...type };
    // said, for else NODE_TLS_REJECT_UNAUTHORIZED decides; the kubeconfig's own field goes above it
    const options: RequestOptions = { method, headers, rejectUnauthorized: true };
    await config.applyToHTTPSOptions(options);
    verifyProxy(options.agent);
    const url = new URL(`${base.pathname.replace(/\/$/, "")}${path}`, base);
    const attempt = (agent: RequestOptions["agent"]) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const call = start(url, { ...options, agent, signal }, (response) => {
          clearTimeout(patience);
          resolve(response);
        });
        const mayBeStale = () => call.reusedSocket && method === "GET" && !signal.aborted;
        const patience = setTimeout(() => {
          if (mayBeStale()) call.destroy();
        }, silentMs);
        call.once("error", (error) => {
          clearTimeout(patience);
          reject(mayBeStale() ? new StaleConnection() : error);
        });
        call.end(body && JSON.stringify(body));
      });
    try {
      return await attempt(isPlain(options.agent) ? kept : options.agent);
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
      return attempt(options.agent);
    }
  };
  return {
    get: (path, signal) => open({ method: "GET", path }, signal),
    send: async (request, signal) => {
      const response = await open(request, signal);
      const body = parseJson(await readText(response));
      return { status: response.statusCode ?? 0, body };
    },
  };
}

/** The whole body of an answer as text. */
export async function readText(response: IncomingMessage): Promise<string> {
  response.setEncoding("utf8");
  const parts: string[] = [];
  for await (const part of response) parts.push(String(part));
  return parts.join("");
}
