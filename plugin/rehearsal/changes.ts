/** What has become of a cluster since its start, told apart from what every run has of its own. */
import { type KubeObject, objectLabel } from "../domain/objects";
import type { MemoryControlPlane } from "./memory/control-plane";
import { stableJson } from "./operator/acts";

/** Objects that are otherwise than at the start, by key, as comparable texts; "" for one that is gone. */
export type Difference = ReadonlyMap<string, string>;

/** Follows one control plane from the moment on that it is made. */
export class Changes {
  private readonly before = new Map<string, string>();
  private readonly now = new Map<string, string>();
  /** How many changes were stored. */
  count = 0;

  constructor(controlPlane: MemoryControlPlane, onChange: (object: KubeObject) => void = ignore) {
    controlPlane.onChange(({ type, object, before }) => {
      const key = objectLabel(object);
      this.count += 1;
      if (!this.before.has(key)) this.before.set(key, type === "ADDED" ? "" : comparable(before));
      this.now.set(key, type === "DELETED" ? "" : comparable(object));
      onChange(object);
    });
  }

  /** What is otherwise than at the start; pods have names of their own in every run. */
  difference(): Difference {
    const lasting = [...this.now].filter(([key]) => !key.startsWith("Pod/"));
    return new Map(lasting.filter(([key, text]) => text !== this.before.get(key)));
  }
}

/** Whether two runs have left the same. */
export function sameDifference(left: Difference, right: Difference): boolean {
  return disagreement(left, right).length === 0;
}

/** The keys that two differences disagree about. */
export function disagreement(left: Difference, right: Difference): readonly string[] {
  const keys = new Set([...left.keys(), ...right.keys()]);
  return [...keys].filter((key) => left.get(key) !== right.get(key));
}

function ignore(): void {
  // nobody listens
}

/** The object as text, without what differs between two runs that did the same. */
function comparable(object: KubeObject | undefined): string {
  if (object === undefined) return "";
  const metadata = without(object.metadata, ofEachRun);
  const owners = (object.metadata.managedFields ?? []).map((owner) => without(owner, ["time"]));
  const secret = object.kind === "Secret" ? { data: Object.keys(object["data"] ?? {}) } : {};
  return stableJson(
    { ...object, metadata: { ...metadata, managedFields: owners }, ...secret },
    ofEachMoment,
  );
}

const ofEachRun = ["uid", "resourceVersion", "creationTimestamp", "generation"];

function without(object: object, keys: readonly string[]): object {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

/** Times, and identities of other objects, wherever they are written. */
const ofEachMoment = new Set([
  ...["uid", "lastTransitionTime", "lastUpdateTime", "lastProbeTime", "startTime"],
  ...["completionTime", "startedAt", "finishedAt", "firstTimestamp", "lastTimestamp"],
]);
