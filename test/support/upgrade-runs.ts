/** `upgrade` on a cluster in memory with the operator at play, and what it wrote there. */
import { join } from "node:path";
import { type ObservedCall, observe } from "../../plugin/simulator/observed-cluster";
import type { KubeClient } from "../../plugin/ports/kubernetes";
import type { Report } from "../../plugin/kernel/report";
import { listUnnamedWaits } from "./named-waits";
import type { PlayedWorld } from "./played-operator";
import { type Ended, type Scene, typed } from "./program-world";
import { writeRelease } from "./releases/tree";
import { aFolder } from "./a-folder";

export const withDatabases = [
  // the databases of the example are neither replicated nor persistent
  ...["--yes", "--engine-version", "8.0", "--may-discard-data"],
  ...["--skip", "DATABASE-PARTICIPANT-UNSEEN=EngineEnterpriseActiveActiveDatabase/engine/carts"],
];
/** Made once for a run; its temporary folder is removed at its end. */
export const folder = aFolder("upgrade");
/** Its folder; another one is given with `--release`. */
export const release = writeRelease(join(folder, "release"), "8.0.2-2");

/** What came to the cluster as a write. */
interface Watched {
  readonly writes: string[];
  readonly cluster: KubeClient;
}

function watched(inner: KubeClient): Watched {
  const writes: string[] = [];
  const cluster = observe(inner, async (call: ObservedCall, act) => {
    if (!call.writes || call.subject.includes("AccessReview")) return await act();
    const value = await act();
    writes.push(`${call.verb} ${call.subject}`);
    return value;
  });
  return { writes, cluster };
}

export async function upgrade(
  world: PlayedWorld,
  args: readonly string[] = ["--yes"],
  scene: Scene = {},
): Promise<Ended & { readonly report: Report; readonly writes: readonly string[] }> {
  const { cluster, writes } = watched(world.cluster);
  const given = args.includes("--release") ? args : ["--release", release, ...args];
  const ended = await typed(["upgrade", "-n", "engine", "--no-probe", "-o", "json", ...given], {
    connect: () => Promise.resolve(cluster),
    clock: world.clock,
    env: { ENGINE_HOME: join(folder, "home") },
    ...scene,
  });
  const unnamed = listUnnamedWaits(ended.err);
  if (unnamed.length > 0) throw new Error(`waits without a name: ${unnamed.join("; ")}`);
  return { ...ended, writes, report: JSON.parse(ended.out) as Report };
}
