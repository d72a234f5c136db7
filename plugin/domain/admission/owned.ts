/** What may be advised of a configuration that somebody else owns (Facts 4.4). */
import { byTool, type Run } from "../base/remedy";
import { pick } from "../base/values";
import type { Found } from "../diagnosis/symptom";
import type { Facts } from "../facts/facts";
import type { ValidatingWebhookConfiguration, WebhookConfiguration } from "../kube/models";
import { readName } from "../kube/objects";
import { findLivingOwner, renderOwnersWay } from "../kube/owners";
import type { Names } from "../names/names";
import { findEntry, nameField } from "./configuration";

/** The one write that an owner leaves to this tool. */
export const caWay = byTool(
  "run upgrade-webhook --ca-only: it writes the CA and nothing else; then have the owner leave that field out",
  ...["upgrade-webhook", "--ca-only"],
);

/**
 * Takes the place of a finding's fix that a run of upgrade-webhook would refuse; {} where nobody owns it. `see`: a
 * command of this tool that only shows.
 */
export function fixByOwner(
  configuration: WebhookConfiguration,
  { left }: Pick<Facts, "left">,
  see?: Run,
): Pick<Found, "remedies"> {
  const owner = findLivingOwner(configuration, left);
  if (owner === undefined) return {};
  const says = renderOwnersWay(owner);
  return { remedies: [{ says, ...pick({ see }, "see") }] };
}

/** The same where nothing but the CA is wrong. */
export function fixCaByOwner(
  configuration: WebhookConfiguration,
  facts: Pick<Facts, "left" | "names">,
): Pick<Found, "fix" | "remedies"> {
  const byOwner = fixByOwner(configuration, facts);
  const isProducts = readName(configuration) === facts.names.webhook.configuration;
  const { loses } = findLivingOwner(configuration, facts.left) ?? {};
  const isOwners = byOwner.remedies !== undefined && loses === undefined;
  return isOwners && isProducts ? caWay : byOwner;
}

/** A configuration as found and as wanted, with the paths of `listDifferences`. */
export interface Compared {
  readonly live: ValidatingWebhookConfiguration | undefined;
  readonly wanted: ValidatingWebhookConfiguration;
  readonly differences: readonly string[];
}

/** Whether the CA by itself is what an owned configuration lacks: it calls what is there, in a version that is known. */
export function lacksOnlyCa(compared: Compared, names: Names): boolean {
  const isCa = compared.differences.some(isOfCa);
  return compared.live !== undefined && isCa && listUnanswered(compared, names).length === 0;
}

/** A path of `listDifferences` that leads to a CA. */
export function isOfCa(field: string): boolean {
  return field.endsWith(".clientConfig.caBundle");
}

/** Fields by which no call is answered, whatever the CA is. */
export function listUnanswered(
  { live, wanted, differences }: Compared,
  names: Names,
): readonly string[] {
  const { entry: name } = names.webhook;
  const path = nameField(name);
  const [found, own] = [live, wanted].map((one) => findEntry(one, name));
  const versions = own?.admissionReviewVersions;
  const isRead = found?.admissionReviewVersions?.some((one) => versions?.includes(one)) === true;
  const needed = [path, `${path}.clientConfig.service`, `${path}.clientConfig.url`];
  return differences.filter(
    (field) => needed.includes(field) || (field === `${path}.admissionReviewVersions` && !isRead),
  );
}
