/** A dump of a cluster for a rehearsal: the command that makes it, and what one does not report. */
import { error, type Finding, warning } from "../base/findings";
import { bindFindings } from "../names/codes";
import { kinds } from "../kube/kinds";
import type { Names } from "../names/names";
import { type KubeObject, objectLabel } from "../kube/objects";
import { parsePlatformVersion } from "../release/platforms";
import { getPath, asString, boundList } from "../base/values";
import { ofKind } from "../kube/typed";

const findings = {
  fieldType: error("DUMP-FIELD-TYPE", "docs/reference/commands/rehearse.md", {
    cause:
      "a field of an object of the dump has another type than its kind says, as no API server stores it: the field is not used, and what depends on the object is unknown",
    fix: "dump the cluster again, or correct the field in the dump, then rehearse again",
  }),
  noOwners: warning("DUMP-NO-OWNERS", "S18", {
    cause:
      "objects of the dump do not say who set their fields: a rehearsal cannot see the conflicts with other managers that a real run meets",
    fix: "dump the cluster again with --show-managed-fields, then rehearse again",
  }),
  noClaims: warning("DUMP-NO-CLAIMS", "Facts 7", {
    cause:
      "the dump holds no claim of a cluster that expands its volumes: whether one is being expanded, which no upgrade may break into, is not seen",
    fix: "dump the cluster again with its persistent volume claims, then rehearse again",
  }),
  noVersion: warning("DUMP-NO-VERSION", "S121", {
    cause:
      "the dump holds no node: it does not report the version of Kubernetes, and the rehearsal takes one of its own",
    fix: "dump the cluster again with its nodes, then rehearse again",
  }),
};

/** The catalogue entries of every finding about a dump. */
export const dumpCodes = Object.values(findings);

const dumpFinding = bindFindings(findings);

/** A field of another type than the kind says. */
export interface MisfitField {
  readonly field: string;
  /** What stands there, in words. */
  readonly found: string;
  /** What the kind has there. */
  readonly wanted: string;
}

/** What is wrong with such a field. */
export function renderMisfit({ field, found, wanted }: MisfitField): string {
  return `${field} is ${found} instead of ${wanted}`;
}

/** An object of a dump, and its fields that were removed. */
export interface MisfitObject {
  readonly object: KubeObject;
  readonly misfits: readonly MisfitField[];
}

/** One finding for each object with such fields. */
export function misfitFindings(objects: readonly MisfitObject[], names: Names): readonly Finding[] {
  const fix = `correct the field in the dump, or dump the cluster again with ${dumpCommand(names).join(" ")}, then rehearse again`;
  return objects.map(({ object, misfits }) => {
    const cause = `${boundList(misfits.map(renderMisfit))}: not used, and what depends on this object is unknown`;
    const field = misfits[0]?.field;
    return dumpFinding("fieldType", { object: objectLabel(object), field, cause, fix });
  });
}

/** Why nothing may be said about a list with such an object. */
export function explainMisfit({ object, misfits }: MisfitObject): string {
  const fields = boundList(misfits.map(({ field }) => field));
  return `${objectLabel(object)} has a value of another type in ${fields}`;
}

/** The words that dump everything a rehearsal looks at, before the redirection to a file. */
export function dumpCommand({ ec, edb, eaadb, erc }: Names): readonly string[] {
  const asked = [
    ...["ns", "nodes", "crd", "validatingwebhookconfigurations"],
    ...[ec, edb, eaadb, erc].map(({ short }) => short),
    ...["svc", "endpointslices", "deploy", "pvc", "cm", "sa", "roles", "rolebindings"],
    ...["clusterroles", "clusterrolebindings", "secrets"],
  ];
  return ["kubectl", "get", asked.join(","), "-A", "--show-managed-fields", "-o", "yaml"];
}

/** Kinds that commands write, beside the product's own. */
const written = [
  "ClusterRole",
  "ClusterRoleBinding",
  "CustomResourceDefinition",
  "Deployment",
  "Role",
  "RoleBinding",
  "Service",
  "ServiceAccount",
  "ValidatingWebhookConfiguration",
];

/** What the objects of a dump do not report, `ownVersion` being what is taken without nodes. */
export function dumpFindings(
  objects: readonly KubeObject[],
  names: Names,
  ownVersion: string,
): readonly Finding[] {
  const fix = `dump the cluster with ${dumpCommand(names).join(" ")}, then rehearse again`;
  const ownerless = objects.filter(
    ({ apiVersion, kind, metadata }) =>
      (written.includes(kind) || apiVersion.startsWith(`${names.group}/`)) &&
      (metadata.managedFields ?? []).length === 0,
  );
  const [first] = ownerless;
  const found: Finding[] = [];
  if (first !== undefined) {
    const cause = `${ownerless.length} of ${objects.length} objects, this one among them, do not say who set their fields: a real run may meet conflicts with other managers that are not seen here`;
    found.push(dumpFinding("noOwners", { object: objectLabel(first), cause, fix }));
  }
  for (const object of dropClaims(objects, names).map(objectLabel)) {
    const cause =
      "the dump holds no PersistentVolumeClaim of its namespace: whether its volumes are being expanded is not seen";
    found.push(dumpFinding("noClaims", { object, cause, fix }));
  }
  if (findKubernetesVersion(objects) === undefined) {
    const cause = `no node reports the version of Kubernetes: ${ownVersion} is taken`;
    found.push(dumpFinding("noVersion", { cause, fix }));
  }
  return found;
}

/** The ECs that expand their volumes, with none of their claims among the objects. */
function dropClaims(objects: readonly KubeObject[], names: Names): readonly KubeObject[] {
  const claims = objects.filter(({ kind }) => kind === kinds.claim.kind);
  return objects.filter(
    (object) =>
      object.kind === names.ec.kind &&
      getPath(object, names.ecFields.volumeResize) === true &&
      claims.every(({ metadata }) => metadata.namespace !== object.metadata.namespace),
  );
}

/** The newest version that a node tells: no kubelet is newer than its API server. */
export function findKubernetesVersion(objects: readonly KubeObject[]): string | undefined {
  const told = ofKind(objects, "Node")
    .filter(({ apiVersion }) => apiVersion === "v1")
    .flatMap(({ status }) => asString(status?.nodeInfo?.kubeletVersion) ?? []);
  const rank = (version: string): number => {
    const { major = 0, minor = 0 } = parsePlatformVersion(version) ?? {};
    return major * 1_000_000 + minor;
  };
  return told.filter(rank).sort((one, other) => rank(other) - rank(one))[0];
}
