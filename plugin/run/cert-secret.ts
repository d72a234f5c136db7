/** The Secrets that `cert create` writes: the pair itself, its saved copy, and the way back. */
import type { Names } from "../domain/names";
import { type KubeObject, lastApplied, type ObjectMeta } from "../domain/objects";
import { at, isObject, type Json, list, own, parseJson, sameJson, text } from "../domain/values";
import type { NewPair } from "./cert-inspect";

/** A Secret in the form of the specification (S27): Opaque, two items; no labels of its own yet. */
export function pairSecret(namespace: string, names: Names, pair: NewPair): KubeObject {
  const { secret, secretCert, secretKey } = names.webhook;
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: secret, namespace },
    type: "Opaque",
    data: { [secretCert]: base64(pair.certPem), [secretKey]: base64(pair.keyPem) },
  };
}

/** The Secret once more under another name; its labels are set aside, since controllers act on them. */
export function savedCopy(secret: KubeObject, name: string, names: Names): KubeObject {
  const { namespace, labels, annotations, ownerReferences } = secret.metadata;
  const { savedFrom, savedMetadata } = names.annotations;
  return {
    ...contentOf(secret),
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      annotations: {
        [savedFrom]: secret.metadata.name ?? "",
        [savedMetadata]: JSON.stringify({
          labels,
          annotations: withoutLastApplied(annotations),
          ownerReferences,
        }),
      },
    },
  };
}

/** True for what savedCopy has made of the webhook's Secret. */
export function isSavedCopy(secret: KubeObject, names: Names): boolean {
  return own(secret.metadata.annotations, names.annotations.savedFrom) === names.webhook.secret;
}

/** The Secret that a saved copy was made of, as it was. */
export function restored(copy: KubeObject, names: Names): KubeObject {
  const namespace = text(copy.metadata.namespace);
  const metadata = parsed(own(copy.metadata.annotations, names.annotations.savedMetadata));
  return {
    ...contentOf(copy),
    metadata: {
      name: names.webhook.secret,
      ...(namespace !== undefined && { namespace }),
      labels: strings(metadata["labels"]),
      annotations: strings(metadata["annotations"]),
      ownerReferences: list(metadata["ownerReferences"]).filter(isObject),
    },
  };
}

/** The pair of a Secret made by others: either spelling of the items, nothing else of it. */
export function pairOf(secret: KubeObject, names: Names): KubeObject {
  const { secretCert, secretKey } = names.webhook;
  const namespace = secret.metadata.namespace ?? "";
  const item = (...keys: readonly string[]): string | undefined =>
    keys.map((key) => text(at(secret, ["data", key]))).find((value) => value !== undefined);
  const cert = item(secretCert, "tls.crt");
  const key = item(secretKey, "tls.key");
  return {
    ...pairSecret(namespace, names, { certPem: "", keyPem: "" }),
    data: {
      ...(cert !== undefined && { [secretCert]: cert }),
      ...(key !== undefined && { [secretKey]: key }),
    },
  };
}

/** True when the API server would refuse to update one into the other. */
export function needsDeletion(existing: KubeObject, wanted: KubeObject): boolean {
  return existing["immutable"] === true || existing["type"] !== wanted["type"];
}

/** True when a write would change nothing that matters. */
export function sameContent(existing: KubeObject, wanted: KubeObject): boolean {
  return existing["type"] === wanted["type"] && sameJson(existing["data"], wanted["data"]);
}

/** `wanted` where no Secret was before. */
export function firstOf(wanted: KubeObject, names: Names): KubeObject {
  const labels = { app: names.operator.appLabel };
  return { ...wanted, metadata: { labels, ...wanted.metadata } };
}

/** `wanted` in the place of what was there, with its labels, annotations and owners unless it brings its own. */
export function successorOf({ metadata }: KubeObject, wanted: KubeObject): KubeObject {
  const { labels, annotations, ownerReferences } = metadata;
  return {
    ...wanted,
    metadata: {
      ...(labels !== undefined && { labels }),
      annotations: withoutLastApplied(annotations),
      ...(ownerReferences !== undefined && { ownerReferences }),
      ...wanted.metadata,
    },
  };
}

/** Type, data and immutability: what makes a Secret, apart from what is said about it. */
function contentOf(secret: KubeObject): Json & Pick<KubeObject, "apiVersion" | "kind"> {
  const { type, data, immutable } = secret;
  return {
    apiVersion: "v1",
    kind: "Secret",
    ...(type !== undefined && { type }),
    ...(data !== undefined && { data }),
    ...(immutable === true && { immutable }),
  };
}

function withoutLastApplied(annotations: ObjectMeta["annotations"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(annotations ?? {}).filter(([key]) => key !== lastApplied),
  );
}

/** The entries of a value whose values are strings, as labels and annotations have them. */
function strings(value: unknown): Record<string, string> {
  const entries = isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/** An annotation can be edited by anyone: what does not parse counts as nothing. */
function parsed(json: unknown): Json {
  const value = parseJson(String(json));
  return isObject(value) ? value : {};
}

function base64(value: string): string {
  return Buffer.from(value).toString("base64");
}
