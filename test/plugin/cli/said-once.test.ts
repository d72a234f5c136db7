/** What goes to a log: neither stream is a terminal, and both end up in the same file. */
import { join } from "node:path";
import type { Report } from "../../../plugin/kernel/report";
import { aPlayedWorld } from "../../support/played-operator";
import { type Ended, typed } from "../../support/program-world";
import { aFolder } from "../../support/a-folder";

const folder = aFolder("said-once");

async function onCluster(argv: readonly string[]): Promise<Ended> {
  const { cluster, clock } = await aPlayedWorld();
  return await typed([...argv, "-n", "engine"], {
    connect: () => Promise.resolve(cluster),
    clock,
    env: { ENGINE_HOME: join(folder, "home"), HOME: folder, PATH: "" },
  });
}

const times = (text: string, part: string): number => text.split(part).length - 1;

describe("each finding is printed once in a log", () => {
  test.each<[string, string[]]>([
    ["a run that is blocked", ["upgrade-cluster", "ec", "--target=6.0.0-1"]],
    ["check", ["check"]],
    ["recover", ["recover"]],
  ])("%s", async (_, argv) => {
    const { findings = [] } = JSON.parse((await onCluster([...argv, "-o", "json"])).out) as Report;
    expect(findings.length).toBeGreaterThan(0);
    const { out, err } = await onCluster(argv);
    for (const { code, object = "", cause } of findings) {
      const alike = findings.filter((one) => one.code === code && one.object === object);
      expect([code, object, err.includes(cause)]).toEqual([code, object, false]);
      if (alike.length === 1 && times(out, `${code} ${object}`) > 0) {
        expect([code, object, times(out, `${code} ${object}\n`) <= 1]).toEqual([
          code,
          object,
          true,
        ]);
      }
    }
  });

  test("the end of a blocked run names the finding's code on either stream", async () => {
    const { out, err, code } = await onCluster(["upgrade-cluster", "ec", "--target=6.0.0-1"]);
    const cause = "6.0.0-1 is older than 7.8.2-34";
    expect([times(out, cause), times(err, cause), code]).toEqual([1, 0, 3]);
    expect(out).toContain("Ended with exit code 3: CLUSTER-TARGET-LOWER, as shown above");
    expect(err).toBe("error: CLUSTER-TARGET-LOWER, as shown above\n  next: give a later tag\n");
  });

  test("beside a document it is part of the talk, and with -q of the end", async () => {
    const line = ["upgrade-cluster", "ec", "--target=6.0.0-1", "-o", "json"];
    const cause = "6.0.0-1 is older than 7.8.2-34";
    expect(times((await onCluster(line)).err, cause)).toBe(1);
    expect(times((await onCluster([...line, "-q"])).err, cause)).toBe(1);
  });
});
