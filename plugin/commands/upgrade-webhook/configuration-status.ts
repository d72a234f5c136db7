/** What `status` shows of one configuration. */
import {
  compareTrust,
  entriesInForce,
  findEntry,
  hasOlmPair,
  listCandidates,
  readServiceNamespace,
} from "../../domain/admission/configuration";
import { findInjector } from "../../domain/admission/injector";
import type { Facts } from "../../domain/facts/facts";
import type { ValidatingWebhook, ValidatingWebhookConfiguration } from "../../domain/kube/models";
import { findLivingOwner } from "../../domain/kube/owners";
import { leftovers } from "../../domain/names/names";

/** One configuration that checks this operator's databases. */
export interface ConfigurationStatus {
  readonly name: string;
  /** Of the releases before 6.4.2 (S25). */
  readonly old: boolean;
  readonly serves: string | undefined;
  /** Its CA beside the Secret's certificate (S28, S30). */
  readonly ca: "fits" | "differs" | "empty" | "unknown";
  readonly placeholders: readonly string[];
  /** Who writes its CA, by an annotation. */
  readonly injector?: string;
  /** Who else writes it. */
  readonly owner?: string;
}

/** The configurations that serve this namespace or none that can be; the one of the fixed name always. */
export function servedHere({
  objects,
  names,
  namespace,
}: Facts): readonly ValidatingWebhookConfiguration[] {
  return listCandidates(objects.webhookConfigurations, names).filter((object) => {
    const serves = readServiceNamespace(entryIn(object, names));
    const fixed = object.metadata.name === names.webhook.configuration;
    return fixed || serves === namespace || leftovers([serves], names).length > 0;
  });
}

function entryIn(
  object: ValidatingWebhookConfiguration,
  { webhook }: Facts["names"],
): ValidatingWebhook | undefined {
  return findEntry(object, webhook.entry) ?? findEntry(object, webhook.oldEntry);
}

/** One of them. */
export function describeConfiguration(
  object: ValidatingWebhookConfiguration,
  facts: Facts,
): ConfigurationStatus {
  const { names, namespace } = facts;
  const entry = entryIn(object, names);
  const name = String(object.metadata.name);
  const service = { namespace, name: names.webhook.service };
  const injector = findInjector(object);
  const owner = findLivingOwner(object, facts.left);
  const inForce = entriesInForce(object, service, names).map((one) => one.entry);
  const cas: readonly ConfigurationStatus["ca"][] = hasOlmPair(object, facts)
    ? ["unknown"]
    : entriesServed(object, facts).map((one) => describeCa(one, facts));
  return {
    name,
    old:
      findEntry(object, names.webhook.entry) === undefined ||
      findEntry(object, names.webhook.oldEntry) !== undefined,
    serves: readServiceNamespace(entry ?? inForce[0]),
    ca: worstFirst.find((ca) => cas.includes(ca)) ?? "fits",
    placeholders: leftovers(inForce, names),
    ...(injector !== undefined && { injector: `${injector.name} (${injector.annotation})` }),
    ...(owner !== undefined && { owner: owner.name }),
  };
}

/** The entries in force of a configuration; where there is none, the one of the product's name, if any. */
export function entriesServed(
  object: ValidatingWebhookConfiguration,
  { names, namespace }: Facts,
): readonly (ValidatingWebhook | undefined)[] {
  const service = { namespace, name: names.webhook.service };
  const inForce = entriesInForce(object, service, names).map(({ entry }) => entry);
  return inForce.length === 0 ? [entryIn(object, names)] : inForce;
}

const worstFirst: readonly ConfigurationStatus["ca"][] = ["empty", "differs", "unknown"];

/** Its CA beside the Secret's certificate, where that may be compared. */
export function describeCa(
  entry: ValidatingWebhook | undefined,
  { namespace, certificate }: Facts,
): ConfigurationStatus["ca"] {
  const trust = compareTrust(entry, certificate);
  if (trust === "empty") return "empty";
  const elsewhere = readServiceNamespace(entry) !== namespace;
  if (elsewhere || certificate === undefined) return "unknown";
  return trust === "fit" ? "fits" : "differs";
}
