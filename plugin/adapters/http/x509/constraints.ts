/** Name constraints of a chain (RFC 5280, 4.2.1.10), as Go 1.26 checks them. */
import { isIP } from "node:net";
import { readUriHost, isDomain, type Subtrees } from "./extensions";
import { renderAddress, type ParsedCertificate } from "./parse";

/** What is wrong with a name of the chain, in Go's words; undefined when nothing is. */
export function constraintProblem(chain: readonly ParsedCertificate[]): string | undefined {
  for (const [index, certificate] of chain.entries()) {
    const above = chain.slice(index + 1).filter(({ constraints }) => constraints !== undefined);
    if (certificate.alternatives === undefined || above.length === 0) continue;
    const unreadable = unreadableName(certificate);
    if (unreadable !== undefined) return unreadable;
    for (const { constraints } of above) {
      const problem = constraints && outside(certificate, constraints);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function unreadableName({ uris, emails }: ParsedCertificate): string | undefined {
  for (const uri of uris) {
    const host = readUriHost(uri);
    const shown = JSON.stringify(uri);
    if (host === "") return `URI with empty host (${shown}) cannot be matched against constraints`;
    if (isIP(bareHost(host)) !== 0 || host.startsWith("[")) {
      return `URI with IP (${shown}) cannot be matched against constraints`;
    }
  }
  const email = emails.find((one) => !/^[^@\s]+@[^@\s]+$/.test(one));
  return email === undefined ? undefined : `cannot parse rfc822Name ${JSON.stringify(email)}`;
}

const bareHost = (host: string): string => host.replace(/:\d*$/, "").toLowerCase();

/** One kind of name, with the constraints of that kind. */
interface Kind {
  readonly label: string;
  readonly part: keyof Subtrees;
  readonly names: readonly { readonly shown: string; readonly name: string | Buffer }[];
}

function outside(
  certificate: ParsedCertificate,
  { permitted, excluded }: NonNullable<ParsedCertificate["constraints"]>,
): string | undefined {
  for (const { label, part, names } of listKinds(certificate)) {
    for (const { shown, name } of names) {
      if (part === "dns" && !isDomain(shown, false)) {
        return `x509: cannot parse dnsName ${JSON.stringify(shown)}`;
      }
      const wrong = `${label} ${JSON.stringify(shown)} is`;
      const allowed = permitted[part];
      if (allowed.length > 0 && !allowed.some((one) => isWithin(name, one, false))) {
        return `${wrong} not permitted by any constraint`;
      }
      const hit = excluded[part].find((one) => isWithin(name, one, true));
      if (hit !== undefined)
        return `${wrong} excluded by constraint ${JSON.stringify(renderRange(hit))}`;
    }
  }
  return undefined;
}

function listKinds({ addresses, dnsNames, uris, emails }: ParsedCertificate): readonly Kind[] {
  return [
    {
      ...{ label: "IP address", part: "addresses" },
      names: addresses.map((name) => ({ shown: renderAddress(name), name })),
    },
    { label: "DNS name", part: "dns", names: dnsNames.map((name) => ({ shown: name, name })) },
    {
      ...{ label: "URI", part: "uris" },
      names: uris.map((uri) => ({ shown: uri, name: bareHost(readUriHost(uri)) })),
    },
    {
      label: "email address",
      part: "emails",
      names: emails.map((name) => ({ shown: name, name })),
    },
  ];
}

function isWithin(name: string | Buffer, range: string | Buffer, excludes: boolean): boolean {
  if (typeof name === "string" && typeof range === "string") {
    return range.includes("@")
      ? sameMailbox(name, range)
      : isBelow(readDomain(name), range, excludes);
  }
  return typeof name !== "string" && typeof range !== "string" && isInRange(name, range);
}

function sameMailbox(one: string, other: string): boolean {
  const parts = (mailbox: string) => [
    mailbox.replace(/@[^@]*$/, ""),
    readDomain(mailbox).toLowerCase(),
  ];
  return parts(one).join("@") === parts(other).join("@");
}

const readDomain = (name: string): string => name.slice(name.lastIndexOf("@") + 1);

/** A constraint with a dot before it is for names below it alone; a star may stand for what is excluded. */
function isBelow(name: string, range: string, excludes: boolean): boolean {
  const [lower, suffix] = [name.toLowerCase(), range.toLowerCase()];
  if (suffix === "") return true;
  if (suffix.startsWith(".") ? lower.endsWith(suffix) : `.${lower}`.endsWith(`.${suffix}`))
    return true;
  return (
    excludes &&
    lower.startsWith("*.") &&
    suffix.endsWith(lower.slice(1)) &&
    !suffix.slice(0, -lower.length + 1).includes(".")
  );
}

function isInRange(address: Buffer, range: Buffer): boolean {
  const size = range.length / 2;
  return (
    address.length === size &&
    address.every((byte, index) => {
      const mask = range[size + index] ?? 0;
      return (byte & mask) === ((range[index] ?? 0) & mask);
    })
  );
}

function renderRange(range: string | Buffer): string {
  if (typeof range === "string") return range;
  const size = range.length / 2;
  const ones = [...range.subarray(size)].reduce(
    (sum, byte) => sum + byte.toString(2).replaceAll("0", "").length,
    0,
  );
  return `${renderAddress(range.subarray(0, size))}/${ones}`;
}
