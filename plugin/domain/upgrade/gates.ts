/** Why a part of the upgrade has nothing to do here; undefined where it has. */
import { type Facts, isKnown, isOpenShift } from "../facts";
import type { KubeObject } from "../objects";
import { ownerOf } from "../owners";
import { lineOf } from "../rbac/lines";
import { wantsAdjustment } from "../scc/refusals";
import { isPrivileged, unprivilegedFrom } from "../scc/release";
import { parseReleaseTag } from "../versions";
import { entryNames } from "../webhook/configuration";

/** What a whole upgrade is to do, and what it was judged on. */
export interface Intent {
  readonly facts: Facts;
  /** Release of the operator; undefined where the release does not tell. */
  readonly operatorVersion: string | undefined;
  /** A release was given that has its own files; undefined for a chart. */
  readonly opened: unknown;
  /** Version for the databases. */
  readonly engineVersion: string | undefined;
}

/** The clusters of the operator's namespace. */
export function ownClusters({ objects, namespace }: Facts): readonly KubeObject[] {
  return objects.ecs.filter(({ metadata }) => metadata.namespace === namespace);
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

function usedConfigurations({ names, objects }: Facts): readonly KubeObject[] {
  const entries = [names.webhook.entry, names.webhook.oldEntry];
  return objects.webhookConfigurations.filter((configuration) =>
    entryNames(configuration).some((name) => entries.includes(name)),
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
