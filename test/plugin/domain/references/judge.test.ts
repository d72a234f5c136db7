/** What is said of an object that names others: by each row of the table, and by values of every form. */
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import type { FactKey, Facts } from "../../../../plugin/domain/facts/facts";
import {
  findLack,
  judgeSecrets,
  referenceSymptom,
} from "../../../../plugin/domain/references/judge";
import { listReferences, type NamingObject } from "../../../../plugin/domain/references/read";
import {
  listNamedSecrets,
  listNamers,
  listOfCluster,
  listOfDatabases,
} from "../../../../plugin/domain/references/secrets";
import { each, listRows, type ReferenceRow } from "../../../../plugin/domain/references/table";
import { hostile } from "../admission/hostile";
import { sceneOf } from "../database/scene";

const namespace = "shop";

/** An object with a value at a path; each list has one item. */
function withAt(row: ReferenceRow, value: unknown): NamingObject {
  const build = ([step, ...rest]: readonly string[]): unknown => {
    if (step === undefined) return value;
    if (step === each) return [build(rest)];
    return { [step]: build(rest), ...(rest.length === 0 && sourceType(row)) };
  };
  const spec = build(row.path) as object;
  const metadata = { name: "one", namespace };
  return { by: row.by, object: { apiVersion: "v1", kind: "Namer", metadata, ...spec } };
}

/** What tells the two rows of a replication's source apart. */
const sourceType = ({ kind, path }: ReferenceRow): object =>
  path.at(-1) === names.entryFields.replicaSourceName
    ? { [names.entryFields.replicaSourceType]: kind === "Secret" ? "SECRET" : "EDB" }
    : {};

const symptom = referenceSymptom(
  ({ namers }: { facts: Facts; namers: readonly NamingObject[] }) => namers,
);

const held = (kind: string, items: readonly string[]): KubeObject => ({
  ...{ apiVersion: "v1", kind, metadata: { name: "named", namespace } },
  ...(items.length > 0 && { data: Object.fromEntries(items.map((item) => [item, ""])) }),
});

function judge(row: ReferenceRow, value: unknown, objects: readonly KubeObject[] = []) {
  const list: Partial<Record<FactKey, readonly KubeObject[]>> = { [String(row.list)]: objects };
  const base = { referredSecrets: [], serviceAccounts: [] };
  const facts = sceneOf({ ...base, ...(row.list !== undefined && list) });
  const scene = { facts, namers: [withAt(row, value)] };
  return symptom.concerns(scene) ? symptom.judge(scene) : [];
}

const rows = listRows(names).map(
  (row) => [`${row.by} ${row.path.join(".")} (${row.kind})`, row] as const,
);
const judged = rows.filter(([, { list, told }]) => list !== undefined && told === undefined);

test.each(judged)("%s: what does not exist is told, with its severity", (_title, row) => {
  const [found, ...more] = judge(row, "named");
  expect(more).toEqual([]);
  expect(found).toMatchObject({ object: `Namer/${namespace}/one`, severity: row.severity });
  const field = row.path.join(".").replaceAll(`.${each}`, "[0]");
  expect(found?.field).toBe(field);
  expect(found?.cause).toBe(
    `it names ${row.kind} named in ${field} for ${row.says}: it does not exist${row.without === undefined ? "" : `, and ${row.without}`}`,
  );
  expect(found?.fix).toContain(`create ${row.kind}/${namespace}/named`);
});

test.each(judged)("%s: what exists with its items is silent", (_title, row) => {
  expect(judge(row, "named", [held(row.kind, row.items)])).toEqual([]);
});

test.each(judged.filter(([, { items }]) => items.length > 0))(
  "%s: an item that is missing is told",
  (_title, row) => {
    const causes = judge(row, "named", [held(row.kind, row.items.slice(1))]).map(
      ({ cause }) => cause,
    );
    expect(causes).toEqual([
      expect.stringMatching(new RegExp(`it has no item ${row.items[0] ?? ""}$`)),
    ]);
  },
);

test.each(judged)("%s: an empty or absent name names nothing", (_title, row) => {
  expect(["", null, undefined].map((value) => judge(row, value))).toEqual([[], [], []]);
});

test.each(
  judged.flatMap(([title, row]) =>
    hostile
      .filter(([, value]) => typeof value !== "string" && (value ?? undefined) !== undefined)
      .map(([how, value]) => [`${title}: ${how}`, row, value] as const),
  ),
)("%s is no name, and is told", (_title, row, value) => {
  const [found] = judge(row, value);
  expect(found?.cause).toContain("which is no name");
});

test.each(rows.filter(([title]) => !judged.some(([one]) => one === title)))(
  "%s: another check tells it, or it is not looked for",
  (_title, row) => {
    expect(judge(row, "named")).toEqual([]);
  },
);

test("of what is looked for nowhere nothing is said", () => {
  const [row] = listRows(names).filter(({ why }) => why !== undefined);
  if (row === undefined) throw new Error("there is no row");
  const all = listReferences(withAt(row, "named"), names);
  const reference = all.find((one) => one.row === row);
  expect(reference && findLack(sceneOf(), reference)).toBeUndefined();
});

test("what is being deleted is left in peace", () => {
  const [, row] = judged[0] ?? [];
  if (row === undefined) throw new Error("there is no row");
  const { by, object } = withAt(row, "named");
  const metadata = { ...object.metadata, deletionTimestamp: "2026-11-28T12:00:00Z" };
  const namers = [{ by, object: { ...object, metadata } }];
  expect(symptom.concerns({ facts: sceneOf({ referredSecrets: [] }), namers })).toBe(false);
});

test("where the list may not be read, nothing is claimed", () => {
  const facts = { ...sceneOf(), unread: new Map([["referredSecrets" as const, "forbidden"]]) };
  const scene = {
    facts,
    namers: judged
      .filter(([, { list }]) => list === "referredSecrets")
      .map(([, row]) => withAt(row, "named")),
  };
  expect([symptom.concerns(scene), symptom.judge(scene)]).toEqual([true, []]);
});

const spec = (fields: object): object => ({
  apiVersion: "v1",
  kind: "Namer",
  metadata: { name: "ec", namespace: "engine" },
  spec: fields,
});
const anObject = (fields: object): KubeObject => spec(fields) as KubeObject;
const vault = { clusterCredentialSecretType: "vault" };
const login = { databaseSecretName: "login" };

test.each<[string, readonly object[], object, readonly string[]]>([
  ["in Kubernetes", [{}], login, ["login"]],
  ["said outright", [{ clusterCredentialSecretType: "Kubernetes" }], login, ["login"]],
  ["elsewhere", [vault], login, []],
  ["by the EC that it names", [vault], { ...login, engineEnterpriseCluster: { name: "ec" } }, []],
  ["by one of several that it does not name", [{}, vault], login, []],
  ["by an EC that is not there", [vault], { ...login, engineEnterpriseCluster: { name: "x" } }, []],
])("the Secrets of a database whose EC keeps them %s", (_title, ecs, fields, expected) => {
  const facts = sceneOf({ ecs: ecs.map(anObject), edbs: [anObject(fields)], eaadbs: [] });
  expect(listOfDatabases(facts).map(({ name }) => name)).toEqual(expected);
});

test("Secrets are read by names: of databases in their namespaces, of the operator, each once", () => {
  const other = { ...anObject(login), metadata: { name: "x", namespace: "shop" } };
  const far = { ...anObject(login), metadata: { name: "x", namespace: "far" } };
  const operator = {
    ...{ apiVersion: "apps/v1", kind: "Deployment" },
    metadata: { name: names.operator.deployment, namespace: "engine" },
    spec: { template: { spec: { imagePullSecrets: [{ name: "pull" }] } } },
  };
  const cluster = anObject({
    certificates: { proxyCertificateSecretName: "proxy" },
    databaseSecretName: 1,
  });
  const global = anObject({
    globalConfigurations: { ...login, clientAuthenticationCertificates: [5] },
  });
  const facts = sceneOf({
    ecs: [cluster, { ...cluster, metadata: { name: "b", namespace: "far" } }],
    edbs: [anObject(login), other, far],
    eaadbs: [global],
    ercs: [anObject({}), { ...anObject({}), metadata: { name: "y", namespace: "far" } }],
    deployments: [operator, { ...operator, metadata: { name: "another", namespace: "engine" } }],
  });
  const place = { ...facts, places: new Set(["engine", "shop"]) };
  const named = (list: "namedSecrets" | "referredSecrets") =>
    listNamedSecrets(listNamers(place, list), list, facts).map(
      (one) => `${one.namespace}/${one.name}`,
    );
  expect(named("referredSecrets")).toEqual([
    "engine/proxy",
    "engine/login",
    "shop/login",
    "engine/pull",
  ]);
  expect(named("namedSecrets")).toEqual(["engine/ec", "engine/engine-enterprise-ec"]);
  expect(listOfCluster(facts, cluster)).toEqual([{ namespace: "engine", name: "proxy" }]);
});

test.each<[string, object, readonly string[]]>([
  ["a name", { clusterCredentialSecretName: "own" }, ["own"]],
  ["nothing, so that the usual one counts", {}, ["ec"]],
  ["no text, so that the usual one counts", { clusterCredentialSecretName: 5 }, ["ec"]],
])("an EC that gives %s for the credentials of the REST API", (_title, fields, expected) => {
  const found = listReferences({ by: "ec", object: anObject(fields) }, names);
  expect(found.filter(({ row }) => row.use === "credentials").map(({ name }) => name)).toEqual(
    expected,
  );
});

test("a Secret of one use is told as its own object", () => {
  const cluster = anObject({ pullSecrets: [{ name: "pull" }, { name: "there" }] });
  const there = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "there", namespace: "engine" },
  };
  const facts = sceneOf({ ecs: [cluster], namedSecrets: [there] });
  const namers: readonly NamingObject[] = [
    { by: "ec", object: cluster },
    { by: "erc", object: anObject({}) },
  ];
  expect(judgeSecrets(facts, namers, "pull")).toEqual([
    {
      object: "Secret/engine/pull",
      cause:
        "it does not exist; Namer/engine/ec names it in spec.pullSecrets[0].name for the credentials of the image registry",
    },
  ]);
  expect(judgeSecrets(facts, namers, "credentials")).toHaveLength(1);
});
