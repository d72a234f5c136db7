/**
 * Private keys of tests: four of each kind, made once for a whole run, and only when one is used. They
 * lie in the run's temporary folder, which is removed when it ends: no key is part of the tree.
 */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type KeyPlan, pemOfKey, usualBits } from "../../plugin/adapters/private-keys";

const perKind = 4;
const taken = new Map<string, number>();
const known = new Map<string, KeyObject>();

/**
 * The next key of a kind: those of four pairs that are made one after the other differ. Another `use`
 * has four of its own, for tests that tell new keys from given ones.
 */
export function pooledKey(plan: KeyPlan, use = "any"): KeyObject {
  const kind = [use, plan.type, plan.bits ?? usualBits, plan.curve ?? "P-256"].join("-");
  const turn = taken.get(kind) ?? 0;
  taken.set(kind, turn + 1);
  const name = `${kind}-${turn % perKind}`;
  const key = known.get(name) ?? createPrivateKey(stored(name, plan));
  known.set(name, key);
  return key;
}

/** Workers share a folder: whoever comes first has made the key. */
function stored(name: string, plan: KeyPlan): string {
  const folder = join(tmpdir(), "key-pool");
  const file = join(folder, name);
  try {
    return readFileSync(file, "utf8");
  } catch {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, pemOfKey(made(plan)), { mode: 0o600 });
    try {
      linkSync(draft, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    rmSync(draft);
    return readFileSync(file, "utf8");
  }
}

function made({ type, bits = usualBits, curve = "P-256" }: KeyPlan): KeyObject {
  if (type === "ec") return generateKeyPairSync("ec", { namedCurve: curve }).privateKey;
  if (type === "ed25519") return generateKeyPairSync("ed25519").privateKey;
  return generateKeyPairSync("rsa", { modulusLength: bits }).privateKey;
}
