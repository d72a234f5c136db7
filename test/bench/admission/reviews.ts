/**
 * Reviews that nobody has tuned to: databases, edits, sizes and fillings are drawn by properties
 * from a seed, and each verdict is the one that the rules give for the whole objects.
 */
import fc from "fast-check";
import {
  lookUpCluster,
  projectCluster,
  readReference,
} from "../../../plugin/domain/rules/clusters";
import { defaultNames as names } from "../../../plugin/domain/names/names";
import { judgeEdit } from "../../../plugin/domain/rules/order";
import type { ClusterFacts } from "../../../plugin/domain/rules/types";
import { stableJson } from "../../../plugin/simulator/operator/acts";
import { type ClusterParts, anEc } from "../../webhook/fake-clusters";
import { aReview, options } from "../../webhook/reviews";
import type { Exchange } from "./load";

export const operatorNamespace = "engine";

/** What of a database is judged; of an EAADB it stands below its global configurations. */
interface Judged {
  readonly engineVersion?: unknown;
  readonly modules?: readonly string[];
  /** The version number that its modules have. */
  readonly moduleVersion?: string;
}

/** What one kind of edit does; without `before` it makes the object. */
interface Edit {
  readonly before?: Judged;
  readonly after: Judged;
  readonly spec?: object;
  readonly metadata?: object;
  /** Names an EC that there is none of. */
  readonly isLost?: boolean;
}

const at72 = { engineVersion: "7.2", modules: ["search", "ReJSON"] };
const at80 = { engineVersion: "8.0", modules: ["timeseries"] };
const same = { before: at72, after: at72 };
/** Stands for the module that the EC of the database defines. */
const own = "OWN";

/** Each kind is as likely as another; half of them change nothing that is judged. */
const edits: readonly Edit[] = [
  { ...same, spec: { memorySize: "2GB" } },
  { ...same, spec: { shardCount: 6, replication: true } },
  { ...same, spec: { backup: { interval: 12, s3: { bucketName: "b", subdir: "d" } } } },
  { ...same, metadata: { labels: { team: "payments", stage: "production" } } },
  { ...same, metadata: { annotations: { "example.com/owner": "payments" } } },
  { ...same, metadata: { finalizers: [], deletionTimestamp: "2026-01-15T08:00:00Z" } },
  { before: {}, after: {}, spec: { evictionPolicy: "volatile-lru" } },
  { before: at80, after: at80, spec: { port: 12_000 } },
  { before: at80, after: { ...at80, modules: [] } },
  { after: { modules: ["bf"] } },
  { before: at72, after: { ...at72, engineVersion: "8.0" } },
  { before: at72, after: { ...at72, engineVersion: "7.4" } },
  { before: at80, after: { ...at80, engineVersion: "8.2" } },
  { before: at80, after: { ...at80, engineVersion: "7.4" } },
  { before: at72, after: { ...at72, engineVersion: "7.9" } },
  { before: at72, after: { ...at72, engineVersion: 8 } },
  { before: at72, after: { ...at72, engineVersion: "major" } },
  { before: at72, after: { ...at72, engineVersion: "8.0", moduleVersion: "9.9.9" } },
  { before: at72, after: { ...at72, modules: [...at72.modules, "bf"] } },
  { before: at72, after: { ...at72, modules: [...at72.modules, own] } },
  { before: at72, after: { ...at72, modules: [...at72.modules, "typo"] } },
  { before: at72, after: { ...at72, modules: ["typo", "another"] }, isLost: true },
  { after: { engineVersion: "8.0", modules: ["search", own] } },
  { after: { engineVersion: "8.1", modules: ["search", "typo"] } },
];

/** What is drawn for each review. */
const drawn = fc.record({
  edit: fc.constantFrom(...edits),
  kind: fc.constantFrom("edb", "edb", "eaadb" as const),
  version: fc.constantFrom("v1", "v1beta1"),
  /** Of the filling, managed fields take so much. */
  managed: fc.double({ min: 0, max: 0.7, noNaN: true }),
  cluster: fc.nat(),
  isNear: fc.boolean(),
  /** Sizes lie around the one that is asked for. */
  size: fc.double({ min: 0.8, max: 1.2, noNaN: true }),
  dryRun: fc.constantFrom(false, false, false, true),
  filling: fc.integer(),
});

type Drawn = Parameters<Parameters<typeof drawn.map>[0]>[0];

/** One run's cluster objects, and its reviews by size. */
export class Mix {
  private readonly facts: readonly ClusterFacts[];

  constructor(
    readonly seed: number,
    readonly clusters = clustersFrom(seed),
  ) {
    this.facts = clusters.flatMap((ec) => projectCluster(ec, names) ?? []);
  }

  /** Reviews of about so many bytes, each with a uid and a name of its own. */
  reviews(bytes: number, count: number): readonly Exchange[] {
    return fc
      .sample(fc.noBias(drawn), { seed: this.seed + bytes, numRuns: count })
      .map((one, index) => this.review(one, { bytes: bytes * one.size, index }));
  }

  private review(one: Drawn, { bytes, index }: { bytes: number; index: number }): Exchange {
    const ec = this.facts[one.cluster % this.facts.length];
    if (ec === undefined) throw new Error("there is no EC");
    const [before, after] = objectsOf(one, ec, { bytes, index });
    const { kind } = one;
    const edit = { kind, before, after };
    const namespace = after.metadata.namespace;
    const reference = readReference(after, kind, names);
    const lookup = lookUpCluster({ reference, namespace, operatorNamespace, all: this.facts });
    const { causes } = judgeEdit(edit, { after: lookup }, options);
    const body = Buffer.from(wireText(reviewOf(one, { before, after, index })));
    return { bytes: Buffer.concat([headOf(body.length), body]), allowed: causes.length === 0 };
  }
}

/** Between one and a thousand. */
function clustersFrom(seed: number): readonly ReturnType<typeof anEc>[] {
  const policy = fc.constantFrom("major", "latest", undefined);
  const versions = fc.constantFrom([], ["7.2.0", "7.4.1", "8.0.2", "8.2.0"], ["7.4", "8.0"]);
  const parts = fc.record({ policy, versions, isNear: fc.boolean() });
  const few = fc.integer({ min: 1, max: 30 });
  const size = fc.oneof(few, fc.integer({ min: 31, max: 1_000 }));
  const [count = 1] = fc.sample(fc.noBias(size), { seed, numRuns: 1 });
  return fc
    .sample(fc.noBias(parts), { seed, numRuns: count })
    .map(({ isNear, ...more }, index) => anEc({ ...more, ...placeOf(index, isNear) }));
}

function placeOf(index: number, isNear: boolean): ClusterParts {
  const namespace = isNear ? `tenant-${String(index)}` : operatorNamespace;
  return { name: `ec-${String(index)}`, namespace, userModules: [moduleOf(`ec-${String(index)}`)] };
}

function moduleOf(cluster: string): string {
  return `${cluster}-module`;
}

/** The only EC that databases refer to, where all others are there to be held. */
export const judgedCluster = { policy: "major", userModules: [moduleOf("ec")] } as const;

type Database = ReturnType<typeof databaseOf>;

interface Wanted {
  readonly bytes: number;
  readonly index: number;
}

/** The objects before and after, the same filling in both. */
function objectsOf(one: Drawn, ec: ClusterFacts, { bytes, index }: Wanted) {
  const { edit } = one;
  const make = (room: number): readonly [Database | undefined, Database] => {
    const filling = fillingOf(one, room);
    const parts = { one, ec, index, filling };
    const before = edit.before && databaseOf(edit.before, parts);
    const after = databaseOf(edit.after, parts);
    const { spec = {}, metadata = {} } = edit;
    const edited = {
      ...after,
      metadata: { ...after.metadata, generation: 4, ...metadata },
      spec: { ...after.spec, ...spec },
    };
    return [before, edited];
  };
  const bare = wireText(reviewOf(one, { ...both(make(0)), index })).length;
  return make((bytes - bare) / (edit.before === undefined ? 1 : 2));
}

function both([before, after]: readonly [Database | undefined, Database]) {
  return { before, after };
}

interface DatabaseParts {
  readonly one: Drawn;
  readonly ec: ClusterFacts;
  readonly index: number;
  readonly filling: Filling;
}

function databaseOf(judged: Judged, { one, ec, index, filling }: DatabaseParts) {
  const { modules = [], engineVersion, moduleVersion = "2.10.5" } = judged;
  const list = modules.map((name) => ({
    name: name === own ? moduleOf(ec.name) : name,
    version: moduleVersion,
  }));
  const fields = {
    ...(engineVersion !== undefined && { engineVersion }),
    ...(list.length > 0 && { moduleList: list }),
  };
  const isPlain = one.kind === "edb";
  const reference = { name: one.edit.isLost === true ? "nowhere" : ec.name };
  const namespace = ec.namespace === operatorNamespace ? namespaceOf(one) : ec.namespace;
  return {
    apiVersion: `${names.group}/${names.version}`,
    kind: names[one.kind].kind,
    metadata: {
      name: `database-${String(index)}`,
      namespace,
      uid: uidOf(index),
      resourceVersion: String(880_000 + index),
      generation: 3,
      creationTimestamp: "2026-01-14T09:30:11Z",
      annotations: filling.annotations,
      managedFields: filling.managedFields,
    },
    spec: {
      memorySize: "1GB",
      shardCount: 3,
      engineEnterpriseCluster: reference,
      ...(isPlain ? fields : { globalConfigurations: { ...fields, ...filling.spec } }),
      ...(isPlain && filling.spec),
    },
    status: { status: "active", specStatus: "Valid", version: "7.2.4", ...filling.status },
  };
}

function namespaceOf({ isNear }: Drawn): string {
  return isNear ? operatorNamespace : "databases";
}

function uidOf(index: number): string {
  return `4f1c2a34-9d8e-4c51-8a56-${String(index).padStart(12, "0")}`;
}

interface ReviewParts {
  readonly before: Database | undefined;
  readonly after: Database;
  readonly index: number;
}

/** In the order of the API server's own type. */
function reviewOf(one: Drawn, { before, after, index }: ReviewParts) {
  const { group, version } = names;
  const { kind, plural } = names[one.kind];
  const [groupKind, resource] = [
    { group, version, kind },
    { group, version, resource: plural },
  ];
  const request = {
    uid: `705ab4f5-6393-11e8-b7cc-${String(index).padStart(12, "0")}`,
    kind: groupKind,
    resource,
    requestKind: groupKind,
    requestResource: resource,
    name: after.metadata.name,
    namespace: after.metadata.namespace,
    operation: before === undefined ? "CREATE" : "UPDATE",
    userInfo: {
      username: "system:serviceaccount:ci:deployer",
      uid: uidOf(1),
      groups: ["system:serviceaccounts", "system:serviceaccounts:ci", "system:authenticated"],
      extra: { "authentication.kubernetes.io/credential-id": [`JTI=${uidOf(2)}`] },
    },
    object: inOrder(after),
    oldObject: before === undefined ? null : inOrder(before),
    dryRun: one.dryRun,
    options: { kind: before ? "UpdateOptions" : "CreateOptions", apiVersion: "meta.k8s.io/v1" },
  };
  const { kind: reviewKind, apiVersion } = aReview({}, one.version);
  return { kind: reviewKind, apiVersion, request };
}

/** Go writes an object's keys in order. */
function inOrder(object: Database): unknown {
  return JSON.parse(stableJson(object));
}

const inMarkup: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
};

/** As Go writes it: what could be markup is escaped. */
function wireText(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&]/g, (char) => inMarkup[char] ?? char);
}

function headOf(length: number): Buffer {
  const head = [
    `POST ${names.webhook.path}?timeout=10s HTTP/1.1`,
    `Host: admission.${operatorNamespace}.svc:443`,
    "User-Agent: kube-apiserver-admission",
    `Content-Length: ${length}`,
    "Accept: application/json, */*",
    "Content-Type: application/json",
    "Accept-Encoding: gzip",
    "\r\n",
  ];
  return Buffer.from(head.join("\r\n"));
}

/** What makes an object as large as it is to be. */
interface Filling {
  readonly managedFields: readonly object[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: object;
  readonly status: object;
}

type Random = () => number;

const words = ["cache", "zürich", "a=b&c<d", "payments", "primary", "eu-west-1", "10.0.0.1:9443"];
const pick = <T>(random: Random, from: readonly T[]): T =>
  from[Math.floor(random() * from.length)] as T;
const text = (random: Random): string =>
  Array.from({ length: 1 + Math.floor(random() * 12) }, () => pick(random, words)).join(" ");

/** One thing more in a filling. */
const pieces: readonly ((random: Random, id: string) => object)[] = [
  (random, id) => ({ name: id, value: text(random), enabled: random() < 0.5, weight: random() }),
  (random, id) => ({ id, ports: [6_379, 12_000, Math.floor(random() * 65_535)], tags: [] }),
  (random, id) => ({ [id]: { [pick(random, words)]: { limit: "2Gi", used: null } } }),
  (random, id) => ({ role: "master", node: `node:${id}`, status: "OK", slots: text(random) }),
];

function managedField(random: Random, id: string): object {
  const fields = Array.from({ length: 1 + Math.floor(random() * 8) }, (_, index) => [
    pick(random, [`f:setting${String(index)}`, `k:{"name":"${id}-${String(index)}"}`]),
    pick<object>(random, [{}, { ".": {}, "f:value": {} }]),
  ]);
  return {
    manager: pick(random, ["kubectl-client-side-apply", "argocd-controller", "operator"]),
    operation: "Update",
    apiVersion: `${names.group}/${names.version}`,
    time: "2026-01-14T09:30:11Z",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:spec": Object.fromEntries(fields) as object },
  };
}

/** About so many bytes, in managed fields, and elsewhere by turns as chance has it. */
function fillingOf({ managed, filling }: Drawn, bytes: number): Filling {
  const random = generator(filling);
  const managedFields: object[] = [];
  const annotations: Record<string, string> = {};
  const [settings, shards]: [object[], object[]] = [[], []];
  let done = 0;
  for (let index = 0; done < bytes; index += 1) {
    const id = `entry-${String(index)}`;
    const left = bytes - done;
    if (random() < managed) done += put(managedFields, managedField(random, id));
    else if (random() < 0.3) {
      // what kubectl keeps of an applied object is one long text full of escapes
      const note = JSON.stringify(pieces.map((piece) => piece(random, id))).slice(0, left);
      annotations[`example.com/${id}`] = note;
      done += JSON.stringify(note).length + id.length + 16;
    } else done += put(pick(random, [settings, shards]), pick(random, pieces)(random, id));
  }
  return { managedFields, annotations, spec: { settings }, status: { shards } };
}

function put(into: object[], piece: object): number {
  into.push(piece);
  return JSON.stringify(piece).length + 1;
}

/** Mulberry32: small, and the same everywhere. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
