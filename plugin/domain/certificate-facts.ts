/** What is known of the webhook's certificate once it is read; values of items are never part. */

/** What the secret itself says, without any of its values. */
export interface SecretFacts {
  readonly name: string;
  readonly namespace: string;
  readonly type: string;
  /** Names of the data items, sorted. */
  readonly items: readonly string[];
}

/** What one X.509 certificate says. */
export interface LeafFacts {
  /** Fingerprint of the DER form, lower-case hex. */
  readonly sha256: string;
  readonly subject: string;
  readonly issuer: string;
  /** DNS names among the subject alternative names. */
  readonly san: readonly string[];
  /** RFC 3339, UTC. */
  readonly notBefore: string;
  readonly notAfter: string;
  readonly ca: boolean;
  readonly selfSigned: boolean;
  /** "rsa", "ec", "ed25519", …; "unknown" when the library cannot tell. */
  readonly keyType: string;
  readonly keyBits: number | undefined;
  /** Name of the signature algorithm, or its object identifier where no name is known. */
  readonly signature: string;
}

/** What a PEM text holds that is meant as a certificate. */
export interface PemFacts {
  /** At least one certificate block, and every one of them parses. */
  readonly pem: boolean;
  /** The text is base64 of PEM once more: encoded twice. */
  readonly encodedTwice: boolean;
  /** Number of certificate blocks. */
  readonly count: number;
  readonly holdsPrivateKey: boolean;
  /** Each certificate is issued by the next one. */
  readonly chainOk: boolean;
  /** The first certificate, the one that is served. */
  readonly leaf: LeafFacts | undefined;
}

/** Everything that a verdict about the secret, or about a PEM file offered for it, needs. */
export interface CertificateFacts extends PemFacts {
  /** Undefined when a bare PEM file is judged. */
  readonly secret: SecretFacts | undefined;
  /** The item with the certificate exists. */
  readonly present: boolean;
  /** The item decodes from base64. */
  readonly base64: boolean;
  /** Undefined when there is no certificate or no private key to compare. */
  readonly matchesPrivateKey: boolean | undefined;
  /** The item exactly as stored, which is what clientConfig.caBundle takes. */
  readonly caBundle: string;
}
