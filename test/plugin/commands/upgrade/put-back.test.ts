/** What a whole upgrade says of putting back: only where it is possible, and backwards. */
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { aPlayedWorld } from "../../../support/played-operator";
import { upgrade, withDatabases } from "../../../support/upgrade-runs";

const ecLabel = `${names.ec.kind}/engine/ec`;

test("once a pod was recreated what was written before is for reference; what is written later is not", async () => {
  const world = await aPlayedWorld();
  const { report } = await upgrade(world, withDatabases);
  const { exit, backups = [] } = report;
  expect(exit.code).toBe(0);
  const reasons = new Map(backups.map(({ object, lost }) => [object, lost]));
  const [recreated, begun] = [
    `a pod of ${ecLabel} was recreated`,
    "its upgrade has begun, and is not undone",
  ];
  expect(Object.fromEntries(reasons)).toMatchObject({
    [ecLabel]: recreated,
    "Deployment/engine/engine-enterprise-operator": recreated,
    "ValidatingWebhookConfiguration/edb-admission": recreated,
    [`${names.edb.kind}/shop/sessions`]: begun,
  });
  const left = backups.filter(({ command }) => command !== undefined);
  // narrowed once the cluster was upgraded
  expect(left.filter(({ object }) => !object.startsWith("Role/"))).toEqual([]);
});

test("before that each is put back by its command, the last write first, with the time for which it holds", async () => {
  const world = await aPlayedWorld({ misbehave: { deafOperator: true } });
  const { report } = await upgrade(world, ["--yes", "--timeout", "1m"]);
  const backups = report.backups ?? [];
  expect(report.exit.code).not.toBe(0);
  expect(backups[0]).toMatchObject({ object: ecLabel, holds: "until the first pod is recreated" });
  const order = backups.map(({ object }) => object.split("/")[0]);
  expect(order.indexOf("Deployment")).toBeGreaterThan(
    order.indexOf("ValidatingWebhookConfiguration"),
  );
  expect(order.lastIndexOf("Role")).toBeGreaterThan(order.indexOf("Deployment"));
  for (const { command, holds } of backups) {
    expect(command).toMatch(/^kubectl /);
    expect(holds).toMatch(/^(while|until) /);
  }
});
