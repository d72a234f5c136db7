/** A bundle that spells values in its own way: what the API server makes of them is no local change. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultNames as names } from "../../plugin/domain/names";
import { renderDocuments } from "../../plugin/adapters/yaml";
import { spelledOtherwise } from "../support/releases/spellings";
import { bundleOf, writeFiles } from "../support/releases/tree";
import type { ReleaseVersion } from "../support/releases/versions";
import { type ControlPlane, startControlPlane } from "./control-plane";
import { namespaceNamed } from "./managed-namespaces";
import { playAt } from "./played-operator";
import { type PluginRun, runner, runPlugin } from "./plugin-run";

const { deployment: operator } = names.operator;

let controlPlane: ControlPlane;
let folder = "";

beforeAll(async () => {
  controlPlane = await startControlPlane({ users: [runner] });
  folder = mkdtempSync(join(tmpdir(), "releases-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await controlPlane.stop();
});

const bundle = (version: ReleaseVersion): string =>
  renderDocuments(bundleOf(version).map(spelledOtherwise));

async function kubectl(args: readonly string[], input = ""): Promise<void> {
  const { code, stderr } = await controlPlane.kubectl(args, { input });
  if (code !== 0) throw new Error(stderr);
}

describe.each([
  ["apply", [["apply"]]],
  ["create", [["create"]]],
  ["create --save-config", [["create", "--save-config"]]],
  ["apply and replace", [["apply"], ["replace"]]],
  ["apply --server-side", [["apply", "--server-side"]]],
] as const)("kubectl %s", (way, commands) => {
  const namespace = way.replaceAll(/\W+/g, "-");
  const upgrade = (): Promise<PluginRun> => {
    const release = writeFiles(join(folder, "8.0.2-2"), { "bundle.yaml": bundle("8.0.2-2") });
    const args = ["--release", release, "--timeout=60s"];
    return runPlugin(controlPlane, ["upgrade-operator", ...args], { namespace });
  };
  const setCpu = (cpu: string): Promise<void> => {
    const words = [`deployment/${operator}`, `--limits=cpu=${cpu}`, "-n", namespace];
    return kubectl(["set", "resources", ...words]);
  };

  beforeAll(async () => {
    await controlPlane.api.create(namespaceNamed(namespace));
    await kubectl(["delete", "customresourcedefinitions", "--all"]);
    for (const words of commands) {
      await kubectl([...words, "-n", namespace, "-f", "-"], bundle("7.4.2-2"));
    }
  });

  test("a change by a person is told, and nothing is written", async () => {
    await setCpu("3");
    const run = await upgrade();
    expect([run.code, run.writes]).toEqual([5, []]);
    const { container, admissionContainer } = names.operator;
    const fields = [container, admissionContainer].map(
      (name) => `.spec.template.spec.containers[name="${name}"].resources.limits.cpu`,
    );
    const found = run.report.findings?.map(({ code, field }) => [code, field]);
    expect(found?.toSorted()).toEqual(
      fields.toSorted().map((field) => ["OPERATOR-LOCAL-CHANGE", field]),
    );
  });

  test("what says the same in other words is none: it goes up, and then nothing", async () => {
    await setCpu("4");
    const end = await playAt(controlPlane, namespace);
    try {
      const run = await upgrade();
      expect([run.code, run.report.findings ?? []]).toEqual([0, []]);
      const again = await upgrade();
      expect([again.code, again.writes]).toEqual([0, []]);
    } finally {
      await end();
    }
  });
});

test("a field that a person added to a definition stays, and is told", async () => {
  const definition = `customresourcedefinitions/${names.ec.plural}.${names.group}`;
  const field = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/tier";
  const add = [{ op: "add", path: field, value: { type: "string", maxLength: 9 } }];
  await controlPlane.api.create(namespaceNamed("added"));
  await kubectl(["delete", "customresourcedefinitions", "--all"]);
  await kubectl(["apply", "-n", "added", "-f", "-"], bundle("7.4.2-2"));
  await kubectl(["patch", definition, "--type=json", "-p", JSON.stringify(add)]);
  const release = writeFiles(join(folder, "added"), { "bundle.yaml": bundle("8.0.2-2") });
  const end = await playAt(controlPlane, "added");
  try {
    const args = ["upgrade-operator", "--release", release, "--timeout=60s"];
    const run = await runPlugin(controlPlane, args, { namespace: "added" });
    const codes = run.report.findings?.map(({ code }) => code);
    expect([run.code, codes]).toEqual([0, ["OPERATOR-CRD-LOCAL"]]);
  } finally {
    await end();
  }
  const { stdout } = await controlPlane.kubectl(["get", definition, "-o", "json"]);
  expect(stdout).toContain('"tier"');
});
