/** The roles that are compared with those of managed namespaces. */
import { type ReleaseRoles, resolveRoles } from "../rbac/lines";
import type { CheckContext } from "./context";

/** The release's documents, or those of the release that runs. */
export function chooseRoles({ installed, names, target }: CheckContext): ReleaseRoles {
  if (target.rbac === undefined) return { is: "unknown", because: "there is no template" };
  return resolveRoles(target.rbac, installed?.tag, names);
}
