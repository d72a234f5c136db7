/** Which release's roles a run is about, what they may take away, and what a person added to them. */
import { exitCodes, UsageError } from "../../domain/errors";
import type { Finding } from "../../domain/findings";
import { rbacFinding } from "../../domain/rbac/codes";
import { lineOf, type ReleaseRoles, rolesFor } from "../../domain/rbac/lines";
import { entriesOf, localFindings } from "../../domain/rbac/local";
import { grantLines, grantsOf, isAmong } from "../../domain/rbac/rules";
import { typedEntry } from "../../domain/rbac/terms";
import { compareReleaseTags, parseReleaseTag } from "../../domain/versions";
import { BlockedError } from "../recorder";
import type { RbacDeps, RbacOptions } from "./deps";
import type { Site } from "./site";
import { shortened } from "./targets";

/** What runs, and what is planned. */
interface Planned {
  /** The tag of the operator's release, where it tells. */
  readonly running: string | undefined;
  readonly sites: readonly Site[];
}

/** The documents to apply; a BlockedError where the release that runs does not tell them. */
export function requireRoles(
  { names }: RbacDeps,
  options: RbacOptions,
  running: string | undefined,
): Extract<ReleaseRoles, { is: "known" }> {
  const roles = rolesFor(options, running, names);
  if (roles.is === "known") return roles;
  const object = `Deployment/${options.namespace}/${names.operator.deployment}`;
  const cause = roles.because;
  throw new BlockedError(exitCodes.blocked, [rbacFinding("releaseUnknown", { object, cause })]);
}

/** Nothing is taken from an operator that still uses it: an older one, or one that cannot be told. */
export function requireLate({ names }: RbacDeps, options: RbacOptions, planned: Planned): void {
  const { mode, assumeExpanded, namespace, release } = options;
  if (mode !== "contract" || assumeExpanded === true) return;
  const { running } = planned;
  const object = `Deployment/${namespace}/${names.operator.deployment}`;
  const [runs, wanted] = [parseReleaseTag(running), parseReleaseTag(release)];
  if (runs === undefined) {
    const cause = "the operator's image does not tell its release, so it may still use any right";
    const fix = "give the image a tag that tells its release beside the digest";
    throw new BlockedError(exitCodes.blocked, [
      rbacFinding("releaseUnknown", { object, cause, fix }),
    ]);
  }
  const still =
    wanted === undefined
      ? stillUsed(names, options, planned)
      : compareReleaseTags(runs, wanted) < 0 && `the roles are of ${String(release)}`;
  if (still === false) return;
  const cause = `operator ${String(running)} runs: ${still}`;
  throw new BlockedError(exitCodes.blocked, [rbacFinding("early", { object, cause })]);
}

/** A file does not say which release it is of: what the operator that runs needs tells. */
function stillUsed(
  names: RbacDeps["names"],
  { shipped }: RbacOptions,
  { running, sites }: Planned,
): string | false {
  if (shipped === true) return false;
  const line = lineOf(running, names);
  if (line === undefined) return "what it uses is not known";
  const used = isAmong(grantsOf(line.rules));
  const lost = sites.flatMap(({ plan }) => plan.lost.filter(used));
  return lost.length > 0 && `it still uses ${[...new Set(grantLines(lost))].join("; ")}`;
}

/** Each entry of --drop-local has to name something that a person added. */
export function requireDroppable({ dropLocal }: RbacOptions, sites: readonly Site[]): void {
  const there = new Set(sites.flatMap(({ plan }) => entriesOf(plan.outcome.role, plan.local)));
  const unknown = dropLocal.filter((typed) => typed !== "all" && !there.has(typedEntry(typed)));
  if (unknown.length === 0) return;
  throw new UsageError(
    unknown.map((typed) => `--drop-local ${typed}: nobody added it`),
    {
      hint:
        there.size === 0
          ? "go without it: there are no local additions"
          : `name one of: ${shortened([...there].sort())}`,
    },
  );
}

/** What persons added and what is kept of it, once for all places that hold the same. */
export function keptFindings(sites: readonly Site[]): readonly Finding[] {
  const found = new Map<string, Finding[]>();
  for (const { found: held, wanted, plan } of sites) {
    const objects = { role: held.role ?? wanted.role, binding: held.binding };
    for (const finding of localFindings(objects, plan.kept)) {
      found.set(finding.cause, [...(found.get(finding.cause) ?? []), finding]);
    }
  }
  return [...found.values()].flatMap(([first, ...same]) => {
    if (first === undefined) return [];
    const others = same.flatMap(({ object = "" }) => object);
    const cause =
      others.length === 0
        ? first.cause
        : `${first.cause} (${others.length} more: ${shortened(others)})`;
    return [{ ...first, cause }];
  });
}
