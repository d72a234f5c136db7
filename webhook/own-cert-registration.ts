/** The registration as it was read last: which certificates callers trust. */
import {
  type Certificate,
  registrationFacts,
  type RegistrationFacts,
  type Self,
} from "./own-cert-facts";
import { type OwnCertRequests, placesOf } from "./own-cert-requests";
import { pemOf } from "./own-cert-step";

export class Registration {
  private fingerprints: ReadonlySet<string> | undefined;

  constructor(
    private readonly requests: OwnCertRequests,
    private readonly self: Self,
  ) {}

  /** SHA-256 of what callers trust; undefined where no registration was found, or it is unreadable. */
  trusted(): ReadonlySet<string> | undefined {
    return this.fingerprints;
  }

  /** Undefined where nothing points at this webhook. */
  async read(signal: AbortSignal): Promise<RegistrationFacts | undefined> {
    try {
      return this.keep(await this.requests.read(this.place(), signal));
    } catch (error) {
      this.fingerprints = undefined;
      throw error;
    }
  }

  /** Makes the callers trust these certificates and no others. */
  async trust(
    certificates: readonly Certificate[],
    { version }: RegistrationFacts,
    signal: AbortSignal,
  ): Promise<RegistrationFacts | undefined> {
    const caBundle = Buffer.from(pemOf(certificates)).toString("base64");
    const { entry: name } = this.self.names.webhook;
    const patch = {
      metadata: { resourceVersion: version },
      webhooks: [{ name, clientConfig: { caBundle } }],
    };
    return this.keep(await this.requests.patch(this.place(), patch, signal));
  }

  private keep(configuration: Parameters<typeof registrationFacts>[0]) {
    const facts = registrationFacts(configuration, this.self);
    this.fingerprints = facts && new Set(facts.certificates.map(({ sha256 }) => sha256));
    return facts;
  }

  private place() {
    return placesOf(this.self.names, this.self.namespace).configuration;
  }
}
