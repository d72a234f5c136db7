/** Which answers are objects of the Kubernetes API. */
import type { KubeObject } from "../../domain/objects";
import { isObject, own } from "../../domain/values";

/** Whether a value says what it is, as every object of the API does. */
export function isKubeObject(value: unknown): value is KubeObject {
  const said = [own(value, "apiVersion"), own(value, "kind")];
  return said.every((word) => typeof word === "string") && isObject(own(value, "metadata"));
}
