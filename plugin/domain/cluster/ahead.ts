/** Facts as they will be once the operator is upgraded: what is planned before it counts on that (S9). */
import type { Facts } from "../facts";
import type { KubeObject } from "../objects";
import { at, isObject, type Json, list } from "../values";

/** The facts with an operator of this release, ready: the upgrade goes on only when it is. */
export function withOperator(facts: Facts, version: string): Facts {
  const { operator, images } = facts.names;
  const image = `${images.operator}:${version}`;
  const deployments = facts.objects.deployments.map((deployment) =>
    deployment.metadata.name === operator.deployment ? withImage(deployment, image) : deployment,
  );
  return { ...facts, objects: { ...facts.objects, deployments } };
}

function withImage(deployment: KubeObject, image: string): KubeObject {
  const spec = group(deployment, ["spec"]);
  const template = group(spec, ["template"]);
  const podSpec = group(template, ["spec"]);
  const containers = list(podSpec["containers"]).map((each) => ({ ...group(each, []), image }));
  return {
    ...deployment,
    spec: { ...spec, replicas: 1, template: { ...template, spec: { ...podSpec, containers } } },
    status: {
      observedGeneration: deployment.metadata.generation,
      replicas: 1,
      updatedReplicas: 1,
      readyReplicas: 1,
      availableReplicas: 1,
    },
  };
}

function group(value: unknown, path: readonly string[]): Json {
  const found = at(value, path);
  return isObject(found) ? found : {};
}
