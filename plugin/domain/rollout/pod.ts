/** What keeps the newest pods of a Deployment from being ready, from the pods themselves. */
import type { Facts } from "../facts";
import { type KubeObject, type ObjectMeta, objectLabel } from "../objects";
import type { operatorFindings } from "../operator/codes";
import { at, isObject, type Json, list, own, sameJson, text } from "../values";

/** A cause that does not go away by waiting. */
export interface Trouble {
  readonly what: keyof typeof operatorFindings;
  /** What it was seen on, where that is not the Deployment. */
  readonly object?: string;
  readonly message?: string;
}

const revision = "deployment.kubernetes.io/revision";

/** The ReplicaSet of the Deployment's present template, undefined where none is known. */
export function newestReplicaSet(
  { objects }: Facts,
  deployment: KubeObject,
): KubeObject | undefined {
  const { metadata } = deployment;
  const wanted = own(metadata.annotations, revision);
  const sets = objects.replicaSets.filter((set) => isOwned(set, metadata));
  const isMarked = (set: KubeObject): boolean => own(set.metadata.annotations, revision) === wanted;
  return (
    (wanted === undefined ? undefined : sets.find(isMarked)) ??
    sets.find((set) => sameJson(templateOf(set), templateOf(deployment)))
  );
}

/** Without the label that tells one revision from another. */
function templateOf(object: KubeObject): unknown {
  const template = at(object, ["spec", "template"]);
  const labels = Object.entries(Object(at(template, ["metadata", "labels"])) as Json);
  const kept = labels.filter(([key]) => key !== "pod-template-hash");
  return [Object.fromEntries(kept), own(template, "spec")];
}

function isOwned({ metadata }: KubeObject, { uid }: ObjectMeta): boolean {
  return (metadata.ownerReferences ?? []).some((owner) => text(own(owner, "uid")) === uid);
}

/** The first trouble of a pod of that ReplicaSet. */
export function podTrouble(facts: Facts, deployment: KubeObject): Trouble | undefined {
  const set = newestReplicaSet(facts, deployment);
  if (set === undefined) return undefined;
  const pods = facts.objects.pods.filter(
    (pod) => isOwned(pod, set.metadata) && pod.metadata.deletionTimestamp === undefined,
  );
  for (const pod of pods) {
    const found = containerTrouble(pod) ?? unplaced(pod);
    if (found !== undefined) return { object: objectLabel(pod), ...found };
  }
  return undefined;
}

const waitingFor: readonly (readonly [pattern: RegExp, what: Trouble["what"]])[] = [
  [/^(ErrImage|ImagePull|InvalidImage|ImageInspect|RegistryUnavailable|ErrRegistry)/, "image"],
  [/^(CreateContainer|CreatePodSandbox|RunContainer|PreStart|PostStart)/, "configuration"],
  [/^CrashLoopBackOff$/, "crash"],
];

function containerTrouble(pod: KubeObject): Trouble | undefined {
  const states = ["initContainerStatuses", "containerStatuses"].flatMap((key) =>
    list(at(pod, ["status", key])),
  );
  for (const status of states) {
    const waiting = at(status, ["state", "waiting"]);
    const reason = text(own(waiting, "reason")) ?? "";
    const what = waitingFor.find(([pattern]) => pattern.test(reason))?.[1];
    if (what !== undefined) return { what, message: waitingMessage(status, what) };
    if (at(status, ["state", "terminated", "exitCode"])) {
      return { what: "crash", message: ended(status, ["state"]) };
    }
  }
  return undefined;
}

function waitingMessage(status: unknown, what: Trouble["what"]): string {
  if (what === "crash") return ended(status, ["lastState"]);
  const waiting = at(status, ["state", "waiting"]);
  const said = [own(waiting, "reason"), own(waiting, "message")].flatMap((one) => text(one) ?? []);
  const image = text(own(status, "image"));
  return `${image === undefined ? "" : `${image}: `}${said.join(", ")}`;
}

/** How a container ended last: its exit code, and its last words where it left some. */
function ended(status: unknown, state: readonly string[]): string {
  const last = at(status, [...state, "terminated"]);
  const name = text(own(status, "name")) ?? "container";
  if (!isObject(last)) return `${name} is started again and again`;
  const said = [own(last, "reason"), own(last, "message")].flatMap((one) => text(one) ?? []);
  const words = said.length === 0 ? "" : ` (${said.join(": ").trim()})`;
  return `${name} ended with code ${String(own(last, "exitCode"))}${words}`;
}

function unplaced(pod: KubeObject): Trouble | undefined {
  const condition = list(at(pod, ["status", "conditions"])).find(
    (one) => own(one, "type") === "PodScheduled" && own(one, "reason") === "Unschedulable",
  );
  if (condition === undefined) return undefined;
  const message = text(own(condition, "message"));
  return { what: "unschedulable", ...(message !== undefined && { message }) };
}
