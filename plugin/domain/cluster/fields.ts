/** The fields of an EC that its upgrade writes, in their spellings (S48-S51; domain facts 13). */
import type { Names } from "../names";
import type { KubeObject } from "../objects";
import { at, isObject, list, own } from "../values";

type Path = readonly string[];

/** Both spellings of the automatic upgrade, that of the definitions first (domain facts 13). */
export function autoPaths({ ecFields }: Names): readonly Path[] {
  return [ecFields.autoUpgrade, ecFields.autoUpgradeDirect];
}

/** True when the EC asks for automatic upgrades under either spelling (S13, S51). */
export function autoOf(ec: KubeObject, names: Names): boolean {
  return autoPaths(names).some((path) => at(ec, path) === true);
}

/** Where the definition has the field, undefined for nowhere; unread, as definitions are known to have it. */
export function autoPathIn(
  definition: KubeObject | undefined,
  version: string,
  names: Names,
): Path | undefined {
  const [usual] = autoPaths(names);
  const schema = schemaOf(definition, version);
  if (schema === undefined) return usual;
  return autoPaths(names).find((path) => has(schema, path));
}

function schemaOf(definition: KubeObject | undefined, version: string): unknown {
  const versions = list(at(definition, ["spec", "versions"]));
  const served = versions.find((each) => own(each, "name") === version);
  return at(served, ["schema", "openAPIV3Schema"]);
}

/** True when a schema has a field; below a part that takes unknown fields everything is kept. */
function has(schema: unknown, [first, ...rest]: Path): boolean {
  if (first === undefined) return true;
  if (own(schema, "x-kubernetes-preserve-unknown-fields") === true) return true;
  const inner = at(schema, ["properties", first]);
  return isObject(inner) && has(inner, rest);
}
