/** What may not be read is unknown, which is neither there nor absent. */
import { ApiError, EngineError, exitCodes } from "../domain/base/errors";

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

/** The same where a credential may be refused too, by whichever server. */
export async function unlessDenied<T, const U>(asked: Promise<T>, otherwise: U): Promise<T | U> {
  return await asked.catch((error: unknown) => {
    if (error instanceof EngineError && error.exitCode === exitCodes.permission) return otherwise;
    throw error;
  });
}
