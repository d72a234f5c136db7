/** R2: under policy `major` no raise onto a minor release (S67; C3–C7, C17–C20). */
import { type Names, renderTerm } from "../names/names";
import { getPath } from "../base/values";
import {
  type EngineVersion,
  compareEngineVersions,
  formatEngineVersion,
  parseLeadingEngineVersion,
  parseEngineVersion,
} from "../base/versions";
import { fieldName, findFields, fieldText } from "./fields";
import { allowsLatest, type Release, type Releases, findReleases } from "./engine-version";
import {
  type Case,
  type Cause,
  type ClusterFacts,
  type Edit,
  joinVerdicts,
  pass,
  type Rule,
  type RuleOptions,
  type SubjectVersion,
  type Verdict,
} from "./types";
import { quote, quoteAll, showCluster, showMiss, renderWarning } from "./wording";

/** R2, on change only: creation is no upgrade (C7). */
export const upgradePolicyRule: Rule = {
  id: "R2",
  setting: "policy",
  source: "S67, C3, C4, C5, C6, C7, C17, C18, C19, C20",
  judge: (facts) =>
    joinVerdicts(facts.subject.versions.map((version) => judgePolicy({ ...facts, version }))),
};

/** True for a policy that is neither absent nor one of the two known: not major, but worth a log line (C20). */
export function isUnknownPolicy(policy: unknown, names: Names): boolean {
  return policy !== undefined && policy !== names.majorChannel && policy !== names.latestChannel;
}

/** One engineVersion of the edit, which may have two (C8). */
interface PolicyCase extends Case {
  readonly version: SubjectVersion;
}

/** Where the database is wanted to go: a release, or the newest whatever it is. */
interface Raise {
  readonly text: string;
  readonly release: Release | undefined;
  readonly current: EngineVersion | undefined;
  /** Target less current, below zero for lowering; undefined when one of them is not known. */
  readonly rise: number | undefined;
  readonly releases: Releases;
}

/** One side that sets policy `major`, and how to leave it there. */
interface Side {
  readonly ec?: string;
  readonly says: string;
  readonly wayOut: string;
}

function judgePolicy(facts: PolicyCase): Verdict {
  const raise = findRaise(facts);
  if (raise === undefined || raise.rise === 0) return pass;
  const target = quote(raise.text);
  const { names } = facts.options;
  const version = fieldName(names.fields.engineVersion);
  if (raise.rise !== undefined && raise.rise < 0) {
    return warn(`${version} is lowered from ${showCurrent(raise)} to ${target}`);
  }
  const { after } = facts.lookups;
  if (after.is !== "found") {
    return warn(`upgrade policy not applied to ${target}: ${showMiss(after, names)}`);
  }
  if (raise.rise === undefined && raise.release !== undefined) {
    return warn(`upgrade policy not applied to ${target}: current engine version unknown`);
  }
  return isForbidden(raise, facts) ? judgeSides(facts, raise, after.cluster) : pass;
}

function warn(text: string): Verdict {
  return { ...pass, warnings: [renderWarning(text, " [R2]")] };
}

/** The raise that an edit asks for; undefined for what R2 does not judge (C2, C7). */
function findRaise({ edit, version: asked, lookups, options }: PolicyCase): Raise | undefined {
  const text = asked.after;
  const { names, rules } = options;
  if (typeof text !== "string") return undefined;
  const version = parseEngineVersion(text);
  const releases = findReleases(lookups.after, names);
  const current = findCurrent(edit, asked, names);
  if (version === undefined) {
    const latest = text === names.latestChannel && allowsLatest(lookups.after, options);
    return latest ? { text, release: undefined, current, rise: undefined, releases } : undefined;
  }
  const valid = releases.texts.has(text);
  // R1 refuses it already, unless it is switched down.
  if (!valid && rules.version === "deny") return undefined;
  const rise = current === undefined ? undefined : compareEngineVersions(version, current);
  return { text, release: { text, version }, current, rise, releases };
}

/** The old value when it is a version, be it at another place, else the first two numbers of the status (C7, C8, S123). */
function findCurrent(
  { kind, before }: Edit,
  asked: SubjectVersion,
  names: Names,
): EngineVersion | undefined {
  const told = parseLeadingEngineVersion(asked.before);
  if (told !== undefined) return told;
  // mostly the edited place tells it, and no other has to be read
  for (const path of [...findFields(kind, names).engineVersions, names.fields.statusVersion]) {
    const version = parseLeadingEngineVersion(getPath(before, path));
    if (version !== undefined) return version;
  }
  return undefined;
}

/** Whether policy `major` forbids the raise: by the target (C4), or by the size of the step (C6). */
function isForbidden({ release, current, releases }: Raise, { options }: Case): boolean {
  if (release === undefined || current === undefined) return true;
  return options.reading === "step"
    ? release.version.major === current.major
    : !releases.isMajor(release);
}

/** A raise that policy `major` forbids is refused when some side sets that policy (C3, C18). */
function judgeSides(facts: PolicyCase, raise: Raise, cluster: ClusterFacts): Verdict {
  const { before } = facts.lookups;
  const { names } = facts.options;
  const sides = listSides(facts);
  if (sides.length > 0) {
    const cause: Cause = {
      rule: "R2",
      reason: "FieldValueForbidden",
      field: facts.version.field,
      says: `${wrong(raise, facts.options)}: ${setBy(sides, cluster, names)}`,
      fix: waysOut(facts, raise, sides),
    };
    return { causes: [cause], warnings: [], dependsOnCluster: true };
  }
  return before === undefined || before.is === "found"
    ? pass
    : warn(
        `upgrade policy of the old ${renderTerm(names.ec)} not applied: ${showMiss(before, names)}`,
      );
}

/** Who sets policy `major`: the EC, the EC referred to before, the database's old value (C3, C18, C20). */
function listSides({ edit, lookups, options }: PolicyCase): readonly Side[] {
  const { names } = options;
  const major = quote(names.majorChannel);
  const policy = fieldText(names.fields.engineUpgradePolicy);
  const clusters = [lookups.after, lookups.before].flatMap((lookup) =>
    lookup?.is === "found" && lookup.cluster.policy === names.majorChannel
      ? [showCluster(lookup.cluster, names)]
      : [],
  );
  const ofClusters = [...new Set(clusters)].map((ec): Side => ({
    ec,
    says: `${ec} sets ${policy} ${major}`,
    wayOut: `set another ${policy} in ${ec}`,
  }));
  const ofDatabase = findFields(edit.kind, names)
    .engineVersions.filter((path) => getPath(edit.before, path) === names.majorChannel)
    .map(fieldText)
    .map((field): Side => ({
      says: `the database had ${field} ${major}`,
      wayOut: `first clear ${field} in an edit of its own`,
    }));
  return [...ofClusters, ...ofDatabase];
}

function wrong(raise: Raise, { names, reading }: RuleOptions): string {
  const policy = quote(names.majorChannel);
  return `Forbidden: ${quote(raise.text)} ${describeSize(raise, reading)}, refused as an upgrade from ${showCurrent(raise)} under policy ${policy}`;
}

function describeSize({ release }: Raise, reading: RuleOptions["reading"]): string {
  if (release === undefined) return "may be a minor release";
  return reading === "step" ? "is a minor step" : "is a minor release";
}

/** The sides, and the database's own EC where none of them has named it. */
function setBy(sides: readonly Side[], cluster: ClusterFacts, names: Names): string {
  const ec = showCluster(cluster, names);
  const said = sides.map((side) => side.says).join(" and ");
  return sides.some((side) => side.ec === ec) ? said : `${said} (database of ${ec})`;
}

/** A major release, or another policy. */
function waysOut({ options }: Case, raise: Raise, sides: readonly Side[]): string {
  const { current, releases } = raise;
  const above = ({ version }: Release): boolean =>
    current === undefined || compareEngineVersions(version, current) > 0;
  const majors = releases.valid.filter((other) => releases.isMajor(other) && above(other));
  const choices = quoteAll([...majors.map(({ text }) => text), options.names.majorChannel]);
  const others = sides.map((side) => side.wayOut).join(" and ");
  return `choose a major release (${choices}), or ${others}`;
}

function showCurrent({ current }: Raise): string {
  return current === undefined ? "an unknown version" : quote(formatEngineVersion(current));
}
