/** What the probes say. */
import type { RequestHandler } from "express";
import type { CertificateState } from "./certificate/served";

/** What has to hold before the first review can be judged. */
interface Conditions {
  readonly certificate: () => boolean;
  readonly clusters: () => boolean;
  /** Which certificate is served, for whoever compares it with what should be. */
  readonly certificateState?: () => CertificateState;
}

export interface Readiness {
  readonly ready: boolean;
  readonly conditions: Readonly<Record<string, boolean>>;
  readonly certificate?: CertificateState;
}

export class Health {
  private leaving = false;

  constructor(private readonly conditions: Conditions) {}

  /** From now on: not ready, and every answer closes its connection, so that callers move on. */
  drain(): void {
    this.leaving = true;
  }

  /** Each condition by name, and whether all hold. */
  readiness(): Readiness {
    const conditions = {
      certificate: this.conditions.certificate(),
      clusters: this.conditions.clusters(),
      serving: !this.leaving,
    };
    const certificate = this.conditions.certificateState?.();
    return {
      ready: Object.values(conditions).every(Boolean),
      conditions,
      ...(certificate && { certificate }),
    };
  }

  /** The header that closes connections while it drains. */
  readonly closeConnections: RequestHandler = (_request, response, next) => {
    if (this.leaving) response.set("connection", "close");
    next();
  };

  /** Alive is an event loop that answers, nothing else: a restart cures nothing else. */
  readonly livez: RequestHandler = (_request, response) => {
    response.json({ live: true });
  };

  readonly readyz: RequestHandler = (_request, response) => {
    const readiness = this.readiness();
    response.status(readiness.ready ? 200 : 503).json(readiness);
  };
}
