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
import { startWriteGate, type WriteGate } from "./write-gate";
import { admissionSecret } from "./certificate";
import { openSuite, type Suite, verdictsOf } from "./suite";
import {
  applied,
  clear,
  deleted,
  entryOf,
  lay,
  putNewConfiguration,
  putOldConfiguration,
  readBack,
  runSwap,
  settle,
} from "./swap-states";
import { until } from "./until";
import { newConfigurationName, oldConfigurationName } from "./webhook-configurations";

let suite: Suite;
let gate: WriteGate;
beforeAll(async () => {
  suite = await openSuite();
  gate = await startWriteGate(suite.controlPlane);
});
afterAll(async () => {
  await gate.close();
  await suite.close();
});

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
    await lay(suite, { old: {} });
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

/** Whether a request of the run, before the API server has it, or a write of it that was carried out, is the one. */
type IsIt = (line: string, at: "before" | "after") => boolean;

const configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
const isApply = (line: string): boolean =>
  line === `PATCH ${configurations}/${newConfigurationName}`;
const isDeletion = (line: string): boolean =>
  line === `DELETE ${configurations}/${oldConfigurationName}`;

/** A request that follows the answer to a write. */
function following(isWrite: (line: string) => boolean): IsIt {
  let isWritten = false;
  return (line, at) => {
    if (at === "after" && isWrite(line)) isWritten = true;
    return isWritten && at === "before";
  };
}

/** Sends the signal while the run waits for the request, which is passed on then: however late, it is not too late. */
async function signalDuring(signal: NodeJS.Signals, isIt: IsIt): Promise<RunResult> {
  const started: { running?: Running } = {};
  let isSent = false;
  gate.watchAll((line, at) => {
    if (!isSent && isIt(line, at)) {
      isSent = true;
      started.running?.process.kill(signal);
    }
    return Promise.resolve("pass");
  });
  const words = ["upgrade-webhook", "-o", "json", "--yes"];
  started.running = startPlugin(suite.controlPlane, words, gate.kubeconfig);
  const result = await started.running.ended;
  expect(isSent).toBe(true);
  return result;
}

describe("interrupted", () => {
  const both = ["old", "current"] as const;
  const written = /new configuration is written.*old one is untouched/;
  test.each<[string, NodeJS.Signals, number, IsIt, readonly ("old" | "current")[], RegExp]>([
    [
      "before the first write",
      "SIGINT",
      130,
      (line) => /^POST .* dry run$/.test(line),
      ["old"],
      /nothing was written|interrupted/,
    ],
    ["after the apply", "SIGINT", 130, following(isApply), both, written],
    ["after the apply, by SIGTERM", "SIGTERM", 143, following(isApply), both, written],
    ["with the apply in flight", "SIGINT", 130, isApply, both, written],
    ["after the deletion", "SIGINT", 130, following(isDeletion), ["current"], /old one is deleted/],
  ])("%s", async (_name, ...[signal, code, isIt, left, says]) => {
    const { controlPlane } = suite;
    await lay(suite, { old: {} });

    const result = await signalDuring(signal, isIt);

    const { exit } = documentOf(result, ["upgrade-webhook"]);
    expect(exit).toMatchObject({ code, reason: matching(says) });
    expect(exit.next).toMatch(/run the same command again/);
    expect(result.stderr).toMatch(says);
    const state = await readBack(controlPlane);
    expect(both.filter((which) => state[which] !== undefined)).toEqual(left);
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
