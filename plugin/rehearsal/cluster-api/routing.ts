/** From a called path to what answers it, and from a refusal to its body. */
import type { IncomingMessage } from "node:http";
import type { Names } from "../../domain/names";
import type { Json } from "../../domain/values";
import type { Clock } from "../../run/ports";
import type { ApiUser } from "./model";
import type { ApiProfile } from "./profiles";
import type { ApiRefusal } from "./refusal";
import { malformed } from "./refusal";
import type { ClusterStore } from "./store";
import type { Callers } from "./users";
import type { Works } from "./work";

/** What answers work with. */
export interface Site {
  readonly store: ClusterStore;
  readonly works: Works;
  readonly clock: Clock;
  readonly names: Names;
  readonly profile: ApiProfile;
  readonly callers: Callers;
  /** Bytes of the largest file that may be uploaded. */
  readonly uploadLimit: number;
}

/** A call whose caller is known; `user` is undefined where none is asked for. */
export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly user: ApiUser | undefined;
  /** Undefined where there was none, or where the answer reads the request itself. */
  readonly body: unknown;
  readonly request: IncomingMessage;
}

/** What is sent back; 200 unless a refusal is thrown. */
export interface Answer {
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** One call that is served. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT";
  /** Of names.restPaths. */
  readonly path: keyof Names["restPaths"] | "openapi";
  /** The answer reads the body itself. */
  readonly reads?: "upload";
  /** Nobody has to say who he is. */
  readonly open?: true;
  readonly answer: (call: Call, site: Site) => Answer | Promise<Answer>;
}

/** The description of the API is served beside it. */
export const openapiPath = "/v1/openapi.json";

/** The path as called, with its holes in braces. */
export function pathOf(path: Route["path"], names: Names): string {
  return path === "openapi" ? openapiPath : names.restPaths[path];
}

/** A pattern of a path: what stands in braces is a named group of one segment. */
export function patternOf(path: string): RegExp {
  const parts = path
    .split(/\{(\w+)\}/)
    .map((part, index) =>
      index % 2 === 1 ? `(?<${part}>[^/]+)` : part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"),
    );
  return new RegExp(`^${parts.join("")}/?$`);
}

/** The uid of a path: an integer (S75); anything else is malformed (S109). */
export function uidOf({ params }: Call): number {
  const given = params["uid"] ?? "";
  if (/^(0|[1-9]\d{0,14})$/.test(given)) return Number(given);
  throw malformed([`the uid ${JSON.stringify(given.slice(0, 80))} is no integer`]);
}

/** The body of a refusal, in the release's shape (S115). */
export function refusalBody(
  { code, message }: ApiRefusal,
  { names, profile }: Pick<Site, "names" | "profile">,
): Json | undefined {
  const { restErrors: fields } = names;
  if (profile.errorBody === "none") return undefined;
  const said = profile.errorBody === "message" ? fields.message : fields.description;
  return { [fields.code]: code, [said]: message };
}
