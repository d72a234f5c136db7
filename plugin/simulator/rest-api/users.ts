/** Who calls: basic credentials and tokens, compared in constant time (S104–S106; domain facts 9). */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../ports/kubernetes";
import { ApiRefusal, type ApiUser, type ClusterStore } from "./state";

interface Token {
  readonly user: ApiUser;
  readonly until: number;
}

/** Knows callers by their Authorization header. */
export class Callers {
  readonly #tokens = new Map<string, Token>();

  constructor(
    private readonly store: ClusterStore,
    private readonly clock: Clock,
    /** False: basic credentials are refused. */
    private readonly basic: boolean,
  ) {}

  /** The caller; 401 without, with a challenge, and never with what was sent. */
  findUser(authorization: string | undefined): ApiUser {
    const [, scheme = "", credentials = ""] = /^(\S+) +(\S+)$/.exec(authorization ?? "") ?? [];
    const user = this.#userOf(scheme.toLowerCase(), credentials);
    if (user === undefined) throw this.#unauthorized();
    return user;
  }

  #userOf(scheme: string, credentials: string): ApiUser | undefined {
    if (scheme === "basic" && this.basic) {
      const [, name = "", password = ""] =
        /^([^:]*):(.*)$/s.exec(Buffer.from(credentials, "base64").toString("utf8")) ?? [];
      return this.proven(name, password);
    }
    if (scheme !== "jwt" && scheme !== "bearer") return undefined;
    const token = this.#tokens.get(credentials);
    return token === undefined || token.until <= this.clock.now() ? undefined : token.user;
  }

  /** Every user is compared, so that the time says nothing about who there is. */
  proven(name: string, password: string): ApiUser | undefined {
    return this.store.users.reduce<ApiUser | undefined>((found, user) => {
      const fits = [isSame(name, user.name), isSame(password, user.password)].every(Boolean);
      return fits ? user : found;
    }, undefined);
  }

  /** A token for someone who has proven who he is. */
  tokenFor(name: string, proof: { readonly password: string; readonly seconds: number }): string {
    const user = this.proven(name, proof.password);
    if (user === undefined) throw this.#unauthorized();
    const token = randomBytes(32).toString("base64url");
    this.#tokens.set(token, { user, until: this.clock.now() + proof.seconds * 1000 });
    return token;
  }

  #unauthorized(): ApiRefusal {
    const challenge = this.basic ? 'Basic realm="cluster", charset="UTF-8"' : "Bearer";
    const refusal = new ApiRefusal(401, "unauthorized", "credentials are missing or wrong");
    return refusal.with({ "www-authenticate": challenge });
  }
}

/** Digests are of one length, so that not even that shows. */
function isSame(one: string, other: string): boolean {
  const [left, right] = [one, other].map((text) => createHash("sha256").update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
}
