/** Whether the webhook is this tool's to swap in an upgrade (S22, S24). */
import { entriesInForce } from "../../domain/admission/configuration";
import { type Facts, isKnown } from "../../domain/facts/facts";
import { findLivingOwner } from "../../domain/kube/owners";

/** Why the webhook is left alone; undefined where an admission controller is in use. */
export function skipWebhook({ facts }: { readonly facts: Facts }): string | undefined {
  // unread is not absent: the part itself then says which permission is missing
  if (!isKnown(facts, "webhookConfigurations")) return undefined;
  if (usedConfigurations(facts).length === 0) return "no admission controller is in use";
  const owner = webhookOwner(facts);
  if (owner === undefined) return undefined;
  return `${owner} owns its configuration, and upgrades it together with the operator`;
}

/** The installer that owns every configuration in use, and writes it itself (domain facts 4.4). */
export function webhookOwner(facts: Facts): string | undefined {
  // what is gone upgrades nothing
  const owners = usedConfigurations(facts).map((configuration) =>
    findLivingOwner(configuration, facts.left),
  );
  const isInstalled = owners.every((owner) => owner?.chart === true || owner?.name === "OLM");
  return isInstalled ? owners[0]?.name : undefined;
}

function usedConfigurations({
  names,
  namespace,
  objects,
}: Facts): Facts["objects"]["webhookConfigurations"] {
  const service = { namespace, name: names.webhook.service };
  return objects.webhookConfigurations.filter(
    (configuration) => entriesInForce(configuration, service, names).length > 0,
  );
}
