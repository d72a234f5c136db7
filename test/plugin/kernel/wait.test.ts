/** What a wait tolerates, and each way in which it ends. */
import { ApiError, type EngineError, UnavailableError } from "../../../plugin/domain/base/errors";
import { type Look, nothingMoves, timeIsUp, waitFor } from "../../../plugin/kernel/wait";
import { ManualClock } from "../../support/manual-clock";

const minute = 60_000;
const moving = (step: string): Look<string> => ({ is: "moving", on: "Pod/a: ready", step });
const done: Look<string> = { is: "done", value: "all are there" };
const stalled = (object: string): Look<string> => ({
  ...{ is: "stalled", code: "POD-IMAGE", severity: "error", object },
  ...{ cause: "its image is not there", fix: "push it", source: "Facts 11" },
});
const refused = new UnavailableError("connection refused");

/** Looks in their order, the last one again and again; a number is a pause within the next look. */
type Play = readonly (Look<string> | Error | number)[];

async function wait(play: Play, limits: Partial<Parameters<typeof waitFor<string>>[1]> = {}) {
  const clock = new ManualClock();
  const from = clock.now();
  const told: string[] = [];
  const recorder = { noteWaiting: (on: string) => told.push(on) };
  const left = [...play];
  const next = async (): Promise<Look<string>> => {
    const seen = left.length > 1 ? left.shift() : left[0];
    if (typeof seen === "number") {
      await clock.sleep(seen);
      return await next();
    }
    if (seen instanceof Error) throw seen;
    return seen ?? done;
  };
  const { signal } = new AbortController();
  const ports = { clock, recorder, signal };
  const end = await waitFor<string>(ports, { look: next, ...limits }).catch((error: unknown) =>
    error instanceof Error ? error : new Error(String(error)),
  );
  return { end, told: [...new Set(told)], ms: clock.now() - from };
}

test.each<[string, Play]>([
  ["at the first look", [done]],
  ["after steps", [moving("1/3"), moving("2/3"), done]],
  ["after a server that was away for a moment", [refused, refused, done]],
  ["after an error of the server's own", [new ApiError("etcd", { status: 500 }), done]],
  ["after too many requests", [new ApiError("too many", { status: 429 }), done]],
  ["after a stall that was seen once", [stalled("Pod/a"), moving("1/3"), stalled("Pod/a"), done]],
])("it is done %s", async (_title, play) => {
  const { end } = await wait(play, {
    total: { ms: 10 * minute, end: timeIsUp },
    idle: { ms: minute, end: nothingMoves },
  });
  expect(end).toBe("all are there");
});

const away = (seconds: number): Play => Array.from({ length: seconds / 2 }, () => refused);

test.each<[string, Play]>([
  ["a server that was away", [moving("1/3"), ...away(50), moving("1/3"), done]],
  ["a server that was away twice", [moving("1/3"), ...away(50), moving("1/3"), ...away(50), done]],
  ["an answer that came late", [moving("1/3"), 80_000, moving("1/3"), moving("1/3"), done]],
])("is no time without progress, and none of the whole wait: %s", async (_title, play) => {
  const { end } = await wait(play, {
    total: { ms: 30_000, end: timeIsUp },
    idle: { ms: 20_000, end: nothingMoves },
  });
  expect(end).toBe("all are there");
});

test.each<[string, Play, readonly string[]]>([
  [
    "by what keeps it, where the first look sees that",
    [stalled("Pod/a"), done],
    ["Pod/a: its image is not there"],
  ],
  [
    "by what keeps it, once that stands in its way",
    [moving("1/3"), stalled("Pod/a"), done],
    ["Pod/a: ready", "Pod/a: its image is not there"],
  ],
  [
    "by the server that does not answer the first look",
    [refused, done],
    ["the API server: its answer (connection refused)"],
  ],
])("what is waited for is named %s", async (_title, play, named) => {
  const { told } = await wait(play);
  expect(told).toEqual(named);
});

interface End {
  readonly title: string;
  readonly play: Play;
  readonly totalMs?: number;
  readonly code: number;
  readonly message: string;
  readonly seconds: number;
}

const ends: readonly End[] = [
  {
    title: "a total that is over, in steps",
    play: [moving("1/3"), moving("2/3"), moving("3/3")],
    totalMs: 50_000,
    ...{ code: 124, message: "stopped waiting for Pod/a: ready: after 50 s", seconds: 50 },
  },
  {
    title: "the limit of what is waited for, whatever the whole wait may take",
    play: [{ is: "moving", on: "Pod/a: ready", limit: { ms: 30_000, end: timeIsUp } }],
    ...{ code: 124, message: "stopped waiting for Pod/a: ready: after 30 s", seconds: 30 },
  },
  {
    title: "no progress: a step that comes again is none",
    play: [moving("1/3"), moving("2/3"), moving("1/3"), moving("2/3")],
    ...{ code: 124, message: "Pod/a: ready: nothing has moved for 60 s", seconds: 62 },
  },
  {
    title: "a stall seen twice",
    play: [stalled("Pod/a"), stalled("Pod/a")],
    ...{ code: 1, message: "Pod/a: its image is not there", seconds: 2 },
  },
  {
    title: "a server that stays away",
    play: [refused],
    ...{ code: 69, message: "connection refused", seconds: 60 },
  },
  {
    title: "a look that took longer than a server may be away",
    play: [90_000, refused],
    ...{ code: 69, message: "connection refused", seconds: 90 },
  },
  {
    title: "a refusal",
    play: [new ApiError("no", { status: 403 })],
    ...{ code: 4, message: "no", seconds: 0 },
  },
];

test.each(ends)("it ends by $title", async ({ play, totalMs = 10 * minute, ...wanted }) => {
  const { end, ms } = await wait(play, {
    total: { ms: totalMs, end: timeIsUp },
    idle: { ms: minute, end: nothingMoves },
  });
  const { exitCode, message } = end as EngineError;
  expect({ code: exitCode, message, seconds: ms / 1000 }).toMatchObject({
    ...{ code: wanted.code, seconds: wanted.seconds },
    message: expect.stringContaining(wanted.message) as string,
  });
});

test("an interrupt ends it before the next look", async () => {
  const clock = new ManualClock();
  const stop = new AbortController();
  let looks = 0;
  const reason = new Error("interrupted");
  const end = waitFor(
    { clock, recorder: { noteWaiting: () => undefined }, signal: stop.signal },
    {
      look: () => {
        looks += 1;
        stop.abort(reason);
        return Promise.resolve(moving("1/3"));
      },
    },
  );
  await expect(end).rejects.toBe(reason);
  expect(looks).toBe(1);
});

test.each<[string, Play, number]>([
  ["that does not answer at first ends the run at once", [refused, done], 0],
  ["that has answered may be away", [moving("1/3"), refused, refused, done], 6],
])("before the first write a server %s", async (_title, play, seconds) => {
  const { end, ms } = await wait(play, { beforeWrite: true });
  expect([end, ms / 1000]).toEqual([seconds === 0 ? refused : "all are there", seconds]);
});

test("what comes within moments is looked for at short pauses first", async () => {
  const plays = [1, 2, 3, 4].map((looks) => [
    ...Array<Look<string>>(looks).fill(moving("1")),
    done,
  ]);
  const limits = { firstMs: 20, everyMs: 100 };
  const waits = await Promise.all(plays.map((play) => wait(play, limits)));
  expect(waits.map(({ ms }) => ms)).toEqual([20, 60, 140, 240]);
});

test("who is away is told", async () => {
  expect((await wait([refused, done], { server: "the REST API" })).told).toEqual([
    "the REST API: its answer (connection refused)",
  ]);
});
