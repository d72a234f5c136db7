/**
 * Whether an API server takes a webhook's certificate: what Go's crypto/tls (1.23 to 1.26) says of
 * the certificates that are served, with those of clientConfig.caBundle as the only roots and
 * SERVICE.NAMESPACE.svc as the name (S28; docs/internals.md). Its verdicts are recorded from Go
 * itself in test/support/go-verdicts.json.
 */
import { isIP } from "node:net";
import { constraintProblem } from "./constraints";
import { Malformed } from "./der";
import { renderAddress, type ParsedCertificate, parseCertificate } from "./parse";
import { splitBlocks, certificateBlocks } from "./pem";
import { rsaProblem, signatureProblem } from "./signature";

/** What is served and what is expected of it. */
export interface ServedChain {
  /** DER, the server's own first. */
  readonly served: readonly Buffer[];
  readonly roots: readonly ParsedCertificate[];
  /** The name under which it is called; undefined: any. */
  readonly name?: string;
  /** Milliseconds since 1970; undefined: any time. */
  readonly now?: number;
}

/** Roots, or why there are none. */
export type Roots = { readonly roots: readonly ParsedCertificate[] } | { readonly problem: string };

/** The certificates of a PEM text that can be roots: Go passes over those that it cannot parse. */
export function rootsIn(pem: string): Roots {
  const blocks = splitBlocks(pem);
  const certificates = blocks.filter(({ label }) => label === "CERTIFICATE");
  const problems: string[] = [];
  const roots = certificates.flatMap(({ der }) => {
    const parsed = der === undefined ? new Malformed("x509: malformed certificate") : parse(der);
    if (!(parsed instanceof Malformed)) return [parsed];
    problems.push(parsed.message);
    return [];
  });
  if (roots.length > 0) return { roots };
  const [problem] = problems;
  const why =
    problem !== undefined
      ? `failed to parse certificate: ${problem}`
      : blocks.length > 0
        ? "no valid certificate authority data seen"
        : "unable to parse bytes as PEM block";
  return { problem: `unable to load root certificates: ${why}` };
}

function parse(der: Buffer): ParsedCertificate | Malformed {
  try {
    return parseCertificate(der);
  } catch (error) {
    if (error instanceof Malformed) return error;
    throw error;
  }
}

/** Why the handshake fails, in Go's words; undefined when it succeeds. */
export function judgeServed(chain: ServedChain): string | undefined {
  const certificates: ParsedCertificate[] = [];
  for (const der of chain.served) {
    const parsed = parse(der);
    if (parsed instanceof Malformed) {
      return `tls: failed to parse certificate from server: ${parsed.message}`;
    }
    if ((parsed.key.bits ?? 0) > longestRsaKey) {
      return `tls: server sent certificate containing RSA key larger than ${longestRsaKey} bits`;
    }
    certificates.push(parsed);
  }
  const [leaf, ...sent] = certificates;
  if (leaf === undefined) return "tls: received empty certificates message";
  const problem = new Verification(chain, sent).problem(leaf);
  if (problem !== undefined) return `tls: failed to verify certificate: ${problem}`;
  return keyProblem(leaf);
}

/** The same of a text that is served and trusted as it is, as upgrade-webhook puts it into caBundle (S28). */
export function judgeOwnRoot(
  pem: string,
  expected: Pick<ServedChain, "name" | "now"> = {},
): string | undefined {
  const found = rootsIn(pem);
  if ("problem" in found) return found.problem;
  const served = certificateBlocks(pem).map((der) => der ?? Buffer.of());
  return judgeServed({ ...expected, served, roots: found.roots });
}

const longestRsaKey = 8192;

/** Why the server's key cannot prove itself in TLS 1.3, which API servers and webhooks agree on. */
function keyProblem({ key }: ParsedCertificate): string | undefined {
  if (key.type === undefined || key.type === "dsa") {
    const type = key.type === "dsa" ? "*dsa.PublicKey" : "<nil>";
    return `tls: server's certificate contains an unsupported type of public key: ${type}`;
  }
  const problem = rsaProblem(key);
  if (problem !== undefined) return `tls: invalid signature by the server certificate: ${problem}`;
  return key.curve === "P-224"
    ? "tls: no signature algorithm of TLS 1.3 goes with a key on the curve P-224"
    : undefined;
}

type Place = "intermediate" | "root";

/** Limits the work on chains that lead in circles, as Go does. */
const mostSignatures = 100;
const tooManySignatures =
  "x509: signature check attempts limit reached while verifying certificate chain";

/** One call of Verify. */
class Verification {
  private signatures = 0;

  constructor(
    private readonly chain: ServedChain,
    private readonly sent: readonly ParsedCertificate[],
  ) {}

  problem(leaf: ParsedCertificate): string | undefined {
    const { roots, name } = this.chain;
    if (leaf.hasUnhandledCritical) return "x509: unhandled critical extension";
    const wrong =
      this.timeProblem(leaf) ?? (name === undefined ? undefined : nameProblem(leaf, name));
    if (wrong !== undefined) return wrong;
    // a certificate that is itself a root needs no issuer
    const found: Chains = roots.some(({ raw }) => raw.equals(leaf.raw))
      ? { chains: [[leaf]] }
      : this.chainsFrom([leaf]);
    if (found.chains.length === 0) return found.problem;
    return chainProblem(found.chains);
  }

  private timeProblem({ notBefore, notAfter }: ParsedCertificate): string | undefined {
    const { now } = this.chain;
    if (now === undefined) return undefined;
    const wrong = `x509: certificate has expired or is not yet valid: current time ${renderTime(now)} is`;
    if (now < notBefore) return `${wrong} before ${renderTime(notBefore)}`;
    return now > notAfter ? `${wrong} after ${renderTime(notAfter)}` : undefined;
  }

  /** Every chain from the last of these to a root. */
  private chainsFrom(path: Path): Chains {
    const chains: Path[] = [];
    let [hint, problem]: (string | undefined)[] = [];
    for (const issuer of this.findIssuers(path)) {
      this.signatures += 1;
      if (this.signatures > mostSignatures) return { chains, problem: tooManySignatures };
      const found = this.chainsThrough(issuer, path);
      chains.push(...found.chains);
      hint ??= found.hint;
      if (found.isSigned) problem = found.problem;
    }
    const unknown = `x509: certificate signed by unknown authority${hint ?? ""}`;
    return { chains, problem: problem ?? unknown };
  }

  private chainsThrough(
    { candidate, place }: Issuer,
    path: Path,
  ): Chains & { readonly hint?: string; readonly isSigned: boolean } {
    const unsigned = signatureProblem(findLast(path), candidate);
    const unfit = unsigned ?? this.issuerProblem(candidate, place, path);
    if (unfit !== undefined) {
      const hint = hintAt(candidate, unfit);
      return { chains: [], problem: unfit, hint, isSigned: unsigned === undefined };
    }
    const longer: Path = [...path, candidate];
    const found = place === "root" ? { chains: [longer] } : this.chainsFrom(longer);
    return { ...found, isSigned: true };
  }

  private issuerProblem(
    certificate: ParsedCertificate,
    place: Place,
    path: Path,
  ): string | undefined {
    if (certificate.hasUnhandledCritical) return "x509: unhandled critical extension";
    const late = this.timeProblem(certificate);
    if (late !== undefined) return late;
    const { basicConstraints } = certificate;
    if (place === "intermediate" && basicConstraints?.ca !== true) {
      return "x509: certificate is not authorized to sign other certificates";
    }
    const { pathLength } = basicConstraints ?? {};
    return pathLength !== undefined && BigInt(path.length - 1) > pathLength
      ? "x509: too many intermediates for path length constraint"
      : undefined;
  }

  /** Roots first; within each, those whose key identifiers agree; none that leads in a circle. */
  private findIssuers(path: Path): readonly Issuer[] {
    const child = findLast(path);
    const order = (all: readonly ParsedCertificate[], place: Place) =>
      all
        .filter((one) => one.subject.equals(child.issuer) && !isIn(one, path))
        .map((candidate) => ({ candidate, place, rank: rankIssuer(candidate, child) }))
        .sort((one, other) => one.rank - other.rank);
    return [...order(this.chain.roots, "root"), ...order(this.sent, "intermediate")];
  }
}

/** From the server's certificate up. */
type Path = readonly [ParsedCertificate, ...ParsedCertificate[]];

const findLast = (path: Path): ParsedCertificate => path.at(-1) ?? path[0];

interface Issuer {
  readonly candidate: ParsedCertificate;
  readonly place: Place;
}

interface Chains {
  readonly chains: readonly Path[];
  readonly problem?: string | undefined;
}

function rankIssuer(
  { subjectKeyId }: ParsedCertificate,
  { authorityKeyId }: ParsedCertificate,
): number {
  if (subjectKeyId.equals(authorityKeyId)) return 0;
  return subjectKeyId.length === 0 || authorityKeyId.length === 0 ? 1 : 2;
}

/** The same name, key and alternative names. */
function isIn(candidate: ParsedCertificate, path: Path): boolean {
  return path.some(
    ({ subject, spki, alternatives }) =>
      subject.equals(candidate.subject) &&
      spki.equals(candidate.spki) &&
      (alternatives === undefined || candidate.alternatives === undefined
        ? alternatives === candidate.alternatives
        : alternatives.equals(candidate.alternatives)),
  );
}

/** One good chain is enough. */
function chainProblem(chains: Chains["chains"]): string | undefined {
  let constrained: string | undefined;
  for (const chain of chains) {
    if (!chain.every(isForServers)) continue;
    const problem = constraintProblem(chain);
    if (problem === undefined) return undefined;
    constrained ??= problem;
  }
  return constrained === undefined
    ? "x509: certificate specifies an incompatible key usage"
    : `x509: a root or intermediate certificate is not authorized to sign for this name: ${constrained}`;
}

const serverAuth = "1.3.6.1.5.5.7.3.1";
const anyUsage = "2.5.29.37.0";

/** A certificate without extended key usages is for any. */
function isForServers({ usages }: ParsedCertificate): boolean {
  return usages.length === 0 || usages.includes(serverAuth) || usages.includes(anyUsage);
}

function hintAt({ label, serial }: ParsedCertificate, problem: string): string {
  const name = JSON.stringify(label === "" ? `serial:${serial}` : label);
  const trying = `while trying to verify candidate authority certificate ${name}`;
  return ` (possibly because of ${JSON.stringify(problem)} ${trying})`;
}

function renderTime(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, "Z");
}

/** From so many on they are not listed. */
const mostNames = 100;

/** The common name counts for nothing but the complaint. */
function nameProblem(certificate: ParsedCertificate, name: string): string | undefined {
  const { dnsNames, commonName, alternatives, addresses } = certificate;
  if (isIP(name) !== 0) {
    const shown = addresses.map(renderAddress);
    if (shown.includes(name)) return undefined;
    if (shown.length >= mostNames) {
      return `x509: certificate is valid for ${shown.length} IP SANs, but none matched ${name}`;
    }
    return shown.length === 0
      ? `x509: cannot validate certificate for ${name} because it doesn't contain any IP SANs`
      : `x509: certificate is valid for ${shown.join(", ")}, not ${name}`;
  }
  if (dnsNames.some((pattern) => isForName(pattern, name))) return undefined;
  if (alternatives === undefined && isForName(commonName, name)) {
    return "x509: certificate relies on legacy Common Name field, use SANs instead";
  }
  if (dnsNames.length >= mostNames) {
    return `x509: certificate is valid for ${dnsNames.length} names, but none matched ${name}`;
  }
  return dnsNames.length === 0
    ? `x509: certificate is not valid for any names, but wanted to match ${name}`
    : `x509: certificate is valid for ${dnsNames.join(", ")}, not ${name}`;
}

const label = /^(?!-)[a-z0-9_-]+$/;

/** A star stands for the whole of the first label; what is no host name has to be equal. */
function isForName(pattern: string, name: string): boolean {
  const [wanted, parts] = [name.toLowerCase().split("."), pattern.toLowerCase().split(".")];
  if (parts.length !== wanted.length) return false;
  const hasStar = parts[0] === "*" && parts.slice(1).every((part) => label.test(part));
  return parts.every((part, index) => part === wanted[index] || (index === 0 && hasStar));
}
