/** The keys of stand-ins, each made once: making one takes long, and none protects anything. */
import type { KeyObject } from "node:crypto";
import { type KeyPlan, makeKey } from "./reissue";

/** Keys by what they are for; the same answer for the same question. */
export class KeyRing {
  private readonly made = new Map<string, Promise<KeyObject>>();

  get(use: string, plan: KeyPlan): Promise<KeyObject> {
    const name = [use, plan.type, plan.bits, plan.curve].join(" ");
    const known = this.made.get(name) ?? makeKey(plan);
    this.made.set(name, known);
    return known;
  }

  /** One that belongs to no certificate. */
  stranger(): Promise<string> {
    return this.get("stranger", { type: "ec" }).then(pemOfKey);
  }
}

/** A private key as PEM. */
export function pemOfKey(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}
