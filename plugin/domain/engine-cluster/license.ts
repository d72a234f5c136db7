/** The step that sets a license of an EC, from where the EC takes it (domain facts 7). */
import { keepsSecretsHere } from "../facts/secret-references";
import { getPath, asString } from "../base/values";
import { type Names, renderTerm } from "../names/names";
import { daysUntil } from "../base/duration";
import type { Finding } from "../base/findings";
import type { Facts } from "../facts/facts";
import { clusterFindings } from "./findings";
import { type KubeObject, objectLabel, readName, readNamespace } from "../kube/objects";

/** The Secret's text goes by a file: no command line has a license. */
export function renderLicenseStep(ec: KubeObject, names: Names): string {
  const secret = asString(getPath(ec, names.ecFields.licenseSecretName));
  const place = `-n ${readNamespace(ec)}`;
  const after = `wait until the ${renderTerm(names.ec)}'s status says Valid`;
  if (secret === undefined) {
    const kind = `${names.ec.plural}.${names.group}`;
    const field = names.ecFields.license.join(".");
    return `set a valid license in ${field}, with a file that has only that field: kubectl patch ${kind} ${readName(ec)} ${place} --type=merge --patch-file LICENSE_PATCH; then ${after}`;
  }
  const item = names.secretItems.license;
  if (!keepsSecretsHere(ec, names)) {
    return `put a valid license into item ${item} of ${secret} where the ${renderTerm(names.ec)} keeps its secrets (${names.ecFields.credentialSecretType.join(".")}), which is not Kubernetes: no Secret of that name is read; then ${after}`;
  }
  return `put a valid license into item ${item} of Secret ${secret}: kubectl create secret generic ${secret} --from-file=${item}=LICENSE_FILE ${place} --dry-run=client -o yaml | kubectl apply -f -; then ${after}`;
}

const expired = "LICENSE-EXPIRED";

/** What is told of a license: its state, and its last day. */
export const licenseCodes: readonly string[] = [clusterFindings.license.code, expired];

/** A license whose last day is over, whatever its state says (S59, S60); none where its state tells it already. */
export function findExpired(facts: Facts, ec: KubeObject): readonly Finding[] {
  const { names, now } = facts;
  const until = asString(getPath(ec, names.ecFields.licenseExpiration));
  const state = asString(getPath(ec, names.ecFields.licenseState));
  const isTold = state !== undefined && state.toLowerCase() !== "valid";
  if (isTold || (daysUntil(until, now) ?? 0) >= 0) return [];
  const cause = `its license expired ${String(until)}`;
  const fix = renderLicenseStep(ec, names);
  const object = objectLabel(ec);
  return [{ code: expired, severity: "error", object, cause, fix, source: "S60" }];
}
