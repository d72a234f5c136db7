/**
 * The checks without which an operator or an EC may not be upgraded: the upgrade would freeze, or break into work of
 * the operator (S113, S121-S127; domain facts 7). Each is an entry of its room's list as well.
 */
import { ec, text } from "../names/text";
import { fieldText } from "../rules/fields";
import { asString, getPath } from "../base/values";
import type { Skip } from "../base/skip";
import { formatEngineVersion, isOlder, isSameRelease } from "../base/versions";
import {
  findCauses,
  listDatabases,
  listModuleWays,
  lowest,
  listUndefinedModules,
  listUnpublishedModules,
  listUsedModules,
} from "../engine-cluster/causes";
import { listRunning } from "../engine-cluster/database-versions";
import { clusterFindings } from "../engine-cluster/findings";
import { aheadSymptoms, clusterSymptoms } from "../engine-cluster/symptoms";
import type { FactKey, Facts } from "../facts/facts";
import { enforceLabel } from "../kube/pod-security";
import type { KubeObject } from "../kube/objects";
import { type Check, makeChecks, on, perCluster } from "./check";
import type { Found } from "../diagnosis/symptom";
import {
  activeActiveDatabases,
  type CheckContext,
  type CheckTarget,
  findGoal,
  isBefore,
  isForNewBase,
  describeSituation,
  parseTag,
  type Tagged,
} from "./context";
import { judgeBy, type Judgment } from "./judge";
import { namespaceLost, stopSymptoms } from "../rbac/symptoms";
import { platformPrerequisites } from "./platform";
import { judgePodSecurity } from "./pod-security";
import { isRetiredBy, judgeRetired, listTags } from "./retired-modules";

const make = {
  operator: makeChecks("operator"),
  release: makeChecks("release"),
  cluster: makeChecks("cluster"),
  license: makeChecks("license"),
  databases: makeChecks("databases"),
  modules: makeChecks("modules"),
  activeActive: makeChecks("active-active"),
};

const oldestOperator = "7.4.2-2";
/** The first operator that upgrades active-active databases (S127). */
export const oldestForActiveActive = "8.0.2-2";
const newBase = "7.8.2-6";
const withoutModules = ["8.0.2-2", "8.0.2-6"];
const products = ["ecs", "edbs", "eaadbs"] as const;

/** The checks by name, for the lists of their rooms. */
export const prerequisites = {
  ...platformPrerequisites,
  operatorTooOld: make.operator.error("OPERATOR-TOO-OLD", "S122", {
    title: `The operator is at ${oldestOperator} or later`,
    cause: `the operator is older than ${oldestOperator}, and cannot be upgraded directly to 7.8.2-6 or later`,
    fix: `upgrade the operator and the cluster to ${oldestOperator} or later first, then continue from there`,
    needs: ["deployments"],
    judge: (situation) => {
      const { deployment, installed } = situation;
      if (deployment === undefined || installed === undefined) return [];
      if (!isForNewBase(situation) || !isBefore(installed, oldestOperator)) return [];
      return [on(deployment, `the operator is at ${installed.tag}, older than ${oldestOperator}`)];
    },
  }),
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
  releasePath: make.release.error("RELEASE-PATH", "Facts 8", {
    title: "The target release may follow what runs",
    cause: "this release cannot follow the one that runs",
    fix: "upgrade to a release in between first, then from there to this one",
    needs: ["deployments", "ecs"],
    wants: "version",
    judge: judgePath,
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
  moduleOsBase: make.modules.error("MODULE-OS-BASE", "S103", {
    vouched: true,
    title: "No user-defined module has to be rebuilt for the new OS base",
    cause: `from ${newBase} on, nodes run on a newer OS base: module builds for it must be installed first`,
    fix: "install builds for the new OS base first, and check in the REST API's list of modules that they are there",
    needs: [...products, "deployments"],
    judge: judgeOsBase,
  }),
  moduleRelease: make.modules.error("MODULE-RELEASE", "Facts 8", {
    title: "The release supports user-defined modules",
    cause: `operators ${withoutModules.join(" and ")} do not support user-defined modules`,
    fix: "choose a later release, or remove the modules",
    needs: products,
    wants: "version",
    judge: ({ wanted, ...situation }) =>
      wanted !== undefined && withoutModules.some((tag) => isSameRelease(wanted.tag, tag))
        ? modulesInUse({ wanted, ...situation }).map(({ cluster, modules }) =>
            on(cluster, `${modules.join(", ")} in use, which ${wanted.tag} does not support`),
          )
        : [],
  }),
  activeActiveOperator: make.activeActive.error("ACTIVE-ACTIVE-OPERATOR", "S127", {
    title: `Active-active databases are upgraded by operator ${oldestForActiveActive} or later`,
    cause: `an operator before ${oldestForActiveActive} does not upgrade active-active databases`,
    fix: `upgrade the operator to ${oldestForActiveActive} or later, on every participating cluster`,
    needs: ["eaadbs", "ecs", "namespaces", "deployments", "configMaps"],
    judge: (situation) => {
      const goal = findGoal(situation);
      if (goal === undefined || !isBefore(goal, oldestForActiveActive)) return [];
      return activeActiveDatabases(situation).map((one) =>
        on(one, `with operator ${goal.tag} it cannot be upgraded`),
      );
    },
  }),
} satisfies Readonly<Record<string, Check>>;

interface ReleaseRule {
  readonly says: string;
  /** What to do instead; absent: a release in between. */
  readonly fix?: string;
  readonly forbids: (goal: Tagged, from: Tagged, ec: Tagged | undefined) => boolean;
}

const line = ({ release }: Tagged, major: number, minor?: number): boolean =>
  release.numbers[0] === major && (minor === undefined || release.numbers[1] === minor);
const same = (one: Tagged, tag: string): boolean => isSameRelease(one.tag, tag);

/** The forbidden ways of domain facts 8; S122 and the active-active ones are checks of their own. */
const rules: readonly ReleaseRule[] = [
  {
    says: "6.2.18 and later need 6.2.10-45 or later",
    forbids: (goal, from) =>
      !isBefore(goal, "6.2.18-0") && isBefore(goal, "7.8.2-6") && isBefore(from, "6.2.10-45"),
  },
  {
    says: "8.0.20-26 does not follow 7.22.2-43",
    fix: "stay at 7.22.2-43 until a later release of 8.0.20 is there, and upgrade to that one",
    forbids: (goal, from) => same(goal, "8.0.20-26") && same(from, "7.22.2-43"),
  },
  {
    says: "7.2.4-2 and 7.2.4-7 do not follow 6.4.2-8",
    fix: "choose another release than these two",
    forbids: (goal, from) =>
      same(from, "6.4.2-8") && ["7.2.4-2", "7.2.4-7"].some((tag) => same(goal, tag)),
  },
  {
    says: "a cluster of 6.4 goes only to 8.0.2 up to 8.0.10, any other of 6.x to no 8.x",
    forbids: (goal, _from, ec) =>
      ec !== undefined &&
      line(goal, 8) &&
      isBefore(ec, "7.2.0-0") &&
      !(line(ec, 6, 4) && line(goal, 8, 0) && isBefore(goal, "8.0.11-0")),
  },
];

function judgePath({
  deployment,
  installed,
  wanted,
  clusters,
  names,
}: CheckContext): readonly Found[] {
  if (deployment === undefined || installed === undefined || wanted === undefined) return [];
  const tags = clusters.map((cluster) =>
    parseTag(asString(getPath(cluster, names.ecFields.versionTag))),
  );
  return rules
    .filter(({ forbids }) => [undefined, ...tags].some((ec) => forbids(wanted, installed, ec)))
    .map(({ says, fix }) =>
      on(deployment, `${wanted.tag} cannot follow: ${says}`, fix === undefined ? {} : { fix }),
    );
}

/** Each EC with the user-defined modules that its databases use; of one at the end of its life its own check tells. */
function modulesInUse(
  situation: CheckContext,
): readonly { readonly cluster: KubeObject; readonly modules: readonly string[] }[] {
  return situation.clusters
    .map((cluster) => ({
      cluster,
      modules: listUsedModules(situation.facts, cluster)
        .map(({ module }) => module)
        .filter((module) => !isRetiredBy(situation, cluster, module)),
    }))
    .filter(({ modules }) => modules.length > 0);
}

/** Which builds are installed no object tells; nodes are on the old base until their own tag is of the new one. */
function judgeOsBase(situation: CheckContext): readonly Found[] {
  if (!isForNewBase(situation)) return [];
  const old = ({ cluster }: { readonly cluster: KubeObject }): boolean => {
    const tags = listTags(cluster, situation);
    return tags.length === 0 || tags.some((tag) => isOlder(tag, newBase));
  };
  return modulesInUse(situation)
    .filter(old)
    .map(({ cluster, modules }) =>
      on(
        cluster,
        `databases use ${modules.join(", ")}; which builds are installed cannot be seen here`,
      ),
    );
}

/** The checks without which some part of the upgrade may not begin, in the order of the catalogue. */
const ordered: readonly Check[] = Object.values(prerequisites);

/** Their codes. */
export const prerequisiteCodes: readonly string[] = ordered.map(({ code }) => code);

/** The lists that the prerequisites are judged by. */
export const prerequisiteKeys: readonly FactKey[] = listNeeds(ordered);

/** Judges only the prerequisites. */
export function judgePrerequisites(
  facts: Facts,
  target: CheckTarget,
  skip: readonly Skip[],
): Judgment {
  return judgeBy(ordered, describeSituation(facts, target), { skip });
}

/** Those of the operator alone: one that starts has to find its namespaces in order, which a whole upgrade sees to. */
const ofOperator: readonly Check[] = [
  ...ordered,
  ...[...stopSymptoms, namespaceLost].map((row) => make.operator.ofSymptom(row)),
];

/** The lists that the operator's prerequisites are judged by. */
export const operatorPrerequisiteKeys: readonly FactKey[] = listNeeds(ofOperator);

/** Judges what an upgrade of the operator alone cannot begin without. */
export function judgeOperatorPrerequisites(
  facts: Facts,
  target: CheckTarget,
  skip: readonly Skip[],
): Judgment {
  return judgeBy(ofOperator, describeSituation(facts, target), { skip });
}

function listNeeds(checks: readonly Check[]): readonly FactKey[] {
  return [...new Set(checks.flatMap(({ needs }) => needs))];
}
