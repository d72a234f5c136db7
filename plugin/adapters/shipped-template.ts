/** The webhook template that the tool ships (S26), used when neither file nor release is named. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The text of manifests/admission/webhook.yaml. The bundle carries the text itself: .ci/bundle.ts
 * puts it in the place of this module, since the executable runs without the repository.
 */
export function shippedTemplate(): string {
  return readFileSync(join(__dirname, "../../manifests/admission/webhook.yaml"), "utf8");
}
