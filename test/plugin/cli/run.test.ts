import { hasTemplate } from "../../../plugin/domain/base/output-form";
import { getEventListeners } from "node:events";
import { Readable } from "node:stream";
import { type CommandContext, InterruptedError } from "../../../plugin/cmdutil/context";
import {
  CancelledError,
  PermissionError,
  UnavailableError,
  UsageError,
  BlockedError,
} from "../../../plugin/domain/base/errors";
import { toGlobalOptions } from "../../../plugin/cli/tree";
import { entries } from "../../../plugin/cli/commands";
import { run as runJob } from "../../../plugin/cli/run";
import type { KubeClient } from "../../../plugin/ports/kubernetes";
import type { Report, StepReport } from "../../../plugin/kernel/report";
import { type Ended, type Scene, startOfRun, stdinOf, worldOf } from "../../support/program-world";
import { swapped } from "../output/sample-reports";

type Act = (context: CommandContext, args: readonly string[]) => Promise<Report>;

const step: StepReport = {
  n: 1,
  id: "x",
  action: "apply",
  object: "Secret/a",
  result: "created",
  why: "absent",
  ms: 1,
};
const closed: string[] = [];
const cluster = {
  list: () => Promise.resolve([{}]),
  server: "https://cluster",
  namespace: "engine",
  close: () => closed.push("closed"),
} as unknown as KubeClient;
const entry = entries.find(({ path }) => path === "upgrade-webhook");

/** Runs an act in the place of `upgrade-webhook`. */
async function acted(
  act: Act,
  flags: Readonly<Record<string, unknown>> = {},
  scene: Scene & { readonly text?: (report: Report) => string } = {},
): Promise<Ended> {
  const world = worldOf(["upgrade-webhook"], { connect: () => Promise.resolve(cluster), ...scene });
  const { options } = toGlobalOptions(flags, world.env);
  const load = () =>
    Promise.resolve({ run: act, ...(scene.text !== undefined && { text: scene.text }) });
  const form = hasTemplate(options.output) ? "text" : options.output;
  const prepared = { problems: [], load };
  const code = await runJob(
    { options, form, problems: [], ...(entry && { entry }), prepared, args: [] },
    world,
  );
  await new Promise(setImmediate);
  return { code, ...world.written() };
}

const json = { output: "json" };
const fails =
  (error: unknown): Act =>
  async (context) => {
    await context.connect();
    context.event({ type: "step", step });
    context.event({
      type: "probe",
      probe: { phase: "p", accept: { ok: 1, of: 1 }, deny: { ok: 0, of: 1, by: "" } },
    });
    throw error;
  };

describe("a run that ends as wished", () => {
  test("prints its report, ends with its code and closes the cluster", async () => {
    closed.length = 0;
    const ended = await acted(async (context) => {
      expect(await context.connect()).toBe(await context.connect());
      return swapped;
    }, json);
    expect(ended).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(ended.out)).toEqual(swapped);
    expect(closed).toEqual(["closed"]);
  });

  test("knows its name and its moment", async () => {
    await acted(
      (context) => {
        expect(context.run.startedAt).toBe(new Date(startOfRun).toISOString());
        expect(context.run.id).toMatch(/^20260102-030405-[0-9a-f]{6}$/);
        expect(context.run.dryRun).toBe("client");
        return Promise.resolve(swapped);
      },
      { dryRun: "client" },
    );
  });
});

test.each([
  ["with a next", { code: 5, reason: "someone else", next: "look" } as const, "  next: look\n"],
  ["without one", { code: 5, reason: "someone else" } as const, "  next: "],
])("a report that ends otherwise says so on stderr too, %s", async (_, exit, next) => {
  const ended = await acted(() => Promise.resolve({ ...swapped, exit }));
  expect(ended.code).toBe(5);
  expect(ended.out).toContain("exit code 5: someone else");
  expect(ended.err.startsWith(`error: someone else\n${next}`)).toBe(true);
});

test("an end without any way out is given one", async () => {
  const exit = { code: 124, reason: "too slow" } as const;
  const bare: Report = { apiVersion: "cli.engine.com/v1", kind: "X", exit };
  const { out, err } = await acted(() => Promise.resolve(bare), json);
  expect((JSON.parse(out) as Report).exit.next).toContain("run the same command again");
  expect(err).toContain("run the same command again");
});

test("but not twice on one terminal", async () => {
  const exit = { code: 5, reason: "someone else" } as const;
  const ended = await acted(() => Promise.resolve({ ...swapped, exit }), {}, { terminal: true });
  expect(ended.err).toBe("");
});

describe("a run that throws", () => {
  test("prints the steps done until then, the cause and the fix, as one document", async () => {
    const cause = new Error("inner", { cause: new Error("innermost") });
    const error = new UnavailableError("the API server is gone", { hint: "look at it", cause });
    const { code, out, err } = await acted(fails(error), json);
    expect(code).toBe(69);
    expect(JSON.parse(out)).toMatchObject({
      kind: "UpgradeWebhook",
      run: { dryRun: "none" },
      target: { server: "https://cluster", namespace: "engine" },
      steps: [step],
      probes: [{ phase: "p" }],
      exit: {
        code: 69,
        reason: "the API server is gone: inner: innermost",
        next: "look at it",
      },
    });
    expect(err).toContain(
      "error: the API server is gone\n  caused by: inner\n  caused by: innermost\n  next: look at it\n",
    );
  });

  test("as text, what was done comes to stdout, the cause to stderr", async () => {
    const { out, err } = await acted(fails(new PermissionError("not allowed")));
    expect(out).toContain("Secret/a");
    expect(err).toContain("error: not allowed\n  next: ask for the permission");
  });

  test("as text, a failure before any step leaves stdout empty", async () => {
    const { out } = await acted(() => Promise.reject(new PermissionError("not allowed")));
    expect(out).toBe("");
  });

  test("as JSON Lines, the last line is the document", async () => {
    const { out } = await acted(fails(new PermissionError("no")), { output: "jsonl" });
    const lines = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Report);
    expect(lines).toHaveLength(3);
    expect(lines[2]?.exit.code).toBe(4);
  });

  test("a finding that was told and is thrown stands there once", async () => {
    const finding = { code: "X-Y", severity: "error", cause: "c", fix: "f", source: "s" } as const;
    const { code, out } = await acted((context) => {
      context.event({ type: "finding", finding });
      return Promise.reject(new BlockedError(3, [finding, { ...finding, code: "Z" }]));
    }, json);
    expect(code).toBe(3);
    const codes = (JSON.parse(out) as Report).findings?.map((one) => one.code);
    expect(codes).toEqual(["X-Y", "Z"]);
  });

  test.each([
    ["an error of no kind of ours", new TypeError("x is undefined"), "x is undefined"],
    ["something that is no error", "text", "text"],
    [
      "a cause that is quoted",
      new PermissionError("no: inner", { cause: new Error("inner") }),
      "no",
    ],
  ])("%s is one line, never a stack", async (_, error, message) => {
    const { err } = await acted(fails(error));
    expect(err).toContain(message);
    expect(err).not.toMatch(/^\s+at |caused by/m);
  });

  test("--debug shows the stacks, of the cause as well", async () => {
    const error = new PermissionError("no", { cause: new Error("inner") });
    const { err } = await acted(() => Promise.reject(error), { debug: true });
    expect(err.match(/^\s+at /gm)?.length).toBeGreaterThan(2);
    const bare = new Error("no stack");
    delete bare.stack;
    expect((await acted(() => Promise.reject(bare), { debug: true })).err).not.toMatch(/^\s+at /m);
  });

  test("an unexpected failure ends with 70, which no difference and no refusal ends with", async () => {
    const { code, err } = await acted(() => Promise.reject(new Error("x")));
    expect(code).toBe(70);
    expect(err).toContain("--debug");
  });

  test("what nobody waits for ends the run too", async () => {
    const crashed = Promise.reject(new Error("lost"));
    const { code, out } = await acted(() => new Promise(() => {}), json, { crashed });
    expect(code).toBe(70);
    expect(JSON.parse(out)).toMatchObject({
      exit: { code: 70, reason: "unexpected failure: lost" },
    });
  });
});

describe("a signal", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s ends with %d and one document", async (signal, code) => {
    const controller = new AbortController();
    const act: Act = (context) => {
      controller.abort(new InterruptedError(signal));
      expect(context.signal.aborted).toBe(true);
      return fails(new Error("socket hang up"))(context, []);
    };
    const ended = await acted(act, json, { signal: controller.signal });
    expect(ended.code).toBe(code);
    expect(JSON.parse(ended.out)).toMatchObject({
      steps: [step],
      exit: { code, reason: `interrupted by ${signal}` },
    });
    expect(ended.err).not.toContain("socket hang up");
  });
});

describe("asking", () => {
  const asks: Act = async (context) => {
    const exit = { code: 0, reason: (await context.ask("Delete it?")) ? "yes" : "no" } as const;
    return { ...swapped, exit };
  };

  test.each([
    ["y", "y\n", "yes"],
    ["yes", " YES \n", "yes"],
    ["a line that is neither", "maybe\n", "no"],
    ["the end of input", "", "no"],
  ])("on a terminal, %s", async (_, answer, expected) => {
    const scene = { stdin: stdinOf(answer, true), terminal: true };
    const { out, err } = await acted(asks, json, scene);
    expect(err).toContain("Delete it? [y/N] ");
    expect((JSON.parse(out) as Report).exit.reason).toBe(expected);
  });

  test("--yes answers without asking", async () => {
    const { out, err } = await acted(asks, { ...json, yes: true });
    expect((JSON.parse(out) as Report).exit.reason).toBe("yes");
    expect(err).toBe("");
  });

  test("without a terminal it is wrong usage, and the command to run is printed", async () => {
    const { code, err } = await acted(asks);
    expect(code).toBe(2);
    expect(err).toContain("error: needs --yes, since there is no terminal to ask on: Delete it?");
    expect(err).toContain("run: kubectl engine upgrade-webhook --yes");
  });

  const asked =
    (...before: readonly StepReport[]): Act =>
    async (context) => {
      await context.connect();
      for (const one of before) context.event({ type: "step", step: one });
      if (await context.ask("delete it?")) return swapped;
      throw new CancelledError();
    };
  const no = (): Scene => ({ stdin: stdinOf("n\n", true), terminal: true });

  test.each<readonly [string, Partial<KubeClient>, string]>([
    [
      "context and namespace",
      { login: { context: "prod", user: "me" } },
      "Context prod, namespace engine",
    ],
    ["the server where there is no context", {}, "Server https://cluster, namespace engine"],
  ])("a question begins with %s", async (_, own, place) => {
    const connect = () => Promise.resolve({ ...cluster, ...own });
    const { err } = await acted(asked(), {}, { ...no(), connect });
    expect(err).toContain(`${place}: delete it? [y/N] `);
  });

  test("a no is told in one line, whatever was read for the question", async () => {
    const read: StepReport = { ...step, action: "read", result: "done" };
    const { code, out, err } = await acted(asked(read), {}, no());
    expect(code).toBe(2);
    expect(out).toBe("");
    expect(err.split("[y/N] ")[1]).toBe("Cancelled; nothing was written.\n");
  });

  test("a no after a write shows that write, and does not say that nothing was written", async () => {
    const { code, out, err } = await acted(asked(step), {}, no());
    expect(code).toBe(2);
    expect(out).toContain("Secret/a");
    expect(`${out}${err}`).not.toContain("nothing was written");
  });

  test("a no in a document has its way out", async () => {
    const { out } = await acted(asked(), json, no());
    expect((JSON.parse(out) as Report).exit).toEqual({
      code: 2,
      reason: "cancelled; nothing was written",
      next: "run the same command again and answer y",
    });
  });

  test("a signal ends the question", async () => {
    const controller = new AbortController();
    const unfed = new Readable({
      read: () => {
        controller.abort(new InterruptedError("SIGINT"));
      },
    });
    const stdin = Object.assign(unfed, { isTTY: true });
    const { signal } = controller;
    const { code, err } = await acted(asks, json, { stdin, terminal: true, signal });
    expect(code).toBe(130);
    expect(err).toContain("Delete it? [y/N] ");
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

describe("the request log", () => {
  const connect: Scene["connect"] = (_, how) => {
    how?.onRequest?.("GET /api/v1/\u001bx");
    return Promise.resolve(cluster);
  };
  const act: Act = async (context) => {
    await context.connect();
    return swapped;
  };

  test("shows requests from -v 6 on, escaped", async () => {
    const { err } = await acted(act, { v: "6" }, { connect });
    expect(err).toBe("GET /api/v1/\\x1bx\n");
  });
});

test("an error of usage from a command names each problem", async () => {
  const { err } = await acted(() => Promise.reject(new UsageError(["one", "two"], { hint: "h" })));
  expect(err).toBe("error: one\nerror: two\n  next: h\n");
});
