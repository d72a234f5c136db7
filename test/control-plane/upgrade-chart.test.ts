/** `kubectl engine upgrade --chart` from release to release on a real API server, with the real helm. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { rbacKinds } from "../../plugin/domain/kube/kinds";
import { getPath, asArray, getOwn } from "../../plugin/domain/base/values";
import { configurationResource } from "../../plugin/domain/admission/configuration";
import { writeChart } from "../support/releases/chart";
import { releaseShapes, type ReleaseVersion } from "../support/releases/versions";
import { findProgram } from "./binaries";
import { runHelm } from "./control-plane";
import { including, matching, type PluginRun, runPlugin } from "./plugin-run";
import {
  ecRef,
  managed,
  namespace,
  openUpgradeScene,
  operatorRef,
  type UpgradeScene,
} from "./upgrade-scene";

let scene: UpgradeScene;
let folder = "";
let helm = "";
jest.setTimeout(300_000);

beforeAll(async () => {
  helm = await findProgram("helm");
  folder = mkdtempSync(join(tmpdir(), "charts-"));
  scene = await openUpgradeScene({
    install: async (controlPlane) => {
      const own = ["--set", "imagePullSecrets[0].name=mirror"];
      await runHelm(controlPlane, namespace, ["install", "operator", chart("7.4.2-2"), ...own]);
    },
  });
}, 600_000);
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await scene.close();
});

const chart = (version: ReleaseVersion): string => writeChart(join(folder, version), version);

function upgrade(version: ReleaseVersion, args: readonly string[] = ["--yes"]): Promise<PluginRun> {
  const words = ["--chart", chart(version), "--release-name", "operator", "--version", version];
  return runPlugin(scene.controlPlane, ["upgrade", ...words, ...args], {
    namespace,
    env: { ENGINE_HELM: helm },
    timeoutMs: 240_000,
  });
}

/** The operator of this release needs them in every managed namespace. */
async function expectRights(version: ReleaseVersion): Promise<void> {
  for (const one of managed) {
    const ref = { resource: rbacKinds.role, name: names.rbac.consumerRole, namespace: one };
    const rules = asArray((await scene.cluster.get(ref))?.["rules"]);
    const resources = rules.flatMap((rule) => asArray(getOwn(rule, "resources")));
    expect(resources).toContain(releaseShapes[version].endpoints);
  }
}

async function expectAt(version: ReleaseVersion): Promise<void> {
  const { cluster } = scene;
  const deployment = await cluster.get(operatorRef);
  const containers = asArray(getPath(deployment, ["spec", "template", "spec", "containers"]));
  const image = `${names.images.operator}:${version}`;
  expect(containers.map((container) => getOwn(container, "image"))).toEqual([image, image]);
  const ec = await cluster.get(ecRef);
  expect([getPath(ec, names.ecFields.versionTag), getPath(ec, names.ecFields.state)]).toEqual([
    releaseShapes[version].cluster,
    "Running",
  ]);
}

test("a dry run of the server persists nothing", async () => {
  const dry = await upgrade("7.22.0-7", ["--dry-run=server"]);
  expect([dry.code, dry.writes]).toEqual([0, []]);
  expect(dry.report.steps?.map(({ id }) => id)).toContain("operator");
});

test("a value that pins the old operator stops the whole upgrade before its first write", async () => {
  const values = join(folder, "pinned.yaml");
  writeFileSync(values, "operator:\n  image:\n    tag: 7.4.2-2\n");
  const { code, writes, report } = await upgrade("7.22.0-7", ["--yes", "--values", values]);
  expect([code, writes]).toEqual([3, []]);
  expect(report.findings?.map((one) => one.code)).toContain("OPERATOR-CHART-PINNED");
});

test("an operator whose image cannot be pulled ends the whole upgrade with that cause, long before its time is up", async () => {
  await scene.whilePlaying(
    async () => {
      const { code, report } = await upgrade("7.22.0-7", ["--yes", "--timeout", "200s"]);
      expect([code, report.findings?.map((one) => one.code)]).toEqual([
        1,
        including("OPERATOR-IMAGE-PULL"),
      ]);
    },
    { operatorImagePull: true },
  );
});

test.each(["7.22.0-7", "8.0.2-2"] as const)(
  "unattended to %s: helm does the operator, and a second run writes nothing",
  async (version) => {
    await scene.whilePlaying(async () => {
      const up = await upgrade(version);
      expect([up.code, up.report.exit.reason]).toEqual([
        0,
        matching(/the chart is at .*skipped, Helm owns its configuration.*state Running/),
      ]);
      await expectAt(version);
      await expectRights(version);
      const again = await upgrade(version);
      expect([again.code, again.writes]).toEqual([0, []]);
    });
  },
);

test("the values that were given are kept, and the webhook is the chart's alone", async () => {
  const { controlPlane } = scene;
  const values = ["get", "values", "operator", "--output", "json"];
  const { stdout } = await runHelm(controlPlane, namespace, values);
  expect(JSON.parse(stdout)).toMatchObject({ imagePullSecrets: [{ name: "mirror" }] });
  const configurations = (await scene.cluster.list(configurationResource)) ?? [];
  expect(configurations.map(({ metadata }) => metadata.name)).toEqual([
    `${names.webhook.configuration}-${namespace}`,
  ]);
  const [entry] = asArray(configurations[0]?.["webhooks"]);
  expect(getPath(entry, ["clientConfig", "caBundle"])).toMatch(/./);
});
