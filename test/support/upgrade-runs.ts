/** `upgrade` on a cluster in memory with the operator at play, and what it wrote there. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kinds } from "../../plugin/domain/kinds";
import type { KubeObject, Resource } from "../../plugin/domain/objects";
import { rbacKinds } from "../../plugin/domain/rbac/kinds";
import { configurationResource } from "../../plugin/domain/webhook/configuration";
import { type Call, ObservedCluster } from "../../plugin/rehearsal/observed-cluster";
import type { Cluster } from "../../plugin/run/ports";
import type { Report } from "../../plugin/run/report";
import { type PlayedWorld, product } from "./played-operator";
import { type Ended, type Scene, typed } from "./program-world";
import { writeRelease } from "./releases/tree";

export const withDatabases = [
  ...["--yes", "--engine-version", "8.0"],
  ...["--skip", "DATABASE-PARTICIPANT-UNSEEN=EngineEnterpriseActiveActiveDatabase/engine/carts"],
];
export let folder = "";
export let release = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "upgrade-"));
  release = writeRelease(join(folder, "release"), "8.0.2-2");
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** What came to the cluster as a write, and what happens at one of them. */
interface Watched {
  readonly writes: string[];
  readonly cluster: Cluster;
}

type At = (n: number, done: "before" | "after") => unknown;

function watched(inner: Cluster, happens: At = () => undefined): Watched {
  const writes: string[] = [];
  const cluster = new ObservedCluster(inner, async (call: Call, act) => {
    if (!call.writes || call.subject.includes("AccessReview")) return await act();
    await happens(writes.length + 1, "before");
    const value = await act();
    writes.push(`${call.verb} ${call.subject}`);
    await happens(writes.length, "after");
    return value;
  });
  return { writes, cluster };
}

export async function upgrade(
  world: PlayedWorld,
  args: readonly string[] = ["--yes"],
  { happens, ...scene }: Scene & { readonly happens?: At } = {},
): Promise<Ended & { readonly report: Report; readonly writes: readonly string[] }> {
  const { cluster, writes } = watched(world.cluster, happens);
  const ended = await typed(
    ["upgrade", "-n", "engine", "--release", release, "--no-probe", "-o", "json", ...args],
    {
      connect: () => Promise.resolve(cluster),
      clock: world.clock,
      env: { ENGINE_HOME: join(folder, "home") },
      ...scene,
    },
  );
  return { ...ended, writes, report: JSON.parse(ended.out) as Report };
}

/** All that an upgrade is about, without what differs from run to run. */
export async function stateOf(world: PlayedWorld): Promise<unknown> {
  await world.settle();
  const lists = await Promise.all(compared.map((resource) => world.cluster.list(resource)));
  return lists.flat().map((object) => {
    const { kind, metadata, ...rest } = object ?? noObject;
    const { name, namespace, labels } = metadata;
    return { kind, name, namespace, labels, ...rest, status: undefined };
  });
}

const noObject: KubeObject = { apiVersion: "", kind: "", metadata: {} };
const compared: readonly Resource[] = [
  rbacKinds.role,
  rbacKinds.roleBinding,
  kinds.deployment,
  kinds.service,
  configurationResource,
  product.ec,
  product.edb,
];
