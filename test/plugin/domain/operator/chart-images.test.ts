import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { judgeRendered, strayImages } from "../../../../plugin/domain/operator/chart-images";
import type { Json } from "../../../../plugin/domain/base/values";

const { container, admissionContainer, deployment } = names.operator;

const anOperator = (image: unknown, admission: unknown = image): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: deployment },
  spec: {
    template: {
      spec: {
        containers: [
          { name: container, image },
          { name: admissionContainer, image: admission },
          { name: "proxy", image: "proxy:1.0.0-1" },
        ],
      },
    },
  },
});

const wish = { version: "8.0.6-8", live: undefined, namespace: "engine", names };

test.each<[string, unknown, string, KubeObject | undefined, boolean]>([
  ["the release", "op:8.0.6-8", "8.0.6-8", undefined, false],
  ["the release with a suffix", "op:8.0.6-8.rhel9", "v8.0.6-8", undefined, false],
  ["another release", "op:8.0.2-2", "8.0.6-8", undefined, true],
  ["another release, of a version of another grammar", "op:8.0.2-2", "1.2.3", undefined, false],
  ["no tag, as before", "op", "8.0.6-8", anOperator("op"), true],
  ["no tag, and another before", "op", "8.0.6-8", anOperator("op:8.0.2-2"), false],
  ["a digest, with nothing before", "op@sha256:00", "8.0.6-8", undefined, false],
  ["a digest, as before", "op@sha256:00", "8.0.6-8", anOperator("op@sha256:00"), true],
])("an image of %s is stray or not", (...[, image, version, live, stray]) => {
  const found = strayImages(anOperator(image), { ...wish, version, live });
  expect(found.map((one) => one.container)).toEqual(stray ? [container, admissionContainer] : []);
});

test.each<[string, readonly unknown[], Json, readonly string[]]>([
  ["nothing rendered", [], {}, []],
  [
    "what is no Deployment",
    ["odd", { kind: "Deployment" }, { kind: "Role", metadata: {} }],
    {},
    [],
  ],
  [
    "both containers, by two values each",
    [anOperator("hub/op:8.0.2-2", "hub/op:8.0.2-3")],
    { tag: "8.0.2-2", all: ["hub/op:8.0.2-2", 1, null], own: { tag: "8.0.2-3" } },
    ["tag (8.0.2-2), the value all[0] (hub/op:8.0.2-2)", "own.tag (8.0.2-3)"],
  ],
  ["no value", [anOperator("hub/op:8.0.2-2")], { repository: "hub/op" }, ["the chart itself"]],
])("values that pin the operator: %s", (...[, objects, values, causes]) => {
  const found = judgeRendered({ objects, values }, wish);
  expect(found.map(({ cause }) => cause)).toEqual(
    causes.map((cause) => expect.stringContaining(cause) as string),
  );
});

test.each(["engine/operator", "not an image"])(
  "%s holds nothing that a value could pin",
  (image) => {
    const rendered = { objects: [anOperator(image)], values: { image, other: "" } };
    const [finding] = judgeRendered(rendered, { ...wish, live: anOperator(image) });
    expect(finding).toMatchObject({
      object: `Deployment/engine/${deployment}`,
      cause: expect.stringContaining("the chart itself names it") as string,
    });
  },
);

test("several values are told as several", () => {
  const values = { a: "8.0.2-2", b: "8.0.2-2" };
  const [finding] = judgeRendered({ objects: [anOperator("op:8.0.2-2")], values }, wish);
  expect(finding?.fix).toContain("in which a, b are of 8.0.6-8");
});
