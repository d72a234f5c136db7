/** An upgrade of the example's EC in memory, with an operator at play, and what is sent on the way. */
import { kinds } from "../../../../plugin/domain/kinds";
import { defaultNames as names } from "../../../../plugin/domain/names";
import { exampleSource } from "../../../../plugin/rehearsal/example";
import type { Misbehaviour } from "../../../../plugin/rehearsal/operator/misbehaviour";
import type { MemoryControlPlane } from "../../../../plugin/rehearsal/memory/control-plane";
import { PlayedClock } from "../../../../plugin/rehearsal/operator/played-clock";
import { playOperator } from "../../../../plugin/rehearsal/operator/play";
import { VirtualClock } from "../../../../plugin/rehearsal/virtual-clock";
import type { User } from "../../../../plugin/rehearsal/model";
import { ObservedCluster } from "../../../../plugin/rehearsal/observed-cluster";
import type {
  UpgradeClusterDeps,
  UpgradeClusterOptions,
} from "../../../../plugin/run/cluster/deps";
import { upgradeCluster } from "../../../../plugin/run/cluster/upgrade";
import type { Cluster, KubeObject } from "../../../../plugin/run/ports";
import type { Journal } from "../../../../plugin/run/record";
import { Recorder } from "../../../../plugin/run/recorder";
import type { Event, Report } from "../../../../plugin/run/report";
import { testTime } from "../../../support/manual-clock";
import { aPlayedWorld, here, product } from "../../../support/played-operator";
import { admin } from "../../rehearsal/memory-cluster";

export const namespace = "engine";
export const name = "ec";
export const target = "8.0.2-17";
export const ecRef = here(product.ec, name);
export const ecLabel = `EngineEnterpriseCluster/${namespace}/${name}`;
export const deploymentRef = here(kinds.deployment, names.operator.deployment);

export interface Scene {
  readonly controlPlane: MemoryControlPlane;
  readonly cluster: Cluster;
  readonly clock: PlayedClock;
  /** The writes that the runs sent, dry runs too. */
  readonly sent: string[];
  readonly events: Event[];
  readonly saved: KubeObject[];
  readonly journal: string[];
  readonly questions: string[];
  /** Before each request of a run: the place for somebody else to act, or to throw. */
  before: (line: string) => Promise<void>;
  /** After each: the place to lose an answer. */
  after: (line: string) => Promise<void>;
  run(
    options?: Partial<UpgradeClusterOptions>,
    deps?: Partial<UpgradeClusterDeps>,
  ): Promise<Report>;
  /** Changes the EC as somebody else would. */
  patch(body: object): Promise<KubeObject>;
  ec(): Promise<KubeObject | undefined>;
}

interface SceneWish {
  readonly user?: User;
  readonly objects?: (all: readonly KubeObject[]) => readonly KubeObject[];
}

/** Short ones: fewer looks, the same facts. */
const times = {
  reactMs: 500,
  staleRunningMs: 2_500,
  podStartMs: 1_000,
  podReadyMs: 1_500,
  drainMs: 1_000,
};

let settled: Promise<MemoryControlPlane> | undefined;

/** The example at rest after the operator's upgrade: EC and pods are still of the older release. */
async function atRest(
  change: (all: readonly KubeObject[]) => readonly KubeObject[],
): Promise<MemoryControlPlane> {
  const source = await exampleSource(names, testTime);
  const image = names.images.operator;
  const upgraded = JSON.parse(
    JSON.stringify(source.objects).replaceAll(`${image}:7.8.2-6`, `${image}:8.0.2-2`),
  ) as readonly KubeObject[];
  const world = await aPlayedWorld({ objects: change(upgraded), times });
  await world.settle();
  return world.controlPlane;
}

export async function aScene(
  misbehave: Misbehaviour = {},
  { user = admin, objects }: SceneWish = {},
): Promise<Scene> {
  const base = await (objects === undefined ? (settled ??= atRest(same)) : atRest(objects));
  const inner = new VirtualClock(testTime + 3_600_000);
  const controlPlane = base.fork(inner);
  const cluster = controlPlane.connect({ user: admin, namespace });
  const play = playOperator({ cluster, clock: inner, names, namespace, times, misbehave });
  const clock = new PlayedClock(inner, play);
  const scene: Scene = {
    controlPlane,
    cluster,
    clock,
    sent: [],
    events: [],
    saved: [],
    journal: [],
    questions: [],
    before: () => Promise.resolve(),
    after: () => Promise.resolve(),
    patch: (body) => cluster.patch(ecRef, body, { type: "merge", fieldManager: "kubectl-edit" }),
    ec: () => cluster.get(ecRef),
    run: (options = {}, deps = {}) => {
      const cluster = watched(controlPlane.connect({ user, namespace }), scene);
      return upgradeCluster(
        {
          cluster,
          clock: clock,
          names,
          signal: new AbortController().signal,
          recorder: new Recorder(
            { kind: "UpgradeCluster", target: { server: cluster.server, namespace } },
            { clock: clock, event: (event) => scene.events.push(event) },
          ),
          journal: journalOf(scene),
          ask: (question) => {
            scene.questions.push(question);
            return Promise.resolve(true);
          },
          yaml: (documents) => JSON.stringify(documents),
          command: (words) => words.join(" "),
          ...deps,
        },
        {
          namespace,
          name,
          target,
          auto: false,
          takeFields: [],
          stallAfterMs: 600_000,
          wait: false,
          dryRun: "none",
          fieldManager: names.fieldManager,
          ...options,
        },
      );
    },
  };
  return scene;
}

function same(all: readonly KubeObject[]): readonly KubeObject[] {
  return all;
}

/** Every live line that was shown. */
export function waits({ events }: Scene): readonly string[] {
  const all = events.flatMap((event) => (event.type === "waiting" ? [event.on] : []));
  return all.filter((on, index) => on !== all[index - 1]);
}

export const codesOf = ({ findings = [] }: Report): readonly string[] =>
  findings.map(({ code }) => code);

/** What became of each step. */
export const stepsOf = ({ steps = [] }: Report): readonly string[] =>
  steps.map(({ id, result }) => `${id} ${result}`);

function watched(connection: Cluster, scene: Scene): Cluster {
  return new ObservedCluster(connection, async (call, send) => {
    const line = `${call.verb} ${call.subject}`;
    await scene.before(line);
    if (call.writes || call.dryRun) scene.sent.push(`${line}${call.dryRun ? " (dry run)" : ""}`);
    const answer = await send();
    await scene.after(line);
    return answer;
  });
}

function journalOf(scene: Scene): Journal {
  const keep = (what: string) => (line: object) => {
    scene.journal.push(`${what} ${JSON.stringify(line)}`);
    return Promise.resolve();
  };
  return {
    problem: () => Promise.resolve(undefined),
    intent: keep("intent"),
    outcome: keep("outcome"),
    save: (object) => {
      scene.saved.push(object);
      return Promise.resolve("ec.json");
    },
  };
}
