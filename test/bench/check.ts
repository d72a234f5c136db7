/**
 * `kubectl engine check` of a large cluster beside the plain `kubectl get` of the same lists, on a real
 * API server, after `npm run build`. Exit code 1 beyond the limits.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { defaultNames as names } from "../../plugin/domain/names";
import { factSources } from "../../plugin/domain/facts";
import type { Api } from "../control-plane/api";
import { logToStderr } from "../control-plane/binaries";
import { type ControlPlane, distDir, startControlPlane } from "../control-plane/control-plane";
import { database, databaseStatus, seedScene } from "../control-plane/scene";
import { namespaceNames, seedNamespaces, settings } from "../control-plane/managed-namespaces";
import { runner } from "../control-plane/plugin-run";

const namespaceCount = 200;
const databaseCount = 500;
const mostMs = 3_000;
const runs = 5;
const operatorNamespace = "engine";

/** Databases spread over the namespaces, some written at once. */
async function seedDatabases(api: Api, namespaces: readonly string[]): Promise<void> {
  const left = Array.from({ length: databaseCount }, (_, at) => at);
  const work = async (): Promise<void> => {
    for (let at = left.shift(); at !== undefined; at = left.shift()) {
      const namespace = namespaces[at % namespaces.length] ?? operatorNamespace;
      const object = database({ namespace, name: `db-${at}`, engineVersion: "7.4" });
      await api.create(object);
      await api.writeStatus(object, databaseStatus(at + 1, "7.4"));
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
}

interface Run {
  readonly ms: number;
  readonly code: number | null;
  readonly bytes: number;
  readonly said: string;
}

async function timed(file: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Run> {
  const from = process.hrtime.bigint();
  const child = spawn(file, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let bytes = 0;
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (bytes += chunk.length));
  child.stderr.on("data", (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-2_000)));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { ms: Number(process.hrtime.bigint() - from) / 1e6, code, bytes, said };
}

/** The lists that the check reads, as one kubectl command; what this server does not serve is left out. */
function kubectlArgs(): readonly string[] {
  const openShift = ["config.openshift.io", "security.openshift.io", "operators.coreos.com"];
  const resources = Object.values(factSources(names))
    .map(({ resource }) => resource)
    .filter(({ group }) => !openShift.includes(group))
    .map(({ plural, group }) => (group === "" ? plural : `${plural}.${group}`));
  return ["get", [...new Set(resources)].join(","), "-A", "-o", "json"];
}

function middle(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

async function measure(controlPlane: ControlPlane): Promise<readonly string[]> {
  const kubeconfig = controlPlane.kubeconfigFor(runner.name, operatorNamespace);
  const env = controlPlane.kubectlEnv(kubeconfig);
  const command = [join(distDir, "kubectl-engine"), "check", "--target=8.2.0-12", "-o=json"];
  const [checks, gets]: [number[], number[]] = [[], []];
  const mark = await controlPlane.auditMark();
  for (let run = 0; run < runs; run += 1) {
    const check = await timed(process.execPath, command, env);
    if (check.code !== 0 && check.code !== 3)
      throw new Error(`check ended otherwise: ${check.said}`);
    checks.push(check.ms);
  }
  const events = (await controlPlane.auditEvents(mark)).filter(
    ({ user }) => user.username === runner.name,
  );
  const writes = await controlPlane.writesSince(mark, { user: runner.name });
  for (let run = 0; run < runs; run += 1) {
    const get = await timed("kubectl", kubectlArgs(), env);
    if (get.code !== 0) throw new Error(`kubectl get: ${get.said}`);
    gets.push(get.ms);
  }
  const slowest = Math.max(...checks);
  console.log(
    `${databaseCount} databases, ${namespaceCount} namespaces: check ${middle(checks).toFixed(0)} ms ` +
      `(slowest ${slowest.toFixed(0)}), ${events.length / runs} requests, ${writes.length} writes; ` +
      `kubectl get of the same lists ${middle(gets).toFixed(0)} ms`,
  );
  return [
    ...(slowest > mostMs ? [`more than ${mostMs} ms`] : []),
    ...(writes.length > 0 ? ["writes where only lists are read"] : []),
  ];
}

async function main(): Promise<void> {
  const controlPlane = await startControlPlane({ users: [runner], log: () => undefined });
  try {
    const { api } = controlPlane;
    const namespaces = namespaceNames(namespaceCount);
    await seedScene(api, { namespace: operatorNamespace });
    await api.create(settings({ [names.configMap.namespaces]: namespaces.join(",") }));
    await seedNamespaces(api, namespaces);
    await seedDatabases(api, namespaces);
    for (const problem of await measure(controlPlane)) {
      console.log(`  limit: ${problem}`);
      process.exitCode = 1;
    }
  } finally {
    await controlPlane.stop();
  }
}

if (require.main === module) {
  main().catch((error: unknown) => {
    logToStderr(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
}
