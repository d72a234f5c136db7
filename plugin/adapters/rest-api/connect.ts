/** Connecting to a cluster's REST API: which way, with which credentials, trusting whom (S76, S105). */
import { compareReleaseTags, parseReleaseTag } from "../../domain/base/versions";
import { resolve } from "node:path";
import { keepsSecretsHere } from "../../domain/references/table";
import { EngineError, exitCodes, InputError, UsageError } from "../../domain/base/errors";
import { kinds } from "../../domain/kube/kinds";
import type { Names } from "../../domain/names/names";
import { type KubeObject, objectLabel } from "../../domain/kube/objects";
import { getTyped } from "../../ports/typed";
import { getPath, asString } from "../../domain/base/values";
import { type Clock, type KubeClient, requestDeadlineMs } from "../../ports/kubernetes";
import type { ApiConnection } from "./client";
import { type ApiCredentials, Login } from "./login";
import { HttpClusterApi } from "./http-api";
import {
  type ApiPlaces,
  findNodeAt,
  findPlaces,
  type Route,
  routeByUrl,
  routeForwarded,
  routeInside,
} from "./route";
import { fileProblem, follow, readText } from "../files";
import type { OnSlow } from "../http/slow";
import { readableRoots } from "../http/trust";
import { verifyPeer } from "../http/tunnel";

/** The flags of the REST API, judged (cli contract). */
export interface ApiFlags {
  /** An https address; absent: the Service from inside, else a port of a pod. */
  readonly url?: string;
  /** File with the CA that the server's certificate has to fit. */
  readonly ca?: string;
  /** Secret with user name and password; absent: the one that the EC names. */
  readonly credentialsSecret?: string;
  /** Any certificate is accepted: by this switch alone. */
  readonly insecure: boolean;
}

/** A service that is played on this machine in the place of a cluster's. */
export interface PlayedService {
  readonly url: string;
  /** The certificate to trust, in PEM. */
  readonly ca: string;
  readonly credentials: ApiCredentials;
}

/** Whose REST API, and how it is reached. */
interface ApiTarget {
  readonly cluster: KubeClient;
  readonly ec: KubeObject;
  readonly flags: ApiFlags;
  readonly names: Names;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** Undefined for the default. */
  readonly requestTimeoutMs?: number | undefined;
  readonly warn: (text: string) => void;
  readonly onSlow?: OnSlow | undefined;
  /** Asked instead: neither the flags nor a Secret of the cluster say how. */
  readonly played?: PlayedService | undefined;
}

/** The REST API cannot be asked as things are; nothing was sent to it. */
class ApiAccessError extends EngineError {
  readonly code = "CLUSTER-API-ACCESS";
  readonly exitCode = exitCodes.blocked;
}

const dialMs = 30_000;
const answerBytes = 16 * 1024 * 1024;

/** The API of an EC; reads the credentials, sends nothing to it yet. */
export async function connectClusterApi(target: ApiTarget): Promise<HttpClusterApi> {
  const { names, clock, onSlow, warn, requestTimeoutMs = requestDeadlineMs } = target;
  const { route, trust, credentials } = await findAccess(target);
  const secret = credentialsRef(target.ec, target.flags, names);
  return new HttpClusterApi({
    route,
    trust,
    login: new Login(credentials, {
      secret: ["Secret", secret.namespace, secret.name].join("/"),
      mayNeedToken: mayRefusePasswords(target),
    }),
    names,
    clock,
    onSlow,
    warn,
    limits: { dialMs: Math.min(dialMs, requestTimeoutMs), answerMs: requestTimeoutMs, answerBytes },
  });
}

/** From 8.2 on passwords may be switched off, and tokens are taken (domain facts 9). */
function mayRefusePasswords({ ec, names }: ApiTarget): boolean {
  const tag = parseReleaseTag(getPath(ec, names.ecFields.versionTag));
  const first = parseReleaseTag("8.2.0-0");
  return tag !== undefined && first !== undefined && compareReleaseTags(tag, first) >= 0;
}

interface Access {
  readonly route: Route;
  readonly trust: ApiConnection["trust"];
  readonly credentials: ApiCredentials;
}

async function findAccess(target: ApiTarget): Promise<Access> {
  const { flags, ec, names, warn, played } = target;
  const places = findPlaces(ec, names);
  if (played !== undefined) {
    // no proxy stands between this machine and itself
    const route = routeByUrl(new URL(played.url), places, {});
    return { route, trust: pin(played.ca), credentials: played.credentials };
  }
  const route = chooseRoute(target, places);
  const trust = chooseTrust(flags, warn);
  if (flags.insecure) {
    warn(`the certificate of ${route.address} is not checked: others may read the credentials`);
  }
  const credentials = await readCredentials(target, credentialsRef(ec, flags, names));
  return { route, trust, credentials };
}

function chooseRoute({ cluster, flags, env, ec }: ApiTarget, places: ApiPlaces): Route {
  if (flags.url !== undefined) return routeByUrl(new URL(flags.url), places, env);
  if (isOwnCluster(cluster, env)) return routeInside(places, findNodeAt(cluster, places));
  const forward = cluster.forward?.bind(cluster);
  if (forward !== undefined) {
    return routeForwarded(places, forward, findNodeAt(cluster, places));
  }
  throw new ApiAccessError(`there is no way to the REST API of ${objectLabel(ec)} from here`, {
    hint: "give its address with --api-url",
  });
}

/** In a pod, and connected to the API server that the pod belongs to. */
function isOwnCluster({ server }: KubeClient, env: NodeJS.ProcessEnv): boolean {
  const host = asString(env["KUBERNETES_SERVICE_HOST"]);
  const port = env["KUBERNETES_SERVICE_PORT"] ?? "";
  if (host === undefined) return false;
  return server === `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The certificate is self-signed by default, and no object of the cluster publishes its CA. */
function chooseTrust({ ca, insecure }: ApiFlags, warn: ApiTarget["warn"]): Access["trust"] {
  if (insecure) {
    const any = { rejectUnauthorized: false };
    return () => () => any;
  }
  if (ca === undefined) {
    throw new UsageError("it is not known which CA signed the certificate of the REST API", {
      hint: "give it with --api-ca FILE, this machine's own bundle for a public one; or accept any with --api-insecure",
    });
  }
  const file = resolve(ca);
  const read = (): string => {
    const found = readText(file);
    if (!("text" in found)) throw new InputError(`--api-ca: ${fileProblem(ca, found.failure)}`);
    const roots = readableRoots(found.text, `--api-ca: ${ca}`, warn);
    if (roots !== undefined) return roots;
    throw new InputError(`--api-ca: ${ca} holds no certificate in PEM`);
  };
  read(); // refused before anything is asked
  return (names) => follow(read, (text) => verifyPeer(text, names));
}

function pin(ca: string): Access["trust"] {
  return (names) => {
    const trust = verifyPeer(ca, names);
    return () => trust;
  };
}

/** Name of the Secret with the credentials: given, named by the EC, or named like it (S105). */
export function credentialsRef(
  ec: KubeObject,
  { credentialsSecret }: ApiFlags,
  names: Names,
): { readonly name: string; readonly namespace: string } {
  const named = asString(getPath(ec, names.ecFields.credentialSecretName));
  const { name = "", namespace = "" } = ec.metadata;
  return { name: credentialsSecret ?? named ?? name, namespace };
}

async function readCredentials(
  { cluster, ec, flags, names }: ApiTarget,
  ref: { readonly name: string; readonly namespace: string },
): Promise<ApiCredentials> {
  if (flags.credentialsSecret === undefined && !keepsSecretsHere(ec, names)) {
    throw new ApiAccessError(`${objectLabel(ec)} keeps its REST credentials in no Secret`, {
      hint: "put them in a Secret for now, and name it with --api-credentials-secret",
    });
  }
  const secret = await getTyped(cluster, { resource: kinds.secret, ...ref });
  const label = `Secret/${ref.namespace}/${ref.name}`;
  if (secret === undefined) {
    throw new ApiAccessError(`${label} with the REST credentials does not exist`, {
      hint: "give another one with --api-credentials-secret",
    });
  }
  const items = [names.secretItems.username, names.secretItems.password];
  const [username, password] = items.map((item) => decodeItem(secret.data?.[item]));
  if (username !== undefined && password !== undefined) return { username, password };
  throw new ApiAccessError(`${label} lacks ${items.join(" or ")}, or they are empty`, {
    hint: "give another one with --api-credentials-secret",
  });
}

/** Files with a line end at their end make Secrets with one. */
function decodeItem(value = ""): string | undefined {
  const plain = Buffer.from(value, "base64").toString("utf8");
  return asString(plain.replace(/\r?\n$/, ""));
}
