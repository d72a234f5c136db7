/** Active-active databases: written on one cluster, followed on every one that is given (S65, S66). */
import { defaultNames as names } from "../../../../plugin/domain/names";
import { at } from "../../../../plugin/domain/values";
import type { KubeObject } from "../../../../plugin/run/ports";
import { here, product } from "../../../support/played-operator";
import { aScene, codesOf, type Scene, stepsOf, waits } from "./scene";

const line = "patch EngineEnterpriseActiveActiveDatabase engine/carts";
const cartsRef = here(product.eaadb, "carts");
const instanceRef = here(product.edb, "carts-db");

/** No instance is to be seen: the resource links none. */
const withoutInstance = (all: readonly KubeObject[]): readonly KubeObject[] =>
  all
    .filter(({ metadata }) => metadata.name !== "carts-db")
    .map((one) =>
      one.kind === names.eaadb.kind
        ? { ...one, status: { ...(one["status"] as object), linkedEdbs: [] } }
        : one,
    );

/** Vouched for: the operator elsewhere was looked at there. */
const vouched = [
  {
    code: "DATABASE-PARTICIPANT-UNSEEN",
    object: "EngineEnterpriseActiveActiveDatabase/engine/carts",
  },
];

/** The other cluster, where the version comes after so many looks at it, or never. */
async function theOther(looks: number, upgraded = true): Promise<Scene> {
  const scene = await aScene(upgraded ? {} : { objects: older });
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
    JSON.stringify(all).replaceAll("engine/operator:8.0.2-2", "engine/operator:7.22.0-7"),
  ) as readonly KubeObject[];

const port = ({ cluster }: Scene) => ({ name: "west/engine", cluster, namespace: "engine" });

test("written here alone, and done when the instances of both clusters are", async () => {
  const scene = await aScene();
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
  const scene = await aScene();
  const other = await theOther(Number.POSITIVE_INFINITY);
  const report = await scene.run({ databases: ["carts"] }, { participants: [port(other)] });
  expect([report.exit.code, codesOf(report)]).toEqual([1, ["DATABASE-PARTICIPANT-BEHIND"]]);
  expect(report.exit.reason).toContain("west/engine: EngineEnterpriseActiveActiveDatabase");
});

test("an operator elsewhere before 8.0.2-2 stops it: 3, nothing is written", async () => {
  const scene = await aScene();
  const other = await theOther(1, false);
  const report = await scene.run({ databases: ["carts"] }, { participants: [port(other)] });
  expect([report.exit.code, codesOf(report)]).toEqual([3, ["DATABASE-PARTICIPANT-OLD"]]);
  expect(scene.sent).toEqual([]);
});

describe("clusters that are not given", () => {
  test("stop it: 3, nothing is written", async () => {
    const scene = await aScene();
    const report = await scene.run({ databases: ["carts"] });
    expect([report.exit.code, codesOf(report)]).toEqual([3, ["DATABASE-PARTICIPANT-UNSEEN"]]);
    expect(report.exit.reason).toContain("here, there take part, and none of them is given");
    expect(report.exit.next).toContain("--skip DATABASE-PARTICIPANT-UNSEEN=OBJECT");
    expect(scene.sent).toEqual([]);
  });

  test("are passed once they are vouched for, and stay in the report", async () => {
    const scene = await aScene();
    const report = await scene.run({ databases: ["carts"], skip: vouched });
    expect(report.exit.code).toBe(0);
    expect(report.findings).toMatchObject([
      { code: "DATABASE-PARTICIPANT-UNSEEN", severity: "warning" },
    ]);
    expect(report.steps?.at(-1)).toMatchObject({
      why: "8.0 runs on 1 instance that was seen, active",
    });
    const again = await scene.run({ databases: ["carts"] });
    expect([again.exit.code, codesOf(again)]).toEqual([0, ["DATABASE-PARTICIPANT-UNSEEN"]]);
    expect(scene.sent).toEqual([line]);
  });

  test("a cluster without an operator that is seen stops it too: 3", async () => {
    const scene = await aScene();
    const other = await aScene({
      objects: (all) => all.filter(({ kind }) => kind !== "Deployment"),
    });
    const participants = [port(other)];
    const report = await scene.run({ databases: ["carts"] }, { participants });
    expect(report.findings).toMatchObject([
      { code: "DATABASE-PARTICIPANT-UNSEEN", severity: "error", object: "west/engine" },
    ]);
    expect([report.exit.code, scene.sent]).toEqual([3, []]);
  });
});

test("what is vouched for and not found is wrong usage: 2, nothing is written", async () => {
  const scene = await aScene();
  const skip = [...vouched, { code: "DATABASE-PARTICIPANT-UNSEEN", object: "cart" }];
  const report = await scene.run({ databases: ["carts"], skip });
  expect(report.exit.code).toBe(2);
  expect(report.exit.reason).toContain(
    "--skip DATABASE-PARTICIPANT-UNSEEN=cart matches no finding",
  );
  expect(scene.sent).toEqual([]);
});

test("without an instance that is seen it is not proven, however often it is run: 124", async () => {
  const scene = await aScene({ objects: withoutInstance });
  const options = { databases: ["carts"], skip: vouched };
  for (const when of ["written", "followed"]) {
    const report = await scene.run(options);
    expect([when, report.exit.code]).toEqual([when, 124]);
    expect(report.exit.reason).toContain("not proven that 8.0 runs");
    expect(codesOf(report)).toContain("DATABASE-NOT-PROVEN");
  }
  expect(scene.sent).toEqual([line]);
});

test("the time of the run may be over first: 124 all the same", async () => {
  const scene = await aScene({ objects: withoutInstance });
  const report = await scene.run({ databases: ["carts"], skip: vouched, limitMs: 5_000 });
  expect(report.exit.code).toBe(124);
  expect(report.exit.reason).toContain("not proven that 8.0 runs");
});

describe("a version that the definition has directly in the spec (S61)", () => {
  /** Moved there in the database and in its definition, which drops it anywhere else. */
  const inSpec = (all: readonly KubeObject[]): readonly KubeObject[] => all.map(moved);

  const moved = (one: KubeObject): KubeObject => {
    const copy = structuredClone(one) as KubeObject & { spec: Spec };
    if (one.kind === names.eaadb.kind) {
      const { engineVersion, ...rest } = copy.spec.globalConfigurations;
      return { ...copy, spec: { ...copy.spec, engineVersion, globalConfigurations: rest } };
    }
    if (one.metadata.name !== `${names.eaadb.plural}.${names.group}`) return one;
    for (const { schema } of copy.spec.versions) {
      const { properties } = schema.openAPIV3Schema.properties.spec;
      properties["engineVersion"] = { type: "string" };
      delete properties["globalConfigurations"]?.properties?.["engineVersion"];
    }
    return copy;
  };

  interface Property {
    readonly type: string;
    readonly properties?: Record<string, Property>;
  }

  interface Spec {
    readonly globalConfigurations: Readonly<Record<string, unknown>>;
    readonly versions: readonly {
      readonly schema: {
        readonly openAPIV3Schema: {
          readonly properties: {
            readonly spec: { readonly properties: Record<string, Property> };
          };
        };
      };
    }[];
  }

  test("is what is read, written and followed", async () => {
    const scene = await aScene({ objects: inSpec });
    const report = await scene.run({ databases: ["carts"], skip: vouched });
    expect([report.exit.code, report.steps?.[0]?.why]).toEqual([0, "engineVersion 7.4 -> 8.0"]);
    expect((await scene.cluster.get(cartsRef))?.["spec"]).toMatchObject({
      engineVersion: "8.0",
      globalConfigurations: { memorySize: "1GB" },
    });
    expect(at(await scene.cluster.get(instanceRef), ["status", "version"])).toBe("8.0.0");
  });
});

test("an instance that is named is not edited itself: 3", async () => {
  const scene = await aScene();
  const report = await scene.run({ databases: ["carts-db"] });
  expect([report.exit.code, codesOf(report)]).toEqual([3, ["DATABASE-IS-INSTANCE"]]);
  expect(scene.sent).toEqual([]);
});
