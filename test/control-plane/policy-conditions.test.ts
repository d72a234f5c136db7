/** The match conditions that `policy --match-conditions` prints, in the webhook's configuration. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { pathOf } from "./api";
import { database } from "./scene";
import { openSuite, type Suite } from "./suite";
import { applied, entryOf, lay, readBack, runSwap } from "./swap-states";
import { newConfigurationName } from "./webhook-configurations";
import { until } from "./until";

let suite: Suite;
let conditions: unknown;
beforeAll(async () => {
  suite = await openSuite();
  await lay(suite, { current: {} });
  const { controlPlane } = suite;
  const { stdout } = await controlPlane.kubectl(["engine", "policy", "--match-conditions"]);
  const file = join(controlPlane.site.dataDir, "conditions.yaml");
  writeFileSync(file, stdout);
  const [, added] = load(stdout) as readonly { readonly value: unknown }[];
  conditions = added?.value;
  const target = ["validatingwebhookconfiguration", newConfigurationName];
  const patched = await controlPlane.kubectl([
    ...["patch", ...target, "--type=json", `--patch-file=${file}`],
  ]);
  expect([patched.code, patched.stderr]).toEqual([0, ""]);
});
afterAll(() => suite.close());

/** What becomes of a dry run of an edit of the stored database. */
async function edited(body: object): Promise<"passes" | "refused" | "calls in vain"> {
  const stored = database({ namespace: "engine", name: "sessions" });
  const { status, body: answer } = await suite.api.send("PATCH", `${pathOf(stored)}?dryRun=All`, {
    body,
    contentType: "application/merge-patch+json",
  });
  if (status === 200) return "passes";
  const { message = "" } = answer as { readonly message?: string };
  if (message.includes("failed calling webhook")) return "calls in vain";
  if (message.includes("denied the request")) return "refused";
  throw new Error(`${String(status)} ${message}`);
}

test("with them the webhook refuses what it refused", async () => {
  expect(await edited({ spec: { engineVersion: "9.9" } })).toBe("refused");
  expect(await edited({ spec: { modulesList: [{ name: "nope" }] } })).toBe("refused");
  expect(await edited({ spec: { engineVersion: "7.4" } })).toBe("passes");
});

test("they are kept when the configuration is applied again", async () => {
  await lay(suite, { current: { caBundle: "", entry: { matchConditions: conditions } } });
  const run = await runSwap(suite.controlPlane);
  expect([run.report.exit.code, run.writes]).toEqual([0, [applied]]);
  const { current } = await readBack(suite.controlPlane);
  expect(entryOf(current)["matchConditions"]).toEqual(conditions);
  expect((await runSwap(suite.controlPlane)).writes).toEqual([]);
});

test("edits that change nothing that is checked do not need the webhook at all", async () => {
  await suite.stopServer();
  const judged = { spec: { engineVersion: "7.4" } };
  await until("calls in vain", async () => (await edited(judged)) === "calls in vain" || undefined);
  for (const spared of [
    { metadata: { labels: { team: "db" }, finalizers: ["engine.example/kept"] } },
    { spec: { memorySize: "200MB" } },
    { spec: { engineEnterpriseCluster: { name: "two" } } },
    {},
  ]) {
    expect([spared, await edited(spared)]).toEqual([spared, "passes"]);
  }
  for (const asked of [
    judged,
    { spec: { engineVersion: null, modulesList: [{ name: "search" }] } },
    { spec: { moduleList: [{ name: "bf" }] } },
  ]) {
    expect([asked, await edited(asked)]).toEqual([asked, "calls in vain"]);
  }
});
