/** Secrets without what makes them secret. */
import { itemsOf } from "../../adapters/certificate";
import { kinds } from "../../domain/kinds";
import type { Names } from "../../domain/names";
import { type KubeObject, lastApplied } from "../../domain/objects";

export function isSecret({ apiVersion, kind }: KubeObject): boolean {
  return apiVersion === "v1" && kind === kinds.secret.kind;
}

/** The Secret that the webhook serves with. */
export function isAdmissionSecret(object: KubeObject, names: Names): boolean {
  return isSecret(object) && object.metadata.name === names.webhook.secret;
}

/** Names of the items, type and metadata stay; every value is empty. */
export function withoutValues(secret: KubeObject): KubeObject {
  return withData(
    secret,
    Object.fromEntries([...itemsOf(secret).keys()].map((name) => [name, ""])),
  );
}

/** The Secret with other items, and without the copy of them in an annotation. */
export function withData(secret: KubeObject, data: Readonly<Record<string, string>>): KubeObject {
  const { apiVersion, kind, metadata } = secret;
  const { annotations, ...others } = metadata;
  const kept = without(annotations ?? {}, [lastApplied]);
  return {
    ...without(secret, ["data", "stringData"]),
    apiVersion,
    kind,
    metadata: { ...others, ...(Object.keys(kept).length > 0 && { annotations: kept }) },
    ...(Object.keys(data).length > 0 && { data }),
  };
}

function without<T>(map: Readonly<Record<string, T>>, keys: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key)));
}
