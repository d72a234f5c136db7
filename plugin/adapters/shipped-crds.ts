/** The definitions of the product's kinds that the tool ships, for a cluster in memory. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The texts of manifests/crds, by file. The bundle carries the texts themselves: .ci/bundle.ts puts
 * them in the place of this module, since the executable runs without the repository.
 */
export function shippedCrds(): Readonly<Record<string, string>> {
  const folder = join(__dirname, "../../manifests/crds");
  const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}
