/** The module commands as a person types them: a cluster in memory, and its REST API played. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import type { User } from "../../../../plugin/simulator/model";
import { aCaFile, anApiSecret } from "../../../support/cluster-api-client";
import { ManualClock } from "../../../support/manual-clock";
import {
  aClusterApi,
  aModuleArchive,
  type ClusterApiForTest,
  type PlayedWish,
} from "../../../support/played-cluster-api";
import { type Ended, type Scene, typed } from "../../../support/program-world";
import { admin, exampleOnce, makeWorld } from "../../../support/world";
import { aFolder } from "../../../support/a-folder";

/** What differs from an EC that defines nothing. */
export interface ModulesWish extends PlayedWish {
  /** Names in the EC's list of modules. */
  readonly defined?: readonly string[];
  /** Since when the EC is being deleted. */
  readonly deletedAt?: string;
  /** The object that is being deleted since then, as KIND/NAME; absent: the EC. */
  readonly deleted?: string;
  readonly user?: User;
  /** Of the Secret; else the administrator's. */
  readonly password?: string;
  readonly more?: readonly KubeObject[];
}

/** The scene: commands are typed in it, the played API is looked at afterwards. */
export interface ModulesScene {
  readonly played: ClusterApiForTest;
  readonly clock: ManualClock;
  /** Arguments that lead to the played API. */
  readonly reach: readonly string[];
  type(argv: readonly string[], scene?: Scene): Promise<Ended>;
  /** Types with the address and the CA. */
  ask(argv: readonly string[], scene?: Scene): Promise<Ended>;
  /** What was asked of the API, in order. */
  calls(): readonly string[];
  /** A file with an archive. */
  archive(manifest?: object): string;
}

const open: { close(): unknown }[] = [];

/** Closes what the scenes have opened. */
export async function closeScenes(): Promise<void> {
  for (const each of open.splice(0).reverse()) await each.close();
}

/** The manifest of tests: a user-defined module. */
export const gears = {
  module_name: "rg",
  display_name: "EngineGears",
  semantic_version: "1.2.5",
  compatible_engine_version: "7.2",
};

/** Opens a scene; `closeScenes` ends it. */
export async function modulesScene(wish: ModulesWish = {}): Promise<ModulesScene> {
  const clock = new ManualClock();
  const played = await aClusterApi({ clock, ...wish });
  const home = aFolder("modules");
  open.push(played, {
    close: () => {
      rmSync(home, { recursive: true });
    },
  });
  const { objects } = await exampleOnce();
  const secret = anApiSecret(played.admin.name, wish.password ?? played.admin.password);
  const plane = makeWorld({
    objects: [...objects.map((object) => defining(object, wish)), secret, ...(wish.more ?? [])],
  }).controlPlane;
  const reach = [`--api-url=${played.url}`, `--api-ca=${aCaFile(played.caPem)}`];
  const type = (argv: readonly string[], scene: Scene = {}) =>
    typed(argv, {
      clock,
      env: { ENGINE_HOME: home },
      connect: () =>
        Promise.resolve(plane.connect({ user: wish.user ?? admin, namespace: "engine" })),
      ...scene,
    });
  return {
    played,
    clock,
    reach,
    type,
    ask: (argv, scene) => type([...argv, ...reach], scene),
    calls: () => played.calls.map(({ method, path }) => `${method} ${path}`),
    archive: (manifest = gears) => {
      const file = join(mkdtempSync(join(home, "archive-")), "rg.zip");
      writeFileSync(file, aModuleArchive({ ...manifest }));
      return file;
    },
  };
}

function defining(object: KubeObject, wish: ModulesWish): KubeObject {
  const { defined = [], deletedAt, deleted = names.ec.kind } = wish;
  const goes = [object.kind, `${object.kind}/${object.metadata.name ?? ""}`].includes(deleted);
  const url = "https://modules.example/rg.zip";
  const [parent = "", field = ""] = names.fields.userDefinedModules;
  const list = defined.map((name) => ({ name, source: { https: { url } } }));
  const held = goes &&
    deletedAt !== undefined && {
      deletionTimestamp: deletedAt,
      finalizers: ["example.com/hold"],
    };
  const metadata = { ...object.metadata, ...held };
  if (object.kind !== names.ec.kind) return { ...object, metadata };
  return { ...object, metadata, [parent]: { ...(object[parent] as object), [field]: list } };
}

/** What varies from run to run, taken out. */
export function masked({ out }: Ended): string {
  return out.replaceAll(/127\.0\.0\.1:\d+|localhost:\d+/g, "127.0.0.1:PORT");
}
