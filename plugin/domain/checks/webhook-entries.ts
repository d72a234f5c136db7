/** The webhook entries that are in force, and what the swap would make of them (domain facts 4). */
import { factNamed } from "../facts";
import type { KubeObject } from "../objects";
import type { Json } from "../values";
import { caBundleOf, candidatesOf, entriesOf, entryOf } from "../webhook/configuration";
import { own } from "../values";
import { type Plan, planSwap } from "../webhook/plan";
import { goalOf, nameOf, type Situation } from "./situation";

/** An entry of the product's, and the configuration that holds it. */
export interface EntryInForce {
  readonly configuration: KubeObject;
  readonly entry: Json;
  /** Where it stands, as findings write it. */
  readonly field: string;
}

/** The configurations that are meant: by name or by entry. */
export function configurationsOf({ facts, names }: Situation): readonly KubeObject[] {
  return candidatesOf(facts.objects.webhookConfigurations, names);
}

/** The configuration of the name of today. */
export function currentOf({ facts, names }: Situation): KubeObject | undefined {
  return factNamed(facts, "webhookConfigurations", { name: names.webhook.configuration });
}

/** Every entry of the product's, old and new. */
export function entriesInForce(situation: Situation): readonly EntryInForce[] {
  const { entry: current, oldEntry } = situation.names.webhook;
  return configurationsOf(situation).flatMap((configuration) =>
    entriesOf(configuration).flatMap((entry, index) => {
      const name = own(entry, "name");
      return name === current || name === oldEntry
        ? [{ configuration, entry, field: `webhooks[${index}]` }]
        : [];
    }),
  );
}

/** What the swap would plan; undefined without a template. The CA that is there counts where none is known. */
export function planOf(situation: Situation): Plan | undefined {
  const { facts, names, target } = situation;
  if (target.webhook === undefined) return undefined;
  const live = entryOf(currentOf(situation), names.webhook.entry);
  return planSwap({
    namespace: facts.namespace,
    template: target.webhook,
    configurations: facts.objects.webhookConfigurations,
    caBundle: facts.certificate?.caBundle ?? caBundleOf(live),
    livingNamespaces: facts.objects.namespaces.map(nameOf),
    takeOver: false,
    takeTemplateSelectors: false,
    takeTemplateRules: false,
    shippedFor: target.shippedWebhook === true ? goalOf(situation)?.tag : undefined,
    names,
  });
}
