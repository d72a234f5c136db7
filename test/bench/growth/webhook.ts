/** The webhook by the number of ECs that it knows, and by the size of what it is asked. */
import { randomInt } from "node:crypto";
import { cpus } from "node:os";
import { anEc } from "../../webhook/fake-clusters";
import { type ClusterLoad, startClusterServer } from "../admission/cluster-scene";
import { Load } from "../admission/load";
import { Disturbance } from "../admission/process";
import { judgedCluster, Mix } from "../admission/reviews";
import { Scene } from "../admission/scene";
import { tell } from "./cluster";
import { pointOf, type Round } from "./points";

const kb = 1_024;
const usual = { bytes: 4 * kb, clusters: 10 };
/** Statuses of ECs are of about this size. */
const statusBytes = 8 * kb;
const listLimitMs = 120_000;
/** So much is sent of each size, and not more reviews than these. */
const most = { bytes: 400 * kb * kb, reviews: 10_000 };

export interface WebhookPlan {
  /** Numbers of ECs. */
  readonly clusters: readonly number[];
  /** Sizes of reviews, in KB. */
  readonly sizes: readonly number[];
  readonly rounds: number;
}

/** One webhook, fresh for each round, that judges many reviews of about so many bytes. */
async function roundOf(count: number, bytes: number): Promise<Round> {
  const scene = new Scene([]);
  try {
    const load: ClusterLoad = { count, statusBytes, changesPerSecond: 0 };
    const { kubeconfig, server, requests } = await startClusterServer(scene, load);
    const env = { KUBECONFIG: kubeconfig };
    const webhook = await scene.startWebhook(env, { limitMs: listLimitMs });
    const atStart = await requests();
    const disturbance = new Disturbance([webhook.server, server]);
    const reviewMs = await judge(webhook, scene.ca, bytes);
    const values = {
      seconds: webhook.readyMs / 1_000,
      requests: atStart,
      mib: webhook.server.memory().peak,
      reviewMs,
    };
    return { values, others: disturbance.share() / cpus().length };
  } finally {
    await scene.close();
  }
}

/** Processor milliseconds of one review; the first ones pay for the compiling and do not count. */
async function judge(
  { server, port }: Awaited<ReturnType<Scene["startWebhook"]>>,
  ca: string,
  bytes: number,
): Promise<number> {
  const total = Math.min(most.reviews, Math.ceil(most.bytes / bytes));
  const load = await Load.open({ port, ca });
  const kinds = Math.min(200, Math.ceil(total / 4));
  const exchanges = new Mix(randomInt(2 ** 31), [anEc(judgedCluster)]).reviews(bytes, kinds);
  await load.flood(exchanges, total / 2);
  const before = server.cpuMs();
  await load.flood(exchanges, total);
  const each = (server.cpuMs() - before) / total;
  load.close();
  return each;
}

async function roundsOf(count: number, bytes: number, rounds: number): Promise<readonly Round[]> {
  const all: Round[] = [];
  for (let round = 0; round < rounds; round += 1) all.push(await roundOf(count, bytes));
  return all;
}

export async function measureWebhook({ clusters, sizes, rounds }: WebhookPlan): Promise<void> {
  for (const size of clusters) {
    const all = await roundsOf(size, usual.bytes, rounds);
    tell(pointOf({ subject: "webhook-clusters", line: "engine-webhook", size }, all));
  }
  for (const size of sizes) {
    const all = await roundsOf(usual.clusters, size * kb, rounds);
    tell(pointOf({ subject: "webhook-reviews", line: "engine-webhook", size }, all));
  }
}
