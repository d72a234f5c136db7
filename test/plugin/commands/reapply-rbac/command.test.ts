/** `reapply-rbac`: where its files and its namespaces come from. */
import { readDefaults } from "../../../../plugin/cmdutil/spec";
import { reapplyRbac, type ReapplyRbacFlags } from "../../../../plugin/commands/reapply-rbac/flags";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readShippedRbac } from "../../../../plugin/adapters/shipped";
import { runReapplyRbac } from "../../../../plugin/commands/reapply-rbac/command";
import { makePart } from "../../../../plugin/commands/reapply-rbac/part";
import { runPorts } from "../../../../plugin/cmdutil/run-ports";
import { planAhead } from "../../../../plugin/kernel/part";
import { unchanged } from "../../../../plugin/kernel/projection";
import { UsageError } from "../../../../plugin/domain/base/errors";
import type { Release } from "../../../../plugin/domain/release/contents";
import { aCommandContext } from "../../../support/command-context";
import { ManualClock } from "../../../support/manual-clock";
import { packRelease } from "../../../support/releases/tree";
import { releaseVersions } from "../../../support/releases/versions";
import { aNamespace, aScene, resultsOf, settings } from "./scene";
import { aFolder } from "../../../support/a-folder";

let folder = "";
beforeEach(() => {
  folder = aFolder("release");
});

const usual: ReapplyRbacFlags = readDefaults(reapplyRbac);

function aContext(files: Readonly<Record<string, string>> = {}) {
  const scene = aScene([settings({ EDB_NAMESPACES: "a" }), aNamespace("a"), aNamespace("b")]);
  let connected = false;
  const place = { cluster: scene.cluster, clock: new ManualClock() };
  const options = { concurrency: 2, color: "auto", contextArgs: [] } as const;
  const context = aCommandContext(place, options, {
    connect: () => {
      connected = true;
      return Promise.resolve(scene.cluster);
    },
    readInput: (path) => Promise.resolve(files[path] ?? ""),
  });
  return { context, connected: () => connected };
}

const write = (path: string, text = ""): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};
const shipped = readShippedRbac();
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

test.each(releaseVersions)("an archive of %s has them, and the report pins it", async (version) => {
  const release = await packRelease(join(folder, "r.tar.gz"), version);
  const given = { ...usual, release, target: version };
  const report = await runReapplyRbac(aContext().context, [], given);
  expect(resultsOf(report)).toEqual({ a: "created" });
  expect(report.release).toEqual({ source: release, sha256: expect.any(String) as string });
});

const texts: Readonly<Record<string, string | undefined>> = {
  "deploy/multi-namespace-edb/role.yaml": shipped["role.yaml"],
  "deploy/multi-namespace-edb/role_binding.yaml": shipped["role_binding.yaml"],
};
const opened: Release = {
  source: "a release",
  sha256: "00",
  file: (paths) => {
    const [path = ""] = paths;
    const text = texts[path];
    return text === undefined ? undefined : { text, source: path };
  },
};

test("a phase of the upgrade has the files of the release that was opened, or those shipped", async () => {
  const { context } = aContext();
  const ports = await runPorts(context, "Upgrade");
  const wish = { context, flags: { takeFields: [], probe: true } };
  for (const of of [
    { opened, operatorVersion: undefined },
    { opened: undefined, operatorVersion: "8.0.2-2" },
  ]) {
    const part = await makePart({ ...wish, ...of }, "expand");
    const how = { dryRun: "client", waits: false, after: unchanged } as const;
    const { exit, told } = await planAhead(ports, part, how);
    expect([exit.code, resultsOf(told.recorder.report(exit))]).toEqual([0, { a: "planned" }]);
  }
  const none = { opened: { ...opened, file: () => undefined }, operatorVersion: undefined };
  await expect(makePart({ ...wish, ...none }, "expand")).rejects.toThrow(UsageError);
});

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
  ["a file that names no namespace", { namespacesFile: "empty" }],
])("%s is wrong usage, and no cluster is asked", async (_, flags) => {
  const { context, connected } = aContext({ other: "kind: Role\n", empty: "# none\n" });
  const given = "release" in flags ? { release: folder } : flags;
  await expect(runReapplyRbac(context, [], { ...usual, ...given })).rejects.toThrow(UsageError);
  expect(connected()).toBe(false);
});
