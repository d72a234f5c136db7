/**
 * Kubernetes' own controllers, its scheduler, and nodes at play beside the API server: Deployments and
 * StatefulSets then roll, hold and fail as on a cluster.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "./binaries";
import type { ControlPlane } from "./control-plane";
import type { Daemon } from "./site";
import { stages } from "./stages";
import { until } from "./until";

/** Those whose work a test can see; the others would only cost time. */
const controllerNames = [
  "deployment-controller",
  "replicaset-controller",
  "statefulset-controller",
  "job-controller",
  "endpointslice-controller",
  "namespace-controller",
  "garbage-collector-controller",
  "resourcequota-controller",
  "disruption-controller",
  "node-lifecycle-controller",
  "taint-eviction-controller",
  "persistentvolume-binder-controller",
  "persistentvolumeclaim-protection-controller",
];

export const nodeNames = ["node-1", "node-2", "node-3"] as const;

export interface Controllers {
  /** Ends the controllers alone; nodes and scheduler stay. */
  stopManager(): Promise<void>;
  startManager(): Promise<void>;
}

/** Starts them all with nodes of these names; they end with the control plane. */
export async function startControllers(
  controlPlane: ControlPlane,
  nodes: readonly string[] = nodeNames,
): Promise<Controllers> {
  const { site, kubeconfig } = controlPlane;
  const [manager, scheduler, kwok] = await Promise.all([
    findProgram("kube-controller-manager"),
    findProgram("kube-scheduler"),
    findProgram("kwok"),
  ]);
  const stageFile = join(site.dataDir, "stages.yaml");
  writeFileSync(
    stageFile,
    stages()
      .map((stage) => JSON.stringify(stage))
      .join("\n---\n"),
  );
  const common = [
    `--kubeconfig=${kubeconfig}`,
    "--leader-elect=false",
    "--secure-port=0",
    "--kube-api-qps=200",
    "--kube-api-burst=400",
  ];
  const startManager = (): Daemon =>
    site.start({
      name: "kube-controller-manager",
      file: manager,
      args: [
        ...common,
        `--controllers=${controllerNames.join(",")}`,
        `--service-account-private-key-file=${join(site.dataDir, "pki", "service-account.key")}`,
        `--root-ca-file=${join(site.dataDir, "pki", "apiserver.crt")}`,
        // nobody sends heartbeats of the nodes
        "--node-monitor-grace-period=24h",
      ],
    });
  let running = startManager();
  site.start({ name: "kube-scheduler", file: scheduler, args: common });
  site.start({
    name: "kwok",
    file: kwok,
    args: [
      `--kubeconfig=${kubeconfig}`,
      `--config=${stageFile}`,
      "--manage-all-nodes=true",
      "--node-lease-duration-seconds=0",
    ],
  });
  for (const name of nodes) await addNode(controlPlane, name);
  return {
    stopManager: () => running.stop(),
    startManager: () => {
      running = startManager();
      return Promise.resolve();
    },
  };
}

/** Adds a node at play and waits until pods can be placed on it. */
export async function addNode(
  { api }: ControlPlane,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<void> {
  const node = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels } },
  };
  await api.create(node);
  await until(`node ${name} to be ready`, async () => {
    const found = await api.read(node);
    const { conditions = [] } = (found?.["status"] ?? {}) as {
      readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    };
    return (
      conditions.some(({ type, status }) => type === "Ready" && status === "True") || undefined
    );
  });
}
