import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { fitObject } from "../../../../plugin/adapters/schema/fit";

const object = (kind: string, fields: object, apiVersion = "v1"): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: "x", namespace: "a" },
  ...fields,
});
const pod = (spec: object): KubeObject => object("Pod", { spec });
const definition = (schema: unknown): KubeObject =>
  object(
    "CustomResourceDefinition",
    { spec: { versions: [{ name: "v1", schema: { openAPIV3Schema: schema } }] } },
    "apiextensions.k8s.io/v1",
  );

test.each<[string, KubeObject]>([
  ["nulls", pod({ containers: null, nodeName: null })],
  ["fields that the kind does not know", pod({ containers: [{ name: "c", later: [1] }] })],
  [
    "numbers and names of ports",
    object("Service", { spec: { ports: [{ targetPort: 8443 }, { targetPort: "https" }] } }),
  ],
  ["a whole number where any number may be", definition({ maximum: 1, minimum: 0.5 })],
  [
    "a list, or true, as a schema",
    definition({ items: [{ type: "string" }], additionalProperties: true }),
  ],
  ["any default", definition({ properties: { x: { default: [{ y: 1 }], enum: [1, "a", null] } } })],
  [
    "a kind that is not built in",
    object("EngineEnterpriseCluster", { spec: { nodes: "3" } }, "app.engine.com/v1"),
  ],
  ["a kind of that name in another group", object("Pod", { spec: 7 }, "x.io/v1")],
])("%s: the object stays as it is", (_name, given) => {
  const fitted = fitObject(given);
  expect(fitted.misfits).toEqual([]);
  expect(fitted.object).toBe(given);
});

test.each<[string, KubeObject, object, readonly string[]]>([
  [
    "a text for a list",
    pod({ containers: "x", nodeName: "n" }),
    { spec: { nodeName: "n" } },
    ["spec.containers is a text, not a list"],
  ],
  ["a number for a map", pod(7 as never), {}, ["spec is a number, not a map"]],
  ["a map for a text", pod({ nodeName: {} }), { spec: {} }, ["spec.nodeName is a map, not a text"]],
  [
    "a text for true or false",
    pod({ hostNetwork: "yes" }),
    { spec: {} },
    ["spec.hostNetwork is a text, not true or false"],
  ],
  [
    "items of a list",
    pod({ containers: [{ name: "a", image: 7 }, null, "b", { name: "c" }] }),
    { spec: { containers: [{ name: "a" }, { name: "c" }] } },
    [
      "spec.containers[0].image is a number, not a text",
      "spec.containers[1] is null, not a map",
      "spec.containers[2] is a text, not a map",
    ],
  ],
  [
    "true for a number",
    object("Deployment", { spec: { replicas: true } }, "apps/v1"),
    { spec: {} },
    ["spec.replicas is true, not an integer of 32 bits"],
  ],
  [
    "a number that is too large",
    object("Deployment", { spec: { replicas: 2 ** 40 } }, "apps/v1"),
    { spec: {} },
    ["spec.replicas is a number, not an integer of 32 bits"],
  ],
  [
    "a value of a map",
    object("ConfigMap", { data: { a: "1", b: 2 } }),
    { data: { a: "1" } },
    ["data.b is a number, not a text"],
  ],
  [
    "a list for a port",
    object("Service", { spec: { ports: [{ targetPort: [] }] } }),
    { spec: { ports: [{}] } },
    ["spec.ports[0].targetPort is a list, not an integer or a text"],
  ],
  [
    "a map for a quantity",
    object("PersistentVolumeClaim", { status: { capacity: { storage: {} } } }),
    { status: { capacity: {} } },
    ["status.capacity.storage is a map, not a text"],
  ],
  [
    "a text for a schema",
    definition({ properties: { x: "y" }, oneOf: [7, { type: "object" }] }),
    {},
    [
      "spec.versions[0].schema.openAPIV3Schema.properties.x is a text, not a map",
      "spec.versions[0].schema.openAPIV3Schema.oneOf[0] is a number, not a map",
    ],
  ],
])("%s is removed and named", (_name, given, left, named) => {
  const { object: fitted, misfits } = fitObject(given);
  expect(misfits.map(({ field, found, wanted }) => `${field} is ${found}, not ${wanted}`)).toEqual(
    named,
  );
  expect(fitted).toMatchObject(left);
  expect(fitObject(fitted)).toEqual({ object: fitted, misfits: [] });
});

test("metadata is the same for every kind", () => {
  const given = object("EngineEnterpriseCluster", {}, "app.engine.com/v1");
  const bad = { ...given, metadata: { ...given.metadata, ownerReferences: [7] as never } };
  const { object: fitted, misfits } = fitObject(bad);
  expect(fitted.metadata.ownerReferences).toEqual([]);
  expect(misfits.map(({ field }) => field)).toEqual(["metadata.ownerReferences[0]"]);
});

test("null in the metadata is as good as nothing", () => {
  const given = pod({});
  const bad = { ...given, metadata: { ...given.metadata, uid: null as never } };
  expect(fitObject(bad)).toEqual({ object: given, misfits: [] });
});

test("a quantity that is a number is the text that an API server stores", () => {
  const given = pod({ containers: [{ name: "c", resources: { limits: { cpu: 2 } } }] });
  const { object: fitted, misfits } = fitObject(given);
  expect(misfits).toEqual([]);
  expect(fitted).toMatchObject({ spec: { containers: [{ resources: { limits: { cpu: "2" } } }] } });
});
