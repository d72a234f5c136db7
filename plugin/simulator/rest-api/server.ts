/**
 * The cluster's REST API, played: HTTPS on a loopback port, over a store that others may share
 * (S4–S8, S75–S120, C22). What is due by its clock is done before each call.
 */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import express, { type Express, type NextFunction, type Request, type Response } from "express";
import { makePair, type KeyPair } from "../../adapters/certificate-pair";
import type { Names } from "../../domain/names/names";
import { escapeRegExp, getOwn } from "../../domain/base/values";
import type { Clock } from "../../ports/kubernetes";
import { type RestCall, type Endpoint, listEndpoints, type ApiContext } from "./endpoints";
import { type ApiFault, ApiFaults, makeFailure, instead, loses } from "./faults";
import { Callers } from "./users";
import { type ApiProfile } from "./profiles";
import { ApiRefusal, type ClusterStore, refuseMalformed, notFound } from "./state";
import { Works, type WorkTimes } from "./work";

/** What is played. */
interface ClusterApiWish {
  readonly store: ClusterStore;
  readonly profile: ApiProfile;
  readonly names: Names;
  readonly clock: Clock;
  readonly times?: WorkTimes;
  /** Absent: one is made, for the cluster's name and this machine. */
  readonly pair?: KeyPair;
  readonly uploadLimit?: number;
}

/** A call that was made, for tests and for people. */
interface SeenCall {
  readonly method: string;
  readonly path: string;
  readonly host: string;
  /** 0 where no answer was sent. */
  readonly status: number;
}

/** The service, until it is closed. */
export interface PlayedClusterApi {
  readonly url: string;
  readonly port: number;
  /** The one certificate to trust. */
  readonly caPem: string;
  readonly store: ClusterStore;
  readonly works: Works;
  readonly faults: ApiFaults;
  /** Calls in their order, without credentials and bodies. */
  readonly calls: readonly SeenCall[];
  close(): Promise<void>;
}

const loopback = "127.0.0.1";
const day = 24 * 3_600_000;
const usualUploadLimit = 256 * 1024 * 1024;
/** Larger than any JSON that is meant here; more is 413, since no limit is shown (S118). */
const jsonLimit = 1024 * 1024;

/** Opens the service; only this machine reaches it. */
export async function openClusterApi(wish: ClusterApiWish): Promise<PlayedClusterApi> {
  const { store, profile, names, clock, uploadLimit = usualUploadLimit } = wish;
  const works = new Works(store, clock, wish.times);
  const callers = new Callers(store, clock, profile.basic);
  const faults = new ApiFaults();
  const calls: SeenCall[] = [];
  const site = { store, works, clock, names, profile, callers, uploadLimit };
  const { certPem, keyPem } = wish.pair ?? (await pairFor(store.name));
  const app = createApplication(site, faults, calls);
  const server = createServer({ cert: certPem, key: keyPem }, app);
  server.listen(0, loopback);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `https://${loopback}:${port}`;
  return {
    url,
    port,
    caPem: certPem,
    store,
    works,
    faults,
    calls,
    close: () => closeServer(server),
  };
}

/** A pair for a cluster's name and this machine's; one whose time is over, where that is asked for. */
export async function pairFor(cluster: string, expired = false): Promise<KeyPair> {
  // clients judge by real time, whatever the service's clock says
  const now = Date.now();
  return await makePair({
    commonName: cluster,
    hosts: [cluster, "localhost", loopback],
    notBefore: now - 2 * day,
    notAfter: expired ? now - day : now + 365 * day,
  });
}

async function closeServer(server: Server): Promise<void> {
  const end = once(server, "close");
  server.close();
  server.closeAllConnections();
  await end;
}

/** Who calls, which call it is, failures put in, the answer; every answer is JSON. */
function createApplication(site: ApiContext, faults: ApiFaults, calls: SeenCall[]): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.use((request, response, next) => {
    const { method, path } = request;
    const host = request.headers.host ?? "";
    response.on("close", () => {
      calls.push({ method, path, host, status: response.headersSent ? response.statusCode : 0 });
    });
    next();
  });
  app.use(async (request, response, next) => {
    const fault = faults.take(request.method, request.path);
    response.locals["fault"] = fault;
    if (fault === undefined || (await instead(fault, response, site)) === "continue") next();
  });
  const all = listEndpoints(site.profile);
  for (const path of new Set(all.map((one) => one.path))) {
    const endpoints = all.filter((one) => one.path === path);
    app.all(buildPattern(site.names.restPaths[path]), async (request, response) => {
      const { body, headers } = await answer(endpoints, request, site);
      const fault = response.locals["fault"] as ApiFault | undefined;
      if (!loses(fault, response)) send(response, { status: 200, body, headers });
    });
  }
  app.use((request) => {
    throw notFound(`the path ${request.path.slice(0, 200)}`);
  });
  // Express knows an error handler by its four parameters
  app.use((error: unknown, _: Request, response: Response, next: NextFunction) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const { status, code, message, headers } = asRefusal(error);
    send(response, { status, headers, body: renderBody({ code, message }, site) });
  });
  return app;
}

/** A pattern of a path: what stands in braces is a named group of one segment. */
function buildPattern(path: string): RegExp {
  const parts = path
    .split(/\{(\w+)\}/)
    .map((part, index) => (index % 2 === 1 ? `(?<${part}>[^/]+)` : escapeRegExp(part)));
  return new RegExp(`^${parts.join("")}/?$`);
}

/** Versions of the API are whole numbers; which ones there are is not shown (S128; domain facts 9). */
function judgeVersion({ headers }: Request): void {
  const asked = headers["x-api-version"];
  if (asked === undefined || /^[1-9]\d{0,2}$/.test(String(asked))) return;
  throw new ApiRefusal(505, "bad_api_version", "the header x-api-version names no version");
}

async function answer(
  endpoints: readonly Endpoint[],
  request: Request,
  site: ApiContext,
): Promise<Pick<RestCall, "body" | "headers">> {
  judgeVersion(request);
  const endpoint = endpoints.find(({ method }) => method === request.method);
  const isOpen = endpoint?.open === true;
  const user = isOpen ? undefined : site.callers.findUser(request.headers.authorization);
  if (endpoint === undefined) {
    const allow = endpoints.map(({ method }) => method).join(", ");
    const refusal = new ApiRefusal(405, "method_not_allowed", `this path takes ${allow}`);
    throw refusal.with({ allow });
  }
  site.works.advance();
  const body = endpoint.uploads === true ? undefined : await readJson(request, jsonLimit);
  const params = { ...request.params } as Readonly<Record<string, string>>;
  const headers: RestCall["headers"] = {};
  return {
    body: await endpoint.answer({ ...site, params, user, body, request, headers }),
    headers,
  };
}

/** The JSON body of a call, undefined where nothing was sent (S78, S79, S109). */
async function readJson(request: IncomingMessage, limit: number): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    // what is too large is read to its end, and dropped: a client that still sends hears no answer
    if (length <= limit) chunks.push(chunk);
  }
  if (length > limit)
    throw new ApiRefusal(413, "too_large", `the body is larger than ${limit} bytes`);
  if (length === 0) return undefined;
  const { "content-type": type = "", "content-encoding": encoding = "identity" } = request.headers;
  if (!/^application\/json\s*(;|$)/i.test(type))
    throw refuseMalformed(["a body has to come with Content-Type: application/json"]);
  if (encoding !== "identity")
    throw refuseMalformed(["a body has to come without Content-Encoding"]);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)));
  } catch {
    throw refuseMalformed(["the body is no JSON"]);
  }
}

/** What was thrown, as an answer; an error of the service itself says nothing of its inside (S112). */
function asRefusal(error: unknown): ApiRefusal {
  if (error instanceof ApiRefusal) return error;
  return getOwn(error, "status") === 400
    ? refuseMalformed(["the path is not readable"])
    : makeFailure(500);
}

/** The body of a refusal, in the release's shape (S115). */
function renderBody(
  { code, message }: Pick<ApiRefusal, "code" | "message">,
  { names: { restErrors: fields }, profile }: ApiContext,
): unknown {
  if (profile.errorBody === "none") return undefined;
  const said = profile.errorBody === "message" ? fields.message : fields.description;
  return { [fields.code]: code, [said]: message };
}

interface SentResponse extends Pick<RestCall, "body"> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

function send(response: Response, { status, body, headers }: SentResponse): void {
  for (const [name, value] of Object.entries(headers))
    response.setHeader(name, typeof value === "string" ? value : [...value]);
  response.status(status);
  if (body === undefined) response.end();
  else response.json(body);
}
