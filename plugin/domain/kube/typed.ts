/** Objects as their kind: what was read under a kind is used with the types of its model. */
import { asArray, getOwn, getPath } from "../base/values";
import type { BuiltInKind, Condition, Typed } from "./models";
import type { KubeObject } from "./objects";

/** True for an object of that kind; its fields then have the types of the kind. */
export function isKind<Kind extends BuiltInKind>(
  object: KubeObject,
  kind: Kind,
): object is KubeObject & Typed<Kind> {
  return object.kind === kind;
}

/** The object where it is of that kind. */
export function asKind<Kind extends BuiltInKind>(
  object: KubeObject | undefined,
  kind: Kind,
): Typed<Kind> | undefined {
  return object !== undefined && isKind(object, kind) ? object : undefined;
}

/** The objects of that kind. */
export function ofKind<Kind extends BuiltInKind>(
  objects: readonly KubeObject[],
  kind: Kind,
): readonly Typed<Kind>[] {
  return objects.filter((object) => isKind(object, kind));
}

/** The condition of that type in an object's status. */
export function findCondition(object: KubeObject | undefined, type: string): Condition | undefined {
  const conditions = asArray(getPath(object, ["status", "conditions"]));
  return conditions.find((each) => getOwn(each, "type") === type) as Condition | undefined;
}
