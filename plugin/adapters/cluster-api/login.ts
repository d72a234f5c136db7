/** Who asks: a name and a password, or the token that they are exchanged for (S105; domain facts 9). */

import { concealed } from "../../domain/public-words";

/** Read once from a Secret; never printed, and never on a command line. */
export interface ApiCredentials {
  readonly username: string;
  readonly password: string;
}

/** The header of every request, and what to do when it is refused. */
export class Login {
  private token: string | undefined;

  constructor(readonly credentials: ApiCredentials) {}

  get header(): string {
    const { username, password } = this.credentials;
    if (this.token !== undefined) return `JWT ${this.token}`;
    return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  }

  /** From now on this token; the next one replaces it when its time is over. */
  use(token: string): void {
    this.token = token;
  }

  /** Takes every form of the secret out of a text that a server made. */
  conceal(text: string): string {
    const { username, password } = this.credentials;
    return concealed(text, [`${username}:${password}`, password, this.token ?? ""]);
  }
}
