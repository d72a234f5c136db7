/** Starts of jobs that write over the cluster's REST API: a service that is played beside the cluster. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { defaultNames as names } from "../../plugin/domain/names/names";
import type { MemoryControlPlane } from "../../plugin/simulator/api-server/control-plane";
import type { Clock } from "../../plugin/ports/kubernetes";
import { admin, exampleOnce, makeWorld } from "../support/world";
import { aScene } from "../plugin/commands/upgrade-database/scene";
import { aFrozenScene, aModuleFile } from "../plugin/commands/recover/scene";
import { aCaFile, anApiSecret } from "../support/cluster-api-client";
import { ManualClock } from "../support/manual-clock";
import { aClusterApi, type ClusterApiForTest } from "../support/played-cluster-api";
import { aFolder } from "../support/a-folder";

/** A cluster in a time of its own, with whatever plays on it. */
export interface Opened {
  readonly controlPlane: MemoryControlPlane;
  /** Its sleeps let others play. */
  readonly clock: Clock;
  /** Its sleeps let nobody play. */
  readonly still: Clock;
  readonly settle: () => Promise<void>;
  readonly api?: ClusterApiForTest;
}

interface Served {
  readonly controlPlane: MemoryControlPlane;
  readonly clock: Clock;
  readonly settle?: () => Promise<void>;
  readonly api: ClusterApiForTest;
}

async function opened({ controlPlane, clock, settle, api }: Served): Promise<Opened> {
  const { name, password } = api.admin;
  const cluster = controlPlane.connect({ user: admin, namespace: names.operator.namespace });
  await cluster.create(anApiSecret(name, password));
  return { controlPlane, clock, still: clock, api, settle: settle ?? (() => Promise.resolve()) };
}

/** Its address is known once it is open. */
export function reachOf(api: ClusterApiForTest): readonly string[] {
  return [`--api-url=${api.url}`, `--api-ca=${aCaFile(api.caPem)}`];
}

function archive(): string {
  const file = join(aFolder("module"), "rg.zip");
  writeFileSync(file, aModuleFile().bytes);
  return file;
}

/** Jobs by what they are about. */
export const rest = {
  databases: {
    words: () => ["upgrade-database", "shop/sessions", "--engine-version=8.0", "--via=api"],
    open: async () => {
      const { controlPlane, clock } = await aScene();
      const bdbs = [{ uid: 3, name: "sessions", version: "7.2.4" }];
      const api = await aClusterApi({ profile: "8.0", bdbs, clock });
      return opened({ controlPlane, clock, api });
    },
  },
  module: {
    words: () => ["modules", "install", archive()],
    open: async () => {
      const clock = new ManualClock();
      const { objects } = await exampleOnce();
      return opened({
        controlPlane: makeWorld({ objects }).controlPlane,
        clock,
        api: await aClusterApi({ clock }),
      });
    },
  },
  frozen: {
    words: () => ["recover", "--apply", "--engine-version=7.2"],
    open: async () => opened(await aFrozenScene({ version: "6.2" })),
  },
};
