/** The manifests of the companion webhook that the tool ships, as `options --manifests` prints them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The texts of manifests/webhook and manifests/webhook-own-cert, by FOLDER/FILE. The bundle carries
 * the texts themselves: .ci/bundle.ts puts them in the place of this module, since the executable
 * runs without the repository.
 */
export function shippedWebhook(): Readonly<Record<string, string>> {
  const manifests = join(__dirname, "../../manifests");
  const paths = ["webhook", "webhook-own-cert"].flatMap((folder) =>
    readdirSync(join(manifests, folder)).map((name) => `${folder}/${name}`),
  );
  const files = paths.filter((path) => path.endsWith(".yaml"));
  return Object.fromEntries(
    files.map((path) => [path, readFileSync(join(manifests, path), "utf8")]),
  );
}
