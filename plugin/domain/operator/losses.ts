/** What goes with fields that a release's definition lacks (domain facts 8). */
import { type FactKey, factKeys, type Facts, factSources, isKnown } from "../facts";
import { type KubeObject, objectLabel } from "../objects";
import { few, isObject } from "../values";

/** The lists that have to be read before anything can be said of the product's objects. */
export const lossKeys = ["ecs", "edbs", "eaadbs", "ercs"] as const satisfies readonly FactKey[];

/**
 * What is lost, for a person to read; undefined where no object holds any of it. `loses` is of a
 * verdict on the definition: fields as `v1.spec.nodes`, and `version v1`. The status is left out,
 * since the operator writes it, and the new one as its own release has it.
 */
export function lossesOf(
  loses: readonly string[],
  definition: KubeObject,
  facts: Facts,
): string | undefined {
  const told = loses.filter((field) => !/^[^.]+\.status\b/.test(field));
  const objects = objectsOf(definition, facts);
  const versions = told.filter((field) => field.startsWith("version "));
  const fields = told.filter((field) => !versions.includes(field));
  const unknown = fields.filter((field) => !isReadable(field, objects, fields));
  const held = fields.flatMap((field) => {
    const holders = (objects ?? []).filter((object) => holds(object, versionOf(object), field));
    return holders.length === 0 ? [] : [{ field, holders }];
  });
  const says = [
    ...(versions.length === 0 ? [] : [few(versions)]),
    ...held.map(({ field, holders }) => {
      const hold = holders.length === 1 ? "holds" : "hold";
      return `${field}, and ${few(holders.map(objectLabel))} ${hold} something there: it is dropped`;
    }),
    ...(unknown.length === 0
      ? []
      : [
          `${few(unknown)}: whether objects hold something there, which would be dropped, is not known`,
        ]),
  ];
  return says.length === 0 ? undefined : `the release's definition lacks ${says.join("; ")}`;
}

/** Every object of the kind, undefined where they were not read. */
function objectsOf({ metadata }: KubeObject, facts: Facts): readonly KubeObject[] | undefined {
  const sources = factSources(facts.names);
  const key = factKeys.find((each) => {
    const { plural, group } = sources[each].resource;
    return `${plural}.${group}` === metadata.name;
  });
  if (key === undefined || !isKnown(facts, key) || facts.unserved.has(key)) return undefined;
  return facts.objects[key];
}

/** True where the objects show whether they hold the field: one version may hide what another has. */
function isReadable(
  field: string,
  objects: readonly KubeObject[] | undefined,
  fields: readonly string[],
): boolean {
  const path = field.slice(field.indexOf("."));
  return objects?.every((object) => fields.includes(`${versionOf(object)}${path}`)) ?? false;
}

function versionOf({ apiVersion }: KubeObject): string {
  return apiVersion.slice(apiVersion.indexOf("/") + 1);
}

/** True where the value has something at the field, which is written as in a verdict. */
function holds(value: unknown, path: string, field: string): boolean {
  if (path === field) return true;
  if (!field.startsWith(path)) return false;
  if (Array.isArray(value)) return value.some((item) => holds(item, `${path}[]`, field));
  return (
    isObject(value) &&
    Object.entries(value).some(
      ([key, inner]) => holds(inner, `${path}.${key}`, field) || holds(inner, `${path}[]`, field),
    )
  );
}
