/** `kubectl engine upgrade` where OLM has installed the operator, on a real API server. */
import { defaultNames as names } from "../../plugin/domain/names/names";
import { getPath } from "../../plugin/domain/base/values";
import {
  aClusterServiceVersion,
  anInstallPlan,
  aSubscription,
  csvName,
  olmDefinitions,
} from "../support/olm";
import { bundleOf } from "../support/releases/tree";
import { releaseShapes } from "../support/releases/versions";
import { containing } from "./plugin-run";
import type { KubeObject } from "./api";
import { run } from "./run";
import { until } from "./until";
import {
  applied,
  ecRef,
  namespace,
  openUpgradeScene,
  operatorAtRest,
  operatorRef,
  type UpgradeScene,
} from "./upgrade-scene";
import { newConfiguration, oldConfiguration, owners } from "./webhook-configurations";

const target = "7.22.0-7";
let scene: UpgradeScene;
jest.setTimeout(240_000);

beforeAll(async () => {
  scene = await openUpgradeScene();
  const { controlPlane } = scene;
  const { api } = controlPlane;
  for (const definition of olmDefinitions) await api.create(definition);
  for (const object of [aSubscription(), anInstallPlan(), aClusterServiceVersion("7.4.2-2")]) {
    await until(`${object.kind} to be served`, () => api.create(object));
  }
  const label = ["label", "deployment", names.operator.deployment, `olm.owner=${csvName}`];
  await controlPlane.kubectl([...label, "-n", namespace]);
  await api.remove(oldConfiguration({ namespace }));
  await api.create(generated());
});
afterAll(() => scene.close());

/** The configuration as OLM makes it: under a name of its own. */
function generated(caBundle: string = scene.caBundle): KubeObject {
  const object = newConfiguration({ namespace, caBundle, metadata: owners.OLM });
  return { ...object, metadata: { ...object.metadata, name: "generated-by-olm" } };
}

test("before OLM has brought the release: 5, not one write, and the command that approves it", async () => {
  const { controlPlane } = scene;
  const waiting = await scene.upgrade(target);
  expect([waiting.code, waiting.writes]).toEqual([5, []]);
  const [, printed = ""] =
    /(oc patch .*?)(?:; then .*)?$/.exec(waiting.report.exit.next ?? "") ?? [];
  expect(printed).toContain(
    `oc patch installplan install-abc12 --namespace=${namespace} --type merge -p '{"spec":{"approved":true}}'`,
  );

  // kubectl takes what oc takes
  const line = printed.replace(/^oc /, '"$KUBECTL" ');
  const env = { ...controlPlane.kubectlEnv(), KUBECTL: controlPlane.binaries.kubectl };
  expect(await run("/bin/sh", ["-c", line], { env })).toMatchObject({ code: 0 });
  const plan = await controlPlane.api.read(anInstallPlan());
  expect(getPath(plan, ["spec", "approved"])).toBe(true);

  const approved = await scene.upgrade(target);
  expect([approved.code, approved.writes]).toEqual([5, []]);
  expect(approved.report.exit.next).toContain(`wait until OLM has brought ${target}`);
});

test("once OLM has brought it: the rest of the upgrade runs, and OLM's webhook is proven", async () => {
  const { controlPlane, cluster } = scene;
  await scene.whilePlaying(async () => {
    await applied(controlPlane, bundleOf(target));
    await controlPlane.api.replace(aClusterServiceVersion(target));
    await operatorAtRest(cluster);
    const deployment = await cluster.get(operatorRef);

    const up = await scene.upgrade(target);

    expect(up.report.exit).toMatchObject({ code: 0 });
    expect(up.report.exit.reason).toContain("skipped, OLM owns its configuration");
    expect(up.report.exit.reason).toContain("it was seen refusing a bad edit");
    expect(up.writes.filter((line) => /operator|customresource|admission/.test(line))).toEqual([]);
    expect(up.writes).toContain("patch ec");
    expect((await cluster.get(operatorRef))?.["spec"]).toEqual(deployment?.["spec"]);
    const ec = await cluster.get(ecRef);
    expect(getPath(ec, names.ecFields.versionTag)).toBe(releaseShapes[target].cluster);
  });
});

test("a webhook of OLM's that does not answer ends with 7, and nothing is written", async () => {
  const { controlPlane } = scene;
  await controlPlane.api.replace(generated(""));
  await scene.whilePlaying(async () => {
    const up = await scene.upgrade(target);
    expect(up.report.exit).toMatchObject({ code: 7, reason: containing("the proof failed") });
    expect(up.writes).toEqual([]);
  });
});
