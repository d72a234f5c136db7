/** What is asked of a database: a version, which may be a channel's, and modules (S61–S67; domain facts 7). */
import type { Names } from "../../domain/names";
import { fieldsOf } from "../../domain/rules/fields";
import {
  compareEngineVersions,
  type EngineVersion,
  formatEngineVersion,
  leadingEngineVersion,
  parseEngineVersion,
} from "../../domain/versions";
import { at, list, own } from "../../domain/values";
import type { KubeObject } from "../../run/ports";
import { modulesOf, supportedBy } from "./prerequisites";
import type { Scene } from "./scene";

/** A database's wish, judged by its EC. */
export interface Wish {
  /** Undefined where the spec asks for none. */
  readonly version: EngineVersion | undefined;
  /** What a database without a version gets. */
  readonly newest: EngineVersion | undefined;
  /** Why the operator does not take it. */
  readonly refused: string | undefined;
}

/** Reads the wish; an instance of an active-active database has that one's. */
export function wishOf(scene: Scene, ec: KubeObject, edb: KubeObject): Wish {
  const bundled = bundledOf(scene, ec);
  const version = versionFor(scene, wantedOf(scene, edb), bundled);
  const listed = modulesOf(scene, edb);
  const isSupported =
    listed.length === 0 ? undefined : supportedBy(scene, ec, isRaised(scene, edb, version));
  const module = listed.find((name) => isSupported?.(name) === false);
  const isBundled = version === undefined || bundled.some((one) => isSame(one, version));
  const refused = [
    ...(isBundled ? [] : [`version ${formatEngineVersion(version)} is not bundled`]),
    ...(module === undefined ? [] : [`module ${module} is not supported`]),
  ].at(0);
  return { version, newest: bundled.at(-1), refused };
}

function isRaised({ rest, names }: Scene, edb: KubeObject, version: Wish["version"]): boolean {
  const told = rest?.find(edb)?.version ?? at(edb, names.fields.statusVersion);
  const runs = leadingEngineVersion(told);
  return runs === undefined || (version !== undefined && compareEngineVersions(runs, version) < 0);
}

function wantedOf({ names, eaadbs }: Scene, edb: KubeObject): unknown {
  const name = edb.metadata.name ?? "";
  const owner = eaadbs.find((one) => list(at(one, names.eaadbFields.linkedEdbs)).includes(name));
  return owner === undefined ? at(edb, names.fields.engineVersion) : askedOf(names, owner);
}

/** What an active-active database asks for, in either of its places (S61; domain facts 7). */
export function askedOf(names: Names, eaadb: KubeObject): unknown {
  const { engineVersions } = fieldsOf("eaadb", names);
  return engineVersions.map((path) => at(eaadb, path)).find((value) => (value ?? null) !== null);
}

function bundledOf({ names }: Scene, ec: KubeObject): readonly EngineVersion[] {
  const { bundledType, bundledVersion } = names.entryFields;
  return list(at(ec, names.fields.bundledDatabaseVersions))
    .filter((entry) => own(entry, bundledType) === names.engineDbType)
    .flatMap((entry) => leadingEngineVersion(own(entry, bundledVersion)) ?? [])
    .toSorted(compareEngineVersions);
}

/** A channel means the newest version, of those that begin a major line for the major one (C4). */
function versionFor(
  { names }: Scene,
  wanted: unknown,
  bundled: readonly EngineVersion[],
): EngineVersion | undefined {
  if (wanted === names.latestChannel) return bundled.at(-1);
  if (wanted !== names.majorChannel) return parseEngineVersion(wanted);
  return bundled.findLast((one, index) => one.major !== bundled[index - 1]?.major);
}

function isSame(one: EngineVersion, other: EngineVersion): boolean {
  return compareEngineVersions(one, other) === 0;
}
