/** Who asks the REST API: the credentials, the header that they become, and whether they were refused. */
import { conceal } from "../../domain/base/redact";
import type { HttpAnswer } from "../http/answer";

/** Read once from a Secret; never printed, and never on a command line. */
export interface ApiCredentials {
  readonly username: string;
  readonly password: string;
}

/** The header of every request, and what to do when it is refused. */
export class Login {
  /** An answer other than 401 has come. */
  isAccepted = false;
  /** The answer to the one failed login. */
  refusal: HttpAnswer | undefined;
  private token: string | undefined;
  private asked = false;

  constructor(
    readonly credentials: ApiCredentials,
    private readonly about: {
      /** For people: Secret/engine/ec. */
      readonly secret: string;
      /** The server may take tokens only, which a first 401 would not tell from a wrong password. */
      readonly mayNeedToken: boolean;
    },
  ) {}

  get secret(): string {
    return this.about.secret;
  }

  get hasToken(): boolean {
    return this.token !== undefined;
  }

  /** Before the first request: a refused token request is the one failed login, then. */
  get asksForToken(): boolean {
    return this.about.mayNeedToken && !this.asked;
  }

  refused(answer: HttpAnswer): HttpAnswer {
    this.refusal = answer;
    return answer;
  }

  get header(): string {
    const { username, password } = this.credentials;
    if (this.token !== undefined) return `JWT ${this.token}`;
    return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  }

  /** From now on this token; the next one replaces it when its time is over. None: the password. */
  use(token: string | undefined): void {
    this.asked = true;
    this.token = token;
  }

  /** Takes every form of the secret out of a text that a server made. */
  conceal(text: string): string {
    const { username, password } = this.credentials;
    return conceal(text, [`${username}:${password}`, password, this.token ?? ""]);
  }
}
