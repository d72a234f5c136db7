/** Reads databases, their ECs and the operator, here and on the clusters that take part, as facts. */
import { factSources, type Facts } from "../../domain/facts";
import type { Target } from "../../domain/databases/target";
import { type Names, readName, termOf } from "../../domain/names";
import type { KubeObject, Resource } from "../../domain/objects";
import type { Permission } from "../../domain/permissions";
import type { Participant } from "../../domain/rollout/database";
import { readDefinition } from "../cluster/read";
import { SharedPoller } from "./poller";
import { readSnapshot } from "../snapshot";
import type { UpgradeDatabaseDeps, UpgradeDatabaseOptions } from "./deps";

/** What was read at one look. */
export interface Seen {
  readonly facts: Facts;
  readonly participants: readonly Participant[];
}

/** Both kinds of databases, as they are addressed. */
export function databaseResources({
  group,
  version,
  edb,
  eaadb,
}: Names): Readonly<Record<"edb" | "eaadb", Resource>> {
  return {
    edb: { group, version, kind: edb.kind, plural: edb.plural },
    eaadb: { group, version, kind: eaadb.kind, plural: eaadb.plural },
  };
}

/** The namespaces that are looked at: one alone, unless names or flags reach further. */
export function scopeOf(
  { everywhere, databases, namespace }: UpgradeDatabaseOptions,
  names: Names,
): { readonly namespace?: string } {
  const reaching = databases.some((typed) => readName(typed, names).namespace !== undefined);
  return everywhere || reaching ? {} : { namespace };
}

/** One look at everything that is judged: a LIST of each kind, however many databases. */
export class DatabasePoller extends SharedPoller<Seen> {
  /** False once it is known that no active-active database is among those that are meant. */
  participants = true;
  /** Read once, and only where an active-active database is seen: it is large and does not change. */
  #definition: Promise<KubeObject | undefined> | undefined;

  constructor(
    private readonly deps: UpgradeDatabaseDeps,
    private readonly options: UpgradeDatabaseOptions,
  ) {
    super(deps);
  }

  protected override async read(): Promise<Seen> {
    const { deps, options } = this;
    const there = this.participants ? deps.participants : [];
    const [facts, ...participants] = await Promise.all([
      readFacts(deps, options.namespace, scopeOf(options, deps.names)),
      ...there.map(async ({ name, cluster, namespace }) => ({
        name,
        facts: await readFacts({ ...deps, cluster }, namespace, { namespace }),
      })),
    ]);
    if (facts.objects.eaadbs.length === 0) return { facts, participants };
    // it tells where an active-active database keeps its version (C8)
    this.#definition ??= readDefinition(deps, "eaadb");
    const definition = await this.#definition;
    const definitions = definition === undefined ? [] : [definition];
    return { facts: { ...facts, objects: { ...facts.objects, definitions } }, participants };
  }
}

async function readFacts(
  deps: UpgradeDatabaseDeps,
  namespace: string,
  scope: { readonly namespace?: string },
): Promise<Facts> {
  const { cluster, names, signal } = deps;
  const { edb, eaadb } = databaseResources(names);
  const all = (resource: Resource) => cluster.list(resource, { ...scope, whole: true, signal });
  const { resource, olderVersion: version = "" } = factSources(names).ecs;
  const [facts, ecs, edbs = [], eaadbs = []] = await Promise.all([
    readSnapshot(deps, namespace, ["deployments", "ercs"]),
    all(resource),
    all(edb),
    all(eaadb),
  ]);
  const found = ecs ?? (await all({ ...resource, version })) ?? [];
  return { ...facts, objects: { ...facts.objects, ecs: found, edbs, eaadbs } };
}

/** Uids of the databases that the selector chooses; undefined without one. */
export async function readChosen(
  { cluster, names, signal }: UpgradeDatabaseDeps,
  options: UpgradeDatabaseOptions,
): Promise<ReadonlySet<string> | undefined> {
  const { selector: labelSelector } = options;
  if (labelSelector === undefined) return undefined;
  const found = await Promise.all(
    Object.values(databaseResources(names)).map((resource) =>
      cluster.list(resource, { ...scopeOf(options, names), labelSelector, whole: true, signal }),
    ),
  );
  return new Set(found.flatMap((all) => (all ?? []).map(({ metadata }) => metadata.uid ?? "")));
}

/** What is read in any case. */
export function readPermissions(
  names: Names,
  options: UpgradeDatabaseOptions,
): readonly Permission[] {
  const { group, ec, edb, eaadb } = names;
  const listing = (resource: string, why: string): Permission => ({
    verb: "list",
    group,
    resource,
    ...scopeOf(options, names),
    why,
  });
  const { resource: deployment } = factSources(names).deployments;
  // remote clusters only tell which participant is this one: they may stay unread
  return [
    listing(ec.plural, `to see whether the ${termOf(ec)} is Running and what it can run`),
    listing(edb.plural, "to see what databases run, and how far they are"),
    listing(eaadb.plural, "to see which databases are instances of active-active ones"),
    {
      verb: "list",
      group: deployment.group,
      resource: deployment.plural,
      namespace: options.namespace,
      why: "to see which release of the operator runs",
    },
  ];
}

/** So many databases of a namespace are asked for by their names; beyond, the right to all is. */
const namedAtMost = 10;

/** What the writes need; get shows whether a write without an answer was done. */
export function writePermissions(names: Names, targets: readonly Target[]): readonly Permission[] {
  const places = new Map<string, readonly Target[]>();
  for (const target of targets) {
    const key = `${target.kind} ${target.object.metadata.namespace ?? ""}`;
    places.set(key, [...(places.get(key) ?? []), target]);
  }
  return [...places.values()].flatMap((there) => permissionsIn(names, there));
}

function permissionsIn(names: Names, there: readonly Target[]): readonly Permission[] {
  const [first] = there;
  if (first === undefined) return [];
  const { namespace = "" } = first.object.metadata;
  const { group, plural: resource } = databaseResources(names)[first.kind];
  const named = there.map(({ object }) => ({ name: object.metadata.name ?? "" }));
  return (there.length > namedAtMost ? [{}] : named).flatMap((who) => [
    { group, resource, namespace, ...who, verb: "get", why: whyGet },
    { group, resource, namespace, ...who, verb: "patch", why: "to write the engine version" },
  ]);
}

const whyGet = "to see whether a write without an answer was done";
