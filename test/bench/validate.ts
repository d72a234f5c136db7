/**
 * How long `validate` takes for ten thousand databases, by turns with conftest, which is given the same
 * rules as Rego. Run after `npm run build`; exit code 1 above the limit, or when the two disagree.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram } from "../control-plane/binaries";
import { showGoals, spread, table } from "./admission/table";

const count = 10_000;
const rounds = 3;
const limitSeconds = 5;
const executable = join(__dirname, "../../dist/kubectl-engine");

const cluster = `apiVersion: app.engine.com/v1
kind: EngineEnterpriseCluster
metadata: {name: ec, namespace: engine}
spec: {engineUpgradePolicy: major, userDefinedModules: [{name: own}]}
`;

/** As Helm writes them; every tenth is refused, every hundredth for a module as well. */
const database = (at: number): string => `# Source: shop/templates/db-${at}.yaml
apiVersion: app.engine.com/v1alpha1
kind: EngineEnterpriseDatabase
metadata:
  name: db-${at}
  namespace: shop-${at % 100}
  labels:
    app.kubernetes.io/name: shop
    app.kubernetes.io/managed-by: Helm
spec:
  engineEnterpriseCluster:
    name: ec
  memorySize: 100MB
  replication: true
  persistence: aofEverySecond
  engineVersion: "${at % 10 === 0 ? "9.9" : "7.2"}"
  modulesList:
    - name: ${at % 100 === 0 ? "nobodys" : "own"}
      version: 2.8.4
`;

interface Took {
  readonly seconds: number;
  readonly refusals: number;
}

function timed(program: string, args: readonly string[], refusals: (out: string) => number): Took {
  const from = performance.now();
  const { stdout, status } = spawnSync(program, args, {
    encoding: "utf8",
    maxBuffer: 2 ** 30,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const seconds = (performance.now() - from) / 1_000;
  if (status !== 1) throw new Error(`${program}: exit code ${String(status)}, 1 is expected`);
  return { seconds, refusals: refusals(stdout) };
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "validate-"));
  const file = join(folder, "all.yaml");
  const parts = Array.from({ length: count }, (_, at) => database(at));
  writeFileSync(file, [cluster, ...parts].join("---\n"));
  const conftest = await findProgram("conftest");
  const ours = (): Took =>
    timed(process.execPath, [executable, "validate", "-f", file, "-o", "json"], (out) => {
      return (JSON.parse(out) as { findings: readonly unknown[] }).findings.length;
    });
  const theirs = (): Took => {
    const policy = join(__dirname, "rules");
    const args = ["test", "--combine", "--output=json", `--policy=${policy}`, file];
    return timed(conftest, args, (out) =>
      (JSON.parse(out) as { failures?: readonly unknown[] }[]).reduce(
        (sum, { failures = [] }) => sum + failures.length,
        0,
      ),
    );
  };
  const all: (readonly [Took, Took])[] = [];
  for (let round = 0; round < rounds; round += 1) all.push([ours(), theirs()]);
  rmSync(folder, { recursive: true });
  const seconds = (which: 0 | 1): readonly number[] => all.map((each) => each[which].seconds);
  console.log(`${count} databases in one file, ${rounds} rounds by turns: median (least–most)\n`);
  const rows = [
    ["kubectl engine validate", spread(seconds(0), 2), String(all[0]?.[0].refusals)],
    ["conftest", spread(seconds(1), 2), String(all[0]?.[1].refusals)],
  ];
  console.log(`${table(["program", "seconds", "refusals"], rows)}\n`);
  const goals = [
    {
      text: `${count} databases in less than ${limitSeconds} s`,
      met: Math.max(...seconds(0)) < limitSeconds,
    },
    {
      text: "both refuse the same",
      met: all.every(([one, other]) => one.refusals === other.refusals),
    },
  ];
  console.log(showGoals(goals));
  if (goals.some(({ met }) => !met)) process.exitCode = 1;
}

void main();
