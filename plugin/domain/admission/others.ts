/** Configurations that are not the product's and judge its kinds: leftovers, proxies, policy engines (Facts 4.4). */
import type { Finding } from "../base/findings";
import { kubectl, look, type Remedy, type Saves } from "../base/remedy";
import { kinds } from "../kube/kinds";
import type { Namespace, ValidatingWebhook, WebhookConfiguration } from "../kube/models";
import { readName, objectLabel } from "../kube/objects";
import { findOwner, type LeftMarks } from "../kube/owners";
import { isLookedFor } from "../kube/owner-seek";
import { type Facts, isKnown } from "../facts/facts";
import type { Names } from "../names/names";
import {
  callsService,
  fieldOf,
  isOthers,
  listEntries,
  matchesResource,
  type EntryInForce,
  readServiceName,
  readServiceNamespace,
  selectsNamespace,
  withMatchingRules,
} from "./configuration";
import { webhookFinding } from "./findings";

/** What is there to be called; undefined where it is not known. */
export interface Callable {
  readonly names: Names;
  /** The operator's. */
  readonly namespace: string;
  /** Names of namespaces, at least of those that entries call. */
  readonly living: readonly string[] | undefined;
  /** Names of the Services of the operator's namespace. */
  readonly services?: readonly string[] | undefined;
  /** Services that were looked for and are not there, as `namespace/name`. */
  readonly goneServices?: ReadonlySet<string> | undefined;
  /** All namespaces with their labels, where it is asked whether any is selected. */
  readonly namespaces?: readonly Namespace[] | undefined;
  /** The one namespace whose edits count: what is refused in others is a warning; absent: all count. */
  readonly counted?: string | undefined;
  /** The configurations whose owner is gone; absent: every mark counts. */
  readonly left?: LeftMarks | undefined;
}

/** What a snapshot knows of it. */
export function readCallable(facts: Facts): Callable {
  const { names, namespace, objects, goneServices, left } = facts;
  const namespaces = isKnown(facts, "namespaces") ? objects.namespaces : undefined;
  const services = isKnown(facts, "services") ? objects.services.map(readName) : undefined;
  const living = namespaces?.map(readName);
  return { names, namespace, namespaces, living, services, goneServices, left };
}

/** Everything that the API server asks before it stores an object. */
export function listJudging({ objects }: Pick<Facts, "objects">): readonly WebhookConfiguration[] {
  return [...objects.webhookConfigurations, ...objects.mutatingConfigurations];
}

/** The entries of others that the API server calls for the product's databases. */
export function listOthersEntries(
  configurations: readonly WebhookConfiguration[],
  names: Names,
): readonly EntryInForce[] {
  return configurations.flatMap((configuration) =>
    listEntries(configuration).flatMap((entry) =>
      (isLeftWhole(configuration, names) || isAdded(entry, configuration, names)) &&
      matchesProduct(withMatchingRules(entry), names)
        ? [{ configuration, entry, field: fieldOf(entry) }]
        : [],
    ),
  );
}

/** True where all entries of a configuration are those of others. */
export function isLeftWhole(configuration: WebhookConfiguration, names: Names): boolean {
  return configuration.kind === kinds.mutatingConfiguration.kind || isOthers(configuration, names);
}

/** An entry that somebody added to the product's configuration, which a swap keeps. */
function isAdded(
  entry: ValidatingWebhook,
  { metadata }: WebhookConfiguration,
  { webhook }: Names,
): boolean {
  const isNamed = [webhook.entry, webhook.oldEntry].some((name) => name === entry.name);
  return metadata.name === webhook.configuration && !isNamed;
}

function matchesProduct(entry: ValidatingWebhook, { group, edb, eaadb, erc }: Names): boolean {
  return [edb, eaadb, erc].some(({ plural }) =>
    ["CREATE", "UPDATE"].some((operation) => matchesResource(entry, { group, plural, operation })),
  );
}

/** Errors where such an entry calls what is gone, and warnings where it selects no namespace. */
export function judgeOthers(
  configurations: readonly WebhookConfiguration[],
  callable: Callable,
): readonly Finding[] {
  const found = new Map<WebhookConfiguration, Finding>();
  for (const one of listOthersEntries(configurations, callable.names)) {
    if (isOperators(one, callable)) continue;
    const finding = judgeEntry(one, callable);
    const before = found.get(one.configuration);
    if (finding === undefined || before?.severity === "error") continue;
    found.set(one.configuration, finding);
  }
  return [...found.values()];
}

/** One of the product's configuration that calls the operator's webhook, whatever its name. */
function isOperators(
  { configuration, entry }: EntryInForce,
  { names, namespace }: Callable,
): boolean {
  const isOurs = callsService(entry, { namespace, name: names.webhook.service });
  return isOurs && !isLeftWhole(configuration, names);
}

function judgeEntry(
  { configuration, entry, field }: EntryInForce,
  callable: Callable,
): Finding | undefined {
  const object = objectLabel(configuration);
  const { namespaces } = callable;
  if (namespaces !== undefined && !namespaces.some((one) => selectsNamespace(entry, one))) {
    return webhookFinding("selectsNoNamespace", {
      object,
      field: `${field}.namespaceSelector`,
      remedies: [lookAt("look at it, and delete it if nobody needs it", configuration)],
    });
  }
  const gone = findGone(entry, callable);
  if (gone === undefined || entry.failurePolicy === "Ignore") return undefined;
  // of a selector only the namespaces tell whether it selects any
  if (namespaces === undefined && selectsByLabels(entry)) return undefined;
  const limits = listLimits(entry, callable);
  const refused =
    limits.length === 0
      ? "every edit is refused"
      : `every edit that its ${limits.join(" and ")} let through to it is refused`;
  return webhookFinding("leftover", {
    ...(limits.length > 0 && { severity: "warning" }),
    object,
    field: `${field}.clientConfig.service`,
    cause: `${String(entry.name)} checks the databases, and calls ${gone}, which does not exist: ${refused}`,
    remedies: [
      isLeftWhole(configuration, callable.names)
        ? deletionOf(configuration, callable.left)
        : removalOf({ configuration, entry, field }, callable.left),
    ],
  });
}

/** What keeps edits that count from the entry. */
function listLimits(
  entry: ValidatingWebhook,
  { namespaces, counted }: Pick<Callable, "namespaces" | "counted">,
): readonly string[] {
  const own = namespaces?.find((one) => readName(one) === counted);
  const isElsewhere = own !== undefined && !selectsNamespace(entry, own);
  return [
    ...(isElsewhere ? ["namespaceSelector"] : []),
    ...(["objectSelector", "matchConditions"] as const).filter((part) => !isOpen(entry, part)),
  ];
}

/** A configuration of others, for a person to decide on. */
export function lookAt(says: string, configuration: WebhookConfiguration): Remedy {
  return look(says, ...readWords(configuration));
}

/** How kubectl names a configuration. */
const nameWords = (one: WebhookConfiguration): readonly string[] => [
  one.kind.toLowerCase(),
  readName(one),
];
const readWords = (one: WebhookConfiguration): readonly string[] => [
  ...["get", ...nameWords(one)],
  ...["-o", "yaml"],
];
const savingOf = (one: WebhookConfiguration): Saves => ({
  words: readWords(one),
  file: `${readName(one)}.yaml`,
});

/** The way out of a configuration that no command of this tool writes; its owner's is named first. */
export function deletionOf(
  configuration: WebhookConfiguration,
  left: LeftMarks | undefined,
): Remedy {
  const says = `save it and delete it${describeMarks(configuration, left)}`;
  const words = nameWords(configuration);
  return { ...kubectl(says, "delete", ...words), saves: savingOf(configuration) };
}

/** The way out of an entry that stands among the product's: tested by its name before it is taken out. */
function removalOf({ configuration, entry }: EntryInForce, left: LeftMarks | undefined): Remedy {
  const path = `/webhooks/${listEntries(configuration).indexOf(entry)}`;
  const patch = JSON.stringify([
    { op: "test", path: `${path}/name`, value: entry.name },
    { op: "remove", path },
  ]);
  const says = `save the configuration and take the entry out of it${describeMarks(configuration, left)}`;
  const words = ["patch", ...nameWords(configuration), "--type=json", `--patch=${patch}`];
  return { ...kubectl(says, ...words), saves: savingOf(configuration) };
}

/** Whose marks it has: what is gone does not make it again, what was found does, and of others a person knows. */
function describeMarks(configuration: WebhookConfiguration, left: LeftMarks | undefined): string {
  const owner = findOwner(configuration, left);
  if (owner === undefined || owner.loses !== undefined) return "";
  const { name, way, left: gone } = owner;
  if (gone !== undefined) return ` (it has marks of ${name}, which need not be asked: ${gone})`;
  return isLookedFor(configuration, left)
    ? ` (${name} is there and may write it again: ${way})`
    : ` (it has marks of ${name}: where that still runs, ${way})`;
}

function findGone(
  entry: ValidatingWebhook,
  { namespace, living, services, goneServices }: Callable,
): string | undefined {
  const place = readServiceNamespace(entry);
  if (place === undefined) return undefined;
  if (living !== undefined && !living.includes(place)) return `namespace ${place}`;
  const name = String(readServiceName(entry));
  const service = `${place}/${name}`;
  const isListed = place !== namespace || services?.includes(name) !== false;
  return isListed && goneServices?.has(service) !== true ? undefined : `Service ${service}`;
}

/** True for an entry that asks for namespaces by their labels. */
export function selectsByLabels(entry: ValidatingWebhook): boolean {
  return !isOpen(entry, "namespaceSelector");
}

const isOpen = (
  entry: ValidatingWebhook,
  part: "matchConditions" | "namespaceSelector" | "objectSelector",
): boolean => Object.keys(entry[part] ?? {}).length === 0;
