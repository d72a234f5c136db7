/** Who installed the operator, and what follows from it (domain facts 5, 8). */
import type { KubeObject } from "../objects";
import { operatorFindings } from "../operator/codes";
import { ownerOf } from "../owners";
import { at } from "../values";
import { type Check, checksOf, type Found, on } from "./check";
import { isBefore, type Situation } from "./situation";

const { shared, warning } = checksOf("operator");

/** The checks of an operator that somebody else looks after. */
export const operatorOwnerChecks: readonly Check[] = [
  shared(operatorFindings.owned, {
    title: "A bundle may be applied over the operator",
    needs: ["deployments"],
    judge: judgeOwner,
  }),
  warning("OPERATOR-OLM-AUTOMATIC", "domain facts 8", {
    title: "OLM upgrades the operator only when it is told to",
    cause: "the Subscription approves by itself: the operator may be upgraded at any time",
    fix: "set installPlanApproval of the Subscription to Manual",
    needs: ["deployments", "subscriptions"],
    judge: ({ deployment, facts }) =>
      ownerName(deployment) !== "OLM"
        ? []
        : facts.objects.subscriptions
            .filter((one) => at(one, ["spec", "installPlanApproval"]) !== "Manual")
            .map((one) => on(one, "it does not wait for an approval")),
  }),
  warning("OPERATOR-OLM-CLUSTER-NAME", "domain facts 5", {
    title: "The cluster has the name that OLM installations ask for",
    cause: "where OLM installed the operator, its rights are for a cluster of one fixed name",
    fix: "make the cluster under that name, or install the operator by its bundle",
    needs: ["deployments", "ecs"],
    judge: ({ deployment, clusters, names }) =>
      ownerName(deployment) !== "OLM"
        ? []
        : clusters
            .filter(({ metadata }) => metadata.name !== names.operator.olmCluster)
            .map((one) => on(one, `OLM's operator expects the name ${names.operator.olmCluster}`)),
  }),
  warning("OPERATOR-CHART-NAMESPACES", "domain facts 8", {
    title: "The chart covers what the operator manages",
    cause: "the chart does not bring the roles of other namespaces, which this operator manages",
    fix: "run reapply-rbac around the upgrade by the chart",
    needs: ["deployments", "configMaps", "namespaces"],
    judge: ({ deployment, managed }) =>
      deployment !== undefined && ownerName(deployment) === "Helm" && managed.length > 0
        ? [on(deployment, `it is the chart's and manages other namespaces: ${managed.length}`)]
        : [],
  }),
];

function ownerName(deployment: KubeObject | undefined): string | undefined {
  return deployment === undefined ? undefined : ownerOf(deployment)?.name;
}

/** Of the operator itself; every other owner's way holds for all objects. */
const ways: Readonly<Record<string, string>> = {
  Helm: "upgrade it with its chart: upgrade-operator --chart",
  OLM: "approve the InstallPlan of its Subscription",
};

/** Without a bundle that would be applied, or where OLM has brought its release, it is only to be known. */
function judgeOwner(situation: Situation): readonly Found[] {
  const { deployment, target } = situation;
  const owner = deployment === undefined ? undefined : ownerOf(deployment);
  if (deployment === undefined || owner === undefined) return [];
  const applies = (target.contents?.bundle.length ?? 0) > 0;
  const left = owner.name === "OLM" && !isBehind(situation);
  const severity = applies && !left ? "error" : "warning";
  const fix = ways[owner.name] ?? owner.way;
  return [on(deployment, `${owner.name} owns the operator`, { severity, fix })];
}

/** A release that is not known counts as behind. */
function isBehind({ installed, wanted }: Situation): boolean {
  return installed === undefined || wanted === undefined || isBefore(installed, wanted.tag);
}
