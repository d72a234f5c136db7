/** How an API server answered a write: taken, refused by a webhook, or something else. */

/** How the API server answered one dry-run edit. */
export type ProbeAnswer =
  | { readonly is: "accepted" }
  /** A denial by a validating webhook, named by its entry. */
  | { readonly is: "refused"; readonly by: string; readonly detail: string }
  /** The webhook of the entry could not be called or did not answer properly. */
  | { readonly is: "failed"; readonly by: string; readonly detail: string }
  /** Refused by someone else: schema, policy, quota, access, a dry-run-hostile webhook. */
  | { readonly is: "other"; readonly detail: string };

/**
 * Reads an answer from the Status of a refusal. The API server's own texts are the only place
 * that names the webhook (admission facts 4); they begin with it, so that a policy or another
 * webhook whose own words quote such a text is not taken for it.
 */
export function readAnswer(refusal: {
  readonly status: number;
  readonly message: string;
}): ProbeAnswer {
  const { message } = refusal;
  const denying = /^admission webhook "([\w.-]{1,253})" denied the request/.exec(message)?.[1];
  if (denying !== undefined) return { is: "refused", by: denying, detail: message };
  const failing = /^(?:Internal error occurred: )?failed calling webhook "([\w.-]{1,253})"/.exec(
    message,
  )?.[1];
  if (failing !== undefined) return { is: "failed", by: failing, detail: message };
  return { is: "other", detail: message };
}
