/**
 * What helm makes of the objects of a chart (S20): it gives each its marks, writes what the chart has, takes away
 * what the manifest before had and the new one lacks, and deletes what leaves the release. What only the cluster has
 * stays: helm 3 merges the manifest before, the new one and the stored object; helm 4 has the API server do the same
 * by the owners of the fields.
 */
import type { Finding } from "../base/findings";
import { kubectl } from "../base/remedy";
import { asArray, getOwn, isObject, omit } from "../base/values";
import { covers, type Difference, differences, valueAt } from "../kube/differences";
import { kinds } from "../kube/kinds";
import {
  type KubeObject,
  objectLabel,
  readName,
  type Ref,
  type ServedResource,
  splitApiVersion,
} from "../kube/objects";
import type { Names } from "../names/names";
import { type ChartMarks, withChartMarks } from "./chart-marks";
import { operatorFinding } from "./findings";

/** Where an object of the release comes to lie. */
export interface ChartPlace extends ChartMarks {
  /** The release's. */
  readonly namespace: string;
}

/** The object as helm writes it into the cluster. */
export function placeRendered(
  object: KubeObject,
  place: ChartPlace,
  { namespaced }: Pick<ServedResource, "namespaced">,
): KubeObject {
  const { namespace = place.namespace, ...metadata } = object.metadata;
  const placed = { ...metadata, ...(namespaced === true && { namespace }) };
  return withChartMarks({ ...withoutText(omit(object, "status")), metadata: placed }, place);
}

/** The API server keeps the text of a Secret as data. */
function withoutText(object: KubeObject): KubeObject {
  const { stringData, data, ...rest } = object;
  if (object.kind !== kinds.secret.kind || !isObject(stringData)) return object;
  const encoded = Object.entries(stringData).map(([key, text]) => [
    key,
    Buffer.from(String(text)).toString("base64"),
  ]);
  return { ...rest, data: { ...(isObject(data) && data), ...Object.fromEntries(encoded) } };
}

/** By this helm knows an object again: a version of its API is no other object. */
export function chartKey({ apiVersion, kind, metadata }: KubeObject, namespace: string): string {
  const { group } = splitApiVersion(apiVersion);
  return JSON.stringify([group, kind, metadata.namespace ?? namespace, metadata.name]);
}

/** The objects of the first manifest that the second one has no more. */
export function listLeaving(
  before: readonly KubeObject[],
  now: readonly KubeObject[],
  namespace: string,
): readonly KubeObject[] {
  const known = new Set(now.map((object) => chartKey(object, namespace)));
  return before.filter((object) => !known.has(chartKey(object, namespace)));
}

/** Fields that the manifest before had, that the new one lacks, and that are there: helm takes them away. */
export function listRemoved(
  before: KubeObject | undefined,
  wanted: KubeObject,
  live: KubeObject,
): readonly string[] {
  if (before === undefined) return [];
  return differences(wanted, before)
    .flatMap(({ field, live: has, wanted: had }) =>
      has === undefined ? [field] : listGoneItems(had, has).map((item) => field + item),
    )
    .filter((field) => valueAt(live, field) !== undefined);
}

/** By these the API server tells the items of a list apart that have no names. */
const itemKeys = ["mountPath", "devicePath", "containerPort", "port", "ip"];

/** The items of a list that another one lacks; a list of other items is written as a whole. */
function listGoneItems(before: unknown, now: unknown): readonly string[] {
  return asArray(before).flatMap((item) => {
    const key = itemKeys.find((one) => getOwn(item, one) !== undefined);
    if (key === undefined) return [];
    const value = getOwn(item, key);
    const stays = asArray(now).some((other) => getOwn(other, key) === value);
    return stays ? [] : [`[${key}=${JSON.stringify(value)}]`];
  });
}

/** The same where the API server merges: what it would store has these fields no more, or has its own defaults. */
export function listUnset(
  live: KubeObject,
  wanted: KubeObject,
  stored: KubeObject,
): readonly string[] {
  return differences(stored, omit(live, "status"))
    .filter(({ field, live: has }) => {
      // labels and annotations have no defaults: what changes in them meanwhile is of others
      const isReset = valueAt(wanted, field) === undefined && !field.startsWith(".metadata.");
      return has === undefined || isReset;
    })
    .map(({ field }) => field);
}

/** Groups of Kubernetes whose kinds helm itself knows the lists of. */
const knownGroup = /^(|apps|batch|autoscaling|policy|[a-z.]+\.k8s\.io)$/;
const unknownGroup = /^(apiextensions|apiregistration|snapshot\.storage|gateway\.networking)\./;

/**
 * The changes that helm sends. Of a kind that it does not know it compares two manifests alone: what someone changed
 * meanwhile stays, unless the chart has another value than before.
 */
export function listSent(
  changes: readonly Difference[],
  before: KubeObject | undefined,
  { group }: Ref["resource"],
): readonly Difference[] {
  if (before === undefined || (knownGroup.test(group) && !unknownGroup.test(group))) return changes;
  return changes.filter(({ field, wanted }) => !covers(valueAt(before, field), wanted, field));
}

/**
 * Lists that change and in which two ports share a number, as TCP and UDP do: the merge of helm itself knows a port
 * by its number alone, and what becomes of these two no dry run shows.
 */
export function listSharedPorts(
  object: KubeObject,
  changes: readonly Difference[],
): readonly string[] {
  const lists = changes.flatMap(({ field }) => /^.*\.ports(?=$|\[)/.exec(field) ?? []);
  return [...new Set(lists)].filter((list) => {
    const ports = asArray(valueAt(object, list));
    const numbers = ports.map((one) => getOwn(one, "containerPort") ?? getOwn(one, "port"));
    return new Set(numbers).size < numbers.length;
  });
}

const policy = "helm.sh/resource-policy";

/** Helm asks the stored object, not the manifest. */
export function isKept({ metadata }: KubeObject): boolean {
  return getOwn(metadata.annotations, policy) === "keep";
}

/** True where something goes with it that no manifest brings back. */
function holdsData(object: KubeObject, names: Names): boolean {
  const { group } = splitApiVersion(object.apiVersion);
  const holders: readonly string[] = [
    ...[kinds.definition.kind, kinds.namespace.kind],
    ...[kinds.claim.kind, kinds.secret.kind, "PersistentVolume"],
  ];
  return group === names.group || holders.includes(object.kind);
}

/** What is said of an object that helm deletes; `accepted`: labels of those that a person has accepted. */
export function judgeDeleted(
  live: KubeObject,
  { names, accepted }: { readonly names: Names; readonly accepted: readonly string[] },
): Finding {
  const object = objectLabel(live);
  const { namespace } = live.metadata;
  const place = namespace === undefined ? [] : [`--namespace=${namespace}`];
  const at = [live.kind.toLowerCase(), readName(live), ...place];
  const keep = kubectl(
    "where it is still needed, have helm keep it",
    ...["annotate", ...at, `${policy}=keep`],
  );
  const cause = "the release has it, and this chart does not: helm deletes it";
  if (!holdsData(live, names)) {
    return operatorFinding("chartDeletes", { object, cause, remedies: [keep] });
  }
  const goes = live.kind === kinds.definition.kind ? "every object of its kind" : "what it holds";
  const finding = operatorFinding("chartDeletesData", {
    object,
    cause: `${cause}, and ${goes} with it`,
    remedies: [keep, { says: `accept it with --skip OPERATOR-CHART-DELETES-DATA=${object}` }],
  });
  return accepted.includes(object) ? { ...finding, severity: "warning", accepted: true } : finding;
}
