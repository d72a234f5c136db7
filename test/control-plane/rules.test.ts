/** `audit` and `validate --live` on a real API server: what was stored past the webhook, and what a change would meet. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dump } from "js-yaml";
import type { KubeObject } from "./api";
import { type ControlPlane, kubectlEnv, startControlPlane } from "./control-plane";
import { runner, runPlugin } from "./plugin-run";
import { run as runProgram } from "./run";
import { database, seedScene } from "./scene";

const namespace = "engine";
const jane = "jane";
const folder = mkdtempSync(join(tmpdir(), "rules-"));
let controlPlane: ControlPlane;

beforeAll(async () => {
  controlPlane = await startControlPlane({ users: [runner, { name: jane }] });
  await seedScene(controlPlane.api, { namespace });
});
afterAll(() => controlPlane.stop());

interface Found {
  readonly exit: { readonly code: number };
  readonly findings?: readonly {
    readonly code: string;
    readonly object?: string;
    readonly command?: string;
  }[];
  readonly details?: { readonly objects: readonly unknown[] };
  readonly permissions?: { readonly missing: readonly string[] };
}

async function found(args: readonly string[], user = runner.name): Promise<Found> {
  const { report, writes, code } = await runPlugin(controlPlane, args, { namespace, user });
  expect(writes).toEqual([]);
  const document = report as unknown as Found;
  expect(document.exit.code).toBe(code);
  return document;
}

const label = (name: string): string => `EngineEnterpriseDatabase/${namespace}/${name}`;

test("what was stored past the webhook is found, by one LIST of each kind, and its command repairs it", async () => {
  const before = await found(["audit"]);
  expect(before.exit.code).toBe(0);
  for (let at = 0; at < 60; at += 1) {
    const name = `past-${at}`;
    // every tenth is one that the webhook would have refused
    const engineVersion = at % 10 === 0 ? "9.9" : "7.4";
    await controlPlane.api.create(database({ namespace, name, engineVersion }));
    const path = `/apis/app.engine.com/v1alpha1/namespaces/${namespace}/engineenterprisedatabases`;
    const written = await controlPlane.api.send("PATCH", `${path}/${name}/status`, {
      body: { status: { version: "7.4.2" } },
      contentType: "application/merge-patch+json",
    });
    expect(written.status).toBe(200);
  }
  const mark = await controlPlane.auditMark();
  const { exit, findings = [] } = await found(["audit"]);
  const lists = (await controlPlane.auditEvents(mark)).filter(
    ({ verb, user, objectRef }) =>
      verb === "list" &&
      user.username === runner.name &&
      objectRef?.resource?.startsWith("engineenterprise") === true &&
      objectRef.namespace === undefined,
  );
  const kinds = lists.map(({ objectRef }) => objectRef?.resource).sort();
  expect(kinds).toEqual([...new Set(kinds)]);
  expect(kinds).toHaveLength(3);
  expect(exit.code).toBe(1);
  const wanted = [0, 10, 20, 30, 40, 50].map((at) => ["R1", label(`past-${at}`)]);
  expect(findings.map(({ code, object }) => [code, object])).toEqual(wanted);

  for (const { command = "" } of findings) {
    const { code, stderr } = await runProgram("/bin/sh", ["-c", command], {
      env: kubectlEnv(controlPlane.site, controlPlane.kubeconfigFor(runner.name)),
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  }
  expect((await found(["audit"])).exit.code).toBe(0);
});

test.each<[string, KubeObject, number, readonly string[]]>([
  ["a change that passes", database({ namespace, name: "live", engineVersion: "8.0" }), 0, []],
  [
    "a version that the stored EC does not bundle",
    database({ namespace, name: "live", engineVersion: "9.9" }),
    1,
    ["R1"],
  ],
  [
    "a module that it does not define",
    database({ namespace, name: "live", engineVersion: "7.4", modules: ["nobodys"] }),
    1,
    ["R3"],
  ],
  [
    "an EC that is not there",
    database({ namespace, name: "live", modules: ["nobodys"], cluster: "gone" }),
    1,
    ["REF", "R3"],
  ],
])("validate --live: %s", async (...[name, object, code, codes]) => {
  const stored = database({ namespace, name: "live", engineVersion: "7.4" });
  if ((await controlPlane.api.read(stored)) === undefined) await controlPlane.api.create(stored);
  const file = join(folder, `${name.replaceAll(" ", "-")}.yaml`);
  writeFileSync(file, dump(object));
  const { exit, findings = [] } = await found(["validate", "-f", file, "--live"]);
  expect({ code: exit.code, codes: findings.map((one) => one.code) }).toEqual({ code, codes });
});

test("whoever may not list gets the Role to ask for, and no verdict", async () => {
  for (const args of [["audit"], ["validate", "-f", folder, "--live"]]) {
    const { exit, permissions, details } = await found(args, jane);
    expect(exit.code).toBe(4);
    expect(permissions?.missing).toHaveLength(3);
    expect(details).toBeUndefined();
  }
});
