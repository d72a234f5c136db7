/** Which permissions `cert` needs. */
import { kinds } from "../domain/kinds";
import type { Names } from "../domain/names";
import type { Permission } from "../domain/permissions";
import type { Cluster } from "./ports";

interface Place {
  readonly cluster: Cluster;
  readonly names: Names;
}

/** What `cert create` reads and writes in any case. */
export function createAccess(
  place: Place,
  { replace, fromSecret }: { readonly replace: boolean; readonly fromSecret?: string },
): readonly Permission[] {
  const { secret } = place.names.webhook;
  const { namespace } = place.cluster;
  const { group, plural: resource } = kinds.secret;
  const why = replace ? "to save the pair that is replaced" : "to write the pair";
  return [
    {
      ...on(place, "get", secret),
      why: "to see whether there is a pair, and to prove the new one",
    },
    { verb: "create", group, resource, namespace, why },
    ...(replace ? [{ ...on(place, "update", secret), why: "to replace the pair" }] : []),
    ...(fromSecret === undefined
      ? []
      : [{ ...on(place, "get", fromSecret), why: "to read the pair" }]),
  ];
}

/** What replacing a Secret needs that cannot be updated. */
export function deleteAccess(place: Place): readonly Permission[] {
  const why = "to replace a Secret that cannot be updated (another type, or immutable)";
  return [{ ...on(place, "delete", place.names.webhook.secret), why }];
}

/** What `cert inspect` reads. */
export function inspectAccess(place: Place): readonly Permission[] {
  return [{ ...on(place, "get", place.names.webhook.secret), why: "to read the certificate" }];
}

function on({ cluster }: Place, verb: string, name: string): Omit<Permission, "why"> {
  const { group, plural: resource } = kinds.secret;
  return { verb, group, resource, namespace: cluster.namespace, name };
}
