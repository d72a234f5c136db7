/** What a connection lets through that only looks: reads, and the two questions about oneself. */
import { EngineError, exitCodes } from "../../domain/errors";
import type { RequestSeen } from "./flags";

/** These are asked with a POST and change nothing: what may I do, and who am I. */
const questions: readonly string[] = [
  "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
  "/apis/authentication.k8s.io/v1/selfsubjectreviews",
];

/** A write was about to be sent over a connection that only reads: an error of the program. */
export class ReadOnlyError extends EngineError {
  readonly code = "READ_ONLY";
  readonly exitCode = exitCodes.failed;
}

/** Throws for every request that could change something, dry runs included; nothing is sent then. */
export function refuseWrites(
  refused: ((request: RequestSeen) => void) | undefined,
): (request: RequestSeen) => void {
  return (request) => {
    const { method, path, dryRun } = request;
    if (method === "GET") return;
    if (method === "POST" && !dryRun && questions.includes(path)) return;
    refused?.(request);
    throw new ReadOnlyError(
      `${method} ${path} was not sent: this connection only reads${dryRun ? ", and a dry run is a write" : ""}`,
      { hint: "report this as an error of kubectl-engine; the cluster was not touched" },
    );
  };
}
