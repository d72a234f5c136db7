/** The one place where private keys are made. */
import { generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";

/** What a key is made from: a type, and its length or curve. */
export interface KeyPlan {
  readonly type: "rsa" | "ec" | "ed25519";
  /** Of an RSA key; 2048 by default. */
  readonly bits?: number | undefined;
  /** Of an EC key, by its OpenSSL name; P-256 by default. */
  readonly curve?: string | undefined;
}

/** Makes a private key that nobody else has. */
export type MakeKey = (plan: KeyPlan) => Promise<KeyObject>;

export const usualBits = 2048;
const usualCurve = "prime256v1";

/** Node's generator takes a fraction of the time of one that is written in JavaScript. */
export const generateKey: MakeKey = async ({ type, bits, curve }) => {
  const generate = promisify(generateKeyPair);
  switch (type) {
    case "ec":
      return (await generate("ec", { namedCurve: curve ?? usualCurve })).privateKey;
    case "ed25519":
      return (await generate("ed25519")).privateKey;
    case "rsa":
      return (await generate("rsa", { modulusLength: bits ?? usualBits })).privateKey;
  }
};

/**
 * The port through which both programs make keys. Only tests assign to it: making a new RSA key for
 * every pair took them longer than everything else.
 */
export const privateKeys: { make: MakeKey } = { make: generateKey };

/** A private key as PEM, PKCS#8. */
export function pemOfKey(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}
