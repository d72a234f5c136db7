/** Each cause of a standstill is told by `status`, `recover` and `check` alike; what is merely slow by none of them. */
import { judgeChecks } from "../../../../plugin/commands/checks";
import { parse } from "../../../../plugin/cli/tree";
import type { Finding } from "../../../../plugin/domain/base/findings";
import { diagnose } from "../../../../plugin/domain/diagnosis/diagnose";
import { licenseCodes } from "../../../../plugin/domain/engine-cluster/license";
import { listStalls } from "../../../../plugin/domain/engine-cluster/standstill";
import { clusterList } from "../../../../plugin/domain/engine-cluster/symptoms";
import type { Timed } from "../../../../plugin/domain/rollout/progress";
import type { StallDeadline } from "../../../../plugin/domain/rollout/stateful-set";
import { judgeCluster } from "../../../../plugin/domain/engine-cluster/rollout";
import { podTrouble } from "../../../../plugin/domain/rollout/pod-causes";
import { rollFindings } from "../../../../plugin/domain/rollout/findings";
import { clusterFindings } from "../../../../plugin/domain/engine-cluster/findings";
import { classifyFreeze } from "../../../../plugin/domain/recovery/classify";
import { clustersStatus } from "../../../../plugin/commands/upgrade-cluster/next";
import { explainOperator } from "../../../../plugin/domain/engine-cluster/operator-words";
import { describeSituation } from "../../../../plugin/domain/checks/context";
import type { Facts } from "../../../../plugin/domain/facts/facts";
import { wordsOf } from "../../../support/pages";
import { toldByCheck, toldByRecover } from "./agreement";
import { double, single, slow, type Scene } from "./causes";
import { heldSingle, heldSlow, inOrder } from "./held-causes";
import { moreDouble, moreSingle, moreSlow } from "./more-causes";
import { reportedSingle } from "./reported-causes";
import { reportedDouble } from "./reported-pairs";
import { reportedSlow } from "./reported-slow";
import { fieldDouble, fieldSingle, fieldSlow, fieldWell } from "./field-causes";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { aDatabase, oldTag } from "../engine-cluster/scene";
import { event, facts, first, name, pod, second, theEc, theSet } from "./scene";

const scenes = [
  ...[...single, ...moreSingle, ...fieldSingle, ...heldSingle, ...reportedSingle],
  ...[...double, ...moreDouble, ...fieldDouble, ...reportedDouble],
].map(([title, facts, cause, beside]: Scene) => ({
  ...{ title, facts, cause, beside },
}));
const leading: readonly string[] = [
  clusterFindings.mistakenTag,
  clusterFindings.tagLowered,
  clusterFindings.invalidUpgrade,
  clusterFindings.specInvalid,
].map(({ code }) => code);
const ofStandstill = new Set([
  ...Object.values(rollFindings).map(({ code }) => code),
  ...[clusterFindings.quorumLost, clusterFindings.mistakenTag, clusterFindings.notTakenUp].map(
    ({ code }) => code,
  ),
]);

function recovered(facts: Facts) {
  const [ec] = facts.objects.ecs;
  if (ec === undefined) throw new Error("the scene has an EC");
  return classifyFreeze(facts, ec);
}

const isOfLicense = ({ code }: Pick<Timed, "code">): boolean => licenseCodes.includes(code);

/** What is told first, and what is told first beside a license that is not valid. */
function readStalls(facts: Facts, patience?: StallDeadline) {
  const stalls = listStalls(judgeCluster(facts, name, patience && { patience }));
  return { stalls, lead: stalls[0], beside: stalls.find((one) => !isOfLicense(one)) };
}

test.each(scenes)("$title", ({ facts, cause: { code, object, says, step }, beside }) => {
  const { stalls, ...told } = readStalls(facts);
  const cause = isOfLicense({ code }) ? told.lead : told.beside;
  expect(cause).toMatchObject({ code, object });
  expect(cause?.cause).toMatch(says);
  expect(cause?.fix).toMatch(step);
  if (beside !== undefined) expect(stalls.map((one) => one.code)).toContain(beside);
});

test.each(scenes.filter(({ facts }) => readStalls(facts).stalls.some(isOfLicense)))(
  "a license that is not valid leads, unless the tag is wrong or the upgrade is refused: $title",
  ({ facts }) => {
    const { lead } = readStalls(facts);
    expect([...licenseCodes, ...leading]).toContain(lead?.code);
  },
);

test.each(scenes)("status, recover and check agree: $title", ({ facts }) => {
  const { lead } = readStalls(facts);
  const { code, object } = lead ?? {};
  const [shown] = clustersStatus(describeSituation(facts, {})).items;
  const { findings } = diagnose(clusterList, { facts, clusters: facts.objects.ecs });
  expect(findings.find(({ severity }) => severity === "error")).toMatchObject({ code, object });
  expect(shown?.verdict).toMatchObject({ is: "stalled", code, object });
  const freeze = recovered(facts);
  expect(freeze.is).toBe("frozen");
  expect(freeze.causes[0]?.finding).toMatchObject({ code, object });
  expect(judgeChecks(facts, {}).findings).toContainEqual(
    expect.objectContaining({ code, object, severity: "error" }),
  );
});

test.each(scenes)("recover and check tell the same causes: $title", ({ facts }) => {
  expect(toldByRecover(facts)).toEqual(toldByCheck(facts));
});

/** What each command says of the same standstill. */
const sayings = scenes.flatMap(({ title, facts }) => [
  { title: `recover, ${title}`, found: recovered(facts).causes.map(({ finding }) => finding) },
  { title: `check, ${title}`, found: judgeChecks(facts, {}).findings },
]);

/** The lines in a fix, without the words around them. */
const linesOf = ({ fix }: Finding): readonly string[] => fix.match(/kubectl [^;,)]*/g) ?? [];

/** What this tool's parser and the command's flags have against a line, its blanks filled in. */
function problemsOf(line: string): readonly string[] {
  const filled = line.replace(/ TAG\b/, ` ${oldTag}`);
  const { chosen, problems } = parse(wordsOf(filled).slice(2), "kubectl engine");
  const prepared = chosen?.entry.prepare(chosen.raw, chosen.inner);
  return [...problems, ...(prepared?.problems ?? []), ...(prepared?.missing ?? [])];
}

test.each(sayings)("each printed line is whole: $title", ({ found }) => {
  const lines = found.flatMap(linesOf);
  const logs = lines.filter((line) => line.startsWith("kubectl logs "));
  expect(logs.filter((line) => !/^kubectl logs \S+ -c \S+ .*-n \S+/.test(line))).toEqual([]);
  const own = lines.filter((line) => line.startsWith("kubectl engine "));
  expect(own.map((line) => [line, problemsOf(line)])).toEqual(own.map((line) => [line, []]));
});

test.each(sayings)("nothing is told twice, nor with two advices: $title", ({ found }) => {
  const keys = found.map(({ code, object, cause }) => [code, object, cause].join(" "));
  expect(keys).toEqual([...new Set(keys)]);
  const causes = found.map(({ object, cause }) => [object, cause].join(" "));
  expect(causes).toEqual([...new Set(causes)]);
  const acts = new Map<string, readonly string[]>();
  for (const words of found.flatMap(linesOf).map(wordsOf)) {
    // by two lines that change one object it would become two things
    const isAct = /^(engine upgrade-cluster|delete|patch|scale) /.test(words.slice(1).join(" "));
    if (!isAct) continue;
    const act = words.slice(1, 4).join(" ");
    const whole = words
      .flatMap((word) => (word === "-n" ? [] : word.replace("--namespace=", "")))
      .toSorted();
    expect(acts.get(act) ?? whole).toEqual(whole);
    acts.set(act, whole);
  }
});

test.each(scenes)("an upgrade that waits ends with the same: $title", ({ facts, cause }) => {
  const stallAfterMs = 600_000;
  const patience = { idleMs: stallAfterMs, stallAfterMs };
  const { code, object } = cause;
  const { lead, beside } = readStalls(facts, patience);
  expect(isOfLicense(cause) ? lead : beside).toMatchObject({ code, object });
});

const other = theEc();
/** An EC of the same name beside the databases of another namespace. */
const namesake = { ...other, metadata: { ...other.metadata, namespace: "shop" } };
const unreadClusters: Partial<Facts> = { unread: new Map([["ecs", "forbidden"]]) };

interface Beside {
  readonly place: string;
  readonly namespace: string;
  readonly told: boolean;
  readonly lists?: Parameters<typeof facts>[0];
  readonly rest?: Partial<Facts>;
}

const besides: readonly Beside[] = [
  { place: "of another namespace", namespace: "shop", told: true },
  {
    place: "of a cluster of that name in another namespace",
    ...{ namespace: "shop", told: false, lists: { ecs: [namesake, theEc()] } },
  },
  {
    place: "of another namespace, whose clusters may not be read",
    ...{ namespace: "shop", told: false, rest: unreadClusters },
  },
  {
    place: "of its own namespace, where no other's clusters may be read",
    ...{ namespace: "engine", told: true, rest: unreadClusters },
  },
];

test.each(besides)("an old database $place", ({ namespace, told, lists = {}, rest }) => {
  const old = aDatabase("carts", { engineVersion: "6.2", engineEnterpriseCluster: { name } });
  const edb = { ...old, metadata: { ...old.metadata, namespace } };
  const pods = [first, second, pod(2, { ready: false })];
  const seen = facts({ pods, edbs: [edb], ...lists }, rest);
  const { causes, warnings } = classifyFreeze(seen, theEc());
  expect(causes.map(({ finding }) => finding.code)).toEqual([
    "POD-NOT-READY",
    ...(told ? ["CLUSTER-DATABASE-OLD"] : []),
  ]);
  expect(warnings.map(({ cause }) => cause)).toEqual(
    rest === undefined ? [] : ["could not be read: engineenterpriseclusters"],
  );
});

test.each(besides.filter(({ lists }) => lists === undefined))(
  "a module that nothing defines, in a database $place",
  ({ namespace, told, rest }) => {
    const used = { moduleList: [{ name: "gears" }], engineEnterpriseCluster: { name } };
    const plain = aDatabase("carts", used);
    const edb = { ...plain, metadata: { ...plain.metadata, namespace } };
    const pods = [first, second, pod(2, { ready: false })];
    const { causes } = recovered(facts({ pods, edbs: [edb] }, rest));
    expect(causes.some(({ is }) => is === "module")).toBe(told);
  },
);

test("what holds a roll is not let go while a pod of an earlier revision ends", () => {
  const ends = { deletionTimestamp: "2026-08-01T00:00:00Z", deletionGracePeriodSeconds: 30 };
  const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 2 } };
  const pods = [
    first,
    second,
    pod(2, {
      revision: "wrong",
      ready: false,
      metadata: {
        name: `${name}-2`,
        namespace: "engine",
        labels: { "controller-revision-hash": "wrong" },
        ownerReferences: second.metadata.ownerReferences,
        ...ends,
      },
    }),
  ];
  const { causes } = recovered(
    facts({ pods, statefulSets: [theSet({ spec: { updateStrategy } })] }),
  );
  expect(causes.map(({ is }) => is)).not.toContain("held");
});

test.each(inOrder)("an attachment in order is no cause: %s", (_title, facts) => {
  expect(judgeCluster(facts, name)).toMatchObject({ is: "stalled", code: "POD-NOT-READY" });
});

test("a volume of a pod without a node is attached to none that counts", () => {
  const [, scene] = inOrder[0] ?? [];
  if (scene === undefined) throw new Error("the table has a row");
  const pods = scene.objects.pods.map((one) =>
    one.metadata.name === `${name}-2`
      ? { ...one, spec: { ...(one["spec"] as object), nodeName: undefined } }
      : one,
  );
  const seen = { ...scene, objects: { ...scene.objects, pods } };
  expect(judgeCluster(seen, name)).toMatchObject({ code: "POD-UNSCHEDULABLE" });
});

test.each([...slow, ...moreSlow, ...fieldSlow, ...heldSlow, ...reportedSlow])(
  "merely slow: %s",
  (_title, facts) => {
    expect(judgeCluster(facts, name)).toMatchObject({ is: "moving" });
    const [shown] = clustersStatus(describeSituation(facts, {})).items;
    expect(shown?.verdict.is).toBe("moving");
    expect(recovered(facts).is).not.toBe("frozen");
    const found = judgeChecks(facts, {}).findings.filter(({ code }) => ofStandstill.has(code));
    expect(found.filter(({ severity }) => severity === "error")).toEqual([]);
  },
);

test.each(fieldWell)("all is well: %s", (_title, facts) => {
  expect(judgeCluster(facts, name)).toMatchObject({ is: "done" });
  const [shown] = clustersStatus(describeSituation(facts, {})).items;
  expect(shown?.verdict.is).toBe("fine");
  expect(recovered(facts).is).toBe("standing");
  expect(toldByCheck(facts)).toEqual([]);
});

test.each<[string, string, "moving" | "standing" | "frozen"]>([
  ["an upgrade", "Upgrade", "moving"],
  ["no upgrade", "Running", "standing"],
  ["a refusal", "InvalidUpgrade", "frozen"],
])("pods that may not be read are no pods that are missing: %s", (_title, state, is) => {
  const seen = facts(
    { ecs: [theEc({ state })], pods: [] },
    { unread: new Map([["pods", "forbidden"]]) },
  );
  const freeze = recovered(seen);
  expect(freeze.is).toBe(is);
  expect(freeze.warnings).toContainEqual(
    expect.objectContaining({ code: "FREEZE-NOT-SEEN", cause: "could not be read: pods" }),
  );
});

test("a movement that is still to come by the clock here is told as what it is", () => {
  const ahead = pod(2, { ready: false, since: -30 });
  expect(judgeCluster(facts({ pods: [first, second, ahead] }), name)).toMatchObject({
    is: "moving",
    last: expect.stringContaining("is 30m ahead of the clock here: compare the clocks") as unknown,
  });
});

test("where Deployments may not be read, nothing is said of the operator", () => {
  const seen = facts(
    { pods: [pod(0), pod(1), pod(2)], deployments: [] },
    { unread: new Map([["deployments", "forbidden"]]) },
  );
  expect(judgeCluster(seen, name)).toMatchObject({
    cause: expect.not.stringContaining("Deployment") as unknown,
    fix: expect.stringContaining("kubectl logs deployment/") as unknown,
  });
});

test("a roll that moves under a license whose last day is over: told by status, recover and check", () => {
  const licenseStatus = { licenseState: "Valid", expirationDate: "2026-06-01T00:00:00Z" };
  const seen = facts({
    ecs: [theEc({ status: { licenseStatus } })],
    pods: [first, second, pod(2, { ready: false, since: 2 })],
  });
  const [shown] = clustersStatus(describeSituation(seen, {})).items;
  expect(shown?.verdict).toMatchObject({
    is: "moving",
    on: expect.stringContaining("but: its license expired") as unknown,
  });
  const { is, warnings } = recovered(seen);
  expect([is, warnings.map(({ code }) => code)]).toEqual(["moving", ["LICENSE-EXPIRED"]]);
  expect(judgeChecks(seen, {}).findings.map(({ code }) => code)).toContain("LICENSE-EXPIRED");
});

test("what a pod says is checked where nothing else was read", () => {
  const waiting = { reason: "ErrImagePull", message: "unauthorized" };
  const refused = pod(2, { ready: false, container: { state: { waiting } } });
  expect(podTrouble(refused)).toMatchObject({ code: "POD-IMAGE", definite: true });
});

test("where pods may not be read, nothing is said of who holds the operator's lease", () => {
  const holder = `${names.operator.deployment}-5c8f7d9b66-q8wzr`;
  const lease = {
    ...{ apiVersion: "coordination.k8s.io/v1", kind: "Lease" },
    metadata: { name: "lock", namespace: "engine" },
    spec: { holderIdentity: holder, renewTime: "2026-08-01T00:15:30.000Z" },
  };
  const seen = facts(
    { statefulSets: [theSet({ tag: oldTag })], pods: [], leases: [lease] },
    { unread: new Map([["pods", "forbidden"]]) },
  );
  const { words } = explainOperator(seen);
  expect(words).toEqual([]);
  expect(explainOperator({ ...seen, unread: new Map() }).words).toHaveLength(1);
});

test("an upgrade that is refused for what only the operator says: status and recover name the same", () => {
  const said = event({ kind: names.ec.kind, name }, ["Refused", "racks are being changed"]);
  const seen = facts({
    ecs: [theEc({ state: "InvalidUpgrade" })],
    statefulSets: [theSet({ tag: oldTag, status: { updateRevision: "before" } })],
    pods: [0, 1, 2].map((ordinal) => pod(ordinal, { old: true })),
    events: [said],
  });
  const code = "CLUSTER-INVALID-UPGRADE";
  expect(judgeCluster(seen, name)).toMatchObject({
    code,
    cause: expect.stringContaining("the operator says: racks are being changed") as unknown,
  });
  expect(recovered(seen).causes[0]?.finding.code).toBe(code);
});
