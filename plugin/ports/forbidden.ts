/** What may not be read is unknown, which is neither there nor absent. */
import { ApiError } from "../domain/base/errors";

/** True for the API server's answer to someone who lacks the permission. */
export function isForbidden(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 403;
}

/** What was asked for, or `otherwise` where it may not be read; every other failure is thrown. */
export async function unlessForbidden<T, const U>(asked: Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await asked;
  } catch (error) {
    if (isForbidden(error)) return otherwise;
    throw error;
  }
}
