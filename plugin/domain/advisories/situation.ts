/** What rows of advisories are judged on: the objects that were read, in the words of the vocabulary. */
import { asArray, type FieldPath, getOwn, getPath, isObject, oncePer } from "../base/values";
import { formatEngineVersion } from "../base/versions";
import { askedKeeping } from "../database/keeping";
import { isInstance } from "../database/target";
import type { Scene } from "../diagnosis/symptom";
import { listDatabaseObjects, listDatabases, listUsedModules } from "../engine-cluster/causes";
import { listInstances, listRunning } from "../engine-cluster/database-versions";
import { isAutoUpgraded, versionPaths } from "../engine-cluster/fields";
import { licenseExpiry } from "../engine-cluster/license";
import { operatorRelease, ownClusters } from "../engine-cluster/operator";
import { listRetiredUses } from "../engine-cluster/retired-modules";
import { readNodes } from "../engine-cluster/scale";
import {
  factNamed,
  type FactKey,
  type Facts,
  factSources,
  isOpenShift,
  readOpenShiftVersion,
} from "../facts/facts";
import type { Node } from "../kube/models";
import { type KubeObject, readName, readNamespace } from "../kube/objects";
import { findLivingOwner } from "../kube/owners";
import { selects } from "../kube/selectors";
import { findCondition } from "../kube/typed";
import { pathInKind } from "../names/database-paths";
import { readSubject } from "../rules/fields";
import type { Edit } from "../rules/types";
import { Unknown, type Values } from "./language";
import { type Concern, type Variable, variables } from "./vocabulary";

/** What is asked for, each as a person gives it, or why it is not known what will be. */
export interface Wanted {
  readonly operator?: string | Unknown | undefined;
  readonly cluster?: string | Unknown | undefined;
  readonly engine?: string | Unknown | undefined;
}

/** What rows are judged over: the facts, what is asked for, and the objects that it concerns. */
export interface AdvisoryScene extends Scene {
  readonly wanted: Wanted;
  /** The clusters that are judged; absent: all of the operator's. */
  readonly clusters?: readonly KubeObject[] | undefined;
  /** The databases that are judged; absent: all of these clusters. */
  readonly databases?: readonly KubeObject[] | undefined;
}

/** One thing that a row is judged on. */
export interface Subject {
  /** Absent: the operator, where it is not there. */
  readonly object: KubeObject | undefined;
  readonly values: Values;
}

interface Placed {
  readonly kind: Edit["kind"];
  readonly object: KubeObject;
  readonly cluster: KubeObject;
}

/** Everything that a row of this concern is judged on, one after another. */
export function listSubjects(concern: Concern, scene: AdvisoryScene): readonly Subject[] {
  const held = listedSubjects(scene);
  const found = held.get(concern) ?? subjects[concern](scene, baseValues(scene));
  held.set(concern, found);
  return found;
}

/** Every row of a concern is judged on the same values: what is converted for one is kept for the others. */
const listedSubjects = oncePer<AdvisoryScene, Map<Concern, readonly Subject[]>>(() => new Map());

const subjects: Readonly<
  Record<Concern, (scene: AdvisoryScene, base: Values) => readonly Subject[]>
> = {
  operator: ({ facts }, base) => {
    const object = findOperator(facts);
    const isAbsent = object === undefined && !facts.unread.has("deployments");
    return isAbsent ? [] : [{ object, values: base }];
  },
  cluster: (scene, base) =>
    chosenClusters(scene).map((object) => ({
      object,
      values: { ...base, cluster: describeCluster(scene.facts, object) },
    })),
  database: (scene, base) => judgedDatabases(scene).map((one) => ofDatabase(scene, base, one)),
  "active-active": (scene, base) =>
    judgedDatabases(scene)
      .filter(({ kind }) => kind === "eaadb")
      .map((one) => ofDatabase(scene, base, one)),
  node: ({ facts }, base) =>
    facts.objects.nodes.map((object) => ({
      object,
      values: { ...base, node: describeNode(object) },
    })),
  remote: ({ facts }, base) =>
    facts.objects.ercs
      .filter(({ metadata }) => metadata.namespace === facts.namespace)
      .map((object) => ({ object, values: { ...base, remote: describeRemote(object, facts) } })),
};

function ofDatabase({ facts }: AdvisoryScene, base: Values, one: Placed): Subject {
  const cluster = describeCluster(facts, one.cluster);
  return {
    object: one.object,
    values: { ...base, cluster, database: describeDatabase(facts, one) },
  };
}

function chosenClusters({ facts, clusters }: AdvisoryScene): readonly KubeObject[] {
  return clusters ?? ownClusters(facts);
}

function listPlaced(facts: Facts, clusters: readonly KubeObject[]): readonly Placed[] {
  return clusters.flatMap(placedIn(facts));
}

/** An instance goes with its active-active database, which is judged in its place. */
const placedIn = oncePer((facts: Facts) =>
  oncePer((cluster: KubeObject): readonly Placed[] =>
    listDatabaseObjects(facts, cluster)
      .filter(({ kind, object }) => kind === "eaadb" || !isInstance(facts, object))
      .map((one) => ({ ...one, cluster })),
  ),
);

const judgedDatabases = oncePer((scene: AdvisoryScene): readonly Placed[] => {
  const all = listPlaced(scene.facts, chosenClusters(scene));
  const { databases } = scene;
  if (databases === undefined) return all;
  const chosen = new Set(databases);
  return all.filter(({ object }) => chosen.has(object));
});

/** A value that is made when a row asks for it, and is not known where a list that tells it was not read. */
function readable(facts: Facts, keys: readonly FactKey[], make: () => unknown): () => unknown {
  return () => tellUnread(facts, keys) ?? make();
}

function tellUnread(facts: Facts, keys: readonly FactKey[]): Unknown | undefined {
  const unread = keys.filter((key) => facts.unread.has(key));
  const [first] = unread;
  if (first === undefined) return undefined;
  const { kind } = factSources(facts.names)[first].resource;
  return new Unknown(`${kind} could not be read (${String(facts.unread.get(first))})`, unread);
}

/** The lists that tell what a row is judged on. */
const subjectFacts: Readonly<Record<Concern, readonly FactKey[]>> = {
  operator: [],
  cluster: variables.cluster.facts,
  database: variables.database.facts,
  "active-active": variables.database.facts,
  node: variables.node.facts,
  remote: variables.remote.facts,
};

/** Why it is not known what a row is judged on; undefined where that was read whole. */
export function findUnread(concern: Concern, facts: Facts): Unknown | undefined {
  return tellUnread(facts, subjectFacts[concern]);
}

/** The values that every row has. */
const baseValues = oncePer((scene: AdvisoryScene): Values => {
  const { facts, wanted } = scene;
  const told = (variable: Exclude<Variable, "target">, make: () => unknown) =>
    readable(facts, variables[variable].facts, make);
  return {
    operator: told("operator", () => describeOperator(facts)),
    target: { ...wanted },
    platform: told("platform", () => describePlatform(facts)),
    nodes: told("nodes", () => facts.objects.nodes.map(describeNode)),
    clusters: told("clusters", () =>
      chosenClusters(scene).map((one) => describeCluster(facts, one)),
    ),
    databases: told("databases", () =>
      listPlaced(facts, chosenClusters(scene)).map((one) => describeDatabase(facts, one)),
    ),
    remotes: told("remotes", () => facts.objects.ercs.map((one) => describeRemote(one, facts))),
  };
});

function findOperator(facts: Facts): KubeObject | undefined {
  const name = facts.names.operator.deployment;
  return factNamed(facts, "deployments", { name, namespace: facts.namespace });
}

function describeOperator(facts: Facts): object {
  const object = findOperator(facts);
  return {
    version: operatorRelease(facts).version,
    installedBy: object && (findLivingOwner(object, facts.left)?.name.toLowerCase() ?? "bundle"),
  };
}

function describePlatform(facts: Facts): object {
  const openshift = readOpenShiftVersion(facts);
  const isHere = isOpenShift(facts);
  return {
    name: isHere ? "openshift" : "kubernetes",
    kubernetes: facts.apiServer,
    ...(isHere && { openshift: openshift ?? new Unknown("the version of OpenShift was not told") }),
  };
}

function describeCluster(facts: Facts, ec: KubeObject): object {
  return describedClusters(facts)(ec);
}

const describedClusters = oncePer((facts: Facts) =>
  oncePer((ec: KubeObject) => makeCluster(facts, ec)),
);

function makeCluster(facts: Facts, ec: KubeObject): object {
  const { ecFields, fields, entryFields } = facts.names;
  const at = (path: FieldPath): unknown => getPath(ec, path);
  const { until, days } = licenseExpiry(ec, facts);
  const ldap = at(ecFields.ldapProtocol.slice(0, -1));
  return {
    name: readName(ec),
    namespace: readNamespace(ec),
    state: at(ecFields.state),
    nodes: at(ecFields.nodes) ?? readNodes(facts, ec),
    tag: at(ecFields.versionTag),
    offered: () => listOffered(facts, ec),
    modules: () => listModules(facts, ec),
    userModules: () =>
      asArray(at(fields.userDefinedModules)).map((one) => getOwn(one, entryFields.userModuleName)),
    userModulesUsed: readable(facts, variables.databases.facts, () => {
      // one at the end of its life has a finding of its own
      const { names } = facts;
      const retired = listRetiredUses({ ec, names, databases: listDatabases(facts, ec) });
      const used = listUsedModules(facts, ec).map(({ module }) => module);
      return used.filter((module) => !retired.some(({ called }) => called(module)));
    }),
    storage: at(ecFields.volumes) ?? true,
    autoUpgrade: isAutoUpgraded(ec, facts.names),
    rackAware: at(ecFields.rackLabel) !== undefined,
    ingress: at(ecFields.ingressMethod),
    certificates: () => listCertificates(facts, ec),
    ldap: isObject(ldap) || (ldap ?? false),
    ldapFilters: [at(ecFields.ldapUserFilter), at(ecFields.ldapGroupFilter)].filter(
      (filter) => filter !== undefined,
    ),
    serviceAnnotations: listKeys(at(ecFields.serviceAnnotations)),
    upgradePolicy: at(fields.engineUpgradePolicy),
    licenseState: at(ecFields.licenseState),
    licenseExpires: until,
    licenseDays: days,
    shardsUsed: at(ecFields.shardsUsage),
    shardsLimit: at(ecFields.shardsLimit),
    eligible: readable(facts, variables.nodes.facts, () =>
      facts.objects.nodes
        .filter(({ metadata }) =>
          selects({ matchLabels: at(ecFields.nodeSelector) }, metadata.labels ?? {}),
        )
        .map(describeNode),
    ),
    databases: readable(facts, variables.databases.facts, () =>
      listPlaced(facts, [ec]).map((one) => describeDatabase(facts, one)),
    ),
  };
}

/** Those that are the cluster's own; a name that is left blank is that of none. */
function listCertificates({ names: { ecFields } }: Facts, ec: KubeObject): readonly unknown[] {
  const paths: Readonly<Record<string, FieldPath>> = {
    api: ecFields.apiCertificate,
    manager: ecFields.managerCertificate,
    metrics: ecFields.metricsCertificate,
    proxy: ecFields.proxyCertificate,
    syncer: ecFields.syncerCertificate,
    "ldap-client": ecFields.ldapCertificate,
    "control-plane": ecFields.controlCertificate,
    "data-plane": ecFields.dataCertificate,
  };
  return Object.entries(paths).flatMap(([name, path]) => {
    const secret = getPath(ec, path) ?? "";
    if (secret === "") return [];
    return typeof secret === "string" ? name : new Unknown(`${path.join(".")} is no text`);
  });
}

/** What is no object stays as it is, and is then not known. */
function listKeys(map: unknown): unknown {
  return isObject(map) ? Object.keys(map) : (map ?? []);
}

/** The versions for databases of the type that has them; a list that is absent is not known. */
function listOffered({ names }: Facts, ec: KubeObject): unknown {
  const { fields, entryFields, engineDbType } = names;
  const offered = getPath(ec, fields.bundledDatabaseVersions);
  if (!Array.isArray(offered)) return offered;
  return offered
    .filter((one) => (getOwn(one, entryFields.bundledType) ?? engineDbType) === engineDbType)
    .map((one) => getOwn(one, entryFields.bundledVersion));
}

/** Each version of a module is an entry. */
function listModules({ names }: Facts, ec: KubeObject): unknown {
  const { fields, entryFields } = names;
  const listed = getPath(ec, fields.statusModules);
  if (!Array.isArray(listed)) return listed;
  return listed.flatMap((one) => {
    const name = getOwn(one, entryFields.statusModuleName);
    const versions = asArray(getOwn(one, entryFields.statusModuleVersions));
    return versions.length === 0 ? [{ name }] : versions.map((version) => ({ name, version }));
  });
}

/** Lists of databases share them with the rows that are judged on each. */
function describeDatabase(facts: Facts, one: Placed): object {
  return describedDatabases(facts)(one);
}

const describedDatabases = oncePer((facts: Facts) =>
  oncePer((one: Placed) => makeDatabase(facts, one)),
);

/** Most rows are decided before any of it is asked for. */
function makeDatabase(facts: Facts, { kind, object }: Placed): object {
  const { names } = facts;
  const { edbFields, eaadbFields, entryFields, fields } = names;
  // an active-active database has in its global configurations what a database has in its spec
  const inSpec = (path: FieldPath): unknown => getPath(object, pathInKind(kind, path, names));
  return {
    name: readName(object),
    namespace: readNamespace(object),
    version: () => readVersion(facts, { kind, object }),
    channel: () => readAsked(facts, { kind, object }).channel,
    activeActive: kind === "eaadb",
    replicated: inSpec(edbFields.replication) ?? false,
    persistence: () => askedKeeping({ kind, object }, names).persistence,
    flash: inSpec(edbFields.flash) ?? false,
    tls: ![undefined, "disabled"].some((off) => off === inSpec(edbFields.tlsMode)),
    shards: inSpec(edbFields.shardCount) ?? 1,
    port: () => inSpec(edbFields.port) ?? readPort(facts, object),
    evictionPolicy: inSpec(fields.evictionPolicy),
    modules: () =>
      readSubject({ kind, before: undefined, after: object }, names).modules.map(
        ({ name, version }) => ({ name, version }),
      ),
    participants: () =>
      asArray(getPath(object, eaadbFields.participatingClusters)).map((one) => ({
        name: getOwn(one, entryFields.participatingName),
        port: getOwn(one, entryFields.participatingPort),
      })),
    sources: asArray(inSpec(edbFields.replicaSources)).length,
    backup: Object.entries(inSpec(edbFields.backup) ?? {}).find(([, place]) =>
      isObject(place),
    )?.[0],
  };
}

/** The port that the cluster chose, by the first endpoint; an active-active database has those of its instances here. */
function readPort(facts: Facts, object: KubeObject): unknown {
  const { edbFields, entryFields } = facts.names;
  return [object, ...listInstances(facts, object)]
    .flatMap((one) => asArray(getPath(one, edbFields.endpoints)))
    .map((endpoint) => getOwn(endpoint, entryFields.endpointPort))
    .find((port) => port !== undefined);
}

/** What runs, else what is asked for; of an active-active database the oldest of its instances here. */
function readVersion(facts: Facts, one: Pick<Placed, "kind" | "object">): unknown {
  const [oldest] = listRunning(facts, one.object);
  return oldest === undefined ? readAsked(facts, one).version : formatEngineVersion(oldest);
}

function readAsked(
  facts: Facts,
  { kind, object }: Pick<Placed, "kind" | "object">,
): { readonly version?: unknown; readonly channel?: unknown } {
  const [path] = versionPaths(facts, { kind, object });
  const asked = getPath(object, path);
  const { majorChannel, latestChannel } = facts.names;
  return asked === majorChannel || asked === latestChannel
    ? { channel: asked }
    : { version: asked };
}

function describeNode(node: Node): object {
  const info = node.status?.nodeInfo;
  return {
    name: readName(node),
    arch: info?.architecture ?? getOwn(node.metadata.labels, "kubernetes.io/arch"),
    os: info?.operatingSystem,
    kubelet: info?.kubeletVersion,
    runtime: info?.containerRuntimeVersion,
    ready: findCondition(node, "Ready")?.status === "True",
    cordoned: node.spec?.unschedulable ?? false,
    labels: node.metadata.labels ?? {},
  };
}

function describeRemote(remote: KubeObject, { names: { ercFields } }: Facts): object {
  return {
    name: readName(remote),
    cluster: getPath(remote, ercFields.ecName),
    place: getPath(remote, ercFields.ecNamespace),
    local: getPath(remote, ercFields.local) ?? false,
  };
}
