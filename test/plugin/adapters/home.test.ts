import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { openHome } from "../../../plugin/adapters/home";
import { UsageError } from "../../../plugin/domain/base/errors";
import type { KubeObject } from "../../../plugin/domain/kube/objects";
import type { Home } from "../../../plugin/ports/home";
import { aFolder } from "../../support/a-folder";

const clock = { now: () => Date.parse("2026-06-15T12:00:00Z") };

let folder: string;

beforeEach(() => {
  folder = aFolder("engine-home");
});

const warned: string[] = [];
const warn = (text: string): void => void warned.push(text);
const homeIn = (path: string): Home => openHome({ ENGINE_HOME: path }, { clock, warn });
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe("the home", () => {
  test.each([
    ["ENGINE_HOME", { ENGINE_HOME: "/x/y", HOME: "/h" }, "/x/y"],
    ["the default in the home folder", { HOME: "/h" }, "/h/.kube/engine"],
    ["the default for an empty ENGINE_HOME", { ENGINE_HOME: "", HOME: "/h" }, "/h/.kube/engine"],
    ["the user's home folder without HOME", {}, join(homedir(), ".kube", "engine")],
  ])("is %s", (_name, env, path) => {
    expect(openHome(env).path).toBe(path);
  });

  test("is made for its owner alone", async () => {
    const home = homeIn(join(folder, "a", "b"));

    await home.begin("run-1");

    expect(await modeOf(home.path)).toBe(0o700);
    expect(await modeOf(join(home.path, "runs", "run-1"))).toBe(0o700);
    expect(await modeOf(join(home.path, "runs", "run-1", "log.jsonl"))).toBe(0o600);
  });

  test("that is open to others is said to be, and left as it is", async () => {
    const path = join(folder, "open");
    await mkdir(path);
    await chmod(path, 0o755);

    await homeIn(path).begin("run-1");

    expect(await modeOf(path)).toBe(0o755);
    expect(await modeOf(join(path, "runs"))).toBe(0o700);
    expect(warned.splice(0)).toEqual([
      `other users can look into ${path} (mode 755): chmod 700 ${path}`,
    ]);
    await chmod(path, 0o700);
    await homeIn(path).begin("run-2");
    expect(warned).toEqual([]);
  });

  test.each([
    ["itself", "home", "home"],
    ["its folder of runs", "home/runs", "home"],
  ])("that is a link, %s, is refused before anything is written", async (_name, link, path) => {
    const elsewhere = join(folder, "elsewhere");
    await mkdir(elsewhere);
    await mkdir(dirname(join(folder, link)), { recursive: true });
    await symlink(elsewhere, join(folder, link));
    const home = homeIn(join(folder, path));
    const problem = `cannot keep a record of the run in ${home.path} (${join(folder, link)} is a link)`;

    expect(await home.writable()).toBe(problem);
    await expect(home.begin("run-1")).rejects.toMatchObject({ exitCode: 2, message: problem });
    expect(await readdir(elsewhere)).toEqual([]);
  });

  test("that cannot be written is told, and refuses to begin", async () => {
    const path = join(folder, "file");
    await writeFile(path, "");

    for (const home of [homeIn(path), homeIn(join(path, "below"))]) {
      const problem = `cannot keep a record of the run in ${home.path} (ENOTDIR)`;
      expect(await home.writable()).toBe(problem);
      await expect(home.begin("run-1")).rejects.toMatchObject({
        exitCode: 2,
        hint: expect.stringContaining("ENGINE_HOME") as unknown,
      });
      await expect(home.begin("run-1")).rejects.toThrow(UsageError);
    }
  });

  test("whose log cannot be written refuses to begin", async () => {
    await mkdir(join(folder, "runs", "run-1", "log.jsonl"), { recursive: true });

    await expect(homeIn(folder).begin("run-1")).rejects.toMatchObject({
      exitCode: 2,
      message: `cannot keep a record of the run in ${folder} (EISDIR)`,
    });
  });
});

describe("the record of a run", () => {
  test("is a line per intent and outcome, with the time", async () => {
    const record = await homeIn(folder).begin("run-1");

    await record.intent({ action: "apply", object: "Secret/engine/admission-tls" });
    await record.outcome({ result: "created" });

    const log = await readFile(join(folder, "runs", "run-1", "log.jsonl"), "utf8");
    const at = "2026-06-15T12:00:00.000Z";
    expect(
      log.split("\n").map((line) => (line === "" ? "" : (JSON.parse(line) as unknown))),
    ).toEqual([
      { at, type: "outcome", event: "begin" },
      { at, type: "intent", action: "apply", object: "Secret/engine/admission-tls" },
      { at, type: "outcome", result: "created" },
      "",
    ]);
  });

  test("that cannot be continued says so with the cause", async () => {
    const record = await homeIn(folder).begin("run-1");
    await rm(join(folder, "runs"), { recursive: true });

    await expect(record.intent({})).rejects.toMatchObject({
      code: "RECORD",
      exitCode: 1,
      cause: { code: "ENOENT" },
    });
  });
});

describe("a saved object", () => {
  const served = {
    uid: "u",
    resourceVersion: "1",
    generation: 3,
    creationTimestamp: "2026-01-01T00:00:00Z",
    managedFields: [{ manager: "kubectl" }],
  };
  const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

  const saved = async (object: KubeObject): Promise<unknown> => {
    const record = await homeIn(folder).begin("run-1");
    const file = await record.save(object);
    expect(await modeOf(file)).toBe(0o600);
    return JSON.parse(await readFile(file, "utf8"));
  };

  test("can be put back: what the API server sets is left out, the rest is as it was", async () => {
    const kept = {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: {
        name: "edb-admission",
        labels: { app: "engine-enterprise" },
        annotations: { [lastApplied]: "{}" },
      },
    };

    expect(
      await saved({
        ...kept,
        metadata: { ...kept.metadata, ...served },
        webhooks: [{ name: "edb.admission.engine" }],
        status: { seen: true },
      }),
    ).toEqual({ ...kept, webhooks: [{ name: "edb.admission.engine" }] });
  });

  test("that is a Secret has no data in any place", async () => {
    expect(
      await saved({
        apiVersion: "v1",
        kind: "Secret",
        metadata: {
          name: "admission-tls",
          namespace: "engine",
          annotations: { [lastApplied]: '{"data":{"privateKey":"c2VjcmV0"}}', note: "kept" },
          ...served,
        },
        type: "Opaque",
        data: { privateKey: "c2VjcmV0" },
        stringData: { privateKey: "secret" },
      }),
    ).toEqual({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "admission-tls", namespace: "engine", annotations: { note: "kept" } },
      type: "Opaque",
    });
  });

  test("has a file of its own, also when it is saved twice or has an odd name", async () => {
    const record = await homeIn(folder).begin("run-1");
    const object = {
      apiVersion: "v1",
      kind: "ClusterRole",
      metadata: { name: "system:../a", namespace: "ns" },
    };

    expect(await record.save(object)).toBe(
      join(folder, "runs", "run-1", "clusterrole_ns_system-..-a.json"),
    );
    expect(await record.save(object)).toBe(
      join(folder, "runs", "run-1", "clusterrole_ns_system-..-a_2.json"),
    );
  });

  test("whose name is longer than a file's has a file of its own, the same at each save", async () => {
    const record = await homeIn(folder).begin("run-1");
    const named = (end: string): KubeObject => ({
      apiVersion: "v1",
      kind: "EngineEnterpriseActiveActiveDatabase",
      metadata: { name: `${"n".repeat(252)}${end}`, namespace: "s".repeat(63) },
    });
    const files = [];
    for (const end of ["a", "b", "a"]) files.push(basename(await record.save(named(end))));
    const [one = "", other = "", again = ""] = files;

    expect(files.filter((file) => Buffer.byteLength(file) > 255)).toEqual([]);
    expect(one).not.toBe(other);
    expect(again).toBe(one.replace(".json", "_2.json"));
  });
});
