/** `reapply-rbac` as a part: planned by planning.ts over a cluster, and carried out by reapply.ts (S34). */
import type { Part } from "../../kernel/part";
import { readShippedTemplates } from "../../cmdutil/release-option";
import { readDefaults } from "../../cmdutil/spec";
import type { UpgradePart, PartInputs } from "../../cmdutil/upgrade-part";
import { describeSituation } from "../../domain/checks/context";
import { type FactKey, type Facts, isKnown } from "../../domain/facts/facts";
import type { Needs } from "../../domain/facts/needs";
import { reapplyRbac } from "./flags";
import { type RbacPartWish, readWish } from "./input";
import { rbacCommand, rbacNeeds } from "./needs";
import { skipRoles } from "./gate";
import { fillsAccounts, planReapply } from "./planning";
import { openedTemplates, requireFit } from "./templates";

const both = {
  source: "S34",
  gate: skipRoles,
  settles: { areas: ["rbac"] },
  needs: listUpgradeNeeds,
} as const satisfies Partial<UpgradePart>;

/** What `upgrade` knows of the first of the two. */
export const rbacExpand: UpgradePart = {
  ...both,
  id: "rbac-expand",
  title: "Widen RBAC in the managed namespaces",
  because: "the old operator keeps what it needs, and the new one can start",
  makeParts: async (inputs) => [await makePart(inputs, "expand")],
};

/** What `upgrade` knows of the second. */
export const rbacContract: UpgradePart = {
  ...both,
  id: "rbac-contract",
  title: "Narrow RBAC to the new release",
  because: "nothing needs the old rules any more",
  makeParts: async (inputs) => [await makePart(inputs, "contract")],
};

/** What the whole upgrade asks of it; `operatorVersion`: whose roles are wanted where no release was opened. */
interface RbacInputs extends Pick<PartInputs, "context" | "opened" | "operatorVersion"> {
  readonly flags: Pick<PartInputs["flags"], "takeFields" | "probe">;
}

/** One phase of it, in every namespace that the operator is told to manage; throws UsageError for unfit files. */
export async function makePart(
  { context, flags: { takeFields, probe }, opened, operatorVersion }: RbacInputs,
  mode: "expand" | "contract",
): Promise<Part> {
  const { names } = context;
  const { namespace } = await context.connect();
  const templates =
    opened === undefined
      ? readShippedTemplates(names, operatorVersion)
      : openedTemplates(opened, names);
  requireFit(templates, names);
  const flags = { ...readDefaults(reapplyRbac), mode, takeFields, probe };
  return rbacPart(readWish(context, flags, { ...templates, given: undefined, namespace }));
}

/** Brings roles and bindings of every managed namespace up to date: `expand` only adds, `contract` takes away. */
export function rbacPart(wish: RbacPartWish): Part {
  return {
    command: rbacCommand,
    needs: (names) =>
      rbacNeeds({ ...wish, names, managed: wish.given, accounts: fillsAccounts(wish, names) }),
    plan: async (world) => await planReapply(world, wish),
  };
}

function listUpgradeNeeds({ facts, flags }: PartInputs): readonly Needs[] {
  const { names, namespace } = facts;
  return [
    rbacNeeds({
      ...{ names, namespace, prove: flags.probe },
      ...managedIn(facts),
      ...{ accounts: true, prune: false },
    }),
  ];
}

const telling: readonly FactKey[] = ["deployments", "configMaps", "namespaces"];

/** The managed namespaces, where all may be read that tells of them. */
function managedIn(facts: Facts): {
  readonly managed: readonly string[] | undefined;
  readonly label?: boolean;
} {
  const { configured, managed } = describeSituation(facts, {});
  const isTold = telling.every((key) => isKnown(facts, key)) && configured.is !== "unknown";
  if (!isTold) return { managed: undefined };
  const label = configured.is === "label";
  return { managed: configured.is === "list" ? configured.namespaces : managed, label };
}
