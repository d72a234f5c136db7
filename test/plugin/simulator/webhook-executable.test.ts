import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { UsageError } from "../../../plugin/domain/base/errors";
import { findWebhook } from "../../../plugin/simulator/webhook-process";

let root = "";
const at = (...parts: readonly string[]): string => join(root, ...parts);

/** A file that may be executed, or not. */
function put(path: string, mode = 0o755): string {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, "#!/bin/sh\n");
  chmodSync(path, mode);
  return path;
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "places-"));
  put(at("bin", "kubectl-engine"));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

test("the one beside the program comes before the one on the PATH", async () => {
  put(at("path", "engine-webhook"));
  const beside = put(at("bin", "engine-webhook"));
  const places = { executable: at("bin", "kubectl-engine"), path: at("path") };
  expect(await findWebhook(places)).toBe(beside);
});

test("a link to the program is followed to what lies beside the program itself", async () => {
  mkdirSync(at("links"));
  symlinkSync(at("bin", "kubectl-engine"), at("links", "kubectl-engine"));
  const beside = put(at("bin", "engine-webhook"));
  expect(await findWebhook({ executable: at("links", "kubectl-engine"), path: "" })).toBe(beside);
});

test("an executable that node is part of holds it itself", async () => {
  const path = at("path");
  put(at("path", "engine-webhook"));
  expect(await findWebhook({ executable: process.execPath, path })).toBe(process.execPath);
});

test("else the first on the PATH that may be executed", async () => {
  put(at("a", "engine-webhook"), 0o644);
  mkdirSync(at("b", "engine-webhook"), { recursive: true });
  const found = put(at("c", "engine-webhook"));
  const path = ["", at("a"), at("b"), at("c")].join(delimiter);
  expect(await findWebhook({ executable: at("bin", "kubectl-engine"), path })).toBe(found);
});

test("one that is named is taken before all others", async () => {
  put(at("bin", "engine-webhook"));
  const given = put(at("mine"));
  expect(await findWebhook({ given, executable: at("bin", "kubectl-engine"), path: "" })).toBe(
    given,
  );
});

test("none anywhere is wrong usage, told in a line", async () => {
  const path = [at("a"), at("a"), at("b")].join(delimiter);
  const found = findWebhook({ executable: at("bin", "kubectl-engine"), path });
  await expect(found).rejects.toThrow(UsageError);
  await expect(found).rejects.toMatchObject({
    message:
      "engine-webhook, the real webhook, which this rehearsal calls, is neither beside this program nor on the PATH",
    hint: "install engine-webhook beside this program, or name it with --webhook FILE",
  });
});

test("a named one that is none is wrong usage, whatever lies elsewhere", async () => {
  put(at("bin", "engine-webhook"));
  const found = findWebhook({ given: at("no"), executable: at("bin", "kubectl-engine"), path: "" });
  await expect(found).rejects.toThrow(`--webhook: ${at("no")} is no executable file`);
});
