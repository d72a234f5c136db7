/** A module archive: a zip with a manifest (S54, S95; domain facts 7, 9). */
import { strFromU8, unzipSync } from "fflate";
import type { Names } from "../../domain/names";
import { isObject, list, own, text } from "../../domain/values";
import { compareDotted, parseEngineVersion } from "../../domain/versions";
import type { StoredModule } from "./model";
import { ApiRefusal, malformed } from "./refusal";
import type { ClusterStore } from "./store";

const longestManifest = 1024 * 1024;
/** What a module may say that it can do. */
export const knownCapabilities: readonly string[] = [
  ...["types", "crdb", "clustering", "failover_migrate", "persistence_aof", "persistence_rdb"],
  ...["backup_restore", "reshard_rebalance", "eviction_expiry", "ipv6", "hash_policy", "flash"],
];

/** What a manifest says; what the cluster gives a module is not in it. */
export interface Manifest extends Omit<StoredModule, "uid" | "isBundled"> {
  /** The oldest release of the cluster that it runs on. */
  readonly minPackVersion?: string;
}

/** The manifest of an archive; 400 when it is none. */
export function readArchive(bytes: Uint8Array, names: Names): Manifest {
  return readManifest(parsedManifest(bytes, names), names);
}

function parsedManifest(bytes: Uint8Array, names: Names): unknown {
  const { invalidModule } = names.restErrors;
  const manifestFile = names.restModuleFields.manifest;
  try {
    const found = unzipSync(bytes, {
      filter: ({ name, originalSize }) => name === manifestFile && originalSize <= longestManifest,
    });
    const file = found[manifestFile];
    if (file !== undefined) return JSON.parse(strFromU8(file));
  } catch {
    throw malformed([`the file is no zip archive with a readable ${manifestFile}`], invalidModule);
  }
  throw malformed([`the archive holds no ${manifestFile}`], invalidModule);
}

/** The manifest as it was sent, from an archive or as the body of a definition. */
export function readManifest(value: unknown, names: Names): Manifest {
  const fields = names.restModuleFields;
  const problems = isObject(value) ? manifestProblems(value, names) : ["it is no object"];
  if (problems.length > 0) {
    throw malformed(
      problems.map((one) => `the manifest: ${one}`),
      names.restErrors.invalidModule,
    );
  }
  const word = (field: string) => text(own(value, field));
  const name = word(fields.name) ?? "";
  const optional = {
    minEngineVersion: word(fields.minEngineVersion),
    compatibleEngineVersion: word(fields.compatibleEngineVersion),
    minPackVersion: word(fields.minPackVersion),
    platforms: platformsOf(own(value, fields.platforms)),
    capabilities: wordsOf(own(value, fields.capabilities)),
  };
  return {
    name,
    displayName: word(fields.displayName) ?? name,
    version: word(fields.version) ?? "",
    ...(Object.fromEntries(
      Object.entries(optional).filter(([, given]) => given !== undefined),
    ) as Partial<Manifest>),
  };
}

const dotted = /^\d{1,9}(\.\d{1,9}){1,3}(-\d{1,9})?$/;

function manifestProblems(value: object, names: Names): readonly string[] {
  const fields = names.restModuleFields;
  const isText = (one: unknown) => text(one) !== undefined;
  const isDotted = (one: unknown) => typeof one === "string" && dotted.test(one);
  const isEngine = (one: unknown) => parseEngineVersion(one) !== undefined;
  const isList = (one: unknown) => wordsOf(one) !== undefined;
  const rules: readonly (readonly [
    field: string,
    fits: (one: unknown) => boolean,
    needed?: true,
  ])[] = [
    [fields.name, isText, true],
    [fields.version, isDotted, true],
    [fields.displayName, isText],
    [fields.minEngineVersion, isEngine],
    [fields.compatibleEngineVersion, isEngine],
    [fields.minPackVersion, isDotted],
    [fields.platforms, (one) => platformsOf(one) !== undefined],
    [fields.capabilities, isList],
  ];
  return rules.flatMap(([field, fits, needed]) => {
    const given = own(value, field);
    if (given === undefined) return needed === true ? [`${field} is missing`] : [];
    return fits(given) ? [] : [`${field} is not usable`];
  });
}

function platformsOf(value: unknown): readonly string[] | undefined {
  return isObject(value) ? Object.keys(value) : wordsOf(value);
}

function wordsOf(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const words = list(value).flatMap((one) => text(one) ?? []);
  return words.length === value.length ? words : undefined;
}

/** Refuses what this cluster cannot take; the codes are those of the field (domain facts 9). */
export function judgeManifest(manifest: Manifest, store: ClusterStore, names: Names): void {
  const { restErrors: codes } = names;
  const { name, version, platforms, capabilities = [], minPackVersion } = manifest;
  const label = `${name} ${version}`;
  if (isInstalled(manifest, store)) throw malformed([`${label} is installed`], codes.moduleExists);
  if (minPackVersion !== undefined && compareDotted(minPackVersion, store.softwareVersion) > 0) {
    throw malformed([`${label} needs release ${minPackVersion}`], codes.minimumPack);
  }
  if (platforms !== undefined && !platforms.includes(store.platform)) {
    throw malformed([`${label} is not built for ${store.platform}`], codes.osNotSupported);
  }
  const unknown = capabilities.filter((one) => !knownCapabilities.includes(one));
  if (unknown.length > 0) {
    const message = `${label} asks for unknown capabilities: ${unknown.join(", ")}`;
    throw new ApiRefusal(406, codes.moduleCapabilities, message);
  }
}

/** A build for another engine version is another one. */
function isInstalled(manifest: Manifest, { modules }: ClusterStore): boolean {
  return [...modules.values()].some(
    ({ name, version, compatibleEngineVersion }) =>
      name === manifest.name &&
      version === manifest.version &&
      compatibleEngineVersion === manifest.compatibleEngineVersion,
  );
}
