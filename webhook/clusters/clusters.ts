/** The port to the ECs that the rules judge by: the one place to ask, wherever they come from. */
import type { Names } from "../../plugin/domain/names/names";
import type { ClusterFacts } from "../../plugin/domain/rules/types";
import { errorText, type Log } from "../log";
import type { IncomingMessage } from "node:http";
import { NoAnswer } from "../../plugin/adapters/http/answer";
import { isCertificateFailure } from "../../plugin/adapters/http/failures";
import type { Client, KubeCall } from "../../plugin/adapters/kubernetes/client";
import { openClient } from "../../plugin/adapters/kubernetes/connect";
import { loadKubeconfig } from "../../plugin/adapters/kubernetes/kubeconfig";
import {
  chooseTarget,
  podAccount,
  serviceAccountDir,
} from "../../plugin/adapters/kubernetes/target";
import { UsageError } from "../../plugin/domain/base/errors";
import { parseJson } from "../../plugin/domain/base/values";

export type ClusterKey = Pick<ClusterFacts, "namespace" | "name">;

/** What is known of the ECs, and how to ask for the truth. */
export interface Clusters {
  /** False until the first complete list; nothing is judged by the ECs before that. */
  hasSynced(): boolean;
  /** The ECs of a namespace by name, as last heard of: an allow may rest on them, a denial may not (C14). */
  in(namespace: string): ReadonlyMap<string, ClusterFacts>;
  count(): number;
  /** Milliseconds since the source was last heard of; undefined before that. */
  ageMs(): number | undefined;
  /** The EC as it is now, undefined when there is none. Throws ClustersUnreadable. */
  live(key: ClusterKey, signal: AbortSignal): Promise<ClusterFacts | undefined>;
  /** The ECs of a namespace as they are now. Throws ClustersUnreadable. */
  liveIn(namespace: string, signal: AbortSignal): Promise<readonly ClusterFacts[]>;
}

/** ECs by their namespace and name: a review looks at two of them, whatever the number of the others. */
export class ByNamespace {
  private readonly found = new Map<string, Map<string, ClusterFacts>>();

  constructor(clusters: Iterable<ClusterFacts>) {
    for (const cluster of clusters) {
      const { namespace, name } = cluster;
      const others = this.found.get(namespace) ?? new Map<string, ClusterFacts>();
      this.found.set(namespace, others.set(name, cluster));
    }
  }

  in(namespace: string): ReadonlyMap<string, ClusterFacts> {
    return this.found.get(namespace) ?? none;
  }
}

const none: ReadonlyMap<string, ClusterFacts> = new Map();

/** A source of ECs that runs until it is stopped. */
export interface ClusterService extends Clusters {
  start(): void;
  stop(): void;
  /** How often everything was read again after the first time. */
  relists(): number;
}

export interface SourceContext {
  readonly names: Names;
  readonly log: Log;
  /** Called once for each EC and value of a policy that the rules do not know. */
  readonly onUnknownPolicy?: () => void;
}

/** The ECs cannot be read now: the webhook cannot judge, and says so (C13, C17). */
export class ClustersUnreadable extends Error {}

/** Too many wait for the API server already: this one is not asked about at all. */
export class TooManyLiveReads extends ClustersUnreadable {}

export type ApiRequest = Pick<KubeCall, "method" | "path" | "contentType"> & {
  readonly body?: object;
};

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
export interface ApiConnection {
  /** `length` is that of the answer's text; a success that is asked for as a stream has one. */
  send(
    request: ApiRequest & { readonly streams?: boolean },
    signal: AbortSignal,
  ): Promise<ApiAnswer & { readonly length: number; readonly stream?: IncomingMessage }>;
}

/** A kept connection that says nothing for so long may have died without a word: a new one is asked. */
const keptMs = 250;

/** By KUBECONFIG, else in a cluster by the service account; a UsageError when neither is there. */
export function connect(env: NodeJS.ProcessEnv, accountDir = serviceAccountDir): ApiConnection {
  let client = connectClient(env, accountDir);
  return {
    send: async (request, signal) => {
      const call = { ...request, subject: request.path, writes: request.method !== "GET", signal };
      const used = client;
      let answer = await used.once(call);
      if (isOutdated(answer)) {
        // files of the kubeconfig, the CA among them, may have been renewed since they were read
        if (client === used) client = connectClient(env, accountDir);
        answer = await client.once(call);
      }
      if (answer instanceof NoAnswer) throw answer;
      return { ...answer, body: parseJson(answer.body), length: answer.body.length };
    },
  };
}

function connectClient(env: NodeJS.ProcessEnv, accountDir: string): Client {
  try {
    const named = (env["KUBECONFIG"] ?? "") !== "";
    const pod = named ? undefined : podAccount(env, accountDir);
    if (!named && pod === undefined) {
      const host = env["KUBERNETES_SERVICE_HOST"] ?? "";
      const what = host === "" ? "this is not a pod" : "no service account's token is mounted";
      throw new Error(`KUBECONFIG is not set and ${what}`);
    }
    // a file in someone's home is not asked: what is not set here is no setting
    const kubeconfig = loadKubeconfig(undefined, named ? env : {});
    const target = chooseTarget(kubeconfig, {}, pod);
    // the API server is near: to unpack what it sends would hold reviews up for longer
    const cluster = { ...target.cluster, disableCompression: true };
    const options = { limits: { keptMs }, userAgent: "engine-webhook" };
    return openClient({ ...target, cluster }, env, options);
  } catch (cause) {
    throw new UsageError(`no way to the API server: ${errorText(cause)}`, { cause });
  }
}

/** Nobody has carried such a request out. */
function isOutdated(answer: Awaited<ReturnType<Client["once"]>>): boolean {
  return answer instanceof NoAnswer ? isCertificateFailure(answer) : answer.status === 401;
}
