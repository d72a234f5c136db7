/**
 * Whether the secret that feeds the webhook can be trusted with it (S27, S28, S30): facts go in,
 * findings come out. Reading and parsing happen elsewhere; no item's value is ever a fact.
 */
import type { Finding, Severity } from "./findings";
import type { Names } from "./names";

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

/** What the facts are judged against. */
export interface CertificateContext {
  readonly namespace: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly names: Names;
}

/** One kind of finding about certificates, as `explain CODE` shows it. */
export interface CertificateCode {
  readonly code: string;
  readonly severity: Severity;
  readonly cause: string;
  readonly fix: string;
  readonly source: string;
}

/** The cause in this very case, undefined where the fact is as it should be. */
type Judgment = (facts: CertificateFacts, context: CertificateContext) => string | undefined;

/** A code with the predicate that gives it out. */
export interface CertificateCheck extends CertificateCode {
  readonly field: (names: Names) => string;
  readonly judge: Judgment;
}

const day = 24 * 60 * 60_000;
const warningDays = 30;
const brokenHashes = /sha-?1(?!\d)|md5|md2/i;

const newPair = "create a new pair with `cert create --replace`, then run `upgrade-webhook`";
const certItem = (names: Names): string => `data.${names.webhook.secretCert}`;

/** The one cause that no facts can show: there is nothing to read. */
export const secretAbsent: CertificateCode = {
  code: "SECRET-MISSING",
  severity: "error",
  cause: "the secret with the webhook's certificate does not exist",
  fix: "wait for the operator's admission server to create it, or create one with `cert create`",
  source: "S27",
};

/** In the order of the state table: what comes first explains what comes after. */
export const certificateChecks: readonly CertificateCheck[] = [
  {
    code: "SECRET-TYPE",
    severity: "error",
    cause: "the secret is not of type Opaque",
    fix: `the type of a secret cannot be changed: ${newPair}`,
    source: "S27",
    field: () => "type",
    judge: ({ secret }) =>
      secret === undefined || secret.type === "Opaque"
        ? undefined
        : `the secret is of type ${secret.type}, not Opaque`,
  },
  {
    code: "SECRET-ITEMS",
    severity: "error",
    cause: "the secret does not hold exactly the two items certificate and private key",
    fix: `keep the certificate and its private key as the only two items, or ${newPair}`,
    source: "S27",
    field: () => "data",
    judge: judgeItems,
  },
  {
    code: "SECRET-NO-CERT",
    severity: "error",
    cause: "the secret has no item with the certificate",
    fix: "store the certificate under the name that the specification gives (tls.crt is not read)",
    source: "S28",
    field: certItem,
    judge: ({ present, secret }, { names }) =>
      present
        ? undefined
        : `the secret has no item ${names.webhook.secretCert}, it has ${listed(secret?.items ?? [])}`,
  },
  {
    code: "SECRET-NOT-PEM",
    severity: "error",
    cause: "the certificate item is not a PEM certificate",
    fix: `store the certificate as PEM text, encoded in base64 once; or ${newPair}`,
    source: "S28",
    field: certItem,
    judge: judgePem,
  },
  {
    code: "SECRET-PRIVATE-KEY-IN-CERT",
    severity: "error",
    cause:
      "the certificate item also holds a private key, which the webhook configuration would make readable for everyone",
    fix: `take that key out of use: ${newPair}`,
    source: "S30",
    field: certItem,
    judge: ({ holdsPrivateKey }) =>
      holdsPrivateKey
        ? "the certificate item also holds a private key; copied into caBundle it would be readable for everyone"
        : undefined,
  },
  {
    code: "CERT-SAN",
    severity: "error",
    cause: "the certificate is not made for the name under which the API server calls the webhook",
    fix: newPair,
    source: "S30",
    field: certItem,
    judge: onLeaf((leaf, { namespace, names }) => {
      const host = `${names.webhook.service}.${namespace}.svc`;
      return leaf.san.some((name) => covers(name, host))
        ? undefined
        : `the certificate is not made for ${host}; its DNS names: ${listed(leaf.san)}`;
    }),
  },
  {
    code: "CERT-EXPIRED",
    severity: "error",
    cause: "the certificate has expired",
    fix: newPair,
    source: "S27",
    field: certItem,
    judge: onLeaf(({ notAfter }, { now }) =>
      Date.parse(notAfter) < now ? `the certificate expired on ${notAfter}` : undefined,
    ),
  },
  {
    code: "CERT-NOT-YET-VALID",
    severity: "error",
    cause: "the certificate is not valid yet",
    fix: `compare this machine's clock with the cluster's, wait until then, or ${newPair}`,
    source: "S27",
    field: certItem,
    judge: onLeaf(({ notBefore }, { now }) =>
      Date.parse(notBefore) > now ? `the certificate is not valid before ${notBefore}` : undefined,
    ),
  },
  {
    code: "CERT-KEY-MISMATCH",
    severity: "error",
    cause: "the certificate and the private key do not belong together",
    fix: newPair,
    source: "S27",
    field: (names) => `data.${names.webhook.secretKey}`,
    judge: ({ matchesPrivateKey }) =>
      matchesPrivateKey === false
        ? "the private key is unreadable or is not the certificate's: no connection to the webhook can succeed"
        : undefined,
  },
  {
    code: "CERT-EXPIRES-SOON",
    severity: "warning",
    cause: `the certificate expires within ${warningDays} days`,
    fix: `before that day, ${newPair}`,
    source: "S27",
    field: certItem,
    judge: onLeaf(({ notAfter }, { now }) => {
      const left = Date.parse(notAfter) - now;
      return left >= 0 && left < warningDays * day
        ? `the certificate expires on ${notAfter}, days left: ${Math.floor(left / day)}`
        : undefined;
    }),
  },
  {
    code: "CERT-WEAK",
    severity: "warning",
    cause: "the certificate uses a broken hash or a short RSA key, which TLS clients refuse",
    fix: newPair,
    source: "S27",
    field: certItem,
    judge: onLeaf(judgeStrength),
  },
  {
    code: "CERT-CHAIN",
    severity: "warning",
    cause: "the certificates in the item do not form a chain, each issued by the next",
    fix: "order them from the served certificate to its root and leave out the others",
    source: "S28",
    field: certItem,
    judge: (facts) =>
      facts.chainOk || isOverlap(facts)
        ? undefined
        : `the ${facts.count} certificates in the item are not a chain, each issued by the next`,
  },
];

/** A certificate that is its own root, with the one before it: both are trusted while the new one comes into use. */
function isOverlap({ count, leaf }: CertificateFacts): boolean {
  return count === 2 && leaf?.selfSigned === true;
}

/** A judgment of the certificate, which says nothing where there is none. */
function onLeaf(judge: (leaf: LeafFacts, context: CertificateContext) => string | undefined) {
  return ({ leaf }: CertificateFacts, context: CertificateContext): string | undefined =>
    leaf === undefined ? undefined : judge(leaf, context);
}

function judgeItems({ secret, present }: CertificateFacts, { names }: CertificateContext) {
  if (secret === undefined) return undefined;
  const { secretCert, secretKey } = names.webhook;
  const wanted = `${secretCert}, ${secretKey}`;
  if (secret.items.length !== 2) {
    return `the secret holds ${secret.items.length} items (${listed(secret.items)}), not the two items ${wanted}`;
  }
  return present && !secret.items.includes(secretKey)
    ? `the secret holds ${listed(secret.items)}, not ${wanted}`
    : undefined;
}

function judgePem({ present, base64, pem, encodedTwice }: CertificateFacts): string | undefined {
  if (!present || pem) return undefined;
  if (!base64) return "the certificate item is not base64";
  return encodedTwice
    ? "the certificate item is base64 of base64: the PEM text was encoded twice"
    : "the certificate item holds no PEM certificate, or one that cannot be parsed";
}

function judgeStrength({ keyType, keyBits, signature }: LeafFacts): string | undefined {
  const reasons = [
    ...(brokenHashes.test(signature) ? [`it is signed with ${signature}`] : []),
    ...(keyType === "rsa" && keyBits !== undefined && keyBits < 2048
      ? [`its RSA key has ${keyBits} bits`]
      : []),
  ];
  return reasons.length === 0 ? undefined : `the certificate is weak: ${reasons.join(" and ")}`;
}

/** As Go's verifier reads a DNS name: without case, a star stands for the whole first label. */
function covers(name: string, host: string): boolean {
  const pattern = name.toLowerCase();
  return pattern === host || pattern === host.replace(/^[^.]+/, "*");
}

function listed(words: readonly string[]): string {
  return words.length === 0 ? "none" : words.join(", ");
}

/** The catalogue entries of every code that this file gives out, the most fundamental first. */
export const certificateCodes: readonly CertificateCode[] = [
  secretAbsent,
  ...certificateChecks.map(({ code, severity, cause, fix, source }) => ({
    code,
    severity,
    cause,
    fix,
    source,
  })),
];

/** One finding per unfit fact, the most fundamental first; none for a fit certificate. */
export function judgeCertificate(
  facts: CertificateFacts,
  context: CertificateContext,
): readonly Finding[] {
  const object = facts.secret === undefined ? {} : { object: secretObject(facts.secret) };
  return certificateChecks.flatMap(({ code, severity, fix, source, field, judge }) => {
    const cause = judge(facts, context);
    if (cause === undefined) return [];
    return [{ code, severity, ...object, field: field(context.names), cause, fix, source }];
  });
}

/** The finding for a secret that is not there at all. */
export function absentSecret(namespace: string, names: Names): Finding {
  const name = names.webhook.secret;
  return {
    code: secretAbsent.code,
    severity: secretAbsent.severity,
    object: secretObject({ namespace, name }),
    cause: `the secret ${name} does not exist in namespace ${namespace}`,
    fix: secretAbsent.fix,
    source: secretAbsent.source,
  };
}

/** The one error that explains the others, undefined when there is none: warnings do not stop. */
export function firstUnfit(findings: readonly Finding[]): Finding | undefined {
  const errors = findings.filter(({ severity }) => severity === "error");
  const rank = ({ code }: Finding): number =>
    certificateCodes.findIndex((known) => known.code === code);
  return errors.sort((one, other) => rank(one) - rank(other))[0];
}

/** A secret as findings and steps write it. */
export function secretObject(secret: {
  readonly namespace: string;
  readonly name: string;
}): string {
  return `Secret/${secret.namespace}/${secret.name}`;
}
