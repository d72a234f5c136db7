/** `upgrade-operator`: its flags, and what is refused before a cluster is asked. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderDocuments } from "../../../../plugin/adapters/kubernetes/text/yaml";
import type { CommandContext } from "../../../../plugin/cmdutil/context";
import type { RehearsalDetails } from "../../../../plugin/commands/rehearse/text";
import {
  operatorText,
  prepareUpgradeOperator,
} from "../../../../plugin/commands/upgrade-operator/command";
import { type KubeObject, lastApplied } from "../../../../plugin/domain/kube/objects";
import { palette } from "../../../../plugin/output/escape";
import type { Report } from "../../../../plugin/kernel/report";
import { type Ended, typed } from "../../../support/program-world";
import { bundleOf, writeFiles, writeRelease } from "../../../support/releases/tree";
import { aWebhookProgram } from "../../../support/webhook-program";
import { aScene } from "./scene";
import { aFolder } from "../../../support/a-folder";

let folder = "";
const program = aWebhookProgram();
beforeAll(() => {
  folder = writeRelease(aFolder("release"), "8.0.2-2");
});

const chart = ["--chart", "./c", "--release-name", "op", "--version", "1.0.0"];

test.each([
  ["neither", [], "no release: give --release SOURCE, or --chart REF"],
  ["a range", ["--chart", "./c", "--release-name", "op", "--version", "^7.0.0"], "--version:"],
  ["a chart without its release", ["--chart", "./c", "--version", "1.0.0"], "--release-name:"],
  ["a flag for a chart", ["--chart=-x", "--release-name", "op", "--version", "1.0.0"], "--chart:"],
  ["a bundle with values", ["--release", ".", "--values", "f"], "--values: goes with --chart"],
  [
    "a chart with a pull secret",
    [...chart, "--pull-secret", "x"],
    "--pull-secret: goes with --release",
  ],
  [
    "a URL for a registry",
    ["--release", ".", "--image-registry", "https://x"],
    "--image-registry:",
  ],
  ["an odd secret", ["--release", ".", "--pull-secret", "A_B"], "--pull-secret:"],
  [
    "a release too long for Helm",
    ["--chart", "./c", "--release-name", "n".repeat(54), "--version", "1.0.0"],
    "--release-name:",
  ],
])("%s is wrong usage", async (_, args, problem) => {
  const { code, out, err } = await typed(["upgrade-operator", ...args]);
  expect([code, out + err]).toEqual([2, expect.stringContaining(problem)]);
});

const run = async (...args: readonly string[]): Promise<Ended> => {
  const { cluster } = await aScene({ installed: "7.22.0-7" });
  const given = args.includes("--release") ? args : ["--release", folder, ...args];
  const all = ["upgrade-operator", "-n", "engine", "-o", "json", ...given];
  return await typed(all, { connect: () => Promise.resolve(cluster) });
};

test("a bundle is planned whole, and bound to the release asked for", async () => {
  const { code, out } = await run("--dry-run=server", "--target", "8.0.2-2");
  expect([code, JSON.parse(out)]).toMatchObject([
    0,
    { kind: "UpgradeOperator", details: { operator: { from: "7.22.0-7", to: "8.0.2-2" } } },
  ]);
  expect((await run("--dry-run=client", "--target", "7.22.0-7")).code).toBe(2);
});

test("a bundle with a Deployment of its own is refused, and allowed by its name", async () => {
  const stranger = { ...bundleOf("8.0.2-2").find(({ kind }) => kind === "Deployment") };
  const bundle = [...bundleOf("8.0.2-2"), { ...stranger, metadata: { name: "miner" } }];
  const text = renderDocuments(bundle);
  const release = writeFiles(mkdtempSync(join(folder, "odd-")), { "deploy/bundle.yaml": text });
  const refused = await run("--release", release, "--dry-run=client");
  expect([refused.code, refused.out]).toEqual([
    3,
    expect.stringContaining("Deployment/miner: it is not the operator's"),
  ]);
  const allowed = ["--skip", "OPERATOR-BUNDLE-UNUSUAL=Deployment/miner", "--dry-run=client"];
  expect((await run("--release", release, ...allowed)).code).toBe(0);
});

test("fields with a comma in their key are one field", async () => {
  const field = '.spec.ports[port=443,protocol="TCP"].targetPort';
  const { code } = await run("--dry-run=client", "--take-fields", `${field}, .x`);
  expect(code).toBe(0);
});

describe("a dump without field owners, as kubectl get prints it", () => {
  /** What is stored after `kubectl apply` of the bundle, as a person dumps it. */
  const dumped = async (
    change: (object: KubeObject) => KubeObject,
    edited: (object: KubeObject) => KubeObject = (object) => object,
  ): Promise<string> => {
    const scene = await aScene({ installed: "7.22.0-7" });
    const items: KubeObject[] = [
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "engine" } },
    ];
    for (const { kind, metadata } of bundleOf("7.22.0-7")) {
      const stored = await scene.stored(kind, metadata.name);
      if (stored === undefined) throw new Error(`no ${kind} is stored`);
      const kept = Object.entries(stored.metadata).filter(([key]) => key !== "managedFields");
      items.push(edited(change({ ...stored, metadata: Object.fromEntries(kept) })));
    }
    const path = join(folder, "dump.json");
    writeFileSync(path, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    return path;
  };
  const rehearsed = async (dump: string): Promise<Report> => {
    const line = [
      ...["rehearse", `--webhook=${program.file}`],
      "upgrade-operator",
      "--from",
      dump,
      "-n",
      "engine",
      "-o",
      "json",
    ];
    const { out } = await typed([...line, "--release", folder], {
      env: { ENGINE_HOME: join(folder, "home") },
    });
    const { details } = JSON.parse(out) as { readonly details: RehearsalDetails };
    const stage = details.stages.find(({ title }) => title === "the run");
    if (stage?.report === undefined) throw new Error(out);
    return stage.report;
  };
  const told = ({ findings = [] }: Report): readonly string[] =>
    findings.map(({ severity, code, field = "" }) => `${severity} ${code} ${field}`);
  const asItIs = (object: KubeObject): KubeObject => object;
  const withoutFile = (object: KubeObject): KubeObject => {
    const annotations = Object.entries(object.metadata.annotations ?? {});
    const kept = Object.fromEntries(annotations.filter(([key]) => key !== lastApplied));
    return { ...object, metadata: { ...object.metadata, annotations: kept } };
  };
  const scaled = (object: KubeObject): KubeObject =>
    object.kind === "Deployment"
      ? { ...object, spec: { ...(object["spec"] as object), replicas: 3 } }
      : object;

  test("what the API server filled in is no local change", async () => {
    const report = await rehearsed(await dumped(asItIs));
    expect([report.exit.code, told(report)]).toEqual([0, []]);
  });

  test("a change by a person is told where the file shows it", async () => {
    const report = await rehearsed(await dumped(asItIs, scaled));
    expect([report.exit.code, told(report)]).toEqual([
      5,
      ["error OPERATOR-LOCAL-CHANGE .spec.replicas"],
    ]);
  });

  test("without the file, what cannot be known is told, and nothing is refused", async () => {
    const report = await rehearsed(await dumped(withoutFile, scaled));
    expect(report.exit.code).toBe(0);
    expect(told(report)).toContain("warning OPERATOR-OWNERS-UNKNOWN .spec.replicas");
  });
});

test("without helm a chart ends before the cluster is asked", async () => {
  const { code, err, out } = await typed(["upgrade-operator", ...chart], { env: { PATH: "" } });
  expect([code, err + out]).toEqual([2, expect.stringContaining("there is none on the PATH")]);
});

test("a chart is not rehearsed: helm would reach the real cluster", async () => {
  const context = { rehearsed: true } as CommandContext;
  const flags = {
    ...{ chart: "./c", releaseName: "op", version: "1.0.0" },
    ...{ values: [], given: [], applyCrds: false },
  };
  await expect(
    prepareUpgradeOperator(context, {
      chart: flags,
      takeFields: [],
      allowObjects: [],
      skip: [],
      advisories: [],
      advisoriesSha256: [],
    }),
  ).rejects.toThrow("cannot be rehearsed");
});

describe("a plan's new objects", () => {
  const created = [{ object: "Role/engine/x", content: "apiVersion: v1\nkind: Role" }];
  const report: Report = {
    ...{ apiVersion: "cli.engine.com/v1", kind: "UpgradeOperator" },
    details: { image: "registry.example/operator:7.8.2-6 -> :8.0.2-2", created },
    exit: { code: 0, reason: "dry run: 1 write planned, nothing was changed" },
  };

  test.each([
    ["are a line each", 0, false],
    ["come with their content with -v", 1, true],
  ])("%s", (_name, verbosity, whole) => {
    const text = operatorText(report, { palette: palette(false), verbosity });
    expect(text).toContain("Role/engine/x");
    expect(text).toContain("operator:7.8.2-6 -> :8.0.2-2");
    expect(text.includes("kind: Role")).toBe(whole);
  });

  const plain = { palette: palette(false), verbosity: 0 };
  const step = { n: 1, id: "x", action: "apply", result: "created", why: "w", ms: 1 } as const;

  test("those that a step names are not told again", () => {
    const steps = [{ ...step, object: "Role/engine/x" }];
    expect(operatorText({ ...report, steps }, plain).split("Role/engine/x")).toHaveLength(2);
  });

  test("of the operator the images are told, and no field in part", () => {
    const images = ["operator: a:7 -> a:8"];
    const changes = [{ object: "Role/x", fields: [".rules: …] becomes …]"] }];
    const details = { operator: { from: "7", to: "8", images }, release: {}, changes };
    for (const verbosity of [0, 1]) {
      const text = operatorText({ ...report, details }, { ...plain, verbosity });
      expect(text).toContain("operator: a:7 -> a:8");
      expect(text).not.toContain("becomes");
    }
    expect(operatorText({ ...report, details: { release: {} } }, plain)).not.toContain("elease");
  });
});
