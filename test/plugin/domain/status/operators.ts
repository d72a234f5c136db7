/** The operator's Deployment with an environment. */
import type { KubeObject } from "../../../../plugin/domain/objects";
import { anOperator } from "../cluster/scene";

/** A healthy one, whose container has these entries. */
export function aDeploymentWith(env: readonly object[], tag = "8.0.2-2"): KubeObject {
  const container = {
    name: "engine-enterprise-operator",
    image: `engine/operator:${tag}`,
    env,
  };
  return {
    ...anOperator(tag),
    spec: { replicas: 1, template: { spec: { containers: [container] } } },
  };
}
