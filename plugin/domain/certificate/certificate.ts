/**
 * Whether the secret that feeds the webhook can be trusted with it (S27, S28, S30): facts go in,
 * findings come out. Reading and parsing happen elsewhere; no item's value is ever a fact.
 */
import { countNoun } from "../base/values";
import { error, type Explained, type Finding, warning } from "../base/findings";
import { type Remedy, renderFix, tool } from "../base/remedy";
import type { Names } from "../names/names";
import type { Keeper } from "./keepers";

/** What the secret itself says, without any of its values. */
export interface SecretFacts {
  readonly name: string;
  readonly namespace: string;
  readonly type: string;
  /** The controller that keeps it, if any. */
  readonly keeper?: Keeper;
  /** Names of the data items, sorted. */
  readonly items: readonly string[];
  /** The pair was read from tls.crt and tls.key, as controllers that issue certificates write it. */
  readonly isTls?: boolean;
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
  /**
   * Why an API server refuses them although it trusts them themselves (S28), under any name and at
   * any time, in Go's words; undefined where it takes them, and where there is no certificate.
   */
  readonly refused: string | undefined;
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
  /**
   * Why an API server that trusts the CA beside the certificate (ca.crt) refuses the certificate, in
   * Go's words; absent where it takes it, and where there is none beside it.
   */
  readonly caRefuses?: string;
  /** Of the caBundles asked about, those by which an API server takes the certificate. */
  readonly trustedBy?: readonly string[];
}

/** What the facts are judged against. */
interface CertificateContext {
  readonly namespace: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly names: Names;
}

/** The cause in this very case, undefined where the fact is as it should be. */
type CertificatePredicate = (
  facts: CertificateFacts,
  context: CertificateContext,
) => string | undefined;

/** A code with the predicate that gives it out. */
interface CertificateCheck extends Explained {
  /** The ways out, by the one in which the pair is renewed. */
  readonly ways: Ways;
  /** What is so where it says nothing. */
  readonly title: string;
  /** Where it is in the Secret; absent: in the item with the certificate. */
  readonly field?: (names: Names) => string;
  readonly judge: CertificatePredicate;
}

const day = 24 * 60 * 60_000;
const warningDays = 30;
const brokenHashes = /sha-?1(?!\d)|md5|md2/i;

type Ways = (renewed: Renewing, keeper?: Keeper) => readonly Remedy[];

/** What renews the pair; its next step puts the CA of the new pair in force. */
type Renewing = (before?: string) => Remedy;

const then = tool("run `upgrade-webhook`", "upgrade-webhook");

const byNewPair: Renewing = (before = "") => ({
  ...tool(
    `${before}create a new pair with \`cert create --replace\``,
    "cert",
    "create",
    "--replace",
  ),
  then,
});

/** What is changed in a Secret that a controller keeps comes back: the way is the controller's own. */
const byKeeper =
  ({ name, way }: Keeper): Renewing =>
  (before = "") => ({
    says: `${before}${way} (${name} keeps the Secret)`,
    then: { says: then.says },
  });

/** A code whose fix is rendered from its ways. */
const codeOf = (
  make: typeof error,
  code: string,
  source: string,
  { cause, ways }: { readonly cause: string; readonly ways: Ways },
) => ({ ...make(code, source, { cause, fix: renderFix(ways(byNewPair)) }), ways });

/** Nothing but a new pair helps. */
const renew: Ways = (renewed) => [renewed()];
/** Where a person has to decide first, a new pair is named without its command. */
const nameOnly = ({ says }: Remedy): Remedy => ({ says: `${says}, then ${then.says}` });
/** What a person does; where a controller keeps the Secret, through it. */
const alone =
  (says: string): Ways =>
  (_, keeper) => [
    keeper === undefined
      ? { says }
      : { says, then: { says: `${keeper.way} (${keeper.name} keeps the Secret)` } },
  ];
/** What a person does, or a new pair. */
const orRenew =
  (...says: readonly string[]): Ways =>
  (renewed) => [...says.map((one) => ({ says: one })), renewed()];
const certItem = (names: Names): string => `data.${names.webhook.secretCert}`;

/** The one cause that no facts can show: there is nothing to read. */
export const secretAbsent = error("SECRET-MISSING", "S27", {
  cause: "the secret with the webhook's certificate does not exist",
  fix: "wait for the operator's admission server to create it, or create one with `cert create`",
});

/** In the order of the state table: what comes first explains what comes after. */
export const certificateChecks: readonly CertificateCheck[] = [
  {
    ...codeOf(error, "SECRET-TYPE", "S27", {
      cause: "the secret is not of type Opaque",
      ways: (renewed) => [renewed("the type of a secret cannot be changed: ")],
    }),
    title: "The webhook's Secret is of type Opaque",
    field: () => "type",
    judge: ({ secret }) =>
      secret === undefined || secret.type === "Opaque" || isIssued(secret)
        ? undefined
        : `the secret is of type ${secret.type}, not Opaque`,
  },
  {
    ...codeOf(error, "SECRET-ITEMS", "S27", {
      cause: "the secret does not hold exactly the two items certificate and private key",
      ways: orRenew("keep the certificate and its private key as the only two items"),
    }),
    title: "The webhook's Secret holds the two items",
    field: () => "data",
    judge: judgeItems,
  },
  {
    ...codeOf(error, "SECRET-NO-CERT", "S28", {
      cause: "the secret has no item with the certificate",
      ways: alone(
        "store the certificate under the name that the specification gives (tls.crt is not read)",
      ),
    }),
    title: "The webhook's Secret holds the certificate",
    judge: ({ present, secret }, { names }) =>
      present
        ? undefined
        : `the secret has no item ${names.webhook.secretCert}, it has ${renderList(secret?.items ?? [])}`,
  },
  {
    ...codeOf(error, "SECRET-NOT-PEM", "S28", {
      cause: "the certificate item is not a PEM certificate",
      ways: orRenew("store the certificate as PEM text, encoded in base64 once"),
    }),
    title: "The certificate is PEM, encoded once",
    judge: judgePem,
  },
  {
    ...codeOf(error, "SECRET-PRIVATE-KEY-IN-CERT", "S30", {
      cause:
        "the certificate item also holds a private key, which the webhook configuration would make readable for everyone",
      ways: (renewed) => [renewed("that key is no longer secret: ")],
    }),
    title: "The certificate item holds no private key",
    judge: ({ holdsPrivateKey }) =>
      holdsPrivateKey
        ? "the certificate item also holds a private key; copied into caBundle it would be readable for everyone"
        : undefined,
  },
  {
    ...codeOf(error, "CERT-REFUSED", "S28", {
      cause: "no API server accepts the certificate, even one that trusts it",
      ways: renew,
    }),
    title: "API servers accept the certificate",
    judge: ({ refused }) =>
      refused === undefined ? undefined : `no API server accepts the certificate: ${refused}`,
  },
  {
    ...codeOf(error, "SECRET-CA", "S28", {
      cause: "the CA in the secret is not the one that issued the certificate beside it",
      ways: (renewed) => [
        { says: "put the CA that issued tls.crt into ca.crt, by having the pair issued again" },
        { says: "take the injector's annotation off the configuration", then: nameOnly(renewed()) },
      ],
    }),
    title: "The CA beside the certificate is the one that issued it",
    field: () => "data.ca.crt",
    judge: ({ caRefuses, refused }) =>
      caRefuses === undefined || refused !== undefined
        ? undefined
        : `its ca.crt, which callers are made to trust, is not the CA of its tls.crt: ${caRefuses}`,
  },
  {
    ...codeOf(error, "CERT-SAN", "S30", {
      cause:
        "the certificate is not made for the name under which the API server calls the webhook",
      ways: renew,
    }),
    title: "The certificate is made for the webhook's Service",
    judge: ({ leaf, refused }, { namespace, names }) => {
      if (leaf === undefined) return undefined;
      const host = `${names.webhook.service}.${namespace}.svc`;
      // the names of what Go cannot parse are not known
      const isUnknown = refused !== undefined && leaf.san.length === 0;
      return isUnknown || leaf.san.some((name) => covers(name, host))
        ? undefined
        : `the certificate is not made for ${host}; its DNS names: ${renderList(leaf.san)}`;
    },
  },
  {
    ...codeOf(error, "CERT-EXPIRED", "S27", {
      cause: "the certificate has expired",
      ways: renew,
    }),
    title: "The certificate has not expired",
    judge: onLeaf(({ notAfter }, { now }) =>
      Date.parse(notAfter) < now ? `the certificate expired on ${notAfter}` : undefined,
    ),
  },
  {
    ...codeOf(error, "CERT-NOT-YET-VALID", "S27", {
      cause: "the certificate is not valid yet",
      ways: (renewed) => [
        { says: "compare this machine's clock with the cluster's, and wait until then" },
        nameOnly(renewed()),
      ],
    }),
    title: "The certificate is valid already",
    judge: onLeaf(({ notBefore }, { now }) =>
      Date.parse(notBefore) > now ? `the certificate is not valid before ${notBefore}` : undefined,
    ),
  },
  {
    ...codeOf(error, "CERT-KEY-MISMATCH", "S27", {
      cause: "the certificate and the private key do not belong together",
      ways: renew,
    }),
    title: "Certificate and private key belong together",
    field: (names) => `data.${names.webhook.secretKey}`,
    judge: ({ matchesPrivateKey }) =>
      matchesPrivateKey === false
        ? "the private key is unreadable or is not the certificate's: no connection to the webhook can succeed"
        : undefined,
  },
  {
    ...codeOf(warning, "CERT-EXPIRES-SOON", "S27", {
      cause: `the certificate expires within ${warningDays} days`,
      ways: (renewed) => [renewed("before that day, ")],
    }),
    title: "The certificate is good for a while",
    judge: onLeaf(({ notAfter }, { now }) => {
      const left = Date.parse(notAfter) - now;
      return left >= 0 && left < warningDays * day
        ? `the certificate expires on ${notAfter}, days left: ${Math.floor(left / day)}`
        : undefined;
    }),
  },
  {
    ...codeOf(warning, "CERT-WEAK", "S27", {
      cause: "the certificate uses a broken hash or a short RSA key",
      ways: renew,
    }),
    title: "The certificate is strong enough",
    judge: (facts, context) =>
      facts.refused === undefined ? onLeaf(judgeStrength)(facts, context) : undefined,
  },
  {
    ...codeOf(warning, "CERT-CHAIN", "S28", {
      cause: "the certificates in the item do not form a chain, each issued by the next",
      ways: alone("order them from the served certificate to its root and leave out the others"),
    }),
    title: "The certificates form a chain",
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

/** Made by the controller whose CA is injected, which names the items in its own way. */
function isIssued({ type, isTls }: SecretFacts): boolean {
  return isTls === true && type === "kubernetes.io/tls";
}

function judgeItems({ secret, present }: CertificateFacts, { names }: CertificateContext) {
  if (secret === undefined || isIssued(secret)) return undefined;
  const { secretCert, secretKey } = names.webhook;
  const wanted = `${secretCert}, ${secretKey}`;
  if (secret.items.length !== 2) {
    return `the secret holds ${countNoun(secret.items.length, "item")} (${renderList(secret.items)}), not the two items ${wanted}`;
  }
  return present && !secret.items.includes(secretKey)
    ? `the secret holds ${renderList(secret.items)}, not ${wanted}`
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

function renderList(words: readonly string[]): string {
  return words.length === 0 ? "none" : words.join(", ");
}

/** The catalogue entries of every code that this file gives out, the most fundamental first. */
export const certificateCodes: readonly (Explained & Pick<Finding, "remedies">)[] = [
  secretAbsent,
  ...certificateChecks.map(({ code, severity, cause, fix, source, ways }) => ({
    ...{ code, severity, cause, fix, source },
    remedies: ways(byNewPair),
  })),
];

/** One finding per unfit fact, the most fundamental first; none for a fit certificate. */
export function judgeCertificate(
  facts: CertificateFacts,
  context: CertificateContext,
): readonly Finding[] {
  const object = facts.secret === undefined ? {} : { object: secretObject(facts.secret) };
  const { keeper } = facts.secret ?? {};
  const renewed = keeper === undefined ? byNewPair : byKeeper(keeper);
  return certificateChecks.flatMap(
    ({ code, severity, source, field = certItem, judge, ways }): readonly Finding[] => {
      const cause = judge(facts, context);
      if (cause === undefined) return [];
      const remedies = ways(renewed, keeper);
      const fix = renderFix(remedies);
      const place = field(context.names);
      return [{ code, severity, ...object, field: place, cause, fix, remedies, source }];
    },
  );
}

/** The finding for a secret that is not there at all. */
export function absentSecret(namespace: string, names: Names): Finding {
  const { code, severity, fix, source } = secretAbsent;
  const name = names.webhook.secret;
  const cause = `the secret ${name} does not exist in namespace ${namespace}`;
  return { code, severity, object: secretObject({ namespace, name }), cause, fix, source };
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
