/** Whether the operator is ready, and how many endpoints are. */
import type { EndpointSlice } from "../../../../plugin/domain/kube/models";
import { readyEndpoints } from "../../../../plugin/domain/admission/configuration";
import { anEndpointSlice } from "../../../support/builders";

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
