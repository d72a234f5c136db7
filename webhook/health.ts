/** What the probes tell: alive, ready, and why not. */
import type { CertificateState } from "./certificate";

/** What has to hold before the first review can be judged. */
export interface Conditions {
  /** True once a valid pair was loaded. */
  readonly certificate: () => boolean;
  /** True once the ECs were read completely. */
  readonly clusters: () => boolean;
  /** Which certificate is served, for whoever compares it with what should be. */
  readonly certificateState?: () => CertificateState;
}

/** What the readiness probe answers. */
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

  connectionHeaders(): Readonly<Record<string, string>> {
    return this.leaving ? { connection: "close" } : {};
  }
}
