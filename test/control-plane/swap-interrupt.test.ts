/** A swap that is killed, interrupted or run twice at once: the next run ends up to date. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  documentOf,
  including,
  matching,
  type ReportDocument,
  runner,
  startPlugin,
} from "./plugin-run";
import type { Running, RunResult } from "./run";
import { admissionSecret } from "./certificate";
import { openSuite, type Suite, verdictsOf } from "./suite";
import {
  applied,
  clear,
  deleted,
  entryOf,
  putNewConfiguration,
  putOldConfiguration,
  readBack,
  runSwap,
  settle,
} from "./swap-states";
import { until } from "./until";

let suite: Suite;
beforeAll(async () => {
  suite = await openSuite();
});
afterAll(() => suite.close());

/** A run that is under way, and the lines of its record: intents before, outcomes after each write. */
type Recorded = Running & { readonly record: () => readonly string[] };

function start(args: readonly string[], output: "json" | "jsonl" = "json"): Recorded {
  const running = startPlugin(suite.controlPlane, ["upgrade-webhook", "-o", output, ...args]);
  return { ...running, record: () => recordOf(running.home) };
}

function recordOf(home: string): readonly string[] {
  const [run] = statSync(home, { throwIfNoEntry: false }) ? readdirSync(join(home, "runs")) : [];
  if (run === undefined) {
    return [];
  }
  const file = join(home, "runs", run, "log.jsonl");
  const text = statSync(file, { throwIfNoEntry: false }) ? readFileSync(file, "utf8") : "";
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => {
      const { type, action = "" } = JSON.parse(line) as { type: string; action?: string };
      return `${type} ${action}`.trim();
    });
}

/** Sends the signal at the moment, unless the run has ended before. */
async function signalAt(
  running: Recorded,
  signal: NodeJS.Signals,
  moment: Moment,
): Promise<RunResult> {
  let result: RunResult | undefined;
  void running.ended.then((end) => (result = end));
  await until(moment.name, () => result ?? (moment.reached(running) || undefined), { everyMs: 1 });
  running.process.kill(signal);
  return running.ended;
}

interface Moment {
  readonly name: string;
  readonly reached: (running: Recorded) => boolean;
}

const recorded = (line: string): Moment => ({
  name: `"${line}" was recorded`,
  reached: ({ record }) => record().includes(line),
});

const printed = (lines: number): Moment => ({
  name: `${String(lines)} lines of progress were printed`,
  reached: ({ stdout }) => stdout().split("\n").length > lines,
});

/** It goes before every write: until then a signal may meet a process that is not up yet. */
const told: Moment = {
  name: "the first line of progress was told",
  reached: ({ stderr }) => stderr() !== "",
};

/** The clock alone, for the moments between all others. */
const elapsed = (ms: number): Moment => {
  let since: number | undefined;
  return {
    name: `${String(ms)} ms had passed`,
    reached: () => Date.now() - (since ??= Date.now()) >= ms,
  };
};

const moments: readonly Moment[] = [
  recorded("outcome"),
  recorded("intent apply"),
  recorded("outcome apply"),
  recorded("intent delete"),
  recorded("outcome delete"),
  ...[1, 3, 5].map(printed),
  ...[350, 600].map(elapsed),
];

async function expectSwapped(): Promise<void> {
  const { controlPlane, scene } = suite;
  const { old, current } = await readBack(controlPlane);
  expect(old).toBeUndefined();
  expect(entryOf(current)).toMatchObject({
    clientConfig: { caBundle: scene.caBundle, service: { namespace: scene.namespace } },
  });
  await expectGuarded();
  expect((await runSwap(controlPlane)).writes).toEqual([]);
}

/** Wrong edits are refused and right ones accepted, by whichever configuration. */
async function expectGuarded(): Promise<void> {
  expect(await verdictsOf(suite.api, suite.scene.namespace)).toEqual({
    right: "accepted",
    wrongRefusedBy: matching(/admission\.engine$/),
  });
}

describe("killed with SIGKILL when", () => {
  beforeEach(async () => {
    const { api, scene } = suite;
    await clear(api, scene);
    await putOldConfiguration(api, scene);
    await settle(api, scene);
  });

  test.each(moments.map((moment) => [moment.name, moment] as const))(
    "%s, the databases stay guarded and the next run ends up to date",
    async (_name, moment) => {
      await signalAt(start(["--yes"], "jsonl"), "SIGKILL", moment);
      await expectGuarded();

      const next = await runSwap(suite.controlPlane);

      expect(next.report.exit.code).toBe(0);
      expect([applied, deleted]).toEqual(including(...next.writes));
      await expectSwapped();
    },
  );
});

describe("interrupted", () => {
  interface Row {
    readonly name: string;
    readonly signal: NodeJS.Signals;
    readonly code: number;
    readonly moment: Moment;
    /** What is there afterwards. */
    readonly left: readonly ("old" | "current")[];
    readonly says: RegExp;
  }
  const rows: readonly Row[] = [
    {
      name: "before the first write",
      signal: "SIGINT",
      code: 130,
      moment: told,
      left: ["old"],
      says: /nothing was written|interrupted/,
    },
    {
      name: "after the apply",
      signal: "SIGINT",
      code: 130,
      moment: recorded("outcome apply"),
      left: ["old", "current"],
      says: /new configuration is written.*old one is untouched/,
    },
    {
      name: "after the apply, by SIGTERM",
      signal: "SIGTERM",
      code: 143,
      moment: recorded("outcome apply"),
      left: ["old", "current"],
      says: /new configuration is written.*old one is untouched/,
    },
    {
      name: "with the apply in flight",
      signal: "SIGINT",
      code: 130,
      moment: recorded("intent apply"),
      left: ["old", "current"],
      says: /new configuration is written.*old one is untouched/,
    },
    {
      name: "after the deletion",
      signal: "SIGINT",
      code: 130,
      moment: recorded("outcome delete"),
      left: ["current"],
      says: /old one is deleted/,
    },
  ];

  test.each(rows.map((row) => [row.name, row] as const))("%s", async (_name, row) => {
    const { controlPlane, api, scene } = suite;
    await clear(api, scene);
    await putOldConfiguration(api, scene);
    await settle(api, scene);

    const result = await signalAt(start(["--yes"]), row.signal, row.moment);

    const { exit } = documentOf(result, ["upgrade-webhook"]);
    expect(exit).toMatchObject({ code: row.code, reason: matching(row.says) });
    expect(exit.next).toMatch(/run the same command again/);
    expect(result.stderr).toMatch(row.says);
    const state = await readBack(controlPlane);
    const there = (["old", "current"] as const).filter((which) => state[which] !== undefined);
    expect(there).toEqual(row.left);
    await expectGuarded();

    expect((await runSwap(controlPlane)).report.exit.code).toBe(0);
    await expectSwapped();
  });

  test("while it waits for the secret", async () => {
    const { controlPlane, api, scene } = suite;
    await api.remove(admissionSecret(scene.namespace, scene.pair));
    const mark = await controlPlane.auditMark();
    const waiting = { name: "it waits", reached: ({ stderr }: Recorded) => /tls/.test(stderr()) };
    const result = await signalAt(start(["--yes"]), "SIGINT", waiting);
    await api.create(admissionSecret(scene.namespace, scene.pair));
    expect(documentOf(result, ["upgrade-webhook"]).exit.code).toBe(130);
    expect(await controlPlane.writesSince(mark, { user: runner.name })).toEqual([]);
  });
});

describe("two runs at once", () => {
  test.each([
    ["over the old one", () => putOldConfiguration(suite.api, suite.scene)],
    ["over nothing", () => Promise.resolve()],
    [
      "over a half-done new one",
      () => putNewConfiguration(suite.api, suite.scene, { changes: { caBundle: "" } }),
    ],
  ])("%s: one ends with 0, the other with 0 or 5", async (_name, found) => {
    const { api, scene } = suite;
    await clear(api, scene);
    await found();
    await settle(api, scene);

    const results = await Promise.all([start(["--yes"]).ended, start(["--yes"]).ended]);

    const ends: readonly ReportDocument[] = results.map((result) =>
      documentOf(result, ["upgrade-webhook"]),
    );
    const codes = ends.map(({ exit }) => exit.code).sort((a, b) => a - b);
    expect(codes[0]).toBe(0);
    expect([0, 5]).toContain(codes[1]);
    await expectSwapped();
  });
});
