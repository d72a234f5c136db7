/** What is told of a value that a swap keeps from the live entry. */
import { nameField } from "../../domain/admission/configuration";
import { webhookFinding } from "../../domain/admission/findings";
import type { Finding } from "../../domain/base/findings";
import { few } from "../../domain/base/values";
import type { ValidatingWebhook } from "../../domain/kube/models";
import type { Names } from "../../domain/names/names";

interface Kept {
  readonly field: string;
  readonly entry: ValidatingWebhook | undefined;
}

/** The warning that it is kept, and whom it lets pass. */
export function keptFinding({ field, entry }: Kept, source: string, names: Names): Finding {
  const lets = field === "matchConditions" ? listUnjudged(entry) : [];
  const cause = `kept as found in ${source}, the template has something else`;
  return webhookFinding("kept", {
    object: `ValidatingWebhookConfiguration/${names.webhook.configuration}`,
    field: `${nameField(names.webhook.entry)}.${field}`,
    cause: [cause, ...lets].join("; "),
  });
}

/** What the conditions of an entry say of themselves: one that is never true, and accounts by name. */
function listUnjudged(entry: ValidatingWebhook | undefined): readonly string[] {
  return (entry?.matchConditions ?? []).flatMap(({ name, expression: asked }) => {
    const expression = String(asked);
    if (expression.trim() === "false") return [`${String(name)} is never true: no edit is checked`];
    if (!expression.includes("userInfo")) return [];
    const accounts = [...expression.matchAll(/(["'])([^"']+)\1/g)].map(([, , text]) =>
      String(text),
    );
    return accounts.length === 0
      ? []
      : [
          `${String(name)} asks who edits: look whether edits by ${few(accounts)} are to go unjudged`,
        ];
  });
}
