import { withOperator } from "../../../../plugin/domain/cluster/ahead";
import { operatorRelease } from "../../../../plugin/domain/cluster/operator";
import { factKeys, type Facts } from "../../../../plugin/domain/facts";
import { defaultNames } from "../../../../plugin/domain/names";
import type { KubeObject } from "../../../../plugin/domain/objects";
import { judgeDeployment } from "../../../../plugin/domain/rollout/deployment";

const { deployment, container, admissionContainer } = defaultNames.operator;

function facts(deployments: readonly KubeObject[]): Facts {
  const none = Object.fromEntries(factKeys.map((key) => [key, []]));
  return {
    names: defaultNames,
    now: 0,
    namespace: "engine",
    apiServer: undefined,
    objects: { ...(none as unknown as Facts["objects"]), deployments },
    unserved: new Set(),
    unread: new Map(),
  };
}

function named(name: string, spec?: unknown): KubeObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "engine" },
    spec,
    status: { readyReplicas: 0 },
  };
}

const containers = [container, admissionContainer].map((name) => ({
  name,
  image: "mirror.example:5000/operator:7.4.2-2@sha256:aa",
  ports: [1],
}));

test("the operator counts as of the release ahead and as ready, the rest is as it was read", () => {
  const other = named("other", { replicas: 3 });
  const before = facts([
    named(deployment, { replicas: 1, template: { spec: { containers } } }),
    other,
  ]);
  const after = withOperator(before, "8.0.2-2");
  expect(operatorRelease(before).version).toBe("7.4.2-2");
  expect(operatorRelease(after)).toEqual({ version: "8.0.2-2", clusterTag: "8.0.2-17" });
  expect(after.objects.deployments[0]).toMatchObject({
    spec: {
      replicas: 1,
      template: { spec: { containers: [{ name: container, ports: [1] }, {}] } },
    },
  });
  expect(judgeDeployment(before, deployment).is).not.toBe("done");
  expect(judgeDeployment(after, deployment).is).toBe("done");
  expect(after.objects.deployments[1]).toBe(other);
});

test.each([
  ["no operator", []],
  ["one without a spec", [named(deployment)]],
  [
    "one with a container that is none",
    [named(deployment, { template: { spec: { containers: [1] } } })],
  ],
])("facts with %s stay facts", (_, deployments) => {
  const after = withOperator(facts(deployments), "8.0.2-2");
  expect(after.objects.deployments).toHaveLength(deployments.length);
});
