/**
 * The checks without which an operator or an EC may not be upgraded: the upgrade would freeze, or break into work of
 * the operator (S113, S121-S127; domain facts 7). Each is an entry of its room's list as well.
 */
import { ec, text } from "../names/text";
import { fieldText } from "../rules/fields";
import type { AdvisedAct } from "../advisories/row";
import { judgeWarning } from "../advisories/symptoms";
import { listFacts } from "../advisories/judge";
import type { Skip } from "../base/skip";
import { formatEngineVersion } from "../base/versions";
import {
  findCauses,
  listDatabases,
  listModuleWays,
  lowest,
  listUndefinedModules,
  listUnpublishedModules,
} from "../engine-cluster/causes";
import { listRunning } from "../engine-cluster/database-versions";
import { clusterFindings } from "../engine-cluster/findings";
import { aheadSymptoms, clusterSymptoms } from "../engine-cluster/symptoms";
import type { FactKey, Facts } from "../facts/facts";
import { enforceLabel } from "../kube/pod-security";
import { type Check, makeChecks, on, perCluster } from "./check";
import type { Diagnosed } from "../diagnosis/symptom";
import { type CheckTarget, isForNewBase, describeSituation } from "./context";
import {
  type AdvisedTarget,
  type AdvisoryCheck,
  chooseRows,
  listForbiddingChecks,
  makeScene,
} from "./advisories";
import { judgeBy, type Judgment } from "./judge";
import { namespaceLost, stopSymptoms } from "../rbac/symptoms";
import { platformPrerequisites } from "./platform";
import { judgePodSecurity } from "./pod-security";
import { isRetiredBy, judgeRetired } from "./retired-modules";

const make = {
  operator: makeChecks("operator"),
  release: makeChecks("release"),
  cluster: makeChecks("cluster"),
  license: makeChecks("license"),
  databases: makeChecks("databases"),
  modules: makeChecks("modules"),
  activeActive: makeChecks("active-active"),
};

const products = ["ecs", "edbs", "eaadbs"] as const;

/** The checks by name, for the lists of their rooms. */
export const prerequisites = {
  ...platformPrerequisites,
  operatorVersionUnknown: make.operator.error("OPERATOR-VERSION-UNKNOWN", "Facts 8", {
    vouched: true,
    title: "The operator reports its release",
    cause: "the operator's image is pinned by its digest and no annotation reports the release",
    fix: "check in the registry which tag that digest has, and whether a later release may follow it",
    needs: ["deployments"],
    judge: ({ deployment, installed }) =>
      deployment !== undefined && installed === undefined
        ? [on(deployment, "neither its image's tag nor an annotation is a release")]
        : [],
  }),
  resizing: make.cluster.ofSymptom(clusterSymptoms.resizing),
  podSecurity: make.cluster.error("POD-SECURITY", "S32", {
    title: text`The namespace lets the pods of the ${ec} be made again`,
    cause:
      "a Pod Security label of the namespace refuses the pods that an upgrade makes; those that run stay until then",
    fix: `set the label ${enforceLabel} to a level that allows them, or take out of the spec what it refuses`,
    needs: ["ecs", "namespaces", "statefulSets", "deployments"],
    judge: perCluster(judgePodSecurity),
  }),
  license: make.license.ofSymptom(clusterSymptoms.license),
  licenseUnknown: make.license.ofSymptom(aheadSymptoms.licenseUnknown, { vouched: true }),
  licenseExpired: make.license.ofSymptom(clusterSymptoms.licenseExpired),
  databaseOld: make.databases.shared(clusterFindings.databaseOld, {
    title: `Every database runs engine version ${formatEngineVersion(lowest)} or later`,
    needs: products,
    judge: (situation) =>
      isForNewBase(situation)
        ? perCluster((cluster, { facts }) => findCauses("databaseOld", facts, { ec: cluster }))(
            situation,
          )
        : [],
  }),
  databaseUnknown: make.databases.shared(clusterFindings.databaseUnknown, {
    title: "Every database reports its engine version",
    needs: products,
    vouched: true,
    judge: perCluster((cluster, { facts }) =>
      listDatabases(facts, cluster)
        .filter(
          ({ version, object }) => version === undefined && listRunning(facts, object).length === 0,
        )
        .map(({ label }) => ({
          object: label,
          cause: "neither spec nor status reports its version",
        })),
    ),
  }),
  autoUserModules: make.modules.ofSymptom(aheadSymptoms.autoUserModules),
  moduleUndefined: make.modules.shared(clusterFindings.moduleUndefined, {
    title: text`Every module of a database is bundled, or defined in its ${ec}`,
    needs: products,
    judge: perCluster((cluster, situation) => {
      const { facts, names } = situation;
      const { fields } = names;
      const [field, published] = [fields.userDefinedModules, fields.statusModules].map(fieldText);
      const open = listUnpublishedModules(facts, cluster).map((module) =>
        on(cluster, `whether ${module} is bundled is not known: no modules are published yet`, {
          severity: "warning",
          field: published,
          fix: `write the bundled module's own name, or check again once ${published} is there`,
        }),
      );
      const missing = listUndefinedModules(facts, cluster)
        .filter(({ module }) => !isRetiredBy(situation, cluster, module))
        .map((used) =>
          on(cluster, used.says, { field, remedies: listModuleWays(facts, cluster, used) }),
        );
      return [...missing, ...open];
    }),
  }),
  moduleRetired: make.modules.shared(clusterFindings.moduleRetired, {
    title: "No module at the end of its life is listed",
    needs: [],
    may: [...products, "deployments"],
    judge: perCluster(judgeRetired),
  }),
} satisfies Readonly<Record<string, Check>>;

/** The checks without which some part of the upgrade may not begin, in the order of the catalogue. */
const ordered: readonly Check[] = Object.values(prerequisites);

const wholeActs = ["upgrade-operator", "upgrade-cluster"] as const satisfies readonly AdvisedAct[];

/** Those of them that are rows of advisories: of one act alone, or of all. */
function withAdvisories(
  target: AdvisedTarget,
  acts: readonly AdvisedAct[] = wholeActs,
): readonly Check[] {
  return [...ordered, ...listForbiddingChecks(target, acts)];
}

/** Their codes. */
export function listPrerequisiteCodes(target: AdvisedTarget): readonly string[] {
  return withAdvisories(target).map(({ code }) => code);
}

/** The same by what ships with the tool. */
export const prerequisiteCodes: readonly string[] = listPrerequisiteCodes({});

/** The lists that the prerequisites of an EC are judged by. */
export function listPrerequisiteKeys(target: AdvisedTarget): readonly FactKey[] {
  return listNeeds(withAdvisories(target, ["upgrade-cluster"]));
}

/** Judges only the prerequisites. */
export function judgePrerequisites(
  facts: Facts,
  target: CheckTarget,
  { skip, acts }: { readonly skip: readonly Skip[]; readonly acts?: readonly AdvisedAct[] },
): Judgment {
  const situation = describeSituation(facts, target);
  return judgeBy(withAdvisories(target, acts), situation, { skip, acts: true });
}

/** Those of the operator alone: one that starts has to find its namespaces in order, which a whole upgrade sees to. */
const ofOperator: readonly Check[] = [...stopSymptoms, namespaceLost].map((row) =>
  make.operator.ofSymptom(row),
);

/** The lists that the operator's prerequisites are judged by. */
export function listOperatorPrerequisiteKeys(target: AdvisedTarget): readonly FactKey[] {
  return listNeeds([...withAdvisories(target, ["upgrade-operator"]), ...ofOperator]);
}

/** Judges what an upgrade of the operator alone cannot begin without. */
export function judgeOperatorPrerequisites(
  facts: Facts,
  target: CheckTarget,
  skip: readonly Skip[],
): Judgment {
  const list = [...withAdvisories(target, ["upgrade-operator"]), ...ofOperator];
  return judgeBy(list, describeSituation(facts, target), { skip, acts: true });
}

/** What the plan of an act warns of, and what does not forbid it. */
export function warnOfReleases(
  facts: Facts,
  target: CheckTarget,
  act: AdvisedAct,
): readonly Diagnosed[] {
  return judgeWarning(chooseRows(target), act, makeScene(describeSituation(facts, target)));
}

function listNeeds(checks: readonly (Check & Partial<AdvisoryCheck>)[]): readonly FactKey[] {
  return [
    ...new Set(checks.flatMap(({ needs, rows = [] }) => [...needs, ...rows.flatMap(listFacts)])),
  ];
}
