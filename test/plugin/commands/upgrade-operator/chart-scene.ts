/** An operator in memory that helm has installed, and its upgrade by chart with a helm that is played. */
import { ApiError } from "../../../../plugin/domain/base/errors";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import type { ChartHook } from "../../../../plugin/domain/operator/chart-hooks";
import type { DeployedChart } from "../../../../plugin/domain/operator/chart-images";
import { type ChartMarks, withChartMarks } from "../../../../plugin/domain/operator/chart-marks";
import { findBundleKind } from "../../../../plugin/domain/operator/wanted";
import { chartPart } from "../../../../plugin/commands/upgrade-operator/chart";
import type {
  ChartPartOptions,
  Helm,
} from "../../../../plugin/commands/upgrade-operator/chart-options";
import type { KubeClient } from "../../../../plugin/ports/kubernetes";
import { runPart } from "../../../../plugin/kernel/run-part";
import type { Report } from "../../../../plugin/kernel/report";
import { bundleOf } from "../../../support/releases/tree";
import { portsOf } from "../world";
import { aScene, inPlace, ns, type Scene } from "./scene";

const release = { name: "operator", namespace: ns };

/** What helm renders and has deployed, and what else is there. */
export interface ChartWish {
  /** Absent: the bundle of 8.0.2-2. */
  readonly rendered?: readonly unknown[];
  /** Of a second render; absent: the same. */
  readonly again?: readonly unknown[];
  readonly hooks?: readonly ChartHook[];
  /** Absent: the bundle of 7.22.0-7, which is installed. */
  readonly deployed?: readonly KubeObject[];
  readonly unread?: readonly string[];
  /** Definitions of its crds/ folder, or how helm fails to show them; absent: none. */
  readonly folder?: readonly KubeObject[] | Error;
  /** Helm's upgrade fails before it writes anything. */
  readonly fails?: true;
  /** The API server merges what helm applies, as of helm 4. */
  readonly appliesOnServer?: true;
  readonly options?: Partial<ChartPartOptions>;
  /** Right after helm's upgrade. */
  readonly upgraded?: (scene: Scene) => Promise<void>;
  /** The marks that the objects have; null: none. Absent: those of the release. */
  readonly marks?: ChartMarks | null;
  /** The field manager that has installed them; absent: helm's. */
  readonly manager?: string;
  /** What helm answers otherwise. */
  readonly helm?: Partial<Helm>;
  /** Before the run. */
  readonly change?: (scene: Scene) => Promise<void>;
  /** The cluster as the run sees it. */
  readonly connect?: (cluster: KubeClient) => KubeClient;
}

export interface ChartRun {
  readonly report: Report;
  /** Real upgrades. */
  readonly upgrades: readonly string[];
  /** Whether each of them takes fields of others. */
  readonly takes: readonly boolean[];
  readonly scene: Scene;
  /** `action object result` of each step. */
  readonly steps: readonly string[];
  readonly notes: readonly string[];
}

/** Helm's own install: its marks on every object, and its name on every field. */
export async function helmInstall(
  cluster: KubeClient,
  objects: readonly KubeObject[],
  wish: Pick<ChartWish, "marks" | "manager" | "appliesOnServer"> = {},
): Promise<void> {
  const { marks = release, manager: fieldManager = "helm", appliesOnServer } = wish;
  for (const object of objects.map(inPlace)) {
    const marked = marks === null ? object : withChartMarks(object, marks);
    if (appliesOnServer) await cluster.apply(marked, { fieldManager, force: true });
    else await cluster.create(marked, { fieldManager });
  }
}

export async function runChart(wish: ChartWish = {}): Promise<ChartRun> {
  const { deployed = bundleOf("7.22.0-7"), rendered = bundleOf("8.0.2-2"), folder = [] } = wish;
  const scene = await aScene();
  const { cluster, clock } = scene;
  await helmInstall(cluster, deployed, wish);
  await clock.sleep(60_000);
  await wish.change?.(scene);
  const upgrades: string[] = [];
  const takes: boolean[] = [];
  let version = "7.22.0-7";
  const renders = [rendered, wish.again ?? rendered];
  const helm: Helm = {
    find: () =>
      Promise.resolve({
        ...{ name: "operator", status: "deployed" },
        chart: `${names.operator.chart}-${version}`,
      }),
    values: () => Promise.resolve({}),
    manifest: () => {
      const manifest: DeployedChart = {
        objects: deployed,
        ...(wish.unread && { unread: wish.unread }),
      };
      return Promise.resolve(manifest);
    },
    render: () =>
      Promise.resolve({
        objects: renders.length > 1 ? (renders.shift() ?? []) : (renders[0] ?? []),
        ...(wish.hooks && { hooks: wish.hooks }),
        ...(wish.appliesOnServer && { appliesOnServer: true }),
        values: {},
      }),
    upgrade: async (call) => {
      if (wish.fails === true) throw new ApiError("helm upgrade failed", { status: 500 });
      upgrades.push(call.version);
      takes.push(call.takes === true);
      version = call.version;
      for (const object of rendered.filter(isObjectOf)) {
        const placed = withChartMarks(inPlace(object), release);
        await cluster.apply(placed, { fieldManager: "helm", force: true });
      }
      await wish.upgraded?.(scene);
    },
    folderDefinitions: () =>
      folder instanceof Error ? Promise.reject(folder) : Promise.resolve(folder),
    rollback: () => Promise.resolve(),
    ...wish.helm,
  };
  const options: ChartPartOptions = {
    ...{ namespace: ns, dryRun: "none", fieldManager: names.fieldManager, timeoutMs: 300_000 },
    ...{ wait: false, chart: "./chart", releaseName: "operator", version: "8.0.2-2" },
    ...{ values: [], given: [], home: "Secrets", takeFields: [], applyCrds: false },
    withHelm: (work) => work(helm),
    ...wish.options,
  };
  const { connect = (one: KubeClient) => one } = wish;
  const ports = portsOf(scene, { kind: "UpgradeOperator", cluster: connect(cluster), clock });
  const { dryRun, timeoutMs: limitMs } = options;
  const report = await runPart(ports, chartPart(options), { dryRun, limitMs });
  return {
    ...{ report, upgrades, takes, scene },
    steps: (report.steps ?? []).map(
      ({ action, object, result }) => `${action} ${object} ${result}`,
    ),
    notes: scene.events.flatMap((event) => (event.type === "note" ? [event.text] : [])),
  };
}

function isObjectOf(value: unknown): value is KubeObject {
  return typeof value === "object" && findBundleKind(value as KubeObject) !== undefined;
}
