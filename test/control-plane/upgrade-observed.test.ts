/**
 * `kubectl engine upgrade` over two releases while the webhook behind its Service is stopped, held up, replaced or made
 * to lie at a random moment of a part: each hole is reported, its true length is within the bounds, and none is made up.
 * What was truly done is the disturbance's own log, and who asked when is the API server's audit log.
 * ENGINE_HOLES adds so many random disturbances, ENGINE_HOLE_SEED repeats the moments of an earlier run.
 */
import { setTimeout as pause } from "node:timers/promises";
import { asArray, getOwn, getPath, withValue } from "../../plugin/domain/base/values";
import { type PartId, partIds } from "../../plugin/domain/base/part-ids";
import { constraintResource } from "../../plugin/domain/kube/kinds";
import { defaultNames as names } from "../../plugin/domain/names/names";
import type { GapReport, GapWindow } from "../../plugin/kernel/report";
import { user } from "../plugin/commands/unbind-scc/objects";
import { constraint } from "../support/releases/rights";
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
import { countWithin, judgeWindows } from "./observed-holes";
import { admissionService } from "./operator";
import { shortTimes, whilePlaying } from "./played-operator";
import { documentOf, type ReportDocument, runner, startPlugin } from "./plugin-run";
import { until } from "./until";
import {
  databaseRef,
  ecLabel,
  ecRef,
  namespace,
  openUpgradeScene,
  selector,
  type UpgradeScene,
} from "./upgrade-scene";
import { oldConfiguration } from "./webhook-configurations";
import { startWriteGate, type WriteGate } from "./write-gate";

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

/** At what it is disturbed, and what makes that there is something to do. */
interface DisturbedPart {
  /** The line that tells of its beginning. */
  readonly title: string;
  /** It is held up at this write until the disturbance is over; else disturbed within so many milliseconds. */
  readonly at: RegExp | number;
  /** What has to be typed for it. */
  readonly words?: (release: (typeof releases)[number]) => readonly string[];
  /** Gives what takes the cause away. */
  readonly prepare?: (scene: UpgradeScene) => Promise<() => Promise<void>>;
}

const versions = { "7.22.0-7": "7.4", "8.0.2-2": "8.0" } as const;

const parts: Readonly<Record<PartId, DisturbedPart>> = {
  "auto-off": {
    title: "Switch the automatic upgrade off",
    at: /^PATCH .*\/ec$/,
    prepare: useOwnModule,
    // which builds are there cannot be seen on a cluster without a REST API
    words: () => ["--skip", `MODULE-OS-BASE=${ecLabel}`],
  },
  "rbac-expand": { title: "Widen RBAC in the managed namespaces", at: /^PATCH .*\/roles\// },
  operator: { title: "Upgrade the operator", at: 1_500 },
  webhook: { title: "Reapply the admission webhook", at: 300 },
  cluster: { title: "Upgrade the cluster", at: 3_000 },
  scc: {
    title: "Unbind the old SCC",
    at: /^(PATCH|DELETE) .*\/securitycontextconstraints\//,
    prepare: bindConstraint,
  },
  "rbac-contract": { title: "Narrow RBAC to the new release", at: /^PATCH .*\/roles\// },
  databases: {
    title: "Upgrade the databases",
    at: new RegExp(`^PATCH .*/${names.edb.plural}/`),
    words: (release) => ["--engine-version", versions[release], "--may-discard-data"],
  },
};

/** The old SCC is there, and the operator may use it. */
async function bindConstraint({ cluster }: UpgradeScene): Promise<() => Promise<void>> {
  const ref = { resource: constraintResource, name: names.scc.current };
  if ((await cluster.get(ref)) === undefined) await cluster.create(constraint("7.4.2-2"));
  await cluster.patch(ref, { users: [user(namespace)] }, { type: "merge" });
  return () => Promise.resolve();
}

/** A database uses a module of a user's own while the cluster upgrades itself (S51). */
async function useOwnModule({ cluster }: UpgradeScene): Promise<() => Promise<void>> {
  const ec = await cluster.get(ecRef);
  const known = asArray(getPath(ec, names.fields.statusModules));
  const gears = { name: "rg", displayName: "EngineGears", versions: ["1.2.5"] };
  const status = withValue({}, names.fields.statusModules, [
    ...known.filter((one) => getOwn(one, "name") !== "rg"),
    gears,
  ]);
  await cluster.patch(ecRef, status, { type: "merge", subresource: "status" });
  await cluster.patch(ecRef, withValue({}, names.ecFields.autoUpgrade, true), { type: "merge" });
  const use = async (modulesList: readonly object[] | null): Promise<void> => {
    const { bypass, bypassUntil } = names.annotations;
    const end = new Date(Date.now() + 600_000).toISOString();
    const passes = modulesList !== null;
    const annotations = {
      [bypass]: passes ? "as it was before" : null,
      [bypassUntil]: passes ? end : null,
    };
    const body = { metadata: { annotations }, spec: { modulesList } };
    await until("the edit of a database", () =>
      cluster.patch(databaseRef("config"), body, { type: "merge" }),
    );
  };
  await use([{ name: "rg" }]);
  return () => use(null);
}

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

/** Draws each of them once before any comes again. */
function deckOf<T>(all: readonly T[]): () => T {
  const left: T[] = [];
  return () => {
    if (left.length === 0) left.push(...all);
    return left.splice(Math.floor(random() * left.length), 1)[0] as T;
  };
}

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
  ...drawScenes(Math.ceil(more / 2)),
];

function drawScenes(count: number): readonly (readonly [Row, Row])[] {
  const [part, how] = [deckOf(partIds), deckOf(disturbances)];
  const row = (): Row => [part(), how()];
  return Array.from({ length: count }, () => {
    const [one, other] = [row(), row()];
    // only the first upgrade brings another OS base, for which there is a finding to accept
    return other[0] === "auto-off" ? [other, one] : [one, other];
  });
}

interface Opened {
  readonly scene: UpgradeScene;
  readonly webhook: DisturbedWebhook;
  /** Between the run and the API server. */
  readonly gate: WriteGate;
}

async function openScene(): Promise<Opened> {
  const scene = await openUpgradeScene({ pair, webhook: false, openshift: true });
  const { controlPlane } = scene;
  const { api } = controlPlane;
  await api.create(admissionSecret(namespace, pair));
  await until("the Service", () => api.read(admissionService(namespace)));
  const webhook = new DisturbedWebhook({ controlPlane, namespace, pair, between });
  await webhook.start();
  const entry = { namespaceSelector: selector };
  const old = oldConfiguration({ namespace, caBundle: caBundleOf(pair.cert), entry });
  await api.create(old, "kubectl-create");
  return { scene, webhook, gate: await startWriteGate(controlPlane) };
}

interface Ended {
  readonly code: number;
  readonly report: ReportDocument;
  readonly truths: readonly Truth[];
  /** When the probes of the run were under way. */
  readonly probes: readonly Span[];
}

/** Holds the first write that is meant, until it is let go. */
function holdAt(
  gate: WriteGate,
  isMeant: (line: string) => boolean | undefined,
): { readonly isHeld: () => boolean; readonly release: () => void } {
  let [isHeld, release] = [false, (): void => undefined];
  const over = new Promise<void>((resolve) => (release = resolve));
  gate.watch(async (line, moment) => {
    if (moment === "after" || isMeant(line) !== true) return "pass";
    isHeld = true;
    await over;
    return "pass";
  });
  return {
    isHeld: () => isHeld,
    release: () => {
      release();
    },
  };
}

/** One upgrade with the webhook disturbed from a moment of the part on. */
async function upgradeDisturbed(
  { scene, webhook, gate }: Opened,
  release: (typeof releases)[number],
  [part, how]: Row,
): Promise<Ended> {
  const { controlPlane } = scene;
  const { title, at, words } = parts[part];
  const mark = await controlPlane.auditMark();
  const given = ["--release", scene.release(release), ...(words?.(release) ?? [])];
  const args = ["upgrade", ...given, "--yes", "-o", "json"];
  const running = startPlugin(controlPlane, args, gate.kubeconfig);
  const isIn = (): true | undefined => running.stderr().includes(`: ${title}, after `) || undefined;
  const write =
    typeof at === "number" ? undefined : holdAt(gate, (line) => at.test(line) && isIn());
  const begun = until(
    `"${title}" in ${running.stderr()}`,
    () => (write === undefined ? isIn() : write.isHeld() || undefined),
    { withinMs: 240_000, everyMs: 10 },
  );
  begun.catch(() => undefined); // the run may end first
  const hasEnded = await Promise.race([begun.then(() => false), running.ended.then(() => true)]);
  const early = hasEnded ? `${running.stderr()}\n${running.stdout()}` : "";
  expect([hasEnded, early]).toEqual([false, ""]);
  if (typeof at === "number") await pause(between(0, at));
  const truths = await webhook.disturb(how, write === undefined ? "often" : "seldom");
  write?.release();
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
  const { scene, gate } = opened;
  const clusters = { "7.4.2-2": releaseShapes["7.4.2-2"].cluster };
  try {
    await whilePlaying(
      { cluster: scene.cluster, namespace, times, versions: clusters },
      async () => {
        for (const [index, release] of releases.entries()) {
          const row = rows[index] ?? ["cluster", "none"];
          const tidy = await parts[row[0]].prepare?.(scene);
          const ended = await upgradeDisturbed(opened, release, row);
          expectHoles(ended, row);
          // what a proof, or an edit of a database, met in vain is done by the same command
          await tidy?.();
          if (ended.code === 0) continue;
          const { code, report } = await scene.upgrade(release);
          expect([code, report.exit.reason]).toEqual([0, expect.any(String)]);
        }
      },
    );
  } finally {
    await gate.close();
    await scene.close();
  }
});

function expectHoles({ report, truths, probes, code }: Ended, row: Row): void {
  const gap = getOwn(report, "gap") as GapReport | undefined;
  const shown = { ...gap, answers: undefined };
  const met = truths.map(({ may }) => countWithin(probes, may));
  const told = JSON.stringify({ row, code, seed, truths, met, gap: shown });
  logToStderr(told);
  const found: string[] = [];
  // an edit that was under way when the API server was held up, or ended, may have been stopped: a moment, of no sure length
  const mayBe = row[1].startsWith("server") ? 1 : 0;
  for (const is of ["bypass", "outage"] as const) {
    const truth = truths.find((one) => one.is === is);
    found.push(
      ...judgeWindows(
        (gap?.windows ?? []).filter((one) => one.is === is),
        { truth, probes, mayBe },
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
