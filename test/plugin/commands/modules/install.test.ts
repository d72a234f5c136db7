/** What the played REST API does not bring about: races, several nodes, a place that keeps no record. */
import { parseModule } from "../../../../plugin/domain/rest-api/modules";
import {
  ClusterApiError,
  ClusterApiPermissionError,
} from "../../../../plugin/domain/rest-api/errors";
import type { InstalledModule, InstalledUpload } from "../../../../plugin/domain/rest-api/records";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { ApiAction } from "../../../../plugin/domain/rest-api/actions";
import type { ClusterApi } from "../../../../plugin/ports/rest-api";
import {
  ActionFailedError,
  followAction,
  installModule,
} from "../../../../plugin/commands/modules/install";
import { Recorder } from "../../../../plugin/kernel/recorder";
import type { Event } from "../../../../plugin/kernel/report";
import { anApiEc } from "../../../support/cluster-api-client";
import { makeWorld } from "../../../support/world";
import { ManualClock } from "../../../support/manual-clock";
import { UnavailableError } from "../../../../plugin/domain/base/errors";

const gears = parseModule(
  { module_name: "rg", display_name: "EngineGears", semantic_version: "1.2.5" },
  names,
) as InstalledModule;
const scheduled: InstalledUpload = { actionUid: undefined, module: undefined, through: "/v2" };

interface Wish {
  /** The list at each look, the last one for ever. */
  readonly lists: readonly (readonly InstalledModule[] | Error)[];
  readonly install?: () => Promise<InstalledUpload>;
  readonly problem?: string;
  readonly defined?: readonly string[];
}

function install({ lists, install: send, problem, defined = [] }: Wish) {
  const clock = new ManualClock();
  const events: Event[] = [];
  const lines: string[] = [];
  let look = 0;
  let sent = 0;
  const api: Partial<ClusterApi> = {
    address: "https://api",
    modules: () => {
      const list = lists[Math.min(look++, lists.length - 1)] ?? [];
      return list instanceof Error ? Promise.reject(list) : Promise.resolve(list);
    },
    installModule: (_file, { onProgress }) => {
      sent += 1;
      for (const part of [1, 2, 3, 4]) onProgress?.({ sent: part * 25, of: 100 });
      return (send ?? (() => Promise.resolve(scheduled)))();
    },
  };
  const keep = (line: object) => Promise.resolve(void lines.push(JSON.stringify(line)));
  const work = installModule(
    {
      api: api as ClusterApi,
      clock,
      recorder: new Recorder({ kind: "X" }, { clock, event: (event) => events.push(event) }),
      journal: {
        problem: () => Promise.resolve(problem),
        intent: keep,
        outcome: keep,
        save: () => Promise.resolve(""),
      },
      names,
      signal: new AbortController().signal,
      cluster: makeWorld({ clock }).cluster,
      command: (words) => words.join(" "),
    },
    {
      ec: anApiEc({ userDefinedModules: defined.map((name) => ({ name })) }),
      file: { name: "a/b/rg.zip", bytes: new Uint8Array(1) },
      module: gears,
      dryRun: "none",
      timeoutMs: 10_000,
      tellEvery: 50,
    },
  );
  return { work, events, lines, sent: () => sent };
}

const refusal = (code: string, status = 400): (() => Promise<never>) => {
  const error = new ClusterApiError("no", { status, code, message: undefined });
  return () => Promise.reject(error);
};

test("it is in the list at last: done, with the record before and after", async () => {
  const { work, lines, events } = install({ lists: [[], [], [gears]] });
  const report = await work;
  expect(report.exit.code).toBe(0);
  expect(report.steps?.map(({ id, result }) => [id, result])).toEqual([
    ["modules.install", "done"],
    ["modules.listed", "done"],
  ]);
  expect(lines).toHaveLength(2);
  const uploads = events.filter((event) => event.type === "waiting" && event.on.includes("upload"));
  expect(uploads).toHaveLength(3);
});

test("someone else was quicker: unchanged", async () => {
  const { work } = install({ lists: [[], [gears]], install: refusal("module_exists") });
  expect((await work).steps?.[0]?.result).toBe("unchanged");
});

test("another build of the same version is there: the refusal stands", async () => {
  const other = { ...gears, compatibleEngineVersion: "7.2" };
  const wanted = { ...other, name: "another" };
  const { work } = install({ lists: [[wanted]], install: refusal("module_exists") });
  await expect(work).rejects.toMatchObject({ apiCode: "module_exists", exitCode: 3 });
});

test("an open outcome that the list does not show stays open, and is not repeated", async () => {
  const lists = [[], new Error("gone"), []];
  const { work, sent } = install({ lists, install: refusal("x", 502) });
  await expect(work).rejects.toMatchObject({ status: 502, exitCode: 69 });
  expect(sent()).toBe(1);
});

test("a refusal is no open outcome: the list is not asked again", async () => {
  const lists = [[], new Error("not to be asked")];
  const { work } = install({ lists, install: refusal("invalid_module") });
  await expect(work).rejects.toMatchObject({ apiCode: "invalid_module" });
});

test("what does not appear is a timeout", async () => {
  await expect(install({ lists: [[]] }).work).rejects.toMatchObject({ exitCode: 124 });
});

test("where no record can be kept nothing is sent", async () => {
  const { work, sent } = install({ lists: [[]], problem: "the folder cannot be written" });
  await expect(work).rejects.toMatchObject({ exitCode: 2 });
  expect(sent()).toBe(0);
});

test.each([
  [{ given: 1, of: 3 }, ["MODULE-ONE-NODE", "MODULE-DEFINE-NEXT"], []],
  [{ given: 3, of: 3 }, [], ["rg"]],
  [{ given: 3, of: 3 }, [], ["EngineGears"]],
])("with the file on %j nodes: %j", async (nodes, codes, defined) => {
  const send = () => Promise.resolve({ ...scheduled, nodes });
  const { work } = install({ lists: [[], [gears]], install: send, defined });
  expect((await work).findings?.map(({ code }) => code)).toEqual(codes);
});

test("a bundled build that is there needs no definition", async () => {
  const { work, sent } = install({ lists: [[{ ...gears, bundled: true }]] });
  expect((await work).findings).toEqual([]);
  expect(sent()).toBe(0);
});

const action = (is: ApiAction["is"], more: Partial<ApiAction> = {}): ApiAction => ({
  ...{ uid: "a-1", name: undefined, status: is, progress: undefined, error: undefined },
  ...{ errorCode: undefined, pending: [], database: undefined },
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
      recorder: { noteWaiting: (on) => told.push(on) },
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
  const coded = follow([action("failed", { errorCode: "insufficient_resources" })]).result;
  await expect(coded).rejects.toThrow("ended as failed: insufficient_resources (action a-1)");
});

test("one that was seen and is gone has ended: what it did has to be looked at", async () => {
  const { result, clock } = follow([action("running"), "unknown"]);
  expect(await result).toBeUndefined();
  expect(clock.sleeps).toHaveLength(1);
});

test("one that stays in a state that is not known is no longer waited for: what it did is looked at", async () => {
  const { result, told, clock } = follow([action("unknown", { status: "rolled_back" })], 600_000);
  expect(await result).toBeUndefined();
  expect(told[0]).toBe("the work: rolled_back");
  expect(clock.sleeps.length).toBeGreaterThan(1);
});

test("one that is never seen is given up after some looks", async () => {
  const { result, told } = follow(["unknown"]);
  expect(await result).toBeUndefined();
  expect(told).toEqual(Array(3).fill("the work: not begun"));
});

test("a server that is silent for a time is asked again", async () => {
  const { result, told } = follow([new UnavailableError("gone"), action("completed")]);
  expect(await result).toMatchObject({ is: "completed" });
  expect(told).toEqual(["the work at https://api: its answer (gone)"]);
});

test("a refusal is no silence", async () => {
  const refusal = new ClusterApiPermissionError("no", {
    ...{ status: 401, code: undefined, message: undefined },
  });
  await expect(follow([refusal]).result).rejects.toBe(refusal);
});

test("what does not end in time is a timeout", async () => {
  const { result } = follow([action("running")], 10_000);
  await expect(result).rejects.toMatchObject({ exitCode: 124 });
  await expect(result).rejects.toThrow("still in progress after 10s (action a-1)");
});

test("a server that stays away is unavailable, and that time counts for no limit", async () => {
  const { result } = follow([new UnavailableError("gone")], 10_000);
  await expect(result).rejects.toMatchObject({ exitCode: 69, message: "gone" });
});

test("a signal ends the wait with its reason", async () => {
  const stop = new AbortController();
  stop.abort(new Error("stopped"));
  await expect(follow([action("running")], 1000, stop.signal).result).rejects.toThrow("stopped");
});
