/**
 * Which edits show whether the webhook in force works: a pair for each kind, each version in which it is served and each
 * way in which selectors differ between namespaces (domain facts 4.3; cli contract, Probe).
 */
import { products } from "../facts/deletion";
import { type Facts, isKnown } from "../facts/facts";
import type { ValidatingWebhook } from "../kube/models";
import { type KubeObject, readName, readNamespace } from "../kube/objects";
import { isDeleting } from "../kube/deletion";
import { labelsFor, selects } from "../kube/selectors";
import { getOwn } from "../base/values";
import { renderTerm } from "../names/names";
import {
  type EntryInForce,
  entriesInForce,
  listCandidates,
  matchesResource,
  readServiceNamespace,
  selectsNamespace,
} from "./configuration";
import { listServedVersions } from "./coverage";
import { listOthersEntries, listJudging } from "./others";
import { makePair, pairFromStored, type ProbePair } from "./probe";
import { isProvable } from "./selected";

/** A pair, and how long an answer to it may take. */
export interface PlannedProbe {
  readonly pair: ProbePair;
  /** Longest that the API server itself waits, in milliseconds. */
  readonly limitMs: number;
}

/** What is sent. */
export interface ProbePlan {
  /** The first is the one that tells whether the webhook answers at all. */
  readonly probes: readonly [PlannedProbe, ...(readonly PlannedProbe[])];
  /** How many more there would be. */
  readonly left: number;
  /** Kinds that are guarded, and of which no edit is known that has to be refused. */
  readonly unprovable: readonly string[];
  /** Names of the entries by which the webhook is called. */
  readonly ours: readonly string[];
  readonly entries: readonly ValidatingWebhook[];
}

/** So many pairs at most, where not all were asked for. */
export const mostPairs = 12;

/** Kinds with an edit that has to be refused. */
const provable = ["edb", "eaadb"] as const;

/** What is asked for. */
interface PlanWanted {
  /** Of the objects that are sent. */
  readonly name: string;
  readonly most?: number;
  /** A pair of one's own in place of all. */
  readonly own?: ProbePair | undefined;
}

/** The pairs to be sent; else why there are none. */
export function planProbes(
  facts: Facts,
  { name, most = mostPairs, own }: PlanWanted,
): ProbePlan | string {
  const { names, unserved } = facts;
  const inForce = listProbed(facts);
  const entries = inForce.map(({ entry }) => entry);
  const named = [names.webhook.entry, ...entries.map(readEntry)];
  const whole = { entries, ours: [...new Set(named)], left: 0, unprovable: [] };
  if (own !== undefined) return { ...whole, probes: [{ pair: own, limitMs: limitOf(undefined) }] };
  if (inForce.length === 0) return "no configuration of this namespace can be probed";
  const isGuarded = (kind: "edb" | "eaadb" | "erc"): boolean =>
    !unserved.has(products[kind]) &&
    entries.some((entry) =>
      matchesResource(entry, {
        group: names.group,
        plural: names[kind].plural,
        operation: "CREATE",
      }),
    );
  const guarded = provable.filter(isGuarded);
  // of remote clusters an operator's own webhook may refuse an edit: better than no proof
  const kinds = guarded.length > 0 ? guarded : (["erc"] as const).filter(isGuarded);
  if (kinds.length === 0) return "none of the kinds that it matches is served";
  const places = listPlaces(inForce, facts);
  const all = places.flatMap(({ namespace, labels, limitMs }) =>
    kinds.flatMap((kind) =>
      orderVersions(names[kind].plural, facts).map((version) => ({
        pair: makePair(names[kind], { names, namespace, name, labels, version }),
        limitMs,
      })),
    ),
  );
  const [opening, ...rest] = all;
  const stored = kinds.flatMap((kind) => planStored(kind, { facts, entries, places }));
  const [first, ...others] = [...(opening ? [opening] : []), ...stored, ...rest].slice(0, most);
  if (first === undefined) return "nothing is selected by its selectors";
  const probes = [first, ...others] as const;
  const isUnprovable = isGuarded("erc") && guarded.length > 0;
  return {
    ...whole,
    probes,
    left: all.length + stored.length - probes.length,
    unprovable: isUnprovable ? [renderTerm(names.erc)] : [],
  };
}

/**
 * A change of a database that is stored: rules may have only one of the two operations, and what a policy asks of new
 * databases an old one may have. One that somebody has let past the rules proves nothing.
 */
function planStored(
  kind: "edb" | "eaadb" | "erc",
  { facts, entries, places }: Planned,
): readonly PlannedProbe[] {
  const { names, objects } = facts;
  const { plural, kind: called } = names[kind];
  const entry = entries.find((one) =>
    matchesResource(one, { group: names.group, plural, operation: "UPDATE" }),
  );
  const object = objects[products[kind]].find(
    (one) =>
      !isDeleting(one) &&
      getOwn(one.metadata.annotations, names.annotations.bypass) === undefined &&
      places.some(({ namespace }) => namespace === readNamespace(one)) &&
      selects(entry?.objectSelector, one.metadata.labels ?? {}),
  );
  if (entry === undefined || object === undefined || kind === "erc") return [];
  const { group } = names;
  const version = object.apiVersion.replace(`${group}/`, "");
  const pair = pairFromStored(object, { group, version, plural, kind: called }, names);
  return [{ pair, limitMs: limitOf(entry) }];
}

interface Planned {
  readonly facts: Facts;
  readonly entries: readonly ValidatingWebhook[];
  readonly places: readonly Place[];
}

function readEntry({ name }: ValidatingWebhook): string {
  return String(name);
}

/** The entries in force, without those that call the operator of another namespace that is there. */
function listProbed(facts: Facts): readonly EntryInForce[] {
  const { names, namespace, objects } = facts;
  const service = { namespace, name: names.webhook.service };
  const isOthers = (called: string | undefined): boolean =>
    called !== namespace &&
    called !== undefined &&
    (!isKnown(facts, "namespaces") || objects.namespaces.some((one) => readName(one) === called));
  return listCandidates(objects.webhookConfigurations, names)
    .flatMap((one) => entriesInForce(one, service, names))
    .filter(({ entry }) => !isOthers(readServiceNamespace(entry)));
}

/** The version of the names first: it is the one that people write. */
function orderVersions(plural: string, facts: Facts): readonly string[] {
  const { version } = facts.names;
  const served = listServedVersions(plural, facts);
  return [...served].sort((one, other) => Number(other === version) - Number(one === version));
}

/** A namespace that stands for all that are selected alike, with labels by which its objects are selected. */
interface Place {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly limitMs: number;
}

/** What the API server takes itself, beside what it waits for the webhook. */
const ownMs = 2_000;
const usualTimeoutSeconds = 10;

function limitOf(entry: ValidatingWebhook | undefined): number {
  return (entry?.timeoutSeconds ?? usualTimeoutSeconds) * 1_000 + ownMs;
}

function listPlaces(entries: readonly EntryInForce[], facts: Facts): readonly Place[] {
  const { names } = facts;
  const judging = [...entries, ...listOthersEntries(listJudging(facts), names)];
  const classes = new Map<string, Place>();
  for (const one of orderNamespaces(facts)) {
    const first = entries.find(({ entry }) => isProvable(entry, one))?.entry;
    const labels = first && labelsFor(first.objectSelector);
    const key = judging.map(({ entry }) => Number(selectsNamespace(entry, one))).join("");
    if (labels === undefined || classes.has(key)) continue;
    classes.set(key, { namespace: readName(one), labels, limitMs: limitOf(first) });
  }
  return [...classes.values()];
}

/** The operator's first, then those that hold databases; where the list may not be read, the operator's by its name. */
function orderNamespaces(facts: Facts): readonly KubeObject[] {
  const { namespace, objects } = facts;
  if (!isKnown(facts, "namespaces"))
    return [{ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }];
  const holding = new Set([...objects.edbs, ...objects.eaadbs].map(readNamespace));
  const rank = (one: KubeObject): number => {
    const name = readName(one);
    return name === namespace ? 2 : Number(holding.has(name));
  };
  return [...objects.namespaces].sort((one, other) => rank(other) - rank(one));
}
