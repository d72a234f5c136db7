/** PEM texts with other blocks in the place of some; what is around them stays as it is. */
import { chainOf } from "../../adapters/certificate";
import { blocksOf } from "../../adapters/pem";

/** What stands in the place of what. */
export interface PemRewriting {
  /** Certificates by the SHA-256 fingerprint of the original. */
  readonly certificates: ReadonlyMap<string, string>;
  /** Takes the place of every private key. */
  readonly key: string;
}

const block = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?(?:-----END \1-----|$)/g;
const brokenCertificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----";

/** A public text: certificates that are not known stay. */
export function rewritten(pem: string, { certificates, key }: PemRewriting): string {
  return pem.replaceAll(block, (whole, label: string) => {
    if (label.includes("PRIVATE KEY")) return keyLike(whole, key);
    return label === "CERTIFICATE" ? (standInOf(whole, certificates) ?? whole) : whole;
  });
}

/** A secret text: nothing of it stays but its shape. */
export function disguised(pem: string, { certificates, key }: PemRewriting): string {
  let [shape, from] = ["", 0];
  for (const { 0: whole, 1: label = "", index } of pem.matchAll(block)) {
    shape += masked(pem.slice(from, index));
    if (label.includes("PRIVATE KEY")) shape += keyLike(whole, key);
    if (label === "CERTIFICATE") shape += standInOf(whole, certificates) ?? brokenLike(whole);
    from = index + whole.length;
  }
  return shape + masked(pem.slice(from));
}

function standInOf(text: string, certificates: PemRewriting["certificates"]): string | undefined {
  const [certificate] = chainOf(text);
  return certificates.get(certificate?.fingerprint256 ?? "");
}

/** A block that is cut short is cut short in its stand-in, too. */
function keyLike(text: string, key: string): string {
  return text.endsWith("-----") && text.includes("-----END ") ? key : "-----BEGIN PRIVATE KEY-----";
}

function brokenLike(text: string): string {
  return blocksOf(text).length > 0 ? brokenCertificate : "-----BEGIN CERTIFICATE-----";
}

/** Where lines begin is what a PEM parser looks at. */
function masked(text: string): string {
  return text.replaceAll(/[^\r\n]+/g, "#");
}
