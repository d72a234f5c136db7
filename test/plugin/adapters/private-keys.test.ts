/** The one suite that makes real keys: everywhere else tests take them from a pool. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { generateKey, type KeyPlan, pemOfKey } from "../../../plugin/adapters/private-keys";

const root = join(__dirname, "../../..");

test.each<[string, KeyPlan, string, object]>([
  ["RSA", { type: "rsa" }, "rsa", { modulusLength: 2048 }],
  ["RSA of a length", { type: "rsa", bits: 1024 }, "rsa", { modulusLength: 1024 }],
  ["EC", { type: "ec" }, "ec", { namedCurve: "prime256v1" }],
  ["EC of a curve", { type: "ec", curve: "secp384r1" }, "ec", { namedCurve: "secp384r1" }],
  ["Ed25519", { type: "ed25519" }, "ed25519", {}],
])("%s: two keys are of the kind that was asked for, and differ", async (_name, plan, ...right) => {
  const [one, other] = await Promise.all([generateKey(plan), generateKey(plan)]);
  expect([one.asymmetricKeyType, one.asymmetricKeyDetails]).toEqual([
    right[0],
    expect.objectContaining(right[1]),
  ]);
  expect(pemOfKey(one)).not.toBe(pemOfKey(other));
});

/** A block with a body; a header without one is what programs look for. */
const privateKey = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----\s+[A-Za-z0-9+/=\s]{60}/;

test("no file of the tree holds a private key, so none of what is built from it does", () => {
  const files = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" });
  const holding = files
    .split("\0")
    .filter((file) => file !== "" && privateKey.test(readFileSync(join(root, file), "latin1")));
  expect(holding).toEqual([]);
});
