/**
 * Whether an object is being deleted, since when, and what holds it. Nothing is written into such an object
 * or into what lives in it: the write would be lost, or would let the deletion go through (Facts 7, 8).
 */
import { type About, error, type Explained, type Finding } from "../base/findings";
import { kubectl, renderFix } from "../base/remedy";
import { type KubeObject, objectLabel, readName } from "./objects";
import { findCondition } from "./typed";
import { asArray, boundList, getOwn, getPath } from "../base/values";

/** The codes by what is being deleted. */
export const deletionFindings = {
  definition: error("DEFINITION-DELETING", "Facts 8", {
    cause:
      "a definition is being deleted: every object of its kind goes with it once their finalizers are handled",
    fix: "save the objects first; while they are needed do not remove their finalizers and do not restart the operator, which handles them; when the definition is gone, apply it and the objects again",
  }),
  namespace: error("NAMESPACE-DELETING", "Facts 6", {
    cause:
      "the operator's namespace is being deleted: all that is in it goes, and nothing can be created in it",
    fix: "save what is needed of it first; when it is gone, create it and install the operator again",
  }),
  object: error("OBJECT-DELETING", "Facts 8", {
    cause: "an object that has to be written is being deleted: the write would be lost with it",
    fix: "wait until it is gone, or see to what its finalizers wait for; then run again",
  }),
} as const satisfies Readonly<Record<string, Explained>>;

/** A finding of one of these codes. */
export function deletionFinding(
  what: keyof typeof deletionFindings,
  object: KubeObject,
  about: Omit<About, "object">,
): Finding {
  const { fix, ...code } = deletionFindings[what];
  const [says, words] = looks[what];
  const remedies = [kubectl(`${fix}; ${says}`, ...words(object))];
  return { ...code, object: objectLabel(object), fix: renderFix(remedies), remedies, ...about };
}

/** Words of kubectl that show what goes, and what holds it. */
const looks: Readonly<
  Record<
    keyof typeof deletionFindings,
    readonly [says: string, words: (object: KubeObject) => readonly string[]]
  >
> = {
  definition: [
    "its objects are",
    (object) => ["get", readName(object), "--all-namespaces", "-o", "yaml"],
  ],
  namespace: ["see its finalizers", (object) => ["describe", "namespace", readName(object)]],
  object: [
    "see its finalizers",
    (object) => {
      const { namespace } = object.metadata;
      const place = namespace === undefined ? [] : [`--namespace=${namespace}`];
      return ["describe", object.kind.toLowerCase(), readName(object), ...place];
    },
  ],
};

/** True for an object that is being deleted; a namespace and a definition also say so in their status. */
export function isDeleting(object: KubeObject): boolean {
  return (
    object.metadata.deletionTimestamp !== undefined ||
    getPath(object, ["status", "phase"]) === "Terminating" ||
    getOwn(findCondition(object, "Terminating"), "status") === "True"
  );
}

/** Since when it is being deleted and what holds it: `it is being deleted since …, held by finalizer …`. */
export function renderDeletion(object: KubeObject): string {
  const { deletionTimestamp } = object.metadata;
  const since = deletionTimestamp === undefined ? "" : ` since ${deletionTimestamp}`;
  return `it is being deleted${since}${renderHolders([object])}`;
}

/** Why an object cannot be written; undefined for one that stays. */
export function findDeletion(object: KubeObject | undefined): Finding | undefined {
  if (object === undefined || !isDeleting(object)) return undefined;
  return deletionFinding("object", object, { cause: renderDeletion(object) });
}

/** What holds objects that are being deleted, or would be. */
export function renderHolders(objects: readonly KubeObject[]): string {
  const finalizers = [...new Set(objects.flatMap(listFinalizers))];
  if (finalizers.length === 0) return "";
  return `, held by ${finalizers.length === 1 ? "finalizer" : "finalizers"} ${boundList(finalizers)}`;
}

/** Of a namespace those of its spec too. */
function listFinalizers(object: KubeObject): readonly string[] {
  const own = [object.metadata.finalizers, getPath(object, ["spec", "finalizers"])];
  return own.flatMap(asArray).map(String);
}
