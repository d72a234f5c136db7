/**
 * `kubectl engine upgrade` while the operator at play misbehaves, on a real API server: the end names
 * code, cause and fix within two polls of the fact, and the next run continues once it is fixed.
 */
import { kinds } from "../../plugin/domain/kube/kinds";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { getPath, asArray, getOwn, asString } from "../../plugin/domain/base/values";
import { type Misbehavior, played } from "../../plugin/simulator/operator/snapshot";
import type { KubeObject, Resource } from "../../plugin/ports/kubernetes";
import { bundleOf } from "../support/releases/tree";
import { releaseShapes } from "../support/releases/versions";
import { containing, matching, type PluginRun, runner } from "./plugin-run";
import {
  databaseRef,
  ecRef,
  namespace,
  openUpgradeScene,
  operatorAtRest,
  type UpgradeScene,
} from "./upgrade-scene";

const from = "7.4.2-2";
const to = "7.22.0-7";

let scene: UpgradeScene;
jest.setTimeout(300_000);
beforeAll(async () => {
  scene = await openUpgradeScene({ webhook: false });
});
afterAll(() => scene.close());

function edit(body: object): Promise<unknown> {
  return scene.cluster.patch(ecRef, body, { type: "merge", fieldManager: "kubectl-edit" });
}

/** Back to the state before the upgrade, as far as operator and cluster go. */
async function reset(): Promise<void> {
  const { cluster } = scene;
  const old = bundleOf(from).find(({ kind }) => kind === "Deployment") as KubeObject;
  const deployment = { ...old, metadata: { ...old.metadata, namespace } };
  await edit({ spec: { upgradeSpec: null, bootstrapperImageSpec: null } });
  await statusOf(ecRef, { licenseStatus: { licenseState: "Valid" } });
  const database = databaseRef("config");
  const spec = { engineVersion: "7.2", modulesList: null };
  await cluster.patch(database, { spec }, { type: "merge", fieldManager: "kubectl-edit" });
  await statusOf(database, { version: "7.2.0" });
  await scene.whilePlaying(async () => {
    await cluster.apply(deployment, { fieldManager: names.fieldManager, force: true });
    await operatorAtRest(cluster);
    await edit({
      spec: { engineEnterpriseImageSpec: { versionTag: releaseShapes[from].cluster } },
    });
    await scene.rest(from);
  });
}

/** What a controller would write, without its being there. */
async function statusOf(
  { resource, name }: typeof ecRef | ReturnType<typeof databaseRef>,
  status: object,
): Promise<void> {
  const { group, version, kind } = resource;
  const ref = { apiVersion: `${group}/${version}`, kind, metadata: { name, namespace } };
  await scene.controlPlane.api.writeStatus(ref, status);
}

/** When something is seen of an object for the first time. */
interface Fact {
  readonly resource: Resource;
  readonly is: (object: KubeObject) => boolean;
}

interface Watching {
  /** Waits until it was seen: a run may end before this watch has been told of what the run itself saw. */
  readonly seen: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Does something when the fact is seen for the first time. */
function onceSeen({ resource, is }: Fact, act: () => Promise<unknown>): Watching {
  const ending = new AbortController();
  const { signal } = ending;
  const acting = (async () => {
    for await (const event of scene.cluster.watch(resource, { namespace, signal })) {
      if (event.type === "BOOKMARK" || !is(event.object)) continue;
      await act();
      return;
    }
  })().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return {
    seen: () => acting,
    stop: async () => {
      ending.abort();
      await acting;
    },
  };
}

interface Watched {
  readonly run: PluginRun;
  /** Looks of the run, from the one after the fact on. */
  readonly polls: number;
}

/** Runs the upgrade, and counts its looks at a kind from the moment at which the fact was there. */
async function polledSince(
  fact: Fact,
  poll: string,
  act: () => Promise<PluginRun>,
): Promise<Watched> {
  const { controlPlane } = scene;
  const mark = await controlPlane.auditMark();
  const fence = "/version?fact";
  const watching = onceSeen(fact, () => controlPlane.api.send("GET", fence));
  const run = await act();
  await watching.seen();
  const events = await controlPlane.auditEvents(mark);
  const there = events.findIndex(({ requestURI }) => requestURI === fence);
  expect(there).toBeGreaterThan(-1);
  const polls = events
    .slice(there)
    .filter(
      ({ user, verb, objectRef }) =>
        user.username === runner.name && verb === "list" && objectRef?.resource === poll,
    );
  return { run, polls: polls.length };
}

const waitingFor =
  (reason: string) =>
  (pod: KubeObject): boolean =>
    asArray(getPath(pod, ["status", "containerStatuses"])).some(
      (status) => asString(getPath(status, ["state", "waiting", "reason"])) === reason,
    );

const upgrade = (misbehave: Misbehavior, args: readonly string[] = []): Promise<PluginRun> =>
  scene.whilePlaying(() => scene.upgrade(to, ["--yes", "--no-probe", ...args]), misbehave);

interface Row {
  readonly misbehave: Misbehavior;
  readonly fact: Fact;
  /** Once the EC was told: what makes the upgrade impossible. */
  readonly meanwhile?: () => Promise<unknown>;
  /** A container may come up yet: it counts once nothing has moved for this time. */
  readonly stallAfter?: "3s";
  readonly found: { readonly code: string; readonly cause: RegExp; readonly fix: RegExp };
}

/** A new pod of this name waits for that reason. */
const podIs = (pattern: RegExp, reason: string): Fact => ({
  resource: played.pod,
  is: (pod) =>
    pattern.test(pod.metadata.name ?? "") &&
    /:7\.22\.0-/.test(JSON.stringify(pod["spec"])) &&
    waitingFor(reason)(pod),
});
const notMade: Fact = {
  resource: kinds.deployment,
  is: (deployment) =>
    asArray(getPath(deployment, ["status", "conditions"])).some(
      (condition) => getOwn(condition, "type") === "ReplicaFailure",
    ),
};
const stateIs = (state: string): Fact => ({
  resource: ecRef.resource,
  is: (ec) => getPath(ec, names.ecFields.state) === state,
});
/** Time for what happens meanwhile. */
const staleRunningMs = 4_000;

const operatorRow = (
  misbehave: Misbehavior,
  fact: Fact,
  ...[code, cause]: [string, RegExp]
): Row => ({
  misbehave,
  fact,
  found: { code, cause, fix: /./ },
});
const ofOperator: readonly (readonly [string, Row])[] = [
  [
    "its image cannot be pulled",
    operatorRow(
      { operatorImagePull: true },
      podIs(/operator/, "ImagePullBackOff"),
      "OPERATOR-IMAGE-PULL",
      /ImagePullBackOff/,
    ),
  ],
  [
    "it crashes at its start",
    operatorRow(
      { operatorCrash: true },
      podIs(/operator/, "CrashLoopBackOff"),
      "OPERATOR-CRASH",
      /does not stay up/,
    ),
  ],
  [
    "no quota is left for its pod",
    operatorRow({ operatorQuota: true }, notMade, "OPERATOR-QUOTA", /exceeded quota/),
  ],
  [
    "its pod may not be made",
    operatorRow({ operatorForbidden: true }, notMade, "OPERATOR-POD-FORBIDDEN", /forbidden/),
  ],
];

const ofCluster: readonly (readonly [string, Row])[] = [
  [
    "a pod whose image cannot be pulled",
    {
      misbehave: { stuckPod: 1, stuckReason: "ImagePullBackOff" },
      fact: podIs(/^ec-1$/, "ImagePullBackOff"),
      found: { code: "POD-IMAGE", cause: /ImagePullBackOff/, fix: /./ },
    },
  ],
  [
    "a pod that crashes",
    {
      misbehave: { stuckPod: 2, stuckReason: "CrashLoopBackOff" },
      fact: podIs(/^ec-2$/, "CrashLoopBackOff"),
      stallAfter: "3s",
      found: { code: "POD-CRASH", cause: /CrashLoopBackOff/, fix: /./ },
    },
  ],
  [
    "a module that nothing defines, used from now on",
    {
      misbehave: { staleRunningMs },
      fact: stateIs("Upgrade"),
      meanwhile: () => editDatabase({ modulesList: [{ name: "gears" }] }),
      found: { code: "CLUSTER-FROZEN", cause: /module gears of .*config/, fix: /gears/ },
    },
  ],
  [
    "a database of an incompatible version",
    {
      misbehave: { staleRunningMs },
      fact: stateIs("Upgrade"),
      meanwhile: async () => {
        await editDatabase({ engineVersion: "6.2" });
        await statusOf(databaseRef("config"), { version: "6.2.0" });
      },
      found: { code: "CLUSTER-FROZEN", cause: /6\.2/, fix: /upgrade it to 7\.2/ },
    },
  ],
  [
    "a license that ends",
    {
      misbehave: { staleRunningMs },
      fact: stateIs("InvalidUpgrade"),
      meanwhile: () => statusOf(ecRef, { licenseStatus: { licenseState: "Expired" } }),
      found: { code: "CLUSTER-INVALID-UPGRADE", cause: /license state is Expired/, fix: /license/ },
    },
  ],
  [
    "images pinned by digest while the upgrade is automatic",
    {
      misbehave: { staleRunningMs },
      fact: stateIs("InvalidUpgrade"),
      meanwhile: () =>
        edit({
          spec: {
            upgradeSpec: { autoUpgradeEngineEnterprise: true },
            bootstrapperImageSpec: { digestHash: "sha256:ab" },
          },
        }),
      found: {
        code: "CLUSTER-INVALID-UPGRADE",
        cause: /spec\.bootstrapperImageSpec\.digestHash pins/,
        fix: /remove spec\.bootstrapperImageSpec\.digestHash/,
      },
    },
  ],
];

function editDatabase(spec: object): Promise<unknown> {
  const options = { type: "merge", fieldManager: "kubectl-edit" } as const;
  return scene.cluster.patch(databaseRef("config"), { spec }, options);
}

/** The EC asks for the new tag. */
const isTold: Fact = {
  resource: ecRef.resource,
  is: (ec) => getPath(ec, names.ecFields.versionTag) === releaseShapes[to].cluster,
};

async function expectNamed(row: Row, poll: string): Promise<void> {
  const { misbehave, fact, meanwhile, stallAfter, found } = row;
  const args = stallAfter === undefined ? [] : [`--stall-after=${stallAfter}`];
  const told = onceSeen(isTold, meanwhile ?? (() => Promise.resolve()));
  const { run, polls } = await polledSince(fact, poll, () => upgrade(misbehave, args));
  await told.stop();
  const { code, cause, fix } = found;
  const errors = run.report.findings?.filter(({ severity }) => severity === "error");
  expect([run.code, errors]).toEqual([
    1,
    [expect.objectContaining({ code, cause: matching(cause), fix: matching(fix) })],
  ]);
  expect(run.report.exit).toMatchObject({ reason: matching(cause), next: matching(/./) });
  if (stallAfter === undefined) expect(polls).toBeLessThanOrEqual(2);
}

describe("the new operator does not come up:", () => {
  test.each(ofOperator)("%s", async (_, row) => {
    await reset();
    await expectNamed(row, "replicasets");
  });

  test("when it is fixed, the next run continues to the end, and writes what is left alone", async () => {
    const run = await upgrade({});
    expect(run.code).toBe(0);
    expect(run.writes.filter((write) => write.includes("operator"))).toEqual([]);
    expect(run.writes).toContain("patch ec");
  });
});

describe("the cluster does not follow:", () => {
  test.each(ofCluster)("%s", async (_, row) => {
    await reset();
    await expectNamed(row, "statefulsets");
  });

  test("when it is fixed, the next run follows it to the end without another write of it", async () => {
    await edit({ spec: { upgradeSpec: null, bootstrapperImageSpec: null } });
    const run = await upgrade({});
    expect([run.code, run.writes.filter((write) => write === "patch ec")]).toEqual([0, []]);
  });
});

describe("what only looks wrong, or right:", () => {
  test("a slow operator is waited for", async () => {
    await reset();
    const run = await upgrade({ slow: 20 });
    expect([run.code, run.report.exit.reason]).toEqual([0, containing("state Running")]);
  });

  test("a state that says Running all the time is not believed: every pod is of the new release", async () => {
    await reset();
    const run = await upgrade({ lyingStatus: true });
    expect(run.code).toBe(0);
    const pods = (await scene.cluster.list(played.pod, { namespace })) ?? [];
    const nodes = pods.filter(({ metadata }) => /^ec-\d$/.test(metadata.name ?? ""));
    expect(
      nodes.map((pod) => getOwn(asArray(getPath(pod, ["spec", "containers"]))[0], "image")),
    ).toEqual(nodes.map(() => `${names.images.cluster}:${releaseShapes[to].cluster}`));
  });

  test("an operator that does nothing is told as what it is, after the time that is given", async () => {
    await reset();
    const run = await upgrade({ deafOperator: true }, ["--stall-after=3s"]);
    expect([run.code, run.report.findings?.at(-1)]).toEqual([
      1,
      expect.objectContaining({ code: "CLUSTER-NOT-TAKEN-UP", fix: containing("kubectl logs") }),
    ]);
  });
});
