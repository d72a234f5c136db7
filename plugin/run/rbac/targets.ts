/** Which namespaces are worked on, and what is wrong with them before anything is written. */
import { exitCodes, UsageError } from "../../domain/errors";
import type { Finding } from "../../domain/findings";
import type { KubeObject } from "../../domain/objects";
import { rbacFinding } from "../../domain/rbac/codes";
import type { Configured } from "../../domain/rbac/managed";
import { at, own } from "../../domain/values";
import { BlockedError } from "../recorder";
import type { RbacDeps, RbacOptions } from "./deps";
import { readNamespaces } from "./read";

/** The namespaces of a run. */
export interface Targets {
  readonly namespaces: readonly string[];
  /** Where the set is from, for the person. */
  readonly from: string;
  /** Namespaces in which our roles are no left-overs; undefined where that cannot be told. */
  readonly kept: ReadonlySet<string> | undefined;
  /** The operator finds its namespaces by label. */
  readonly label: boolean;
  /** Namespaces that cannot be worked on, by name. */
  readonly unfit: ReadonlyMap<string, Finding>;
  readonly findings: readonly Finding[];
}

interface Read {
  /** What the operator manages; undefined where it cannot be told. */
  readonly configured: readonly string[] | undefined;
  readonly all: ReadonlyMap<string, KubeObject> | undefined;
  readonly findings: readonly Finding[];
}

/** The exact set that was given, else what the operator is told. */
export async function readTargets(
  deps: RbacDeps,
  options: RbacOptions,
  configured: Configured | undefined,
): Promise<Targets> {
  const { given, selector } = options;
  if (given === undefined && selector === undefined) requireConfigured(configured, options);
  const read = await readConfiguredNamespaces(deps, configured);
  const chosen = selector === undefined ? undefined : namesOf(await readNamespaces(deps, selector));
  const exact = given ?? chosen;
  const namespaces = [...(exact ?? read.configured ?? [])].sort();
  requireCanary(namespaces, options);
  return {
    namespaces,
    from: exact === undefined ? sourceOf(configured) : "the flags",
    kept: read.configured === undefined ? undefined : new Set([...read.configured, ...namespaces]),
    label: configured?.is === "label",
    unfit: unfitOf(namespaces, read.all),
    findings: [...read.findings, ...differences(exact, read.configured, options)],
  };
}

function requireConfigured(
  configured: Configured | undefined,
  { namespace }: RbacOptions,
): asserts configured is Configured {
  const object = `Namespace/${namespace}`;
  if (configured === undefined) {
    throw new BlockedError(exitCodes.blocked, [rbacFinding("noConfiguration", { object })]);
  }
  if (configured.is === "unknown") {
    const cause = configured.because;
    throw new BlockedError(exitCodes.blocked, [
      rbacFinding("unknownConfiguration", { object, cause }),
    ]);
  }
}

async function readConfiguredNamespaces(
  deps: RbacDeps,
  configured: Configured | undefined,
): Promise<Read> {
  const all = await readNamespaces(deps, undefined);
  if (configured === undefined || configured.is === "unknown") {
    return { configured: undefined, all, findings: [] };
  }
  if (configured.is === "none") return { configured: [], all, findings: [] };
  if (configured.is === "list") return { configured: configured.namespaces, all, findings: [] };
  const labelled = await readNamespaces(deps, configured.selector);
  const { bareKey } = configured;
  const valued = [...(labelled ?? [])].filter(
    ([, { metadata }]) => bareKey !== undefined && own(metadata.labels, bareKey) !== "",
  );
  return {
    configured: namesOf(labelled),
    all,
    findings: valued.map(([name]) =>
      rbacFinding("labelValue", {
        object: `Namespace/${name}`,
        field: `metadata.labels.${bareKey ?? ""}`,
      }),
    ),
  };
}

function namesOf(namespaces: ReadonlyMap<string, KubeObject> | undefined): readonly string[] {
  return namespaces === undefined ? [] : [...namespaces.keys()];
}

function differences(
  exact: readonly string[] | undefined,
  configured: readonly string[] | undefined,
  { namespace }: RbacOptions,
): readonly Finding[] {
  if (exact === undefined || configured === undefined) return [];
  const more = exact.filter((name) => !configured.includes(name) && name !== namespace);
  const fewer = configured.filter((name) => !exact.includes(name));
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

function sourceOf(configured: Configured | undefined): string {
  return configured?.is === "list" || configured?.is === "label" ? configured.from : "no setting";
}

function requireCanary(namespaces: readonly string[], { canary }: RbacOptions): void {
  if (canary === undefined || namespaces.includes(canary)) return;
  throw new UsageError(`--canary: namespace ${canary} is not one of those worked on`, {
    hint: `name one of: ${shortened(namespaces)}`,
  });
}

function unfitOf(
  namespaces: readonly string[],
  all: ReadonlyMap<string, KubeObject> | undefined,
): ReadonlyMap<string, Finding> {
  const unfit = new Map<string, Finding>();
  if (all === undefined) return unfit;
  for (const name of namespaces) {
    const found = all.get(name);
    const object = `Namespace/${name}`;
    if (found === undefined) unfit.set(name, rbacFinding("namespaceAbsent", { object }));
    else if (isTerminating(found)) unfit.set(name, rbacFinding("namespaceTerminating", { object }));
  }
  return unfit;
}

function isTerminating(namespace: KubeObject): boolean {
  const phase = at(namespace, ["status", "phase"]);
  return phase === "Terminating" || namespace.metadata.deletionTimestamp !== undefined;
}
