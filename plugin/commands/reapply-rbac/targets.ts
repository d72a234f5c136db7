/** Which namespaces are worked on, and what is wrong with them before anything is written. */
import { getOwn } from "../../domain/base/values";
import type { Configured } from "../../domain/rbac/managed";
import { rbacFinding } from "../../domain/rbac/findings";
import type { Finding } from "../../domain/base/findings";
import { exitCodes, UsageError, BlockedError } from "../../domain/base/errors";
import { isDeleting, renderDeletion } from "../../domain/kube/deletion";
import type { RbacOptions, Namespaces } from "./read";

/** The namespaces of a run. */
export interface Targets {
  readonly namespaces: readonly string[];
  /** Where the set is from, for the person. */
  readonly from: string;
  /** Namespaces in which our roles are no leftovers; undefined where that cannot be determined. */
  readonly kept: ReadonlySet<string> | undefined;
  /** The namespaces that exist; undefined where they were not read. */
  readonly existing: ReadonlySet<string> | undefined;
  /** The operator finds its namespaces by label. */
  readonly label: boolean;
  /** Namespaces that cannot be worked on, by name. */
  readonly unfit: ReadonlyMap<string, Finding>;
  readonly findings: readonly Finding[];
}

/** Without an exact set, the operator has to tell what it manages. */
export function requireConfigured(
  configured: Configured | undefined,
  { given, selector, namespace }: RbacOptions,
): void {
  if (given !== undefined || selector !== undefined) return;
  const object = `Namespace/${namespace}`;
  if (configured === undefined) {
    throw new BlockedError(exitCodes.blocked, [rbacFinding("noConfiguration", { object })]);
  }
  if (configured.is !== "unknown") return;
  const cause = configured.because;
  throw new BlockedError(exitCodes.blocked, [
    rbacFinding("unknownConfiguration", { object, cause }),
  ]);
}

/** The exact set that was given, else what the operator is told. */
export function chooseTargets(
  read: Namespaces,
  configured: Configured | undefined,
  options: RbacOptions,
): Targets {
  const managed = listManaged(read, configured);
  const exact = options.given ?? (read.selected && [...read.selected.keys()]);
  const namespaces = [...(exact ?? managed ?? [])].sort();
  requireCanary(namespaces, options);
  return {
    namespaces,
    from: exact === undefined ? nameSource(configured) : "the flags",
    kept: managed && new Set([...managed, ...namespaces]),
    existing: read.all && new Set([options.namespace, ...read.all.keys()]),
    label: configured?.is === "label",
    unfit: findUnfit(namespaces, read.all),
    findings: [...valuedLabels(read, configured), ...differences(exact, managed, options)],
  };
}

/** What the operator manages; undefined where it cannot be determined. */
function listManaged(
  { labeled }: Namespaces,
  configured: Configured | undefined,
): readonly string[] | undefined {
  if (configured === undefined || configured.is === "unknown") return undefined;
  return configured.is === "list" ? configured.namespaces : [...(labeled?.keys() ?? [])];
}

function valuedLabels(
  { labeled }: Namespaces,
  configured: Configured | undefined,
): readonly Finding[] {
  const key = configured?.is === "label" ? configured.bareKey : undefined;
  if (key === undefined) return [];
  const valued = [...(labeled ?? [])].filter(
    ([, { metadata }]) => getOwn(metadata.labels, key) !== "",
  );
  return valued.map(([name]) =>
    rbacFinding("labelValue", { object: `Namespace/${name}`, field: `metadata.labels.${key}` }),
  );
}

function differences(
  exact: readonly string[] | undefined,
  managed: readonly string[] | undefined,
  { namespace }: RbacOptions,
): readonly Finding[] {
  if (exact === undefined || managed === undefined) return [];
  const [given, known] = [new Set(exact), new Set(managed)];
  const more = exact.filter((name) => !known.has(name) && name !== namespace);
  const fewer = managed.filter((name) => !given.has(name));
  if (more.length + fewer.length === 0) return [];
  const parts = [
    ...(more.length > 0 ? [`given but not managed: ${shortened(more)}`] : []),
    ...(fewer.length > 0 ? [`managed but not given: ${shortened(fewer)}`] : []),
  ];
  return [rbacFinding("notListed", { object: `Namespace/${namespace}`, cause: parts.join("; ") })];
}

/** A list that stays readable with a thousand names. */
export function shortened(names: readonly string[], most = 10): string {
  if (names.length <= most) return names.join(", ");
  return `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
}

function nameSource(configured: Configured | undefined): string {
  return configured?.is === "list" || configured?.is === "label" ? configured.from : "no setting";
}

function requireCanary(namespaces: readonly string[], { canary }: RbacOptions): void {
  if (canary === undefined || namespaces.includes(canary)) return;
  throw new UsageError(`--canary: namespace ${canary} is not one of those worked on`, {
    hint: `name one of: ${shortened(namespaces)}`,
  });
}

function findUnfit(
  namespaces: readonly string[],
  all: Namespaces["all"],
): ReadonlyMap<string, Finding> {
  const unfit = new Map<string, Finding>();
  if (all === undefined) return unfit;
  for (const name of namespaces) {
    const found = all.get(name);
    const object = `Namespace/${name}`;
    if (found === undefined) unfit.set(name, rbacFinding("namespaceAbsent", { object }));
    else if (isDeleting(found)) {
      const cause = `${renderDeletion(found)}: nothing can be created in it, and it is left out`;
      unfit.set(name, rbacFinding("namespaceTerminating", { object, cause }));
    }
  }
  return unfit;
}
