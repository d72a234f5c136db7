/** The part over a cluster as earlier parts will leave it: it plans what it will find, and writes nothing. */
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { kinds } from "../../../../plugin/domain/kube/kinds";
import { type KubeObject, objectLabel } from "../../../../plugin/domain/kube/objects";
import type { Finding } from "../../../../plugin/domain/base/findings";
import type { Planned } from "../../../../plugin/kernel/part";
import { overlayWorld, type Projection, unchanged } from "../../../../plugin/kernel/projection";
import { unbindPart } from "../../../../plugin/commands/unbind-scc/part";
import { portsOf } from "../world";
import { aScene } from "./memory-scene";
import {
  aConstraint,
  anEc,
  aPod,
  aRole,
  granted,
  namespaces,
  ns,
  scc,
  account,
  user,
} from "./objects";

const options = {
  ...({ namespace: ns, scc, dryRun: "server", fieldManager: names.fieldManager } as const),
  command: (words: readonly string[]) => words.join(" "),
};
const old = { engineEnterpriseImageSpec: { versionTag: "7.8.2-34", imagePullPolicy: "Always" } };
const bound = [
  aConstraint(scc, { users: [user(ns)] }),
  ...granted(scc, { subjects: [account(ns)] }),
];

/** What is planned, and what was told; the cluster is as it was. */
async function plan(objects: readonly KubeObject[], after: Partial<Projection> = {}) {
  const scene = aScene([...namespaces, ...bound, ...objects]);
  const { cluster, clock, controlPlane } = scene;
  const ports = portsOf(scene, { kind: "UnbindScc", cluster, clock, file: () => "file" });
  const codes: string[] = [];
  const world = {
    ...({ ...ports, dryRun: "server", waits: false } as const),
    tell: (findings: readonly Finding[]) => codes.push(...findings.map(({ code }) => code)),
  };
  const before = controlPlane.state;
  const planned = await unbindPart(options).plan(overlayWorld(world, { ...unchanged, ...after }));
  expect(controlPlane.state).toBe(before);
  const reviews = scene.events.filter((one) => JSON.stringify(one).includes("scc.review-before"));
  return { planned, codes, reviews: reviews.length, writes: linesOf(planned) };
}

const linesOf = ({ writes }: Planned): readonly string[] =>
  writes.map(({ change, stored }) => {
    const tried = change.verb !== "delete" && stored === undefined ? "untried " : "";
    return `${tried}${change.verb} ${objectLabel(change.object)}`;
  });

const all = [
  `patch SecurityContextConstraints/${scc}`,
  `delete ClusterRoleBinding/system:openshift:scc:${scc}`,
  `delete SecurityContextConstraints/${scc}`,
];

test("as the cluster is: tried, reviewed, and asked about once", async () => {
  const { planned, reviews, writes } = await plan([anEc(ns)]);
  expect(writes).toEqual(all);
  expect([reviews > 0, planned.questions.length, planned.stops]).toEqual([true, 1, undefined]);
  expect(planned.after.gone.map(({ name }) => name).sort()).toEqual([
    scc,
    `system:openshift:scc:${scc}`,
  ]);
});

test("what stands against it is a value, and nothing is to be written", async () => {
  const { planned, writes } = await plan([anEc(ns, old)]);
  expect(planned.stops).toMatchObject({ findings: [{ code: "SCC-RELEASE-OLD" }] });
  expect([writes, planned.after]).toEqual([[], unchanged]);
  await expect(planned.act({} as never)).rejects.toBe(planned.stops);
});

test("once the EC is upgraded nothing stands against it", async () => {
  const { planned, writes } = await plan([anEc(ns, old)], { stored: [anEc(ns)] });
  expect([writes, planned.stops]).toEqual([all, undefined]);
});

test("once the pods are renewed nobody uses it", async () => {
  const pod = aPod(ns, { scc });
  const today = await plan([anEc(ns), pod]);
  expect(today.planned.stops).toMatchObject({ findings: [{ code: "SCC-POD-RUNNING" }] });
  const gone = [{ resource: kinds.pod, namespace: ns, name: "some-pod" }];
  const { planned, writes } = await plan([anEc(ns), pod], { gone });
  expect([writes, planned.stops]).toEqual([all, undefined]);
});

test("who may use it once roles are written is not asked of today's API server", async () => {
  const stored = [aRole("other", [], ns)];
  const { planned, reviews, writes } = await plan([anEc(ns)], { stored });
  expect([reviews, writes, planned.stops]).toEqual([0, all, undefined]);
});
