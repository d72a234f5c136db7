/** Secrets that objects name: there, and with the items that are read from them; never a value. */
import { factNamed } from "../facts";
import { isObject, own } from "../values";
import type { Found } from "./check";
import { type SecretReference, secretReferences, type SecretUse } from "./references";
import type { Situation } from "./situation";

/** What is wrong with the Secrets of one use. */
export function judgeSecrets(situation: Situation, use: SecretUse): readonly Found[] {
  const { clusters, facts, names } = situation;
  const remotes = facts.objects.ercs.filter(
    ({ metadata }) => metadata.namespace === facts.namespace,
  );
  return secretReferences({ clusters, remotes, names })
    .filter((reference) => reference.use === use)
    .flatMap((reference) => judgeSecret(reference, situation));
}

function judgeSecret(
  { name, items, object, field, says }: SecretReference,
  { facts }: Situation,
): readonly Found[] {
  const secret = factNamed(facts, "namedSecrets", { name });
  const about = (what: string): Found => ({
    object: `Secret/${facts.namespace}/${name}`,
    cause: `${what}; ${object} names it in ${field} for ${says}`,
  });
  if (secret === undefined) return [about("it does not exist")];
  const data = own(secret, "data");
  const held = Object.keys(isObject(data) ? data : {});
  const missing = items.filter((item) => !held.includes(item));
  return missing.length === 0 ? [] : [about(`it has no item ${missing.join(", ")}`)];
}
