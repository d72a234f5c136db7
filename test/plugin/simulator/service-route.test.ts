import { defaultNames } from "../../../plugin/domain/names/names";
import { routeTo } from "../../../plugin/simulator/simulate";
import { aNamespace, anEndpointSlice, aService } from "../../support/builders";
import { aControlPlane } from "./memory-cluster";

const service = { namespace: "engine", name: "admission", port: 443 };

function routed(
  ready: boolean | undefined,
  port: (() => Promise<number>) | undefined = () => Promise.resolve(4711),
) {
  const slices = ready === undefined ? [] : [anEndpointSlice("engine", ready)];
  const { state } = aControlPlane([aNamespace("engine"), aService("engine"), ...slices]);
  const route = routeTo({ namespace: "engine", names: defaultNames, port });
  return { route, state };
}

test("the operator's Service leads to the program while someone is ready behind it", async () => {
  const { route, state } = routed(true);
  expect(await route(service, state)).toEqual({ host: "127.0.0.1", port: 4711 });
});

test.each([
  ["an endpoint that is not ready", false],
  ["no endpoints", undefined],
] as const)("%s: the connection is refused", async (_, ready) => {
  const { route, state } = routed(ready);
  expect(await route(service, state)).toEqual({
    refused: "dial tcp 10.96.0.1:443: connect: connection refused",
  });
});

test("without a program the connection is refused, ready or not", async () => {
  const { state } = routed(true);
  const route = routeTo({ namespace: "engine", names: defaultNames, port: undefined });
  expect(await route(service, state)).toHaveProperty("refused");
});

test.each([
  ["another Service", { ...service, name: "other" }],
  ["the Service of another namespace", { ...service, namespace: "other" }],
])("%s leads nowhere: its code is not known", async (_, other) => {
  const { route, state } = routed(true);
  expect(await route(other, state)).toBeUndefined();
});
