/** Whether the CA of a webhook entry trusts the certificate that is served (facts 4.2-4.5). */
import type { Facts } from "../facts";
import { caBundleOf } from "./configuration";

/** How the CA of an entry stands. */
export type Trust = "empty" | "encoded-twice" | "no-pem" | "stale" | "fit";

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function decoded(base64: string): string {
  return Buffer.from(base64, "base64").toString("latin1");
}

function certificatesIn(base64: string): readonly string[] {
  return (decoded(base64).match(certificate) ?? []).map((block) => block.replaceAll(/\s/g, ""));
}

/** Beside the certificate that is served; while one is renewed, the CA holds the old one and the new one. */
export function trustOf(entry: unknown, served: Facts["certificate"]): Trust {
  const bundle = caBundleOf(entry);
  if (bundle === "") return "empty";
  if (bundle === served?.caBundle) return "fit";
  const trusted = certificatesIn(bundle);
  if (trusted.length === 0) {
    return certificatesIn(decoded(bundle)).length > 0 ? "encoded-twice" : "no-pem";
  }
  const own = certificatesIn(served?.caBundle ?? "");
  return own.length === 0 || own.some((one) => trusted.includes(one)) ? "fit" : "stale";
}
