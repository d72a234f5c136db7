/**
 * What an upgrade tells of the way to the webhook where its probes are not answered by it: virtual time. What each row
 * is to tell was written down before it was run.
 */
import { join } from "node:path";
import { ApiError, TimeoutError, UnavailableError } from "../../../../plugin/domain/base/errors";
import type { Access, KubeClient, KubeObject } from "../../../../plugin/ports/kubernetes";
import { kinds } from "../../../../plugin/domain/kube/kinds";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { GapReport, Report } from "../../../../plugin/kernel/report";
import { withMethods } from "../../../../plugin/ports/delegate";
import { observe } from "../../../../plugin/simulator/observed-cluster";
import { exampleSource } from "../../../../plugin/simulator/example";
import { testTime } from "../../../support/manual-clock";
import { aPlayedWorld, type PlayedWorld } from "../../../support/played-operator";
import { type Ended, type Scene, typed } from "../../../support/program-world";
import { type Script, ScriptedWebhook } from "../../../support/scripted-webhook";
import { folder, release } from "../../../support/upgrade-runs";

let objects: readonly KubeObject[] = [];

beforeAll(async () => {
  objects = [...(await exampleSource(names, testTime)).objects];
});

interface Wish {
  readonly script?: Script;
  /** What the cluster answers otherwise. */
  readonly over?: (inner: KubeClient) => KubeClient;
  readonly scene?: (world: PlayedWorld, webhook: ScriptedWebhook) => Scene;
}

interface Observed extends Ended {
  readonly webhook: ScriptedWebhook;
}

async function observed(as: "json" | "text", wish: Wish): Promise<Observed> {
  const { script = {}, over, scene } = wish;
  const world = await aPlayedWorld({ objects });
  const inner = over === undefined ? world.cluster : over(world.cluster);
  const webhook = new ScriptedWebhook(world, script, inner);
  const line = ["upgrade", "-n", "engine", "--release", release, "--only", "operator", "--yes"];
  const ended = await typed([...line, "-o", as], {
    connect: () => Promise.resolve(webhook.cluster),
    clock: world.clock,
    env: { ENGINE_HOME: join(folder, "home") },
    ...scene?.(world, webhook),
  });
  return { ...ended, webhook };
}

const reportOf = ({ out }: Ended): Report => JSON.parse(out) as Report;

/** `[least, most]` as the text tells it, of both kinds; 0 where there is no hole. */
function toldBounds(gap: GapReport, is: "bypass" | "outage"): string {
  const own = (gap.windows ?? []).filter((one) => one.is === is);
  const sum = (key: "leastSeconds" | "mostSeconds"): number =>
    own.reduce((total, one) => total + one[key], 0);
  if (own.length === 0) return "0 s";
  const [least, most] = [sum("leastSeconds"), sum("mostSeconds")];
  return `[${Math.floor(least * 10) / 10}, ${Math.ceil(most * 10) / 10}] s`;
}

/** The text has the same holes, and the same stretches that were not observed. */
function expectSame(gap: GapReport, { out }: Ended): void {
  const lines = out.split("\n");
  const blockOf = (head: string): readonly string[] => {
    const at = lines.findIndex((line) => line.startsWith(head));
    const after = lines.slice(at + 1);
    const end = after.findIndex((line) => !line.startsWith("  "));
    return [lines[at] ?? "", ...after.slice(0, end)];
  };
  const seen = (["bypass", "outage"] as const).map((is) => {
    const [line = "", ...block] = blockOf(is === "bypass" ? "Unguarded:" : "Outage:");
    const unseen = block.filter((one) => one.startsWith("  Not observed: "));
    return {
      is,
      bounds: line.includes(`${toldBounds(gap, is)} in `),
      unseen: unseen.length,
      holes: block.length - unseen.length,
    };
  });
  const wanted = (["bypass", "outage"] as const).map((is) => ({
    is,
    bounds: true,
    unseen: (gap.unobserved ?? []).filter((one) => one.is === is).length,
    holes: (gap.windows ?? []).filter((one) => one.is === is).length,
  }));
  expect([seen, out]).toEqual([wanted, out]);
}

interface Verdict {
  /** Seconds that the hole may be told as, at least and at most; absent: no hole. */
  readonly bypass?: readonly [shortest: number, longest: number];
  readonly outage?: readonly [shortest: number, longest: number];
  /** What was not observed, and why. */
  readonly unseen?: { readonly of: readonly ("bypass" | "outage")[]; readonly because: string };
}

const both = ["bypass", "outage"] as const;
const lastsMs = 3_000;
const during = [[1_000, 1_000 + lastsMs]] as const;

/** One hole, or none, whose bounds have the true length between them. */
function expectHole(
  { windows = [] }: GapReport,
  is: "bypass" | "outage",
  wanted: Verdict["bypass"],
): void {
  const own = windows.filter((one) => one.is === is);
  expect([is, own.length]).toEqual([is, wanted === undefined ? 0 : 1]);
  const [shortest = NaN, longest = NaN] = wanted ?? [];
  for (const { leastSeconds, mostSeconds } of own) {
    const rising = [shortest, leastSeconds, lastsMs / 1000, mostSeconds, longest];
    expect(rising).toEqual([...rising].sort((one, other) => one - other));
  }
}

/** What was not observed, for at least as long as it was so. */
function expectUnseen({ unobserved = [] }: GapReport, unseen: Verdict["unseen"]): void {
  const told = unobserved.map(({ is, because, ms }) => [is, because, ms >= lastsMs]);
  const { of = [], because = "" } = unseen ?? {};
  expect(told).toEqual(of.map((is) => [is, expect.stringContaining(because) as string, true]));
}

test.each<[name: string, script: Script, verdict: Verdict]>([
  [
    "an API server that refuses with 429",
    { busy: during },
    { unseen: { of: both, because: "the server has received too many requests" } },
  ],
  [
    "a right that was taken away",
    { forbidden: during },
    { unseen: { of: both, because: 'User "jane" cannot create resource' } },
  ],
  [
    "another webhook that refuses: a bad edit that it refuses is not stored either",
    { otherRefuses: during },
    { unseen: { of: ["outage"], because: "webhook quota.example refuses the probe" } },
  ],
  [
    "another webhook that does not answer",
    { otherFails: during },
    { unseen: { of: ["outage"], because: "webhook quota.example fails the probe" } },
  ],
  [
    "a policy that refuses",
    { policy: during },
    { unseen: { of: ["outage"], because: "ValidatingAdmissionPolicy frozen refuses the probe" } },
  ],
  [
    "a webhook that is away under failurePolicy Ignore",
    { lenient: during },
    { bypass: [2.4, 3.6] },
  ],
  [
    "a webhook that is silent until the API server gives up",
    { silent: during },
    { outage: [0, 14] },
  ],
])("%s", async (_name, script, { unseen, ...holes }) => {
  const json = await observed("json", { script });
  const { gap, exit } = reportOf(json);
  expect([json.code, exit.reason]).toEqual([0, expect.any(String)]);
  for (const is of both) expectHole(gap as GapReport, is, holes[is]);
  expectUnseen(gap as GapReport, unseen);
  expectSame(gap as GapReport, await observed("text", { script }));
});

const slices = kinds.endpointSlice.plural;

/** Without the permissions that are meant, as an API server answers. */
const without =
  (isMeant: (access: Access) => boolean) =>
  (inner: KubeClient): KubeClient =>
    withMethods(inner, {
      can: async (access) => !isMeant(access) && (await inner.can(access)),
      list: async (resource, options) => {
        const { group, plural } = resource;
        if (isMeant({ verb: "list", group, resource: plural, namespace: "engine" }))
          throw new ApiError(`may not list ${plural}`, { status: 403, reason: "Forbidden" });
        return await inner.list(resource, options);
      },
    });

/** Pods behind the Service in these conditions; ports may be forwarded, and are refused on the way. */
const withPods =
  (conditions: Readonly<Record<string, object>>) =>
  (inner: KubeClient): KubeClient => ({
    ...withMethods(inner, {
      list: async (resource, options) => {
        const found = await inner.list(resource, options);
        if (resource.plural !== slices) return found;
        const endpoints = Object.entries(conditions).map(([name, own], index) => ({
          addresses: [`10.0.0.${index + 1}`],
          conditions: own,
          targetRef: { kind: "Pod", name, namespace: "engine" },
        }));
        return found?.map((slice) => ({ ...slice, endpoints }));
      },
    }),
    forward: () => Promise.reject(new UnavailableError("the kubelet refuses the connection")),
  });

const ready = { ready: true, serving: true, terminating: false };
const leaving = { ready: false, serving: true, terminating: true };
const unseen = "which one answered a probe cannot be seen through the API server";
const refused = { is: "unreached", because: "the kubelet refuses the connection" };

describe("what stands behind the Service", () => {
  test.each<[name: string, over: NonNullable<Wish["over"]>, replicas: object]>([
    [
      "slices that may not be listed",
      without(({ verb, resource }) => verb === "list" && resource === slices),
      { note: "how many replicas stand behind the Service could not be read" },
    ],
    [
      "ports that may not be forwarded",
      without(({ subresource }) => subresource === "portforward"),
      { ready: 1, note: `${unseen}; none was asked by its own address` },
    ],
    [
      "ports whose forwarding is refused",
      withPods({ a: ready, b: ready }),
      {
        ready: 2,
        note: unseen,
        asked: ["a", "b"].map((name) => ({ pod: `Pod/engine/${name}`, ...refused })),
      },
    ],
    [
      "a pod that is leaving, and still serves",
      withPods({ a: ready, b: leaving }),
      { ready: 1, note: unseen, asked: [{ pod: "Pod/engine/a", ...refused }] },
    ],
    ["pods that are all leaving", withPods({ a: leaving }), { ready: 0, note: unseen, asked: [] }],
  ])("%s", async (_name, over, replicas) => {
    const json = await observed("json", { over });
    const { gap, exit } = reportOf(json);
    expect([json.code, exit.reason]).toEqual([0, expect.any(String)]);
    expect(gap?.replicas).toEqual(replicas);
    expect(gap?.windows).toEqual([]);
    expectSame(gap as GapReport, await observed("text", { over }));
  });
});

test("who may send no probe is upgraded all the same, and nothing is claimed", async () => {
  const over = without(({ verb, resource }) => {
    const isProbed = [names.edb.plural, names.eaadb.plural].includes(resource);
    return isProbed && (verb === "create" || verb === "update");
  });
  const wish: Wish = { over, script: { forbidden: [[-Infinity, Infinity]] } };
  const json = await observed("json", wish);
  const { gap, exit } = reportOf(json);
  expect([json.code, exit.reason]).toEqual([0, expect.any(String)]);
  expect(gap?.windows).toEqual([]);
  const lost = (gap?.unobserved ?? []).map(({ is, ms, because }) => [is, ms / 1000, because]);
  const because = expect.stringContaining('User "jane" cannot create resource') as string;
  expect(lost).toEqual(both.map((is) => [is, gap?.seconds, because]));
  const { out } = await observed("text", wish);
  expect(out).toMatch(/^Outage: +not observed in /m);
  expect(out).not.toMatch(/^(Outage|Unguarded): +0 s/m);
});

/** Interrupts the run so many milliseconds after the write. */
const interruptedAt =
  (afterMs: number): NonNullable<Wish["scene"]> =>
  ({ clock }, webhook) => {
    const interrupt = new AbortController();
    const cluster = withMethods(webhook.cluster, {
      create: async (object, options) => {
        const isTime = clock.now() - webhook.writtenAt >= afterMs;
        if (isTime) interrupt.abort(new TimeoutError("interrupted"));
        return await webhook.cluster.create(object, options);
      },
    });
    return { signal: interrupt.signal, connect: () => Promise.resolve(cluster) };
  };

describe("Ctrl-C", () => {
  test("ends the watch: what was seen until then is told, and that nobody looked after it", async () => {
    const scene = interruptedAt(3_000);
    const json = await observed("json", { scene });
    const { gap } = reportOf(json);
    expect(json.code).not.toBe(0);
    expect(gap?.windows).toEqual([]);
    expect(gap?.unobserved?.map(({ is, because }) => [is, because])).toEqual(
      both.map((is) => [is, "the run was interrupted"]),
    );
    expect(gap?.seconds).toBeLessThan(10);
    expect(json.webhook.count(3_001, Infinity)).toBe(0);
    expectSame(gap as GapReport, await observed("text", { scene }));
  });

  test("while the webhook is away: the hole is told, and that it was so when last seen", async () => {
    const scene = interruptedAt(3_000);
    const { gap } = reportOf(
      await observed("json", { scene, script: { down: [[1_000, Infinity]] } }),
    );
    expect(gap?.windows).toMatchObject([{ is: "outage", isOpen: true }]);
    const [{ leastSeconds, mostSeconds } = { leastSeconds: NaN, mostSeconds: NaN }] =
      gap?.windows ?? [];
    expect([leastSeconds <= 2, 2 <= mostSeconds]).toEqual([true, true]);
  });
});

test("of a run that was killed nothing is claimed by the next one", async () => {
  const world = await aPlayedWorld({ objects });
  const { clock } = world;
  const webhook = new ScriptedWebhook(world, { down: [[1_000, 60_000]] });
  const line = ["upgrade", "-n", "engine", "--release", release, "--only", "operator", "--yes"];
  const run = async (cluster: KubeClient): Promise<Ended> =>
    await typed([...line, "-o", "json"], {
      connect: () => Promise.resolve(cluster),
      clock,
      env: { ENGINE_HOME: join(folder, "killed") },
    });
  const dying = observe(webhook.cluster, async (_call, act) => {
    if (clock.now() - webhook.writtenAt > 2_000) throw new Error("killed");
    return await act();
  });
  expect((await run(dying)).code).not.toBe(0);
  await clock.sleep(90_000);
  const before = clock.now();
  const next = await run(webhook.cluster);
  const { gap } = reportOf(next);
  expect([next.code, gap?.windows, gap?.unobserved]).toEqual([0, [], undefined]);
  expect(gap?.seconds).toBeLessThanOrEqual((clock.now() - before) / 1000);
});

test.each([
  ["upgrade-operator", "--release", release],
  ["recover", "--apply"],
])("%s watches nothing, and tells of no outage, not even of none", async (...words) => {
  const world = await aPlayedWorld({ objects });
  const webhook = new ScriptedWebhook(world, { down: [[1_000, 4_000]] });
  for (const as of ["json", "text"]) {
    const line = [...words, "-n", "engine", "--yes", "-o", as];
    const { code, out } = await typed(line, {
      connect: () => Promise.resolve(webhook.cluster),
      clock: world.clock,
      env: { ENGINE_HOME: join(folder, "alone") },
    });
    expect([code, out.includes('"gap"')]).toEqual([0, false]);
    expect(out).not.toMatch(/outage|unguarded/i);
  }
  expect(webhook.probes).toEqual([]);
});
