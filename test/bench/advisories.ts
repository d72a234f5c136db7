/**
 * What rows of advisories add to the processor time of a whole `check` of 5,000 databases: without rows, with those
 * that ship, with 150; by turns, each run in a process of its own. The cluster is in memory, so that the share is one
 * of less than a run over a network takes. `--rounds=5`, `--databases=5000`, `--seed=TEXT`; exit code 1 beyond the
 * limit.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { runCheck } from "../../plugin/commands/check/command";
import type { CheckFlags } from "../../plugin/commands/check/flags";
import type { Sourced } from "../../plugin/domain/advisories/row";
import { listShipped } from "../../plugin/domain/advisories/shipped";
import type { KubeObject } from "../../plugin/domain/kube/objects";
import { consumer, fitWorld, operatorNamespace } from "../plugin/domain/checks/world";
import { repositoryRoot } from "../control-plane/pins";
import { aCommandContext } from "../support/command-context";
import { makeWorld, type World } from "../support/world";
import { median, showGoals, spread, table } from "./admission/table";
import { databases } from "./commands/scene";
import { Draw } from "./rbac/scene";

const most = 150;
/** Rows may add this part of what the rest takes. */
const limit = 0.2;

const shipped = listShipped();

/** Those that ship, again and again under other codes. */
const many: readonly Sourced[] = Array.from({ length: most }, (_, at) => {
  const round = Math.floor(at / shipped.length);
  const [row] = shipped.slice(at % shipped.length);
  if (row === undefined) throw new Error("no rows ship");
  return round === 0 ? row : { ...row, id: `${row.id}-${round}`, code: `${row.code}-${round}` };
});

const contestants: Readonly<Record<string, readonly Sourced[]>> = {
  "no rows": [],
  "the shipped rows": shipped,
  "many rows": many,
};

function flag(name: string, usual: string): string {
  const start = `--${name}=`;
  return process.argv.find((word) => word.startsWith(start))?.slice(start.length) ?? usual;
}

const count = Number(flag("databases", "5000"));

/** Of one run. */
interface Took {
  readonly seconds: number;
  readonly findings: number;
}

const usual: CheckFlags = {
  ...{ target: "8.2.0-12", selection: {}, strict: false, allowUnread: false, list: false },
  ...{ probe: false, probeAll: false, advisories: [], advisoriesSha256: [] },
};

async function checkOnce(world: World, advised: readonly Sourced[]): Promise<Took> {
  const { clock } = world;
  const context = { ...aCommandContext({ cluster: world.connect(), clock }), advised };
  const before = process.cpuUsage();
  const { findings = [] } = await runCheck(context, [], usual);
  const { user, system } = process.cpuUsage(before);
  return { seconds: (user + system) / 1e6, findings: findings.length };
}

/** The first run, of the small cluster and without rows, loads what the program imports on its way. */
async function measure(name: string): Promise<Took> {
  const rows = contestants[name] ?? [];
  const { objects } = await fitWorld();
  await checkOnce(makeWorld({ objects }), []);
  const places = { namespaces: [operatorNamespace, consumer], clusters: ["ec"] };
  const all = databases(new Draw(flag("seed", "advisories")), count, places);
  return await checkOnce(
    makeWorld({ objects: [...objects, ...(all as readonly KubeObject[])] }),
    rows,
  );
}

/** As the program is built: what runs TypeScript as it is makes every function dearer. */
function bundle(): string {
  const outfile = join(repositoryRoot, ".cache/bench/advisories.js");
  const external = ["esbuild", "@swc/core"];
  const usual = { bundle: true, platform: "node", logLevel: "error" } as const;
  buildSync({ ...usual, entryPoints: [__filename], outfile, external });
  return outfile;
}

function measureApart(file: string, name: string): Took {
  const args = [file, `--of=${name}`, ...process.argv.slice(2)];
  const { status, stdout } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error(`check with ${name} ended with exit code ${String(status)}`);
  return JSON.parse(stdout) as Took;
}

function compare(): void {
  const file = bundle();
  const names = Object.keys(contestants);
  const runs = names.map((name) => ({ name, took: [] as Took[] }));
  for (let round = 0; round < Number(flag("rounds", "5")); round += 1)
    for (const { name, took } of runs) took.push(measureApart(file, name));
  const secondsOf = (took: readonly Took[]) => took.map(({ seconds }) => seconds);
  const lines = runs.map(({ name, took }) => [
    ...[name, String(contestants[name]?.length)],
    ...[spread(secondsOf(took), 2), String(took[0]?.findings)],
  ]);
  console.log(table(["rows", "number", "processor seconds", "findings"], lines));
  const [without = NaN, , with150 = NaN] = runs.map(({ took }) => median(secondsOf(took)));
  const added = with150 / without - 1;
  const text = `${most} rows add ${(added * 100).toFixed(0)} %, at most ${limit * 100}`;
  console.log(`\n${showGoals([{ text, met: added <= limit }])}`);
  if (added > limit) process.exitCode = 1;
}

const of = flag("of", "");
if (of === "") compare();
else
  measure(of).then(
    (took) => {
      process.stdout.write(JSON.stringify(took));
    },
    (error: unknown) => {
      console.error(error);
      process.exitCode = 1;
    },
  );
