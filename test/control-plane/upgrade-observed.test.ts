/**
 * `kubectl engine upgrade` over two releases while the webhook's process is stopped, held up or replaced at a random
 * moment: each hole is reported, its true length is within the bounds, and none is made up.
 * ENGINE_HOLE_SEED repeats the moments of an earlier run.
 */
import { setTimeout as pause } from "node:timers/promises";
import { join } from "node:path";
import { getPath, getOwn } from "../../plugin/domain/base/values";
import { defaultNames as names } from "../../plugin/domain/names/names";
import type { GapReport, GapWindow } from "../../plugin/kernel/report";
import { releaseShapes, type ReleaseVersion } from "../support/releases/versions";
import { logToStderr } from "./binaries";
import { admissionSecret, caBundleOf, makePair, writeTlsFolder } from "./certificate";
import { admissionService } from "./operator";
import { shortTimes, whilePlaying } from "./played-operator";
import { until } from "./until";
import { ecRef, namespace, openUpgradeScene, selector, type UpgradeScene } from "./upgrade-scene";
import { oldConfiguration } from "./webhook-configurations";
import { startWebhook, type Webhook } from "./webhook-process";

const releases = ["7.22.0-7", "8.0.2-2"] as const satisfies readonly ReleaseVersion[];
const seed = Number(process.env["ENGINE_HOLE_SEED"] ?? Date.now() % 1_000_000);
const pair = makePair({ namespace });
jest.setTimeout(600_000);

/** The cluster's pods take their time, so that there is some to disturb. */
const times = {
  ...shortTimes,
  staleRunningMs: 100,
  podStartMs: 1_000,
  podReadyMs: 2_000,
  drainMs: 500,
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

/** How long edits failed: the hole was no shorter than `sure`, no longer than `may`; in seconds. */
interface Truth {
  readonly sure: number;
  readonly may: number;
}

/** The webhook behind its Service, as a process that can be disturbed. */
class DisturbedWebhook {
  #webhook: Webhook | undefined;

  constructor(
    private readonly scene: UpgradeScene,
    private readonly tlsDir: string,
  ) {}

  async start(): Promise<void> {
    const { controlPlane } = this.scene;
    this.#webhook = await startWebhook({ controlPlane, namespace, tlsDir: this.tlsDir });
  }

  /** It is killed, and comes back after a while. */
  async stopped(): Promise<Truth> {
    return await this.#without(between(2_500, 4_000));
  }

  /** It is killed, and another one takes its place at once. */
  async replaced(): Promise<Truth> {
    return await this.#without(0);
  }

  /** It holds all answers back, for less than the API server waits: no edit fails. */
  async heldUp(): Promise<Truth> {
    const pid = this.#webhook?.daemon.pid;
    if (pid === undefined) throw new Error("the webhook does not run");
    process.kill(pid, "SIGSTOP");
    await pause(between(1_500, 3_500));
    process.kill(pid, "SIGCONT");
    return { sure: 0, may: 0 };
  }

  async #without(ms: number): Promise<Truth> {
    const before = performance.now();
    await this.#webhook?.stop();
    const gone = performance.now();
    await pause(ms);
    const back = performance.now();
    await this.start();
    const served = performance.now();
    return { sure: (back - gone) / 1000, may: (served - before) / 1000 };
  }
}

type Kind = "stopped" | "replaced" | "heldUp";

async function openScene(): Promise<{ scene: UpgradeScene; webhook: DisturbedWebhook }> {
  const scene = await openUpgradeScene({ pair, webhook: false });
  const { api, site } = scene.controlPlane;
  const tlsDir = join(site.dataDir, "webhook-tls");
  writeTlsFolder(tlsDir, pair);
  await api.create(admissionSecret(namespace, pair));
  await until("the Service", () => api.read(admissionService(namespace)));
  const webhook = new DisturbedWebhook(scene, tlsDir);
  await webhook.start();
  const entry = { namespaceSelector: selector };
  const old = oldConfiguration({ namespace, caBundle: caBundleOf(pair.cert), entry });
  await api.create(old, "kubectl-create");
  return { scene, webhook };
}

/** One upgrade, with the webhook disturbed once the cluster's pods are being renewed. */
async function disturbed(
  { scene, webhook }: Awaited<ReturnType<typeof openScene>>,
  release: ReleaseVersion,
  kind: Kind,
) {
  const { cluster } = scene;
  const tag = releaseShapes[release].cluster;
  const run = scene.upgrade(release);
  run.catch(() => undefined); // awaited below
  await until("the cluster's part", async () => {
    const ec = await cluster.get(ecRef);
    return getPath(ec, names.ecFields.versionTag) === tag || undefined;
  });
  await pause(between(0, 2_000));
  const truth = await webhook[kind]();
  return { truth, run: await run };
}

const holesOf = (gap: GapReport | undefined, is: GapWindow["is"]): readonly GapWindow[] =>
  (gap?.windows ?? []).filter((one) => one.is === is);

test.each<[Kind, Kind]>([
  ["stopped", "heldUp"],
  ["replaced", "stopped"],
])("a webhook that is %s during one upgrade and %s during the next", async (...kinds) => {
  logToStderr(`the moments follow from ENGINE_HOLE_SEED=${String(seed)}`);
  const opened = await openScene();
  const { scene } = opened;
  const playing = { cluster: scene.cluster, namespace, times, versions: versionsOf() };
  try {
    await whilePlaying(playing, async () => {
      for (const [index, release] of releases.entries()) {
        const kind = kinds[index] ?? "stopped";
        const { truth, run } = await disturbed(opened, release, kind);
        const gap = getOwn(run.report, "gap") as GapReport | undefined;
        const told = `${kind} ${JSON.stringify({ truth, gap: { ...gap, answers: [] } })}`;
        logToStderr(told);
        expectHoles(gap, { kind, truth, told });
        expect([run.code, run.report.exit.reason]).toEqual([0, expect.any(String)]);
      }
    });
  } finally {
    await scene.close();
  }
});

interface Expected {
  readonly kind: Kind;
  readonly truth: Truth;
  /** For the message of a failure. */
  readonly told: string;
}

function expectHoles(gap: GapReport | undefined, { kind, truth, told }: Expected): void {
  expect([holesOf(gap, "bypass"), told]).toEqual([[], told]);
  const holes = holesOf(gap, "outage");
  // between two probes a second apart a short one may pass unseen
  const counts = { stopped: [1], replaced: [0, 1], heldUp: [0] }[kind];
  expect([counts.includes(holes.length), told]).toEqual([true, told]);
  for (const { leastSeconds, mostSeconds } of holes) {
    expect([leastSeconds <= truth.may, mostSeconds >= truth.sure, told]).toEqual([
      true,
      true,
      told,
    ]);
  }
}

function versionsOf(): Readonly<Record<string, string>> {
  return { "7.4.2-2": releaseShapes["7.4.2-2"].cluster };
}
