/** What holds for every state of a cluster, whatever is wrong with it. */
import { playProbe } from "../../../support/probes";
import { judgeChecks } from "../../../../plugin/commands/checks";
import { judgeStatus, type Status, summarize } from "../../../../plugin/commands/status/status";
import { isObject, omit, oncePer, withValue } from "../../../../plugin/domain/base/values";
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
import { sampled } from "../../../support/sampled";

/** The facts as a user sees them who may not read this list. */
function withoutList(facts: Facts, key: FactKey): Facts {
  return {
    ...facts,
    unread: new Map([...facts.unread, [key, "forbidden"]]),
    objects: { ...facts.objects, [key]: [] },
  };
}

/** The facts with what this list has in the operator's namespace; then they differ in whether that is known to be all. */
function ownOf(facts: Facts, key: FactKey): Facts {
  const objects: readonly KubeObject[] = facts.objects[key];
  const own = objects.filter(({ metadata }) => metadata.namespace === facts.namespace);
  return { ...facts, objects: { ...facts.objects, [key]: own } };
}

/** The facts as a user sees them who may read this list in the operator's namespace alone. */
function withPart(facts: Facts, key: FactKey): Facts {
  const { unread } = withoutList(facts, key);
  return { ...ownOf(facts, key), unread, partly: new Set([key]) };
}

type Verdicts = Readonly<
  Record<
    "operator" | "clusters" | "databases" | "activeActive" | "webhook" | "rbac",
    ComponentHealth
  >
>;

const statusOf = (facts: Facts, { rbac }: Scene["target"]): Status =>
  judgeStatus(facts, {
    rbac: rbac ?? { documents: [], source: "" },
    probe: playProbe(facts),
  });

/** Of a scene as it is, however many lists are taken from it. */
const wholeStatus = oncePer(({ facts, target }: Scene) => statusOf(facts, target));

function verdictsOf(status: Status): Verdicts {
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

const better = (scene: Scene, blind: Status): readonly string[] => {
  const [before, now] = [verdictsOf(wholeStatus(scene)), verdictsOf(blind)];
  const components = Object.keys(before) as readonly (keyof Verdicts)[];
  return components
    .filter((one) => isBetter(before[one], now[one]))
    .map((one) => `${one} was ${before[one].is}, and is ${now[one].is}`);
};

/** Values that stand by themselves; beside `unread`, or an unknown verdict, they claim nothing. */
function listClaims(value: unknown, path: string): readonly string[] {
  if (Array.isArray(value) && value.length > 0) {
    return value.flatMap((one) => listClaims(one, path));
  }
  if (!isObject(value)) return [`${path}: ${JSON.stringify(value)}`];
  const { unread, verdict } = value;
  if (unread !== undefined || (isObject(verdict) && verdict["is"] === "unknown")) return [];
  return Object.entries(omit(value, "verdict", "reason")).flatMap(([key, one]) =>
    listClaims(one, `${path}.${key}`),
  );
}

/**
 * Every statement of the screen and every value of its document, apart from what is said to be unknown. A cause may
 * be told in less detail without a list; that nothing is left to do may not.
 */
function claimsOf(status: Status, { names }: Facts): readonly string[] {
  const { clusters, databases, activeActive, findings, next, operator, rbac } = status;
  const lines = summarize(status, names).flatMap(({ title, is, facts, says }) =>
    [facts, is === "unknown" || is === "stalled" ? "" : says]
      .flatMap((text) => (text.includes(" seen in ") ? [] : text.split(/[,;:] /)))
      .filter((text) => text !== "")
      .map((text) => `${title} says ${text}`),
  );
  const { errors, warnings, complete } = findings;
  const values = {
    ...{ operator, clusters, databases, activeActive, rbac },
    findings: complete ? { errors, warnings } : {},
  };
  const shown = Object.entries(values).flatMap(([key, value]) => listClaims(value, key));
  return [...lines, ...shown, ...(next === undefined ? ["next: nothing"] : [])];
}

const wholeClaims = oncePer((scene: Scene) => new Set(claimsOf(wholeStatus(scene), scene.facts)));

/** What is said of a list that was not read as though it were empty. */
function takenForEmpty(scene: Scene, blind: Status, empty: Facts): readonly string[] {
  const { facts, target } = scene;
  const told = wholeClaims(scene);
  const news = claimsOf(blind, facts).filter((claim) => !told.has(claim));
  if (news.length === 0) return [];
  const ofNone = claimsOf(statusOf(empty, target), facts);
  return news
    .filter((claim) => ofNone.includes(claim))
    .map((claim) => `as though there were none: ${claim}`);
}

/**
 * What every act asks for by name, whoever may not list it: its own namespace, the definition of what it writes,
 * the Service that another one is a name of. `status` shows these to whoever may see them.
 */
const askedByName: readonly (readonly [FactKey, string])[] = [
  ["namespaces", "NAMESPACE-DELETING"],
  ["namespaces", "WEBHOOK-SERVICE-MISSING"],
  ["definitions", "DEFINITION-DELETING"],
];

test.each(factKeys)("blind: without the %s nothing gets better or is taken for empty", (key) => {
  const worse = sampled(scenes, factKeys.indexOf(key))
    .filter(({ facts }) => !facts.unread.has(key) && facts.objects[key].length > 0)
    .filter(({ title }) => !askedByName.some(([one, code]) => one === key && title.includes(code)))
    .flatMap((scene) => {
      const blind = withoutList(scene.facts, key);
      const status = statusOf(blind, scene.target);
      const found = [
        ...acts.flatMap((act) => quieter(act, scene.facts, blind)),
        ...better(scene, status),
        ...takenForEmpty(scene, status, {
          ...scene.facts,
          objects: { ...scene.facts.objects, [key]: [] },
        }),
      ];
      return found.map((one) => `${scene.title}: ${one}`);
    });
  expect(worse).toEqual([]);
});

test.each(["ecs", "edbs", "eaadbs"] as const)(
  "half blind: with the %s of one namespace nothing gets better or is taken for all",
  (key) => {
    const worse = sampled(scenes).flatMap((scene) => {
      const half = withPart(scene.facts, key);
      const status = statusOf(half, scene.target);
      const found = [
        ...acts.flatMap((act) => quieter(act, scene.facts, half)),
        ...better(scene, status),
        ...takenForEmpty(scene, status, ownOf(scene.facts, key)),
      ];
      return found.map((one) => `${scene.title}: ${one}`);
    });
    expect(worse).toEqual([]);
  },
);

/** The first error of a list that waiting does not end. */
function firstError<S extends DiagnosisScene>(rows: readonly Symptom<S>[], scene: S) {
  const { findings } = diagnose(rows, scene);
  return findings.find(({ severity, passes }) => severity === "error" && passes !== true);
}

test("agree: what status says of a component is the first error of its diagnosis, with its fix", () => {
  const apart = scenes.flatMap(({ title, facts, target }) => {
    const { operator, clusters } = statusOf(facts, target);
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
        .filter(
          (value) =>
            verdictsOf(statusOf(change(path, value), world.target))[component].is === "fine",
        )
        .map((value) => `${path}: ${JSON.stringify(value)}`);
    });
    expect(healthy).toEqual([]);
  },
);
