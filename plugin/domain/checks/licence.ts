/** The EC's license: valid, for a while yet, with room (S59, S60, S114, S117, S125). */
import { causesOf } from "../cluster/causes";
import { clusterFindings } from "../cluster/codes";
import type { KubeObject } from "../objects";
import { daysUntil } from "../duration";
import { at, text } from "../values";
import { type Check, checksOf, on, perCluster } from "./check";
import type { Situation } from "./situation";
import { judgeSecrets } from "./secrets";

const { error, ofCause, shared, warning } = checksOf("licence");
const needs = ["ecs"] as const;
const soon = 30;

/** The checks of the license. */
export const licenceChecks: readonly Check[] = [
  ofCause("license", { title: "The license is valid", needs }),
  shared(clusterFindings.licenseUnknown, {
    title: "The EC tells the state of its license",
    needs,
    vouched: true,
    judge: perCluster((cluster, { names }) => {
      const path = names.ecFields.licenseState;
      if (text(at(cluster, path)) !== undefined) return [];
      return [on(cluster, "its status tells no state of the license", { field: path.join(".") })];
    }),
  }),
  error("LICENSE-EXPIRED", "S60", {
    title: "The license has not expired",
    cause: "the day on which the license expires is past, whatever its state still says",
    fix: "put in a new license",
    needs,
    judge: perCluster((cluster, situation) => {
      const { days, field, until } = expiryOf(cluster, situation);
      // of an invalid license the check of its state tells
      if (
        days === undefined ||
        days >= 0 ||
        causesOf("license", situation.facts, { ec: cluster }).length > 0
      )
        return [];
      return [on(cluster, `its license expired ${until}`, { field })];
    }),
  }),
  warning("LICENSE-EXPIRES-SOON", "S60", {
    title: `The license is good for more than ${soon} days`,
    cause: `the license expires within ${soon} days; settings of databases cannot be changed then`,
    fix: "put in a new license before that day",
    needs,
    judge: perCluster((cluster, situation) => {
      const { days, field, until } = expiryOf(cluster, situation);
      if (days === undefined || days < 0 || days >= soon) return [];
      return [on(cluster, `its license expires ${until}, days left: ${days}`, { field })];
    }),
  }),
  warning("LICENSE-SHARDS", "S117", {
    title: "The license leaves shards",
    cause: "all shards of the license are in use",
    fix: "take a larger license, or remove databases that nobody needs",
    needs,
    judge: perCluster((cluster, { names: { ecFields } }) => {
      const [used, limit] = [ecFields.shardsUsage, ecFields.shardsLimit].map((path) =>
        at(cluster, path),
      );
      if (typeof used !== "number" || typeof limit !== "number" || used < limit) return [];
      return [on(cluster, `${used} of ${limit} shards`, { field: ecFields.shardsUsage.join(".") })];
    }),
  }),
  warning("LICENSE-TWICE", "domain facts 7", {
    title: "The license comes from one place",
    cause: "the EC has its license both in its spec and in a Secret",
    fix: "keep one of the two: the Secret hides the text from whoever reads the EC",
    needs,
    judge: perCluster((cluster, { names: { ecFields } }) => {
      const both = [ecFields.license, ecFields.licenseSecretName];
      if (both.some((path) => text(at(cluster, path)) === undefined)) return [];
      return [on(cluster, "it has both", { field: ecFields.license.join(".") })];
    }),
  }),
  error("LICENSE-SECRET", "domain facts 7", {
    title: "The Secret with the license is there",
    cause: "the Secret that the EC takes its license from is absent or lacks the item",
    fix: "make the Secret with the license in the item that is named",
    needs: ["ecs", "ercs", "namedSecrets"],
    judge: (situation) => judgeSecrets(situation, "license"),
  }),
];

function expiryOf(cluster: KubeObject, { facts, names }: Situation) {
  const path = names.ecFields.licenseExpiration;
  const until = text(at(cluster, path)) ?? "";
  return { field: path.join("."), until, days: daysUntil(until, facts.now) };
}
