import { defaultNames } from "../../../plugin/domain/names/names";
import { routeTo } from "../../../plugin/simulator/service-route";
import { kinds } from "../../../plugin/domain/kube/kinds";
import {
  aDeployment,
  aNamespace,
  anEndpointSlice,
  anObject,
  aService,
} from "../../support/builders";
import { makeWorld } from "../../support/world";

const service = { namespace: "engine", name: "admission", port: 443 };

function routed(
  ready: boolean | undefined,
  port: (() => Promise<number>) | undefined = () => Promise.resolve(4711),
) {
  const slices = ready === undefined ? [] : [anEndpointSlice("engine", ready)];
  const { state } = makeWorld({
    objects: [aNamespace("engine"), aService("engine"), ...slices],
  }).controlPlane;
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

describe("port and selector decide who is called", () => {
  const labels = { name: "engine-enterprise-operator" };
  const own = { ports: [{ port: 443, targetPort: 8443 }], selector: labels };
  const admission = {
    name: "admission",
    image: "i",
    ports: [{ name: "https", containerPort: 8443 }],
  };
  const listens = ["listens", "listens"];
  const refuses = ["refused", "refused"];

  interface Behind {
    readonly name?: string;
    readonly endpoints?: readonly object[];
  }

  /** What a call meets, and a second one. */
  async function called(spec: object, behind: Behind): Promise<readonly unknown[]> {
    const { name = "admission", endpoints = [{ addresses: ["10.0.0.1"] }] } = behind;
    const namespace = "engine";
    const pod = (title: string, container: object) =>
      anObject(kinds.pod, { name: title, namespace }, { spec: { containers: [container] } });
    const template = { metadata: { labels }, spec: { containers: [admission] } };
    const slice = { name: "slice", namespace, labels: { "kubernetes.io/service-name": name } };
    const { state } = makeWorld({
      objects: [
        aNamespace(namespace),
        { ...aDeployment(namespace), spec: { template } },
        pod("other", { name: "web", image: "i" }),
        pod("own", admission),
        anObject(kinds.service, { name, namespace }, { spec }),
        anObject(kinds.endpointSlice, slice, { endpoints }),
      ],
    }).controlPlane;
    const route = routeTo({ namespace, names: defaultNames, port: () => Promise.resolve(1) });
    const place = async (): Promise<unknown> => {
      const found = await route({ ...service, name }, state);
      if (found === undefined) return undefined;
      return "refused" in found ? "refused" : "listens";
    };
    return [await place(), await place()];
  }
  const of = (name: string): object => ({
    addresses: ["10.0.0.1"],
    targetRef: { kind: "Pod", name, namespace: "engine" },
  });
  const hooks = { ...own, selector: { app: "x" } };

  test.each<[string, object, Behind & { readonly meets: readonly unknown[] }]>([
    ["the operator's pods at their port", own, { meets: listens }],
    [
      "their port by its name",
      { ...own, ports: [{ port: 443, targetPort: "https" }] },
      { meets: listens },
    ],
    ["another Service of the operator's pods", own, { name: "hooks", meets: listens }],
    [
      "a port that nobody opens",
      { ...own, ports: [{ port: 443, targetPort: 9000 }] },
      { meets: refuses },
    ],
    [
      "the Service's own port where it names none",
      { ...own, ports: [{ port: 443 }] },
      { meets: refuses },
    ],
    [
      "a key that no pod has",
      { ...own, selector: { ...labels, tier: "edge" } },
      { meets: refuses },
    ],
    [
      "others beside them",
      own,
      { endpoints: [of("own"), of("other")], meets: ["listens", "refused"] },
    ],
    ["endpoints that were written by hand", { ports: own.ports }, { meets: listens }],
    ["another Service of other pods", hooks, { name: "hooks", meets: [undefined, undefined] }],
    ["another Service without any", hooks, { name: "hooks", endpoints: [], meets: refuses }],
  ])("%s", async (_, spec, { meets, ...behind }) => {
    expect(await called(spec, behind)).toEqual(meets);
  });
});
