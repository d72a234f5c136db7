/**
 * Rollouts that stand still under the real StatefulSet controller and scheduler, on nodes at play: what
 * `status`, `recover` and `check` say of each, with the built program, twenty minutes later.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type ControlPlane, startControlPlane } from "./control-plane";
import { addNode, type Controllers, nodeNames, startControllers } from "./controllers";
import { matching, type PluginRun, runner, runPlugin } from "./plugin-run";
import { repositoryRoot } from "./pins";
import { run as runProgram } from "./run";
import { applyCrds } from "./scene";
import { stopped } from "./standstill-stopped";
import { double } from "./standstill-double";
import { field, fieldGuards } from "./standstill-field";
import { guards, type GuardRow, type SceneRow, single } from "./standstill-scenes";
import { snapshotOf } from "./standstill-snapshot";
import { openStandstill, sharedNodes, type StandstillWorld } from "./standstill-world";
import { sampled } from "../support/sampled";

jest.setTimeout(360_000);

const scenes = [...single, ...double, ...field];
const slow = [...guards, ...fieldGuards];
/** Names of the scenes to be arranged, for a run of some of them with -t. */
const only = process.env["ENGINE_SCENES"]?.split(",");

let controlPlane: ControlPlane;
let controllers: Controllers;
const worlds = new Map<string, StandstillWorld>();
/** Why a scene could not be arranged. */
const broken = new Map<string, unknown>();
/** When a scene was arranged: on a slow machine it is looked at long after. */
const arrangedAt = new Map<string, number>();

/** A few at once: what a scene waits for is somebody else's work. */
async function arrange(rows: readonly (SceneRow | GuardRow)[]): Promise<void> {
  const left = [...rows];
  const next = async (): Promise<void> => {
    for (let row = left.shift(); row !== undefined; row = left.shift()) {
      const { name } = row;
      const world = await openStandstill(controlPlane, name, row.options?.(name));
      worlds.set(name, world);
      await row.arrange(world).catch((cause: unknown) => broken.set(name, cause));
      arrangedAt.set(name, Date.now());
    }
  };
  await Promise.all(Array.from({ length: 8 }, next));
}

beforeAll(async () => {
  controlPlane = await startControlPlane({ users: [runner] });
  await applyCrds(controlPlane.api);
  controllers = await startControllers(controlPlane, []);
  for (const name of nodeNames) await addNode(controlPlane, name, { scene: sharedNodes });
  const rows = [...scenes, ...slow, ...stopped];
  await arrange(rows.filter(({ name }) => only?.includes(name) !== false));
});

afterAll(async () => {
  for (const world of worlds.values()) world.close();
  await controlPlane.stop();
});

interface Said {
  readonly recover: PluginRun;
  readonly status: PluginRun;
  readonly check: PluginRun;
}

/** The clock of a process, so many minutes ahead. */
const later = (minutes: number) => ({
  NODE_OPTIONS: `--import=${pathToFileURL(join(__dirname, "later.mjs")).href}`,
  ENGINE_TEST_LATER_MS: String(Math.round(minutes * 60_000)),
});

async function look(name: string, laterMinutes = 20): Promise<Said> {
  if (broken.has(name)) throw new Error(`${name} was not arranged`, { cause: broken.get(name) });
  const options = { namespace: name, env: later(laterMinutes) };
  const [recover, status, check] = await Promise.all(
    ["recover", "status", "check"].map((command) => runPlugin(controlPlane, [command], options)),
  );
  if (recover === undefined || status === undefined || check === undefined) throw new Error(name);
  return { recover, status, check };
}

/** The errors of a run about the roll, in their order: what is known of the webhook and its roles is not of the scene. */
function causesIn({ report }: PluginRun): NonNullable<PluginRun["report"]["findings"]> {
  return (report.findings ?? []).filter(
    ({ code, severity }) => severity === "error" && /^(POD|ROLLOUT|CLUSTER|LICENSE)-/.test(code),
  );
}

interface StatusDetails {
  readonly clusters: {
    readonly items: readonly {
      readonly verdict: {
        readonly is: string;
        readonly code?: string;
        readonly because?: string;
        readonly fix?: string;
      };
    }[];
  };
}

function verdictIn({ report }: PluginRun): StatusDetails["clusters"]["items"][number]["verdict"] {
  const [ec] = (report.details as StatusDetails).clusters.items;
  if (ec === undefined) throw new Error("status tells of no EC");
  return ec.verdict;
}

function elapsedMinutes(name: string): number {
  return (Date.now() - (arrangedAt.get(name) ?? Date.now())) / 60_000;
}

/** The same scene in memory is a row of test/plugin/domain/standstill/real.test.ts. */
async function keep({ name, ...row }: SceneRow | GuardRow): Promise<void> {
  if (process.env["UPDATE_SCENES"] !== "1") return;
  const folder = join(repositoryRoot, "test", "plugin", "domain", "standstill", "real");
  mkdirSync(folder, { recursive: true });
  const first = "first" in row ? row.first.code : null;
  const wanted = "laterMinutes" in row ? (row.laterMinutes ?? 20) : 20;
  // a roll that is merely slow is kept as young as it is looked at
  const laterMinutes = first === null ? wanted - elapsedMinutes(name) : wanted;
  const open = "open" in row && row.open !== undefined;
  const text = await snapshotOf(controlPlane, name, { first, laterMinutes, open });
  writeFileSync(join(folder, `${name}.json`), text);
}

async function expectFirst(row: SceneRow): Promise<void> {
  const { name, first, also = [] } = row;
  await keep(row);
  const { recover, status, check } = await look(name);
  const causes = causesIn(recover);
  expect([recover.code, causes[0]?.code, causes[0]?.cause]).toEqual([
    3,
    first.code,
    matching(first.cause),
  ]);
  expect(causes.map(({ code }) => code)).toEqual(expect.arrayContaining([...also]));
  expect([status.code, verdictIn(status)]).toEqual([
    0,
    expect.objectContaining({ is: "stalled", code: first.code, because: matching(first.cause) }),
  ]);
  expect(causesIn(check).map(({ code }) => code)).toContain(first.code);
  const steps = [causes[0]?.fix, recover.report.exit.next, verdictIn(status).fix].join("\n");
  expect(steps).toMatch(first.step);
}

describe("the cause that must be handled first is named first, by all three", () => {
  test.each(sampled(scenes.filter(({ open }) => open === undefined)))("$name", expectFirst);
});

/** Each fails as long as the product says something else. */
const open = scenes.filter((row) => row.open !== undefined);
if (open.length > 0) test.failing.each(open)("not told yet: $name", expectFirst);

describe("a healthy roll that is merely slow is not called stalled", () => {
  test.each(slow)("$name", async (row) => {
    const { name, laterMinutes } = row;
    await keep(row);
    const { recover, status } = await look(name, (laterMinutes ?? 20) - elapsedMinutes(name));
    expect([recover.code, causesIn(recover)]).toEqual([0, []]);
    expect([status.code, verdictIn(status).is]).toEqual([0, "moving"]);
  });
});

/** The operator's part: the state follows once every pod is renewed. */
async function followed(world: StandstillWorld): Promise<void> {
  await world.untilRenewed();
  await world.ecStatus("Running");
}

const apply = (name: string): Promise<PluginRun> =>
  runPlugin(controlPlane, ["recover", "--apply", "--yes"], { namespace: name, env: later(20) });

describe("recover --apply does what is proven safe", () => {
  test.each<[name: string, steps: readonly string[]]>([
    ["broken-revision", ["deleted", "done", "done"]],
    ["partition", ["changed", "done"]],
    ["on-delete", ["changed", "done"]],
    ["broken-revision-and-partition", ["deleted", "done", "changed", "done"]],
  ])("%s", async (name, steps) => {
    const world = worlds.get(name);
    if (world === undefined) throw new Error(name);
    const following = followed(world).catch(() => undefined);
    const run = await apply(name);
    await following;
    expect([run.code, run.report.steps?.map(({ result }) => result)]).toEqual([0, steps]);
  });

  test.each([
    ["crash", "POD-CRASH"],
    ["node-lost", "POD-NODE-LOST"],
    ["cordoned", "POD-NODE-CORDONED"],
    ["quorum-lost", "CLUSTER-QUORUM-LOST"],
    ["partition-and-crash", "POD-CRASH"],
    ["scaled-to-zero", "CLUSTER-SCALED"],
  ])("%s: 3, and nothing is written", async (name, code) => {
    const found = async (): Promise<string> => {
      const set = await worlds.get(name)?.set();
      const pod = await worlds.get(name)?.pod(2);
      return JSON.stringify([set?.metadata.generation, pod?.metadata.uid]);
    };
    const before = await found();
    const run = await apply(name);
    expect([run.code, causesIn(run)[0]?.code, run.report.steps]).toEqual([3, code, []]);
    expect(await found()).toBe(before);
  });
});

/** The line of the first cause as a shell takes it. */
async function typePrinted(name: string): Promise<string> {
  const before = await look(name);
  const line = causesIn(before.recover)[0]?.command ?? "";
  const { code, stdout, stderr } = await runProgram("/bin/sh", ["-c", line], {
    env: controlPlane.kubectlEnv(controlPlane.kubeconfigFor(runner.name)),
  });
  expect([line, code, `${stdout}${stderr}`]).toEqual([line, 0, expect.any(String)]);
  return line;
}

describe("the printed line, typed as it stands, ends the standstill", () => {
  test.each<[name: string, line: RegExp]>([
    ["printed-partition", /^kubectl patch statefulset ec .*"partition":0/],
    ["printed-deletion", /^kubectl delete pod ec-2 -n printed-deletion/],
    ["drain-and-budget", /^kubectl uncordon drain-and-budget-node-1/],
    ["scaled-to-zero", /^kubectl scale statefulset ec --replicas=3/],
  ])("%s", async (name, printed) => {
    const world = worlds.get(name);
    if (world === undefined) throw new Error(name);
    expect(await typePrinted(name)).toMatch(printed);
    await world.untilRenewed();
    await world.ecStatus("Running");
    const { recover, status } = await look(name);
    expect([recover.code, causesIn(recover)]).toEqual([0, []]);
    expect(verdictIn(status).is).toBe("fine");
  });
});

describe("while the StatefulSet controller is away", () => {
  beforeAll(async () => {
    await controllers.stopManager();
    for (const { name, after } of stopped) {
      const world = worlds.get(name);
      if (world !== undefined) await after(world);
    }
  });
  test.each(stopped)("$name", expectFirst);
});
