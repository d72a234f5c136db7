/**
 * What an upgrade of a large cluster asks of a real API server: `check`, `status`, the plan of
 * `upgrade` and `reapply-rbac`, by a user who may do everything and to whom its priority and fairness
 * applies. Another build of the plugin is measured by turns with the built one.
 */
import { defaultNames as names } from "../../../plugin/domain/names/names";
import type { Api } from "../../control-plane/api";
import { seedNamespaces, settings } from "../../control-plane/managed-namespaces";
import { database, databaseStatus } from "../../control-plane/scene";
import { managed, openUpgradeScene, type UpgradeScene } from "../../control-plane/upgrade-scene";
import { type Bench, benchOn, costOfRun, type PluginRunner } from "../commands/run";
import { bringInto, Draw, namesFrom } from "../rbac/scene";
import { tell } from "./cluster";
import { pointOf, type Round } from "./points";

const subject = "whole-upgrade";
/** Databases in each namespace. */
const each = 10;
/** Nobody of system:masters is ever sent away. */
const admin = { name: "admin-of-all", groups: ["admins"] };

export interface WholeUpgradePlan {
  readonly sizes: readonly number[];
  readonly rounds: number;
  readonly seed: string;
  /** An executable of the plugin; empty: none. */
  readonly beside: string;
}

export async function measureWholeUpgrade(plan: WholeUpgradePlan): Promise<void> {
  for (const size of plan.sizes) {
    const scene = await openUpgradeScene({ users: [admin] });
    try {
      const { api } = scene.controlPlane;
      const namespaces = namesFrom(new Draw(plan.seed), Math.ceil(size / each));
      await allowAll(api);
      await fill(api, namespaces, size);
      console.log(`${String(size)} databases in ${String(namespaces.length)} namespaces`);
      await measureAt(benchOn(scene.controlPlane), scene, { ...plan, size, namespaces });
    } finally {
      await scene.close();
    }
  }
}

async function allowAll(api: Api): Promise<void> {
  await api.create({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: admin.name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: admin.name }],
  });
}

/** Namespaces with the roles of another release, and databases at rest. */
async function fill(api: Api, namespaces: readonly string[], size: number): Promise<void> {
  await seedNamespaces(api, namespaces);
  const left = Array.from({ length: size }, (_, at) => at);
  const work = async (): Promise<void> => {
    for (let at = left.pop(); at !== undefined; at = left.pop()) {
      const namespace = namespaces[at % namespaces.length] ?? "";
      const name = `db-${String(at)}`;
      const one = database({ namespace, name, engineVersion: "7.2" });
      await api.create(one, "kubectl-create");
      await api.writeStatus(one, databaseStatus(100 + at, "7.2"));
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
  const all = [...managed, ...namespaces].join(",");
  await api.replace(settings({ [names.configMap.namespaces]: all }));
}

interface Place extends WholeUpgradePlan {
  readonly size: number;
  readonly namespaces: readonly string[];
}

async function measureAt(bench: Bench, scene: UpgradeScene, place: Place): Promise<void> {
  const { api } = scene.controlPlane;
  const { size, rounds, seed, beside, namespaces: all } = place;
  const release = scene.release("8.0.2-2");
  const commands: Readonly<Record<string, readonly string[]>> = {
    check: ["check", "--release", release],
    status: ["status", "-A"],
    "upgrade --dry-run": ["upgrade", "--release", release, "--dry-run=client"],
    "reapply-rbac": ["reapply-rbac", "--release", release],
  };
  const runners: readonly (readonly [title: string, by: PluginRunner])[] = [
    ["", { user: admin.name }],
    ...(beside === "" ? [] : [[", before", { user: admin.name, executable: beside }] as const]),
  ];
  for (const [name, words] of Object.entries(commands)) {
    const costs = new Map<string, Round[]>(runners.map(([title]) => [title, []]));
    for (let turn = 0; turn < rounds * runners.length; turn += 1) {
      const [title, by] = runners[turn % runners.length] ?? ["", {}];
      // the same changes for each build
      const round = Math.floor(turn / runners.length);
      const roles = { api, seed: `${seed} ${String(round)}`, names: all };
      if (name === "reapply-rbac") await bringInto("changed", roles);
      costs.get(title)?.push(await measureRun(bench, words, by));
    }
    for (const [title, own] of costs)
      tell(pointOf({ subject, line: `${name}${title}`, size }, own));
  }
}

async function measureRun(
  bench: Bench,
  words: readonly string[],
  by: PluginRunner,
): Promise<Round> {
  const cost = await costOfRun(bench, words, by);
  const { seconds, client, servers, mib, busy, others } = cost;
  const requests = [...cost.requests.values()].reduce((sum, count) => sum + count, 0);
  return { values: { seconds, client, servers, requests, busy, mib }, others };
}
