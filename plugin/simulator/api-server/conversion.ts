/** Kinds in several versions: what is stored in one is asked of a webhook in another. */
import { kinds } from "../../domain/kube/kinds";
import { judgeService } from "../admission/entries";
import type { KindDefinition } from "../model";
import { internal } from "./answers";
import type { Plane } from "./request";

/**
 * Throws as an API server that reaches no conversion webhook: for an object in a version that is not
 * the stored one. One that it reaches is taken to change the version alone.
 */
export function requireConversion(
  { store }: Plane,
  { resource, conversion }: KindDefinition,
  from: "stored" | "sent" = "stored",
): void {
  if (conversion === undefined) return;
  const { storedVersion, service } = conversion;
  const problem = judgeService(store.get(kinds.service, service.name, service.namespace), service);
  if (problem === undefined) return;
  const version = from === "stored" ? storedVersion : resource.version;
  const what = `${resource.group}/${version}, Kind=${resource.kind}`;
  const url = `https://${service.name}.${service.namespace}.svc:${service.port}${service.path}?timeout=30s`;
  throw internal(`conversion webhook for ${what} failed: Post "${url}": ${problem}`);
}
