/** The example's resources of the product: a cluster, databases, an active-active database. */
import { defaultNames, type Names } from "../domain/names";
import type { KubeObject } from "../domain/objects";
import { rebrand } from "../domain/rebrand";
import type { ExamplePlaces } from "./example-places";

/** What a cluster of this release bundles (domain facts 7). */
const bundled = ["6.2", "7.2", "7.4"];

/** The EC in the operator's namespace and the databases that live in it. */
export function exampleProduct(names: Names, places: ExamplePlaces): readonly KubeObject[] {
  // written in the specification's words, since the names of fields within lists differ too
  const { olmCluster } = names.operator;
  const operator = { ...defaultNames.operator, olmCluster };
  const written = { ...defaultNames, operator, bundledModules: names.bundledModules };
  return objectsOf(written, places).map((object) => rebrand(object, names) as KubeObject);
}

function objectsOf(names: Names, places: ExamplePlaces): readonly KubeObject[] {
  const [shop, reports] = places.consumers;
  const [module = ""] = names.bundledModules;
  return [
    exampleCluster(names, places.operator),
    database(names, { namespace: places.operator, name: "config", version: "7.2", uid: 1 }),
    database(names, {
      namespace: shop,
      name: "orders",
      version: "7.4",
      uid: 2,
      modules: [module],
    }),
    database(names, { namespace: shop, name: "sessions", version: "7.2", uid: 3 }),
    database(names, { namespace: reports, name: "totals", version: "7.4", uid: 4 }),
    activeActive(names, places.operator),
    instance(names, { namespace: places.operator, name: "carts-db", version: "7.4", uid: 5 }),
  ];
}

function exampleCluster(names: Names, namespace: string): KubeObject {
  const status = [
    at(
      names.fields.bundledDatabaseVersions,
      bundled.map((version) => ({ dbType: names.engineDbType, version })),
    ),
    at(
      names.fields.statusModules,
      names.bundledModules.slice(0, 2).map((name) => ({ name, versions: ["8.2.0"] })),
    ),
    at(names.ecFields.licenseState, "Valid"),
  ];
  return {
    apiVersion: `${names.group}/${names.ecVersion}`,
    kind: names.ec.kind,
    metadata: { name: names.operator.olmCluster, namespace, generation: 1 },
    spec: {
      nodes: 3,
      engineEnterpriseImageSpec: {
        repository: names.images.cluster,
        versionTag: "7.8.2-34",
        imagePullPolicy: "IfNotPresent",
      },
    },
    status: merged([
      { state: "Running", specStatus: "Valid" },
      ...status.map((part) => part["status"] as object),
    ]),
  };
}

interface Database {
  readonly namespace: string;
  readonly name: string;
  readonly version: string;
  readonly uid: number;
  readonly modules?: readonly string[];
}

function database(
  names: Names,
  { namespace, name, version, uid, modules = [] }: Database,
): KubeObject {
  const { fields } = names;
  const moduleList = fields.moduleLists.at(-1) ?? "";
  return {
    apiVersion: `${names.group}/${names.version}`,
    kind: names.edb.kind,
    metadata: { name, namespace, generation: 1 },
    spec: merged([
      { memorySize: "1GB" },
      at(fields.clusterReference, names.operator.olmCluster)["spec"] as object,
      at(fields.engineVersion, version)["spec"] as object,
      modules.length === 0 ? {} : { [moduleList]: modules.map((module) => ({ name: module })) },
    ]),
    status: {
      databaseUID: String(uid),
      status: "active",
      specStatus: "Valid",
      observedGeneration: 1,
      ...(at(fields.statusVersion, `${version}.0`)["status"] as object),
    },
  };
}

function activeActive(names: Names, namespace: string): KubeObject {
  const [, global = ""] = names.fields.globalConfigurations;
  const [, version = ""] = names.fields.engineVersion;
  return {
    apiVersion: `${names.group}/${names.version}`,
    kind: names.eaadb.kind,
    metadata: { name: "carts", namespace, generation: 1 },
    spec: {
      participatingClusters: [{ name: "here" }, { name: "there" }],
      [global]: { memorySize: "1GB", [version]: "7.4" },
    },
    status: {
      status: "active",
      specStatus: "Valid",
      replicationStatus: "up",
      linkedEdbs: ["carts-db"],
    },
  };
}

/** The database by which the active-active one takes part here. */
function instance(names: Names, wanted: Database): KubeObject {
  const object = database(names, wanted);
  return {
    ...object,
    status: { ...(object["status"] as object), activeActive: { name: "carts" } },
  };
}

/** An object with one value, at a path of field names. */
function at(path: readonly string[], value: unknown): Readonly<Record<string, unknown>> {
  const [first = "", ...rest] = path;
  return { [first]: rest.length === 0 ? value : at(rest, value) };
}

function merged(parts: readonly object[]): object {
  return Object.assign({}, ...parts) as object;
}
