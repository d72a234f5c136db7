/** An answer that refuses, with the code and the text of its body. */

/** Codes of bodies that are no names of the product's modules: the specification shows none (S115). */
export type PlainCode =
  | "bad_request"
  | "unauthorized"
  | "permission_denied"
  | "license_expired"
  | "not_found"
  | "method_not_allowed"
  | "database_busy"
  | "too_large"
  | "bad_api_version"
  | "internal_error"
  | "unavailable";

/** Thrown wherever a call cannot go on; the one place that answers turns it into a response. */
export class ApiRefusal extends Error {
  /** Sent with it. */
  headers: Readonly<Record<string, string>> = {};

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }

  /** The same, with headers. */
  with(headers: Readonly<Record<string, string>>): this {
    this.headers = headers;
    return this;
  }
}

/** 400 (S109): malformed, all problems at once. */
export function malformed(problems: readonly string[], code = "bad_request"): ApiRefusal {
  return new ApiRefusal(400, code, problems.join("; "));
}

/** 404 (S110). */
export function notFound(what: string): ApiRefusal {
  const code: PlainCode = "not_found";
  return new ApiRefusal(404, code, `${what} does not exist`);
}
