/** A frozen upgrade in memory: an operator at play, its REST service, and recoveries that are run on it. */
import { parseModule } from "../../../../plugin/domain/rest-api/modules";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { getPath } from "../../../../plugin/domain/base/values";
import type { ClusterApi } from "../../../../plugin/ports/rest-api";
import type { ModuleFile } from "../../../../plugin/commands/modules/install";
import type { RecoverDeps, RecoverOptions } from "../../../../plugin/commands/recover/read";
import { recover, type Recovery } from "../../../../plugin/commands/recover/recover";
import { anApiClient } from "../../../support/cluster-api-client";
import { aModuleArchive, type PlayedWish } from "../../../support/played-cluster-api";
import { here, product } from "../../../support/played-operator";
import { aServedWorld, type ServedWorld } from "../../../support/served-world";
import { anyWish, aWitness, portsOf, type Witness, watched } from "../world";
import { exampleOnce } from "../../../support/world";

export { anyWish, codesOf, stepsOf } from "../world";

export const namespace = "engine";
export const ecRef = here(product.ec, "ec");
export const ecLabel = `EngineEnterpriseCluster/${namespace}/ec`;
export const oldRef = here(product.edb, "sessions", "shop");
export const oldLabel = "EngineEnterpriseDatabase/shop/sessions";
const target = "8.0.2-17";

/** What keeps the upgrade from in progress. */
export interface FrozenWish {
  /** Version of the database `sessions`, number 3. */
  readonly version?: string;
  /** Modules in its list. */
  readonly modules?: readonly object[];
  /** The database that lists them, "sessions" unless it is said. */
  readonly usedBy?: "orders";
  /** Fields of the EC's spec. */
  readonly ec?: object;
  readonly license?: string;
  readonly edb?: object;
  readonly api?: PlayedWish;
  /** The definition of the EC has a place for user-defined modules. */
  readonly defines?: true;
  /** False: nothing is asked of the EC. */
  readonly asked?: boolean;
}

/** Short ones: fewer looks, the same facts. */
const times = {
  ...{ reactMs: 500, staleRunningMs: 2_500, podStartMs: 1_000, podReadyMs: 1_500 },
  drainMs: 1_000,
};

export interface Scene extends ServedWorld, Witness {
  readonly client: () => Promise<ClusterApi>;
  readonly run: (
    options?: Partial<RecoverOptions>,
    deps?: Partial<RecoverDeps>,
  ) => Promise<Recovery>;
}

/** The operator is upgraded, the EC is asked for its release, and is stalled. */
export async function aFrozenScene(wish: FrozenWish = {}): Promise<Scene> {
  const upgraded = await (upgradedObjects ??= readUpgraded());
  const world = await aServedWorld({
    objects: upgraded
      .map((object) => changed(object, wish))
      .map((object) => (wish.defines === true ? object : older(object))),
    play: { times },
    ...(wish.api !== undefined && { api: wish.api }),
  });
  await world.settle();
  if (wish.asked !== false) {
    const spec = { engineEnterpriseImageSpec: { versionTag: target }, ...wish.ec };
    await world.cluster.patch(ecRef, { spec }, { type: "merge", fieldManager: "kubectl-edit" });
    await world.settle();
  }
  return sceneOf(world);
}

let upgradedObjects: Promise<readonly KubeObject[]> | undefined;

async function readUpgraded(): Promise<readonly KubeObject[]> {
  const source = await exampleOnce();
  const image = names.images.operator;
  return JSON.parse(
    JSON.stringify(source.objects).replaceAll(`${image}:7.8.2-6`, `${image}:8.0.2-2`),
  ) as readonly KubeObject[];
}

/** The operator is one before 8.0.6-8: its definition has no place for user-defined modules (domain facts 7). */
function older(object: KubeObject): KubeObject {
  if (object.metadata.name !== `${names.ec.plural}.${names.group}`) return object;
  const whole = JSON.stringify(object);
  const without = JSON.parse(whole, (key, value: unknown) =>
    key === names.fields.userDefinedModules.at(-1) ? undefined : value,
  ) as KubeObject;
  return without;
}

function changed(object: KubeObject, wish: FrozenWish): KubeObject {
  const status = object["status"] as object;
  if (object.kind === names.ec.kind && wish.license !== undefined) {
    return { ...object, status: { ...status, licenseStatus: { licenseState: wish.license } } };
  }
  if (object.kind !== names.edb.kind) return object;
  const { version = "7.2", modules, usedBy = "sessions" } = wish;
  const uses = object.metadata.name === usedBy && modules !== undefined;
  const listing = { ...(object["spec"] as object), ...(uses && { modulesList: modules }) };
  if (object.metadata.name !== "sessions") return { ...object, spec: listing };
  const spec = {
    ...listing,
    ...{ replication: true, engineVersion: version },
    ...wish.edb,
  };
  return { ...object, spec, status: { ...status, version: `${version}.0` } };
}

function sceneOf(world: ServedWorld): Scene {
  const { api, clock, controlPlane } = world;
  const scene: Scene = {
    ...world,
    ...aWitness(),
    client: () =>
      anApiClient({
        url: api.url,
        caPem: api.caPem,
        username: api.admin.name,
        password: api.admin.password,
        clock,
      }),
    run: (options = {}, deps = {}) => {
      const user = { name: "admin", groups: ["system:masters"] };
      const cluster = Object.assign(watched(controlPlane.connect({ user, namespace }), scene), {
        logs: () => Promise.resolve(scene.play.log.join("\n")),
      });
      return recover(
        {
          ...portsOf(scene, { kind: "Recover", cluster, clock, file: () => "old.json" }),
          api: { wish: anyWish, connect: scene.client },
          ...deps,
        },
        {
          ...{
            namespace,
            name: "ec",
            apply: true,
            dropDigests: false,
            mayDiscardData: false,
            wait: false,
          },
          stallAfterMs: 600_000,
          dryRun: "none",
          fieldManager: names.fieldManager,
          ...options,
        },
      );
    },
  };
  return scene;
}

/** An archive with a build of the module that no cluster bundles. */
export function aModuleFile(manifest: Readonly<Record<string, string>> = {}): ModuleFile {
  const whole = {
    ...{ module_name: "rg", display_name: "EngineGears", semantic_version: "2.0.0" },
    ...manifest,
  };
  const module = parseModule(whole, names);
  if (module === undefined) throw new Error("the manifest names no module");
  return { name: "rg.zip", bytes: aModuleArchive(whole), module };
}

/** The database as REST and its resource have it, and the state of the EC. */
export async function stateOf({ cluster, api }: Scene) {
  const [ec, edb] = [await cluster.get(ecRef), await cluster.get(oldRef)];
  return {
    state: getPath(ec, names.ecFields.state),
    asks: getPath(edb, names.fields.engineVersion),
    runs: api.store.bdbs.get(3)?.version,
    specStatus: getPath(edb, names.edbFields.specStatus),
    observed: getPath(edb, names.edbFields.observedGeneration) === edb?.metadata.generation,
  };
}
