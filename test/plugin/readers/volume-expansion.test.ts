/** What passes by itself is waited for, where that alone stands against an upgrade. */
import { databaseFinding } from "../../../plugin/domain/database/findings";
import { clusterFinding } from "../../../plugin/domain/engine-cluster/findings";
import { defaultNames } from "../../../plugin/domain/names/names";
import type { Finding } from "../../../plugin/domain/base/findings";
import { readAfterVolumeExpansion } from "../../../plugin/readers/volume-expansion";
import { ManualClock } from "../../support/manual-clock";

const resizing = clusterFinding(
  "resizing",
  { object: "EC/engine/ec", cause: "volumes" },
  defaultNames,
);
const other = databaseFinding("busy", { object: "EDB/engine/orders" });
const hint = databaseFinding("newer", { object: "EDB/engine/orders" });

async function settle(looks: readonly (readonly Finding[])[], waits: boolean) {
  const clock = new ManualClock();
  const told: string[] = [];
  const recorder = { noteWaiting: (on: string) => void told.push(on) };
  let count = 0;
  const read = () => {
    const findings = looks[Math.min(count, looks.length - 1)] ?? [];
    count += 1;
    return Promise.resolve({ findings });
  };
  const { signal } = new AbortController();
  const { findings } = await readAfterVolumeExpansion(
    { clock, signal, recorder },
    { waits, ms: 60_000 },
    read,
  );
  return { findings, count, told };
}

test.each<[string, readonly (readonly Finding[])[], boolean, number]>([
  ["an expansion, until it is done", [[resizing, hint], [resizing], [hint]], true, 3],
  ["an expansion that nobody waits for", [[resizing]], false, 1],
  ["another error beside it", [[resizing, other]], true, 1],
  ["nothing", [[hint]], true, 1],
])("%s", async (_title, ...[looks, waits, count]) => {
  const ended = await settle(looks, waits);
  expect([ended.count, ended.findings]).toEqual([count, looks.at(-1)]);
  expect(ended.told.every((on) => on === "EC/engine/ec: volumes")).toBe(true);
});

test("what does not end is given up", async () => {
  await expect(settle([[resizing]], true)).rejects.toThrow(
    "stopped waiting for EC/engine/ec: volumes",
  );
});
