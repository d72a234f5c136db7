/** The check of modules at the end of their life, and what it takes over from other checks (S103). */
import type { Found } from "../diagnosis/symptom";
import { listDatabases } from "../engine-cluster/causes";
import {
  isBeforeRetirement,
  listRetiredUses,
  listUnreadLists,
  renderRetired,
  renderUnreadLists,
  type RetiredUse,
  stopsUpgrade,
} from "../engine-cluster/retired-modules";
import type { KubeObject } from "../kube/objects";
import { type RetiredModule, retiredModules } from "../release/retired-modules";
import { asString, getPath } from "../base/values";
import { type CheckContext, isBefore, parseTag } from "./context";

/** The wanted release cannot have the module; without one none can, as for the new OS base. */
const isDue =
  ({ wanted }: CheckContext) =>
  ({ from }: RetiredModule): boolean =>
    wanted === undefined || !isBefore(wanted, from);

/** The modules that an EC lists and the wanted release cannot have. */
function listDue(situation: CheckContext, ec: KubeObject): readonly RetiredUse[] {
  const { facts, names } = situation;
  const databases = listDatabases(facts, ec);
  return listRetiredUses({ ec, names, databases }).filter(({ row }) => isDue(situation)(row));
}

/** What reports on which OS base the nodes of an EC are: its own tag, and its operator. */
export function listTags(
  cluster: KubeObject,
  { installed, names }: CheckContext,
): readonly string[] {
  const told = [parseTag(asString(getPath(cluster, names.ecFields.versionTag))), installed];
  return told.flatMap((one) => one?.tag ?? []);
}

/** The module is judged as one at the end of its life: to define or to build it would help nobody. */
export function isRetiredBy(situation: CheckContext, cluster: KubeObject, module: string): boolean {
  return listDue(situation, cluster).some(({ called }) => called(module));
}

/** What stands against the wanted release, and what cannot be seen. */
export function judgeRetired(cluster: KubeObject, situation: CheckContext): readonly Found[] {
  const { facts, names } = situation;
  const tags = listTags(cluster, situation);
  const found = listDue(situation, cluster).filter((use) =>
    stopsUpgrade(use, !isBeforeRetirement(use.row, tags)),
  );
  if (found.length > 0) return found.map((use) => renderRetired(cluster, use, names));
  const isOpen = retiredModules
    .filter(isDue(situation))
    .some((row) => isBeforeRetirement(row, tags));
  const unread = isOpen ? listUnreadLists(facts, cluster) : [];
  return unread.length === 0 ? [] : [renderUnreadLists(cluster, unread, names)];
}
