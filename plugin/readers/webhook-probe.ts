/** Probes the webhook in force by dry runs. */
import type { FactKey, Facts } from "../domain/facts/facts";
import type { Recorder } from "../kernel/recorder";
import type { SnapshotDeps } from "./snapshot";
import { type ProbeOutcome, hindranceCause } from "../domain/admission/refusers";
import { getOwn } from "../domain/base/values";
import { entryOf, serviceNamespaceOf } from "../domain/admission/configuration";
import { judgeAnswers } from "../domain/admission/faults";
import { tally } from "../domain/admission/gap";
import { type ProbePair, pairsFor, type Proof } from "../domain/admission/probe";
import { labelsFor, selects } from "../domain/kube/selectors";
import { Prober } from "./prober";

/** Nothing was written that would have to spread: what answers wrong for so long stays wrong. */
const wanted = { quietMs: 200, pairs: 2, limitMs: 5_000 };

/** How many edits are sent at first. */
const looks = 3;

/** The lists that a probe is made from. */
export const probedFacts: readonly FactKey[] = [
  "namespaces",
  "webhookConfigurations",
  "edbs",
  "eaadbs",
  "ercs",
];

interface ProbeWanted {
  /** Of the probe's objects, which nothing else has. */
  readonly name: string;
  readonly phase?: string;
  /** A pair of one's own in place of the table's. */
  readonly own?: ProbePair | undefined;
}

/** What the twins showed; a cause that is not the webhook's leaves it open. */
export async function probeWebhook(
  deps: SnapshotDeps & { readonly recorder: Recorder },
  facts: Facts,
  { name, phase = "status", own }: ProbeWanted,
): Promise<ProbeOutcome> {
  const { entry } = facts.names.webhook;
  const pair = own ?? pairFor(facts, name);
  if (typeof pair === "string") return { is: "open", because: pair };
  const prober = new Prober(deps, pair);
  await prober.look(looks);
  const proof: Proof =
    prober.hindrance === undefined
      ? await prober.settle({ ...wanted, entry })
      : { is: "waiting", because: hindranceCause(prober.hindrance) };
  deps.recorder.probe({ phase, ...tally(prober.counting(), prober.ours) });
  if (proof.is === "proven") return proof;
  const { because } = proof;
  const { hindrance } = prober;
  if (hindrance !== undefined) return { is: "elsewhere", hindrance };
  const other = prober.observations.some(({ answer }) => answer.is === "other");
  if (other) return { is: "open", because };
  const { names, namespace } = facts;
  const object = `ValidatingWebhookConfiguration/${names.webhook.configuration}`;
  const answering = { ours: prober.ours, object, namespace, names };
  const finding = judgeAnswers(prober.counting(), answering);
  return { is: "failed", because, ...(finding !== undefined && { finding }) };
}

/** The twins of a kind that the entry matches, in a namespace that it selects; else why there are none. */
function pairFor(facts: Facts, name: string): ProbePair | string {
  const { names, namespace: operators, objects } = facts;
  const entry = objects.webhookConfigurations
    .map((configuration) => entryOf(configuration, names.webhook.entry))
    .find((found) => serviceNamespaceOf(found) === operators);
  if (entry === undefined) return "no configuration of this namespace can be probed";
  const selector = getOwn(entry, "namespaceSelector");
  const namespace = objects.namespaces
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .filter(({ metadata }) => selects(selector, metadata.labels ?? {}))
    .map(({ metadata }) => String(metadata.name))
    .sort((one, other) => Number(other === operators) - Number(one === operators))[0];
  const labels = labelsFor(getOwn(entry, "objectSelector"));
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
