/** Whether a StatefulSet asks for the pods that its EC asks for: the EC's number of nodes is the wish. */
import { factNamed, type Facts } from "../facts/facts";
import type { Finding } from "../base/findings";
import { renderTerm } from "../names/names";
import type { StatefulSet } from "../kube/models";
import { type KubeObject, objectLabel } from "../kube/objects";
import { numberAt } from "../base/values";
import { kubectl } from "../base/remedy";
import { findWriter } from "../rollout/stateful-set";
import { clusterFinding } from "./findings";

/** The pods that an EC and its StatefulSet ask for. */
interface Scale {
  readonly set: StatefulSet;
  readonly replicas: number;
  readonly nodes: number;
}

/** What an operator gives an EC that does not say how many. */
export const usualNodes = 3;

/** How many nodes an EC asks for; none is not a wish. */
export function readNodes({ names }: Pick<Facts, "names">, ec: KubeObject): number {
  return Math.max(1, numberAt(ec, names.ecFields.nodes, usualNodes));
}

/** Undefined where the EC has no StatefulSet yet. */
function readScale(facts: Facts, ec: KubeObject): Scale | undefined {
  const [name, namespace] = [String(ec.metadata.name), String(ec.metadata.namespace)];
  const set = factNamed(facts, "statefulSets", { name, namespace });
  if (set === undefined) return undefined;
  return {
    set,
    replicas: set.spec?.replicas ?? 1,
    nodes: readNodes(facts, ec),
  };
}

/** A StatefulSet with fewer pods than the EC has nodes, who scaled it, and what brings it back. */
export function findScaledCauses(facts: Facts, ec: KubeObject): readonly Finding[] {
  const scale = readScale(facts, ec);
  if (scale === undefined || scale.replicas >= scale.nodes) return [];
  const { set, replicas, nodes } = scale;
  const { name, namespace } = set.metadata;
  const term = renderTerm(facts.names.ec);
  const back = [
    "scale",
    "statefulset",
    String(name),
    `--replicas=${nodes}`,
    "-n",
    String(namespace),
  ];
  return [
    clusterFinding(
      "scaled",
      {
        object: objectLabel(set),
        field: "spec.replicas",
        cause: `it asks for ${replicas} ${replicas === 1 ? "pod" : "pods"}, and its ${term} for ${nodes} nodes${findWriter(set, ["f:spec", "f:replicas"])}`,
        remedies: [
          {
            ...kubectl("bring it back to that number", ...back),
            then: { says: "where the operator runs, read in its log why it did not do so itself" },
          },
        ],
      },
      facts.names,
    ),
  ];
}
