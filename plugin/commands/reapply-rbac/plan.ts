/** What a run is to bring about, planned from what was read, and what stands against it. Pure. */
import { boundList } from "../../domain/base/values";
import { exitCodes, UsageError, BlockedError } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import type { Names } from "../../domain/names/names";
import { type KubeObject, objectLabel } from "../../domain/kube/objects";
import { findOwner, judgeOwnership, type LeftMarks } from "../../domain/kube/owners";
import { accept, requireMatched } from "../../domain/checks/selection";
import { skipWord } from "../../domain/base/skip";
import { describeAggregated, rbacFinding, rbacFindings } from "../../domain/rbac/findings";
import { findLine, resolveRoles } from "../../domain/rbac/lines";
import { listEntries, isAsWanted, localFindings, normalizeEntry } from "../../domain/rbac/plan";
import { grantLines, grantsOf, isAggregated, isAmong } from "../../domain/kube/role-rules";
import {
  type RbacScope,
  type PlaceFound,
  listSharedRoles,
  type Site,
  planPlace,
} from "../../domain/rbac/site";
import { describeStale, otherOperators, type Stale } from "../../domain/rbac/managed";
import { pairIn, renderRbac } from "../../domain/rbac/templates";
import { compareReleaseTags, parseReleaseTag } from "../../domain/base/versions";
import type { RbacOptions } from "./read";
import type { Targets } from "./targets";

/** Everything that a plan is made from. */
interface RbacFacts {
  readonly names: Names;
  /** The tag of the operator's release, where it tells. */
  readonly running: string | undefined;
  readonly places: ReadonlyMap<RbacScope, PlaceFound>;
}

/** What is to be written where. */
export interface RbacPlan {
  /** The cluster-wide pair, in label mode, and ClusterRoles that give the access in namespaces. */
  readonly wide: readonly Site[];
  /** The namespaces. */
  readonly sites: readonly Site[];
}

/** The places where something is wanted: the namespaces, and the whole cluster in label mode. */
export function listPlaces(
  { names, running }: Omit<RbacFacts, "places">,
  options: RbacOptions,
  { targets, accounts }: { readonly targets: Targets; readonly accounts: readonly string[] },
): readonly RbacScope[] {
  const { namespaces, unfit, existing, label: isLabelled } = targets;
  // where nothing is managed, an unknown release is no obstacle
  const isIdle = namespaces.length === 0 && !isLabelled;
  const { documents, source } = isIdle ? options : requireRoles(names, options, running);
  const { namespace } = options;
  const pairs = renderRbac(documents, { namespace, accounts, label: isLabelled, names });
  if (pairs.is === "unfit") {
    throw new UsageError(
      pairs.problems.map((problem) => `template ${source}: ${problem}`),
      { hint: "give the folder of a release, or its roles and bindings with --template" },
    );
  }
  const { consumer, label } = pairs;
  const fit = namespaces.filter((name) => !unfit.has(name));
  return [
    ...fit.map((name) => ({ namespace: name, existing, wanted: pairIn(consumer, name) })),
    ...(label === undefined ? [] : [{ existing, wanted: label }]),
  ];
}

/** Plans every place; throws where the operator that runs, or --drop-local, does not fit it. */
export function planRbac(facts: RbacFacts, options: RbacOptions): RbacPlan {
  const { names, places } = facts;
  const planning = { ...options, names };
  const planned = [...places].map(([place, found]) => planPlace(place, found, planning));
  const sites = planned.filter(({ namespace }) => namespace !== undefined);
  const labeled = planned.filter(({ namespace }) => namespace === undefined);
  const wide = [...labeled, ...listSharedRoles(sites, planning)];
  requireOwnRules(wide);
  const all = [...wide, ...sites];
  requireLate(facts, all, options);
  requireDroppable(options, all);
  return { wide, sites };
}

/** The documents to apply; a BlockedError where the release that runs does not report them. */
function requireRoles(names: Names, options: RbacOptions, running: string | undefined) {
  const roles = resolveRoles(options, running, names);
  if (roles.is === "known") return roles;
  const object = `Deployment/${options.namespace}/${names.operator.deployment}`;
  const cause = roles.because;
  throw new BlockedError(exitCodes.blocked, [rbacFinding("releaseUnknown", { object, cause })]);
}

/** What a controller makes of other roles is not this tool's to write: it has to have all of the rules. */
function requireOwnRules(wide: readonly Site[]): void {
  const found = wide.flatMap(({ found: { role }, plan: { gained } }) =>
    isAggregated(role) && gained.length > 0
      ? [rbacFinding("aggregated", describeAggregated(role, gained))]
      : [],
  );
  if (found.length > 0) throw new BlockedError(exitCodes.conflict, found);
}

/** Nothing is taken from an operator that still uses it: an older one, or one that cannot be determined. */
function requireLate(
  { names, running }: Omit<RbacFacts, "places">,
  sites: readonly Site[],
  options: RbacOptions,
): void {
  const { mode, namespace, release } = options;
  if (mode !== "contract") return;
  const object = `Deployment/${namespace}/${names.operator.deployment}`;
  const [runs, wanted] = [parseReleaseTag(running), parseReleaseTag(release)];
  if (runs === undefined) {
    const cause =
      "the operator's image does not report its release, so it may still use any permission";
    const fix = "give the image a tag that reports its release beside the digest";
    throw new BlockedError(exitCodes.blocked, [
      rbacFinding("releaseUnknown", { object, cause, fix }),
    ]);
  }
  const still =
    wanted === undefined
      ? options.shipped !== true && stillUsed(findLine(running, names), sites)
      : compareReleaseTags(runs, wanted) < 0 && `the roles are of ${String(release)}`;
  if (still === false) return;
  const cause = `operator ${String(running)} runs: ${still}`;
  throw new BlockedError(exitCodes.blocked, [rbacFinding("early", { object, cause })]);
}

/** A file does not say which release it is of: what the operator that runs needs tells. */
function stillUsed(line: ReturnType<typeof findLine>, sites: readonly Site[]): string | false {
  if (line === undefined) return "what it uses is not known";
  const used = isAmong(grantsOf(line.rules));
  const lost = sites.flatMap(({ plan }) => plan.lost.filter(used));
  return lost.length > 0 && `it still uses ${[...new Set(grantLines(lost))].join("; ")}`;
}

/** Each entry of --drop-local has to name something that a person added. */
function requireDroppable({ dropLocal }: RbacOptions, sites: readonly Site[]): void {
  const there = new Set(sites.flatMap(({ plan }) => listEntries(plan.outcome.role, plan.local)));
  const unknown = dropLocal.filter((typed) => typed !== "all" && !there.has(normalizeEntry(typed)));
  if (unknown.length === 0) return;
  const hint =
    there.size === 0
      ? "go without it: there are no local additions"
      : `name one of: ${boundList([...there].sort(), 10)}`;
  throw new UsageError(
    unknown.map((typed) => `--drop-local ${typed}: nobody added it`),
    { hint },
  );
}

/** What persons added and what is kept of it, once for all places that hold the same. */
export function describeKept({ wide, sites }: RbacPlan): readonly Finding[] {
  const found = new Map<string, { readonly finding: Finding; readonly others: string[] }>();
  for (const { found: held, wanted, plan } of [...wide, ...sites]) {
    const objects = { role: held.role ?? wanted.role, binding: held.binding };
    for (const finding of localFindings(objects, plan.kept)) {
      const same = found.get(finding.cause);
      if (same === undefined) found.set(finding.cause, { finding, others: [] });
      else same.others.push(finding.object);
    }
  }
  return [...found.values()].map(({ finding, others }) =>
    others.length === 0
      ? finding
      : { ...finding, cause: `${finding.cause} (${others.length} more: ${boundList(others, 10)})` },
  );
}

/** One finding for each place with leftovers. */
export function tellStale(all: readonly Stale[]): readonly Finding[] {
  return (["stale", "staleShared"] as const).flatMap((what) =>
    describeStale(all, what === "staleShared").map((found) => rbacFinding(what, found)),
  );
}

/** Those that --prune deletes. */
export function listPrunable(all: readonly Stale[]): readonly Stale[] {
  return all.filter(({ others }) => others.length === 0);
}

/** Owners that would fight the change, and operators that would lose their access by it. */
export function findConflictsAt(
  site: Site,
  names: Names,
  { left, ...options }: RbacOptions & { readonly left: LeftMarks },
): readonly Finding[] {
  const lost = accept(findTaken(site, names, options), options.skip);
  return [...findOwned(site, left), ...lost.filter(({ accepted }) => accepted !== true)];
}

/** Operators that would lose their access, as far as that is accepted; throws for a --skip without a match. */
export function listAccepted(
  sites: readonly Site[],
  names: Names,
  options: RbacOptions,
): readonly Finding[] {
  const changing = sites.filter(({ plan }) => !isAsWanted(plan));
  const lost = changing.flatMap((site) => findTaken(site, names, options));
  if (changing.length > 0) requireMatched(options.skip, lost);
  return accept(lost, options.skip).filter(({ accepted }) => accepted === true);
}

/** What of a place may have marks of others. */
export function listMarked({ plan }: Site): readonly KubeObject[] {
  return [plan.role?.live, plan.binding?.live].filter((live) => live !== undefined);
}

function findOwned(site: Site, left: LeftMarks): readonly Finding[] {
  return listMarked(site).flatMap((live) => {
    const owner = findOwner(live, left);
    if (owner === undefined) return [];
    return [rbacFinding("owned", { object: objectLabel(live), ...judgeOwnership(owner) })];
  });
}

function findTaken(
  { plan, found, existing }: Site,
  names: Names,
  { namespace: operatorNamespace }: RbacOptions,
): readonly Finding[] {
  const { binding } = plan.outcome;
  const known = { operatorNamespace, names, existing };
  const kept = otherOperators(binding, known);
  const others = otherOperators(found.binding, known);
  const losing = others.filter((other) => !kept.includes(other));
  if (losing.length === 0) return [];
  const cause = `the binding is for the operator of namespace ${losing.join(", ")}, which would lose its access; two operators must not watch one namespace`;
  const object = objectLabel(binding);
  const word = skipWord({ code: rbacFindings.otherOperator.code, object });
  const fix = `take the namespace off that operator's list first, or accept it with --skip ${word}`;
  return [rbacFinding("otherOperator", { object, cause, fix })];
}
