/** Which databases are meant, by name, by label or all, and the EC of each (S61, S65, C16). */
import { listLinkedNames } from "../engine-cluster/database-versions";
import { clusterLookups, versionPaths } from "../engine-cluster/fields";
import { factNamed, type Facts } from "../facts/facts";
import type { Finding } from "../base/findings";
import { type KubeObject, objectLabel } from "../kube/objects";
import type { ClusterLookup, Edit } from "../rules/types";
import { isNamed, readName, renderTerm } from "../names/names";
import { getPath, boundList, asString, groupBy, oncePer } from "../base/values";
import { databaseFinding } from "./findings";
import { type ApiOffer, withOffer } from "./offer";
import { isOfEngine, recoverLine } from "../engine-cluster/causes";
import { isSuspended, operatorRelease } from "../engine-cluster/operator";
import { chooseCause, findLivingOwner } from "../kube/owners";

/** A database that is to be upgraded. */
export interface DatabaseTarget {
  readonly kind: Edit["kind"];
  readonly object: KubeObject;
  readonly lookup: ClusterLookup;
  /** Its EC, where it is found and in the operator's namespace. */
  readonly ec: KubeObject | undefined;
  /** Label of the active-active database that it is an instance of. */
  readonly instanceOf?: string;
  /** The guid of that active-active database, where its status has it. */
  readonly guid?: string;
  /** What its REST API can run and follows, once that was asked. */
  readonly offer?: ApiOffer;
  /** It was given by its name: what keeps it from being upgraded is told, not passed over. */
  readonly named: boolean;
}

/** What was asked for. */
export interface Selection {
  /** NAME in the operator's namespace, or NAMESPACE/NAME, each with its kind before it or without. */
  readonly names: readonly string[];
  /** Uids of those that a label selector has chosen; absent: all, where no names are given. */
  readonly chosen?: ReadonlySet<string>;
  /** In every namespace, not in the operator's alone. */
  readonly everywhere: boolean;
  /** By the REST API, instances are databases like others, and active-active ones are none. */
  readonly via: "resource" | "api";
}

/** The databases, or why they are not known. */
interface Selected {
  readonly targets: readonly DatabaseTarget[];
  readonly findings: readonly Finding[];
}

/** The databases that are meant, each once, in the order of their namespaces and names. */
export function selectDatabases(facts: Facts, selection: Selection): Selected {
  const all = listCandidates(facts);
  if (selection.names.length === 0)
    return { targets: chooseWanted(facts, all, selection), findings: [] };
  const found = [...new Set(selection.names)].map((name) =>
    byName(facts, all, { name, selection }),
  );
  const targets = new Map(
    found.flatMap(({ targets }) => targets.map((one) => [objectLabel(one.object), one])),
  );
  return {
    targets: inOrder([...targets.values()]),
    findings: found.flatMap(({ findings }) => findings),
  };
}

type DatabaseCandidate = Omit<DatabaseTarget, "named" | "offer">;

function listCandidates(facts: Facts): readonly DatabaseCandidate[] {
  const { edbs, eaadbs } = facts.objects;
  const placed = makePlacing(facts);
  return [...edbs.map(placed("edb")), ...eaadbs.map(placed("eaadb"))];
}

/** The same database as it is now; undefined where it is gone, or another one has its name. */
export function targetNow(
  facts: Facts,
  { kind, object, named, offer }: DatabaseTarget,
): DatabaseTarget | undefined {
  const { edbs, eaadbs } = facts.objects;
  const now = (kind === "edb" ? edbs : eaadbs).find(
    ({ metadata }) => metadata.uid === object.metadata.uid,
  );
  return now && withOffer({ ...makePlacing(facts)(kind)(now), named }, offer, facts.names);
}

function makePlacing(
  facts: Facts,
): (kind: Edit["kind"]) => (object: KubeObject) => DatabaseCandidate {
  const lookUp = clusterLookups(facts);
  return (kind) => (object) => {
    const lookup = lookUp(object, kind);
    const instance = kind === "edb" ? instanceIn(facts, object) : {};
    const ec = lookup.is === "found" ? factNamed(facts, "ecs", lookup.cluster) : undefined;
    const own = ec?.metadata.namespace === facts.namespace ? ec : undefined;
    return { kind, object, lookup, ec: own, ...instance };
  };
}

/** Each active-active database by the names of its instances: to look through all of them for each of thousands takes their square. */
const ownersByInstance = oncePer(({ names, objects }: Facts) =>
  groupBy(
    objects.eaadbs.flatMap((owner) =>
      listLinkedNames(owner, names).map((instance) => ({ instance, owner })),
    ),
    ({ instance }) => instance,
  ),
);

/** The active-active database that a database belongs to; its own status tells it too. */
function instanceIn(facts: Facts, edb: KubeObject): Pick<DatabaseTarget, "instanceOf" | "guid"> {
  const { names } = facts;
  const { name, namespace } = edb.metadata;
  const linking = ownersByInstance(facts).get(name);
  const owner = linking?.find((one) => one.owner.metadata.namespace === namespace)?.owner;
  if (owner !== undefined) {
    const guid = asString(getPath(owner, names.eaadbFields.guid));
    return { instanceOf: objectLabel(owner), guid };
  }
  const told = getPath(edb, names.edbFields.activeActive) ?? undefined;
  if (told === undefined || told === false) return {};
  return { instanceOf: "an active-active database" };
}

/** True for a database that is an instance of an active-active one. */
export function isInstance(facts: Facts, database: KubeObject): boolean {
  return instanceIn(facts, database).instanceOf !== undefined;
}

/** Those of this operator, of a type that has a version; a clone of an active-active one goes with it. */
function chooseWanted(
  facts: Facts,
  all: readonly DatabaseCandidate[],
  { chosen, everywhere, via }: Selection,
): readonly DatabaseTarget[] {
  const { names, namespace } = facts;
  return inOrder(
    all
      .filter(
        ({ ec, object, instanceOf, kind }) =>
          ec !== undefined &&
          (everywhere || object.metadata.namespace === namespace) &&
          (chosen === undefined || chosen.has(object.metadata.uid ?? "")) &&
          isOfEngine(object, names) &&
          (via === "api" ? kind === "edb" : instanceOf === undefined),
      )
      .map((one) => ({ ...one, named: false })),
  );
}

function inOrder(targets: readonly DatabaseTarget[]): readonly DatabaseTarget[] {
  // a space sorts before all that a name may hold
  const key = ({ object: { metadata }, kind }: DatabaseTarget): string =>
    [metadata.namespace, metadata.name, kind].join(" ");
  return targets.toSorted((one, other) => (key(one) < key(other) ? -1 : 1));
}

interface DatabaseQuery {
  readonly name: string;
  readonly selection: Selection;
}

function byName(
  facts: Facts,
  all: readonly DatabaseCandidate[],
  { name, selection }: DatabaseQuery,
): Selected {
  const typed = readName(name, facts.names);
  const place = typed.namespace ?? (selection.everywhere ? undefined : facts.namespace);
  const same = all.filter((one) =>
    isNamed({ ...typed, ...(place !== undefined && { namespace: place }) }, one),
  );
  const found = typed.kind === undefined ? choosePreferred(same, selection.via) : same;
  const [only] = found;
  if (only !== undefined && found.length === 1) {
    return { targets: [{ ...only, named: true }], findings: [] };
  }
  const cause =
    only === undefined
      ? `there is no database ${name} in ${place === undefined ? "any namespace" : `namespace ${place}`}${near(all, place)}`
      : `${name} may be ${found.map(({ object }) => objectLabel(object)).join(" or ")}`;
  return {
    targets: [],
    findings: [
      databaseFinding(only === undefined ? "absent" : "ambiguous", { object: name, cause }),
    ],
  };
}

/** An active-active database and its instance often have one name: the API upgrades the instance. */
function choosePreferred(
  same: readonly DatabaseCandidate[],
  via: Selection["via"],
): readonly DatabaseCandidate[] {
  const labels = same.map(({ object }) => objectLabel(object));
  const pairs = same.filter(
    ({ instanceOf }) => instanceOf !== undefined && labels.includes(instanceOf),
  );
  return same.filter((one) =>
    via === "api"
      ? !pairs.some(({ instanceOf }) => instanceOf === objectLabel(one.object))
      : !pairs.includes(one),
  );
}

function near(all: readonly DatabaseCandidate[], place: string | undefined): string {
  const there = all
    .filter(({ object: { metadata } }) => place === undefined || metadata.namespace === place)
    .map(({ object: { metadata } }) => String(metadata.name));
  return there.length === 0 ? "" : `; it has ${boundList(there, 8)}`;
}

/** What was asked for cannot be done to such a database, whatever it is doing. */
export function ownBlocks(
  { names }: Facts,
  { object, kind, instanceOf, named }: DatabaseTarget,
  via: "resource" | "api",
): readonly Finding[] {
  const about = { object: objectLabel(object) };
  const instance = via === "resource" && named ? instanceOf : undefined;
  const cause = `it is an instance of ${instance ?? ""}, and is not edited itself`;
  const blocks: readonly (readonly [boolean, Finding])[] = [
    [!isOfEngine(object, names), databaseFinding("otherType", about)],
    [via === "api" && kind === "eaadb", databaseFinding("viaResource", about)],
    [instance !== undefined, databaseFinding("instance", { ...about, cause })],
  ];
  return blocks.filter(([applies]) => applies).map(([, finding]) => finding);
}

/** The EC is Running and of the operator's release, else nobody looks after its databases (S10, S98). */
export function busyCluster(facts: Facts, { ec }: DatabaseTarget): readonly Finding[] {
  if (ec === undefined) return [];
  const { ecFields } = facts.names;
  const object = objectLabel(ec);
  const state = asString(getPath(ec, ecFields.state)) ?? "not told";
  if (state !== "Running") {
    const cause = `its state is ${state}: databases are not reconciled until it is Running`;
    const frozen = ["Upgrade", "InvalidUpgrade"].includes(state);
    const wait = `bring the ${renderTerm(facts.names.ec)} to Running first, or run again with --wait`;
    const fix = `${wait}; where its upgrade is frozen, ${recoverLine(ec)} shows the fix`;
    return [
      databaseFinding("clusterNotRunning", { object, cause, ...(frozen && { fix }) }, facts.names),
    ];
  }
  if (!isSuspended(facts, ec)) return [];
  const { version } = operatorRelease(facts);
  const tag = asString(getPath(ec, ecFields.versionTag));
  const cause = `the operator is at ${String(version)} and the ${renderTerm(facts.names.ec)} still at ${String(tag)}: until it is upgraded the operator does not look after its databases`;
  return [databaseFinding("suspended", { object, cause }, facts.names)];
}

/** The policy of the EC, or the channel of the database, allows major releases only (S67, C3). */
export function isHeldToMajor(facts: Facts, target: DatabaseTarget): boolean {
  const { majorChannel } = facts.names;
  const { lookup, object } = target;
  const byPolicy = lookup.is === "found" && lookup.cluster.policy === majorChannel;
  return (
    byPolicy || versionPaths(facts, target).some((path) => getPath(object, path) === majorChannel)
  );
}

/** Another owner of the whole database, with its own way (domain facts 4.4). */
export function findOwnership(
  { object }: DatabaseTarget,
  { left }: Pick<Facts, "left">,
): readonly Finding[] {
  const owner = findLivingOwner(object, left);
  if (owner === undefined) return [];
  return [
    databaseFinding("owned", {
      object: objectLabel(object),
      cause: chooseCause(owner, `${owner.name} owns the database and would undo the change`),
      fix: owner.way,
    }),
  ];
}
