/** The steps of `recover --apply` against a roll that is stuck: proven, asked for, bound to what was read, or not taken. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RecoverDeps, RecoverOptions } from "../../../../plugin/commands/recover/read";
import { recover, type Recovery } from "../../../../plugin/commands/recover/recover";
import { kinds } from "../../../../plugin/domain/kube/kinds";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { asArray, getPath, type Json, withValue } from "../../../../plugin/domain/base/values";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { playAlong } from "../../../../plugin/simulator/operator/controller";
import { VirtualClock } from "../../../../plugin/ports/virtual-clock";
import { admin, exampleOnce, makeWorld, type World } from "../../../support/world";
import { aWitness, codesOf, portsOf, stepsOf, watched, type Witness } from "../world";

interface Dump {
  readonly told: { readonly namespace: string; readonly readAt: string };
  readonly items: readonly KubeObject[];
}

/** A scene of the real controllers, twenty minutes later, with whoever plays them from the first change on. */
interface Scene extends Witness {
  readonly world: World;
  readonly namespace: string;
  readonly run: (
    options?: Partial<RecoverOptions>,
    deps?: Partial<RecoverDeps>,
  ) => Promise<Recovery>;
}

type Change = (object: KubeObject) => KubeObject;

const folder = join(__dirname, "..", "..", "domain", "standstill", "real");

/** What no command asks for. */
const around = new Set(["PersistentVolume", "VolumeAttachment"]);

async function aScene(file: string, change: Change = (object) => object): Promise<Scene> {
  const { told, items } = JSON.parse(readFileSync(join(folder, `${file}.json`), "utf8")) as Dump;
  const { namespace, readAt } = told;
  const example = await exampleOnce();
  const definitions = example.objects.filter(({ kind }) => kind === kinds.definition.kind);
  const space = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
  const clock = new VirtualClock(Date.parse(readAt) + 20 * 60_000);
  const served = items.filter(({ kind }) => !around.has(kind));
  const objects = [space, ...definitions, ...served.map(change)];
  const world = makeWorld({ objects, clock });
  const { controlPlane } = world;
  const played = playAlong({ controlPlane, clock, names, namespace });
  const scene: Scene = {
    ...aWitness(),
    ...{ world, namespace },
    run: (options = {}, deps = {}) => {
      const cluster = watched(controlPlane.connect({ user: admin, namespace }), scene);
      const ports = portsOf(scene, { kind: "Recover", cluster, clock: played });
      return recover(
        { ...ports, api: undefined, ...deps },
        {
          ...{
            namespace,
            name: "ec",
            apply: true,
            dropDigests: false,
            mayDiscardData: false,
            wait: false,
          },
          stallAfterMs: 600_000,
          dryRun: "none",
          fieldManager: names.fieldManager,
          ...options,
        },
      );
    },
  };
  return scene;
}

const ofKind =
  (kind: string, change: (object: KubeObject) => KubeObject): Change =>
  (object) =>
    object.kind === kind ? change(object) : object;
const marked = (metadata: Json): Change =>
  ofKind("StatefulSet", (set) => ({ ...set, metadata: { ...set.metadata, ...metadata } }));
const heldBy = (manager: string): Change =>
  marked({
    managedFields: [
      {
        ...{ manager, operation: "Update", apiVersion: "apps/v1", fieldsType: "FieldsV1" },
        fieldsV1: {
          "f:spec": { "f:updateStrategy": { "f:rollingUpdate": { "f:partition": {} } } },
        },
      },
    ],
  });
/** The pod of this ordinal is not ready any more. */
const sick = (ordinal: number): Change =>
  ofKind("Pod", (pod) =>
    pod.metadata.name === `ec-${ordinal}` ? (unready(pod) as KubeObject) : pod,
  );

function unready(pod: Json): Json {
  const conditions = asArray(getPath(pod, ["status", "conditions"])).map((one) => ({
    ...(one as Json),
    ...(["Ready", "ContainersReady"].includes(String((one as Json)["type"])) && {
      status: "False",
    }),
  }));
  return withValue(pod, ["status", "conditions"], conditions);
}

const expired: Change = ofKind(names.ec.kind, (ec) => ({
  ...ec,
  status: { ...(ec["status"] as Json), licenseStatus: { licenseState: "Expired" } },
}));

interface Step {
  readonly sent: readonly string[];
  readonly asks: string;
  readonly steps: readonly string[];
}

const ec = (namespace: string): string => `${names.ec.kind}/${namespace}/ec`;

test.each<[file: string, Step]>([
  [
    "broken-revision",
    {
      sent: ["delete Pod broken-revision/ec-2"],
      asks: "delete Pod/broken-revision/ec-2",
      steps: ["recover.pod.ec-2 deleted", "recover.pod.ec-2.ready done", "recover.resume done"],
    },
  ],
  [
    "partition",
    {
      sent: ["patch StatefulSet partition/ec"],
      asks: "remove partition 2 from StatefulSet/partition/ec",
      steps: ["recover.strategy.ec changed", "recover.resume done"],
    },
  ],
  [
    "on-delete",
    {
      sent: ["patch StatefulSet on-delete/ec"],
      asks: "remove strategy OnDelete from StatefulSet/on-delete/ec",
      steps: ["recover.strategy.ec changed", "recover.resume done"],
    },
  ],
])("%s: planned, asked for, noted, done; a second run writes nothing", async (file, wanted) => {
  const scene = await aScene(file);
  const planned = await scene.run({ dryRun: "client" });
  expect(planned.report.exit).toEqual({
    code: 0,
    reason: "dry run: 1 step planned, nothing was changed",
  });
  expect([scene.sent, scene.questions, scene.journal]).toEqual([[], [], []]);
  const tried = await scene.run({ dryRun: "server" });
  expect(tried.report.exit.code).toBe(0);
  expect(scene.sent.splice(0)).toEqual(wanted.sent.map((line) => `${line} (dry run)`));
  const { report } = await scene.run();
  expect(stepsOf(report)).toEqual(wanted.steps);
  expect(report.exit).toEqual({
    code: 0,
    reason: `${ec(file)} is in state Running, as far as the resources tell`,
  });
  expect(scene.sent).toEqual(wanted.sent);
  expect(scene.questions).toEqual([`Recover ${ec(file)}: ${wanted.asks}?`]);
  expect(scene.journal.map((line) => line.split(" ")[0])).toEqual(["intent", "outcome"]);
  const again = await scene.run();
  expect([again.report.exit.code, scene.sent]).toEqual([0, wanted.sent]);
});

test("a look shows the step in its place, and changes nothing", async () => {
  const scene = await aScene("broken-revision");
  const { report, look } = await scene.run({ apply: false });
  expect([report.exit.code, codesOf(report)]).toEqual([3, ["FREEZE-API-UNREAD", "POD-OUTDATED"]]);
  expect(look?.freeze.causes.map(({ is }) => is)).toEqual(["outdated"]);
  expect(scene.sent).toEqual([]);
});

interface Refused {
  readonly file: string;
  readonly change?: Change;
  readonly options?: Partial<RecoverOptions>;
  readonly deps?: (scene: Scene) => Partial<RecoverDeps>;
  readonly code: number;
  readonly says: RegExp;
}

/** While the question is answered, something else happens. */
const meanwhile =
  (act: (scene: Scene) => Promise<void>) =>
  (scene: Scene): Partial<RecoverDeps> => ({
    ask: async () => {
      await act(scene);
      return true;
    },
  });

const podRef = ({ namespace }: Scene, name: string) => ({
  ...{ resource: kinds.pod, name, namespace },
});

async function becomesSick(scene: Scene): Promise<void> {
  const cluster = scene.world.connect();
  const pod = await cluster.get(podRef(scene, "ec-0"));
  const options = { type: "merge", subresource: "status" } as const;
  await cluster.patch(podRef(scene, "ec-0"), { status: unready(pod ?? {})["status"] }, options);
}

test.each<[string, Refused]>([
  [
    "nobody confirms",
    {
      file: "broken-revision",
      deps: () => ({ ask: () => Promise.resolve(false) }),
      code: 2,
      says: /cancelled/,
    },
  ],
  [
    "the pod may not be deleted",
    {
      file: "broken-revision",
      deps: ({ world }) => {
        world.lacks = ({ verb, resource }) => verb === "delete" && resource === "pods";
        return {};
      },
      code: 4,
      says: /delete pods/,
    },
  ],
  [
    "the StatefulSet may not be patched",
    {
      file: "partition",
      deps: ({ world }) => {
        world.lacks = ({ verb, resource }) => verb === "patch" && resource === "statefulsets";
        return {};
      },
      code: 4,
      says: /patch statefulsets/,
    },
  ],
  [
    "another pod is not ready either",
    { file: "broken-revision", change: sick(0), code: 3, says: /1 of its 3 nodes are ready/ },
  ],
  [
    "another pod stops being ready while the question is answered",
    {
      file: "broken-revision",
      deps: meanwhile(becomesSick),
      code: 5,
      says: /no longer proven safe/,
    },
  ],
  [
    "a pod stops being ready while a partition is to be taken away",
    { file: "partition", deps: meanwhile(becomesSick), code: 5, says: /no longer proven safe/ },
  ],
  [
    "the license has expired",
    { file: "broken-revision", change: expired, code: 3, says: /license state is Expired/ },
  ],
  ["a pod crashes", { file: "partition-and-crash", code: 3, says: /cannot open the store/ }],
  [
    "Argo CD owns the StatefulSet",
    {
      file: "partition",
      change: marked({ labels: { "argocd.argoproj.io/instance": "stores" } }),
      code: 5,
      says: /Argo CD owns it/,
    },
  ],
  [
    "the operator itself holds the partition",
    {
      file: "partition",
      change: heldBy("engine-enterprise-operator"),
      code: 5,
      says: /held by manager .{1,2}engine-enterprise-operator/,
    },
  ],
  ["a node is cordoned", { file: "cordoned", code: 3, says: /cordoned/ }],
  ["a node is lost", { file: "node-lost", code: 3, says: /out-of-service|node/ }],
  ["the quorum is lost", { file: "quorum-lost", code: 3, says: /no majority/ }],
])("refused, and nothing is written: %s", async (_title, wanted) => {
  const { file, change, options, deps, code, says } = wanted;
  const scene = await aScene(file, change);
  const { report } = await scene.run(options, deps?.(scene));
  expect(report.exit.code).toBe(code);
  expect(JSON.stringify(report)).toMatch(says);
  expect([scene.sent, scene.journal]).toEqual([[], []]);
});

test("a person's own partition is taken away, and one of another manager where that is said", async () => {
  const person = await aScene("partition", heldBy("kubectl-patch"));
  const first = await person.run();
  expect(first.report.exit.code).toBe(0);
  expect(person.sent).toHaveLength(1);
  const other = await aScene("partition", heldBy("canary-controller"));
  const takeFields = [".spec.updateStrategy.rollingUpdate.partition"];
  const second = await other.run({ takeFields });
  expect(second.report.exit.code).toBe(0);
  expect(other.sent).toHaveLength(1);
});

/** The first time that the pod is about to be deleted, somebody else is faster. */
function beforeDeletion(scene: Scene, act: (pod: KubeObject) => Promise<unknown>): void {
  let isOver = false;
  scene.before = async (line) => {
    if (isOver || line !== "delete Pod broken-revision/ec-2") return;
    isOver = true;
    const pod = await scene.world.connect().get(podRef(scene, "ec-2"));
    if (pod !== undefined) await act(pod);
  };
}

test("a pod that somebody else deletes in between is not deleted once more", async () => {
  const scene = await aScene("broken-revision");
  beforeDeletion(scene, async () => {
    await scene.world.connect().delete(podRef(scene, "ec-2"), {});
  });
  const { report } = await scene.run();
  expect(stepsOf(report)[0]).toBe("recover.pod.ec-2 unchanged");
  expect(scene.sent).toEqual(["delete Pod broken-revision/ec-2"]);
});

test("a kubelet that writes the pod's status in between does not make it another pod", async () => {
  const scene = await aScene("broken-revision");
  beforeDeletion(scene, async () => {
    const status = { message: "tried again" };
    const options = { type: "merge", subresource: "status" } as const;
    await scene.world.connect().patch(podRef(scene, "ec-2"), { status }, options);
  });
  const { report } = await scene.run();
  expect([report.exit.code, scene.sent.length]).toEqual([0, 2]);
});
