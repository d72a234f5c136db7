import { operatorFindings, operatorRelease } from "../../../../plugin/domain/cluster/operator";
import type { KubeObject } from "../../../../plugin/domain/objects";
import { anEc, anOperator, factsOf, newTag } from "./scene";

const release = (deployment?: KubeObject) =>
  operatorRelease(factsOf({ deployments: deployment === undefined ? [] : [deployment] }));

test.each<[string, KubeObject | undefined, object]>([
  ["the image's tag", anOperator(), { version: "8.0.2-2", clusterTag: newTag }],
  [
    "a release that is not listed",
    anOperator("8.0.2-9"),
    { version: "8.0.2-9", clusterTag: undefined },
  ],
  [
    "the chart's annotation, where the tag is none",
    {
      ...anOperator("latest"),
      metadata: {
        ...anOperator().metadata,
        annotations: { "engine.io/operator-ver": "8.0.2-2" },
      },
    },
    { version: "8.0.2-2", clusterTag: newTag },
  ],
  ["nothing", anOperator("latest"), { version: undefined, clusterTag: undefined }],
  ["no operator", undefined, { version: undefined, clusterTag: undefined }],
])("the operator's release is told by %s", (_title, deployment, expected) => {
  expect(release(deployment)).toEqual(expected);
});

const paused: KubeObject = {
  ...anOperator(),
  spec: { ...(anOperator()["spec"] as object), paused: true },
};

const codes = (deployments: readonly KubeObject[], wish: { auto: boolean; tag?: string }) =>
  operatorFindings(factsOf({ deployments }), anEc(), wish).map(({ code }) => code);

test.each<[string, readonly KubeObject[], { auto: boolean; tag?: string }, readonly string[]]>([
  ["the tag that it manages", [anOperator()], { auto: false, tag: newTag }, []],
  ["its small image", [anOperator()], { auto: false, tag: `v${newTag}.minimal` }, []],
  ["auto, and it is known what it brings", [anOperator()], { auto: true }, []],
  ["another tag", [anOperator()], { auto: false, tag: "8.0.6-54" }, ["CLUSTER-TARGET-NOT-MANAGED"]],
  [
    "what is not a tag",
    [anOperator()],
    { auto: false, tag: "latest" },
    ["CLUSTER-TARGET-NOT-MANAGED"],
  ],
  [
    "another than auto would bring",
    [anOperator()],
    { auto: true, tag: "8.0.6-54" },
    ["CLUSTER-TARGET-NOT-MANAGED"],
  ],
  [
    "a later line than an operator of which no pair is known",
    [anOperator("7.8.2-6")],
    { auto: false, tag: newTag },
    ["CLUSTER-TARGET-NOT-MANAGED"],
  ],
  [
    "the line of an operator of which no pair is known, by a higher build",
    [anOperator("8.0.2-9")],
    { auto: false, tag: "8.0.2-99" },
    ["CLUSTER-OPERATOR-UNKNOWN"],
  ],
  [
    "a pair that is not known",
    [anOperator("8.9.0-1")],
    { auto: false, tag: newTag },
    ["CLUSTER-OPERATOR-UNKNOWN"],
  ],
  [
    "an operator without a release",
    [anOperator("x")],
    { auto: false, tag: newTag },
    ["CLUSTER-OPERATOR-UNKNOWN"],
  ],
  [
    "auto, and it is not known what comes",
    [anOperator("8.9.0-1")],
    { auto: true },
    ["CLUSTER-AUTO-TARGET-UNKNOWN"],
  ],
  [
    "auto, unknown, and a tag to expect",
    [anOperator("8.9.0-1")],
    { auto: true, tag: newTag },
    ["CLUSTER-OPERATOR-UNKNOWN"],
  ],
  [
    "an operator that is not ready",
    [anOperator("8.0.2-2", 0)],
    { auto: false, tag: newTag },
    ["OPERATOR-NOT-READY"],
  ],
  ["an operator that is paused", [paused], { auto: false, tag: newTag }, ["OPERATOR-NOT-READY"]],
  ["no operator", [], { auto: false, tag: newTag }, ["CLUSTER-OPERATOR-ABSENT"]],
])("%s", (_title, ...[deployments, wish, expected]) => {
  expect(codes(deployments, wish)).toEqual(expected);
});

test("an operator that could not be read is not called absent", () => {
  const facts = factsOf({}, { unread: new Map([["deployments", "forbidden"]]) });
  expect(operatorFindings(facts, anEc(), { auto: false, tag: newTag })).toEqual([]);
});
