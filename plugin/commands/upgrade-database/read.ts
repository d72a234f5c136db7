/** Reads databases, their ECs and the operator, here and on the clusters that take part, as facts. */
import type { AdvisedTarget } from "../../domain/checks/advisories";
import type { RunPorts } from "../../kernel/world";
import { type Facts, factSources, withObjects, withRead } from "../../domain/facts/facts";
import { type Names, readName } from "../../domain/names/names";
import type { CustomResourceDefinition } from "../../domain/kube/models";
import type { KubeObject, Resource } from "../../domain/kube/objects";
import type { ApiWish } from "../../domain/facts/needs";
import type { Permission } from "../../domain/kube/permissions";
import { listOfDatabases } from "../../domain/references/secrets";
import type { Participant } from "../../domain/database/rollout";
import { readDefinition, readReferred, readSnapshot, withDefinition } from "../../readers/snapshot";
import { pollMs, waitFor } from "../../kernel/wait";
import type { Skip } from "../../domain/base/skip";
import type { DatabaseWish } from "../../domain/database/plan";
import type { RequestWish } from "../../domain/database/bdb";
import type { ClusterApi } from "../../ports/rest-api";
import type { KubeClient } from "../../ports/kubernetes";

/** The flags of the command, judged. */
export interface UpgradeDatabaseOptions extends DatabaseWish, AdvisedTarget {
  /** The operator's. */
  readonly namespace: string;
  /** NAME or NAMESPACE/NAME; none: all, or those of the selector. */
  readonly databases: readonly string[];
  readonly selector?: string;
  /** In every namespace, not in the operator's alone. */
  readonly everywhere: boolean;
  /** What else the REST API is told (S79-S89). */
  readonly request: RequestWish;
  /** Databases whose data may be lost, as their names were typed. */
  readonly confirmed: readonly string[];
  readonly takeFields: readonly string[];
  /** Findings of `acceptable` codes that a person vouches for. */
  readonly skip: readonly Skip[];
  /** They were given for a whole upgrade: some may concern another part, or be settled by now. */
  readonly skipMayMiss?: boolean;
  readonly canary?: string;
  readonly maxFailures?: number;
  readonly concurrency: number;
  /** No progress of a database for so long: it is stalled. */
  readonly stallAfterMs: number;
  /** Longest time for the whole run; absent: as long as something moves. */
  readonly limitMs?: number;
  /** Wait for an EC that is not Running, instead of stopping (S98). */
  readonly wait: boolean;
  readonly fieldManager: string;
  /** A plan tells each object as it is and as it would be. */
  readonly shows?: boolean;
}

/** A cluster elsewhere that takes part; it is only read. */
export interface ParticipantPort {
  /** As it was given: CONTEXT/NAMESPACE. */
  readonly name: string;
  readonly cluster: KubeClient;
  readonly namespace: string;
}

/** The REST API of an EC. */
export interface ApiPort {
  /** How it is reached, while the EC is not read. */
  readonly unread: ApiWish;
  /** What Kubernetes has to allow before it can be asked. */
  permissions(ec: KubeObject): readonly Permission[];
  connect(ec: KubeObject): Promise<ClusterApi>;
}

/** The world around a run. */
export interface UpgradeDatabaseDeps extends RunPorts {
  readonly participants: readonly ParticipantPort[];
  readonly api: ApiPort;
  /** A line that is typed on the terminal; undefined where nobody can be asked. */
  readonly typed: (question: string) => Promise<string | undefined>;
}

/** What the part is told, and what it reaches beside its cluster. */
export interface DatabasesTask
  extends UpgradeDatabaseOptions, Omit<UpgradeDatabaseDeps, keyof RunPorts> {
  /** A kubectl command for a person: quoted, to this cluster; it names its namespace itself. */
  readonly command: (words: readonly string[]) => string;
}

/** What was read at one look. */
export interface DatabaseSnapshot {
  readonly facts: Facts;
  readonly participants: readonly Participant[];
}

/** Both kinds of databases, as they are addressed. */
export function databaseResources(names: Names): Readonly<Record<"edb" | "eaadb", Resource>> {
  const { edbs, eaadbs } = factSources(names);
  return { edb: edbs.resource, eaadb: eaadbs.resource };
}

/** The namespaces that are looked at: one alone, unless names or flags reach further. */
function chooseScope(
  { everywhere, databases, namespace }: UpgradeDatabaseOptions,
  names: Names,
): { readonly namespace?: string } {
  const reaching = databases.some((typed) => readName(typed, names).namespace !== undefined);
  return everywhere || reaching ? {} : { namespace };
}

/**
 * Looks at everything that is judged: a LIST of each kind, however many databases. One look serves
 * everybody who waits: it is taken once a poll, however many ask for it.
 */
export class DatabasePoller {
  /** False once it is known that no active-active database is among those that are meant. */
  participants = true;
  /** Read once, and only where an active-active database is seen: it is large and does not change. */
  #definition: Promise<CustomResourceDefinition | undefined> | undefined;
  #referred: { readonly named: string; readonly read: Facts } | undefined;
  #last: { readonly seen: DatabaseSnapshot; readonly at: number } | undefined;
  #coming: Promise<DatabaseSnapshot> | undefined;

  constructor(
    private readonly deps: UpgradeDatabaseDeps,
    private readonly options: UpgradeDatabaseOptions,
  ) {}

  /** Another one for the act: it begins with the last look. */
  handTo(deps: UpgradeDatabaseDeps, options: UpgradeDatabaseOptions): DatabasePoller {
    const other = new DatabasePoller(deps, options);
    other.participants = this.participants;
    other.#definition = this.#definition;
    other.#referred = this.#referred;
    other.#last = this.#last;
    return other;
  }

  /** What is so now: read at most a poll ago. */
  async now(): Promise<DatabaseSnapshot> {
    const last = this.#last;
    if (last !== undefined && this.deps.clock.now() - last.at < pollMs) return last.seen;
    return await this.#look();
  }

  /** What is so a poll later; whoever asks meanwhile is given the same. */
  next(): Promise<DatabaseSnapshot> {
    this.#coming ??= this.#later();
    return this.#coming;
  }

  async #later(): Promise<DatabaseSnapshot> {
    const { clock, signal } = this.deps;
    try {
      await clock.sleep(pollMs, signal);
    } finally {
      // who asks from here on has perhaps written after this look
      this.#coming = undefined;
    }
    return await waitFor(this.deps, {
      look: async () => ({ is: "done", value: await this.#look() }),
    });
  }

  async #look(): Promise<DatabaseSnapshot> {
    const at = this.deps.clock.now();
    const seen = await this.#read();
    this.#last = { seen, at };
    return seen;
  }

  async #read(): Promise<DatabaseSnapshot> {
    const { deps, options } = this;
    const there = this.participants ? deps.participants : [];
    const [facts, ...participants] = await Promise.all([
      readFacts(deps, options.namespace, chooseScope(options, deps.names)),
      ...there.map(async ({ name, cluster, namespace }) => ({
        name,
        facts: await readFacts({ ...deps, cluster }, namespace, { namespace }),
      })),
    ]);
    const seen = await this.#withReferred(facts);
    if (facts.objects.eaadbs.length === 0) return { facts: seen, participants };
    // it tells where an active-active database keeps its version (C8)
    this.#definition ??= readDefinition(deps, "eaadb");
    const definition = await this.#definition;
    return { facts: withDefinition(seen, definition), participants };
  }

  /** Secrets are read again only where other ones are named: there may be one for each database. */
  async #withReferred(facts: Facts): Promise<Facts> {
    const secrets = listOfDatabases(facts);
    const named = JSON.stringify(secrets);
    if (this.#referred?.named !== named) {
      this.#referred = { named, read: await readReferred(this.deps, facts, secrets) };
    }
    return withRead(facts, this.#referred.read, ["referredSecrets"]);
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
  return withObjects(facts, { ecs: found, edbs, eaadbs });
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
      cluster.list(resource, {
        ...chooseScope(options, names),
        labelSelector,
        whole: true,
        signal,
      }),
    ),
  );
  return new Set(found.flatMap((all) => (all ?? []).map(({ metadata }) => metadata.uid ?? "")));
}
