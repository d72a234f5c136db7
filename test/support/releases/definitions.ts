/** The four definitions as a release ships them, made from those of the repository. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import type { KubeObject } from "../../../plugin/domain/kube/objects";
import { releaseShapes, type ReleaseVersion } from "./versions";

interface Definition extends KubeObject {
  readonly spec: { readonly versions: Version[] };
}

interface Version {
  readonly name: string;
  storage: boolean;
  additionalPrinterColumns?: { name: string; type: string; jsonPath: string }[];
  schema: { openAPIV3Schema: Schema };
}

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
}

const folder = join(__dirname, "../../../manifests/crds");

/** Definitions of the EDB, EAADB, EC and ERC, in the order of the bundle. */
export function definitionsOf(version: ReleaseVersion): readonly KubeObject[] {
  return [
    clusterDefinition(version),
    read("engine_enterprise_database.yaml"),
    read("engine_enterprise_active_active_database.yaml"),
    read("engine_enterprise_remote_cluster.yaml"),
  ];
}

/** A new copy with each call, free of anchors. */
function read(file: string): Definition {
  const loaded = load(readFileSync(join(folder, file), "utf8"));
  return JSON.parse(JSON.stringify(loaded)) as Definition;
}

/** User modules came with 8.0.6-8, featureSupport with 8.0.18: none of these releases has them. */
function clusterDefinition(version: ReleaseVersion): KubeObject {
  const { storedVersion, unprivileged } = releaseShapes[version];
  const definition = read("engine_enterprise_cluster.yaml");
  for (const served of definition.spec.versions) {
    served.storage = served.name === storedVersion;
    const root = served.schema.openAPIV3Schema;
    remove(root.properties?.["spec"], "userDefinedModules");
    remove(
      root.properties?.["status"]?.properties?.["bundledDatabaseVersions"]?.items,
      "featureSupport",
    );
    if (unprivileged) shardsAsText(served);
  }
  return definition;
}

function remove(schema: Schema | undefined, property: string): void {
  if (schema?.properties?.[property] === undefined) throw new Error(`no ${property} to remove`);
  schema.properties = Object.fromEntries(
    Object.entries(schema.properties).filter(([name]) => name !== property),
  );
}

/** From 7.22.0 on the listing has Shards where S57 has Shards Limit. */
function shardsAsText({ additionalPrinterColumns = [] }: Version): void {
  for (const column of additionalPrinterColumns) {
    if (column.name === "Shards Limit") column.name = "Shards";
  }
}
