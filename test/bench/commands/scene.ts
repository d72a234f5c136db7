/** A large cluster as an operator leaves it, drawn from a seed: databases of all sorts in many namespaces. */
import { defaultNames as names } from "../../../plugin/domain/names/names";
import { lastApplied } from "../../../plugin/domain/kube/objects";
import type { Api, KubeObject } from "../../control-plane/api";
import { documentedWay, seedNamespaces, settings } from "../../control-plane/managed-namespaces";
import { cluster, clusterStatus, seedScene } from "../../control-plane/scene";
import { Draw, namesFrom } from "../rbac/scene";

export const operatorNamespace = "engine";

/** Databases that one EC holds, and databases that one namespace holds, on average. */
const databasesEach = { cluster: 250, namespace: 8 };
/** Of the databases, instances of active-active ones included. */
const activeActive = 0.04;

type Stored = KubeObject & { readonly status?: object };

const apiVersion = `${names.group}/${names.version}`;
const versions = ["7.2", "7.4", "8.0", "8.2"];
const policies = ["volatile-lru", "allkeys-lru", "noeviction"];
const bundled = ["search", "ReJSON", "timeseries", "bf"];

function oneOf<T>(draw: Draw, items: readonly T[]): T {
  return items[draw.below(items.length)] as T;
}

/** What teams write on their objects: labels, and annotations of up to a kilobyte. */
function marksOf(draw: Draw): object {
  const team = `team-${draw.below(60)}`;
  const about = `kept by ${team}; ${"ask before you change it. ".repeat(draw.below(40))}`;
  return {
    labels: { team, stage: oneOf(draw, ["dev", "test", "prod"]) },
    annotations: draw.next() < 0.5 ? { "example.com/about": about } : {},
  };
}

function specOf(draw: Draw, engineVersion: string, name: string): object {
  const modules = draw.some(bundled, 0.3).map((each) => ({ name: each, version: "2.10.5" }));
  return {
    memorySize: `${1 + draw.below(64)}GB`,
    shardCount: 1 + draw.below(8),
    replication: draw.next() < 0.8,
    persistence: oneOf(draw, ["aofEverySecond", "snapshotEvery1Hour", "disabled"]),
    databaseSecretName: `${name}-credentials`,
    databasePort: 10_000 + draw.below(10_000),
    evictionPolicy: oneOf(draw, policies),
    ...(draw.next() < 0.9 && { engineVersion }),
    ...(modules.length > 0 && { modulesList: modules }),
  };
}

interface Place {
  readonly name: string;
  readonly namespace: string;
  readonly cluster: string;
}

/** One database; most are at rest, a few are on their way, not accepted, or behind what they ask for. */
function database(draw: Draw, { name, namespace, cluster: ec }: Place, at: number): Stored {
  const engineVersion = oneOf(draw, versions);
  const running = draw.next() < 0.98 ? engineVersion : oneOf(draw, versions);
  return {
    apiVersion,
    kind: names.edb.kind,
    metadata: { name, namespace, ...marksOf(draw) },
    spec: { ...specOf(draw, engineVersion, name), engineEnterpriseCluster: { name: ec } },
    status: {
      databaseUID: String(at),
      version: `${running}.${draw.below(4)}`,
      status: draw.next() < 0.98 ? "active" : oneOf(draw, ["active-change-pending", "pending"]),
      specStatus: draw.next() < 0.99 ? "Valid" : "Invalid",
      observedGeneration: 1,
    },
  };
}

/** An active-active database and its instance here. */
function activeActivePair(draw: Draw, place: Place, at: number): readonly Stored[] {
  const { name, namespace, cluster: ec } = place;
  const instance = database(draw, { ...place, name: `${name}-i` }, at);
  const clusters = ["here", "there"].map((each) => ({ name: `remote-${each}` }));
  const pair = {
    apiVersion,
    kind: names.eaadb.kind,
    metadata: { name, namespace, ...marksOf(draw) },
    spec: {
      participatingClusters: clusters,
      engineEnterpriseCluster: { name: ec },
      globalConfigurations: specOf(draw, oneOf(draw, versions), name),
    },
    status: {
      status: "active",
      specStatus: "Valid",
      guid: `${name}-${at}`,
      linkedEdbs: [instance.metadata.name],
      replicationStatus: draw.next() < 0.98 ? "up" : "down",
      participatingClusters: clusters.map((each) => ({ ...each, replicationStatus: "up" })),
    },
  };
  return [instance, pair];
}

interface Places {
  readonly namespaces: readonly string[];
  readonly clusters: readonly string[];
}

/** So many databases of both kinds. */
export function databases(
  draw: Draw,
  count: number,
  { namespaces, clusters }: Places,
): readonly Stored[] {
  const made: Stored[] = [];
  for (const name of namesFrom(draw, count)) {
    const place = { name, namespace: oneOf(draw, namespaces), cluster: oneOf(draw, clusters) };
    const isPair = draw.next() < activeActive / 2;
    const at = made.length;
    made.push(...(isPair ? activeActivePair(draw, place, at) : [database(draw, place, at)]));
    if (made.length >= count) break;
  }
  return made;
}

/** What an EC stands on: a StatefulSet, three pods that run, and what was said of them. */
function workloadOf(ec: string): readonly Stored[] {
  const labels = { app: "engine-enterprise", "engine.io/cluster": ec };
  const container = { name: "engine-enterprise-node", image: "engine/engine:8.0.20-44.23" };
  const set = {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: ec, namespace: operatorNamespace, labels },
    spec: {
      replicas: 3,
      serviceName: ec,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
    status: { observedGeneration: 1, replicas: 3, readyReplicas: 3, updatedReplicas: 3 },
  };
  const parts = [0, 1, 2].flatMap((at): readonly Stored[] => [
    pod(`${ec}-${at}`, labels, container),
    event(`${ec}-${at}`),
  ]);
  return [set, ...parts];
}

function pod(name: string, labels: Readonly<Record<string, string>>, container: object): Stored {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: operatorNamespace, labels },
    spec: { containers: [container] },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  };
}

function event(about: string): Stored {
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `${about}.1`, namespace: operatorNamespace },
    involvedObject: { kind: "Pod", name: about, namespace: operatorNamespace },
    reason: "Started",
    message: "Started container engine-enterprise-node",
    type: "Normal",
  };
}

/** Half as `kubectl apply` leaves them: with themselves in an annotation. */
async function store(api: Api, draw: Draw, { status, ...object }: Stored): Promise<void> {
  const applied = { ...object.metadata.annotations, [lastApplied]: JSON.stringify(object) };
  const isApplied = draw.next() < 0.5;
  const metadata = isApplied ? { ...object.metadata, annotations: applied } : object.metadata;
  await api.create({ ...object, metadata }, documentedWay);
  if (status !== undefined) await api.writeStatus(object, status);
}

/** How many of each; what is left out follows from the databases. */
export interface Amounts {
  readonly databases: number;
  readonly namespaces?: number;
  readonly clusters?: number;
  readonly seed: string;
}

/** What was seeded. */
interface Seeded {
  readonly what: string;
  readonly namespaces: readonly string[];
}

/** Fills the API server; the namespaces have the roles that an older release left. */
export async function seedDatabases(api: Api, amounts: Amounts): Promise<Seeded> {
  const { databases: count, seed } = amounts;
  const draw = new Draw(seed);
  const inAll = (each: number) => Math.ceil(count / each);
  const namespaces = namesFrom(draw, amounts.namespaces ?? inAll(databasesEach.namespace));
  const others = namesFrom(draw, amounts.clusters ?? inAll(databasesEach.cluster)).slice(1);
  await seedScene(api, { namespace: operatorNamespace, databases: [] });
  await api.create(settings({ [names.configMap.namespaces]: namespaces.join(",") }));
  await seedNamespaces(api, namespaces);
  const clusters = others.map((name) => ({
    ...cluster({ namespace: operatorNamespace, name }),
    status: clusterStatus,
  }));
  const all = ["ec", ...others];
  const left = [
    ...clusters,
    ...all.flatMap(workloadOf),
    ...databases(draw, count, { namespaces, clusters: all }),
  ].reverse();
  const work = async (): Promise<void> => {
    for (let one = left.pop(); one !== undefined; one = left.pop()) await store(api, draw, one);
  };
  await Promise.all(Array.from({ length: 16 }, work));
  const what = `${count} databases in ${namespaces.length} namespaces, ${all.length} ECs`;
  return { what, namespaces };
}
