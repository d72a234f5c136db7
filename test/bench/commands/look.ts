/**
 * A command that looks at a whole cluster, beside `kubectl get` of the same kinds and the same LISTs
 * alone, by turns, on a real API server. Flags: `--sizes=500,10000`, `--rounds=5`, `--seed=TEXT`.
 * Exit code 1 beyond the limits.
 */
import { randomBytes } from "node:crypto";
import { collectionPath } from "../../../plugin/adapters/kubernetes/kinds";
import { factSources } from "../../../plugin/domain/facts/facts";
import { defaultNames as names } from "../../../plugin/domain/names/names";
import { logToStderr } from "../../control-plane/binaries";
import { type ControlPlane, startControlPlane } from "../../control-plane/control-plane";
import { runner } from "../../control-plane/plugin-run";
import { median, showGoals, spread, table } from "../admission/table";
import { runToEnd, type Usage, usageOf } from "../rbac/usage";
import { type Bench, benchOn, pluginProgram } from "./run";
import { operatorNamespace, seedDatabases } from "./scene";

/** Seconds that a command may take, by the number of databases. */
const mostSeconds: Readonly<Record<number, number>> = { 500: 1, 10_000: 10 };
/** Beyond this part of the machine others have disturbed a measurement. */
const mostOthers = 0.1;

/** One of the things that are compared. */
interface Contestant {
  readonly name: string;
  readonly run: () => Promise<number>;
}

interface Round extends Usage {
  readonly mib: number;
}

/** The lists that facts are made of, as far as this server has them. */
const lists = Object.values(factSources(names)).filter(
  ({ resource }) => !/openshift|coreos/.test(resource.group),
);

/** All LISTs at once, parsed, and nothing made of them: what any client of one thread needs. */
async function listAlone({ api }: ControlPlane): Promise<number> {
  await Promise.all(
    lists.map(({ resource, own }) =>
      api.send("GET", collectionPath(resource, own === true ? operatorNamespace : undefined)),
    ),
  );
  return 0;
}

function contestantsOf(
  controlPlane: ControlPlane,
  words: readonly string[],
): readonly Contestant[] {
  const own = pluginProgram(controlPlane, words);
  const kinds = lists.map(({ resource: { plural, group } }) =>
    group === "" ? plural : `${plural}.${group}`,
  );
  const wanted = [...new Set(kinds)].join(",");
  const { kubectl } = controlPlane.binaries;
  return [
    {
      name: words.join(" "),
      run: () => runToEnd(own),
    },
    {
      name: "kubectl get",
      run: () => runToEnd({ ...own, file: kubectl, args: ["get", wanted, "-A", "-o", "json"] }),
    },
    { name: "LISTs alone", run: () => listAlone(controlPlane) },
  ];
}

type Measured = ReadonlyMap<string, readonly Round[]>;

async function measure(
  bench: Bench,
  contestants: readonly Contestant[],
  rounds: number,
): Promise<Measured> {
  const measured = new Map<string, Round[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, run } of contestants) {
      const { value: mib, ...usage } = await usageOf(bench.servers, run);
      measured.get(name)?.push({ ...usage, mib });
    }
  }
  return measured;
}

function report(what: string, measured: Measured): string {
  const heads = [what, "s", "CPU of the client, s", "of the servers, s", "most MiB"];
  const rows = [...measured].map(([name, rounds]) => {
    const of = (value: (round: Round) => number, digits: number) =>
      spread(rounds.map(value), digits);
    return [
      name,
      of(({ seconds }) => seconds, 2),
      of(({ client }) => client, 2),
      of(({ servers }) => servers, 2),
      of(({ mib }) => mib, 0),
    ];
  });
  const all = [...measured.values()].flat().map(({ others }) => others);
  const disturbed = all.filter((others) => others > mostOthers).length;
  const said = disturbed > 0 ? `DISTURBED in ${disturbed} of ${all.length} measurements` : "calm";
  const shares = spread(all.map((others) => others * 100));
  return `${table(heads, rows)}\n\n${said}: others took ${shares} % of the processors`;
}

/** The requests of one run of the command, and whether they are LISTs. */
async function requestsOf({ controlPlane }: Bench, { run }: Contestant) {
  const mark = await controlPlane.auditMark();
  await run();
  const events = (await controlPlane.auditEvents(mark)).filter(
    ({ user }) => user.username === runner.name,
  );
  const others = events.filter(
    ({ verb, requestURI }) => verb !== "list" && requestURI !== "/version",
  );
  return { all: events.length, others: others.length };
}

function flag(name: string, usual: string): string {
  const start = `--${name}=`;
  return process.argv.find((word) => word.startsWith(start))?.slice(start.length) ?? usual;
}

async function compare(words: readonly string[], size: number, seed: string): Promise<boolean> {
  const controlPlane = await startControlPlane({ users: [runner], log: () => undefined });
  try {
    const { what } = await seedDatabases(controlPlane.api, { databases: size, seed });
    const bench = benchOn(controlPlane);
    const contestants = contestantsOf(controlPlane, words);
    const measured = await measure(bench, contestants, Number(flag("rounds", "5")));
    const [own] = contestants;
    const requests = own && (await requestsOf(bench, own));
    const seconds = median((measured.get(words.join(" ")) ?? []).map((round) => round.seconds));
    const most = mostSeconds[size] ?? Infinity;
    const goals = [
      { text: `${seconds.toFixed(2)} s, at most ${most}`, met: seconds <= most },
      {
        text: `${requests?.all} requests, ${requests?.others} of them no LISTs`,
        met: requests?.others === 0,
      },
    ];
    console.log(`\n${report(what, measured)}\n\n${showGoals(goals)}`);
    return goals.every(({ met }) => met);
  } finally {
    await controlPlane.stop();
  }
}

/** Compares over every size that is asked for. */
export function benchLook(words: readonly string[]): void {
  const seed = flag("seed", randomBytes(4).toString("hex"));
  console.log(`seed ${seed}`);
  const all = async () => {
    for (const size of flag("sizes", "500,10000").split(",").map(Number)) {
      if (!(await compare(words, size, seed))) process.exitCode = 1;
    }
  };
  all().catch((error: unknown) => {
    logToStderr(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exitCode = 1;
  });
}
