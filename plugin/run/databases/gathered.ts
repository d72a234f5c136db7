/** Findings about many databases, each said once. */
import type { Finding } from "../../domain/findings";
import { bounded } from "../../domain/status/verdict";

/** So many objects are named. */
const namedAtMost = 10;

/** What is said of several objects alike becomes one finding that names them. */
export function gathered(findings: readonly Finding[]): readonly Finding[] {
  const groups = new Map<string, Finding & { readonly objects: readonly string[] }>();
  for (const finding of findings) {
    const key = JSON.stringify({ ...finding, object: undefined });
    const before = groups.get(key)?.objects ?? [];
    groups.set(key, { ...finding, objects: [...before, finding.object ?? ""] });
  }
  return [...groups.values()].map(({ objects, ...finding }) =>
    objects.length === 1 ? finding : { ...finding, object: bounded(objects, namedAtMost) },
  );
}
