/** Names with their kind before them, as kubectl takes and prints them. */
import { join } from "node:path";
import type { Report } from "../../../plugin/kernel/report";
import { aPlayedWorld } from "../../support/played-operator";
import { type Ended, typed } from "../../support/program-world";
import { aFolder } from "../../support/a-folder";

const folder = aFolder("typed-names");

async function onCluster(argv: readonly string[]): Promise<Ended & { readonly steps: string[] }> {
  const { cluster, clock } = await aPlayedWorld();
  const ended = await typed([...argv, "-n", "engine", "--dry-run=client", "-o", "json"], {
    connect: () => Promise.resolve(cluster),
    clock,
    env: { ENGINE_HOME: join(folder, "home") },
  });
  const { steps = [] } = JSON.parse(ended.out) as Report;
  return {
    ...ended,
    steps: steps.map(({ action, object, result }) => `${action} ${object} ${result}`),
  };
}

const upgraded = ["--engine-version", "7.4", "--may-discard-data"];

describe("a kind before a name is read", () => {
  test.each<[string, string[], string[]]>([
    ["the short name", ["upgrade-cluster", "ec/ec"], ["upgrade-cluster", "ec"]],
    [
      "the kind as reports print it",
      ["upgrade-cluster", "EngineEnterpriseCluster/ec"],
      ["upgrade-cluster", "ec"],
    ],
    [
      "the plural with its group",
      ["upgrade-cluster", "engineenterpriseclusters.app.engine.com/ec"],
      ["upgrade-cluster", "ec"],
    ],
  ])("%s of a cluster", async (_, line, plain) => {
    const wish = ["--target", "7.22.0-17"];
    const [one, other] = [
      await onCluster([...line, ...wish]),
      await onCluster([...plain, ...wish]),
    ];
    expect([one.code, one.steps]).toEqual([other.code, other.steps]);
    expect(JSON.parse(one.out)).toMatchObject({ kind: "UpgradeCluster" });
    expect(one.code).not.toBe(2);
  });

  test.each<[string, string]>([
    ["the short name", "edb/shop/orders"],
    ["the kind as reports print it", "EngineEnterpriseDatabase/shop/orders"],
  ])("%s of a database", async (_, name) => {
    const one = await onCluster(["upgrade-database", name, ...upgraded]);
    const other = await onCluster(["upgrade-database", "shop/orders", ...upgraded]);
    expect([one.code, one.steps]).toEqual([other.code, other.steps]);
    expect(one.out).toContain("EngineEnterpriseDatabase/shop/orders");
  });

  test("unbind-scc, recover and the canary take it too", async () => {
    const all = [
      ["recover", "--ec", "ec/ec"],
      ["unbind-scc", "--ec", "ec/ec"],
      ["upgrade-database", "--all", "-A", ...upgraded, "--canary", "edb/shop/orders"],
    ];
    for (const line of all) {
      const { code, err } = await onCluster(line);
      expect([line, code === 2, err]).toEqual([
        line,
        false,
        expect.not.stringContaining("is not among"),
      ]);
    }
  });

  test("a kind leaves no choice between two of one name", async () => {
    const { code, out } = await onCluster(["upgrade-database", "edb/carts", ...upgraded]);
    expect(out).toContain("there is no database edb/carts in namespace engine");
    expect(code).toBe(3);
  });
});

describe("another kind is refused before anything is read", () => {
  test.each<[string[], string]>([
    [
      ["upgrade-cluster", "edb/orders", "--target=8.0.2-17"],
      'NAME: "edb/orders" is of kind EDB; the name of an EC is expected',
    ],
    [
      ["upgrade-cluster", "shop/ec", "--target=8.0.2-17"],
      'NAME: "shop/ec" is not the name of an EC; a namespace goes with -n',
    ],
    [
      ["upgrade-database", "ec/ec", ...upgraded],
      'NAME: "ec/ec" is of kind EC; the name of an EDB or EAADB is expected',
    ],
    [["upgrade-database", "edb/", ...upgraded], 'NAME: "edb/" has no name'],
    [
      ["upgrade-database", "pod/shop/orders", ...upgraded],
      'NAME: "pod/shop/orders" is not the name of an EDB or EAADB',
    ],
    [["recover", "--ec", "erc/x"], '--ec: "erc/x" is of kind ERC; the name of an EC is expected'],
    [
      ["rehearse", "recover", "--ec", "erc/x"],
      '--ec: "erc/x" is of kind ERC; the name of an EC is expected',
    ],
  ])("%j", async (line, message) => {
    const { code, err } = await typed(line); // there is no cluster to be asked
    expect(err.split("\n")[0]).toBe(`error: ${message}`);
    expect(code).toBe(2);
  });
});
