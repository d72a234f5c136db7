/** The file of --probe-file: an edit that must pass, and one that must be refused. */
import { parseDocuments } from "../adapters/kubernetes/text/yaml";
import type { ProbePair } from "../domain/admission/probe";
import { InputError, UsageError } from "../domain/base/errors";
import { isObject } from "../domain/base/values";
import type { KubeObject, Resource } from "../domain/kube/objects";
import type { Names } from "../domain/names/names";
import type { CommandContext } from "./context";

export async function readProbeFile(
  context: CommandContext,
  { probeFile }: { readonly probeFile?: string | undefined },
): Promise<readonly unknown[] | undefined> {
  if (probeFile === undefined) return undefined;
  return parseDocuments(await context.readInput(probeFile), probeFile);
}

/** Two documents: the first must pass, the second must be refused. */
export function probePair(
  documents: readonly unknown[] | undefined,
  source: string,
  { namespace, names }: { readonly namespace: string; readonly names: Names },
): ProbePair | undefined {
  if (documents === undefined) return undefined;
  const [accept, deny] = documents.map((document) => probeObject(document, namespace));
  if (documents.length !== 2 || accept === undefined || deny === undefined) {
    throw new UsageError(
      `probe file ${source}: two objects are expected, each with apiVersion, kind and metadata.name`,
      { hint: "the first must pass the webhook, the second must be refused by it" },
    );
  }
  if (accept.kind !== deny.kind || accept.apiVersion !== deny.apiVersion) {
    throw new InputError(`probe file ${source}: the two objects are of different kinds`);
  }
  return {
    kind: accept.kind,
    resource: guessResource(accept, names),
    accept,
    denies: [{ what: `the second object of ${source}`, object: deny }],
  };
}

function probeObject(document: unknown, namespace: string): KubeObject | undefined {
  if (!isObject(document) || !isObject(document["metadata"])) return undefined;
  const { apiVersion, kind, metadata } = document;
  if (typeof apiVersion !== "string" || typeof kind !== "string") return undefined;
  if (typeof metadata["name"] !== "string") return undefined;
  return { ...document, apiVersion, kind, metadata: { namespace, ...metadata } };
}

/** The names know the plurals of the product's kinds; another kind's is a guess, lower case and an s. */
function guessResource({ apiVersion, kind }: KubeObject, names: Names): Resource {
  const [group = "", version = ""] = apiVersion.split("/");
  const known = [names.ec, names.edb, names.eaadb, names.erc].find((each) => each.kind === kind);
  return { group, version, kind, plural: known?.plural ?? `${kind.toLowerCase()}s` };
}
