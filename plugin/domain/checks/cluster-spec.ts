/** The EC's spec: images, policy, and the two spellings of the automatic upgrade (domain facts 7, 13). */
import { clusterFindings } from "../cluster/codes";
import { usualPullPolicy } from "../cluster/edits";
import { autoPaths } from "../served-fields";
import { lastFile } from "../operator/managers";
import { isSameTag } from "../versions";
import { isUnknownPolicy } from "../rules/upgrade-policy";
import { at, shown, text } from "../values";
import { type Check, checksOf, type Found, on, perCluster } from "./check";
import { judgeSecrets } from "./secrets";
import type { Situation } from "./situation";

const { error, ofCause, shared, warning } = checksOf("cluster");
const needs = ["ecs"] as const;

/** The checks of the EC's spec. */
export const clusterSpecChecks: readonly Check[] = [
  error("CLUSTER-IMAGE-INCOMPLETE", "S48", {
    title: "The image spec is whole where there is one",
    cause: "the EC's image spec lacks a field that it must have once it is there",
    fix: "set both tag and pull policy, or remove the whole image spec",
    needs,
    judge: perCluster((cluster, { names: { ecFields } }) => {
      const paths = [ecFields.versionTag, ecFields.imagePullPolicy];
      if (at(cluster, ecFields.versionTag.slice(0, -1)) === undefined) return [];
      return paths
        .filter((path) => text(at(cluster, path)) === undefined)
        .map((path) =>
          on(cluster, `${path.join(".")} is absent`, {
            field: path.join("."),
            ...(path === ecFields.imagePullPolicy && filledIn),
          }),
        );
    }),
  }),
  ofCause("digestPinned", {
    title: "No image is pinned by digest where upgrades are automatic",
    needs,
  }),
  warning("CLUSTER-HELPER-IMAGES", "domain facts 7", {
    title: "Bootstrapper and services rigger are of the operator's release",
    cause: "the tag of the bootstrapper or of the services rigger is not the operator's release",
    fix: "set it to the operator's release, or remove that image spec",
    needs: ["ecs", "deployments"],
    judge: perCluster((cluster, { installed, names: { ecFields } }) => {
      const leaf = ecFields.versionTag.slice(-1);
      const paths = [ecFields.bootstrapperImage, ecFields.riggerImage].map((one) => [
        ...one,
        ...leaf,
      ]);
      return paths.flatMap((path) => {
        const tag = text(at(cluster, path));
        if (tag === undefined || installed === undefined || isSameTag(tag, installed.tag))
          return [];
        const cause = `${path.join(".")} is ${tag}, the operator ${installed.tag}`;
        return [on(cluster, cause, { field: path.join(".") })];
      });
    }),
  }),
  error("CLUSTER-PULL-SECRET", "S17", {
    title: "The Secrets for pulling images are there",
    cause: "a Secret that the EC names for pulling images does not exist",
    fix: "make the Secret in the EC's namespace, or take it off the list",
    needs: ["ecs", "ercs", "namedSecrets"],
    judge: (situation) => judgeSecrets(situation, "pull"),
  }),
  warning("CLUSTER-POLICY-UNKNOWN", "C20", {
    title: "The upgrade policy is a known one",
    cause: "the EC's upgrade policy is none of the known ones, and counts as none",
    fix: "set it to one of the two known policies, or remove it",
    needs,
    judge: perCluster((cluster, { names }) => {
      const path = names.fields.engineUpgradePolicy;
      const policy = at(cluster, path);
      if (!isUnknownPolicy(policy, names)) return [];
      return [on(cluster, `its policy is ${shown(policy)}`, { field: path.join(".") })];
    }),
  }),
  shared(clusterFindings.autoConflicting, {
    title: "The spellings of the automatic upgrade agree",
    needs,
    judge: perCluster((cluster, { names }) => {
      const said = saidIn(cluster, names);
      if (new Set(said.map(({ value }) => value)).size < 2) return [];
      const all = said.map(({ field, value }) => `${field} is ${shown(value)}`).join(", ");
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

/** The upgrade of the EC writes the pull policy with the tag. */
const filledIn: Partial<Found> = {
  severity: "warning",
  fix: `nothing: upgrade-cluster writes ${usualPullPolicy} with the tag`,
};

/** Each spelling that is there. */
function saidIn(
  cluster: unknown,
  names: Situation["names"],
): readonly { readonly field: string; readonly value: unknown }[] {
  return autoPaths(names)
    .map((path) => ({ field: path.join("."), value: at(cluster, path) }))
    .filter(({ value }) => value !== undefined);
}
