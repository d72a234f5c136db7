/** Why a pod may not be created, as the events of its set report it (domain facts 11). */
import type { Remedy } from "../base/remedy";
import { asString } from "../base/values";
import type { Facts } from "../facts/facts";
import type { Event } from "../kube/models";
import { checkController, readTimes } from "./pod-words";
import { latest } from "./times";

/** What helps against a refusal, by what it says; undefined for an unknown one. */
export function findRefusalWay(message: string): Remedy | string | undefined {
  return refusals.find(([pattern]) => pattern.test(message))?.[1];
}

/** What a refusal says decides what helps; a second try would be refused as well. */
const refusals: readonly (readonly [pattern: RegExp, way: Remedy | string])[] = [
  [
    /failed quota.*must specify|must specify/i,
    "give the containers the requests and limits that the quota demands, in the spec of the cluster's resource or by a LimitRange",
  ],
  [
    /status unknown for quota/i,
    { ...checkController, says: `${checkController.says}, which counts quotas` },
  ],
  [
    /etcdserver:|etcd cluster is unavailable/i,
    "see the store of the API server (etcd), its leader and its space: nothing can be written until it takes writes again",
  ],
  [/exceeded quota|failed quota/i, "raise the quota, or free what it counts"],
  [
    /(maximum|minimum) .* usage per|limit to request ratio/i,
    "change the LimitRange of the namespace that says so, or what the containers ask for in the spec of the cluster's resource",
  ],
  [
    /violates PodSecurity/i,
    "let the namespace's Pod Security level allow these pods, by its label pod-security.kubernetes.io/enforce, or take out of the spec what the message names",
  ],
  [
    /security context constraint|unable to validate against any/i,
    "let a security context constraint allow these pods",
  ],
  [
    /failed calling webhook/i,
    "repair the webhook that is named, or the Service behind it: it is asked about every pod",
  ],
  [/serviceaccount .*not found/i, "create the service account that is named"],
  [/no PriorityClass/i, "create the priority class that is named, or ask for one that exists"],
  [
    /RuntimeClass .*not found/i,
    "create the runtime class that is named, or ask for one that exists",
  ],
  [
    /is being terminated/i,
    "the namespace is being deleted, and no pod is created in it any more: see who deletes it before anything else",
  ],
  [
    /\bis invalid: /i,
    "correct what is named in the spec of the cluster's resource: no API server takes such a pod",
  ],
  [
    /already exists/i,
    "another object has the name of that pod: see to whom it belongs, and delete it if nothing needs it",
  ],
  [
    /denied the request|denied request|forbidden/i,
    "change what the message refuses, or the policy that refuses it",
  ],
];

/** Why a pod could not be created, as often as it was tried. */
interface Refusal {
  readonly message: string | undefined;
  readonly first: string | undefined;
  readonly count: number;
}

/** The events of a StatefulSet. */
export function listSetEvents({ objects }: Facts, name: string): readonly Event[] {
  return objects.events.filter(
    (event) => event.involvedObject?.kind === "StatefulSet" && event.involvedObject.name === name,
  );
}

/** The newest event of these reasons. */
export function findNewestEvent(
  events: readonly Event[],
  reasons: readonly string[],
): Event | undefined {
  return events
    .filter((event) => reasons.includes(String(event.reason)))
    .toSorted((one, other) => Date.parse(readTimes(other).last) - Date.parse(readTimes(one).last))
    .at(0);
}

/** Why the controller could not delete a pod, where it has deleted none since. */
export function findUndeleted(events: readonly Event[]): string | undefined {
  const newest = findNewestEvent(events, ["FailedDelete", "SuccessfulDelete"]);
  return newest?.reason === "FailedDelete" ? asString(newest.message) : undefined;
}

const unknownTime = new Date(0).toISOString();

/** The newest event that says why a pod may not be created; one without a time is the oldest. */
export function lastRefusal(events: readonly Event[]): Refusal | undefined {
  const created = events.filter((event) => event.reason === "SuccessfulCreate");
  const done = latest(created.map((event) => readTimes(event).last));
  const all = events
    .filter((event) => event.reason === "FailedCreate")
    .toSorted((one, other) => Date.parse(readTimes(other).last) - Date.parse(readTimes(one).last));
  const [newest] = all;
  if (newest === undefined || isAfter(done, readTimes(newest).last)) return undefined;
  const message = asString(newest.message);
  const first = all.map((event) => readTimes(event).first).toSorted()[0];
  return {
    message,
    first: first === unknownTime ? undefined : first,
    count: Math.max(all.length, newest.count ?? 1, newest.series?.count ?? 0),
  };
}

function isAfter(one: string | undefined, other: string): boolean {
  return one !== undefined && Date.parse(one) >= Date.parse(other);
}
