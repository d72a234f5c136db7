/** `reapply-rbac`: where its files and its namespaces come from. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { shippedRbac } from "../../../plugin/adapters/shipped-rbac";
import { runReapplyRbac } from "../../../plugin/commands/reapply-rbac";
import type { CommandContext, ReapplyRbacFlags } from "../../../plugin/commands/context";
import { UsageError } from "../../../plugin/domain/errors";
import { defaultNames as names } from "../../../plugin/domain/names";
import { MemoryHome } from "../../../plugin/rehearsal/memory-home";
import { ManualClock } from "../../support/manual-clock";
import { aNamespace, aScene, resultsOf, settings } from "../run/rbac/scene";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "release-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const usual: ReapplyRbacFlags = {
  mode: "exact",
  prune: false,
  takeFields: [],
  takeOver: false,
  probe: true,
};

function aContext(files: Readonly<Record<string, string>> = {}) {
  const scene = aScene([settings({ EDB_NAMESPACES: "a" }), aNamespace("a"), aNamespace("b")]);
  let connected = false;
  const context: CommandContext = {
    connect: () => {
      connected = true;
      return Promise.resolve(scene.cluster);
    },
    connectReadOnly: () => Promise.reject(new Error("nothing is read here")),
    clock: new ManualClock(),
    home: () => Promise.resolve(new MemoryHome()),
    executable: "",
    names,
    env: {},
    streams: { in: new PassThrough(), out: new PassThrough(), err: new PassThrough() },
    event: () => undefined,
    signal: new AbortController().signal,
    options: {
      dryRun: "none",
      yes: true,
      noInput: true,
      timeoutMs: 60_000,
      wait: false,
      output: "text",
      concurrency: 2,
      color: "auto",
      quiet: false,
      debug: false,
      verbosity: 0,
      prefix: "kubectl engine",
      connection: {},
      contextArgs: [],
    },
    run: { id: "1", startedAt: "2026-08-01T10:15:30.000Z", dryRun: "none" },
    ask: () => Promise.resolve(true),
    interactive: false,
    readInput: (path) => Promise.resolve(files[path] ?? ""),
    readDump: () => Promise.resolve(""),
  };
  return { context, connected: () => connected };
}

const write = (path: string, text = ""): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};
const shipped = shippedRbac();
const both = `${shipped["role.yaml"] ?? ""}---\n${shipped["role_binding.yaml"] ?? ""}`;

test("the shipped files serve where none are named", async () => {
  const report = await runReapplyRbac(aContext().context, [], usual);
  expect([report.exit.code, resultsOf(report)]).toEqual([0, { a: "created" }]);
});

test.each(["deploy/multi-namespace-edb", "multi-namespace-edb"])(
  "a release has them in %s",
  async (place) => {
    write(`${place}/role.yaml`, shipped["role.yaml"]);
    write(`${place}/role_binding.yaml`, shipped["role_binding.yaml"]);
    const report = await runReapplyRbac(aContext().context, [], { ...usual, release: folder });
    expect(resultsOf(report)).toEqual({ a: "created" });
  },
);

test.each([["roles.yaml"], ["-"]])("both may come in one file, %s", async (template) => {
  const { context } = aContext({ [template]: both });
  const report = await runReapplyRbac(context, [], { ...usual, template });
  expect(resultsOf(report)).toEqual({ a: "created" });
});

test("the namespaces of a file are the exact set; what follows a # is none", async () => {
  const { context } = aContext({ list: "b # later: a\n" });
  const report = await runReapplyRbac(context, [], { ...usual, namespacesFile: "list" });
  expect(resultsOf(report)).toEqual({ b: "created" });
});

test.each([
  ["a release without the files", { release: "FOLDER" }],
  ["a file with another object", { template: "other" }],
  ["a file that names no namespace", { namespacesFile: "empty" }],
])("%s is wrong usage, and no cluster is asked", async (_, flags) => {
  const { context, connected } = aContext({ other: "kind: Role\n", empty: "# none\n" });
  const given = "release" in flags ? { release: folder } : flags;
  await expect(runReapplyRbac(context, [], { ...usual, ...given })).rejects.toThrow(UsageError);
  expect(connected()).toBe(false);
});
