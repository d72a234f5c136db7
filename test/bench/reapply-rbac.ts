/**
 * `kubectl engine reapply-rbac` over many namespaces beside the documented way, a loop of kubectl
 * apply over the same files, extrapolated from some of the namespaces; on a real API server, after
 * `npm run build`. `--sizes=100,1000` chooses how many namespaces. Exit code 1 beyond the limits.
 */
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { applyCrds } from "../control-plane/scene";
import { logToStderr } from "../control-plane/binaries";
import { type ControlPlane, distDir, startControlPlane } from "../control-plane/control-plane";
import {
  cluster,
  namespaceNamed,
  namespaceNames,
  operatorNamespace,
  seedNamespaces,
  settings,
} from "../control-plane/managed-namespaces";
import { operatorDeployment } from "../control-plane/operator";
import { runner } from "../control-plane/plugin-run";
import { repositoryRoot } from "../control-plane/pins";

const loopNamespaces = 50;
const leastFaster = 20;
const mostMiB = 150;
/** What a namespace beyond the first thousand may hold on to. */
const mostMiBEach = 0.025;
/** Processor time a namespace may be so many times what it is with fewer of them. */
const mostGrowth = 1.5;

interface Run {
  readonly ms: number;
  /** The most memory that the process held. */
  readonly mib: number;
  /** Processor time of the process alone. */
  readonly cpuMs: number;
  readonly writes: number;
  readonly lists: number;
  readonly reviews: number;
}

/** One run as a process of its own; its writes and lists are the audit log's. */
async function runPlugin(controlPlane: ControlPlane, args: readonly string[]): Promise<Run> {
  const mark = await controlPlane.auditMark();
  const kubeconfig = controlPlane.kubeconfigFor(runner.name, operatorNamespace);
  const from = process.hrtime.bigint();
  const child = spawn(
    process.execPath,
    [join(distDir, "kubectl-engine"), "reapply-rbac", ...args],
    {
      env: controlPlane.kubectlEnv(kubeconfig),
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let said = "";
  child.stdout.on("data", (text: Buffer) => (said = `${said}${text.toString()}`.slice(-2_000)));
  child.stderr.on("data", (text: Buffer) => (said = `${said}${text.toString()}`.slice(-2_000)));
  let mib = 0;
  let cpuMs = 0;
  const look = setInterval(() => {
    mib = Math.max(mib, peakOf(child.pid));
    cpuMs = Math.max(cpuMs, cpuOf(child.pid));
  }, 20);
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  clearInterval(look);
  const ms = Number(process.hrtime.bigint() - from) / 1e6;
  if (code !== 0) throw new Error(`a run ended with ${String(code)}:\n${said}`);
  const events = (await controlPlane.auditEvents(mark)).filter(
    ({ user }) => user.username === runner.name,
  );
  const writes = await controlPlane.writesSince(mark, { user: runner.name });
  return {
    ms,
    mib,
    cpuMs,
    writes: writes.length,
    lists: events.filter(({ verb }) => verb === "list").length,
    reviews: events.filter(({ requestURI }) => requestURI.includes("accessreviews")).length,
  };
}

/** VmHWM, in MiB; the process may just have ended. */
function peakOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${String(pid)}/status`, "utf8");
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Processor time so far; a tick is a hundredth of a second. */
function cpuOf(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${String(pid)}/stat`, "utf8")
      .split(") ")[1]
      ?.split(" ");
    return 10 * (Number(fields?.[11]) + Number(fields?.[12]));
  } catch {
    return 0;
  }
}

/** Milliseconds a namespace of `kubectl apply -f role.yaml -f role_binding.yaml -n NAMESPACE`. */
async function loop(controlPlane: ControlPlane, wanted: readonly string[]): Promise<number> {
  const files = ["role.yaml", "role_binding.yaml"].map((name) => {
    const text = readFileSync(join(repositoryRoot, "manifests/rbac", name), "utf8")
      .replaceAll("OPERATOR_NAMESPACE", operatorNamespace)
      .replaceAll("NAME_OF_EC_SERVICE_ACCOUNT", "ec");
    const file = join(controlPlane.site.dataDir, name);
    writeFileSync(file, text);
    return file;
  });
  const from = process.hrtime.bigint();
  for (const namespace of wanted) {
    const words = files.flatMap((file) => ["-f", file]);
    const { code, stderr } = await controlPlane.kubectl(["apply", ...words, "-n", namespace]);
    if (code !== 0) throw new Error(stderr);
  }
  return Number(process.hrtime.bigint() - from) / 1e6 / wanted.length;
}

interface Measured {
  readonly size: number;
  readonly cpuMs: number;
  readonly problems: readonly string[];
}

/** Measures one size on a control plane of its own. */
async function measure(size: number): Promise<Measured> {
  const controlPlane = await startControlPlane({ users: [runner], log: () => undefined });
  try {
    const { api } = controlPlane;
    const looped = namespaceNames(loopNamespaces, size + 1);
    const wanted = namespaceNames(size);
    await applyCrds(api);
    await api.create(namespaceNamed(operatorNamespace));
    await api.create(settings({ EDB_NAMESPACES: wanted.join(",") }));
    await api.create(cluster());
    await api.create(operatorDeployment(operatorNamespace));
    await seedNamespaces(api, [...wanted, ...looped]);
    const each = await loop(controlPlane, looped);
    const first = await runPlugin(controlPlane, []);
    const again = await runPlugin(controlPlane, []);
    const faster = (each * size) / first.ms;
    console.log(
      `${size} namespaces: ${line(first)}; the loop ${((each * size) / 1000).toFixed(0)} s ` +
        `(${each.toFixed(0)} ms each), ${faster.toFixed(1)} times as long; again: ${line(again)}`,
    );
    const most = mostMiB + mostMiBEach * Math.max(0, size - 1000);
    const problems = [
      ...(size >= 1000 && faster < leastFaster ? [`only ${faster.toFixed(1)} times faster`] : []),
      ...(again.writes > 0 ? [`${again.writes} writes where nothing was left to do`] : []),
      ...(Math.max(first.mib, again.mib) > most ? [`more than ${most.toFixed(0)} MiB`] : []),
    ];
    return { size, cpuMs: first.cpuMs, problems };
  } finally {
    await controlPlane.stop();
  }
}

/** The cost is to grow with the number of namespaces, and no faster. */
function growthBeyond(fewer: Measured | undefined, more: Measured): readonly string[] {
  if (fewer === undefined) return [];
  const growth = more.cpuMs / more.size / (fewer.cpuMs / fewer.size);
  if (growth <= mostGrowth) return [];
  const from = `from ${fewer.size} to ${more.size}`;
  return [`a namespace costs ${growth.toFixed(1)} times as much processor time ${from}`];
}

function line({ ms, mib, cpuMs, writes, lists, reviews }: Run): string {
  return `${(ms / 1000).toFixed(1)} s (${(cpuMs / 1000).toFixed(1)} s processor), ${mib.toFixed(0)} MiB, ${writes} writes, ${lists} lists, ${reviews} reviews`;
}

async function main(): Promise<void> {
  const given = process.argv.find((word) => word.startsWith("--sizes="))?.slice(8) ?? "100,1000";
  let fewer: Measured | undefined;
  for (const size of given.split(",").map(Number)) {
    const measured = await measure(size);
    for (const problem of [...measured.problems, ...growthBeyond(fewer, measured)]) {
      console.log(`  limit: ${problem}`);
      process.exitCode = 1;
    }
    fewer = measured;
  }
}

if (require.main === module) {
  main().catch((error: unknown) => {
    logToStderr(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
}
