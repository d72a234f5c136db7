/** Is there a server behind the webhook's Service, and is the operator ready (S19, 4.5)? */
import { webhookFinding } from "./codes";
import { type Facts, factNamed } from "../facts";
import type { Finding } from "../findings";
import type { Names } from "../names";
import type { KubeObject } from "../objects";
import { countsOf } from "../rollout/deployment";
import { getPath, asArray, getOwn, asString } from "../values";

/** What was read of the server side of the webhook; undefined = not found. */
export interface ServerFacts {
  readonly namespace: string;
  readonly serviceName: string;
  readonly service: KubeObject | undefined;
  readonly slices: readonly KubeObject[];
  readonly deployment: KubeObject | undefined;
}

/** What a snapshot holds of the server behind a Service; the operator is judged by itself. */
export function serverOf(facts: Facts, serviceName: string): ServerFacts {
  const { namespace, objects } = facts;
  const slices = objects.endpointSlices.filter(
    ({ metadata }) => getOwn(metadata.labels, "kubernetes.io/service-name") === serviceName,
  );
  const service = factNamed(facts, "services", { name: serviceName });
  return { namespace, serviceName, service, slices, deployment: undefined };
}

/** What keeps calls from being answered; empty when nothing was seen to. */
export function judgeServer(facts: ServerFacts, names: Names): readonly Finding[] {
  return [...judgeService(facts), ...judgeOperator(facts, names)];
}

/** Number of ready endpoints in the slices of a Service; a missing condition counts as ready. */
export function readyEndpoints(slices: readonly KubeObject[]): number {
  return slices
    .flatMap((slice) => asArray(getOwn(slice, "endpoints")))
    .filter((endpoint) => getPath(endpoint, ["conditions", "ready"]) !== false)
    .reduce<number>((sum, endpoint) => sum + asArray(getOwn(endpoint, "addresses")).length, 0);
}

function judgeService(facts: ServerFacts): readonly Finding[] {
  const object = `Service/${facts.namespace}/${facts.serviceName}`;
  if (facts.service === undefined) {
    return [
      webhookFinding("serviceMissing", {
        object,
        fix: "install the operator (or the companion webhook) in this namespace first, or give its namespace with -n",
      }),
    ];
  }
  if (readyEndpoints(facts.slices) > 0) return [];
  return [
    webhookFinding("noEndpoints", {
      object,
      cause: "the Service has no ready endpoint, every call would fail",
      fix: "restart the pod behind the Service and wait for it, or run again with --wait",
    }),
  ];
}

function judgeOperator({ deployment, namespace }: ServerFacts, names: Names): readonly Finding[] {
  const seen = deployment && shortfallOf(deployment);
  if (seen === undefined) return [];
  const reason = blockedBecause(deployment);
  return [
    webhookFinding("operatorNotReady", {
      object: `Deployment/${namespace}/${names.operator.deployment}`,
      cause: `the operator is not ready: ${seen}${reason === undefined ? "" : ` (${reason})`}`,
      fix: "wait until the operator reports 1/1 ready, up to date and available, or run again with --wait",
    }),
  ];
}

/** What is missing for ready, up to date and available, undefined when nothing is. */
function shortfallOf(deployment: KubeObject): string | undefined {
  const { observed, generation, wanted, ready, updated, available } = countsOf(deployment);
  // a status of an older generation says nothing of this one
  if (observed < generation) return "its new generation has not been observed yet";
  if (wanted > 0 && Math.min(ready, updated, available) >= wanted) return undefined;
  return `${ready} ready, ${updated} up to date, ${available} available of ${wanted}`;
}

function blockedBecause(deployment: KubeObject | undefined): string | undefined {
  const conditions = asArray(getPath(deployment, ["status", "conditions"]));
  const blocking = conditions.find((condition) => getOwn(condition, "status") === "False");
  return asString(getOwn(blocking, "message"));
}
