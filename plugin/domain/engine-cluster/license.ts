/** What is wrong with the license of an EC, and what sets another one, from where the EC takes it (domain facts 7). */
import { keepsSecretsHere } from "../references/table";
import { getPath, asString } from "../base/values";
import { type Names, renderTerm } from "../names/names";
import { daysUntil } from "../base/duration";
import type { Finding } from "../base/findings";
import type { Remedy } from "../base/remedy";
import type { Facts } from "../facts/facts";
import type { ApiLicense } from "../rest-api/records";
import { clusterFinding, clusterFindings } from "./findings";
import { type KubeObject, objectLabel, readName, readNamespace } from "../kube/objects";

/** The place that the EC takes its license from, else the REST API. The text goes by a file: no command line has a license. */
export function licenseRemedies(ec: KubeObject, names: Names): readonly Remedy[] {
  const then = { says: `wait until the ${renderTerm(names.ec)}'s status says Valid` };
  const call = `send it to the cluster's REST API (PUT ${names.restPaths.license}), and set it where the ${renderTerm(names.ec)} takes it from as well, since the operator writes the old one again otherwise`;
  return [{ says: describePlace(ec, names), then }, { says: call }];
}

function describePlace(ec: KubeObject, names: Names): string {
  const secret = asString(getPath(ec, names.ecFields.licenseSecretName));
  const place = `-n ${readNamespace(ec)}`;
  if (secret === undefined) {
    const kind = `${names.ec.plural}.${names.group}`;
    const field = names.ecFields.license.join(".");
    return `set a valid license in ${field}, with a file that has only that field: kubectl patch ${kind} ${readName(ec)} ${place} --type=merge --patch-file LICENSE_PATCH`;
  }
  const item = names.secretItems.license;
  if (!keepsSecretsHere(ec, names)) {
    return `put a valid license into item ${item} of ${secret} where the ${renderTerm(names.ec)} keeps its secrets (${names.ecFields.credentialSecretType.join(".")}), which is not Kubernetes: no Secret of that name is read`;
  }
  return `put a valid license into item ${item} of Secret ${secret}: kubectl create secret generic ${secret} --from-file=${item}=LICENSE_FILE ${place} --dry-run=client -o yaml | kubectl apply -f -`;
}

/** What is told of a license: its state, and its last day. */
export const licenseCodes: readonly string[] = [
  clusterFindings.license.code,
  clusterFindings.licenseExpired.code,
];

/** When the license ends; `days` is undefined where the status does not tell. */
export function licenseExpiry(ec: KubeObject, { names, now }: Pick<Facts, "names" | "now">) {
  const path = names.ecFields.licenseExpiration;
  const until = asString(getPath(ec, path));
  return { field: path.join("."), until, days: daysUntil(until, now) };
}

/**
 * A license that is not valid, by its state (S59, S125), else by its last day (S60), else by what the REST API told.
 * Any of them counts: each may be behind the others.
 */
export function findLicense(
  facts: Facts,
  ec: KubeObject,
  told?: Pick<ApiLicense, "expired" | "expirationDate">,
): readonly Finding[] {
  const { names } = facts;
  const path = names.ecFields.licenseState;
  const state = asString(getPath(ec, path));
  const { until, days, field } = licenseExpiry(ec, facts);
  const about = { object: objectLabel(ec), remedies: licenseRemedies(ec, names) };
  if (state !== undefined && state.toLowerCase() !== "valid") {
    const expires = until === undefined ? "" : `, it expires or expired ${until}`;
    const cause = `the license state is ${state}${expires}`;
    return [clusterFinding("license", { ...about, field: path.join("."), cause }, names)];
  }
  if (days !== undefined && days < 0) {
    const cause = `its license expired ${String(until)}`;
    return [clusterFinding("licenseExpired", { ...about, field, cause })];
  }
  if (told?.expired !== true) return [];
  const on = told.expirationDate === undefined ? "" : ` on ${told.expirationDate}`;
  const cause = `the license has expired${on}, as the REST API reports`;
  return [clusterFinding("license", { ...about, cause }, names)];
}
