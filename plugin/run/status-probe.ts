/** `status --probe`: the webhook proven by dry-run twins, as its upgrade proves it; nothing is written. */
import type { FactKey, Facts } from "../domain/facts";
import type { ProbeOutcome } from "../domain/status/admission";
import { own } from "../domain/values";
import { entryOf, serviceNamespaceOf } from "../domain/webhook/configuration";
import { type Pair, pairsFor, tally } from "../domain/webhook/probe";
import { labelsFor, selects } from "../domain/kube/selectors";
import type { Recorder } from "./engine/recorder";
import type { SnapshotDeps } from "./snapshot";
import { Prober } from "./swap/prober";

const wanted = { quietMs: 200, pairs: 2, limitMs: 15_000 };

/** The lists that a probe is made from. */
export const probedFacts: readonly FactKey[] = [
  "namespaces",
  "webhookConfigurations",
  "edbs",
  "eaadbs",
  "ercs",
];

/** What the twins showed; a cause that is not the webhook's leaves it open. */
export async function probeWebhook(
  deps: SnapshotDeps & { readonly recorder: Recorder },
  facts: Facts,
  { name, phase = "status" }: { readonly name: string; readonly phase?: string },
): Promise<ProbeOutcome> {
  const { entry } = facts.names.webhook;
  const pair = pairFor(facts, name);
  if (typeof pair === "string") return { is: "open", because: pair };
  const prober = new Prober(deps, pair);
  const proof = await prober.settle({ ...wanted, entry });
  deps.recorder.probe({ phase, ...tally(prober.counting()) });
  if (proof.is === "proven") return proof;
  const { because } = proof;
  const other = prober.observations.some(({ answer }) => answer.is === "other");
  return other ? { is: "open", because } : { is: "failed", because };
}

/** The twins of a kind that the entry matches, in a namespace that it selects; else why there are none. */
function pairFor(facts: Facts, name: string): Pair | string {
  const { names, namespace: operators, objects } = facts;
  const entry = objects.webhookConfigurations
    .map((configuration) => entryOf(configuration, names.webhook.entry))
    .find((found) => serviceNamespaceOf(found) === operators);
  if (entry === undefined) return "no configuration of this namespace can be probed";
  const selector = own(entry, "namespaceSelector");
  const namespace = objects.namespaces
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .filter(({ metadata }) => selects(selector, metadata.labels ?? {}))
    .map(({ metadata }) => String(metadata.name))
    .sort((one, other) => Number(other === operators) - Number(one === operators))[0];
  const labels = labelsFor(own(entry, "objectSelector"));
  if (namespace === undefined || labels === undefined)
    return "nothing is selected by its selectors";
  const served: readonly (readonly [plural: string, key: FactKey])[] = [
    [names.edb.plural, "edbs"],
    [names.eaadb.plural, "eaadbs"],
    [names.erc.plural, "ercs"],
  ];
  const pair = pairsFor(entry, { names, namespace, name, labels }).find(({ resource }) =>
    served.some(([plural, key]) => plural === resource.plural && !facts.unserved.has(key)),
  );
  return pair ?? "none of the kinds that it matches is served";
}
