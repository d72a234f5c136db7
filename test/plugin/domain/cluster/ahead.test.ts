import { withOperator } from "../../../../plugin/domain/cluster/operator";
import type { KubeObject } from "../../../../plugin/domain/objects";
import { judgeDeployment } from "../../../../plugin/domain/rollout/deployment";
import { getPath, asArray, getOwn } from "../../../../plugin/domain/values";
import { anOperator, factsOf } from "./scene";

const name = "engine-enterprise-operator";
const other: KubeObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "other", namespace: "engine" },
};

const ahead = (...deployments: readonly KubeObject[]): readonly KubeObject[] =>
  withOperator(factsOf({ deployments }), "8.0.2-2").objects.deployments;

const images = (deployment: KubeObject | undefined): readonly unknown[] =>
  asArray(getPath(deployment, ["spec", "template", "spec", "containers"])).map((one) =>
    getOwn(one, "image"),
  );

test("the operator counts as upgraded, both containers, and ready", () => {
  const facts = withOperator(factsOf({ deployments: [anOperator("7.4.2-2", 0)] }), "8.0.2-2");
  const [deployment] = facts.objects.deployments;
  expect(images(deployment)).toEqual(["engine/operator:8.0.2-2", "engine/operator:8.0.2-2"]);
  expect(judgeDeployment(facts, name).is).toBe("done");
});

test("what belongs to others stays as it is", () => {
  expect(ahead(other, anOperator())[0]).toBe(other);
});

test("one that lacks every part is completed as far as that is read", () => {
  const bare = { ...other, metadata: { ...other.metadata, name } };
  const [deployment] = ahead(bare);
  expect(images(deployment)).toEqual([]);
  expect(getPath(deployment, ["status", "readyReplicas"])).toBe(1);
});

test("the facts that were read are not touched", () => {
  const facts = factsOf({ deployments: [anOperator("7.4.2-2")] });
  withOperator(facts, "8.0.2-2");
  expect(images(facts.objects.deployments[0])[0]).toBe("engine/operator:7.4.2-2");
});
