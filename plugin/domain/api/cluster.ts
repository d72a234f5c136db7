/** License and nodes of a cluster, as the REST API sends them (S114; domain facts 9). */
import type { Names } from "../names";
import { isObject, list, own, text } from "../values";
import type { ApiLicense, ApiNode } from "./records";
import { flag, uidNumber, wholeNumber } from "./values";

/** The license; undefined for what is no object. */
export function parseLicense(value: unknown, { licenseFields }: Names): ApiLicense | undefined {
  if (!isObject(value)) return undefined;
  return {
    expired: flag(own(value, licenseFields.expired)),
    expirationDate: text(own(value, licenseFields.expirationDate)),
    shardsLimit: wholeNumber(own(value, licenseFields.shardsLimit)),
  };
}

/** The nodes; undefined for what is no list. */
export function parseNodes(value: unknown, names: Names): readonly ApiNode[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const { clusterFields } = names;
  return value.map((node: unknown) => ({
    uid: uidNumber(own(node, clusterFields.nodeUid)),
    softwareVersion: text(own(node, clusterFields.softwareVersion)),
    supportedVersions: list(own(node, clusterFields.supportedVersions)).flatMap(
      (entry) => supportedVersion(entry, names) ?? [],
    ),
  }));
}

/** A version by itself, or beside the type of database that it is of: only the engine's count. */
function supportedVersion(entry: unknown, { clusterFields, engineDbType }: Names) {
  if (!isObject(entry)) return text(entry);
  const type = own(entry, clusterFields.supportedType) ?? engineDbType;
  return type === engineDbType ? text(own(entry, clusterFields.supportedVersion)) : undefined;
}
