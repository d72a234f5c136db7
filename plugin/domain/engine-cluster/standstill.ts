/** What an EC stands still for, as every command judges it. */
import type { Facts } from "../facts/facts";
import { type KubeObject, readName } from "../kube/objects";
import { oncePer } from "../base/values";
import type { Finding } from "../base/findings";
import { type Progress, stallFinding } from "../rollout/progress";
import { judgeCluster } from "./rollout";

/** What an EC stands still for, the first to be handled first; none while it moves or is done. */
export function findStandstill(facts: Facts, ec: KubeObject): readonly Finding[] {
  const known = standstills(facts);
  const found = known.get(ec) ?? listStalls(judgeCluster(facts, readName(ec)));
  known.set(ec, found);
  return found;
}

/** Each EC is judged once, however many checks ask. */
const standstills = oncePer<Facts, Map<KubeObject, readonly Finding[]>>(() => new Map());

/** The cause of a stall, and those beside it. */
export function listStalls(progress: Progress): readonly Finding[] {
  if (progress.is !== "stalled") return [];
  return [progress, ...(progress.beside ?? [])].map(stallFinding);
}
