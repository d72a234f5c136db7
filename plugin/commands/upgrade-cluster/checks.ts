/** The EC: its state, its pods, its release (S10, S57, S70, S71; domain facts 7, 11). */
import { prerequisites } from "../../domain/checks/prerequisites";
import { ec, text } from "../../domain/names/text";
import { renderTerm } from "../../domain/names/names";
import { clusterFindings } from "../../domain/engine-cluster/findings";
import { findOwnership } from "../../domain/engine-cluster/operator";
import { isSameTag } from "../../domain/base/versions";
import { licenseExpiry, licenseRemedies } from "../../domain/engine-cluster/license";
import { readRunningVersion } from "../../domain/engine-cluster/rollout";
import { getPath, pick, renderValue, asString } from "../../domain/base/values";
import { type Check, makeChecks, on, perCluster } from "../../domain/checks/check";
import type { CheckContext } from "../../domain/checks/context";
import { usualPullPolicy } from "../../domain/engine-cluster/edits";
import { autoPaths } from "../../domain/engine-cluster/fields";
import { lastFile } from "../../domain/kube/field-managers";
import { isUnknownPolicy } from "../../domain/rules/upgrade-policy";
import { judgeUse } from "../../domain/checks/secrets";
import { standstillChecks } from "./standstill-checks";
import { aheadSymptoms, clusterSymptoms } from "../../domain/engine-cluster/symptoms";
import { helperFindings } from "../../domain/engine-cluster/helper-images";

const { error, ofSymptom, shared, warning } = makeChecks("cluster");
const needs = ["ecs"] as const;

/** The checks of the EC's state. */
export const clusterChecks: readonly Check[] = [
  warning("CLUSTER-NONE", "S9", {
    title: "The operator has a cluster",
    cause: text`the operator's namespace holds no ${ec}: there is nothing to upgrade but the operator`,
    fix: text`give the namespace of operator and ${ec} with -n, if this is another one`,
    needs,
    judge: ({ clusters, facts }) =>
      clusters.length === 0
        ? [
            {
              object: `Namespace/${facts.namespace}`,
              cause: `it holds no ${renderTerm(facts.names.ec)}`,
            },
          ]
        : [],
  }),
  ofSymptom(aheadSymptoms.state),
  ofSymptom(aheadSymptoms.busy, {
    judge: (scene) =>
      [aheadSymptoms.busy, aheadSymptoms.restarting].flatMap(({ judge }) => judge(scene)),
  }),
  ofSymptom(
    { ...clusterSymptoms.invalidUpgrade, severity: "warning" },
    { needs: ["ecs", "events"] },
  ),
  ofSymptom(clusterSymptoms.specInvalid),
  shared(
    { ...clusterFindings.owned, severity: "warning" },
    {
      title: text`Nobody else writes the ${ec}`,
      needs,
      judge: perCluster((cluster, { facts }) =>
        findOwnership(cluster, facts).map((one) => pick(one, "object", "cause", "fix")),
      ),
    },
  ),
  ofSymptom(aheadSymptoms.behindOperator),
  warning("CLUSTER-PODS-BEHIND", "Facts 7", {
    title: text`Every pod runs the ${ec}'s tag`,
    cause: text`the ${ec} is Running, and pods of it run another image than its spec asks for`,
    fix: "find out what keeps the operator from rolling the pods: its log, and events of the StatefulSet",
    needs: ["ecs", "pods", "statefulSets"],
    judge: perCluster((cluster, situation) => {
      const tag = asString(getPath(cluster, situation.names.ecFields.versionTag));
      if (tag === undefined || getPath(cluster, situation.names.ecFields.state) !== "Running")
        return undefined;
      const pinned = asString(getPath(cluster, situation.names.ecFields.digestHash));
      const others = readRunningVersion(situation.facts, cluster).filter((one) =>
        // a digest that the spec does not ask for is what a tag was turned into: it tells no release
        one.startsWith(digestStart) ? isOtherDigest(one, pinned) : !isSameTag(one, tag),
      );
      if (others.length === 0) return undefined;
      return on(cluster, `it asks for ${tag}, and pods run ${others.join(", ")}`);
    }),
  }),
  ...standstillChecks,
];

const digestStart = "sha256:";

/** The digest that runs is shown by its first digits. */
function isOtherDigest(runs: string, pinned: string | undefined): boolean {
  const asked = pinned?.replace(digestStart, "");
  return asked !== undefined && !asked.startsWith(runs.slice(digestStart.length));
}

/** The checks of the EC's spec. */
export const clusterSpecChecks: readonly Check[] = [
  warning("CLUSTER-IMAGE-INCOMPLETE", "S48", {
    title: "The image spec is whole where there is one",
    cause: text`the ${ec}'s image spec leaves out its tag or its pull policy, which the operator fills in`,
    fix: "nothing: upgrade-cluster writes both, and keeps the repository",
    needs,
    judge: perCluster((cluster, { names: { ecFields } }) => {
      if (getPath(cluster, ecFields.versionTag.slice(0, -1)) === undefined) return [];
      return [
        { path: ecFields.versionTag, written: "the tag" },
        { path: ecFields.imagePullPolicy, written: `${usualPullPolicy} with the tag` },
      ]
        .filter(({ path }) => asString(getPath(cluster, path)) === undefined)
        .map(({ path, written }) =>
          on(cluster, `${path.join(".")} is absent`, {
            field: path.join("."),
            fix: `nothing: upgrade-cluster writes ${written}`,
          }),
        );
    }),
  }),
  ofSymptom(clusterSymptoms.scaled),
  prerequisites.resizing,
  prerequisites.podSecurity,
  ofSymptom(aheadSymptoms.digestPinned),
  shared(clusterFindings.helperImages, {
    title: "Bootstrapper, services rigger and call-home client are of the operator's release",
    needs: ["ecs", "deployments"],
    judge: perCluster((cluster, { installed, wanted, names }) => {
      if (installed === undefined) return [];
      // the upgrade moves tags of the release that runs, and keeps those of the one that is wanted
      const fits = [installed, wanted].flatMap((one) => one?.tag ?? []);
      return helperFindings(cluster, names, { operator: installed.tag, fits });
    }),
  }),
  error("CLUSTER-PULL-SECRET", "S17", {
    title: "The Secrets for pulling images are there",
    cause: text`a Secret that the ${ec} names for pulling images does not exist`,
    fix: text`create the Secret in the ${ec}'s namespace, or take it off the list`,
    needs: ["ecs", "ercs", "namedSecrets"],
    judge: (situation) => judgeUse(situation, "pull"),
  }),
  warning("CLUSTER-POLICY-UNKNOWN", "C20", {
    title: "The upgrade policy is a known one",
    cause: text`the ${ec}'s upgrade policy is not a known one, and counts as not set`,
    fix: "set it to one of the two known policies, or remove it",
    needs,
    judge: perCluster((cluster, { names }) => {
      const path = names.fields.engineUpgradePolicy;
      const policy = getPath(cluster, path);
      if (!isUnknownPolicy(policy, names)) return [];
      return [on(cluster, `its policy is ${renderValue(policy)}`, { field: path.join(".") })];
    }),
  }),
  shared(clusterFindings.autoConflicting, {
    title: "The spellings of the automatic upgrade agree",
    needs,
    judge: perCluster((cluster, { names }) => {
      const said = saidIn(cluster, names);
      if (new Set(said.map(({ value }) => value)).size < 2) return [];
      const all = said.map(({ field, value }) => `${field} is ${renderValue(value)}`).join(", ");
      return [on(cluster, all, { field: said.map(({ field }) => field).join(", ") })];
    }),
  }),
  shared(clusterFindings.fieldPruned, {
    title: "The automatic upgrade was not dropped",
    needs,
    judge: perCluster((cluster, { names }) => {
      const applied = lastFile(cluster);
      const kept = saidIn(cluster, names).map(({ field }) => field);
      return saidIn(applied, names)
        .filter(({ field }) => !kept.includes(field))
        .map(({ field }) => on(cluster, `${field} was applied and is not there`, { field }));
    }),
  }),
];

/** Each spelling that is there. */
function saidIn(
  cluster: unknown,
  names: CheckContext["names"],
): readonly { readonly field: string; readonly value: unknown }[] {
  return autoPaths(names)
    .map((path) => ({ field: path.join("."), value: getPath(cluster, path) }))
    .filter(({ value }) => value !== undefined);
}

const license = makeChecks("license");
const soon = 30;

/** The checks of the license. */
export const licenceChecks: readonly Check[] = [
  prerequisites.license,
  prerequisites.licenseUnknown,
  prerequisites.licenseExpired,
  license.warning("LICENSE-EXPIRES-SOON", "S60", {
    title: `The license is good for more than ${soon} days`,
    cause: `the license expires within ${soon} days; after that, settings of databases cannot be changed`,
    fix: "set a new license before that day",
    needs,
    judge: perCluster((cluster, { facts, names }) => {
      const { days, field, until } = licenseExpiry(cluster, facts);
      if (days === undefined || days < 0 || days >= soon) return [];
      const remedies = licenseRemedies(cluster, names).map((one) => ({
        ...one,
        says: `before that day, ${one.says}`,
      }));
      const cause = `its license expires ${String(until)}, days left: ${days}`;
      return [on(cluster, cause, { field, remedies })];
    }),
  }),
  license.warning("LICENSE-SHARDS", "S117", {
    title: "The license leaves shards",
    cause: "all shards of the license are in use",
    fix: "get a larger license, or delete databases that nobody needs",
    needs,
    judge: perCluster((cluster, { names: { ecFields } }) => {
      const [used, limit] = [ecFields.shardsUsage, ecFields.shardsLimit].map((path) =>
        getPath(cluster, path),
      );
      if (typeof used !== "number" || typeof limit !== "number" || used < limit) return [];
      return [on(cluster, `${used} of ${limit} shards`, { field: ecFields.shardsUsage.join(".") })];
    }),
  }),
  license.warning("LICENSE-TWICE", "Facts 7", {
    title: "The license comes from one place",
    cause: text`the ${ec} has its license both in its spec and in a Secret`,
    fix: text`keep one of the two: the Secret hides the text from whoever reads the ${ec}`,
    needs,
    judge: perCluster((cluster, { names: { ecFields } }) => {
      const both = [ecFields.license, ecFields.licenseSecretName];
      if (both.some((path) => asString(getPath(cluster, path)) === undefined)) return [];
      return [on(cluster, "it has both", { field: ecFields.license.join(".") })];
    }),
  }),
  license.error("LICENSE-SECRET", "Facts 7", {
    title: "The Secret with the license is there",
    cause: text`the Secret that the ${ec} takes its license from is absent or lacks the item`,
    fix: "create the Secret with the license in the item that is named",
    needs: ["ecs", "ercs", "namedSecrets"],
    judge: (situation) => judgeUse(situation, "license"),
  }),
];
