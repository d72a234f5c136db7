/** Releases in states that helm refuses, on a real API server with real helms: each printed line is typed. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { writeChart } from "../support/releases/chart";
import { writeRelease } from "../support/releases/tree";
import { findProgram } from "./binaries";
import { ChartSite, type Program, programs } from "./chart-site";
import { type ControlPlane, startControlPlane } from "./control-plane";
import { namespaceNamed } from "./managed-namespaces";
import { playAt } from "./played-operator";
import { type PluginRun, runner } from "./plugin-run";

let controlPlane: ControlPlane;
let folder = "";
let values = "";
const before = "7.22.0-7";
const wanted = "8.0.2-2";
const charts = new Map<string, string>();

beforeAll(async () => {
  for (const program of programs) await findProgram(program);
  controlPlane = await startControlPlane({ users: [runner] });
  folder = mkdtempSync(join(tmpdir(), "charts-"));
  for (const version of [before, wanted] as const) {
    charts.set(version, writeChart(join(folder, version), version));
  }
  values = join(folder, "values.yaml");
  writeFileSync(values, "admission:\n  setCABundle: false\n");
}, 600_000);
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await controlPlane.stop();
});

const chartOf = (version: string): string => charts.get(version) ?? "";

class Site extends ChartSite {
  /** Types what was printed: its placeholders filled, and its namespace left to this site. */
  async type(line: string): Promise<void> {
    for (const part of line.split(" && ")) {
      const [program = "", ...words] = part
        .replaceAll(/ (-n \S+|--namespace=\S+)/g, "")
        .replace(chartOf(wanted), chartOf(before))
        .replace("REF", chartOf(before))
        .replace("FILE", values)
        .split(" ");
      await (program === "helm" ? this.helm(...words) : this.kubectl(...words));
    }
  }

  byChart(args: readonly string[] = [], input?: string): Promise<PluginRun> {
    const words = ["--chart", chartOf(wanted), "--release-name", "operator", "--version", wanted];
    return this.engine([...words, ...args], input === undefined ? {} : { input });
  }
}

/** Does it with an operator that helm has installed, at play. */
async function at(name: string, program: Program, act: (site: Site) => Promise<void>) {
  const namespace = `${name}-${program}`;
  await controlPlane.api.create(namespaceNamed(namespace));
  const end = await playAt(controlPlane, namespace);
  try {
    const site = new Site(controlPlane, namespace, program, folder);
    await site.helm("install", "operator", chartOf(before), "--values", values);
    await act(site);
    // another namespace with an operator would be the one that is meant
    await site.kubectl("delete", "deployment", "--all");
  } finally {
    await end();
  }
}

const lineIn = (fix: string | undefined, begin: string): string => {
  const at = fix?.indexOf(begin) ?? -1;
  expect([begin, at >= 0]).toEqual([begin, true]);
  return (fix ?? "").slice(at).split(/[;,] | \(| and let | deletes /)[0] ?? "";
};

const expectRefused = ({ code, writes, report }: PluginRun, finding: string): string => {
  const [first] = report.findings ?? [];
  expect([code, writes, first?.code]).toEqual([5, [], finding]);
  return first?.fix ?? "";
};

async function expectUpgraded(site: Site): Promise<void> {
  const { code, report } = await site.byChart();
  expect([code, report.exit.reason]).toEqual([0, expect.stringContaining(wanted)]);
}

describe.each(programs)("%s", (program) => {
  test("records that are gone: the line that adopts, then the same command", async () => {
    await at("adopted", program, async (site) => {
      await site.kubectl("delete", "secret", "-l", "owner=helm");
      const fix = expectRefused(await site.byChart(), "OPERATOR-CHART-LOST");
      await site.type(lineIn(fix, "helm install operator"));
      await expectUpgraded(site);
    });
  });

  test("records that are gone: the lines that take the marks off, then the bundle", async () => {
    await at("unmarked", program, async (site) => {
      await site.kubectl("delete", "secret", "-l", "owner=helm");
      const release = writeRelease(join(folder, `tree-${program}`), wanted);
      const byBundle = ["--release", release];
      const fix = expectRefused(await site.engine(byBundle), "OPERATOR-CHART-LOST");
      const lines = fix.match(/kubectl (?:annotate|label) [^;]+/g) ?? [];
      expect(lines.length).toBeGreaterThan(3);
      for (const line of lines) await site.type(line);
      const held = (await site.engine(byBundle)).report.findings ?? [];
      const errors = held.filter(({ severity }) => severity === "error");
      expect([...new Set(errors.map(({ code }) => code))]).toEqual(["OPERATOR-LOCAL-CHANGE"]);
      const fields = errors.map(({ field = "" }) => field).join(",");
      const { code, report } = await site.engine([...byBundle, "--take-fields", fields]);
      expect([code, report.exit.reason]).toEqual([0, expect.stringContaining(wanted)]);
    });
  });

  test("a first install that was cut off: its record goes, helm adopts, and the same command does it", async () => {
    await at("pending-install", program, async (site) => {
      await site.mark("pending-install");
      const fix = expectRefused(await site.byChart(), "OPERATOR-CHART-PENDING");
      await site.type(lineIn(fix, "kubectl delete secret"));
      await site.type(lineIn(fix, "helm install operator"));
      await expectUpgraded(site);
    });
  });

  test.each([
    ["pending-upgrade", "helm rollback operator", ""],
    ["pending-rollback", "helm rollback operator 1", ""],
    ["uninstalling", "kubectl delete secret", ""],
  ])("a second revision that is %s goes by its line", async (status, begin, revision) => {
    await at(status, program, async (site) => {
      await site.helm("upgrade", "operator", chartOf(before), "--reuse-values");
      await site.mark(status);
      const fix = expectRefused(await site.byChart(), "OPERATOR-CHART-PENDING");
      await site.type(lineIn(fix, begin).replace("REVISION", revision));
      await expectUpgraded(site);
    });
  });

  test("a release that was uninstalled with its history kept comes back by its line", async () => {
    await at("uninstalled", program, async (site) => {
      await site.helm("uninstall", "operator", "--keep-history");
      const fix = expectRefused(await site.byChart(), "OPERATOR-CHART-PENDING");
      await site.type(lineIn(fix, "helm rollback operator"));
      const { code, report } = await site.byChart(["--dry-run=server"]);
      expect([code, report.exit.reason]).toEqual([0, expect.stringContaining("one helm upgrade")]);
    });
  });

  test.each(["failed", "superseded"])("a release that is %s is upgraded", async (status) => {
    await at(status, program, async (site) => {
      await site.mark(status);
      await expectUpgraded(site);
    });
  });

  test("a local change that helm keeps stays, and both runs of helm read values from stdin", async () => {
    await at("changed", program, async (site) => {
      const spec = { nodeSelector: { pool: "infra" }, imagePullSecrets: [{ name: "pull" }] };
      const patch = JSON.stringify({ spec: { template: { spec } } });
      const { deployment } = names.operator;
      await site.kubectl("patch", "deployment", deployment, "--type=strategic", "-p", patch);
      const done = await site.byChart(["--values", "-"], "note: kept\n");
      expect([done.code, done.report.details]).toMatchObject([0, { after: { operator: wanted } }]);
      const values = await site.helm("get", "values", "operator", "--output", "json");
      expect(JSON.parse(values)).toMatchObject({ note: "kept" });
      const stored = await site.kubectl("get", "deployment", deployment, "--output", "json");
      expect(JSON.parse(stored)).toMatchObject({ spec: { template: { spec } } });
    });
  });
});
