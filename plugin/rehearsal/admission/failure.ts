/** Calls that came to nothing, in the API server's words. */
import { ApiError } from "../../domain/errors";

/** Why a webhook gave no verdict; the message is what follows `failed calling webhook "x": `. */
export class CallFailure extends Error {
  override readonly name = "CallFailure";
}

/** A request that was not answered: `why` follows the address. */
export function notAnswered(url: string, why: string): CallFailure {
  return new CallFailure(`failed to call webhook: Post ${JSON.stringify(url)}: ${why}`);
}

/** The refusal of a write because a webhook with failurePolicy Fail gave no verdict. */
export function failedCalling(entry: string, { message }: CallFailure): ApiError {
  const why = `failed calling webhook ${JSON.stringify(entry)}: ${message}`;
  return new ApiError(`Internal error occurred: ${why}`, {
    status: 500,
    reason: "InternalError",
    causes: [{ message: why }],
  });
}
