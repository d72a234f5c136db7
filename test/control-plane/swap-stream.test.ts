/**
 * What other people's edits meet with during a swap: 20 right and 20 wrong ones a second, from a
 * process of its own, from before the first write to after the last.
 */
import { readFileSync } from "node:fs";
import type { Answer } from "./edit-stream-process";
import {
  between,
  type EditStream,
  isBypass,
  isOutage,
  secondsOf,
  startEditStream,
  streamer,
} from "./edit-stream";
import type { GapReport, GapWindow } from "../../plugin/kernel/report";
import { type AuditEvent, fits } from "./audit";
import { runner } from "./plugin-run";
import { openSuite, type Suite } from "./suite";
import {
  brokenConfigurations,
  clear,
  putNewConfiguration,
  putOldConfiguration,
  readBack,
  runSwap,
  settle,
  templateFile,
} from "./swap-states";
import { newConfigurationName, newEntryName, oldConfigurationName } from "./webhook-configurations";

let suite: Suite;
beforeAll(async () => {
  suite = await openSuite({ users: [streamer] });
});
afterAll(() => suite.close());
beforeEach(() => clear(suite.api, suite.scene));

const refused = (answer: Answer): boolean => answer.message.includes("denied the request");
const accepted = (answer: Answer): boolean => answer.status < 300;

interface Observed<T> {
  readonly outcome: T;
  readonly answers: readonly Answer[];
}

/** Streams edits around the work; `first` and `last` say when the stream is where it should be. */
async function observed<T>(
  work: (stream: EditStream) => Promise<T>,
  before: (stream: EditStream) => Promise<unknown>,
): Promise<Observed<T>> {
  const { controlPlane, scene } = suite;
  const stream = await startEditStream(controlPlane, scene);
  await before(stream);
  let outcome: T;
  try {
    outcome = await work(stream);
    await stream.seen("invalid", refused);
    await stream.seen("valid", accepted);
  } catch (error) {
    await stream.stop();
    throw error;
  }
  return { outcome, answers: await stream.stop() };
}

const working = async (stream: EditStream): Promise<void> => {
  await stream.seen("invalid", refused);
  await stream.seen("valid", accepted);
};

function wrongOf(answers: readonly Answer[]): readonly Answer[] {
  return answers.filter((answer) => isBypass(answer) || isOutage(answer));
}

/** A stream that stalls sees no gap: many edits of each twin were sent while the run went on. */
function expectDense(answers: readonly Answer[]): void {
  for (const twin of ["valid", "invalid"] as const) {
    expect(between(answers, twin).length).toBeGreaterThan(30);
  }
}

describe("during the swap no right edit is refused and no wrong one passes", () => {
  test.each([
    ["of a healthy old one", () => putOldConfiguration(suite.api, suite.scene)],
    [
      "of both",
      async () => {
        await putOldConfiguration(suite.api, suite.scene);
        await putNewConfiguration(suite.api, suite.scene);
      },
    ],
    [
      "of a new one of another release",
      () =>
        putNewConfiguration(suite.api, suite.scene, {
          changes: { entry: { admissionReviewVersions: ["v1"], timeoutSeconds: 10 } },
        }),
    ],
  ])("%s", async (_name, found) => {
    const { controlPlane, api, scene } = suite;
    await found();
    await settle(api, scene);

    const mark = await controlPlane.auditMark();
    const { outcome, answers } = await observed(() => runSwap(controlPlane), working);
    const writes = await controlPlane.writesSince(mark, { user: runner.name });

    expect(outcome.report.exit.code).toBe(0);
    expect(writes.length).toBeGreaterThan(0);
    expect(wrongOf(answers)).toEqual([]);
    expect(outcome.report.gap).toMatchObject({ bypassSeconds: 0, outageSeconds: 0 });
    expectDense(answers);
    expectSpans(answers, writes);
  });
});

/** The stream ran from before the plugin's first write to after its last. */
function expectSpans(answers: readonly Answer[], writes: readonly AuditEvent[]): void {
  const times = writes.map((event) => Date.parse(event.requestReceivedTimestamp));
  expect(answers[0]?.from).toBeLessThan(times[0] ?? 0);
  expect(answers.at(-1)?.from).toBeGreaterThan(times.at(-1) ?? Infinity);
}

/** How long nothing is known of one twin: from one of its edits to the answer to its next one. */
function longestPause(answers: readonly Answer[], twin: Answer["twin"]): number {
  const own = between(answers, twin);
  return Math.max(0, ...own.slice(1).map(({ to }, at) => to - (own[at]?.from ?? to))) / 1_000;
}

/** The stream's seconds, where it is as close as its edits are to each other. */
interface Seen {
  readonly seconds: number;
  readonly within: number;
}

function expectSame(gap: Partial<GapReport>, is: GapWindow["is"], { seconds, within }: Seen): void {
  const windows = (gap.windows ?? []).filter((window) => window.is === is);
  const sum = (key: "leastSeconds" | "mostSeconds"): number =>
    windows.reduce((total, window) => total + window[key], 0);
  expect(seconds).toBeGreaterThanOrEqual(sum("leastSeconds") - within);
  expect(seconds).toBeLessThanOrEqual(sum("mostSeconds") + within);
}

describe("where there was a gap, the report's seconds are those that the stream saw", () => {
  /** Runs the swap; what the stream saw before the run's first probe is not the run's to report. */
  async function measured(
    before: (stream: EditStream) => Promise<unknown>,
  ): Promise<{ readonly gap: Partial<GapReport>; readonly bypass: Seen; readonly outage: Seen }> {
    const { controlPlane } = suite;
    const mark = await controlPlane.auditMark();
    const { outcome, answers } = await observed(() => runSwap(controlPlane), before);
    const probes = (await controlPlane.auditEvents(mark)).filter(
      (event) => fits(event, { user: runner.name }) && event.requestURI.includes("dryRun=All"),
    );
    const from = Date.parse(probes[0]?.requestReceivedTimestamp ?? "");
    return {
      gap: outcome.report.gap ?? {},
      bypass: {
        seconds: secondsOf(between(answers, "invalid", { from }), isBypass),
        within: longestPause(answers, "invalid"),
      },
      outage: {
        seconds: secondsOf(between(answers, "valid", { from }), isOutage),
        within: longestPause(answers, "valid"),
      },
    };
  }

  test("bypass, where nothing was validated before", async () => {
    const { gap, bypass, outage } = await measured((stream) => stream.seen("invalid", isBypass));
    expect(gap.bypassSeconds).toBeGreaterThan(0);
    expectSame(gap, "bypass", bypass);
    expect([gap.outageSeconds, outage.seconds]).toEqual([0, 0]);
  });

  test("outage, where the old one is broken", async () => {
    const { api, scene } = suite;
    await putOldConfiguration(api, scene, { changes: brokenConfigurations["no CA"]() });
    await settle(api, scene);
    const { gap, bypass, outage } = await measured((stream) => stream.seen("valid", isOutage));
    expect(gap.outageSeconds).toBeGreaterThan(0);
    expectSame(gap, "outage", outage);
    expect([gap.bypassSeconds, bypass.seconds]).toEqual([0, 0]);
  });
});

describe("the documented order", () => {
  test("lets wrong edits pass, then refuses every edit: the measurement can fail", async () => {
    const { controlPlane, api, scene } = suite;
    await putOldConfiguration(api, scene);
    await settle(api, scene);
    const kubectl = async (args: readonly string[], input?: string): Promise<string> => {
      const result = await controlPlane.kubectl(args, input === undefined ? {} : { input });
      return result.stderr;
    };
    const kind = "validatingwebhookconfiguration";
    const template = readFileSync(templateFile, "utf8");

    // on a busy machine a step may be over before the stream has sent an edit
    const { outcome, answers } = await observed(async (stream) => {
      await kubectl(["delete", kind, oldConfigurationName]);
      await stream.seen("invalid", isBypass);
      await kubectl(["apply", "-f", templateFile]);
      await stream.seen("valid", isOutage);
      const rendered = template.replaceAll("OPERATOR_NAMESPACE", scene.namespace);
      const created = await kubectl(["create", "-f", "-"], rendered);
      const patch = {
        webhooks: [
          {
            name: newEntryName,
            clientConfig: {
              caBundle: scene.caBundle,
              // What the documented order leaves out: create has said AlreadyExists.
              service: { name: "admission", namespace: scene.namespace, path: "/admission" },
            },
          },
        ],
      };
      await kubectl(["patch", kind, newConfigurationName, "-p", JSON.stringify(patch)]);
      return created;
    }, working);

    expect(outcome).toContain("AlreadyExists");
    const bypass = secondsOf(between(answers, "invalid"), isBypass);
    const outage = secondsOf(between(answers, "valid"), isOutage);
    expect(bypass).toBeGreaterThan(0);
    expect(outage).toBeGreaterThan(0);
    expect((await readBack(controlPlane)).current).toBeDefined();
  });
});
