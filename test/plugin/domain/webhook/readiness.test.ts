import { defaultNames } from "../../../../plugin/domain/names";
import type { KubeObject } from "../../../../plugin/domain/objects";
import {
  judgeServer,
  readyEndpoints,
  type ServerFacts,
} from "../../../../plugin/domain/webhook/readiness";
import { aDeployment, anEndpointSlice, aService } from "../../../support/builders";
import { hostile } from "./hostile";

const facts: ServerFacts = {
  namespace: "engine",
  serviceName: "admission",
  service: aService("engine"),
  slices: [anEndpointSlice("engine")],
  deployment: aDeployment("engine"),
};
const codes = (changes: Partial<ServerFacts>): readonly string[] =>
  judgeServer({ ...facts, ...changes }, defaultNames).map(({ code }) => code);
const deployment = (spec: object, status: object, metadata: object = {}): KubeObject => ({
  ...aDeployment("engine"),
  metadata: { name: "engine-enterprise-operator", ...metadata },
  spec,
  status,
});
const ready = { readyReplicas: 1, updatedReplicas: 1, availableReplicas: 1 };

describe("calls can be answered", () => {
  test.each<[string, Partial<ServerFacts>]>([
    ["with a ready operator and endpoint", {}],
    ["without the operator's Deployment in the namespace", { deployment: undefined }],
    [
      "by a Deployment that does not say how many replicas it wants",
      { deployment: deployment({}, ready) },
    ],
    [
      "by one of several slices",
      { slices: [anEndpointSlice("engine", false), anEndpointSlice("engine")] },
    ],
  ])("%s", (_title, changes) => {
    expect(codes(changes)).toEqual([]);
  });
});

describe("calls cannot be answered", () => {
  test.each<[string, Partial<ServerFacts>, readonly string[]]>([
    ["without the Service", { service: undefined }, ["WEBHOOK-SERVICE-MISSING"]],
    ["without slices", { slices: [] }, ["WEBHOOK-NO-ENDPOINTS"]],
    [
      "without a ready endpoint",
      { slices: [anEndpointSlice("engine", false)] },
      ["WEBHOOK-NO-ENDPOINTS"],
    ],
    [
      "by an operator with no ready replica",
      { deployment: aDeployment("engine", 0) },
      ["OPERATOR-NOT-READY"],
    ],
    [
      "by an operator scaled to none",
      { deployment: deployment({ replicas: 0 }, {}) },
      ["OPERATOR-NOT-READY"],
    ],
    ["by an operator without a status", { deployment: deployment({}, {}) }, ["OPERATOR-NOT-READY"]],
    [
      "by a status of an older generation",
      { deployment: deployment({}, { ...ready, observedGeneration: 1 }, { generation: 2 }) },
      ["OPERATOR-NOT-READY"],
    ],
    [
      "and everything is told at once",
      { service: undefined, deployment: aDeployment("engine", 0) },
      ["WEBHOOK-SERVICE-MISSING", "OPERATOR-NOT-READY"],
    ],
  ])("%s", (_title, changes, expected) => {
    expect(codes(changes)).toEqual(expected);
  });

  test("the counts and the reason of the Deployment are shown", () => {
    const conditions = [
      { type: "Available", status: "True", message: "fine" },
      { type: "Progressing", status: "False", message: "image cannot be pulled" },
    ];
    const [finding] = judgeServer(
      { ...facts, deployment: deployment({ replicas: 2 }, { readyReplicas: 1, conditions }) },
      defaultNames,
    );
    expect(finding?.cause).toBe(
      "the operator is not ready: 1 ready, 0 up to date, 0 available of 2 (image cannot be pulled)",
    );
    expect(finding?.object).toBe("Deployment/engine/engine-enterprise-operator");
  });
});

describe("ready endpoints", () => {
  const slice = (endpoints: unknown): KubeObject => ({ ...anEndpointSlice("engine"), endpoints });
  test.each<[string, unknown, number]>([
    ["a missing condition counts as ready", [{ addresses: ["a"] }], 1],
    ["every address counts", [{ addresses: ["a", "b"], conditions: { ready: true } }], 2],
    [
      "one that is not ready does not count",
      [{ addresses: ["a"], conditions: { ready: false } }],
      0,
    ],
    ["one without addresses does not count", [{ conditions: { ready: true } }], 0],
    ["a null list is empty", null, 0],
    ["what is no endpoint has no address", [null, "x", 1], 0],
  ])("%s", (_title, endpoints, expected) => {
    expect(readyEndpoints([slice(endpoints)])).toBe(expected);
  });
});

test.each(hostile)("a status that is %s is not ready, and nothing throws", (_title, value) => {
  const object = { ...aDeployment("engine"), status: value };
  expect(codes({ deployment: object })).toEqual(["OPERATOR-NOT-READY"]);
});
