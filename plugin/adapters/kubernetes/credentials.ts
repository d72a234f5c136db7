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
