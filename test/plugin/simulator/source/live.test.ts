import { generatePair } from "../../../../plugin/adapters/certificate";
import { ApiError } from "../../../../plugin/domain/base/errors";
import { defaultNames } from "../../../../plugin/domain/names/names";
import { getPath } from "../../../../plugin/domain/base/values";
import { createRegistry } from "../../../../plugin/simulator/kinds/registry";
import { liveCan, readLive } from "../../../../plugin/simulator/source/live";
import type { Source } from "../../../../plugin/simulator/source/completion";
import type { Access } from "../../../../plugin/ports/kubernetes";
import {
  aDatabase,
  aDeployment,
  aNamespace,
  anEndpointSlice,
  anOldConfiguration,
  aSecret,
  aService,
} from "../../../support/builders";
import type { Call, KeptCluster } from "../../../support/kept-cluster";
import { makeWorld, type World } from "../../../support/world";
import { labels, now, shippedCrds } from "./dumps";

const names = defaultNames;

let world: World;
let cluster: KeptCluster;

beforeEach(() => {
  world = makeWorld();
  cluster = world.cluster;
  world.lacks = ({ verb }) => verb === "*";
});

function read(): Promise<Source> {
  return readLive(cluster, {
    names,
    namespace: "engine",
    now,
    described: "context here",
    shippedCrds,
    registry: createRegistry(),
  });
}

function refuse(forbidden: (call: Call) => boolean, status = 403): void {
  cluster.before = (call) => {
    if (forbidden(call)) throw new ApiError(`${call.target} is forbidden`, { status });
  };
}

/** An operator and its webhook, a webhook of someone else, and namespaces without either. */
async function fill(): Promise<void> {
  const { certPem, keyPem } = await generatePair({ namespace: "engine", names, now });
  const [cert, privateKey] = [certPem, keyPem].map((pem) => Buffer.from(pem).toString("base64"));
  const objects = [
    ...["engine", "other", "shop"].map((name) => aNamespace(name)),
    ...shippedCrds,
    {
      ...shippedCrds[0],
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "widgets.x.io" },
      spec: { group: "x.io", names: { kind: "Widget", plural: "widgets" }, versions: [] },
    },
    aSecret("engine", { cert, privateKey }),
    { ...aSecret("engine"), metadata: { name: "login", namespace: "engine" } },
    aSecret("shop"),
    ...["engine", "other", "shop"].flatMap((name) => [aService(name), aDeployment(name)]),
    anEndpointSlice("engine"),
    anOldConfiguration({ caBundle: cert ?? "" }),
    { ...anOldConfiguration({ namespace: "other" }), metadata: { name: "someone-elses" } },
    aDatabase("shop", "db"),
  ];
  objects.forEach((object) => world.put(object));
}

test("what the commands look at is read, services and workloads only where webhooks are", async () => {
  await fill();
  const source = await read();

  expect([...labels(source)].sort()).toEqual([
    "CustomResourceDefinition engineenterpriseactiveactivedatabases.app.engine.com",
    "CustomResourceDefinition engineenterpriseclusters.app.engine.com",
    "CustomResourceDefinition engineenterprisedatabases.app.engine.com",
    "CustomResourceDefinition engineenterpriseremoteclusters.app.engine.com",
    "Deployment engine/engine-enterprise-operator",
    "Deployment other/engine-enterprise-operator",
    "EndpointSlice engine/admission-abc",
    "EngineEnterpriseDatabase shop/db",
    "Namespace engine",
    "Namespace other",
    "Namespace shop",
    "Secret engine/admission-tls",
    "Service engine/admission",
    "Service other/admission",
    "ValidatingWebhookConfiguration edb-admission",
    "ValidatingWebhookConfiguration someone-elses",
  ]);
  expect(source).toMatchObject({ described: "context here", namespace: "engine" });
});

test("only reads are made: no write, no dry run, and Secrets one by one by their name", async () => {
  await fill();
  await read();

  expect(
    cluster.calls.filter(({ verb }) => !["get", "list", "can", "whoami", "version"].includes(verb)),
  ).toEqual([]);
  expect(
    cluster.calls
      .filter(({ target }) => target.startsWith("Secret"))
      .map(({ verb, target }) => [verb, target]),
  ).toEqual([
    ["get", "Secret/engine/admission-tls"],
    ["get", "Secret/other/admission-tls"],
  ]);
});

test("the webhook's Secret has a stand-in, and its configuration trusts that", async () => {
  await fill();
  const { objects, pairs, warnings } = await read();
  const secret = objects.find(({ kind }) => kind === "Secret");
  const old = objects.find(({ metadata }) => metadata.name === "edb-admission");

  expect(pairs.map(({ namespace }) => namespace)).toEqual(["engine"]);
  expect(getPath((old?.["webhooks"] as unknown[])[0], ["clientConfig", "caBundle"])).toBe(
    getPath(secret, ["data", "cert"]),
  );
  expect(warnings).toEqual([
    "the values of 1 Secret were dropped at reading, their names and types are kept; " +
      "the webhook's key pair is a stand-in",
  ]);
});

test("a Secret without items is a finding of the cluster, not a dump's gap", async () => {
  world.put(aSecret("engine", {}));
  const { objects, pairs } = await read();

  expect(objects.find(({ kind }) => kind === "Secret")?.["data"]).toBeUndefined();
  expect(pairs).toEqual([]);
});

test("a custom kind is read in the version that is stored", async () => {
  const crd = structuredClone(
    shippedCrds.find(({ metadata }) => metadata.name?.startsWith("engineenterprisedatabases")),
  );
  const [version] = getPath(crd, ["spec", "versions"]) as [object];
  const versions = [
    { ...version, name: "v1alpha1", storage: false },
    { ...version, name: "v1", served: false },
    { ...version, name: "v2", storage: true },
  ];
  world.put({ ...crd, spec: { ...(crd?.["spec"] as object), versions } } as never);
  const seen: string[] = [];
  const list = cluster.list.bind(cluster);
  cluster.list = (resource, options) => {
    if (resource.plural === names.edb.plural) seen.push(resource.version);
    return list(resource, options);
  };
  await read();

  expect(seen).toEqual(["v2"]);
});

describe("what may not be read is left out, and told", () => {
  test.each([
    ["pods", "Pod/engine", "list pods in namespace engine"],
    [
      "the webhook's Secret",
      "Secret/engine/admission-tls",
      'get secrets "admission-tls" in namespace engine',
    ],
    [
      "constraints",
      "SecurityContextConstraints",
      "list securitycontextconstraints.security.openshift.io",
    ],
    [
      "webhook configurations",
      "MutatingWebhookConfiguration",
      "list mutatingwebhookconfigurations.admissionregistration.k8s.io",
    ],
  ])("%s", async (_name, target, what) => {
    await fill();
    refuse((call) => call.target === target);
    const { warnings, objects } = await read();

    expect(warnings).toContain(`not allowed to ${what}: the rehearsal continues with less`);
    expect(objects.length).toBeGreaterThan(10);
  });

  test("databases of all namespaces: those of the operator's are read", async () => {
    await fill();
    world.put(aDatabase("engine", "near"));
    refuse(({ target }) => target === names.edb.kind);
    const source = await read();

    expect(labels(source)).toContain("EngineEnterpriseDatabase engine/near");
    expect(labels(source)).not.toContain("EngineEnterpriseDatabase shop/db");
    expect(source.warnings.join()).toContain("list engineenterprisedatabases.app.engine.com:");
  });

  test("namespaces: those that hold something are made up", async () => {
    await fill();
    refuse(({ target }) => target === "Namespace");
    const source = await read();

    expect(labels(source)).toEqual(expect.arrayContaining(["Namespace engine", "Namespace shop"]));
    expect(source.warnings.join()).toContain("3 Namespaces (engine, other, shop) made up");
  });

  test("definitions: the shipped ones are used", async () => {
    await fill();
    refuse(({ target }) => target === "CustomResourceDefinition");
    const source = await read();

    expect(labels(source)).toContain("EngineEnterpriseDatabase shop/db");
    expect(source.warnings.join()).toContain("those that this tool ships are used");
  });
});

test("a cluster without the product gets none of its definitions", async () => {
  expect((await read()).objects).toEqual([]);
});

test.each([401, 404, 500])("any other failure ends the reading: %d", async (status) => {
  refuse(({ target }) => target === "Pod/engine", status);

  await expect(read()).rejects.toMatchObject({ status });
});

test("at most eight requests are under way", async () => {
  await fill();
  let [under, most] = [0, 0];
  for (const verb of ["list", "get"] as const) {
    const plain = cluster[verb].bind(cluster) as (...input: readonly unknown[]) => Promise<unknown>;
    cluster[verb] = (async (...input: readonly unknown[]) => {
      most = Math.max(most, (under += 1));
      return await plain(...input).finally(() => (under -= 1));
    }) as never;
  }
  await read();

  expect([under, most]).toEqual([0, 8]);
});

describe("the user", () => {
  test("is who the cluster says", async () => {
    expect((await read()).user).toEqual({ name: "jane", groups: ["system:authenticated"] });
  });

  test("is as good as a master when allowed everything", async () => {
    world.lacks = () => false;

    expect((await read()).user?.groups).toContain("system:masters");
  });

  test("is not known where the cluster does not report", async () => {
    cluster.user = undefined;

    expect((await read()).user).toBeUndefined();
  });
});

describe("permissions of the live user", () => {
  const access: Access = { verb: "get", group: "", resource: "pods", namespace: "a" };

  test("are asked of the cluster, each once", async () => {
    world.lacks = ({ namespace }) => namespace === "b";
    const can = liveCan(cluster);

    expect(await can(access)).toBe(true);
    expect(await can({ ...access })).toBe(true);
    expect(await can({ ...access, namespace: "b" })).toBe(false);
    expect(await can({ ...access, subresource: "log" })).toBe(true);
    expect(cluster.calls).toHaveLength(3);
  });

  test("are asked again where there was no answer", async () => {
    const can = liveCan(cluster);
    refuse(({ n }) => n === 0, 500);

    await expect(can(access)).rejects.toMatchObject({ status: 500 });
    expect(await can(access)).toBe(true);
  });
});

test("the version is the cluster's own; where it is not told, that is said", async () => {
  await fill();
  expect((await read()).version).toBe("v1.34.4");
  refuse(({ verb }) => verb === "version");
  const { version, warnings } = await read();
  expect(version).toBeUndefined();
  expect(warnings).toContainEqual(expect.stringContaining("does not report its version"));
});

test("nodes and OpenShift's version are read: they tell the platform", async () => {
  await fill();
  const kind = (apiVersion: string, name: string) => ({ apiVersion, kind: name });
  world.put({ ...kind("v1", "Node"), metadata: { name: "node-1" } });
  const source = await read();
  expect(labels(source)).toContain("Node node-1");
});
