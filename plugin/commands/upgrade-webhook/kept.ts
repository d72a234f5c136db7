/** What is told of a value that a swap keeps from the live entry. */
import { nameField } from "../../domain/admission/configuration";
import { webhookFinding } from "../../domain/admission/findings";
import { describeShort } from "../../domain/admission/held";
import type { Finding } from "../../domain/base/findings";
import type { ValidatingWebhook } from "../../domain/kube/models";
import type { Names } from "../../domain/names/names";

interface Kept {
  readonly field: string;
  readonly entry: ValidatingWebhook | undefined;
}

/** The warning that it is kept, with what a time limit means; whom selectors and conditions leave out is told beside it. */
export function keptFinding({ field, entry }: Kept, source: string, names: Names): Finding {
  const short = field === "timeoutSeconds" ? describeShort(entry) : undefined;
  const cause = `kept as found in ${source}, the template has something else`;
  return webhookFinding("kept", {
    object: `ValidatingWebhookConfiguration/${names.webhook.configuration}`,
    field: `${nameField(names.webhook.entry)}.${field}`,
    cause: short === undefined ? cause : `${cause}; ${short}`,
  });
}
