/** What `recover` and `check` say of one standstill, as codes with their objects. */
import { judgeChecks } from "../../../../plugin/commands/checks";
import { clusterFindings } from "../../../../plugin/domain/engine-cluster/findings";
import type { Facts } from "../../../../plugin/domain/facts/facts";
import { classifyFreeze } from "../../../../plugin/domain/recovery/classify";
import { rollFindings } from "../../../../plugin/domain/rollout/findings";

/** The codes that both of them tell. */
const shared = new Set<string>(
  [
    ...Object.values(rollFindings),
    ...[clusterFindings.quorumLost, clusterFindings.mistakenTag, clusterFindings.notTakenUp],
    ...[clusterFindings.scaled, clusterFindings.license, clusterFindings.databaseOld],
    { code: "LICENSE-EXPIRED" },
  ].map(({ code }) => code),
);

const labelled = (found: readonly { readonly code: string; readonly object?: string }[]) =>
  [
    ...new Set(
      found.filter(({ code }) => shared.has(code)).map(({ code, object }) => `${code} ${object}`),
    ),
  ].toSorted();

/** The causes that `recover` names, frozen or not. */
export function toldByRecover(facts: Facts): readonly string[] {
  const [ec] = facts.objects.ecs;
  if (ec === undefined) throw new Error("the scene has an EC");
  return labelled(classifyFreeze(facts, ec).causes.map(({ finding }) => finding));
}

/** The errors of `check` about the same. */
export function toldByCheck(facts: Facts): readonly string[] {
  return labelled(judgeChecks(facts, {}).findings.filter(({ severity }) => severity === "error"));
}
