/** The parts of a whole upgrade, each as its room exports it; their order is that of `partIds` (S9; domain facts 12). */
import { type PartId, partIds } from "../domain/base/part-ids";
import type { UpgradePart } from "../cmdutil/upgrade-part";
import { rbacContract, rbacExpand } from "./reapply-rbac/part";
import { scc } from "./unbind-scc/part";
import { autoOff, cluster } from "./upgrade-cluster/part";
import { databases } from "./upgrade-database/part";
import { operator } from "./upgrade-operator/part";
import { webhook } from "./upgrade-webhook/part";

const known: Readonly<Record<PartId, UpgradePart>> = {
  "auto-off": autoOff,
  "rbac-expand": rbacExpand,
  operator,
  webhook,
  cluster,
  scc,
  "rbac-contract": rbacContract,
  databases,
};

/** Those that `--only` names, in the order of an upgrade; every part where it names none. */
export function chooseParts({
  only,
}: {
  readonly only: readonly PartId[];
}): readonly UpgradePart[] {
  return listParts().filter(({ id }) => only.length === 0 || only.includes(id));
}

/** Every part, in the order of an upgrade. */
export function listParts(): readonly UpgradePart[] {
  return partIds.map((id) => known[id]);
}
