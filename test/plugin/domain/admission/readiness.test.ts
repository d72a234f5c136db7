/** Whether the operator is ready, and how many endpoints are. */
import type { Deployment, EndpointSlice } from "../../../../plugin/domain/kube/models";
import { judgeOperator, readyEndpoints } from "../../../../plugin/domain/admission/configuration";
import { aDeployment, anEndpointSlice } from "../../../support/builders";

const operator = (
  spec: Deployment["spec"],
  status: Deployment["status"],
  metadata: object = {},
): Deployment => ({
  ...aDeployment("engine"),
  metadata: { name: "engine-enterprise-operator", namespace: "engine", ...metadata },
  spec,
  status,
});
const ready = { readyReplicas: 1, updatedReplicas: 1, availableReplicas: 1 };

test.each<readonly [string, Deployment | undefined, readonly string[]]>([
  ["a ready operator", aDeployment("engine"), []],
  ["no Deployment of the operator in the namespace", undefined, []],
  ["a Deployment that does not say how many replicas it wants", operator({}, ready), []],
  ["an operator scaled to none", operator({ replicas: 0 }, {}), ["OPERATOR-NOT-READY"]],
  [
    "a status of an older generation",
    operator({}, { ...ready, observedGeneration: 1 }, { generation: 2 }),
    ["OPERATOR-NOT-READY"],
  ],
  ["no status", operator({}, undefined), ["OPERATOR-NOT-READY"]],
  ["a status of null", operator({}, null), ["OPERATOR-NOT-READY"]],
])("what keeps calls from being answered: %s", (_title, deployment, expected) => {
  expect(judgeOperator(deployment).map(({ code }) => code)).toEqual(expected);
});

test("the counts and the reason of the Deployment are shown", () => {
  const conditions = [
    { type: "Available", status: "True", message: "fine" },
    { type: "Progressing", status: "False", message: "image cannot be pulled" },
  ];
  expect(judgeOperator(operator({ replicas: 2 }, { readyReplicas: 1, conditions }))).toMatchObject([
    {
      object: "Deployment/engine/engine-enterprise-operator",
      cause:
        "the operator is not ready: 1 ready, 0 up to date, 0 available of 2 (image cannot be pulled)",
    },
  ]);
});

test.each<[string, EndpointSlice["endpoints"], number]>([
  ["a missing condition counts as ready", [{ addresses: ["a"] }], 1],
  ["every address counts", [{ addresses: ["a", "b"], conditions: { ready: true } }], 2],
  ["one that is not ready", [{ addresses: ["a"], conditions: { ready: false } }], 0],
  ["one without addresses", [{ conditions: { ready: true } }], 0],
  ["a null list", null, 0],
  ["endpoints that say nothing", [{}], 0],
])("ready endpoints: %s", (_title, endpoints, expected) => {
  const slice: EndpointSlice = { ...anEndpointSlice("engine"), endpoints };
  expect(readyEndpoints([slice])).toBe(expected);
});

test("a pod with an address of each family is one that answers, not two", () => {
  const family = (addressType: string, address: string): EndpointSlice => {
    const targetRef = { kind: "Pod", name: "webhook-1" };
    return {
      ...anEndpointSlice("engine"),
      addressType,
      endpoints: [{ addresses: [address], targetRef }],
    };
  };
  expect(readyEndpoints([family("IPv4", "10.0.0.1"), family("IPv6", "fd00::1")])).toBe(1);
});
