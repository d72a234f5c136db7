/** What keeps an EC upgrade from starting, and what freezes it. */
import { kinds } from "../../../../plugin/domain/kube/kinds";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";

import { aPlayedWorld, here, type PlayedWorld, product } from "../../../support/played-operator";
import {
  ecStatus,
  edit,
  errorsOf,
  isEc,
  podTags,
  sceneWith,
  setTag,
  upgradeOperator,
  withSpec,
  withStatus,
} from "./acts";

const newTag = "7.22.0-28";
const oldTags = ["7.8.2-34", "7.8.2-34", "7.8.2-34"];
const newTags = [newTag, newTag, newTag];

describe("an upgrade that is impossible is InvalidUpgrade, and continues when its cause is gone", () => {
  const auto = { upgradeSpec: { autoUpgradeEngineEnterprise: true } };
  const image = { repository: "engine/engine", versionTag: "7.8.2-34", imagePullPolicy: "Always" };

  test.each([
    {
      what: "an invalid license (S114)",
      change: withStatus({ licenseStatus: { licenseState: "Expired" } }),
      why: "the license is not valid: its state is Expired",
      fix: (world: PlayedWorld) =>
        world.cluster.patch(
          here(product.ec, "ec"),
          { status: { licenseStatus: { licenseState: "Valid" } } },
          { type: "merge", subresource: "status" },
        ),
    },
    {
      what: "digests with an automatic upgrade",
      change: withSpec({
        ...auto,
        engineEnterpriseImageSpec: { ...image, digestHash: "sha256:1" },
      }),
      why: "automatic upgrade is on while images are pinned by digest: spec.engineEnterpriseImageSpec.digestHash",
      fix: (world: PlayedWorld) =>
        edit(world, here(product.ec, "ec"), { engineEnterpriseImageSpec: { digestHash: null } }),
    },
    {
      what: "a digest of another image",
      change: withSpec({ ...auto, bootstrapperImageSpec: { digestHash: "sha256:1" } }),
      why: "automatic upgrade is on while images are pinned by digest: spec.bootstrapperImageSpec.digestHash",
      fix: (world: PlayedWorld) =>
        edit(world, here(product.ec, "ec"), { bootstrapperImageSpec: null }),
    },
  ])("$what", async ({ change, why, fix }) => {
    const world = await aPlayedWorld({ objects: await sceneWith(isEc, change) });
    await upgradeOperator(world);
    await setTag(world, newTag);
    await world.settle();
    expect(await ecStatus(world)).toMatchObject({ state: "InvalidUpgrade", specStatus: "Invalid" });
    expect(await podTags(world)).toEqual(oldTags);
    const events = (await world.cluster.list(kinds.event, { namespace: "engine" })) ?? [];
    expect(events.map(({ type, reason, message }) => [type, reason, message])).toEqual([
      ["Warning", "InvalidUpgrade", why],
    ]);
    expect(errorsOf(world)).toContain(why);
    await fix(world);
    await world.settle();
    expect(await ecStatus(world)).toMatchObject({ state: "Running", specStatus: "Valid" });
    expect(await podTags(world)).toEqual(newTags);
  });

  test("a tag of another release, taken back", async () => {
    const world = await aPlayedWorld();
    await upgradeOperator(world);
    await setTag(world, "8.0.2-17");
    await world.settle();
    expect(await ecStatus(world)).toMatchObject({ state: "InvalidUpgrade" });
    await setTag(world, "latest");
    await world.settle();
    expect(errorsOf(world)).toEqual(["this operator manages 7.22.0-28, not 8.0.2-17"]);
    await setTag(world, newTag);
    await world.settle();
    expect(await podTags(world)).toEqual(newTags);
  });
});

describe("an upgrade without its prerequisites freezes, and thaws when they are met (S113)", () => {
  const isSessions = ({ kind, metadata }: KubeObject): boolean =>
    kind === names.edb.kind && metadata.name === "sessions";

  test("a database older than 7.2 that is raised over REST", async () => {
    const old = (object: KubeObject): KubeObject =>
      withStatus({ version: "6.2.1" })(withSpec({ engineVersion: "6.2" })(object));
    const world = await aPlayedWorld({ objects: await sceneWith(isSessions, old) });
    await upgradeOperator(world);
    await setTag(world, newTag);
    await world.settle();
    expect(await ecStatus(world)).toMatchObject({ state: "Upgrade" });
    expect(await podTags(world)).toEqual(oldTags);
    expect(errorsOf(world)).toEqual(["database shop/sessions runs the incompatible version 6.2"]);
    await world.cluster.patch(
      here(product.edb, "sessions", "shop"),
      { status: { version: "7.2.0" } },
      { type: "merge", subresource: "status" },
    );
    await world.settle();
    expect(await podTags(world)).toEqual(newTags);
  });

  test("a module that is not supported, then installed, then defined: only then it counts (C9)", async () => {
    const modules = withSpec({ modulesList: [{ name: "rg" }] });
    const world = await aPlayedWorld({ objects: await sceneWith(isSessions, modules) });
    await upgradeOperator(world);
    await setTag(world, newTag);
    await world.settle();
    expect(errorsOf(world)).toEqual(["database shop/sessions uses the unsupported module rg"]);
    expect(await ecStatus(world)).toMatchObject({ state: "Upgrade" });
    await world.cluster.patch(
      here(product.ec, "ec"),
      { status: { modules: [{ name: "rg", displayName: "EngineGears", versions: ["1.2.5"] }] } },
      { type: "merge", subresource: "status" },
    );
    await world.settle();
    expect(await podTags(world)).toEqual(oldTags);
    await world.cluster.patch(
      here(product.ec, "ec"),
      {
        spec: {
          userDefinedModules: [{ name: "EngineGears", source: { https: { url: "https://m" } } }],
        },
      },
      { type: "merge" },
    );
    await world.settle();
    expect(await podTags(world)).toEqual(newTags);
  });

  test("an operator before 7.8.2-6 asks for none of it", async () => {
    const modules = withSpec({ modulesList: [{ name: "rg" }] });
    const world = await aPlayedWorld({ objects: await sceneWith(isSessions, modules) });
    await upgradeOperator(world, "7.4.2-2");
    await setTag(world, "7.4.2-54");
    await world.settle();
    expect(await podTags(world)).toEqual(["7.4.2-54", "7.4.2-54", "7.4.2-54"]);
  });
});
