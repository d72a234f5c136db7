/** A pod that the API server refuses: its controller says so, and makes it once it may. */
import { kinds } from "../../../../plugin/domain/kube/kinds";
import { getOwn } from "../../../../plugin/domain/base/values";
import { aPlayedWorld, here, product } from "../../../support/played-operator";
import { edit, podTags } from "./acts";

test("a quota that is used up holds a roll, with an event, until it is raised", async () => {
  const world = await aPlayedWorld();
  const { cluster, controlPlane, namespace } = world;
  const quota = here(kinds.resourceQuota, "budget");
  const pods = (await cluster.list(kinds.pod, { namespace }))?.length ?? 0;
  const hard = { "count/pods": String(pods - 1) };
  await cluster.create({
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "budget", namespace },
    spec: { hard },
  });
  controlPlane.setStatus(quota, { hard, used: { "count/pods": String(pods) } });
  const userDefinedModules = [{ name: "rg", source: { https: { url: "https://x.example/rg" } } }];
  await edit(world, here(product.ec, "ec"), { userDefinedModules });
  await world.settle();
  const events = (await cluster.list(kinds.event, { namespace })) ?? [];
  const refused = events.filter((event) => event["reason"] === "FailedCreate");
  expect(refused.map((event) => getOwn(event, "message"))).toEqual([
    `create Pod ec-2 in StatefulSet ec failed error: pods "ec-2" is forbidden: exceeded quota: budget, requested: count/pods=1, used: count/pods=${pods - 1}, limited: count/pods=${pods - 1}`,
  ]);
  expect(await podTags(world)).toHaveLength(2);
  await edit(world, quota, { hard: { "count/pods": "50" } });
  await world.settle();
  expect(await podTags(world)).toHaveLength(3);
  expect((await cluster.get(here(product.ec, "ec")))?.["status"]).toMatchObject({
    state: "Running",
  });
});
