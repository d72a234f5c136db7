import {
  describeUnwritten,
  judgeAutomaticFollowers,
  judgeFollowers,
  listFollowers,
} from "../../../../plugin/domain/database/channel";
import type { FactKey } from "../../../../plugin/domain/facts/facts";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { factsOf, newTag } from "../engine-cluster/scene";
import { anEaadb, anEdb, bundled, upgradedEc } from "./scene";

const later = { tag: "8.0.18-23.11" };
const onChannel = (engineVersion: unknown, name = "follow", status = {}): KubeObject =>
  anEdb(name, { spec: { engineVersion }, status: { version: "7.4.0", ...status } });

const causes = (
  objects: readonly KubeObject[],
  goal: Parameters<typeof judgeFollowers>[2],
  ec = upgradedEc(),
): readonly string[] => {
  const edbs = objects.filter(({ kind }) => kind === "EngineEnterpriseDatabase");
  const eaadbs = objects.filter(({ kind }) => kind !== "EngineEnterpriseDatabase");
  const facts = factsOf({ ecs: [ec], edbs, eaadbs });
  return judgeFollowers(facts, ec, goal).map(({ cause }) => cause);
};

test.each<[string, KubeObject, Readonly<Record<string, unknown>>, readonly string[]]>([
  [
    "latest goes to the newest",
    onChannel("latest"),
    {},
    [
      "it follows its EC by the channel latest: with 8.0.18-23.11 it may go from 7.4 to 8.6, the newest version that is known of that release, and that cannot be undone",
    ],
  ],
  [
    "major goes to the newest major one",
    onChannel("major"),
    {},
    [expect.stringContaining("from 7.4 to 8.0, the newest major version that is known")],
  ],
  [
    "latest under policy major does so too",
    onChannel("latest"),
    { engineUpgradePolicy: "major" },
    [expect.stringContaining("from 7.4 to 8.0, the newest major version")],
  ],
  [
    "what runs is not known",
    onChannel("latest", "a", { version: undefined }),
    {},
    [expect.stringContaining("it may go to 8.6")],
  ],
  ["major is there already", onChannel("major", "a", { version: "8.0.1" }), {}, []],
  ["a number", onChannel("7.4"), {}, []],
  ["nothing", onChannel(undefined), {}, []],
  ["a word that is no channel", onChannel("Latest"), {}, []],
])("with another release of the cluster: %s", (_title, ...[database, spec, expected]) => {
  expect(causes([database], later, upgradedEc(spec))).toEqual(expected);
});

test.each([
  [{ upgradeSpec: { autoUpgradeEngineEnterprise: true } }, 1],
  [{ autoUpgradeEngineEnterprise: true }, 1],
  [{ upgradeSpec: { autoUpgradeEngineEnterprise: false } }, 0],
  [{}, 0],
])("an upgrade of the operator alone takes along those of an EC with %j: %d", (spec, count) => {
  const facts = factsOf({ ecs: [upgradedEc(spec)], edbs: [onChannel("latest")] });
  expect(judgeAutomaticFollowers(facts, later)).toHaveLength(count);
});

test("data that nothing keeps may go with it", () => {
  const spec = { engineVersion: "latest", replication: false };
  expect(causes([anEdb("a", { spec })], later)).toEqual([
    expect.stringContaining("; its data may be lost with it: neither replicated nor persistent"),
  ]);
});

test.each<[string, string, Parameters<typeof judgeFollowers>[2], KubeObject, string]>([
  ["the cluster stays", "latest", undefined, upgradedEc(), "it may go from 7.4 to 8.2 at any time"],
  [
    "the cluster stays, and it has the newest",
    "latest",
    undefined,
    upgradedEc({}, { bundledDatabaseVersions: bundled.slice(0, 2) }),
    ": its version with a later release is unknown, and that cannot be undone",
  ],
  [
    "the cluster stays, and publishes nothing",
    "latest",
    undefined,
    upgradedEc({}, { bundledDatabaseVersions: undefined }),
    "it may go from 7.4 to 8.2 at any time",
  ],
  [
    "the cluster is written at its own release",
    "latest",
    { tag: newTag },
    upgradedEc(),
    `with ${newTag} it may go from 7.4 to 8.2`,
  ],
  [
    "a release of which nothing is published",
    "latest",
    { tag: "6.4.2-1" },
    upgradedEc(),
    "its version with 6.4.2-1 is unknown, and that cannot be undone",
  ],
  [
    "a release that nobody names",
    "major",
    { tag: undefined },
    upgradedEc(),
    "its version with the release that is asked for is unknown",
  ],
])("where it may go: %s", (_title, ...[channel, goal, ec, says]) => {
  expect(causes([onChannel(channel)], goal, ec)).toEqual([expect.stringContaining(says)]);
});

test("an active-active database follows by its global configurations, and its instances with it", () => {
  const eaadb = anEaadb({ spec: { globalConfigurations: { engineVersion: "latest" } } });
  const instance = anEdb("carts-here", { spec: { engineVersion: "latest" } });
  const ec = upgradedEc();
  const facts = factsOf({ ecs: [ec], edbs: [instance], eaadbs: [eaadb] });
  const [found, ...others] = judgeFollowers(facts, ec, later);
  expect(others).toEqual([]);
  expect(found).toMatchObject({
    object: "EngineEnterpriseActiveActiveDatabase/engine/carts",
    field: "spec.globalConfigurations.engineVersion",
    fix: expect.stringContaining(
      `kubectl patch engineenterpriseactiveactivedatabases carts -n engine --type merge -p '{"spec":{"globalConfigurations":{"engineVersion":"7.2"}}}'`,
    ) as string,
  });
});

test("an active-active database whose instance is not there is named without the version that it leaves", () => {
  const eaadb = anEaadb({ spec: { globalConfigurations: { engineVersion: "latest" } } });
  const [cause, ...others] = causes([eaadb], later);
  expect(others).toEqual([]);
  expect(cause).toContain("it may go to 8.6");
});

test("an instance of a database elsewhere is named, and not written", () => {
  const ec = upgradedEc();
  const edbs = [onChannel("major", "far", { activeActive: true })];
  const found = judgeFollowers(factsOf({ ecs: [ec], edbs, eaadbs: [] }), ec, later);
  expect(found).toMatchObject([{ object: "EngineEnterpriseDatabase/engine/far" }]);
  expect(found[0]?.fix).not.toContain("kubectl patch");
});

test("only those of the EC that is upgraded are named", () => {
  const [one, two] = [
    upgradedEc(),
    { ...upgradedEc(), metadata: { ...upgradedEc().metadata, name: "other" } },
  ];
  const of = (name: string, cluster: string): KubeObject =>
    anEdb(name, { spec: { engineVersion: "latest", engineEnterpriseCluster: { name: cluster } } });
  const edbs = [of("a", String(one.metadata.name)), of("b", "other")];
  const facts = factsOf({ ecs: [one, two], edbs, eaadbs: [] });
  const named = (ec: KubeObject) => judgeFollowers(facts, ec, later).map(({ object }) => object);
  expect([named(one), named(two)]).toEqual([
    ["EngineEnterpriseDatabase/engine/a"],
    ["EngineEnterpriseDatabase/engine/b"],
  ]);
  expect(listFollowers(facts)).toHaveLength(2);
});

test.each<[string, readonly KubeObject[], readonly FactKey[], string]>([
  ["none is on a channel", [anEdb()], [], "the databases keep theirs"],
  [
    "one is",
    [anEdb(), onChannel("latest")],
    [],
    "no database is written, and EngineEnterpriseDatabase/engine/follow (latest) follows its cluster by a channel; the others keep their version",
  ],
  [
    "all are",
    [onChannel("latest", "a"), onChannel("major", "b")],
    [],
    "no database is written, and EngineEnterpriseDatabase/engine/a (latest), EngineEnterpriseDatabase/engine/b (major) follow their cluster by a channel",
  ],
  ...(["edbs", "eaadbs"] as const).map(
    (key) =>
      [
        `${key} are not read`,
        [anEdb()],
        [key],
        "no database is written; which ones follow their cluster by a channel is not known",
      ] as [string, readonly KubeObject[], readonly FactKey[], string],
  ),
])("what is said where no database is written: %s", (_title, ...[edbs, closed, says]) => {
  const unread = new Map(closed.map((key) => [key, "it may not be read"]));
  expect(describeUnwritten(factsOf({ ecs: [upgradedEc()], edbs }, { unread }))).toBe(says);
});
