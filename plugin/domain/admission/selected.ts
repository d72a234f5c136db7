/** Whether an entry selects anything: what it does not select, nothing validates, and no edit can prove (Facts 4.3). */
import type { Finding } from "../base/findings";
import { kubectl, type Remedy, tool } from "../base/remedy";
import type { Names } from "../names/names";
import type { Found } from "../diagnosis/symptom";
import type { Facts } from "../facts/facts";
import { isDeleting } from "../kube/deletion";
import type { ValidatingWebhook, WebhookConfiguration } from "../kube/models";
import { type KubeObject, objectLabel, readName, readNamespace } from "../kube/objects";
import { findLivingOwner } from "../kube/owners";
import { labelsFor } from "../kube/selectors";
import { missingTargets, targetWords } from "../operator/olm-obstacles";
import { fieldOf, selectsNamespace } from "./configuration";
import { webhookFinding } from "./findings";

/** The selector that no namespace, or no object, can meet; undefined where an edit can meet both. */
export function findIdleSelector(
  entry: ValidatingWebhook | undefined,
  namespaces: readonly KubeObject[],
): Idle | undefined {
  if (!namespaces.some((one) => isProvable(entry, one))) return "namespaceSelector";
  return findIdlePart(entry);
}

/** The same, whatever the namespace is. */
export function findIdlePart(
  entry: ValidatingWebhook | undefined,
): Exclude<Idle, "namespaceSelector"> | undefined {
  if (labelsFor(entry?.objectSelector) === undefined) return "objectSelector";
  return entry?.matchConditions?.some(isFalse) === true ? "matchConditions" : undefined;
}

/** True for a condition by which no edit is ever checked. */
export function isFalse({
  expression,
}: NonNullable<ValidatingWebhook["matchConditions"]>[number]): boolean {
  return expression?.trim() === "false";
}

/** True for a namespace in which an edit can meet the entry: one that is deleted takes none. */
export function isProvable(entry: ValidatingWebhook | undefined, namespace: KubeObject): boolean {
  return !isDeleting(namespace) && selectsNamespace(entry, namespace);
}

/** True for one in which no entry of the same name judges the edit as well. */
export function isUnshared(
  entry: ValidatingWebhook | undefined,
  namesakes: readonly ValidatingWebhook[],
  namespace: KubeObject,
): boolean {
  return isProvable(entry, namespace) && !namesakes.some((one) => selectsNamespace(one, namespace));
}

/** That no edit meets the entry alone. */
export function describeAmbiguous({ webhook }: Names): Found {
  const cause = `another configuration has an entry ${webhook.entry} too: a refusal would not prove which of the two it came from`;
  return { object: "Probe", cause };
}

/** That no edit of a kind that the entry matches can be sent. */
export function describeNoKind({ group, version }: Names): Found {
  const cause = `none of the kinds that the entry matches is served in ${group}/${version}`;
  return { object: "Probe", cause };
}

/** By which part of an entry no edit is checked. */
export type Idle = keyof typeof because;

const because = {
  namespaceSelector: "it selects no namespace",
  objectSelector: "its requirements contradict each other, so that it selects no object",
  matchConditions: "one of its conditions is never true",
} as const;

const steps: Readonly<Record<Idle, Remedy>> = {
  namespaceSelector: { says: "label a namespace so that the selector selects it" },
  objectSelector: { says: "correct the selector with kubectl edit" },
  matchConditions: { says: "take the condition out with kubectl edit" },
};

/** An entry, and the configuration that has it. */
interface Selecting {
  readonly entry: ValidatingWebhook | undefined;
  readonly configuration: WebhookConfiguration;
}

/** OLM takes a label by hand and a wider selector back: what it selects are the targets of its OperatorGroup. */
export function fixByGroup(
  { entry, configuration }: Selecting,
  name: string,
  { objects: { operatorGroups }, left }: Pick<Facts, "left" | "objects">,
): { readonly remedies?: readonly Remedy[] } {
  const labels = JSON.stringify([entry?.namespaceSelector]);
  const [, uid] = /"olm\.operatorgroup\.uid\/([^"]+)"/.exec(labels) ?? [];
  if (uid === undefined || findLivingOwner(configuration, left)?.name !== "OLM") return {};
  const group = operatorGroups.find(({ metadata }) => metadata.uid === uid);
  const takesBack = "OLM takes a label by hand and a wider selector back";
  if (group === undefined) {
    const says = `add ${name} to the targets of the OperatorGroup with uid ${uid}; ${takesBack}`;
    return { remedies: [{ says }] };
  }
  const missing = missingTargets(group, [name]);
  // OLM labels the namespaces of its group, and sets a label that was lost when it looks again
  const remedy =
    missing.length === 0
      ? kubectl(
          `have OLM look again at OperatorGroup ${readName(group)}, which targets it already`,
          ...["annotate", "operatorgroups.operators.coreos.com", readName(group)],
          ...[`--namespace=${readNamespace(group)}`, "--overwrite", "looked-at=again"],
        )
      : kubectl(
          `add it to the targets of OLM's group, which also makes the rights there; ${takesBack}`,
          ...targetWords(group, missing),
        );
  return { remedies: [remedy] };
}

/** The error that nothing is validated by it; `byOwner` where somebody else writes the configuration. */
export function reportIdle(
  { configuration, entry }: Selecting,
  selector: Idle,
  byOwner: readonly Remedy[] | undefined,
): Finding {
  const about = {
    object: objectLabel(configuration),
    field: `${fieldOf(entry)}.${selector}`,
    cause: `${because[selector]}: nothing is validated, and no edit can prove the webhook`,
  };
  const remedies = byOwner ?? [
    tool(
      "write the selectors of the template with --take-template-selectors",
      ...["upgrade-webhook", "--take-template-selectors"],
    ),
    steps[selector],
    { says: "go without proof with --no-probe" },
  ];
  return webhookFinding("probeNoMatch", { ...about, remedies });
}
