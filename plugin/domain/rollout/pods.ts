/** Pods of a roll-out: which image they run, whether they are ready, and what keeps one from it. */
import type { Json } from "../values";
import { at, list, own, text } from "../values";
import type { KubeObject } from "../objects";

/** What keeps a pod from being ready. */
export interface Trouble {
  readonly code: string;
  readonly because: string;
  readonly fix: string;
  /** Waiting alone does not mend it: said at once, not after a while without progress. */
  readonly definite: boolean;
  /** When it began, RFC 3339, where the pod tells. */
  readonly since: string | undefined;
}

/** The container of a pod's or template's spec, by name; the only one where there is one alone. */
export function containerOf(podSpec: unknown, name: string): Json | undefined {
  const all = list(own(podSpec, "containers")).filter((each): each is Json => each !== null);
  const named = all.find((each) => own(each, "name") === name);
  return named ?? (all.length === 1 ? all[0] : undefined);
}

/** True when the pod's condition Ready is True and it is not on its way out. */
export function isReady(pod: KubeObject): boolean {
  const ready = conditionOf(pod, "Ready");
  return pod.metadata.deletionTimestamp === undefined && own(ready, "status") === "True";
}

/** What keeps a pod from being ready; undefined for one that is. */
export function podTrouble(pod: KubeObject): Trouble | undefined {
  if (isReady(pod)) return undefined;
  return terminating(pod) ?? unscheduled(pod) ?? ofContainers(pod) ?? notReady(pod);
}

function conditionOf(pod: KubeObject, type: string): unknown {
  return list(at(pod, ["status", "conditions"])).find((each) => own(each, "type") === type);
}

function terminating(pod: KubeObject): Trouble | undefined {
  const { deletionTimestamp } = pod.metadata;
  if (deletionTimestamp === undefined) return undefined;
  const disruption = text(own(conditionOf(pod, "DisruptionTarget"), "message"));
  const grace = own(pod.metadata, "deletionGracePeriodSeconds");
  const may = typeof grace === "number" ? `, and may take ${grace} s` : "";
  return {
    code: "POD-TERMINATING",
    because: `it drains before it ends${may}${disruption === undefined ? "" : `: ${disruption}`}`,
    fix: "see what it still does with kubectl logs; it moves its shards away first, so leave it time before you force it",
    definite: false,
    since: beganAt(deletionTimestamp, grace),
  };
}

/** The API server stores when the grace ends, not when it began. */
function beganAt(deletionTimestamp: string, grace: unknown): string | undefined {
  const end = Date.parse(deletionTimestamp);
  if (Number.isNaN(end)) return undefined;
  return new Date(end - (typeof grace === "number" ? grace * 1000 : 0)).toISOString();
}

function unscheduled(pod: KubeObject): Trouble | undefined {
  const condition = conditionOf(pod, "PodScheduled");
  if (own(condition, "status") !== "False") return undefined;
  const message = text(own(condition, "message")) ?? text(own(condition, "reason")) ?? "no reason";
  const volume = /persistentvolume|volume node affinity|unbound immediate/i.test(message);
  return {
    code: volume ? "POD-VOLUME" : "POD-UNSCHEDULABLE",
    because: `no node takes it: ${message}`,
    fix: volume
      ? "look at its claims with kubectl get pvc; mend the volume or its storage class"
      : "make room on a node, or mend the node selector, taint or affinity that it names",
    definite: false,
    since: text(own(condition, "lastTransitionTime")),
  };
}

const imageReasons = new Set([
  "ErrImagePull",
  "ImagePullBackOff",
  "InvalidImageName",
  "ErrImageNeverPull",
  "ImageInspectError",
  "RegistryUnavailable",
  "SignatureValidationFailed",
]);

const crashReasons = new Set([
  "CrashLoopBackOff",
  "CreateContainerConfigError",
  "CreateContainerError",
  "RunContainerError",
  "PostStartHookError",
]);

function ofContainers(pod: KubeObject): Trouble | undefined {
  const statuses = ["initContainerStatuses", "containerStatuses"].flatMap((field) =>
    list(at(pod, ["status", field])),
  );
  const troubles = statuses.map(ofContainer).filter((trouble) => trouble !== undefined);
  return troubles.find(({ definite }) => definite) ?? troubles[0];
}

function ofContainer(status: unknown): Trouble | undefined {
  const name = text(own(status, "name")) ?? "";
  const waiting = at(status, ["state", "waiting"]);
  const reason = text(own(waiting, "reason")) ?? "";
  const message = text(own(waiting, "message"));
  const said = `${reason}${message === undefined ? "" : `: ${message}`}`;
  if (imageReasons.has(reason)) {
    return {
      code: "POD-IMAGE",
      because: `the image of container ${name} cannot be pulled (${said})`,
      fix: "see that the repository holds this tag, and that the pull secret fits; then set the tag or the repository anew",
      definite: true,
      since: undefined,
    };
  }
  const ended = at(status, ["state", "terminated"]) ?? at(status, ["lastState", "terminated"]);
  if (!crashReasons.has(reason) && !failed(at(status, ["state", "terminated"]))) return undefined;
  const code = own(ended, "exitCode");
  const last = typeof code === "number" ? `, last exit code ${code}` : "";
  return {
    code: "POD-CRASH",
    because: `container ${name} does not stay up (${said === "" ? "Error" : said}${last})`,
    fix: `see why with kubectl logs, container ${name}, also with --previous`,
    definite: false,
    since: text(own(ended, "finishedAt")),
  };
}

function failed(terminated: unknown): boolean {
  const code = own(terminated, "exitCode");
  return typeof code === "number" && code !== 0;
}

function notReady(pod: KubeObject): Trouble {
  const condition = conditionOf(pod, "Ready");
  const told = text(own(condition, "message")) ?? text(at(pod, ["status", "message"]));
  const reason = text(at(pod, ["status", "reason"])) ?? text(own(condition, "reason"));
  const phase = text(at(pod, ["status", "phase"])) ?? "Pending";
  return {
    code: "POD-NOT-READY",
    because: [`it is ${phase} and not ready`, reason, told].filter(Boolean).join(": "),
    fix: "see its events and its probe with kubectl describe pod",
    definite: false,
    since: text(own(condition, "lastTransitionTime")) ?? text(pod.metadata["creationTimestamp"]),
  };
}
