/** The roles and bindings that the tool ships (S34), used when neither file nor release is named. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The texts of manifests/rbac, by file. The bundle carries the texts themselves: .ci/bundle.ts puts
 * them in the place of this module, since the executable runs without the repository.
 */
export function shippedRbac(): Readonly<Record<string, string>> {
  const folder = join(__dirname, "../../manifests/rbac");
  const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}
