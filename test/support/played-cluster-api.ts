/** The cluster's REST API, played for a test: a store of few words, and calls over HTTPS. */
import { request } from "node:https";
import type { IncomingHttpHeaders } from "node:http";
import { strToU8, zipSync } from "fflate";
import { defaultNames, type Names } from "../../plugin/domain/names/names";
import type { Json } from "../../plugin/domain/base/values";
import {
  openClusterApi,
  pairFor,
  type PlayedClusterApi,
} from "../../plugin/simulator/rest-api/server";
import {
  type ApiUser,
  makeBdb,
  type BdbWish,
  type ClusterStore,
  seedStore,
} from "../../plugin/simulator/rest-api/state";
import {
  type ApiProfile,
  type ProfileName,
  profiles,
} from "../../plugin/simulator/rest-api/profiles";
import type { WorkTimes } from "../../plugin/simulator/rest-api/work";
import type { Clock } from "../../plugin/ports/kubernetes";
import { ManualClock } from "./manual-clock";

/** What may differ from an API of 7.22 with one database. */
export interface PlayedWish {
  readonly profile?: ProfileName;
  /** Laid over the profile. */
  readonly switched?: Partial<ApiProfile>;
  readonly bdbs?: readonly BdbWish[];
  readonly names?: Names;
  readonly clock?: Clock;
  readonly store?: ClusterStore;
  readonly times?: WorkTimes;
  readonly uploadLimit?: number;
  readonly expiredCertificate?: boolean;
}

/** Who calls: someone who may upgrade, someone who may not, nobody, or a header of its own. */
export type Caller = "admin" | "viewer" | "nobody" | { readonly authorization: string };

/** One call. */
export interface CallWish {
  readonly method?: string;
  /** Sent as JSON; a text or bytes as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly as?: Caller;
}

/** Its answer. */
export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Undefined where the answer has none, or where it is no JSON. */
  readonly body: unknown;
}

/** The service with what a test needs around it. */
export interface ClusterApiForTest extends PlayedClusterApi {
  readonly profile: ApiProfile;
  readonly names: Names;
  /** May upgrade. */
  readonly admin: ApiUser;
  /** May look only. */
  readonly viewer: ApiUser;
  call(path: string, wish?: CallWish): Promise<Answered>;
}

/** Name of the cluster of tests. */
export const testCluster = "ec.engine.svc.cluster.local";

let made: ReturnType<typeof pairFor> | undefined;

/** Made once: a key takes its time. */
async function usualPair() {
  made ??= pairFor(testCluster);
  return await made;
}

/** Opens the service; the caller closes it. */
export async function aClusterApi(wish: PlayedWish = {}): Promise<ClusterApiForTest> {
  const {
    names = defaultNames,
    clock = new ManualClock(),
    bdbs = [{ uid: 1, name: "orders", version: "7.2.0" }],
  } = wish;
  const profile = { ...profiles[wish.profile ?? "7.22"], ...wish.switched };
  const store =
    wish.store ??
    seedStore({ names, profile, now: clock.now(), cluster: testCluster, bdbs: bdbs.map(makeBdb) });
  const pair = await (wish.expiredCertificate === true ? pairFor(store.name, true) : usualPair());
  const api = await openClusterApi({ ...wish, store, profile, names, clock, pair });
  const [admin, viewer] = store.users;
  if (admin === undefined || viewer === undefined) throw new Error("the store has no users");
  const authorize = (as: Caller): Readonly<Record<string, string>> => {
    if (as === "nobody") return {};
    if (typeof as !== "string") return as;
    return { authorization: basicOf(as === "admin" ? admin : viewer) };
  };
  const call = async (path: string, { as = "admin", ...asked }: CallWish = {}) =>
    await called(`${api.url}${path}`, {
      ca: api.caPem,
      ...asked,
      headers: { ...authorize(as), ...asked.headers },
    });
  return { ...api, profile, names, admin, viewer, call };
}

/** The header of basic credentials. */
export function basicOf({ name, password }: Pick<ApiUser, "name" | "password">): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;
}

/** A call to any address. */
export async function called(
  url: string,
  { method, body, headers = {}, ca }: CallWish & { readonly ca: string },
): Promise<Answered> {
  const raw = typeof body === "string" || body instanceof Uint8Array;
  const sent = body === undefined ? undefined : raw ? body : JSON.stringify(body);
  const type = sent === undefined ? {} : { "content-type": "application/json" };
  return await new Promise((resolve, reject) => {
    const call = request(
      url,
      {
        method: method ?? (sent === undefined ? "GET" : "POST"),
        ca,
        agent: false,
        headers: { accept: "application/json", ...type, ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            body: parsed(text),
          });
        });
      },
    );
    call.on("error", reject);
    call.end(sent);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A module archive with a manifest, or with other files. */
export function aModuleArchive(
  manifest: Json | string,
  file = "module.json",
): Uint8Array<ArrayBuffer> {
  const text = typeof manifest === "string" ? manifest : JSON.stringify(manifest);
  return new Uint8Array(zipSync({ [file]: strToU8(text), "module.so": strToU8("code") }));
}

/** A form with files, as body and header. */
export function aForm(
  files: Readonly<Record<string, Uint8Array>>,
  fields: Readonly<Record<string, string>> = {},
): Required<Pick<CallWish, "body" | "headers" | "method">> {
  const boundary = "----boundary-of-a-test";
  const parts = [
    ...Object.entries(fields).map(([name, value]) => [
      Buffer.from(
        `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      ),
    ]),
    ...Object.entries(files).map(([name, bytes]) => [
      Buffer.from(
        `--${boundary}\r\ncontent-disposition: form-data; name="${name}"; filename="module.zip"\r\ncontent-type: application/zip\r\n\r\n`,
      ),
      Buffer.from(bytes),
      Buffer.from("\r\n"),
    ]),
  ];
  return {
    method: "POST",
    body: Buffer.concat([...parts.flat(), Buffer.from(`--${boundary}--\r\n`)]),
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
  };
}
