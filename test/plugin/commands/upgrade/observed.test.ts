/** What `upgrade` observes of the webhook meanwhile: virtual time, a webhook that is away when the test says so. */
import { join } from "node:path";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { GapReport, GapWindow, Report } from "../../../../plugin/kernel/report";
import type { KubeObject } from "../../../../plugin/ports/kubernetes";
import { exampleSource } from "../../../../plugin/simulator/example";
import { testTime } from "../../../support/manual-clock";
import { aPlayedWorld } from "../../../support/played-operator";
import { OutageWatch } from "../../../../plugin/readers/outage-watch";
import { readSnapshot } from "../../../../plugin/readers/snapshot";
import { openInForce, probedFacts } from "../../../../plugin/readers/webhook-probe";
import { type Script, ScriptedWebhook } from "../../../support/scripted-webhook";
import { typed } from "../../../support/program-world";
import { folder, release } from "../../../support/upgrade-runs";

let objects: readonly KubeObject[] = [];

beforeAll(async () => {
  objects = [...(await exampleSource(names, testTime)).objects];
});

/** The part that takes the webhook away; the others are parts of the same run. */
const alone = ["--only", "operator"];

async function observed(script: Script, more: readonly string[] = alone) {
  const world = await aPlayedWorld({ objects });
  const webhook = new ScriptedWebhook(world, script);
  const words = ["upgrade", "-n", "engine", "--release", release, "--yes", ...more];
  const scene = {
    connect: () => Promise.resolve(webhook.cluster),
    clock: world.clock,
    env: { ENGINE_HOME: join(folder, "home") },
  };
  const { out, code } = await typed([...words, "-o", "json"], scene);
  const report = JSON.parse(out) as Report;
  return { code, report, gap: report.gap, webhook };
}

const isRoll = (action: string, object: string): boolean =>
  action === "wait" && object.startsWith(names.ec.kind);

const windowsOf = (gap: GapReport | undefined, kind: GapWindow["is"]): readonly GapWindow[] =>
  (gap?.windows ?? []).filter(({ is }) => is === kind);

test("an upgrade whose webhook answers all the time says so, with the time and the probes", async () => {
  const { code, gap, webhook, report } = await observed({}, []);
  expect([code, report.exit.reason]).toEqual([0, expect.any(String)]);
  expect(gap).toMatchObject({ bypassSeconds: 0, outageSeconds: 0, windows: [] });
  expect(gap?.unobserved).toBeUndefined();
  expect(gap?.seconds).toBeGreaterThan(40);
  expect(gap?.probes).toBeLessThanOrEqual(webhook.probes.length);
  expect(gap?.replicas).toMatchObject({ ready: 1 });
  // once a second while the cluster's pods are renewed
  const roll = report.steps?.findLast(({ action, object }) => isRoll(action, object));
  const end = testTime + (roll?.at ?? 0) + (roll?.ms ?? 0);
  const late = webhook.probes.filter((at) => at > end - 10_000 && at <= end).length;
  expect([9, 10, 11]).toContain(late);
});

test("probes come five a second from the moment before the write on", async () => {
  const { webhook } = await observed({});
  // virtual time stands still between the look and the write
  expect(webhook.count(-1, 1)).toBeGreaterThanOrEqual(1);
  expect(webhook.count(1, 8_001)).toBeGreaterThanOrEqual(39);
  expect(webhook.count(1, 8_001)).toBeLessThanOrEqual(41);
});

test.each<[name: string, from: number, to: number]>([
  ["for 5 s", 1_050, 6_050],
  ["from the write on", 0, 7_300],
  ["for the blink of an eye, between two probes that fail", 2_150, 2_650],
])("a webhook that is away %s: the true length is within the bounds", async (_name, from, to) => {
  const { gap, code } = await observed({ down: [[from, to]] });
  expect(code).toBe(0);
  const [hole, ...more] = windowsOf(gap, "outage");
  expect(more).toEqual([]);
  expect(hole?.leastSeconds).toBeLessThanOrEqual((to - from) / 1000);
  expect(hole?.mostSeconds).toBeGreaterThanOrEqual((to - from) / 1000);
  expect((hole?.mostSeconds ?? 0) - (hole?.leastSeconds ?? 0)).toBeLessThan(1.3);
  expect(windowsOf(gap, "bypass")).toEqual([]);
});

test("a bad edit that passes is a hole of its own kind", async () => {
  const { gap } = await observed({ lenient: [[1_000, 4_000]] });
  const [hole] = windowsOf(gap, "bypass");
  expect([hole?.leastSeconds, hole?.mostSeconds]).toEqual([
    expect.closeTo(2.8, 0),
    expect.closeTo(3.4, 0),
  ]);
  expect(windowsOf(gap, "outage")).toEqual([]);
  expect(gap?.bypassSeconds).toBeGreaterThan(2);
});

test("while the API server does not answer, nothing is claimed: no outage, and no 0 s", async () => {
  const { gap } = await observed({ away: [[1_000, 4_000]] });
  expect(gap?.windows).toEqual([]);
  expect(gap?.unobserved?.map(({ is }) => is)).toEqual(["bypass", "outage"]);
  for (const { because, ms } of gap?.unobserved ?? []) {
    expect(because).toBe("the API server is away");
    expect(ms).toBeGreaterThanOrEqual(3_000);
  }
});

test("nothing is claimed of the time before the first probe: of a plan that was read for long, say", async () => {
  const world = await aPlayedWorld({ objects });
  const webhook = new ScriptedWebhook(world, {});
  const { clock } = world;
  const deps = { cluster: webhook.cluster, clock, names, signal: new AbortController().signal };
  const facts = await readSnapshot(deps, "engine", probedFacts);
  const watch = new OutageWatch(deps, () =>
    openInForce(deps, facts, { name: "a-probe-1", own: undefined }),
  );
  await clock.sleep(15_000);
  const before = clock.now();
  await watch.begin();
  const { from, probes, unseen } = await watch.end();
  expect(from).toBe(before);
  // those that chose what to send are counted too
  expect(probes).toBe(webhook.probes.length);
  expect(unseen).toEqual({ bypass: [], outage: [] });
});

test.each<keyof Script>(["down", "lenient", "refusing"])(
  "where it is probed seldom, a hole that is longer than the time between two looks is met: %s",
  async (how) => {
    const world = await aPlayedWorld({ objects });
    const { clock } = world;
    for (let startMs = 10_000; startMs < 15_000; startMs += 500) {
      const webhook = new ScriptedWebhook(world, { [how]: [[startMs, startMs + 5_100]] });
      const deps = { cluster: webhook.cluster, clock, names, signal: new AbortController().signal };
      const facts = await readSnapshot(deps, "engine", probedFacts);
      const watch = new OutageWatch(deps, () =>
        openInForce(deps, facts, { name: "a-probe-1", own: undefined }),
      );
      await watch.begin();
      webhook.writtenAt = clock.now();
      await clock.sleep(40_000);
      const { holes } = await watch.end();
      expect([startMs, holes.length]).toEqual([startMs, 1]);
      const [{ leastMs, mostMs } = { leastMs: NaN, mostMs: NaN }] = holes;
      expect([startMs, leastMs <= 5_100, mostMs >= 5_100]).toEqual([startMs, true, true]);
    }
  },
);

test("a probe waits for as long as an API server may wait for a webhook, also by a configuration that comes later", async () => {
  const world = await aPlayedWorld({ objects });
  const { cluster } = new ScriptedWebhook(world, {});
  const waits = new Set<number>();
  const clock = {
    now: () => world.clock.now(),
    sleep: (ms: number) => world.clock.sleep(ms),
    alarm: (ms: number) => {
      waits.add(ms);
      return () => undefined;
    },
  };
  const deps = { cluster, clock, names, signal: new AbortController().signal };
  const facts = await readSnapshot(deps, "engine", probedFacts);
  const prober = await openInForce(deps, facts, { name: "a-probe-1", own: undefined });
  if (typeof prober === "string") throw new Error(prober);
  await prober.round();
  // timeoutSeconds is 30 at most
  expect(Math.min(...waits)).toBeGreaterThan(30_000);
});

test("after the last write it is probed for 10 s more, also where nothing else is left to do", async () => {
  const { webhook, report, gap } = await observed({}, ["--only", "webhook"]);
  const write = report.steps?.findLast(
    ({ result }) => result === "deleted" || result === "changed",
  );
  const end = testTime + (write?.at ?? NaN) + (write?.ms ?? NaN);
  const after = webhook.probes.filter((at) => at > end + 8_000 && at <= end + 10_000);
  expect(after.length).toBeGreaterThanOrEqual(9);
  expect(gap?.seconds).toBeGreaterThanOrEqual(10);
});

test("without a write nothing is waited for", async () => {
  const { gap, report } = await observed({}, ["--only", "scc"]);
  expect(report.exit.code).toBe(0);
  expect(gap?.seconds).toBeLessThan(10);
  expect(gap?.probes).toBeGreaterThanOrEqual(6);
});

test("a webhook that does not come back is told as open, and the end does not wait for it", async () => {
  const { gap } = await observed({ down: [[1_000, Infinity]] });
  expect(windowsOf(gap, "outage")).toMatchObject([{ isOpen: true }]);
});

test("with --no-probe nothing is sent, and the report has no seconds", async () => {
  const { gap, webhook } = await observed({}, [...alone, "--no-probe"]);
  expect([gap, webhook.probes]).toEqual([undefined, []]);
});
