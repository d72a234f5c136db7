/** What `upgrade` needs: what `check` reads, and what each of its parts does. */
import { listSecretsNamed } from "../../domain/checks/secrets";
import { watchNeeds } from "../../domain/admission/needs";
import { checkNeeds } from "../../domain/checks/needs";
import { type Needs, together } from "../../domain/facts/needs";
import { kinds } from "../../domain/kube/kinds";
import { permissionOn } from "../../domain/kube/permissions";
import type { UpgradePart, PartInputs } from "../../cmdutil/upgrade-part";
import type { RoleWish } from "../../cmdutil/print-role";
import { findRelease } from "../../cmdutil/release-option";
import { unreadFacts } from "../../domain/facts/facts";
import type { UpgradeFlags } from "./flags";
import { chooseParts } from "../parts";

/** As narrow as what was read allows: what may not be read is asked for wherever it may be. */
export function upgradeNeeds(
  inputs: PartInputs,
  parts: readonly Pick<UpgradePart, "needs">[],
): Needs {
  const { names, namespace } = inputs.facts;
  const uid = { why: "to know the cluster again when a saved plan is carried out" };
  const { probe } = inputs.flags;
  return together([
    checkNeeds({ names, namespace }, { secrets: listSecretsNamed(inputs.facts), probe }),
    {
      reads: [],
      beside: [],
      may: [permissionOn("get", kinds.namespace, { ...uid, name: "kube-system" })],
    },
    ...(probe ? [watchNeeds({ names, namespace })] : []),
    ...parts.flatMap(({ needs }) => needs(inputs)),
  ]);
}

/** What it may need, before anything is read. */
export async function upgradeRole({
  context,
  flags,
  namespace,
}: RoleWish<UpgradeFlags>): Promise<Needs> {
  const unread = { contents: undefined, operatorVersion: undefined, clusterTag: undefined };
  const facts = unreadFacts(context.names, namespace);
  const opened = await findRelease(context, flags);
  return upgradeNeeds({ context, flags, opened, facts, ...unread }, chooseParts(flags));
}
