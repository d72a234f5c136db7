/** What a webhook's answer comes to. */
import { ApiError, type StatusCause } from "../../domain/errors";
import { isObject, list, own, text } from "../../domain/values";
import { type Reply, responseOf } from "./response";
import type { Mark } from "./review";

/** Yes or no, with what is to be shown to the writer. */
export interface Verdict {
  readonly warnings: readonly string[];
  readonly refusal: ApiError | undefined;
}

/** Reads the answer to the review of that mark; throws CallFailure when it is none. */
export function verdictOf(entry: string, reply: Reply, mark: Mark): Verdict {
  const response = responseOf(reply, mark);
  const allowed = own(response, "allowed") === true;
  return {
    warnings: list(own(response, "warnings")).map(String),
    refusal: allowed ? undefined : denial(entry, own(response, "status")),
  };
}

/** A Status of the webhook's choice, but never one that could be taken for a success. */
function denial(entry: string, status: unknown): ApiError {
  const denied = `admission webhook ${JSON.stringify(entry)} denied the request`;
  const reason = text(own(status, "reason"));
  const why = text(own(status, "message")) ?? reason;
  const code = own(status, "code");
  const details = own(status, "details");
  const retryAfter = own(details, "retryAfterSeconds");
  return new ApiError(why === undefined ? `${denied} without explanation` : `${denied}: ${why}`, {
    status: typeof code === "number" && code >= 400 ? code : 400,
    ...(reason !== undefined && { reason }),
    causes: list(own(details, "causes")).filter(isObject).map(causeOf),
    ...(typeof retryAfter === "number" && retryAfter > 0 && { retryAfter }),
  });
}

function causeOf(cause: object): StatusCause {
  const part = (key: keyof StatusCause): StatusCause => {
    const value = text(own(cause, key));
    return value === undefined ? {} : { [key]: value };
  };
  return { ...part("reason"), ...part("field"), ...part("message") };
}

/** The refusal of a dry run that a webhook might take for a real write. */
export function dryRunUnsupported(entry: string): ApiError {
  const message = `admission webhook ${JSON.stringify(entry)} does not support dry run`;
  return new ApiError(message, { status: 400, reason: "BadRequest" });
}
