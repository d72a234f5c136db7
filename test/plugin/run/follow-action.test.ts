import { ClusterApiPermissionError } from "../../../plugin/domain/api/failure";
import type { ApiAction } from "../../../plugin/domain/api/records";
import { UnavailableError } from "../../../plugin/domain/errors";
import { ActionFailedError, followAction } from "../../../plugin/run/follow-action";
import { ManualClock } from "../../support/manual-clock";

const action = (is: ApiAction["is"], more: Partial<ApiAction> = {}): ApiAction => ({
  ...{ uid: "a-1", name: undefined, status: is, progress: undefined, error: undefined },
  database: undefined,
  is,
  ...more,
});

type Look = ApiAction | "unknown" | Error;

/** Looks in turn, the last one for ever. */
function follow(looks: readonly Look[], timeoutMs = 60_000, signal?: AbortSignal) {
  const clock = new ManualClock();
  const told: string[] = [];
  let at = 0;
  const result = followAction(
    {
      api: {
        address: "https://api",
        action: () => {
          const look = looks[Math.min(at++, looks.length - 1)] ?? "unknown";
          if (look instanceof Error) return Promise.reject(look);
          return Promise.resolve(look === "unknown" ? undefined : look);
        },
      },
      clock,
      recorder: { waiting: (on) => told.push(on) },
      signal: signal ?? new AbortController().signal,
    },
    { uid: "a-1", subject: "the work", timeoutMs },
  );
  return { result, told, clock };
}

test("it is followed to its end, its progress told", async () => {
  const { result, told } = follow([
    action("running", { status: "queued" }),
    action("running", { progress: 40.9 }),
    action("completed"),
  ]);
  expect(await result).toMatchObject({ is: "completed" });
  expect(told).toEqual(["the work: queued", "the work: 40 %"]);
});

test("one that failed is an error with the server's words", async () => {
  const { result } = follow([action("failed", { status: "aborted", error: "no memory" })]);
  await expect(result).rejects.toThrow(ActionFailedError);
  await expect(result).rejects.toThrow("the work ended as aborted: no memory (action a-1)");
  const silent = follow([action("failed", { status: undefined })]).result;
  await expect(silent).rejects.toThrow("the work ended as failed (action a-1)");
});

test("one that was seen and is gone has ended: what it did has to be looked at", async () => {
  const { result, clock } = follow([action("running"), "unknown"]);
  expect(await result).toBeUndefined();
  expect(clock.sleeps).toHaveLength(1);
});

test("one that is never seen is given up after some looks", async () => {
  const { result, told } = follow(["unknown"]);
  expect(await result).toBeUndefined();
  expect(told).toEqual(Array(3).fill("the work: not begun"));
});

test("a server that is silent for a time is asked again", async () => {
  const { result, told } = follow([new UnavailableError("gone"), action("completed")]);
  expect(await result).toMatchObject({ is: "completed" });
  expect(told).toEqual(["the work, and for an answer of https://api (gone)"]);
});

test("a refusal is no silence", async () => {
  const refusal = new ClusterApiPermissionError("no", {
    ...{ status: 401, code: undefined, message: undefined },
  });
  await expect(follow([refusal]).result).rejects.toBe(refusal);
});

test("what does not end in time is a timeout, silence included", async () => {
  for (const look of [action("running"), new UnavailableError("gone")]) {
    const { result } = follow([look], 10_000);
    await expect(result).rejects.toMatchObject({ exitCode: 124 });
    await expect(result).rejects.toThrow("still under way after 10s (action a-1)");
  }
});

test("a signal ends the wait with its reason", async () => {
  const stop = new AbortController();
  stop.abort(new Error("stopped"));
  await expect(follow([action("running")], 1000, stop.signal).result).rejects.toThrow("stopped");
});
