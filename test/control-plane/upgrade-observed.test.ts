/**
 * `kubectl engine upgrade` over two releases while the webhook behind its Service is stopped, held up, replaced or made
 * to lie at a random moment of a part: each hole is reported, its true length is within the bounds, and none is made up.
 * What was truly done is the disturbance's own log, and who asked when is the API server's audit log.
 * ENGINE_HOLES adds so many random disturbances, ENGINE_HOLE_SEED repeats the moments of an earlier run.
 */
import { setTimeout as pause } from "node:timers/promises";
import { getOwn } from "../../plugin/domain/base/values";
import type { PartId } from "../../plugin/domain/base/part-ids";
import { defaultNames as names } from "../../plugin/domain/names/names";
import type { GapReport, GapWindow } from "../../plugin/kernel/report";
import { releaseShapes, type ReleaseVersion } from "../support/releases/versions";
import { logToStderr } from "./binaries";
import { admissionSecret, caBundleOf, makePair } from "./certificate";
import {
  DisturbedWebhook,
  type Disturbance,
  disturbances,
  type Span,
  type Truth,
} from "./disturbed-webhook";
import { admissionService } from "./operator";
import { shortTimes, whilePlaying } from "./played-operator";
import { documentOf, type ReportDocument, runner, startPlugin } from "./plugin-run";
import { until } from "./until";
import { namespace, openUpgradeScene, selector, type UpgradeScene } from "./upgrade-scene";
import { oldConfiguration } from "./webhook-configurations";

const releases = ["7.22.0-7", "8.0.2-2"] as const satisfies readonly ReleaseVersion[];
const seed = Number(process.env["ENGINE_HOLE_SEED"] ?? Date.now() % 1_000_000);
const more = Number(process.env["ENGINE_HOLES"] ?? 0);
const pair = makePair({ namespace });
jest.setTimeout(600_000);

/** Pods and databases take their time, so that there is some to disturb. */
const times = {
  ...shortTimes,
  staleRunningMs: 100,
  podStartMs: 1_000,
  podReadyMs: 1_500,
  drainMs: 500,
  databaseMs: 1_500,
};

/** Parts by the line that tells of their beginning, and how long one may take from there to the disturbance. */
const parts: Readonly<Partial<Record<PartId, readonly [title: string, longestMs: number]>>> = {
  "rbac-expand": ["Widen RBAC in the managed namespaces", 100],
  operator: ["Upgrade the operator", 1_500],
  webhook: ["Reapply the admission webhook", 300],
  cluster: ["Upgrade the cluster", 3_000],
  scc: ["Unbind the old SCC", 50],
  "rbac-contract": ["Narrow RBAC to the new release", 50],
};

/** Numbers from 0 to 1, the same for the same seed. */
function numbers(from: number): () => number {
  let state = from;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

const random = numbers(seed);
const between = (least: number, most: number): number => least + random() * (most - least);
const oneOf = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;

type Row = readonly [part: PartId, how: Disturbance];

/** One cluster for two upgrades: what is done during the first, and during the second. */
const scenes: readonly (readonly [Row, Row])[] = [
  [
    ["cluster", "stopped"],
    ["operator", "refusing"],
  ],
  [
    ["cluster", "allowing"],
    ["cluster", "serverHeldUp"],
  ],
  ...Array.from({ length: Math.ceil(more / 2) }, (): readonly [Row, Row] => [
    [oneOf(Object.keys(parts) as PartId[]), oneOf(disturbances)],
    [oneOf(Object.keys(parts) as PartId[]), oneOf(disturbances)],
  ]),
];

async function openScene(): Promise<{ scene: UpgradeScene; webhook: DisturbedWebhook }> {
  const scene = await openUpgradeScene({ pair, webhook: false });
  const { controlPlane } = scene;
  const { api } = controlPlane;
  await api.create(admissionSecret(namespace, pair));
  await until("the Service", () => api.read(admissionService(namespace)));
  const webhook = new DisturbedWebhook({ controlPlane, namespace, pair, between });
  await webhook.start();
  const entry = { namespaceSelector: selector };
  const old = oldConfiguration({ namespace, caBundle: caBundleOf(pair.cert), entry });
  await api.create(old, "kubectl-create");
  return { scene, webhook };
}

interface Ended {
  readonly code: number;
  readonly report: ReportDocument;
  readonly truths: readonly Truth[];
  /** When the probes of the run were under way. */
  readonly probes: readonly Span[];
}

/** One upgrade with the webhook disturbed from a moment of the part on. */
async function upgradeDisturbed(
  { scene, webhook }: Awaited<ReturnType<typeof openScene>>,
  release: ReleaseVersion,
  [part, how]: Row,
): Promise<Ended> {
  const { controlPlane } = scene;
  const mark = await controlPlane.auditMark();
  const args = ["upgrade", "--release", scene.release(release), "--yes", "-o", "json"];
  const running = startPlugin(controlPlane, args);
  const [title = "", longestMs = 0] = parts[part] ?? [];
  const begun = until(
    `"${title}" in ${running.stderr()}`,
    () => running.stderr().includes(`: ${title}, after `) || undefined,
    { withinMs: 240_000, everyMs: 10 },
  );
  begun.catch(() => undefined); // the run may end first
  const hasEnded = await Promise.race([begun.then(() => false), running.ended.then(() => true)]);
  const early = hasEnded ? `${running.stderr()}\n${running.stdout()}` : "";
  expect([hasEnded, early]).toEqual([false, ""]);
  await pause(between(0, longestMs));
  const truths = await webhook.disturb(how);
  const result = await running.ended;
  const events = await controlPlane.auditEvents(mark);
  const probes = events
    .filter(({ stage, user, requestURI, objectRef }) => {
      const isDryRun = stage === "ResponseComplete" && requestURI.includes("dryRun=All");
      const isRunner = user.username === runner.name;
      return isDryRun && isRunner && objectRef?.resource === names.edb.plural;
    })
    .map(({ requestReceivedTimestamp: from, stageTimestamp: to }) => ({
      from: Date.parse(from),
      to: Date.parse(to),
    }));
  return { code: result.code, report: documentOf(result, args), truths, probes };
}

test.each(scenes)("%p, then %p", async (...rows) => {
  logToStderr(`the moments follow from ENGINE_HOLE_SEED=${String(seed)}`);
  const opened = await openScene();
  const { scene } = opened;
  const versions = { "7.4.2-2": releaseShapes["7.4.2-2"].cluster };
  try {
    await whilePlaying({ cluster: scene.cluster, namespace, times, versions }, async () => {
      for (const [index, release] of releases.entries()) {
        const row = rows[index] ?? ["cluster", "none"];
        const ended = await upgradeDisturbed(opened, release, row);
        expectHoles(ended, row);
        // what a proof, or an edit of a database, met in vain is done by the same command
        if (ended.code === 0) continue;
        const { code, report } = await scene.upgrade(release);
        expect([code, report.exit.reason]).toEqual([0, expect.any(String)]);
      }
    });
  } finally {
    await scene.close();
  }
});

/** Milliseconds since 1970 lose what is below one: at both ends of a span. */
const roundingSeconds = 0.002;
/** Probes of two kinds that take turns, of two senders: among so many is one of each. */
const enoughProbes = 5;

function expectHoles({ report, truths, probes, code }: Ended, row: Row): void {
  const gap = getOwn(report, "gap") as GapReport | undefined;
  const shown = { ...gap, answers: undefined };
  const told = JSON.stringify({ row, code, seed, truths, probes: probes.length, gap: shown });
  logToStderr(told);
  const found: string[] = [];
  for (const is of ["bypass", "outage"] as const) {
    const truth = truths.find((one) => one.is === is);
    found.push(
      ...judgeWindows(
        (gap?.windows ?? []).filter((one) => one.is === is),
        { how: row[1], truth, probes },
      ),
    );
  }
  const seconds = (is: GapWindow["is"]): number =>
    (gap?.windows ?? []).filter((one) => one.is === is).reduce((sum, { ms }) => sum + ms, 0) / 1000;
  // what is told in sum is what the windows are
  expect([gap?.bypassSeconds, gap?.outageSeconds, told]).toEqual([
    expect.closeTo(seconds("bypass"), 1),
    expect.closeTo(seconds("outage"), 1),
    told,
  ]);
  expect([found, told]).toEqual([[], told]);
}

interface Judged {
  readonly how: Disturbance;
  readonly truth: Truth | undefined;
  readonly probes: readonly Span[];
}

/** What is wrong with the windows of one kind. */
function judgeWindows(
  windows: readonly GapWindow[],
  { how, truth, probes }: Judged,
): readonly string[] {
  const least = sum(windows.map(({ leastSeconds }) => leastSeconds));
  if (truth === undefined) {
    // an edit that was under way when the API server was held up may have been stopped: a moment, of no sure length
    const mayBe = how === "serverHeldUp" ? 1 : 0;
    return least === 0 && windows.length <= mayBe ? [] : [`made up: ${JSON.stringify(windows)}`];
  }
  const isTooLong = least > toSeconds(truth.may) + roundingSeconds;
  return [
    ...(isTooLong ? ["the least is longer than it was"] : []),
    ...(truth.sure === undefined ? [] : judgeSure(windows, { sure: truth.sure, probes })),
  ];
}

/** A hole that was certainly there, as long as somebody asked. */
function judgeSure(
  windows: readonly GapWindow[],
  { sure, probes }: { readonly sure: Span; readonly probes: readonly Span[] },
): readonly string[] {
  const within = probes.filter(({ from, to }) => sure.from < from && to < sure.to).length;
  if (windows.length === 0) {
    return within < enoughProbes ? [] : [`${within} probes met it, and it is not told`];
  }
  // nobody looked before the first probe and after the last one
  const [first = sure, last = sure] = [probes[0], probes.at(-1)];
  const watched = { from: Math.max(sure.from, first.from), to: Math.min(sure.to, last.to) };
  const most = sum(windows.map(({ mostSeconds }) => mostSeconds));
  return most < toSeconds(watched) - roundingSeconds ? ["the most is shorter than it was"] : [];
}

function toSeconds({ from, to }: Span): number {
  return Math.max(0, to - from) / 1000;
}

function sum(all: readonly number[]): number {
  return all.reduce((total, one) => total + one, 0);
}
