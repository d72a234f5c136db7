/** Credentials of requests: what they are, where they come from, how long they are kept. */
import { UsageError } from "../../domain/base/errors";
import type { Clock } from "../../ports/kubernetes";
import type { ClientPair } from "../http/agents";
import type { ServerTarget } from "./target";

/** What a request is authenticated with. */
export interface Credential {
  readonly authorization?: string;
  readonly pair?: ClientPair | undefined;
}

/** Where a credential is asked for. */
export interface CredentialContext {
  readonly target: ServerTarget;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** Longest time for an identity provider to answer. */
  readonly timeoutMs: number;
  /** Longest time for a plugin, in which a person may have to log in. */
  readonly loginMs: number;
  readonly silent?: boolean | undefined;
  /** Output is one document: what a plugin says of its failure belongs into it. */
  readonly isDocument?: boolean | undefined;
  /** Told of what a person should know although the run goes on. */
  readonly warn: (text: string) => void;
}

/** Where credentials come from. */
export interface CredentialSource {
  get(): Promise<Credential>;
  /** After a 401 to this credential: forgets it; true when asking again may give another one. */
  refused(used: Credential): boolean;
  /** After a success with this credential. */
  accepted?(used: Credential): void;
  close(): void;
}

/** The header's value; a token that no header can carry is told without being shown. */
export function bearer(token: string): string {
  if (/[^\x21-\x7e]/.test(token)) {
    throw new UsageError("the bearer token holds characters that no header can carry");
  }
  return `Bearer ${token}`;
}

/** A credential and when it ends, in milliseconds since 1970. */
export interface Issued {
  readonly credential: Credential;
  readonly expires: number;
}

/** Asks when needed; requests that come at the same time wait for the same answer. */
export class KeptCredential {
  private pending: Promise<Issued> | undefined;
  private issuedLast: Credential | undefined;
  /** It was renewed after a 401, and no request has succeeded since. */
  private isUnproven = false;

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

  /** A 401 renews it once: a renewed one that is refused before any success is kept, and asked for no more. */
  refused(used: Credential): boolean {
    if (!this.isCurrent(used)) return true; // another request has begun the renewal
    if (this.isUnproven) return false;
    this.isUnproven = true;
    this.forget();
    return true;
  }

  accepted(used: Credential): void {
    if (this.isCurrent(used)) this.isUnproven = false;
  }

  /** Compared by what is sent: a user's own certificate may have been added to it. */
  private isCurrent({ authorization, pair }: Credential): boolean {
    const last = this.issuedLast;
    if (last === undefined || last.authorization !== authorization) return false;
    return last.pair === undefined || last.pair === pair;
  }

  private forget(): void {
    this.pending = undefined;
    this.issuedLast = undefined;
  }

  private issued(): Promise<Issued> {
    this.pending ??= this.renew();
    return this.pending;
  }

  private async renew(): Promise<Issued> {
    try {
      const issued = await this.ask();
      this.issuedLast = issued.credential;
      return issued;
    } catch (error) {
      this.forget();
      throw error;
    }
  }
}
