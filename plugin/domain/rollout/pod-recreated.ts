/** A pod that fails as soon as it is created: its StatefulSet creates it again and again, which is no progress (domain facts 11). */
import type { Recognized } from "./progress";
import { look } from "../base/remedy";
import type { Facts } from "../facts/facts";
import type { Pod } from "../kube/models";
import { readName, readNamespace } from "../kube/objects";
import { asString, countNoun } from "../base/values";
import { type PodContext, podOwner, type PodOwner, readTimes, setOwner } from "./pod-words";
import { evictionWay } from "./pod-ends";
import { findNewestEvent, listSetEvents } from "./refusals";

/** The controller pauses up to a quarter of an hour, and counts what it repeats more rarely still. */
const pauseMs = 1_800_000;

/** A pod, by its name and that of its StatefulSet: at times it is there, and at times it is not. */
interface Named {
  readonly name: string;
  readonly set: string;
}

export function findRecreated(pod: Pod, context?: PodContext): Recognized | undefined {
  if (context === undefined) return undefined;
  const owner = pod.metadata.ownerReferences?.[0];
  const named = { name: readName(pod), set: String(owner?.["name"]) };
  const told = [pod.status?.reason, pod.status?.message].flatMap((word) => asString(word) ?? []);
  const node = asString(pod.spec?.nodeName);
  const words = { told, namespace: readNamespace(pod), node, owner: podOwner(pod) };
  return explain(context.facts, named, words);
}

/** The same in the moment in which it is not there. */
export function findRecreatedAbsent(facts: Facts, named: Named): Recognized | undefined {
  const { namespace } = facts;
  const words = { told: [], namespace, node: undefined, owner: setOwner };
  const found = explain(facts, named, words);
  return found && { object: `Pod/${namespace}/${named.name}`, ...found };
}

/** What the pod says itself, where it is, and who creates it. */
interface Words {
  readonly told: readonly string[];
  readonly namespace: string;
  readonly node: string | undefined;
  readonly owner: PodOwner;
}

function explain(facts: Facts, named: Named, words: Words): Recognized | undefined {
  const { told, namespace, node, owner } = words;
  const why = told.length > 0 ? told.join(": ") : findFailure(facts, named);
  const found = findTries(facts, named, why !== undefined);
  if (found === undefined) return undefined;
  return {
    cause: `it fails as soon as it is created, and was created again ${countNoun(found.count, "time")}${why === undefined ? "" : `: ${why}`}`,
    remedies: [
      {
        ...look(chooseWay(why ?? "", owner), "describe", "pod", named.name, "-n", namespace),
        ...(node !== undefined && { then: look("look at its node", "describe", "nodes", node) }),
      },
    ],
    since: found.since,
    evident: true,
  };
}

/** What the kubelet gave it up for decides what helps. */
function chooseWay(why: string, owner: PodOwner): string {
  if (/^Evicted\b/.test(why)) return evictionWay(why, "its node", owner);
  return /attachment ?limit/i.test(why)
    ? "its node holds as many volumes as it may: take volumes off it, or cordon it so that the pod goes to another one"
    : "find out what its node refuses it for, and free that on the node or take the node out";
}

/** Controllers of earlier releases say that they create it again; later ones only say each time that they create it. */
const tries = [
  {
    reasons: ["RecreatingFailedPod", "RecreatingTerminatedPod"],
    words: (name: string) => `(?:failed|terminated) pod ${name}$`,
    many: 3,
  },
  { reasons: ["SuccessfulCreate"], words: (name: string) => `create pod ${name} in `, many: 5 },
] as const;

/** How often its StatefulSet has created it again, as its event counts; a person may change a template often, without a failure. */
function findTries(facts: Facts, { name, set }: Named, hasFailed: boolean) {
  const events = listSetEvents(facts, set);
  return tries
    .filter(({ reasons }) => hasFailed || reasons[0] !== "SuccessfulCreate")
    .flatMap(({ reasons, words, many }) => {
      const own = new RegExp(words(name), "i");
      const newest = findNewestEvent(
        events.filter((one) => own.test(String(one.message))),
        reasons,
      );
      if (newest === undefined) return [];
      const { first, last } = readTimes(newest);
      const count = Math.max(newest.count ?? 0, newest.series?.count ?? 0);
      const isOver = facts.now - Date.parse(last) > pauseMs;
      return count < many || isOver ? [] : [{ count, since: first }];
    })
    .at(0);
}

/** Why it failed, as the kubelet reported of the one before: a pod that failed had its node, so no scheduler says why. */
function findFailure({ objects }: Facts, { name }: Named): string | undefined {
  const warned = objects.events.filter(
    (event) =>
      event.type === "Warning" &&
      event.reason !== "FailedScheduling" &&
      event.involvedObject?.kind === "Pod" &&
      event.involvedObject.name === name,
  );
  const newest = findNewestEvent(warned, [...new Set(warned.map((one) => String(one.reason)))]);
  return newest && `${String(newest.reason)}: ${String(newest.message)}`;
}
