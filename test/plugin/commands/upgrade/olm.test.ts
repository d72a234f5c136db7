/** `upgrade` and `upgrade-operator` where OLM has installed the operator, on a cluster in memory. */
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { getPath } from "../../../../plugin/domain/base/values";
import { exampleSource } from "../../../../plugin/simulator/example";
import { ownerMarks } from "../../../support/builders";
import { testTime } from "../../../support/manual-clock";
import {
  aClusterServiceVersion,
  anInstallPlan,
  aSubscription,
  olmDefinitions,
} from "../../../support/olm";
import { aPlayedWorld, here, type PlayedWorld, product } from "../../../support/played-operator";
import { upgrade } from "../../../support/upgrade-runs";

let objects: readonly KubeObject[] = [];

beforeAll(async () => {
  objects = [...(await exampleSource(names, testTime)).objects];
});

const { deployment: operator } = names.operator;

/** The example's cluster as OLM would have made it, at the release that is installed. */
async function aWorld(version: string, olm: readonly KubeObject[]): Promise<PlayedWorld> {
  const made = objects.map((object) => {
    if (object.kind === "ValidatingWebhookConfiguration") return marked(object);
    if (object.kind !== "Deployment" || object.metadata.name !== operator) return object;
    const image = new RegExp(`("[^"]*${names.images.operator}):[^"]*"`, "g");
    const text = JSON.stringify(object).replace(image, `$1:${version}"`);
    return marked(JSON.parse(text) as KubeObject);
  });
  return await aPlayedWorld({ objects: [...made, ...olmDefinitions, ...olm] });
}

function marked(object: KubeObject): KubeObject {
  const place = { "olm.owner.kind": "ClusterServiceVersion", "olm.owner.namespace": "engine" };
  const labels = { ...object.metadata.labels, ...ownerMarks.OLM.labels, ...place };
  return { ...object, metadata: { ...object.metadata, labels } };
}

const approval = `oc patch installplan install-abc12 --namespace=engine --type merge -p '{"spec":{"approved":true}}'`;

describe("an operator that OLM has not brought to the release: 5 and not one write", () => {
  test.each<[string, readonly KubeObject[], readonly string[]]>([
    ["its InstallPlan waits", [aSubscription(), anInstallPlan()], [approval]],
    [
      "it is installing the release",
      [aSubscription(), anInstallPlan({ approved: true }), aClusterServiceVersion("7.4.2-2")],
      ["wait until OLM has brought 8.0.2-2"],
    ],
  ])("%s", async (_title, olm, says) => {
    const world = await aWorld("7.4.2-2", olm);
    const { report, writes } = await upgrade(world);
    expect([report.exit.code, writes]).toEqual([5, []]);
    expect(report.findings?.map(({ code }) => code)).toContain("OPERATOR-OWNED");
    for (const part of says) expect(report.exit.next).toContain(part);
  });
});

test("OLM that is gone keeps nothing: operator and webhook are upgraded, and a warning names its marks", async () => {
  const { report, writes } = await upgrade(await aWorld("7.4.2-2", []));
  expect(report.exit).toMatchObject({ code: 0 });
  expect(report.findings).toContainEqual(
    expect.objectContaining({ code: "OPERATOR-OWNED", severity: "warning" }),
  );
  expect(writes).toEqual(
    expect.arrayContaining([
      "apply Deployment engine/engine-enterprise-operator",
      "apply ValidatingWebhookConfiguration engine-enterprise-admission",
    ]),
  );
});

test("an operator that OLM has brought to the release counts as upgraded, and the rest runs", async () => {
  const world = await aWorld("8.0.2-2", [
    aSubscription(),
    anInstallPlan({ approved: true }, { phase: "Complete" }),
    aClusterServiceVersion("8.0.2-2"),
  ]);
  const { report, writes } = await upgrade(world);
  expect(report.exit).toMatchObject({ code: 0 });
  expect(report.exit.reason).toContain("skipped, OLM owns its configuration");
  expect(report.exit.reason).toContain("nothing was written");
  expect(writes.filter((write) => /Deployment|CustomResource|Webhook/.test(write))).toEqual([]);
  await world.settle();
  const ec = await world.cluster.get(here(product.ec, "ec"));
  expect(getPath(ec, names.ecFields.versionTag)).toBe("8.0.2-17");
  expect((await upgrade(world)).writes).toEqual([]);
});
