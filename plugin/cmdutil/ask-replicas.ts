/** Asks each pod behind the webhook's Service once, through a forwarded port. */
import { Agents } from "../adapters/http/agents";
import { NoAnswer } from "../adapters/http/answer";
import { exchange } from "../adapters/http/exchange";
import { verifyPeer } from "../adapters/http/tunnel";
import {
  judgeReview,
  listReplicas,
  makeReview,
  type ReplicaPod,
  type ReplicaVerdict,
} from "../domain/admission/replicas";
import { configurationResource, readCaBundle } from "../domain/admission/configuration";
import { forwardNeeds } from "../domain/admission/needs";
import type { ProbePair } from "../domain/admission/probe";
import { EngineError } from "../domain/base/errors";
import { asString } from "../domain/base/values";
import { kinds } from "../domain/kube/kinds";
import { findMissingPermissions } from "../kernel/permissions";
import type { RunPorts } from "../kernel/world";
import type { KubeClient } from "../ports/kubernetes";
import type { EndpointSlice, ValidatingWebhook } from "../domain/kube/models";
import { listTyped } from "../ports/typed";
import { pickEntry } from "../readers/webhook-probe";

const limits = { dialMs: 5_000, answerMs: 10_000, answerBytes: 1024 * 1024 };

/** Whom to ask, and what. */
interface ReplicasWish {
  /** Of the Service. */
  readonly slices: readonly EndpointSlice[];
  readonly pair: Pick<ProbePair, "accept" | "resource">;
  /** Tells one review from another. */
  readonly uid: string;
}

type Ports = Pick<RunPorts, "cluster" | "clock" | "signal" | "names">;

/** A verdict for each pod; undefined where ports may not be forwarded, or no entry says how they are called. */
export async function askReplicas(
  ports: Ports,
  { slices, pair, uid }: ReplicasWish,
): Promise<readonly (ReplicaVerdict & { readonly pod: string })[] | undefined> {
  const { cluster, names, signal } = ports;
  const forward = cluster.forward?.bind(cluster);
  if (forward === undefined) return undefined;
  const needs = forwardNeeds({ names, namespace: cluster.namespace });
  if ((await findMissingPermissions(cluster, needs)).length > 0) return undefined;
  const configurations = (await listTyped(cluster, configurationResource, { signal })) ?? [];
  const { entry: now, oldEntry } = names.webhook;
  const entry = pickEntry(configurations, cluster.namespace, [now, oldEntry]);
  if (entry === undefined) return undefined;
  const { accept: object, resource } = pair;
  const body = JSON.stringify(makeReview(entry, { object, resource, uid }));
  const asked = listReplicas(slices).map(async (pod) => {
    const verdict = await askPod(ports, { pod, entry, body, uid, forward });
    return { pod: `Pod/${pod.namespace}/${pod.name}`, ...verdict };
  });
  return await Promise.all(asked);
}

interface PodWish {
  readonly pod: ReplicaPod;
  readonly entry: ValidatingWebhook;
  readonly body: string;
  readonly uid: string;
  readonly forward: NonNullable<KubeClient["forward"]>;
}

async function askPod(
  { clock, signal, cluster, names }: Ports,
  { pod: { name, port }, entry, body, uid, forward }: PodWish,
): Promise<ReplicaVerdict> {
  const { namespace } = cluster;
  const host = `${names.webhook.service}.${namespace}.svc`;
  const ca = Buffer.from(readCaBundle(entry), "base64").toString("utf8");
  const pod = { resource: kinds.pod, name, namespace };
  const agents = new Agents({
    tls: () => verifyPeer(ca, [host]),
    open: (ended) => forward({ pod, port }, ended),
  });
  const answer = await exchange({
    base: new URL(`https://${host}`),
    method: "POST",
    path: asString(entry.clientConfig?.service?.path) ?? "/",
    headers: { host, "content-type": "application/json" },
    lease: agents.of(undefined, true),
    ...{ body, signal, clock, limits },
  }).finally(() => {
    agents.close();
  });
  if (!(answer instanceof NoAnswer)) return judgeReview(answer, uid);
  const { cause } = answer;
  // the way to it is closed, which says nothing of the pod
  if (cause instanceof EngineError) return { is: "unreached", because: cause.message };
  const more = cause instanceof Error ? ` (${cause.message})` : "";
  return { is: "fails", because: `${answer.message}${more}` };
}
