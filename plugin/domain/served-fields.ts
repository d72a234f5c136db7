/** Which fields of a custom resource the API server keeps, by the definition that it serves. */
import type { KubeObject } from "./objects";
import { at, isObject, list, own } from "./values";

type Path = readonly string[];

/** Those of the paths that the definition has in a version, in their order; undefined when it is not known. */
export function servedPaths(
  definition: KubeObject | undefined,
  version: string,
  paths: readonly Path[],
): readonly Path[] | undefined {
  const versions = list(at(definition, ["spec", "versions"]));
  const served = versions.find((each) => own(each, "name") === version);
  const schema = at(served, ["schema", "openAPIV3Schema"]);
  return schema === undefined ? undefined : paths.filter((path) => has(schema, path));
}

/** True when a schema has a field; below a part that takes unknown fields everything is kept. */
function has(schema: unknown, [first, ...rest]: Path): boolean {
  if (first === undefined) return true;
  if (own(schema, "x-kubernetes-preserve-unknown-fields") === true) return true;
  const inner = at(schema, ["properties", first]);
  return isObject(inner) && has(inner, rest);
}
