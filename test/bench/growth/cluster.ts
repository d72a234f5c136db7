/** `check`, `status` and `reapply-rbac` over so many namespaces and databases of a real API server. */
import { startControlPlane } from "../../control-plane/control-plane";
import { runner } from "../../control-plane/plugin-run";
import { type Bench, benchOn, costOfRun } from "../commands/run";
import { seedDatabases } from "../commands/scene";
import { bringInto } from "../rbac/scene";
import { keepPoint, pointOf, type Round } from "./points";

const subject = "cluster";
/** As many at each size: a binding names the account of each EC. */
const clusters = 4;

/** What can be asked for by name. */
export const looks: Readonly<Record<string, readonly string[]>> = {
  check: ["check", "--target=8.2.0-12"],
  status: ["status", "-A"],
};

export interface ClusterPlan {
  readonly sizes: readonly number[];
  readonly wanted: readonly string[];
  readonly rounds: number;
  readonly seed: string;
}

/** One API server for each size, seeded once for all commands. */
export async function measureCluster(plan: ClusterPlan): Promise<void> {
  for (const size of plan.sizes) {
    const controlPlane = await startControlPlane({ users: [runner], log: () => undefined });
    try {
      const amounts = { databases: size, namespaces: size, clusters, seed: plan.seed };
      const { what, namespaces } = await seedDatabases(controlPlane.api, amounts);
      console.log(what);
      await measureAt(benchOn(controlPlane), { ...plan, size, namespaces });
    } finally {
      await controlPlane.stop();
    }
  }
}

interface Place extends ClusterPlan {
  readonly size: number;
  readonly namespaces: readonly string[];
}

async function measureAt(bench: Bench, place: Place): Promise<void> {
  const { size, wanted, rounds } = place;
  for (const [line, words] of Object.entries(looks).filter(([name]) => wanted.includes(name))) {
    const costs: Round[] = [];
    for (let round = 0; round < rounds; round += 1) costs.push(await roundOf(bench, words));
    tell(pointOf({ subject, line, size }, costs));
  }
  if (wanted.includes("reapply-rbac")) await measureRoles(bench, place);
}

/** What is unchanged follows what was written. */
async function measureRoles(
  bench: Bench,
  { size, namespaces, rounds, seed }: Place,
): Promise<void> {
  const { api } = bench.controlPlane;
  const [changed, unchanged]: [Round[], Round[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    // the first one finds what was seeded: the roles of another release
    if (round > 0)
      await bringInto("changed", { api, seed: `${seed} ${String(round)}`, names: namespaces });
    changed.push(await roundOf(bench, ["reapply-rbac"]));
    unchanged.push(await roundOf(bench, ["reapply-rbac"]));
  }
  tell(pointOf({ subject, line: "reapply-rbac", size }, changed));
  tell(pointOf({ subject, line: "reapply-rbac again", size }, unchanged));
}

async function roundOf(bench: Bench, words: readonly string[]): Promise<Round> {
  const { seconds, client, servers, mib, requests, others } = await costOfRun(bench, words);
  const all = [...requests.values()].reduce((sum, count) => sum + count, 0);
  return { values: { seconds, client, servers, requests: all, mib }, others };
}

/** Keeps and shows a point. */
export function tell(point: Parameters<typeof keepPoint>[0]): void {
  keepPoint(point);
  console.log(JSON.stringify(point));
}
