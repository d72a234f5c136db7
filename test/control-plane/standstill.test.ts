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
import { applyCrds } from "./scene";
import { stopped } from "./standstill-stopped";
import { guards, type GuardRow, scenes, type SceneRow } from "./standstill-scenes";
import { snapshotOf } from "./standstill-snapshot";
import { openStandstill, sharedNodes, type StandstillWorld } from "./standstill-world";

jest.setTimeout(240_000);

let controlPlane: ControlPlane;
let controllers: Controllers;
const worlds = new Map<string, StandstillWorld>();
/** Why a scene could not be arranged. */
const broken = new Map<string, unknown>();

/** A few at once: what a scene waits for is somebody else's work. */
async function arrange(rows: readonly (SceneRow | GuardRow)[]): Promise<void> {
  const left = [...rows];
  const next = async (): Promise<void> => {
    for (let row = left.shift(); row !== undefined; row = left.shift()) {
      const { name } = row;
      const world = await openStandstill(controlPlane, name, row.options?.(name));
      worlds.set(name, world);
      await row.arrange(world).catch((cause: unknown) => broken.set(name, cause));
    }
  };
  await Promise.all(Array.from({ length: 8 }, next));
}

beforeAll(async () => {
  controlPlane = await startControlPlane({ users: [runner] });
  await applyCrds(controlPlane.api);
  controllers = await startControllers(controlPlane, []);
  for (const name of nodeNames) await addNode(controlPlane, name, { scene: sharedNodes });
  await arrange([...scenes, ...guards, ...stopped]);
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

async function look(name: string, laterMinutes = 20): Promise<Said> {
  if (broken.has(name)) throw new Error(`${name} was not arranged`, { cause: broken.get(name) });
  const env = {
    NODE_OPTIONS: `--import=${pathToFileURL(join(__dirname, "later.mjs")).href}`,
    ENGINE_TEST_LATER_MS: String(laterMinutes * 60_000),
  };
  const options = { namespace: name, env };
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

/** The same scene in memory is a row of test/plugin/domain/standstill/real.test.ts. */
async function keep({ name, ...row }: SceneRow | GuardRow): Promise<void> {
  if (process.env["UPDATE_SCENES"] !== "1") return;
  const folder = join(repositoryRoot, "test", "plugin", "domain", "standstill", "real");
  mkdirSync(folder, { recursive: true });
  const first = "first" in row ? row.first.code : null;
  const laterMinutes = "laterMinutes" in row ? (row.laterMinutes ?? 20) : 20;
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
  test.each(scenes.filter(({ open }) => open === undefined))("$name", expectFirst);
});

/** Each fails as long as the product says something else. */
const open = scenes.filter((row) => row.open !== undefined);
if (open.length > 0) test.failing.each(open)("not told yet: $name", expectFirst);

describe("a healthy roll that is merely slow is not called stalled", () => {
  test.each(guards)("$name", async (row) => {
    const { name, laterMinutes } = row;
    await keep(row);
    const { recover, status } = await look(name, laterMinutes);
    expect([recover.code, causesIn(recover)]).toEqual([0, []]);
    expect([status.code, verdictIn(status).is]).toEqual([0, "moving"]);
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
