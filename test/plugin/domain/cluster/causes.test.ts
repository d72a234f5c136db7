import { causesOf } from "../../../../plugin/domain/cluster/causes";
import type { KubeObject } from "../../../../plugin/domain/objects";
import { aDatabase, anEc, factsOf } from "./scene";

const codes = (ec: KubeObject, edbs: readonly KubeObject[] = [], auto?: boolean) =>
  causesOf("refused", factsOf({ ecs: [ec], edbs }), { ec, auto }).map(({ code, field }) => [
    code,
    field,
  ]);

test("an EC as it should be gives no cause", () => {
  expect(codes(anEc(), [aDatabase("orders")])).toEqual([]);
  expect(codes(anEc({}, { licenseStatus: { licenseState: "valid" } }))).toEqual([]);
  expect(codes(anEc({}, { licenseStatus: undefined }))).toEqual([]);
});

test.each([
  [
    "Expired",
    "2026-07-31T00:00:00Z",
    "the license state is Expired, it expires or expired 2026-07-31T00:00:00Z",
  ],
  ["Invalid", undefined, "the license state is Invalid"],
])("a license that is %s is one, by its own word", (licenseState, expirationDate, cause) => {
  const ec = anEc({}, { licenseStatus: { licenseState, expirationDate } });
  expect(causesOf("refused", factsOf({ ecs: [ec] }), { ec })).toMatchObject([
    { code: "CLUSTER-LICENSE", cause },
  ]);
});

test("every pinned image is named, with an automatic upgrade alone", () => {
  const digestHash = "sha256:ab";
  const ec = anEc({
    engineEnterpriseImageSpec: { versionTag: "1", digestHash },
    bootstrapperImageSpec: { digestHash },
    engineEnterpriseServicesRiggerImageSpec: { digestHash },
    usageMeter: { callHomeClient: { imageSpec: { digestHash } } },
  });
  expect(codes(ec)).toEqual([]);
  expect(codes(ec, [], true)).toEqual([
    ["CLUSTER-DIGEST-PINNED", "spec.engineEnterpriseImageSpec.digestHash"],
    ["CLUSTER-DIGEST-PINNED", "spec.bootstrapperImageSpec.digestHash"],
    ["CLUSTER-DIGEST-PINNED", "spec.engineEnterpriseServicesRiggerImageSpec.digestHash"],
    ["CLUSTER-DIGEST-PINNED", "spec.usageMeter.callHomeClient.imageSpec.digestHash"],
  ]);
});

test("user-defined modules go with no automatic upgrade", () => {
  const ec = anEc({ userDefinedModules: [{ name: "rg" }] });
  const edbs = [aDatabase("orders", { moduleList: [{ name: "rg" }] })];
  expect(codes(ec, edbs)).toEqual([]);
  expect(causesOf("refused", factsOf({ ecs: [ec], edbs }), { ec, auto: true })).toMatchObject([
    {
      code: "CLUSTER-AUTO-USER-MODULES",
      cause: expect.stringContaining("rg (EngineEnterpriseDatabase/engine/orders)") as string,
    },
  ]);
});

test("databases that cannot go along freeze it: each is named", () => {
  const ec = anEc();
  const edbs = [
    aDatabase("old", { engineVersion: "6.2" }),
    aDatabase("new", { engineVersion: "7.2" }),
    aDatabase("unknown", { engineVersion: undefined }),
    aDatabase("odd", { moduleList: [{ name: "mine" }] }),
  ];
  expect(causesOf("frozen", factsOf({ ecs: [ec], edbs }), { ec })).toMatchObject([
    { code: "CLUSTER-DATABASE-OLD", object: "EngineEnterpriseDatabase/engine/old" },
    {
      code: "CLUSTER-MODULE-UNDEFINED",
      cause: expect.stringContaining(
        "module mine of EngineEnterpriseDatabase/engine/odd",
      ) as string,
    },
  ]);
});
