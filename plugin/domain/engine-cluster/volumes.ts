/**
 * Whether volumes of an EC are being expanded, as its claims and its status tell: until that is done, no field that
 * concerns its StatefulSet may be changed, since the operator makes the StatefulSet anew meanwhile (domain facts 7).
 */
import { factNamed, type Facts } from "../facts/facts";
import type { Finding } from "../base/findings";
import type { PersistentVolumeClaim, StatefulSet } from "../kube/models";
import { selects, isEmptySelector } from "../kube/selectors";
import { compareQuantities } from "../kube/quantities";
import { renderTerm } from "../names/names";
import { type KubeObject, readName, readNamespace, objectLabel } from "../kube/objects";
import { asString, getPath } from "../base/values";
import { kubectl } from "../base/remedy";
import { clusterFinding } from "./findings";
import { readNodes } from "./scale";

/** Volumes that are being expanded. */
export interface Expansion {
  readonly finding: Finding;
  /** A claim cannot be expanded as things are: waiting alone does not help. */
  readonly failed: boolean;
}

/** Undefined where no volume is being expanded, and where claims were not read and the status tells none. */
export function readExpansion(facts: Facts, ec: KubeObject): Expansion | undefined {
  const { names } = facts;
  const wanted =
    getPath(ec, names.ecFields.volumeResize) === true ? readSize(facts, ec) : undefined;
  const claims = listClaims(facts, ec);
  const main = mainTemplate(facts, claims);
  const changes = claims.flatMap(
    (claim) => describeChange(claim, claim.template === main ? wanted : undefined) ?? [],
  );
  const told = changes.length === 0 ? listByStatus(facts, ec) : changes.map(({ says }) => says);
  if (told.length === 0) return undefined;
  const failed = changes.filter((change) => change.failed);
  const place = ["-n", readNamespace(ec)];
  const look =
    failed.length > 0
      ? kubectl(
          "see what keeps it from being expanded",
          ...["describe", "pvc", ...failed.map(({ name }) => name), ...place],
        )
      : kubectl(
          "wait until every claim has its size, which upgrade and upgrade-cluster do with --wait",
          ...["get", "persistentvolumeclaims", ...place],
        );
  const then = { says: "run again when every claim has its size" };
  return {
    failed: failed.length > 0,
    finding: clusterFinding(
      "resizing",
      {
        object: objectLabel(ec),
        cause: `its volumes are being expanded: ${told.join("; ")}`,
        remedies: [failed.length > 0 ? { ...look, then } : look],
      },
      names,
    ),
  };
}

/** A claim of an EC's StatefulSet: its name is TEMPLATE-SET-ORDINAL. */
interface Claim {
  readonly object: PersistentVolumeClaim;
  readonly template: string;
}

/** The claims of the pods that the EC is to have: those of nodes that are gone keep their size. */
function listClaims(facts: Facts, ec: KubeObject): readonly Claim[] {
  const [name, namespace] = [readName(ec), readNamespace(ec)];
  const set = factNamed(facts, "statefulSets", { name, namespace });
  const from = set?.spec?.ordinals?.start ?? 0;
  const end = from + Math.max(readNodes(facts, ec), set?.spec?.replicas ?? 0);
  const templates = (set?.spec?.volumeClaimTemplates ?? []).map(({ metadata }) => metadata?.name);
  return facts.objects.claims.flatMap((object) => {
    const found = readNamespace(object) === namespace ? splitClaimName(facts, object) : undefined;
    if (found?.set !== name || found.ordinal < from || found.ordinal >= end) return [];
    const { template } = found;
    const isOwn =
      templates.length > 0
        ? templates.includes(template)
        : template === facts.names.pods.volumeTemplate ||
          isLabelled(object, name, set) ||
          isMounted(facts, object, `${name}-${found.ordinal}`);
    return isOwn ? [{ object, template }] : [];
  });
}

/** The name of a claim taken apart; of several names that fit, the longest is that of the StatefulSet. */
function splitClaimName({ objects }: Facts, claim: PersistentVolumeClaim) {
  const match = /^(.+)-(\d+)$/.exec(readName(claim));
  const rest = String(match?.[1]);
  const [set] = [...objects.ecs, ...objects.statefulSets]
    .filter(
      (one) => readNamespace(one) === readNamespace(claim) && rest.endsWith(`-${readName(one)}`),
    )
    .map(readName)
    .sort((one, other) => other.length - one.length);
  if (set === undefined) return undefined;
  return { set, ordinal: Number(match?.[2]), template: rest.slice(0, -set.length - 1) };
}

/** A StatefulSet gives its claims the labels that it selects pods by; without it, one holds the EC's name. */
function isLabelled(
  { metadata }: PersistentVolumeClaim,
  name: string,
  set: StatefulSet | undefined,
): boolean {
  const labels = metadata.labels ?? {};
  const selector = set?.spec?.selector;
  const isSelected = !isEmptySelector(selector) && selects(selector, labels);
  return isSelected || Object.values(labels).includes(name);
}

/** By the pod of that name, which stays while the StatefulSet is absent. */
function isMounted({ objects }: Facts, claim: PersistentVolumeClaim, name: string): boolean {
  return objects.pods
    .filter((pod) => readName(pod) === name && readNamespace(pod) === readNamespace(claim))
    .flatMap((pod) => pod.spec?.volumes ?? [])
    .some((volume) => volume.persistentVolumeClaim?.claimName === readName(claim));
}

/** The template that the EC's size is for: a cluster may have other volumes beside it. */
function mainTemplate({ names }: Facts, claims: readonly Claim[]): string | undefined {
  const templates = [...new Set(claims.map(({ template }) => template))];
  const { volumeTemplate } = names.pods;
  if (templates.length > 1) return templates.find((template) => template === volumeTemplate);
  return templates[0];
}

/** What an EC wants each volume to have. */
interface WantedSize {
  readonly size: unknown;
  readonly term: string;
}

function readSize({ names }: Facts, ec: KubeObject): WantedSize {
  return { size: getPath(ec, names.ecFields.volumeSize), term: renderTerm(names.ec) };
}

/** Of a claim that is being expanded, or that is to be. */
interface ClaimChange {
  readonly name: string;
  readonly says: string;
  readonly failed: boolean;
}

function describeChange(
  { object }: Claim,
  wanted: WantedSize | undefined,
): ClaimChange | undefined {
  const request = object.spec?.resources?.requests?.["storage"];
  const capacity = object.status?.capacity?.["storage"];
  const isBehind = [request, capacity].some((size) => isLess(size, wanted?.size));
  const { states, failed } = readStates(object);
  if (!isBehind && !isLess(capacity, request) && states.length === 0) return undefined;
  const sizes = [
    `asks for ${String(request)}`,
    `has ${asString(capacity) ?? "none yet"}`,
    ...(wanted !== undefined && isBehind
      ? [`and its ${wanted.term} wants ${String(wanted.size)}`]
      : []),
  ];
  const begun = isLess(request, wanted?.size) ? "not begun" : "under way";
  const state = states.length > 0 ? states.join(", ") : begun;
  return {
    name: readName(object),
    says: `${objectLabel(object)} ${sizes.join(", ")} (${state})`,
    failed,
  };
}

/** False where one of them is no quantity. */
function isLess(one: unknown, other: unknown): boolean {
  return (compareQuantities(one, other) ?? 0) < 0;
}

/** Conditions of a claim that tell of its expansion, and whether they say that it failed. */
const conditions: ReadonlyMap<string, "under way" | "failed"> = new Map([
  ["Resizing", "under way"],
  ["FileSystemResizePending", "under way"],
  ["ControllerResizeError", "failed"],
  ["NodeResizeError", "failed"],
]);

function readStates(claim: PersistentVolumeClaim): {
  readonly states: readonly string[];
  readonly failed: boolean;
} {
  const told = (claim.status?.conditions ?? []).filter(
    ({ type, status }) => status === "True" && conditions.has(String(type)),
  );
  const words = told.map(({ type, message }) => [type, message].filter(Boolean).join(": "));
  const allocated = asString(claim.status?.allocatedResourceStatuses?.["storage"]);
  return {
    states: [...words, ...(allocated === undefined ? [] : [allocated])],
    failed:
      told.some(({ type }) => conditions.get(String(type)) === "failed") ||
      allocated?.endsWith("Infeasible") === true,
  };
}

/** The operator tells it too, also while no claim is behind any more and the StatefulSet is still to be made. */
function listByStatus({ names }: Facts, ec: KubeObject): readonly string[] {
  const path = names.ecFields.volumeState;
  const state = asString(getPath(ec, path));
  if (state === undefined || !names.volumesResizing.includes(state)) return [];
  return [`${path.join(".")} is ${state}`];
}
