/**
 * The procedure of a whole upgrade, written once (S9; domain facts 12): `upgrade` plans and does its parts in this
 * order, `status` names the first that has something left to do, and what each part settles or cannot begin without
 * decides which findings of `check` stand against it.
 */
import { prerequisiteCodes } from "../../domain/checks/prerequisites";
import type { Area, Check } from "../../domain/checks/check";
import {
  clusterStep,
  constraintStep,
  databaseStep,
  lackingStep,
  type NextFacts,
  type NextStep,
  operatorStep,
  pressingStep,
  rbacStep,
  webhookStep,
} from "../status/next";
import { type Facts, isKnown, isOpenShift } from "../../domain/facts/facts";
import type { KubeObject } from "../../domain/kube/objects";
import { ownerOf } from "../../domain/kube/owners";
import { lineOf } from "../../domain/rbac/lines";
import { isPrivileged, unprivilegedFrom, wantsAdjustment } from "../../domain/scc/refusals";
import { parseReleaseTag } from "../../domain/base/versions";
import { entriesInForce } from "../../domain/admission/configuration";
import type { JudgedCheck } from "../../domain/checks/judge";
import type { Finding } from "../../domain/base/findings";
import { ownClusters } from "../../domain/engine-cluster/operator";
import type { PartId } from "../../kernel/report";

/** What a whole upgrade is to do, and what it was judged on. */
export interface Intent {
  readonly facts: Facts;
  /** Release of the operator; undefined where the release does not report. */
  readonly operatorVersion: string | undefined;
  /** A release was given that has its own files; undefined for a chart. */
  readonly opened: unknown;
  /** Version for the databases. */
  readonly engineVersion: string | undefined;
}

/** Nothing to upgrade but the operator. */
export function noClusters({ facts }: Pick<Intent, "facts">): string | undefined {
  return ownClusters(facts).length > 0 ? undefined : `namespace ${facts.namespace} has no cluster`;
}

/** Databases keep their version unless one is given (S61). */
export function databasesSkip({ engineVersion }: Intent): string | undefined {
  if (engineVersion !== undefined) return undefined;
  return "no --engine-version was given, the databases keep theirs";
}

/** Why the webhook is left alone; undefined where an admission controller is in use (S24). */
export function webhookSkip({ facts }: Pick<Intent, "facts">): string | undefined {
  // unread is not absent: the part itself then says which permission is missing
  if (!isKnown(facts, "webhookConfigurations")) return undefined;
  if (usedConfigurations(facts).length === 0) return "no admission controller is in use (S24)";
  const owner = webhookOwner(facts);
  if (owner === undefined) return undefined;
  return `${owner} owns its configuration, and upgrades it together with the operator (S22)`;
}

/** The installer that owns every configuration in use, and writes it itself (domain facts 4.4). */
export function webhookOwner(facts: Facts): string | undefined {
  const owners = usedConfigurations(facts).map((configuration) => ownerOf(configuration)?.name);
  return owners.every((owner) => owner === "Helm" || owner === "OLM") ? owners[0] : undefined;
}

function usedConfigurations({ names, namespace, objects }: Facts): readonly KubeObject[] {
  const service = { namespace, name: names.webhook.service };
  return objects.webhookConfigurations.filter(
    (configuration) => entriesInForce(configuration, service, names).length > 0,
  );
}

/** Why the constraint stays bound, or why there is none; undefined where it is unbound (S31-S33). */
export function sccSkip({
  facts,
  operatorVersion,
}: Pick<Intent, "facts" | "operatorVersion">): string | undefined {
  if (!isKnown(facts, "constraints")) return undefined;
  if (!isOpenShift(facts)) return "the cluster is not OpenShift, it has no constraints";
  const release = parseReleaseTag(operatorVersion);
  if (release !== undefined && isPrivileged({ release })) {
    return `pods of releases before ${unprivilegedFrom} need it (S31)`;
  }
  const own = ownClusters(facts);
  const adjusting = own.length > 0 && own.every((ec) => wantsAdjustment(ec, facts.names));
  return adjusting ? "automatic resource adjustment is asked for, which needs it (S32)" : undefined;
}

/** Why roles are left alone when no release gives its own, and this tool knows none of that release. */
export function rolesSkip({ facts, operatorVersion, opened }: Intent): string | undefined {
  if (opened !== undefined || lineOf(operatorVersion, facts.names) !== undefined) return undefined;
  const release = operatorVersion ?? "this release";
  return `the roles of ${release} do not come with this tool; with the release's own: reapply-rbac --release SOURCE`;
}

/** One part of the procedure. */
export interface Part {
  readonly id: PartId;
  readonly title: string;
  /** Why it has its place. */
  readonly because: string;
  readonly source: string;
  /** Why a whole upgrade leaves it out here; undefined: it is done. */
  readonly gate?: (intent: Intent) => string | undefined;
  /** What of it is left to do; a part without a command of its own has nothing to name. */
  readonly next?: (facts: NextFacts) => NextStep | undefined;
  /** Checks whose findings do not stand against an upgrade: the part judges this itself, and brings it in order. */
  readonly settles?: { readonly areas?: readonly Area[]; readonly codes?: readonly string[] };
  /** Checks without which it may not begin, whichever of the two an upgrade begins with. */
  readonly blockedBy?: readonly string[];
}

/** Every part, in order. */
export const procedure: readonly Part[] = [
  {
    id: "auto-off",
    title: "Switch the automatic upgrade off",
    because:
      "databases use user-defined modules, so the cluster must not follow the operator at once",
    source: "S51, S124",
    gate: noClusters,
    settles: { codes: ["CLUSTER-AUTO-USER-MODULES"] },
  },
  {
    id: "rbac-expand",
    title: "Widen RBAC in the managed namespaces",
    because: "the old operator keeps what it needs, and the new one can start",
    source: "S34",
    gate: rolesSkip,
    next: lackingStep,
    settles: { areas: ["rbac"] },
  },
  {
    id: "operator",
    title: "Upgrade the operator",
    because: "it comes first; it manages no database until the cluster has followed",
    source: "S9, S15-S23",
    next: operatorStep,
    settles: {
      areas: ["definitions"],
      codes: [
        "OPERATOR-OWNED",
        "OPERATOR-NOT-READY",
        "OPERATOR-IMAGES-DIFFER",
        "OPERATOR-REGISTRY",
        "OPERATOR-ACCOUNT-ABSENT",
      ],
    },
    blockedBy: prerequisiteCodes,
  },
  {
    id: "webhook",
    title: "Reapply the admission webhook",
    because: "the new admission server has to be ready before it is called",
    source: "S24-S30",
    gate: webhookSkip,
    next: webhookStep,
    settles: { areas: ["webhook", "certificate"] },
  },
  {
    id: "cluster",
    title: "Upgrade the cluster",
    because: "soon after the operator, which until then manages no database",
    source: "S10-S14, S48-S50",
    gate: noClusters,
    next: clusterStep,
    settles: { codes: ["CLUSTER-TAG-OF-OPERATOR", "CLUSTER-NOT-TAKEN-UP", "POD-IMAGE"] },
    blockedBy: prerequisiteCodes,
  },
  {
    id: "scc",
    title: "Unbind the old SCC",
    because: "the pods run unprivileged once all of them are new",
    source: "S33",
    gate: sccSkip,
    next: constraintStep,
    settles: { areas: ["scc"] },
  },
  {
    id: "rbac-contract",
    title: "Narrow RBAC to the new release",
    because: "nothing needs the old rules any more",
    source: "S34",
    gate: rolesSkip,
    next: rbacStep,
    settles: { areas: ["rbac"] },
  },
  {
    id: "databases",
    title: "Upgrade the databases",
    because: "they come last: a database has the versions that its cluster bundles",
    source: "S9, S61-S67",
    gate: databasesSkip,
    next: databaseStep,
  },
];

/** Whether a part is to be done: all of them, unless some are named. */
export function isChosen({ only }: { readonly only: readonly PartId[] }, id: PartId): boolean {
  return only.length === 0 || only.includes(id);
}

/** What is next: what cannot wait for any part, else the first part that has something left to do. */
export function nextStep(facts: NextFacts): NextStep | undefined {
  for (const step of [pressingStep, ...procedure.flatMap(({ next }) => next ?? [])]) {
    const found = step(facts);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The findings of all checks that no part of the whole upgrade settles. */
export function prerequisiteFindings(judged: readonly JudgedCheck[]): readonly Finding[] {
  return judged.flatMap(({ check, findings }) => (isSettled(check) ? [] : findings));
}

function isSettled({ area, code }: Check): boolean {
  return procedure.some(
    ({ settles: { areas = [], codes = [] } = {} }) => areas.includes(area) || codes.includes(code),
  );
}
