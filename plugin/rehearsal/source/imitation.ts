/** Chains of certificates like given ones, for keys that we have. */
import type { KeyObject, X509Certificate } from "node:crypto";
import { isIssuedBy } from "../../adapters/certificate";
import type { KeyRing } from "./key-ring";
import { issuerOf, keyOf, reissue } from "./reissue";

/** A certificate that stands in for another, and its key. */
export interface Imitation {
  readonly original: X509Certificate;
  readonly pem: string;
  readonly key: KeyObject;
}

/**
 * Each signed by the stand-in of what signed the original, so that a chain holds where it held;
 * `undefined` is a certificate that cannot be parsed, it has no stand-in.
 */
export async function chainLike(
  chain: readonly (X509Certificate | undefined)[],
  ring: KeyRing,
): Promise<readonly Imitation[]> {
  const uses = chain.map((certificate) => chain.findIndex((other) => sameKey(certificate, other)));
  const keys = await Promise.all(
    chain.map(async (certificate, index) =>
      certificate === undefined
        ? undefined
        : await ring.get(`certificate ${uses[index] ?? index}`, keyOf(certificate)),
    ),
  );
  const made = await Promise.all(
    chain.map(async (original, index) => {
      const key = keys[index];
      if (original === undefined || key === undefined) return [];
      const link = { certificate: original, next: chain[index + 1], index };
      const issuer = issuing(link, keys) ?? (await ring.get(`issuer ${index}`, issuerOf(original)));
      return [{ original, key, pem: pemOf(reissue(original, { key, issuer })) }];
    }),
  );
  return made.flat();
}

interface Link {
  readonly certificate: X509Certificate;
  readonly next: X509Certificate | undefined;
  readonly index: number;
}

/** The key among ours that signs in the place of the one that did; undefined: nobody's here. */
function issuing(
  { certificate, next, index }: Link,
  keys: readonly (KeyObject | undefined)[],
): KeyObject | undefined {
  if (next !== undefined && isIssuedBy(certificate, next)) return keys[index + 1];
  return isIssuedBy(certificate, certificate) ? keys[index] : undefined;
}

function sameKey(one: X509Certificate | undefined, other: X509Certificate | undefined): boolean {
  return one === other || (other !== undefined && one?.publicKey.equals(other.publicKey) === true);
}

function pemOf(der: Buffer): string {
  const lines = der.toString("base64").replaceAll(/.{64}(?=.)/g, "$&\n");
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----`;
}
