import { defaultNames as names } from "../../../../plugin/domain/names";
import type { KubeObject } from "../../../../plugin/domain/objects";
import {
  bundleKindOf,
  bundleRef,
  imagesOf,
  operatorVersionOf,
  placeBundle,
  type Placing,
} from "../../../../plugin/domain/operator/wanted";

const rbac = "rbac.authorization.k8s.io/v1";
const anObject = (apiVersion: string, kind: string, more: object = {}): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: "x" },
  ...more,
});
const container = names.operator.container;
const aDeployment = (pod: unknown, metadata: KubeObject["metadata"] = {}): KubeObject =>
  anObject("apps/v1", "Deployment", {
    metadata: { name: names.operator.deployment, ...metadata },
    spec: { template: { spec: pod } },
  });
const operator = aDeployment({ containers: [{ name: container, image: "engine/operator:1" }] });
const placing: Placing = {
  namespace: "engine",
  names,
  registry: undefined,
  pullSecret: undefined,
  allowObjects: [],
  live: undefined,
};

function placed(bundle: readonly KubeObject[], more: Partial<Placing> = {}): readonly KubeObject[] {
  const result = placeBundle(bundle, { ...placing, ...more });
  if (result.is === "unfit") throw new Error(result.problems.join());
  return result.objects.map(({ object }) => object);
}

test("definitions come first, the Deployment last; the status of a file is none", () => {
  const objects = placed([
    operator,
    anObject(rbac, "ClusterRoleBinding"),
    anObject("v1", "ServiceAccount"),
    anObject("apiextensions.k8s.io/v1", "CustomResourceDefinition", { status: {} }),
  ]);
  expect(objects.map(({ kind, metadata }) => [kind, metadata.namespace])).toEqual([
    ["CustomResourceDefinition", undefined],
    ["ServiceAccount", "engine"],
    ["ClusterRoleBinding", undefined],
    ["Deployment", "engine"],
  ]);
  expect(objects[0]).not.toHaveProperty("status");
});

test("labels and annotations stay, what a server gives does not", () => {
  const metadata = { labels: { a: "1" }, annotations: { b: "2" }, uid: "u" };
  expect(placed([aDeployment({}, metadata)])[0]?.metadata).toEqual({
    name: names.operator.deployment,
    namespace: "engine",
    labels: metadata.labels,
    annotations: metadata.annotations,
  });
});

test("every problem of a bundle is named", () => {
  expect(
    placeBundle([anObject("v1", "Pod"), anObject("v1", "Service", { metadata: {} })], placing),
  ).toEqual({
    is: "unfit",
    problems: [
      "Pod in v1 is not a part of a bundle",
      "a Service has no name",
      `one Deployment ${names.operator.deployment} is requested, not 0`,
    ],
  });
});

test("all containers follow the registry, and pull secrets add up", () => {
  const pod = {
    initContainers: [{ name: "i", image: "a:1" }, { name: "none" }, "odd"],
    containers: [{ name: container, image: "a:1" }],
    imagePullSecrets: [{ name: "one" }, {}],
  };
  const live = aDeployment({ imagePullSecrets: [{ name: "two" }, { name: "one" }] });
  const more = { registry: "mirror", pullSecret: "three", live };
  const [object] = placed([aDeployment(pod)], more);
  expect(object).toMatchObject({
    spec: {
      template: {
        spec: {
          initContainers: [{ name: "i", image: "mirror/a:1" }, { name: "none" }, "odd"],
          containers: [{ name: container, image: "mirror/a:1" }],
          imagePullSecrets: [{ name: "one" }, { name: "two" }, { name: "three" }],
        },
      },
    },
  });
});

test.each([[undefined], ["odd"]])("a pod spec that is %s is left to the API server", (pod) => {
  expect(placed([aDeployment(pod)], { registry: "mirror" })).toHaveLength(1);
});

test.each([
  [undefined, undefined],
  [operator, "1"],
  [aDeployment({ containers: [{ name: container }, { image: "a:2" }] }), undefined],
  [aDeployment({ containers: [{ name: container, image: "a@sha256:0" }] }), undefined],
  [
    aDeployment({}, { annotations: { [names.annotations.operatorVersion[0]]: "8.0.2-2" } }),
    "8.0.2-2",
  ],
])("%# runs %s", (deployment, version) => {
  expect(operatorVersionOf(deployment, names)).toBe(version);
});

test("images are known by container", () => {
  expect([...imagesOf(operator)]).toEqual([[container, "engine/operator:1"]]);
});

test("objects are addressed by their kinds", () => {
  const account = anObject("v1", "ServiceAccount");
  const known = bundleKindOf(account);
  if (known === undefined) throw new Error("not known");
  expect(bundleRef(known, account)).toEqual({ resource: known.resource, name: "x" });
  const here = { ...account, metadata: { namespace: "engine" } };
  expect(bundleRef(known, here)).toEqual({
    resource: known.resource,
    name: "",
    namespace: "engine",
  });
});

test("what is unusual is refused unless it is named, and so is a name that fits nothing", () => {
  const stranger = { ...operator, metadata: { name: "miner" } };
  const problemsWith = (...allowObjects: readonly string[]): unknown =>
    placeBundle([operator, stranger], { ...placing, allowObjects });
  expect(problemsWith()).toEqual({
    is: "unfit",
    problems: [
      "Deployment/miner: it is not the operator's; allow it with --allow-object Deployment/miner",
    ],
  });
  expect(problemsWith("Deployment/miner")).toMatchObject({ is: "placed" });
  expect(problemsWith("Deployment/miner", "Role/x")).toEqual({
    is: "unfit",
    problems: ["--allow-object Role/x: nothing of that name needs to be allowed"],
  });
});
