/** The webhook's chart under helm 4, also over a release of helm 3; and its alerts under promtool. */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram } from "../control-plane/binaries";
import { run, type RunResult } from "../control-plane/run";
import { chartFile } from "./chart";
import { describeChart } from "./chart-laws";

describe("under helm 4", () => {
  describeChart("helm4");
});

describe("under helm 4, installed by helm 3", () => {
  describeChart("helm4", "helm");
});

describe("the alerts", () => {
  const rules = chartFile("files/rules.yaml");
  let folder = "";
  let promtool = "";
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "rules-"));
    copyFileSync(join(__dirname, "rules.test.yaml"), join(folder, "rules.test.yaml"));
    promtool = await findProgram("promtool");
  }, 1_800_000);
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const promtoolOn = (text: string, ...words: readonly string[]): Promise<RunResult> => {
    writeFileSync(join(folder, "rules.yaml"), text);
    return run(promtool, words, { cwd: folder, env: { HOME: folder } });
  };

  test("are rules, and fire when they should alone", async () => {
    expect(await promtoolOn(rules, "check", "rules", "--lint-fatal", "rules.yaml")).toMatchObject({
      code: 0,
    });
    expect(await promtoolOn(rules, "test", "rules", "rules.test.yaml")).toMatchObject({ code: 0 });
  });

  /** The expressions of the dashboard as rules, which is what promtool parses. */
  const dashboardRules = (text: string): string => {
    const { panels } = JSON.parse(text) as {
      readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
    };
    const exprs = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    const group = exprs.map((expr, index) => ({
      record: `panel:${String(index)}`,
      expr: expr.replaceAll("$__rate_interval", "5m"),
    }));
    return JSON.stringify({ groups: [{ name: "dashboard", rules: group }] });
  };

  test("and the panels of the dashboard can be evaluated", async () => {
    const dashboard = chartFile("files/dashboard.json");
    const checked = (text: string): Promise<RunResult> =>
      promtoolOn(dashboardRules(text), "check", "rules", "rules.yaml");
    expect(await checked(dashboard)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("13 rules found") as unknown,
    });
    expect((await checked(dashboard.replace("sum by (verdict) (", "sum by verdict ("))).code).toBe(
      1,
    );
  });

  test("that are none are refused", async () => {
    const broken = rules.replace("absent(", "missing(");
    expect((await promtoolOn(broken, "check", "rules", "rules.yaml")).code).not.toBe(0);
  });

  test.each<[string, string, string]>([
    ["EngineWebhookAbsent", "absent(engine_admission_cache_synced)", "absent(up)"],
    ["EngineWebhookNotReady", "cache_synced == 0 or", "cache_synced == 0 and"],
    ["EngineWebhookCertificateEnds", "14 * 86400", "15 * 86400"],
    ["EngineWebhookDenialsOverturned", "[30m]) > 5", "[30m]) > 0"],
    ["EngineWebhookShedsReviews", "[10m])) > 0", "[10m])) >= 0"],
    ["EngineWebhookKnowledgeOld", "> 600", "> 6000"],
    ["EngineWebhookSlow", "histogram_quantile(0.99", "histogram_quantile(0.9"],
    ["EngineWebhookPanics", "[15m]) > 0", "[15m]) > 1"],
  ])("the test of %s notices a wrong rule", async (name, right, wrong) => {
    const from = rules.indexOf(`alert: ${name}`);
    const changed = rules.slice(0, from) + rules.slice(from).replace(right, wrong);
    expect(changed).not.toBe(rules);
    const { code, stderr } = await promtoolOn(changed, "test", "rules", "rules.test.yaml");
    expect(code).toBe(1);
    expect(stderr).toContain(`alertname: ${name}`);
  });
});
