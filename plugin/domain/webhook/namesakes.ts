/** Configurations beside the two that a swap knows: who else judges the same edits (4.4). */
import type { Names } from "../names";
import type { KubeObject } from "../objects";
import { own, type Json } from "../values";
import { entriesOf, entryOf, serviceNameOf, serviceNamespaceOf } from "./configuration";
import { reachesSame } from "./rules";

/** Entries of our entry's name in configurations that are neither the new nor the old one. */
export function namesakesIn(configurations: readonly KubeObject[], names: Names): readonly Json[] {
  return others(configurations, names).flatMap((object) =>
    entriesOf(object).filter((entry) => own(entry, "name") === names.webhook.entry),
  );
}

/**
 * Configurations with an entry of the same purpose: the same kinds, by the same Service, or by
 * another one of that namespace under the product's entry name, as OLM makes its own Service.
 */
export function purposesBeside(
  configurations: readonly KubeObject[],
  wanted: KubeObject,
  names: Names,
): readonly KubeObject[] {
  const { entry: current, oldEntry } = names.webhook;
  const ours = entryOf(wanted, current);
  return others(configurations, names).filter((object) =>
    entriesOf(object).some(
      (entry) =>
        serviceNamespaceOf(entry) === serviceNamespaceOf(ours) &&
        (serviceNameOf(entry) === serviceNameOf(ours) ||
          [current, oldEntry].some((name) => name === own(entry, "name"))) &&
        reachesSame(ours, entry),
    ),
  );
}

function others(configurations: readonly KubeObject[], names: Names): readonly KubeObject[] {
  const { configuration, oldConfiguration } = names.webhook;
  return configurations.filter(
    ({ metadata }) => metadata.name !== configuration && metadata.name !== oldConfiguration,
  );
}
