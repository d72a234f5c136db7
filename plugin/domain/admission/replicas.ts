/** The pods behind the webhook's Service, each asked by its own address: what is sent, and what an answer says. */
import type { KubeObject, Resource } from "../kube/objects";
import type { EndpointSlice, ValidatingWebhook } from "../kube/models";
import { asString, getOwn, getPath } from "../base/values";

/** A ready pod with the port that it is called on. */
export interface ReplicaPod {
  readonly name: string;
  readonly namespace: string;
  readonly port: number;
}

/** What an answer of a replica says. */
export interface ReplicaVerdict {
  readonly is: "answers" | "refuses" | "fails" | "unreached";
  readonly because?: string;
}

/** The ready pods of the slices of a Service, each once; an endpoint that is no pod is left out. */
export function listReplicas(slices: readonly EndpointSlice[]): readonly ReplicaPod[] {
  const found = slices.flatMap((slice) => {
    const port = slice.ports?.map((one) => one.port).find((one) => typeof one === "number");
    if (typeof port !== "number") return [];
    return (slice.endpoints ?? []).flatMap(({ targetRef, conditions }) => {
      const name = asString(targetRef?.name);
      if (targetRef?.kind !== "Pod" || name === undefined || conditions?.ready === false) return [];
      return [{ name, namespace: String(slice.metadata.namespace), port }];
    });
  });
  return [...new Map(found.map((pod) => [pod.name, pod])).values()];
}

/** The review of an edit that must pass, as the API server would send it for this entry. */
export function makeReview(
  entry: ValidatingWebhook,
  { object, resource, uid }: { object: KubeObject; resource: Resource; uid: string },
): object {
  const version = entry.admissionReviewVersions?.[0] ?? "v1";
  const { group, plural, kind } = resource;
  const isStored = object.metadata.uid !== undefined;
  const { name, namespace } = object.metadata;
  const what = { group, version: resource.version };
  return {
    apiVersion: `admission.k8s.io/${version}`,
    kind: "AdmissionReview",
    request: {
      uid,
      kind: { ...what, kind },
      resource: { ...what, resource: plural },
      ...{ name, namespace, object, dryRun: true },
      operation: isStored ? "UPDATE" : "CREATE",
      oldObject: isStored ? object : null,
      userInfo: { username: "kubectl-engine" },
    },
  };
}

/** Reads the answer to such a review. */
export function judgeReview(
  { status, body }: { readonly status: number; readonly body: string },
  uid: string,
): ReplicaVerdict {
  if (status !== 200) return { is: "fails", because: `it answers with status ${status}` };
  const response = getOwn(readJson(body), "response");
  if (getOwn(response, "uid") !== uid) return { is: "fails", because: "its answer is no review" };
  if (getOwn(response, "allowed") === true) return { is: "answers" };
  const because = asString(getPath(response, ["status", "message"]));
  return { is: "refuses", ...(because !== undefined && { because }) };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
