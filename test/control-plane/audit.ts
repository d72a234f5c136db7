import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { randomUUID } from "node:crypto";
import type { Api } from "./api";
import { until } from "./until";

/**
 * Requests are recorded with their metadata only: who, what, when, with which result. Bodies would
 * put the contents of secrets into a file; that of a question about one's own rights holds none.
 */
export const auditPolicy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [
    {
      level: "Request",
      resources: [{ group: "authorization.k8s.io", resources: ["selfsubjectaccessreviews"] }],
    },
    { level: "Metadata" },
  ],
};

/** The parts of an audit event that tests ask for. */
export interface AuditEvent {
  readonly auditID: string;
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string; readonly groups?: readonly string[] };
  readonly impersonatedUser?: { readonly username: string };
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly apiGroup?: string;
  };
  readonly responseStatus?: { readonly code?: number; readonly reason?: string };
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Of a question about one's own rights alone. */
  readonly requestObject?: {
    readonly spec?: { readonly resourceAttributes?: Readonly<Record<string, string>> };
  };
}

export interface WriteFilter {
  /** The user who sent the request, or who was impersonated by it. */
  readonly user?: string;
  /** Only the requests that the server carried out, or only those that it refused. */
  readonly outcome?: "accepted" | "refused";
}

const writeVerbs = new Set(["create", "update", "patch", "delete", "deletecollection"]);

const reviews = new Set([
  "selfsubjectaccessreviews",
  "selfsubjectrulesreviews",
  "selfsubjectreviews",
  "subjectaccessreviews",
  "localsubjectaccessreviews",
  "tokenreviews",
]);

/**
 * A request that persists something if it is accepted. A dry run counts as none when its URL says
 * so; in the body of a delete it would not be seen here, nor by an admin who reads this log.
 */
export function isWrite(event: AuditEvent): boolean {
  const dryRun = new URL(event.requestURI, "https://server").searchParams.getAll("dryRun");
  return (
    event.stage === "ResponseComplete" &&
    writeVerbs.has(event.verb) &&
    !reviews.has(event.objectRef?.resource ?? "") &&
    !dryRun.includes("All")
  );
}

export function fits(event: AuditEvent, { user, outcome }: WriteFilter): boolean {
  const names = [event.user.username, event.impersonatedUser?.username];
  const accepted = (event.responseStatus?.code ?? 0) < 400;
  return (
    (user === undefined || names.includes(user)) &&
    (outcome === undefined || (outcome === "accepted") === accepted)
  );
}

/** The audit log of one server, read as it grows. */
export class AuditLog {
  private readonly events: AuditEvent[] = [];
  private offset = 0;
  private finished = false;

  constructor(
    readonly file: string,
    private readonly api: Api,
  ) {}

  /**
   * Every event up to now. The answer to a request may overtake its line in the log, so that a
   * request of our own is sent after it, and the log is complete when that one has arrived.
   */
  async read(): Promise<readonly AuditEvent[]> {
    if (this.finished) {
      return this.events.slice();
    }
    const fence = `/version?fence=${randomUUID()}`;
    await this.api.send("GET", fence);
    await until("the audit log", () => {
      this.readMore();
      return this.events.some((event) => event.requestURI === fence) || undefined;
    });
    return this.events.slice();
  }

  /** To be called before the server is stopped: what it has recorded stays readable. */
  async finish(): Promise<void> {
    await this.read();
    this.finished = true;
  }

  private readMore(): void {
    const handle = openSync(this.file, "r");
    try {
      const size = fstatSync(handle).size - this.offset;
      const bytes = Buffer.alloc(size);
      const length = readSync(handle, bytes, 0, size, this.offset);
      const complete = bytes.subarray(0, length).lastIndexOf(10) + 1;
      this.offset += complete;
      for (const line of bytes.subarray(0, complete).toString("utf8").split("\n")) {
        if (line !== "") {
          this.events.push(JSON.parse(line) as AuditEvent);
        }
      }
    } finally {
      closeSync(handle);
    }
  }
}
