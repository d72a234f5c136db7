/** Each object once: dumps overlap, and one object is served under several versions. */
import type { KubeObject } from "../../domain/objects";
import { sameJson } from "../../domain/values";
import type { KindDefinition } from "../model";
import { counted, labelOf, listed } from "./source";

/** An object, and the definition that its kind has. */
export interface Known {
  readonly object: KubeObject;
  readonly definition: KindDefinition;
}

/** In the order of their first appearance; of two that differ, the newer one. */
export function onlyOnce(
  found: readonly Known[],
  warning: (text: string) => void,
): readonly KubeObject[] {
  const objects = new Map<string, KubeObject>();
  const [same, different] = [new Set<string>(), new Set<string>()];
  for (const known of found) {
    const { object } = known;
    const key = keyOf(known);
    const other = objects.get(key);
    if (other === undefined) objects.set(key, object);
    else if (sameJson(other, object)) same.add(labelOf(object));
    else {
      different.add(labelOf(object));
      if (version(object) > version(other)) objects.set(key, object);
    }
  }
  tell([...same], "more than once, each time the same", warning);
  tell(
    [...different],
    "more than once and not the same: the one with the highest resourceVersion counts, " +
      "among equal ones the first",
    warning,
  );
  return [...objects.values()];
}

function tell(labels: readonly string[], what: string, warning: (text: string) => void): void {
  if (labels.length > 0) warning(`${counted(labels.length, "object")} ${what}: ${listed(labels)}`);
}

function keyOf({ object, definition }: Known): string {
  const { group, plural } = definition.resource;
  const { namespace = "", name = "" } = object.metadata;
  return [group, plural, namespace, name].join("/");
}

/** An opaque word to clients in general; etcd's revision in every API server there is. */
function version({ metadata }: KubeObject): bigint {
  const { resourceVersion = "" } = metadata;
  return /^\d{1,20}$/.test(resourceVersion) ? BigInt(resourceVersion) : -1n;
}
