/** Reads what a person hands over as a certificate: PEM text, or a Secret as YAML or JSON. */
import { UsageError } from "../domain/errors";
import type { Names } from "../domain/names";
import type { KubeObject } from "../domain/objects";
import { isObject, type Json, asArray, getOwn, asString } from "../domain/values";
import { parseDocuments } from "./yaml";

/** The Secret or the PEM text of a file; UsageError when it is neither, or several Secrets. */
export function parseCertificateFile(
  content: string,
  names: Names,
): { secret: KubeObject } | { pem: string } {
  const secrets = documentsOf(content)
    .flatMap((document) => [document, ...asArray(getOwn(document, "items"))])
    .filter(isObject)
    .filter((document) => getOwn(document, "kind") === "Secret");
  const [only, ...others] = secrets;
  if (only === undefined) return pemOf(content);
  if (others.length === 0) return { secret: asObject(only) };
  const named = secrets.filter(
    (secret) => getOwn(getOwn(secret, "metadata"), "name") === names.webhook.secret,
  );
  const [match, ...more] = named;
  if (match === undefined || more.length > 0) {
    throw new UsageError(
      `the file holds ${secrets.length} Secrets, ${named.length} of them named ${names.webhook.secret}`,
      { hint: "give a file with the one Secret to inspect" },
    );
  }
  return { secret: asObject(match) };
}

/** PEM is not a YAML, or only a string of it: what does not parse is looked at as PEM. */
function documentsOf(content: string): readonly unknown[] {
  try {
    return parseDocuments(content, "the file");
  } catch {
    return [];
  }
}

function pemOf(content: string): { pem: string } {
  if (content.includes("-----BEGIN ")) return { pem: content };
  throw new UsageError("the file is neither a PEM certificate nor a Secret", {
    hint: "give PEM text, or a Secret as YAML or JSON (- reads stdin)",
  });
}

function asObject(secret: Json): KubeObject {
  const metadata = getOwn(secret, "metadata");
  const name = asString(getOwn(metadata, "name"));
  const namespace = asString(getOwn(metadata, "namespace"));
  return {
    ...secret,
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
    },
  };
}
