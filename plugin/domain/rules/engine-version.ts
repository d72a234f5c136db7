/** R1: the engine version is a supported one, written as a string (S61, S126; C1, C2). */
import type { Names } from "../names/names";
import {
  compareEngineVersions,
  type EngineVersion,
  formatEngineVersion,
  parseLeadingEngineVersion,
  parseEngineVersion,
} from "../base/versions";
import {
  type Case,
  type Cause,
  type ClusterFacts,
  type ClusterLookup,
  joinVerdicts,
  pass,
  type Rule,
  type RuleOptions,
  type SubjectShape,
  type SubjectVersion,
  type Verdict,
} from "./types";
import { quote, quoteAll, showCluster, wrongType } from "./wording";

/**
 * R1, on create and change: engineVersion is in the valid set (C1, C2). What holds it has to be an
 * object, and the EC has to be named by a text: both decide where it is looked for and in which set.
 */
export const engineVersionRule: Rule = {
  id: "R1",
  setting: "version",
  source: "S61, S126, C1, C2",
  judge: (facts) => {
    const { shapes, versions } = facts.subject;
    return joinVerdicts([
      ...shapes.map(judgeShape),
      ...versions.map((each) => judgeVersion(each, facts)),
    ]);
  },
};

function judgeShape({ field, value, wanted, rule }: SubjectShape): Verdict {
  const cause = { rule, field, ...wrongType(value, wanted) };
  return { causes: [cause], warnings: [], dependsOnCluster: false };
}

function judgeVersion(
  { field, after: value }: SubjectVersion,
  { lookups, options }: Case,
): Verdict {
  const { names, allowLatest } = options;
  const allowed = allowsLatest(lookups.after, options);
  const releases = findReleases(lookups.after, names);
  const channels = [names.majorChannel, ...(allowed ? [names.latestChannel] : [])];
  const isText = typeof value === "string";
  if (isText && (releases.texts.has(value) || channels.includes(value))) return pass;
  const supported = [...releases.texts, ...channels];
  const cause: Cause = isText
    ? {
        rule: "R1",
        reason: "FieldValueNotSupported",
        field,
        says: `Unsupported value: ${quote(value)}: supported values: ${quoteAll(supported)}`,
        fix: `${adviceFor(value, supported)}${describePublisher(releases, names)}`,
      }
    : {
        ...{ rule: "R1", field },
        ...wrongType(value, `a string, ${adviseQuoting(value) ?? `one of ${quoteAll(supported)}`}`),
      };
  // No EC can make a valid version of a text that is not one; its policy may let the channel pass.
  const isByPolicy = allowLatest === undefined && value === names.latestChannel;
  const dependsOnCluster = isByPolicy || parseEngineVersion(value) !== undefined;
  return { causes: [cause], warnings: [], dependsOnCluster };
}

/** YAML turns an unquoted 8.0 into the number 8 (C2). */
function adviseQuoting(value: unknown): string | undefined {
  const written = typeof value === "number" ? String(value) : "";
  if (/^[0-9]+$/.test(written)) {
    return `quote it in YAML: "${written}.0" (an unquoted ${written}.0 arrives as ${written})`;
  }
  return /^[0-9]+\.[0-9]+$/.test(written) ? `quote it in YAML: "${written}"` : undefined;
}

function adviceFor(value: string, supported: readonly string[]): string {
  const meant = value.slice(0, 64).trim().toLowerCase().replace(/^v/, "");
  const leading = parseLeadingEngineVersion(meant);
  const near = leading === undefined ? meant : formatEngineVersion(leading);
  return supported.includes(near) ? `write ${quote(near)}` : "set one of these";
}

function describePublisher({ publisher }: Releases, names: Names): string {
  return publisher === undefined ? "" : ` (the versions of ${showCluster(publisher, names)})`;
}

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
export function findReleases(lookup: ClusterLookup, names: Names): Releases {
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
