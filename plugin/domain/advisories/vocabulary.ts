/**
 * The words in which rows of advisories speak of a cluster: data, read by the language that judges their conditions,
 * by the schema for editors and by the page. `situation.ts` gives the values. A new word needs a release of this tool.
 */
import type { FactKey } from "../facts/facts";

/** The type of a word; `version` is written as text and compared by its numbers. */
export type WordType =
  | "string"
  | "int"
  | "bool"
  | "version"
  | "labels"
  | { readonly list: "string" | "version" | TypeName }
  | TypeName;

/** What can be asked of one kind of thing. */
export type TypeName =
  | "Operator"
  | "Target"
  | "Platform"
  | "Cluster"
  | "Database"
  | "Module"
  | "Participant"
  | "Node"
  | "Remote";

/** One word. */
export interface Word {
  readonly type: WordType;
  /** It may be absent: then it is not known, unless has() asks for it first. */
  readonly optional?: true;
  /** Lists of objects that tell it. */
  readonly facts?: readonly FactKey[];
  readonly says: string;
}

type Words = Readonly<Record<string, Word>>;

const string = (says: string): Word => ({ type: "string", says });
const int = (says: string): Word => ({ type: "int", says });
const bool = (says: string): Word => ({ type: "bool", says });
const version = (says: string): Word => ({ type: "version", says });
const list = (of: "string" | "version" | TypeName, says: string): Word => ({
  type: { list: of },
  says,
});
const maybe = (word: Word): Word => ({ ...word, optional: true });
const from = (facts: readonly FactKey[], word: Word): Word & Required<Pick<Word, "facts">> => ({
  ...word,
  facts,
});

const databaseFacts: readonly FactKey[] = ["ecs", "edbs", "eaadbs"];

/** What each type has. */
export const vocabulary: Readonly<Record<TypeName, Words>> = {
  Operator: {
    version: version("release of the operator that runs"),
    installedBy: string("olm, helm or another owner of its Deployment, bundle where none is seen"),
  },
  Target: {
    operator: maybe(version("release of the operator that is asked for")),
    cluster: maybe(version("tag of the cluster that is asked for")),
    engine: maybe(version("engine version that is asked for")),
  },
  Platform: {
    name: string("kubernetes or openshift"),
    kubernetes: version("version of the API server"),
    openshift: maybe(version("version of OpenShift")),
  },
  Cluster: {
    name: string("name of the cluster's resource"),
    namespace: string("its namespace"),
    state: string("state that its status tells"),
    nodes: int("nodes that its spec asks for"),
    tag: version("tag of its image"),
    offered: list("version", "engine versions that its status offers"),
    modules: from(databaseFacts, list("Module", "modules that its status lists")),
    userModules: from(databaseFacts, list("string", "modules that its spec defines")),
    userModulesUsed: from(
      databaseFacts,
      list("string", "modules that databases use and that no release brings"),
    ),
    storage: bool("its pods keep their data in volumes"),
    autoUpgrade: bool("it follows the operator by itself"),
    rackAware: bool("its spec asks for a spread over racks or zones"),
    ingress: maybe(string("method by which databases are reached from outside")),
    certificates: list(
      "string",
      "certificates of its own that its spec names: api, manager, metrics, proxy, syncer, ldap-client, control-plane and data-plane (between nodes)",
    ),
    ldap: bool("its spec sets LDAP up; what is set in the cluster alone is not seen"),
    ldapFilters: list("string", "filters of LDAP that its spec has, for users and for groups"),
    serviceAnnotations: list("string", "names of the annotations that its spec puts on Services"),
    upgradePolicy: maybe(string("policy for the engine versions of its databases")),
    licenseState: maybe(string("state of the license that its status tells")),
    licenseExpires: maybe(string("day on which the license expires")),
    licenseDays: maybe(int("days until then")),
    shardsUsed: maybe(int("shards that the license counts")),
    shardsLimit: maybe(int("shards that the license allows")),
    eligible: from(["nodes"], list("Node", "nodes that its node selector allows")),
    databases: from(databaseFacts, list("Database", "databases that it has")),
  },
  Database: {
    name: string("name of the database"),
    namespace: string("its namespace"),
    version: version("engine version that runs, else that its spec asks for"),
    channel: maybe(string("latest or major, where its spec has that instead of a version")),
    activeActive: bool("it is an active-active database, or an instance of one"),
    replicated: bool("its spec asks for a replica"),
    persistence: string("its persistence, disabled where it has none"),
    flash: bool("a part of its data is on flash"),
    tls: bool("its spec asks for TLS"),
    shards: int("its number of shards"),
    port: int("port that clients connect to, that its spec asks for or its status tells"),
    evictionPolicy: maybe(string("what it evicts when memory is full")),
    modules: list("Module", "modules that it uses"),
    participants: list("Participant", "clusters that participate, of an active-active database"),
    sources: int("databases that it is a replica of"),
    backup: maybe(string("kind of place that its backups go to")),
  },
  Module: {
    name: string("name of the module"),
    version: maybe(string("its version")),
  },
  Participant: {
    name: string("name of the participating cluster"),
    port: maybe(int("external port for replication")),
  },
  Node: {
    name: string("name of the node"),
    arch: string("its architecture, as amd64 or arm64"),
    os: string("its operating system"),
    kubelet: string("version of its kubelet"),
    runtime: string("its container runtime and version"),
    ready: bool("its condition Ready is True"),
    cordoned: bool("it takes no pods"),
    labels: { type: "labels", says: "its labels" },
  },
  Remote: {
    name: string("name of the remote cluster's resource"),
    cluster: maybe(string("name of the cluster that it represents")),
    place: maybe(string("namespace of that cluster")),
    local: bool("it is the cluster here"),
  },
};

const clusterFacts: readonly FactKey[] = ["ecs"];

/** The variables of every condition, and those of a row that concerns one thing. */
export const variables = {
  operator: from(["deployments"], { type: "Operator", says: "the operator that runs" }),
  target: { type: "Target", says: "what is asked for" },
  platform: from(["clusterVersions", "constraints"], {
    type: "Platform",
    says: "what everything runs on",
  }),
  nodes: from(["nodes"], list("Node", "every node")),
  clusters: from(clusterFacts, list("Cluster", "every cluster of the operator")),
  databases: from(databaseFacts, list("Database", "every database")),
  remotes: from(["ercs"], list("Remote", "every remote cluster")),
  cluster: from(clusterFacts, { type: "Cluster", says: "the cluster that is judged" }),
  database: from(databaseFacts, {
    type: "Database",
    says: "the database that is judged",
  }),
  node: from(["nodes"], { type: "Node", says: "the node that is judged" }),
  remote: from(["ercs"], { type: "Remote", says: "the remote cluster that is judged" }),
} as const satisfies Words;

/** One variable. */
export type Variable = keyof typeof variables;

/** What a row is judged once for, and the variables that it has beside those of every row. */
export const concerns = {
  operator: [],
  cluster: ["cluster"],
  database: ["cluster", "database"],
  "active-active": ["cluster", "database"],
  node: ["node"],
  remote: ["remote"],
} as const satisfies Readonly<Record<string, readonly Variable[]>>;

/** What a row is judged once for. */
export type Concern = keyof typeof concerns;
