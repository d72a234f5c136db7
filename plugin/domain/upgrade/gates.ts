/** Whether a part of the upgrade has anything to do on this cluster, judged from facts. */
import { type Facts, isKnown, isOpenShift } from "../facts";
import type { Names } from "../names";
import type { KubeObject } from "../objects";
import { ownerOf } from "../owners";
import { lineOf } from "../rbac/lines";
import { wantsAdjustment } from "../scc/refusals";
import { isPrivileged, unprivilegedFrom } from "../scc/release";
import { parseReleaseTag } from "../versions";
import { entryNames } from "../webhook/configuration";

/** Why the webhook is left alone; undefined where an admission controller is in use (S24). */
export function webhookSkip(facts: Facts): string | undefined {
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
export function sccSkip(facts: Facts, operatorVersion: string | undefined): string | undefined {
  const { names, namespace, objects } = facts;
  if (!isKnown(facts, "constraints")) return undefined;
  if (!isOpenShift(facts)) return "the cluster is not OpenShift, it has no constraints";
  const release = parseReleaseTag(operatorVersion);
  if (release !== undefined && isPrivileged({ release })) {
    return `pods of releases before ${unprivilegedFrom} need it (S31)`;
  }
  const own = objects.ecs.filter(({ metadata }) => metadata.namespace === namespace);
  const adjusting = own.length > 0 && own.every((ec) => wantsAdjustment(ec, names));
  return adjusting ? "automatic resource adjustment is asked for, which needs it (S32)" : undefined;
}

/** Why roles are left alone when no release gives its own, and this tool knows none of that release. */
export function rolesSkip(operatorVersion: string | undefined, names: Names): string | undefined {
  if (lineOf(operatorVersion, names) !== undefined) return undefined;
  const release = operatorVersion ?? "this release";
  return `the roles of ${release} do not come with this tool; with the release's own: reapply-rbac --release SOURCE`;
}
