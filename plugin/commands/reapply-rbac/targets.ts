/** Which namespaces are worked on, and what is wrong with them before anything is written. */
import { boundList } from "../../domain/base/values";
import { diagnose, gate } from "../../domain/diagnosis/diagnose";
import { isKnown } from "../../domain/facts/facts";
import { type Configured, listExisting } from "../../domain/rbac/managed";
import type { RbacScene } from "../../domain/rbac/scene";
import { settingSymptoms } from "../../domain/rbac/symptoms";
import { rbacFinding } from "../../domain/rbac/findings";
import type { Finding } from "../../domain/base/findings";
import { exitCodes, UsageError, BlockedError } from "../../domain/base/errors";
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
export function requireConfigured(scene: RbacScene, { given, selector }: RbacOptions): void {
  if (given !== undefined || selector !== undefined) return;
  const { namespace } = scene.facts;
  const found = isHere(scene)
    ? gate([settingSymptoms.unknownConfiguration], "reapply-rbac", scene)
    : [rbacFinding("noConfiguration", { object: `Namespace/${namespace}` })];
  if (found.length > 0) throw new BlockedError(exitCodes.blocked, found);
}

/** Its Deployment or its ConfigMap is in this namespace. */
function isHere({ deployment, facts }: RbacScene): boolean {
  return deployment !== undefined || facts.objects.configMaps.length > 0;
}

/** The exact set that was given, else what the operator is told. */
export function chooseTargets(
  { labeled, selected }: Omit<Namespaces, "facts">,
  scene: RbacScene,
  options: RbacOptions,
): Targets {
  const { configured, facts } = scene;
  const told = configured.is === "list" ? configured.namespaces : (labeled ?? []);
  const managed = isHere(scene) && configured.is !== "unknown" ? told : undefined;
  const exact = options.given ?? selected;
  const namespaces = [...(exact ?? managed ?? [])].sort();
  requireCanary(namespaces, options);
  const { findings } = diagnose([settingSymptoms.labelValue], { ...scene, managed: told });
  return {
    namespaces,
    from: exact === undefined ? nameSource(configured) : "the flags",
    kept: managed && new Set([...managed, ...namespaces]),
    existing: listExisting(facts),
    label: configured.is === "label",
    unfit: isKnown(facts, "namespaces") ? findUnfit(namespaces, scene) : new Map(),
    findings: [...findings, ...differences(exact, managed, options)],
  };
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
    ...(more.length > 0 ? [`given but not managed: ${boundList(more, 10)}`] : []),
    ...(fewer.length > 0 ? [`managed but not given: ${boundList(fewer, 10)}`] : []),
  ];
  return [rbacFinding("notListed", { object: `Namespace/${namespace}`, cause: parts.join("; ") })];
}

function nameSource(configured: Configured): string {
  return configured.is === "list" || configured.is === "label" ? configured.from : "no setting";
}

function requireCanary(namespaces: readonly string[], { canary }: RbacOptions): void {
  if (canary === undefined || namespaces.includes(canary)) return;
  throw new UsageError(`--canary: namespace ${canary} is not one of those worked on`, {
    hint: `name one of: ${boundList(namespaces, 10)}`,
  });
}

function findUnfit(namespaces: readonly string[], scene: RbacScene): ReadonlyMap<string, Finding> {
  const { namespaceAbsent, namespaceTerminating } = settingSymptoms;
  const rows = [namespaceAbsent, namespaceTerminating];
  return new Map(
    namespaces.flatMap((name) =>
      gate(rows, "reapply-rbac", { ...scene, managed: [name] }).map((one) => [name, one] as const),
    ),
  );
}
