/** What comes to pass between the saving of a plan and the run of it, each with its verdict. */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { kinds } from "../../../../plugin/domain/kube/kinds";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { configurationResource } from "../../../../plugin/domain/admission/configuration";
import { asArray, type Json, omit } from "../../../../plugin/domain/base/values";
import type { KubeObject, Ref } from "../../../../plugin/domain/kube/objects";
import type { KubeClient } from "../../../../plugin/ports/kubernetes";
import { disagreement } from "../../../jobs/fault-runs";
import { aPlayedWorld, here, product } from "../../../support/played-operator";
import { folder, release, upgrade, withDatabases } from "../../../support/upgrade-runs";
import { Trial, wishes, worldOf, writesOf } from "../../../support/upgrade-worlds";
import { exampleOnce } from "../../../support/world";
import { sampled } from "../../../support/sampled";

const file = join(folder, "later.json");
const ec = here(product.ec, "ec");
const ecLabel = `${names.ec.kind}/engine/ec`;
const operator = here(kinds.deployment, names.operator.deployment);
const operatorLabel = `Deployment/engine/${names.operator.deployment}`;
const old: Ref = { resource: configurationResource, name: names.webhook.oldConfiguration };
const sessions = here(product.edb, "sessions", "shop");
const lost: Ref = { resource: kinds.node, name: "node-1" };
const databases = withDatabases.slice(1);
const since = "which was not found when the plan was made";

type Act = (cluster: KubeClient) => Promise<unknown>;

const patch =
  (ref: Ref, body: object, fieldManager = "zoe"): Act =>
  (cluster) =>
    cluster.patch(ref, body, { type: "merge", fieldManager });

const label =
  (ref: Ref, metadata: object): Act =>
  (cluster) =>
    patch(ref, { metadata })(cluster);

const tell =
  (ref: Ref, status: object): Act =>
  (cluster) =>
    cluster.patch(ref, { status }, { type: "merge", subresource: "status" });

async function read(cluster: KubeClient, ref: Ref): Promise<KubeObject> {
  const found = await cluster.get(ref);
  if (found === undefined) throw new Error(`${ref.name} is not there`);
  return found;
}

const remove =
  (ref: Ref): Act =>
  async (cluster) => {
    const { uid } = (await read(cluster, ref)).metadata;
    await cluster.delete(ref, uid === undefined ? {} : { uid });
  };

const recreate =
  (ref: Ref): Act =>
  async (cluster) => {
    const object = await read(cluster, ref);
    await remove(ref)(cluster);
    const metadata = omit(object.metadata, "uid", "resourceVersion", "generation");
    await cluster.create({ ...object, metadata });
  };

/** Each entry of the old configuration is otherwise. */
const eachEntry =
  (change: (entry: Json) => object): Act =>
  async (cluster) => {
    const { webhooks } = await read(cluster, old);
    const changed = asArray(webhooks).map((entry) => ({
      ...(entry as Json),
      ...change(entry as Json),
    }));
    await patch(old, { webhooks: changed })(cluster);
  };

const inTurn =
  (...acts: readonly Act[]): Act =>
  async (cluster) => {
    for (const act of acts) await act(cluster);
  };

/** The file of the plan is written otherwise. */
const edit =
  (change: (plan: Json) => unknown): Act =>
  () => {
    writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, "utf8")) as Json)));
    return Promise.resolve();
  };

const eachStep = (change: (step: Json) => object): Act =>
  edit((plan) => ({ ...plan, steps: asArray(plan["steps"]).map((step) => change(step as Json)) }));

const eachWrite = (more: object): Act =>
  eachStep((step) => ({ ...step, write: { ...(step["write"] as Json), ...more } }));

/** The text of the file is another one. */
const rewrite =
  (change: (text: string) => string): Act =>
  () => {
    writeFileSync(file, change(readFileSync(file, "utf8")));
    return Promise.resolve();
  };

/** A copy of the release, whose bundle may have more. */
const copyTo =
  (name: string, more = ""): Act =>
  () => {
    cpSync(release, join(folder, name), { recursive: true });
    const bundle = join(folder, name, "deploy", "bundle.yaml");
    writeFileSync(bundle, `${readFileSync(bundle, "utf8")}${more}`);
    return Promise.resolve();
  };

const nothing: Act = () => Promise.resolve();

interface Case {
  readonly act: Act;
  readonly code: number;
  /** Each is part of what is said of why. */
  readonly says?: readonly string[];
  /** Of what nothing is said. */
  readonly hides?: string;
  readonly args?: readonly string[];
  /** Of the run alone. */
  readonly later?: readonly string[];
}

const cases: readonly (readonly [string, Case])[] = [
  ["nothing", { act: nothing, code: 0 }],
  ["the EC's status", { act: tell(ec, { conditions: [{ type: "Seen" }] }), code: 0 }],
  ["a database's status", { act: tell(sessions, { seen: "yes" }), args: databases, code: 0 }],
  ["the operator is unavailable", { act: tell(operator, { availableReplicas: 0 }), code: 0 }],
  ["managers alone", { act: patch(operator, { spec: { replicas: 1 } }), code: 0 }],
  [
    "a namespace that is not managed",
    {
      act: async (cluster) => {
        await cluster.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "garage" } });
      },
      code: 0,
    },
  ],
  [
    "the old webhook's certificate is renewed",
    {
      act: eachEntry(({ clientConfig }) => ({
        clientConfig: { ...(clientConfig as Json), caBundle: "LS0tLS1CRUdJTg==" },
      })),
      code: 0,
    },
  ],
  [
    "the release lies elsewhere",
    { act: copyTo("moved"), later: ["--release", join(folder, "moved")], code: 0 },
  ],
  [
    "the release is another one",
    {
      act: copyTo("touched", "\n# more\n"),
      later: ["--release", join(folder, "touched")],
      code: 5,
      says: ["the release's SHA-256 is "],
    },
  ],
  [
    "a label of the EC",
    {
      act: label(ec, { labels: { team: "b" } }),
      code: 5,
      says: [`${ecLabel}: metadata.labels.team is "b", it was absent`],
    },
  ],
  [
    "an annotation of the operator",
    {
      act: label(operator, { annotations: { note: "x" } }),
      code: 5,
      says: [`${operatorLabel}: metadata.annotations.note is "x", it was absent, changed by zoe`],
    },
  ],
  [
    "the EC's spec",
    {
      act: patch(ec, { spec: { username: "z@b.c" } }),
      code: 5,
      says: [`${ecLabel}: spec.username is "z@b.c", it was absent`],
    },
  ],
  [
    "the operator's spec",
    {
      act: patch(operator, { spec: { replicas: 3 } }),
      code: 5,
      says: [`${operatorLabel}: spec.replicas is 3, it was 1, changed by zoe`],
    },
  ],
  [
    "the operator's spec, there and back",
    {
      act: inTurn(
        patch(operator, { spec: { replicas: 3 } }),
        patch(operator, { spec: { replicas: 1 } }),
      ),
      code: 5,
      says: [`${operatorLabel}: its generation is 3, it was 1`],
    },
  ],
  [
    "the EC is made again",
    { act: recreate(ec), code: 5, says: [`${ecLabel} was deleted and recreated`] },
  ],
  [
    "the operator is gone",
    { act: remove(operator), code: 5, says: [`${operatorLabel} no longer exists`] },
  ],
  [
    "the old configuration is gone",
    { act: remove(old), code: 5, says: [`${old.name}: its delete is no longer needed`] },
  ],
  [
    "the old configuration ignores failures",
    {
      act: eachEntry(() => ({ failurePolicy: "Ignore" })),
      code: 5,
      says: ['webhooks[0].failurePolicy is "Ignore", it was "Fail"'],
    },
  ],
  [
    "a node is not ready",
    {
      act: tell(lost, { conditions: [{ type: "Ready", status: "False" }] }),
      code: 5,
      says: ["PLATFORM-NODE-NOT-READY", since],
    },
  ],
  [
    "a database failed",
    { act: tell(sessions, { status: "creation-failed" }), code: 5, says: ["sessions", since] },
  ],
  [
    "the license expired",
    {
      act: tell(ec, { licenseStatus: { licenseState: "Expired" } }),
      code: 5,
      says: [`CLUSTER-LICENSE ${ecLabel}`, since],
    },
  ],
  [
    "the EC restarts its pods",
    { act: tell(ec, { state: "RunningRollingUpdate" }), code: 5, says: [ecLabel, since] },
  ],
  [
    "a database more",
    {
      act: async (cluster) => {
        const object = await read(cluster, sessions);
        await cluster.create({ ...object, metadata: { name: "more", namespace: "shop" } });
      },
      args: databases,
      code: 5,
      says: [`${names.edb.kind}/shop/more: its patch was not planned`],
    },
  ],
  [
    "a database less",
    {
      act: remove(sessions),
      args: databases,
      code: 5,
      says: [`${names.edb.kind}/shop/sessions no longer exists`],
    },
  ],
  [
    "what was accepted is not any more",
    {
      act: nothing,
      args: databases,
      later: databases.slice(0, 3),
      code: 3,
      hides: "no longer needed",
    },
  ],
  [
    "a loss of data that was accepted is not any more",
    {
      act: nothing,
      args: databases,
      later: databases.filter((word) => word !== "--may-discard-data"),
      code: 3,
      says: ["DATABASE-VOLATILE"],
      hides: "no longer needed",
    },
  ],
  [
    "another cluster",
    {
      act: edit((plan) => ({ ...plan, cluster: "another" })),
      code: 5,
      says: ["the cluster (uid of the namespace kube-system) is "],
    },
  ],
  [
    "another cluster, and an error on it",
    {
      act: inTurn(
        edit((plan) => ({ ...plan, cluster: "another" })),
        tell(ec, { licenseStatus: { licenseState: "Expired" } }),
      ),
      code: 5,
      says: ["the cluster (uid of the namespace kube-system) is "],
      hides: since,
    },
  ],
  [
    "a step is taken out of the file",
    {
      act: edit((plan) => ({ ...plan, steps: asArray(plan["steps"]).slice(1) })),
      code: 5,
      says: ["was not planned"],
    },
  ],
  [
    "another value in the file",
    {
      act: rewrite((text) => text.replaceAll("8.0.2-17", "8.0.2-18")),
      code: 5,
      says: ["was not planned"],
    },
  ],
  ["the file is cut off", { act: rewrite((text) => text.slice(0, 2_000)), code: 2, says: [file] }],
  ["the file is empty", { act: rewrite(() => ""), code: 2, says: [file] }],
  [
    "no state in the file",
    { act: eachStep((step) => omit(step as { state?: unknown }, "state")), code: 2, says: [file] },
  ],
  [
    "a state that is none",
    { act: eachStep((step) => ({ ...step, state: { fields: null } })), code: 2, says: [file] },
  ],
  [
    "findings that are none",
    { act: edit((plan) => ({ ...plan, findings: [null, 1] })), code: 2, says: [file] },
  ],
  ["a read that is none", { act: eachWrite({ read: null }), code: 2, says: [file] }],
  ["changes that are none", { act: eachWrite({ changes: [null] }), code: 2, says: [file] }],
];

test.each(sampled(cases))("between a plan and its run: %s", async (_, { act, code, ...one }) => {
  const { objects } = await exampleOnce();
  const node: KubeObject = {
    ...{ apiVersion: "v1", kind: "Node", metadata: { name: lost.name } },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  };
  const world = await aPlayedWorld({ objects: [...objects, node] });
  const { args = [], later = args, says = [], hides } = one;
  const saved = await upgrade(world, ["--plan-out", file, ...args]);
  expect([saved.code, saved.writes]).toEqual([0, []]);
  await act(world.cluster);
  const { report, writes } = await upgrade(world, ["--plan", file, "--yes", ...later]);
  const told = (report.findings ?? []).map((found) =>
    [found.code, found.object, found.cause].join(" "),
  );
  const all = [report.exit.reason, ...told].join("\n");
  expect({ code: report.exit.code, all }).toEqual({ code, all: expect.anything() as string });
  if (code !== 0) expect(writes).toEqual([]);
  for (const each of says) expect(all).toContain(each);
  if (hides !== undefined) expect(all).not.toContain(hides);
});

const cutWorlds = [
  "databases follow",
  "constraint bound",
  "no tag",
  "roles without rules",
  "no bindings",
];

test.each(
  [[], ...cutWorlds.map((name) => [name])].map(
    (chosen) => [chosen.join() || "the example", chosen] as const,
  ),
)("a plan whose run was killed is carried on by it, after each write: %s", async (_, chosen) => {
  const world = await worldOf(wishes.filter(({ name }) => chosen.includes(name)));
  const whole = await Trial.of(world);
  expect((await whole.run(["--yes"])).code).toBe(0);
  const count = await writesOf(world);
  const wrong: unknown[] = [];
  for (const until of sampled(Array.from({ length: count - 1 }, (_each, index) => index + 1))) {
    const trial = await Trial.of(world);
    await trial.run(["--plan-out", file]);
    await trial.run(["--plan", file, "--yes"], until);
    const ended = await trial.run(["--plan", file, "--yes"]);
    const again = await trial.run(["--plan", file, "--yes"]);
    const differs = disagreement(whole.difference(), trial.difference());
    if (ended.code !== 0 || again.code !== 0 || again.written.length > 0 || differs.length > 0) {
      wrong.push([until, ended.reason, again.code, again.written, differs]);
    }
  }
  expect(wrong).toEqual([]);
});
