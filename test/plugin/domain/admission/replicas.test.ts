import {
  judgeReview,
  listReplicas,
  makeReview,
} from "../../../../plugin/domain/admission/replicas";
import type { Endpoint, EndpointPort, EndpointSlice } from "../../../../plugin/domain/kube/models";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";

const slice = (
  endpoints: readonly Endpoint[] | null,
  ports: readonly EndpointPort[],
): EndpointSlice => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name: "s", namespace: "engine" },
  endpoints,
  ports,
});

const of = (name: string, more: Endpoint = {}): Endpoint => ({
  targetRef: { kind: "Pod", name },
  ...more,
});

test("the ready pods of a Service are asked, each once, on the port that it leads to", () => {
  const ready = { conditions: { ready: true } };
  const endpoints = [of("a", ready), of("b", { conditions: { ready: false } }), of("c"), {}];
  const others = [{ targetRef: { kind: "Node", name: "n" } }, { targetRef: { kind: "Pod" } }];
  const slices = [
    slice([...endpoints, ...others], [{ name: "https", port: 8443 }]),
    slice([of("a"), of("d")], [{}, { port: 9443 }]),
    slice([of("e")], []),
    slice(null, [{ port: 8443 }]),
  ];
  expect(listReplicas(slices).map(({ name, port, namespace }) => [name, port, namespace])).toEqual([
    ["a", 9443, "engine"],
    ["c", 8443, "engine"],
    ["d", 9443, "engine"],
  ]);
});

const resource = { group: "app.engine.com", version: "v1", plural: "things", kind: "Thing" };
const thing = (metadata: object): KubeObject => ({
  apiVersion: "app.engine.com/v1",
  kind: "Thing",
  metadata: { name: "t", namespace: "shop", ...metadata },
});

test("a review is what an API server sends for the entry", () => {
  const entry = { admissionReviewVersions: ["v1beta1", "v1"] };
  const object = thing({});
  expect(makeReview(entry, { object, resource, uid: "u" })).toMatchObject({
    apiVersion: "admission.k8s.io/v1beta1",
    kind: "AdmissionReview",
    request: {
      ...{ uid: "u", operation: "CREATE", dryRun: true, name: "t", namespace: "shop", object },
      kind: { group: "app.engine.com", version: "v1", kind: "Thing" },
      resource: { group: "app.engine.com", version: "v1", resource: "things" },
      oldObject: null,
    },
  });
});

test("a stored object is reviewed as an update of itself", () => {
  const object = thing({ uid: "1" });
  expect(makeReview({}, { object, resource, uid: "u" })).toMatchObject({
    apiVersion: "admission.k8s.io/v1",
    request: { operation: "UPDATE", object, oldObject: object },
  });
});

const review = (response: object): string => JSON.stringify({ response });

test.each([
  ["allows it", 200, review({ uid: "u", allowed: true }), { is: "answers" }],
  [
    "refuses it, and says why",
    200,
    review({ uid: "u", allowed: false, status: { message: "no" } }),
    { is: "refuses", because: "no" },
  ],
  ["refuses it", 200, review({ uid: "u", allowed: false }), { is: "refuses" }],
  ["is another status", 503, "", { is: "fails", because: "it answers with status 503" }],
  [
    "is of another review",
    200,
    review({ uid: "x" }),
    { is: "fails", because: "its answer is no review" },
  ],
  ["is no JSON", 200, "<html>", { is: "fails", because: "its answer is no review" }],
])("an answer that %s", (...[, status, body, verdict]) => {
  expect(judgeReview({ status, body }, "u")).toEqual(verdict);
});
