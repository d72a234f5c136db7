/**
 * `kubectl engine status` over many databases and namespaces beside `kubectl get` of the same kinds,
 * on a real API server, after `npm run build`. Exit code 1 beyond the limit.
 */
import { readFileSync } from "node:fs";
import { defaultNames as names } from "../../plugin/domain/names";
import { factKeys, factSources } from "../../plugin/domain/facts";
import { logToStderr } from "../control-plane/binaries";
import { type ControlPlane, startControlPlane } from "../control-plane/control-plane";
import { applyCrds, clusterStatus } from "../control-plane/scene";
import {
  cluster,
  namespaceNamed,
  namespaceNames,
  operatorNamespace,
  seedNamespaces,
  settings,
} from "../control-plane/managed-namespaces";
import { operatorDeployment, writeOperatorStatus } from "../control-plane/operator";
import { runner } from "../control-plane/plugin-run";

const databases = 500;
const namespaces = 200;
const rounds = 5;
const mostMs = 3_000;

async function seed({ api }: ControlPlane): Promise<void> {
  const wanted = namespaceNames(namespaces);
  await applyCrds(api);
  await api.create(namespaceNamed(operatorNamespace));
  await api.create(cluster());
  await api.writeStatus(cluster(), clusterStatus);
  await api.create(operatorDeployment(operatorNamespace));
  await writeOperatorStatus(api, operatorNamespace);
  await api.create(settings({ EDB_NAMESPACES: wanted.join(",") }));
  await seedNamespaces(api, wanted);
  const left = Array.from({ length: databases }, (_, at) => at);
  const work = async (): Promise<void> => {
    for (let at = left.shift(); at !== undefined; at = left.shift()) {
      const edb = {
        apiVersion: `${names.group}/${names.version}`,
        kind: names.edb.kind,
        metadata: { name: `db-${String(at)}`, namespace: wanted[at % wanted.length] ?? "" },
        spec: { memorySize: "1GB", engineVersion: at % 2 === 0 ? "7.4" : "8.2" },
      };
      await api.create(edb);
      const version = `${edb.spec.engineVersion}.1`;
      await api.writeStatus(edb, { status: "active", specStatus: "Valid", version });
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
}

async function timed(
  controlPlane: ControlPlane,
  args: readonly string[],
): Promise<{ readonly ms: number; readonly stdout: string }> {
  const kubeconfig = controlPlane.kubeconfigFor(runner.name, operatorNamespace);
  const from = process.hrtime.bigint();
  const { code, stdout, stderr } = await controlPlane.kubectl(args, { kubeconfig });
  const ms = Number(process.hrtime.bigint() - from) / 1e6;
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${String(code)}:\n${stderr}`);
  return { ms, stdout };
}

/** The same kinds as one `kubectl get`, as far as this server has them. */
function kindsToGet(): string {
  const absent = ["constraints", "clusterVersions", "subscriptions"];
  const sources = factSources(names);
  const plurals = factKeys
    .filter((key) => !absent.includes(key))
    .map((key) => sources[key].resource)
    .map(({ plural, group }) => (group === "" ? plural : `${plural}.${group}`));
  return [...new Set(plurals)].join(",");
}

const median = (times: readonly number[]): number =>
  [...times].sort((one, other) => one - other)[Math.floor(times.length / 2)] ?? NaN;

async function main(): Promise<void> {
  const controlPlane = await startControlPlane({ users: [runner], log: () => undefined });
  try {
    await seed(controlPlane);
    const own: number[] = [];
    const get: number[] = [];
    let said = "";
    const mark = await controlPlane.auditMark();
    for (let round = 0; round < rounds; round += 1) {
      const looked = await timed(controlPlane, ["engine", "status", "-n", operatorNamespace]);
      own.push(looked.ms);
      said = looked.stdout;
    }
    const events = (await controlPlane.auditEvents(mark)).filter(
      ({ user }) => user.username === runner.name,
    );
    for (let round = 0; round < rounds; round += 1) {
      get.push((await timed(controlPlane, ["get", kindsToGet(), "-A", "-o", "json"])).ms);
    }
    const others = events.filter(
      ({ verb, requestURI }) => verb !== "list" && requestURI !== "/version",
    );
    console.log(said);
    console.log(
      `${String(databases)} databases, ${String(namespaces)} namespaces: status ${median(own).toFixed(0)} ms ` +
        `(slowest ${Math.max(...own).toFixed(0)}), ${String(events.length / rounds)} requests each, ` +
        `${String(others.length)} of them no LIST; kubectl get of the same kinds ${median(get).toFixed(0)} ms; ` +
        `load ${readFileSync("/proc/loadavg", "utf8").split(" ")[0] ?? ""}`,
    );
    if (median(own) > mostMs || others.length > 0) {
      console.log(`  limit: ${String(mostMs)} ms and LISTs only`);
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
