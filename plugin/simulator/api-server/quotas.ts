/** What resource quotas refuse, and what they count. */
import { kinds } from "../../domain/kube/kinds";
import { addQuantities, compareQuantities } from "../../domain/kube/quantities";
import type { Container, Pod, ResourceQuota } from "../../domain/kube/models";
import { type KubeObject, readName } from "../../domain/kube/objects";
import { asKind } from "../../domain/kube/typed";
import type { Attempt, KindDefinition, StateView } from "../model";
import { toPlural, qualifyPlural, refusal403 } from "./answers";
import type { Store } from "./store";

/** Amounts by the names that a quota gives them. */
type Amounts = Readonly<Record<string, string>>;

/** Kinds of the core group that a quota counts under their plain names. */
const plainlyCounted = new Set([
  ...["pods", "services", "secrets", "configmaps", "persistentvolumeclaims", "resourcequotas"],
]);

/** Throws 403 where a new object does not fit into a quota of its namespace, or does not say what the quota counts. */
export function refuseBeyondQuotas(attempt: Attempt, state: StateView): void {
  const { object, namespace, definition, name } = attempt;
  if (object === undefined || namespace === undefined) return;
  const subject = `${qualifyPlural(toPlural(definition))} "${name}"`;
  for (const quota of listQuotas(state, namespace)) {
    const hard = quota.spec?.hard ?? {};
    const unsaid = unsaidIn(object, definition, Object.keys(hard));
    if (unsaid.length > 0)
      throw refusal403(
        subject,
        `failed quota: ${readName(quota)}: must specify ${unsaid.join("; ")}`,
      );
    // what its controller last told; where it told nothing, nothing is known to be used
    const used = quota.status?.used ?? {};
    const wanted = countAmounts(object, definition);
    const over = Object.keys(hard)
      .toSorted()
      .filter((key) => isOver({ wanted, used, hard }, key));
    if (over.length === 0) continue;
    const list = (amounts: Amounts): string =>
      over.map((key) => `${key}=${amounts[key] ?? "0"}`).join(",");
    throw refusal403(
      subject,
      `exceeded quota: ${readName(quota)}, requested: ${list(wanted)}, used: ${list(used)}, limited: ${list(hard)}`,
    );
  }
}

/** Counts an object that came (1) or went (-1) in the quotas of its namespace. */
export function countInQuotas(
  store: Store,
  definition: KindDefinition,
  { object, by }: { readonly object: KubeObject; readonly by: 1 | -1 },
): void {
  const { namespace } = object.metadata;
  if (namespace === undefined) return;
  const amounts = countAmounts(object, definition);
  for (const quota of listQuotas(store, namespace)) {
    const used = quota.status?.used ?? {};
    const counted = Object.keys(used).filter((key) => amounts[key] !== undefined);
    if (counted.length === 0) continue;
    const next = counted.map((key) => [key, addQuantities(used[key], amounts[key], by)] as const);
    const status = { ...quota.status, used: { ...used, ...Object.fromEntries(next) } };
    const counting: ResourceQuota = { ...quota, status };
    store.put({ kind: kinds.resourceQuota, name: readName(quota), namespace }, counting);
  }
}

/** Those without a scope: which pods a scope takes is not copied. */
function listQuotas(state: StateView, namespace: string): readonly ResourceQuota[] {
  return state
    .list(kinds.resourceQuota, namespace)
    .filter(({ spec }) => spec?.scopes === undefined && spec?.scopeSelector === undefined);
}

function isOver(
  {
    wanted,
    used,
    hard,
  }: { readonly wanted: Amounts; readonly used: Amounts; readonly hard: Amounts },
  key: string,
): boolean {
  const more = wanted[key];
  if (more === undefined) return false;
  return (compareQuantities(addQuantities(used[key] ?? "0", more, 1), hard[key]) ?? 0) > 0;
}

/** What an object takes of each name. */
function countAmounts(object: KubeObject, { resource }: KindDefinition): Amounts {
  const { group, plural } = resource;
  const isPlain = group === "" && plainlyCounted.has(plural);
  return {
    [`count/${qualifyPlural({ group, plural })}`]: "1",
    ...(isPlain && { [plural]: "1" }),
    ...(group === "" && computeAmounts(asKind(object, "Pod"))),
  };
}

const computeNames = ["cpu", "memory", "ephemeral-storage"] as const;

/** Requests and limits of a pod's containers; init containers run one by one, before the others. */
function computeAmounts(pod: Pod | undefined): Amounts {
  const entries = computeNames.flatMap((what) => {
    const requests = highest(pod, "requests", what);
    const limits = highest(pod, "limits", what);
    return [
      [what, requests],
      [`requests.${what}`, requests],
      [`limits.${what}`, limits],
    ] as const;
  });
  return Object.fromEntries(
    entries.flatMap(([key, value]) => (value === "0" ? [] : [[key, value]])),
  );
}

function highest(pod: Pod | undefined, list: "requests" | "limits", what: string): string {
  const amounts = (containers: readonly Container[]): readonly string[] =>
    containers.map(({ resources }) => resources?.[list]?.[what] ?? "0");
  const together = amounts(pod?.spec?.containers ?? []).reduce(
    (sum, one) => addQuantities(sum, one, 1),
    "0",
  );
  return amounts(pod?.spec?.initContainers ?? []).reduce(
    (most, one) => ((compareQuantities(one, most) ?? 0) > 0 ? one : most),
    together,
  );
}

/** What a quota counts and a container of a pod does not say, with the containers' names. */
function unsaidIn(
  object: KubeObject,
  { resource }: KindDefinition,
  names: readonly string[],
): readonly string[] {
  const spec = resource.group === "" ? asKind(object, "Pod")?.spec : undefined;
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  return names.toSorted().flatMap((name) => {
    const said = findPath(name);
    if (said === undefined) return [];
    const [list, what] = said;
    const lacking = containers.filter(({ resources }) => resources?.[list]?.[what] === undefined);
    const lackingNames = new Set(lacking.map((one) => one.name ?? ""));
    return lacking.length === 0 ? [] : [`${name} for: ${[...lackingNames].sort().join(",")}`];
  });
}

/** Where a container says what a quota counts under a name; undefined for what it does not say. */
function findPath(name: string): readonly [list: "requests" | "limits", what: string] | undefined {
  const what = name.replace(/^(requests|limits)\./, "");
  if (what !== "cpu" && what !== "memory") return undefined;
  return [name.startsWith("limits.") ? "limits" : "requests", what];
}
