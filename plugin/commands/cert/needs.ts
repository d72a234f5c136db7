/** What `cert create` needs. */
import { kinds } from "../../domain/kube/kinds";
import { type Permission, permissionOn } from "../../domain/kube/permissions";
import { groundNeeds, type Needs, type NeedsPlace } from "../../domain/facts/needs";

/** What the creation of a pair is told. */
interface CertWish extends NeedsPlace {
  readonly replace: boolean;
  /** The Secret with the pair to put in place. */
  readonly fromSecret?: string | undefined;
}

/** `cert create`: one that cannot be updated in place is deleted and created again. */
export function certNeeds(wish: CertWish): Needs {
  const { names, namespace, replace, fromSecret } = wish;
  const on = (verb: string, why: string, name?: string): Permission =>
    permissionOn(verb, kinds.secret, { why, namespace, name });
  const { secret } = names.webhook;
  const save = replace ? "to save the pair that is replaced" : "to write the pair";
  const recreate = "to replace a Secret that cannot be updated (another type, or immutable)";
  return {
    reads: [
      on("get", "to see whether there is a pair, and to prove the new one", secret),
      on("create", save),
      ...(replace ? [on("update", "to replace the pair", secret)] : []),
      ...(fromSecret === undefined ? [] : [on("get", "to read the pair", fromSecret)]),
    ],
    may: replace ? [on("delete", recreate, secret)] : [],
    beside: groundNeeds(wish),
  };
}
