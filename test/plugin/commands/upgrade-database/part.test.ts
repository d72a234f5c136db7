/** The part over a cluster as earlier parts will leave it: it plans what it will find, and writes nothing. */
import { withValue } from "../../../../plugin/domain/base/values";
import { readSnapshot } from "../../../../plugin/readers/snapshot";
import { objectLabel } from "../../../../plugin/domain/kube/objects";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { projectUpgrade } from "../../../../plugin/commands/upgrade-cluster/projection";
import type { Planned } from "../../../../plugin/kernel/part";
import { type Projection, unchanged } from "../../../../plugin/kernel/projection";
import { BlockedError } from "../../../../plugin/domain/base/errors";
import type { KubeObject } from "../../../../plugin/ports/kubernetes";
import { here, product } from "../../../support/played-operator";
import { aScene, ecRef, edbLabel, type Scene } from "./scene";

const inState =
  (kind: string, path: readonly string[], value: unknown) =>
  (all: readonly KubeObject[]): readonly KubeObject[] =>
    all.map((one) => (one.kind === kind ? (withValue(one, path, value) as KubeObject) : one));

/** The EC upgraded to this tag. */
async function upgradedTo({ cluster, clock }: Scene, tag: string): Promise<Projection> {
  const signal = new AbortController().signal;
  const facts = await readSnapshot({ cluster, clock, names, signal }, "engine");
  const ec = await cluster.get(ecRef);
  if (ec === undefined) throw new Error("the example has an EC");
  return projectUpgrade(facts, { ec, wanted: { tag } });
}

const codesOf = ({ stops }: Planned): readonly string[] =>
  stops instanceof BlockedError ? stops.findings.map(({ code }) => code) : [];

const linesOf = ({ writes }: Planned): readonly string[] =>
  writes.map(({ change, stored }) =>
    [stored === undefined ? "untried" : "tried", objectLabel(change.object)].join(" "),
  );

test("as the cluster is: tried, and what is stored is left behind", async () => {
  const scene = await aScene();
  const planned = await scene.plan();
  expect(linesOf(planned)).toEqual([`tried ${edbLabel("sessions")}`]);
  expect(planned.after.stored.map(objectLabel)).toEqual([edbLabel("sessions")]);
  expect(planned.expects).toMatchObject({
    code: 0,
    details: { databases: [{ result: "planned" }] },
  });
});

test("an EC that is not Running stops it, as a value; once it is upgraded it does not", async () => {
  const scene = await aScene({
    objects: inState(names.ec.kind, names.ecFields.state, "Upgrade"),
  });
  await scene.cluster.patch(
    ecRef,
    { status: { state: "Upgrade" } },
    { type: "merge", fieldManager: "operator", subresource: "status" },
  );
  const today = await scene.plan();
  expect(codesOf(today)).toEqual(["DATABASE-CLUSTER-NOT-RUNNING"]);
  expect([today.writes, today.after]).toEqual([[], unchanged]);
  await expect(today.act({} as never)).rejects.toBe(today.stops);
  const planned = await scene.plan({}, await upgradedTo(scene, "8.0.2-17"));
  // the EC decides what a database may become: today's would answer a dry run wrongly
  expect([codesOf(planned), linesOf(planned)]).toEqual([[], [`untried ${edbLabel("sessions")}`]]);
});

test.each([
  ["8.0.2-17", "8.2", []],
  ["8.0.2-17", "8.4", ["DATABASE-EDIT-REFUSED"]],
  ["8.0.10-64", "8.4", []],
])(
  "over the upgrade to %s, %s is checked by what that release bundles",
  async (tag, version, found) => {
    const scene = await aScene();
    expect(codesOf(await scene.plan({ version }, await upgradedTo(scene, tag)))).toEqual(found);
  },
);

test("what a database does now is over once the EC is upgraded, or is waited for", async () => {
  const over = async (state: string): Promise<boolean> => {
    const scene = await aScene();
    const body = { status: { status: state } };
    await scene.cluster.patch(here(product.edb, "sessions", "shop"), body, {
      ...{ type: "merge", fieldManager: "operator", subresource: "status" },
    });
    const { stored } = await upgradedTo(scene, "8.0.2-17");
    return stored.some((one) => objectLabel(one) === edbLabel("sessions"));
  };
  expect([await over("import-pending"), await over("recovery")]).toEqual([true, false]);
});
