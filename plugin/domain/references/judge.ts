/** Whether what objects name exists, and has the items that are needed; values are never looked at. */
import { getPath, isObject, renderValue } from "../base/values";
import type { Found, Scene, Symptom } from "../diagnosis/symptom";
import { factNamed, type Facts, isKnown } from "../facts/facts";
import { isDeleting } from "../kube/deletion";
import { objectLabel, readNamespace } from "../kube/objects";
import { referenceFindings } from "./findings";
import { isKeptHere, listReferences, type NamingObject, type Reference } from "./read";
import type { SecretUse } from "./table";

const absent = "it does not exist";

/** What is said of a reference: undefined where nothing is wrong with it, or nothing is known. */
export function findLack(facts: Facts, reference: Reference): string | undefined {
  const { row, object, name, value } = reference;
  if (name === undefined) return `that is ${renderValue(value)}, which is no name`;
  const { list, items } = row;
  if (list === undefined) return undefined;
  const found = factNamed(facts, list, { name, namespace: readNamespace(object) });
  if (found === undefined) {
    return isKnown(facts, list) ? absent : undefined;
  }
  const data = getPath(found, ["data"]);
  const held = isObject(data) ? Object.keys(data) : [];
  const missing = items.filter((item) => !held.includes(item));
  return missing.length === 0 ? undefined : `it has no item ${missing.join(", ")}`;
}

/** The references of objects that no check of its own judges, and that can be looked for. */
function listJudged(facts: Facts, objects: readonly NamingObject[]): readonly Reference[] {
  const { names, objects: lists } = facts;
  return objects
    .filter(({ object }) => !isDeleting(object))
    .flatMap((one) => listReferences(one, names))
    .filter(({ row }) => row.told === undefined && row.list !== undefined)
    .filter((reference) => isKeptHere(reference, lists.ecs, names));
}

function describeLack(facts: Facts, reference: Reference): readonly Found[] {
  const lack = findLack(facts, reference);
  if (lack === undefined) return [];
  const { row, object, field, name } = reference;
  const { items, kind, says, severity, without } = row;
  const about = { object: objectLabel(object), field, severity };
  if (name === undefined) {
    const cause = `it names a ${kind} in ${field} for ${says}, and ${lack}`;
    return [{ ...about, cause, fix: `set ${field} to the name of a ${kind}, as a text` }];
  }
  const then = without === undefined || lack !== absent ? "" : `, and ${without}`;
  const cause = `it names ${kind} ${name} in ${field} for ${says}: ${lack}${then}`;
  const held = items.length === 0 ? "" : ` with ${items.join(", ")}`;
  const fix = `create ${kind}/${readNamespace(object)}/${name}${held}, or correct the name in ${field}`;
  return [{ ...about, cause, fix }];
}

/** The row of what a scene's objects name. */
export function referenceSymptom<S extends Scene>(namersOf: (scene: S) => readonly NamingObject[]) {
  return {
    ...referenceFindings.missing,
    title: "What objects name exists, with the items that are needed",
    // of objects that name nothing, no list has to be read
    concerns: (scene: S) => listJudged(scene.facts, namersOf(scene)).length > 0,
    needs: [],
    judge: (scene: S) =>
      listJudged(scene.facts, namersOf(scene)).flatMap((one) => describeLack(scene.facts, one)),
  } satisfies Symptom<S>;
}

/** What is wrong with the Secrets of one use, as the check of that use tells it. */
export function judgeSecrets(
  facts: Facts,
  objects: readonly NamingObject[],
  use: SecretUse,
): readonly Found[] {
  return listUsed(facts, objects, use).flatMap((reference) => {
    const { row, object, field, name } = reference;
    const lack = findLack(facts, reference);
    if (lack === undefined) return [];
    const cause = `${lack}; ${objectLabel(object)} names it in ${field} for ${row.says}`;
    return [{ object: `Secret/${facts.namespace}/${String(name)}`, cause }];
  });
}

function listUsed(
  facts: Facts,
  objects: readonly NamingObject[],
  use: SecretUse,
): readonly Reference[] {
  const { names } = facts;
  const clusters = objects.flatMap(({ by, object }) => (by === "ec" ? [object] : []));
  return objects
    .flatMap((one) => listReferences(one, names))
    .filter(({ row }) => row.use === use)
    .filter((reference) => isKeptHere(reference, clusters, names));
}
