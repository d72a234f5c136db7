import { readDefaults } from "../../../../plugin/cmdutil/spec";
import { upgradeCluster } from "../../../../plugin/commands/upgrade-cluster/flags";
import type { GlobalOptions } from "../../../../plugin/cmdutil/context";
import { runPartCommand } from "../../../../plugin/cmdutil/part-command";
import type { Event } from "../../../../plugin/kernel/report";
import { clusterPart, type ClusterFlags } from "../../../../plugin/commands/upgrade-cluster/part";
import { aCommandContext } from "../../../support/command-context";
import { commandAt } from "../../../support/program-world";
import { aScene, ecLabel, target } from "./scene";

const flags: ClusterFlags = { ...readDefaults(upgradeCluster), target };

async function aContext(options: Partial<GlobalOptions> = {}, misbehave = {}) {
  const { cluster, clock } = await aScene(misbehave);
  const context = aCommandContext({ cluster, clock }, { timeoutMs: 300_000, ...options });
  return { context, cluster };
}

test("an EC is upgraded to the end, and the report has what was there for reference", async () => {
  const { context, cluster } = await aContext();
  const report = await runPartCommand("UpgradeCluster", clusterPart)(context, ["ec"], flags);
  expect(report).toMatchObject({
    kind: "UpgradeCluster",
    run: context.run,
    target: { server: cluster.server, namespace: "engine" },
    backups: [{ object: ecLabel, lost: `a pod of ${ecLabel} was recreated` }],
    exit: { code: 0 },
  });
});

test.each([
  ["later than what is known", { cluster: "7.4.2-2" }, 1],
  ["known", { cluster: target }, 0],
  ["later than nothing that is known", {}, 0],
])("a tag that is %s is noted once", async (_title, upTo, times) => {
  const { context } = await aContext({ dryRun: "client" });
  const told: string[] = [];
  const event = (one: Event): void => {
    if (one.type === "note") told.push(one.text);
  };
  const run = runPartCommand("UpgradeCluster", clusterPart);
  const { exit } = await run({ ...context, event, upTo }, ["ec"], flags);
  const beyond = told.filter((text) => text.startsWith("no advisory is from the release notes"));
  expect([exit.code, beyond.length]).toEqual([0, times]);
});

test("the way back of one that was not taken up has the context", async () => {
  const { context } = await aContext({}, { deafOperator: true });
  const { backups } = await runPartCommand("UpgradeCluster", clusterPart)(context, ["ec"], flags);
  expect(backups?.[0]?.command).toContain("'my cluster'");
});

test.each([
  ["--timeout on the command line", { limited: true }, {}],
  ["a timeout of the environment", {}, { timeoutMs: 60_000 }],
])("the whole wait is limited by %s", async (_title, given, options) => {
  const { context } = await aContext({ timeoutMs: 300_000, ...options }, { slow: 500 });
  const from = context.clock.now();
  const report = await runPartCommand("UpgradeCluster", clusterPart)(context, ["ec"], {
    ...flags,
    ...given,
  });
  expect(report.exit.code).toBe(124);
  expect(context.clock.now() - from).toBeLessThan(320_000);
});

describe("the flags", () => {
  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    ["neither tag nor auto", {}, "--target: give the tag to upgrade to, or --auto"],
    ["no tag", { target: "latest" }, '--target: "latest" is not a tag such as 8.0.2-17'],
  ])("are refused: %s", (_title, raw, problem) => {
    const { problems, missing = [] } = commandAt("upgrade-cluster").prepare(raw);
    expect([...problems, ...missing]).toEqual([problem]);
  });

  test("are handed on", async () => {
    const { problems, load } = commandAt("upgrade-cluster").prepare({
      target,
      auto: true,
      imageRepository: "mirror/engine",
      imagePullPolicy: "Always",
      takeFields: ["a,b"],
      skip: [],
      stallAfter: "1m",
      timeout: "5m",
    });
    expect(problems).toEqual([]);
    const { run } = await load();
    const { context } = await aContext({ dryRun: "client" });
    const report = await run(context, ["ec"]);
    expect(report.steps).toMatchObject([
      {
        why: "imagePullPolicy IfNotPresent -> Always, repository engine/engine -> mirror/engine, autoUpgradeEngineEnterprise absent -> true",
      },
    ]);
  });
});
