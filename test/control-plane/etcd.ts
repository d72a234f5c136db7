import { join } from "node:path";
import type { Daemon } from "./daemon";
import { freePorts } from "./ports";
import type { Site } from "./site";
import { until } from "./until";

export interface Etcd {
  readonly url: string;
  readonly daemon: Daemon;
}

/** One etcd that forgets everything when it ends, so that it need not wait for the disk. */
export async function startEtcd(site: Site): Promise<Etcd> {
  const [clientPort, peerPort] = await freePorts(2);
  const url = `http://127.0.0.1:${String(clientPort)}`;
  const peerUrl = `http://127.0.0.1:${String(peerPort)}`;
  const daemon = site.start({
    name: "etcd",
    file: site.binaries.etcd,
    args: [
      "--name=only",
      `--data-dir=${join(site.dataDir, "etcd")}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=only=${peerUrl}`,
      "--unsafe-no-fsync",
    ],
  });
  await until("etcd to be healthy", async () => {
    daemon.assertRunning();
    const answer = await fetch(`${url}/health`);
    return answer.ok || undefined;
  });
  return { url, daemon };
}
