/** What holds for every state of a cluster, whatever is wrong with it. */
import { judgeChecks } from "../../../../plugin/commands/checks";
import { judgeStatus } from "../../../../plugin/commands/status/status";
import { withValue } from "../../../../plugin/domain/base/values";
import { diagnose } from "../../../../plugin/domain/diagnosis/diagnose";
import {
  type Act,
  acts,
  type Diagnosed,
  rowOf,
  type Scene as DiagnosisScene,
  type Symptom,
} from "../../../../plugin/domain/diagnosis/symptom";
import { ownClusters } from "../../../../plugin/domain/engine-cluster/operator";
import { clusterList } from "../../../../plugin/domain/engine-cluster/symptoms";
import { definitionGround, operatorGround } from "../../../../plugin/domain/operator/ground";
import { olmList, operatorList } from "../../../../plugin/domain/operator/symptoms";
import { type FactKey, factKeys, type Facts } from "../../../../plugin/domain/facts/facts";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import type { ComponentHealth } from "../../../../plugin/domain/rollout/health";
import { everyScene, generatedScenes, type Scene } from "../checks/scenes";
import { fitWorld } from "../checks/world";
import { gatesOf } from "./gates";

/** The facts as a user sees them who may not read this list. */
function withoutList(facts: Facts, key: FactKey): Facts {
  return {
    ...facts,
    unread: new Map([...facts.unread, [key, "forbidden"]]),
    objects: { ...facts.objects, [key]: [] },
  };
}

type Verdicts = Readonly<
  Record<
    "operator" | "clusters" | "databases" | "activeActive" | "webhook" | "rbac",
    ComponentHealth
  >
>;

function verdictsOf(facts: Facts, { target }: Pick<Scene, "target">): Verdicts {
  const status = judgeStatus(facts, { rbac: target.rbac ?? { documents: [], source: "" } });
  return {
    operator: status.operator.verdict,
    clusters: status.clusters.verdict,
    databases: status.databases.verdict,
    activeActive: status.activeActive.verdict,
    webhook: status.webhook.verdict,
    rbac: status.rbac.verdict,
  };
}

const order = ["absent", "fine", "moving", "stalled"];

/** True where the second verdict claims more than the first; "unknown" claims nothing. */
function isBetter(before: ComponentHealth, now: ComponentHealth): boolean {
  if (now.is === "unknown") return false;
  return before.is === "unknown" || order.indexOf(now.is) < order.indexOf(before.is);
}

const nameRow = (one: Diagnosed): string => `${rowOf(one)} ${String(one.object)}`;

let scenes: readonly Scene[] = [];
beforeAll(async () => {
  scenes = [...(await everyScene()), ...(await generatedScenes(200))];
}, 120_000);

test("named: what a gate refuses, check finds in the same facts", () => {
  const missed = scenes.flatMap(({ title, facts, target }) => {
    const { findings, judged } = judgeChecks(facts, target, {});
    const unjudged = judged.filter(({ verdict }) => verdict === "unjudged");
    const known = new Set([...findings.map(rowOf), ...unjudged.map(({ check }) => check.code)]);
    return acts.flatMap((act) =>
      gatesOf(act, facts)
        .filter((one) => !known.has(rowOf(one)))
        .map((one) => `${title}: ${act} refuses ${nameRow(one)}`),
    );
  });
  expect(missed).toEqual([]);
});

const quieter = (act: Act, facts: Facts, blind: Facts): readonly string[] => {
  const still = new Set(gatesOf(act, blind, facts).map(rowOf));
  return gatesOf(act, facts)
    .filter((one) => !still.has(rowOf(one)))
    .map((one) => `${act} no longer names ${nameRow(one)}`);
};

const better = (scene: Scene, blind: Facts): readonly string[] => {
  const [before, now] = [verdictsOf(scene.facts, scene), verdictsOf(blind, scene)];
  const components = Object.keys(before) as readonly (keyof Verdicts)[];
  return components
    .filter((one) => isBetter(before[one], now[one]))
    .map((one) => `${one} was ${before[one].is}, and is ${now[one].is}`);
};

/**
 * What every act asks for by name, whoever may not list it: its own namespace, the definition of what it writes,
 * the Service that another one is a name of. `status` shows these to whoever may see them.
 */
const askedByName: readonly (readonly [FactKey, string])[] = [
  ["namespaces", "NAMESPACE-DELETING"],
  ["namespaces", "WEBHOOK-SERVICE-MISSING"],
  ["definitions", "DEFINITION-DELETING"],
];

test.each(factKeys)("blind: without the %s no gate gets quieter, and no verdict better", (key) => {
  const worse = scenes
    .filter(({ facts }) => !facts.unread.has(key) && facts.objects[key].length > 0)
    .filter(({ title }) => !askedByName.some(([one, code]) => one === key && title.includes(code)))
    .flatMap((scene) => {
      const blind = withoutList(scene.facts, key);
      const found = [
        ...acts.flatMap((act) => quieter(act, scene.facts, blind)),
        ...better(scene, blind),
      ];
      return found.map((one) => `${scene.title}: ${one}`);
    });
  expect(worse).toEqual([]);
});

/** The first error of a list that waiting does not end. */
function firstError<S extends DiagnosisScene>(rows: readonly Symptom<S>[], scene: S) {
  const { findings } = diagnose(rows, scene);
  return findings.find(({ severity, passes }) => severity === "error" && passes !== true);
}

test("agree: what status says of a component is the first error of its diagnosis, with its fix", () => {
  const apart = scenes.flatMap(({ title, facts, target }) => {
    const { operator, clusters } = judgeStatus(facts, {
      rbac: target.rbac ?? { documents: [], source: "" },
    });
    const ofClusters = [definitionGround("ec"), ...clusterList];
    const told = clusters.items.map(({ name, verdict }) => {
      const own = ownClusters(facts).filter(({ metadata }) => metadata.name === name);
      return [verdict, firstError(ofClusters, { facts, clusters: own })] as const;
    });
    const ofOperator = [...operatorGround, ...operatorList, ...olmList];
    return [[operator.verdict, firstError(ofOperator, { facts })] as const, ...told]
      .filter(([verdict, first]) => verdict.is === "stalled" && first !== undefined)
      .filter(
        ([verdict, first]) =>
          !("fix" in verdict) || verdict.code !== first?.code || verdict.fix !== first?.fix,
      )
      .map(([verdict, first]) => `${title}: ${JSON.stringify(verdict)} and ${String(first?.code)}`);
  });
  expect(apart).toEqual([]);
});

const values: readonly unknown[] = ["text", 7, true, [], ["text"], {}, { other: 1 }];

/** An object of Kubernetes may lack any field of its status; what it has is of the type that its schema says. */
const isOtherThan =
  (value: unknown) =>
  (one: unknown): boolean =>
    typeof one !== typeof value || Array.isArray(one) !== Array.isArray(value);

/** What the verdict on a component rests on: a list, the name of one of its objects, and paths in it. */
const judged: readonly (readonly [keyof Verdicts, FactKey, string, readonly string[]])[] = [
  ["clusters", "ecs", "ec", ["status", "status.state", "status.specStatus"]],
  ["databases", "edbs", "config", ["status", "status.status", "status.specStatus"]],
  [
    ...(["activeActive", "eaadbs", "carts"] as const),
    ["status", "status.status", "status.specStatus", "status.replicationStatus"],
  ],
];

test.each(judged)(
  "hostile: with a value of another type the component %s is not healthy",
  async (component, key, name, paths) => {
    const world = await fitWorld();
    const facts = await world.facts();
    const change = (path: string, value: unknown): Facts => {
      const objects: readonly KubeObject[] = facts.objects[key];
      const changed = objects.map((one) =>
        one.metadata.name === name ? withValue(one, path.split("."), value) : one,
      );
      return { ...facts, objects: { ...facts.objects, [key]: changed } };
    };
    const healthy = paths.flatMap((path) => {
      const sample = path === "status" ? {} : "text";
      return values
        .filter(isOtherThan(sample))
        .filter((value) => verdictsOf(change(path, value), world)[component].is === "fine")
        .map((value) => `${path}: ${JSON.stringify(value)}`);
    });
    expect(healthy).toEqual([]);
  },
);
