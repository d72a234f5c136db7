/** A credential that costs something to get: asked for once, until it expires or is forgotten. */
import type { Clock } from "../../run/ports";
import type { Credential } from "./credential";

/** A credential and when it ends, in milliseconds since 1970. */
export interface Issued {
  readonly credential: Credential;
  readonly expires: number;
}

/** Asks when needed; requests that come at the same time wait for the same answer. */
export class KeptCredential {
  private pending: Promise<Issued> | undefined;

  constructor(
    private readonly ask: () => Promise<Issued>,
    private readonly clock: Clock,
  ) {}

  async get(): Promise<Credential> {
    const pending = this.issued();
    const { credential, expires } = await pending;
    if (this.clock.now() < expires) return credential;
    if (this.pending === pending) this.forget();
    return (await this.issued()).credential;
  }

  forget(): void {
    this.pending = undefined;
  }

  private issued(): Promise<Issued> {
    this.pending ??= this.ask().catch((error: unknown) => {
      this.forget();
      throw error;
    });
    return this.pending;
  }
}
