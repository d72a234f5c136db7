/** What keeps an EC upgrade from starting, and what freezes it (S113–S114, S121–S125; domain facts 7, 10, 11). */
import { withInstalled } from "../../domain/api/modules";
import { projectCluster } from "../../domain/clusters";
import { moduleStanding } from "../../domain/module-standing";
import { servedPaths } from "../../domain/served-fields";
import { leadingEngineVersion, parseReleaseTag } from "../../domain/versions";
import { at, list, own, text } from "../../domain/values";
import type { KubeObject } from "../../run/ports";
import { isAtLeast, isSameRelease, releaseOf } from "./releases";
import type { Scene } from "./scene";

/** The prerequisites hold for this operator release and later ones (S121). */
const judgedFrom = "7.8.2-6";

/** Why an upgrade does not come about; `freezes`: it has begun, and stands still. */
export interface Hindrance {
  readonly is: "invalid" | "freezes";
  readonly why: string;
}

/** What is asked of an EC, and by which operator. */
export interface Asked {
  readonly ec: KubeObject;
  readonly operator: string;
  readonly wanted: string;
}

/** True where either spelling of the field is true in the stored object (S13, S51). */
export function isAutomatic(ec: KubeObject, { names }: Pick<Scene, "names">): boolean {
  const { autoUpgrade, autoUpgradeDirect } = names.ecFields;
  return [autoUpgrade, autoUpgradeDirect].some((path) => at(ec, path) === true);
}

/** Pinned images, where the upgrade is automatic: InvalidUpgrade whether or not one is due. */
export function pinnedBecause(ec: KubeObject, scene: Scene): string | undefined {
  if (!isAutomatic(ec, scene)) return undefined;
  const { digestHash, bootstrapperImage, riggerImage, meterImage } = scene.names.ecFields;
  const key = digestHash.at(-1) ?? "";
  const specs = [digestHash.slice(0, -1), bootstrapperImage, riggerImage, meterImage];
  const pinned = specs.filter((path) => text(at(ec, [...path, key])) !== undefined);
  if (pinned.length === 0) return undefined;
  const fields = pinned.map((path) => [...path, key].join(".")).join(", ");
  return `automatic upgrade is on while images are pinned by digest: ${fields}`;
}

/** What hinders the upgrade that is asked for. */
export function hindranceOf(scene: Scene, asked: Asked): Hindrance | undefined {
  const impossible =
    pinnedBecause(asked.ec, scene) ?? licenseBecause(asked.ec, scene) ?? tagBecause(scene, asked);
  if (impossible !== undefined) return { is: "invalid", why: impossible };
  if (!isAtLeast(asked.operator, judgedFrom)) return undefined;
  const frozen = databaseBecause(scene, asked.ec) ?? moduleBecause(scene, asked.ec);
  return frozen === undefined ? undefined : { is: "freezes", why: frozen };
}

function licenseBecause(ec: KubeObject, { names }: Scene): string | undefined {
  const state = text(at(ec, names.ecFields.licenseState));
  if (state === undefined || state.toLowerCase() === "valid") return undefined;
  return `the license is not valid: its state is ${state}`;
}

/** An operator release manages one cluster release. */
function tagBecause(scene: Scene, { operator, wanted }: Asked): string | undefined {
  const release = releaseOf(scene.releases, operator);
  if (parseReleaseTag(wanted) === undefined) return `the version tag ${wanted} is none`;
  if (release === undefined || isSameRelease(release, wanted)) return undefined;
  return `this operator manages ${release}, not ${wanted}`;
}

/** Databases of an EC, by their reference; one without a reference belongs to the only EC. */
export function databasesOf(
  { names, ecs, edbs }: Pick<Scene, "names" | "ecs" | "edbs">,
  ec: KubeObject,
): readonly KubeObject[] {
  return edbs.filter((edb) => {
    const named = text(at(edb, names.fields.clusterReference));
    return named === undefined ? ecs.length === 1 : named === ec.metadata.name;
  });
}

/** The version that runs decides: a database that was raised over REST is raised. */
function databaseBecause(scene: Scene, ec: KubeObject): string | undefined {
  const { engineVersion, statusVersion } = scene.names.fields;
  for (const edb of databasesOf(scene, ec)) {
    const told = scene.rest?.find(edb)?.version ?? at(edb, statusVersion);
    const version = leadingEngineVersion(told) ?? leadingEngineVersion(at(edb, engineVersion));
    if (version === undefined) continue;
    const { major, minor } = version;
    if (major < 7 || (major === 7 && minor < 2)) {
      return `database ${nameOf(edb)} runs the incompatible version ${major}.${minor}`;
    }
  }
  return undefined;
}

function moduleBecause(scene: Scene, ec: KubeObject): string | undefined {
  const isSupported = supportedBy(scene, ec);
  for (const edb of databasesOf(scene, ec)) {
    const unsupported = modulesOf(scene, edb).find((name) => !isSupported(name));
    if (unsupported !== undefined) {
      return `database ${nameOf(edb)} uses the unsupported module ${unsupported}`;
    }
  }
  return undefined;
}

/** Names of modules that a database lists, in every spelling of the list. */
export function modulesOf({ names }: Scene, edb: KubeObject): readonly string[] {
  const entries = names.fields.moduleLists.flatMap((key) => list(at(edb, ["spec", key])));
  return entries.flatMap((entry) => text(own(entry, names.entryFields.moduleName)) ?? []);
}

/**
 * Which modules an EC supports: bundled and defined ones; one that is merely installed counts only where the
 * definition has no place to define it, or where nothing is upgraded (S56, S113, S124; C9). What came over REST
 * counts as installed.
 */
export function supportedBy(
  { names, rest, definition }: Scene,
  ec: KubeObject,
  upgrades = true,
): (module: string) => boolean {
  const projected = projectCluster(ec, names);
  const cluster = projected && withInstalled(projected, rest?.modules ?? []);
  const places = servedPaths(definition, names.ecVersion, [names.fields.userDefinedModules]);
  const isLenient = !upgrades || places?.length === 0;
  const enough = ["bundled", "defined", ...(isLenient ? ["installed"] : [])];
  return (name) => enough.includes(moduleStanding(name, cluster, names));
}

function nameOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}
