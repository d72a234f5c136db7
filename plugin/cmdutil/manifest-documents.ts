/**
 * The documents of a release's file or of a template. What has another type than its kind says is refused: without
 * it, something else would be written to a cluster.
 */
import { openItems } from "../adapters/kubernetes/text/documents";
import { parseDocuments } from "../adapters/kubernetes/text/yaml";
import { InputError } from "../domain/base/errors";
import { asString, getOwn, isObject } from "../domain/base/values";
import { renderMisfit } from "../domain/facts/dump";
import { type KubeObject, objectLabel } from "../domain/kube/objects";
import { fitObject } from "../adapters/schema/fit";

/** The documents of a text; InputError names its source, and every field of another type. */
export function parseManifests(text: string, source: string): readonly unknown[] {
  const documents = parseDocuments(text, source);
  const problems = documents
    .flatMap((document) => [...openItems({ value: document, path: [] })])
    .flatMap(({ value }) => (isManifest(value) ? listMisfits(value) : []))
    .map((problem) => `${source}: ${problem}`);
  if (problems.length === 0) return documents;
  throw new InputError(problems, { hint: "give a release as it was published" });
}

/** What is no object of a cluster is told by whoever looks for one. */
function isManifest(value: unknown): value is KubeObject {
  const words = ["apiVersion", "kind"].map((key) => asString(getOwn(value, key)));
  return !words.includes(undefined) && isObject(getOwn(value, "metadata"));
}

function listMisfits(object: KubeObject): readonly string[] {
  return fitObject(object).misfits.map(
    (misfit) => `${objectLabel(object)}: ${renderMisfit(misfit)}`,
  );
}
