/** Whom a binding is for, and which role it is for. */
import type { KubeObject } from "../objects";
import { isObject, list, own, text } from "../values";

/** One subject of a binding. */
export interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly apiGroup?: string;
}

/** The subjects as read; what is none is left out. */
export function subjectsOf(binding: unknown): readonly Subject[] {
  return list(own(binding, "subjects"))
    .filter(isObject)
    .map((subject) => {
      const namespace = text(own(subject, "namespace"));
      const apiGroup = text(own(subject, "apiGroup"));
      return {
        kind: String(own(subject, "kind")),
        name: String(own(subject, "name")),
        ...(namespace !== undefined && { namespace }),
        ...(apiGroup !== undefined && { apiGroup }),
      };
    });
}

/** A subject for reports and for comparing: the API group follows from the kind. */
export function subjectLabel({ kind, name, namespace }: Subject): string {
  return [kind, ...(namespace === undefined ? [] : [namespace]), name].join("/");
}

/** The subjects that are not among the others. */
export function subjectsBeyond(
  subjects: readonly Subject[],
  others: readonly Subject[],
): readonly Subject[] {
  const known = new Set(others.map(subjectLabel));
  return subjects.filter((subject) => !known.has(subjectLabel(subject)));
}

/** The role that a binding is for: `kind/name`. */
export function roleRefOf(binding: unknown): string {
  const reference = own(binding, "roleRef");
  return `${String(own(reference, "kind"))}/${String(own(reference, "name"))}`;
}

/** Labels and annotations of the wanted object that the stored one does not have so. */
export function metadataDiffers(live: KubeObject, wanted: KubeObject): boolean {
  return (["labels", "annotations"] as const).some((part) =>
    Object.entries(wanted.metadata[part] ?? {}).some(
      ([key, value]) => own(own(live.metadata, part), key) !== value,
    ),
  );
}
