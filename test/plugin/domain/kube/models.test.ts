/**
 * Objects of Kubernetes' own kinds have the types of their kind. Each line below an expected error is one
 * that a misspelled or mistyped field must not pass: the compiler refuses the file where a line compiles.
 */
import type {
  Deployment,
  EndpointSlice,
  Event,
  Pod,
  ReplicaSet,
  SchemaProps,
  Service,
  ValidatingWebhook,
} from "../../../../plugin/domain/kube/models";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { asKind, isKind, ofKind } from "../../../../plugin/domain/kube/typed";

const metadata = { name: "ec-0", namespace: "engine" };
const pod = { apiVersion: "v1", kind: "Pod", metadata } as const;
const service = { apiVersion: "v1", kind: "Service", metadata } as const;
const deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata } as const;
const set = { apiVersion: "apps/v1", kind: "ReplicaSet", metadata } as const;
const slice = { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", metadata } as const;
const event = { apiVersion: "v1", kind: "Event", metadata } as const;

const refused: readonly (readonly [what: string, value: object])[] = [
  // @ts-expect-error a field of the object
  ["sttus", { ...pod, sttus: {} } satisfies Pod],
  // @ts-expect-error a field below the object
  ["phse", { ...pod, status: { phse: "Running" } } satisfies Pod],
  // @ts-expect-error a field of a list's item
  ["imge", { ...pod, spec: { containers: [{ imge: "engine" }] } } satisfies Pod],
  // @ts-expect-error a field of an item below a list's item
  ["prt", { ...pod, spec: { containers: [{ ports: [{ prt: 1 }] }] } } satisfies Pod],
  // @ts-expect-error metadata of a template
  ["lables", { ...set, spec: { template: { metadata: { lables: {} } } } } satisfies ReplicaSet],
  // @ts-expect-error a condition, whose type has no such field
  ["since", { ...deployment, status: { conditions: [{ since: "" }] } } satisfies Deployment],
  // @ts-expect-error a condition of endpoints
  ["redy", { ...slice, endpoints: [{ conditions: { redy: true } }] } satisfies EndpointSlice],
  // @ts-expect-error a field of a webhook
  ["failurePolcy", { failurePolcy: "Fail" } satisfies ValidatingWebhook],
  // @ts-expect-error the name that a field has in the client alone
  ["x_kubernetes_map_type", { x_kubernetes_map_type: "atomic" } satisfies SchemaProps],
  // @ts-expect-error the same name, misspelled
  ["x-kubernetes-map-typ", { "x-kubernetes-map-typ": "atomic" } satisfies SchemaProps],
  // @ts-expect-error the name that the client gives to a word of JavaScript
  ["_enum", { _enum: ["a"] } satisfies SchemaProps],
  // @ts-expect-error a text in the place of a number
  ["three", { ...deployment, spec: { replicas: "three" } } satisfies Deployment],
  // @ts-expect-error a number in the place of a text
  ["5", { ...pod, spec: { nodeName: 5 } } satisfies Pod],
  // @ts-expect-error a number as the value of a label
  ["7", { ...service, spec: { selector: { app: 7 } } } satisfies Service],
  // @ts-expect-error the name of a port in the place of its number
  ["https", { ...slice, ports: [{ port: "https" }] } satisfies EndpointSlice],
  // @ts-expect-error a Date, which is no JSON
  ["1970", { ...event, lastTimestamp: new Date(0) } satisfies Event],
  // @ts-expect-error an object of another kind
  ["Service", service satisfies Pod],
];

const ports = [{ targetPort: 8443 }, { targetPort: "web" }];
const accepted: readonly (readonly [what: string, value: object])[] = [
  ["a time as text", { ...event, lastTimestamp: "1970-01-01T00:00:00Z" } satisfies Event],
  ["null for an empty list", { ...slice, endpoints: null } satisfies EndpointSlice],
  ["a number or a text for a port", { ...service, spec: { ports } } satisfies Service],
  ["a name with dashes", { "x-kubernetes-map-type": "atomic" } satisfies SchemaProps],
  ["a word of JavaScript", { enum: ["a"] } satisfies SchemaProps],
];

test.each(refused)("%s is refused by the compiler", (what, value) => {
  expect(JSON.stringify(value)).toContain(what);
});

test.each(accepted)("%s is JSON of its kind", (_what, value) => {
  expect(JSON.parse(JSON.stringify(value))).toEqual(value);
});

test("an object has the type of its kind, and of no other", () => {
  const objects: readonly KubeObject[] = [pod, service];
  expect(objects.map((object) => isKind(object, "Pod"))).toEqual([true, false]);
  expect(ofKind(objects, "Service")).toEqual([service]);
  expect(asKind(pod, "Pod")?.status?.phase).toBeUndefined();
  expect(asKind(service, "Pod")).toBeUndefined();
  expect(asKind(undefined, "Pod")).toBeUndefined();
  // @ts-expect-error a field that is misspelled where it is read
  expect(asKind(pod, "Pod")?.sttus).toBeUndefined();
});
