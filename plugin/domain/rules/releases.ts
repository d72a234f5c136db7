/** Which engine versions are valid for an EC, and which of them are major releases (C1, C4). */
import type { Names } from "../names";
import type { EngineVersion } from "../versions";
import { compareEngineVersions, parseEngineVersion } from "../versions";
import type { ClusterFacts, ClusterLookup, RuleOptions } from "./types";

/** A valid engine version. */
export interface Release {
  readonly text: string;
  readonly version: EngineVersion;
}

/** The valid releases, oldest first, and how to tell the major ones. */
export interface Releases {
  readonly valid: readonly Release[];
  /** They as they are written. */
  readonly texts: ReadonlySet<string>;
  /** The EC that publishes them, undefined for the specification's own (C1). */
  readonly publisher: ClusterFacts | undefined;
  /** True for a release that policy `major` may be raised onto (C4). */
  readonly isMajor: (release: Release) => boolean;
}

/** Made once for each EC as it was read, and for none: every rule of every review asks for them. */
const known = new WeakMap<
  ClusterFacts | Names,
  { readonly names: Names; readonly releases: Releases }
>();

/** The EC's published versions, else the specification's four (C1); majors by flag or by line (C4). */
export function releasesOf(lookup: ClusterLookup, names: Names): Releases {
  const cluster = lookup.is === "found" ? lookup.cluster : undefined;
  const found = known.get(cluster ?? names);
  if (found?.names === names) return found.releases;
  const releases = read(cluster, names);
  known.set(cluster ?? names, { names, releases });
  return releases;
}

/** True where the channel of the newest release may be asked for: by the option, else by the EC's policy (C2). */
export function allowsLatest(
  lookup: ClusterLookup,
  { allowLatest, names }: Pick<RuleOptions, "allowLatest" | "names">,
): boolean {
  const isPolicy = lookup.is === "found" && lookup.cluster.policy === names.latestChannel;
  return allowLatest ?? isPolicy;
}

function read(cluster: ClusterFacts | undefined, names: Names): Releases {
  const bundled = cluster?.versions ?? [];
  const own = parseAll(bundled.map(({ version }) => version));
  const valid = own.length > 0 ? own : parseAll(names.engineVersions);
  const flagged = new Set(bundled.filter(({ major }) => major).map(({ version }) => version));
  return {
    valid,
    texts: new Set(valid.map(({ text }) => text)),
    publisher: own.length > 0 ? cluster : undefined,
    isMajor: (release) =>
      flagged.size > 0 ? flagged.has(release.text) : isLowestOfLine(release, valid),
  };
}

function isLowestOfLine({ version }: Release, valid: readonly Release[]): boolean {
  return !valid.some(
    (other) => other.version.major === version.major && other.version.minor < version.minor,
  );
}

function parseAll(texts: readonly string[]): readonly Release[] {
  return texts
    .flatMap((text) => {
      const version = parseEngineVersion(text);
      return version === undefined ? [] : [{ text, version }];
    })
    .sort((left, right) => compareEngineVersions(left.version, right.version));
}
