/** Whether a part of the upgrade has anything to do on this cluster, judged from facts. */
import { type Facts, isKnown, isOpenShift } from "../facts";
import { list, own } from "../values";

/** Why the webhook is left alone; undefined where an admission controller is in use (S24). */
export function webhookSkip(facts: Facts): string | undefined {
  const { names, objects } = facts;
  // unread is not absent: the part itself then says which permission is missing
  if (!isKnown(facts, "webhookConfigurations")) return undefined;
  const entries = [names.webhook.entry, names.webhook.oldEntry];
  const used = objects.webhookConfigurations.some(({ webhooks }) =>
    list(webhooks).some((entry) => entries.some((name) => name === own(entry, "name"))),
  );
  return used ? undefined : "no admission controller is in use (S24)";
}

/** Why there is no constraint to unbind; undefined on OpenShift (S33). */
export function sccSkip(facts: Facts): string | undefined {
  if (!isKnown(facts, "constraints") || isOpenShift(facts)) return undefined;
  return "the cluster is not OpenShift, it has no constraints";
}
