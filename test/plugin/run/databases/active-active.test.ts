/** Active-active databases: written on one cluster, followed on every one that is given (S65, S66). */
import { defaultNames as names } from "../../../../plugin/domain/names";
import { at } from "../../../../plugin/domain/values";
import type { KubeObject } from "../../../../plugin/run/ports";
import { here, product } from "../../../support/played-operator";
import { aScene, codesOf, type Scene, stepsOf, waits } from "./scene";

jest.setTimeout(30_000);

const line = "patch EngineEnterpriseActiveActiveDatabase engine/carts";
const cartsRef = here(product.eaadb, "carts");
const instanceRef = here(product.edb, "carts-db");

/** The example's active-active database with its instance, which its own objects lack. */
const withInstance = (all: readonly KubeObject[]): readonly KubeObject[] => {
  const model = all.find(({ metadata }) => metadata.name === "config");
  const instance = {
    ...(model as KubeObject),
    metadata: { name: "carts-db", namespace: "engine", generation: 1 },
    spec: { ...(model?.["spec"] as object), engineVersion: "7.4" },
    status: {
      ...(model?.["status"] as object),
      databaseUID: "7",
      version: "7.4.0",
      activeActive: { name: "carts" },
    },
  };
  return [...all.map(linked), instance];
};

const linked = (one: KubeObject): KubeObject =>
  one.kind === names.eaadb.kind
    ? { ...one, status: { ...(one["status"] as object), linkedEdbs: ["carts-db"] } }
    : one;

/** The other cluster, where the version comes after so many looks at it, or never. */
async function theOther(looks: number, upgraded = true): Promise<Scene> {
  const scene = await aScene({ objects: upgraded ? withInstance : older });
  let seen = 0;
  scene.cluster.list = new Proxy(scene.cluster.list.bind(scene.cluster), {
    apply: async (list, _this, args: Parameters<Scene["cluster"]["list"]>) => {
      if (args[0].plural === names.edb.plural) seen += 1;
      if (seen === looks) {
        seen += 1;
        const status = { version: "8.0.0", status: "active", specStatus: "Valid" };
        const options = { type: "merge", subresource: "status" } as const;
        await scene.cluster.patch(instanceRef, { status }, options);
      }
      return await list(...args);
    },
  });
  return scene;
}

const older = (all: readonly KubeObject[]): readonly KubeObject[] =>
  JSON.parse(
    JSON.stringify(withInstance(all)).replaceAll(
      "engine/operator:8.0.2-2",
      "engine/operator:7.22.0-7",
    ),
  ) as readonly KubeObject[];

const port = ({ cluster }: Scene) => ({ name: "west/engine", cluster, namespace: "engine" });

test("written here alone, and done when the instances of both clusters are", async () => {
  const scene = await aScene({ objects: withInstance });
  const other = await theOther(4);
  const report = await scene.run({ databases: ["carts"] }, { participants: [port(other)] });
  expect(report.exit.code).toBe(0);
  expect([stepsOf(report), codesOf(report)]).toEqual([
    ["database.patch changed", "database.follow done"],
    [],
  ]);
  expect(scene.sent).toEqual([line]);
  expect(other.sent).toEqual([]);
  const stored = await scene.cluster.get(cartsRef);
  expect(at(stored, ["spec", "globalConfigurations", "engineVersion"])).toBe("8.0");
  expect(at(await scene.cluster.get(instanceRef), ["status", "version"])).toBe("8.0.0");
  expect(waits(scene).join("\n")).toContain("west/engine: 7.4 to become 8.0");
});

test("an instance elsewhere that does not come is told with its cluster: 1", async () => {
  const scene = await aScene({ objects: withInstance });
  const other = await theOther(Number.POSITIVE_INFINITY);
  const report = await scene.run({ databases: ["carts"] }, { participants: [port(other)] });
  expect([report.exit.code, codesOf(report)]).toEqual([1, ["DATABASE-PARTICIPANT-BEHIND"]]);
  expect(report.exit.reason).toContain("west/engine: EngineEnterpriseActiveActiveDatabase");
});

test("an operator elsewhere before 8.0.2-2 stops it: 3, nothing is written", async () => {
  const scene = await aScene({ objects: withInstance });
  const other = await theOther(1, false);
  const report = await scene.run({ databases: ["carts"] }, { participants: [port(other)] });
  expect([report.exit.code, codesOf(report)]).toEqual([3, ["DATABASE-PARTICIPANT-OLD"]]);
  expect(scene.sent).toEqual([]);
});

test("clusters that are not given are named as unseen, and the rest is done", async () => {
  const scene = await aScene({ objects: withInstance });
  const report = await scene.run({ databases: ["carts"] });
  expect([report.exit.code, codesOf(report)]).toEqual([0, ["DATABASE-PARTICIPANT-UNSEEN"]]);
});

test("an instance that is named is not edited itself: 3", async () => {
  const scene = await aScene({ objects: withInstance });
  const report = await scene.run({ databases: ["carts-db"] });
  expect([report.exit.code, codesOf(report)]).toEqual([3, ["DATABASE-IS-INSTANCE"]]);
  expect(scene.sent).toEqual([]);
});
