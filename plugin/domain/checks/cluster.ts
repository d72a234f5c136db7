/** The EC: its state, its pods, its release (S10, S57, S70, S71; domain facts 7, 11). */
import { termOf } from "../names";
import { clusterFindings } from "../cluster/codes";
import { factNamed } from "../facts";
import type { KubeObject } from "../objects";
import { ownerOf } from "../owners";
import { clusterVersionFor } from "../release/platforms";
import { isSameTag } from "../versions";
import { runningVersion } from "../rollout/cluster";
import { at, text } from "../values";
import { type Check, checksOf, on, perCluster } from "./check";
import { nameOf, namespaceOf, type Situation } from "./situation";

const { shared, warning } = checksOf("cluster");
const needs = ["ecs"] as const;

/** States that an EC leaves by itself (domain facts 7). */
const moving = ["Upgrade", "RunningRollingUpdate"];
const standing = ["Running", "InvalidUpgrade"];

const stateOf = (cluster: KubeObject, { names }: Situation): string =>
  text(at(cluster, names.ecFields.state)) ?? "not told";
const deleting = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;

/** The checks of the EC's state. */
export const clusterChecks: readonly Check[] = [
  warning("CLUSTER-NONE", "S9", {
    title: "The operator has a cluster",
    cause: "the operator's namespace holds no EC: there is nothing to upgrade but the operator",
    fix: "give the namespace of operator and EC with -n, if this is another one",
    needs,
    judge: ({ clusters, facts }) =>
      clusters.length === 0
        ? [
            {
              object: `Namespace/${facts.namespace}`,
              cause: `it holds no ${termOf(facts.names.ec)}`,
            },
          ]
        : [],
  }),
  shared(clusterFindings.deleting, {
    title: "No EC is being deleted",
    needs,
    judge: perCluster((cluster) =>
      deleting(cluster) ? on(cluster, "it is being deleted") : undefined,
    ),
  }),
  shared(clusterFindings.state, {
    title: "Every EC is in a state from which an upgrade begins",
    needs,
    judge: perCluster((cluster, situation) => {
      const state = stateOf(cluster, situation);
      if (deleting(cluster) || [...moving, ...standing].includes(state)) return undefined;
      return on(cluster, `its state is ${state}`, {
        field: situation.names.ecFields.state.join("."),
      });
    }),
  }),
  // an upgrade that goes on is resumed: only a new one has to wait
  shared(
    { ...clusterFindings.busy, severity: "warning" },
    {
      title: "No rolling upgrade or restart is under way",
      needs,
      judge: perCluster((cluster, situation) => {
        const state = stateOf(cluster, situation);
        if (!moving.includes(state)) return undefined;
        const cause = `its state is ${state}: edits of databases may be denied until it is Running`;
        return on(cluster, cause, { field: situation.names.ecFields.state.join(".") });
      }),
    },
  ),
  // its cause is judged by itself, and the next edit may be its cure
  shared(
    { ...clusterFindings.invalidUpgrade, severity: "warning" },
    {
      title: "The operator has refused no upgrade",
      needs: ["ecs", "events"],
      judge: perCluster((cluster, situation) => {
        if (stateOf(cluster, situation) !== "InvalidUpgrade") return undefined;
        const said = warningOf(cluster, situation);
        const cause = `its state is InvalidUpgrade${said === undefined ? "" : `: ${said}`}`;
        return on(cluster, cause, { field: situation.names.ecFields.state.join(".") });
      }),
    },
  ),
  shared(clusterFindings.specInvalid, {
    title: "The operator accepts every EC's spec",
    needs,
    judge: perCluster((cluster, situation) => {
      const path = situation.names.ecFields.specStatus;
      const status = text(at(cluster, path)) ?? "Valid";
      // of a refused upgrade the check of the state tells
      if (status === "Valid" || stateOf(cluster, situation) === "InvalidUpgrade") return undefined;
      return on(cluster, `its spec status is ${status}`, { field: path.join(".") });
    }),
  }),
  shared(
    { ...clusterFindings.owned, severity: "warning" },
    {
      title: "Nobody else writes the EC",
      needs,
      judge: perCluster((cluster) => {
        const owner = ownerOf(cluster);
        return owner && on(cluster, `${owner.name} owns it`, { fix: owner.way });
      }),
    },
  ),
  warning("CLUSTER-BEHIND-OPERATOR", "S10", {
    title: "The EC is at the release that its operator manages",
    cause:
      "the operator was upgraded and the EC was not: until it is, the operator manages neither EC nor databases",
    fix: "upgrade the EC soon: upgrade-cluster --target with the tag that is named",
    needs: ["ecs", "deployments"],
    judge: perCluster((cluster, { installed, names }) => {
      const path = names.ecFields.versionTag;
      const tag = text(at(cluster, path));
      if (tag === undefined || installed === undefined) return undefined;
      const managed = clusterVersionFor(installed.tag);
      if (managed === undefined || isSameTag(tag.replace(/\.minimal$/, ""), managed))
        return undefined;
      return on(cluster, `its tag is ${tag}, operator ${installed.tag} manages ${managed}`, {
        field: path.join("."),
      });
    }),
  }),
  warning("CLUSTER-PODS-BEHIND", "domain facts 7", {
    title: "Every pod runs the EC's tag",
    cause: "the EC is Running, and pods of it run another image than its spec asks for",
    fix: "see what keeps the operator from rolling the pods: its log, and events of the StatefulSet",
    needs: ["ecs", "pods", "statefulSets"],
    judge: perCluster((cluster, situation) => {
      const tag = text(at(cluster, situation.names.ecFields.versionTag));
      if (tag === undefined || stateOf(cluster, situation) !== "Running") return undefined;
      const others = runningVersion(situation.facts, cluster).filter((one) => !isSameTag(one, tag));
      if (others.length === 0) return undefined;
      return on(cluster, `it asks for ${tag}, and pods run ${others.join(", ")}`);
    }),
  }),
  warning("CLUSTER-PODS-NOT-READY", "domain facts 11", {
    title: "Every pod of a Running EC is ready",
    cause: "the EC says Running, and not all of its pods are ready: the state may be stale",
    fix: "see why with kubectl describe pod; bring all nodes up before the upgrade takes one down",
    needs: ["ecs", "statefulSets"],
    judge: perCluster((cluster, situation) => {
      const [name, namespace] = [nameOf(cluster), namespaceOf(cluster)];
      const set = factNamed(situation.facts, "statefulSets", { name, namespace });
      if (set === undefined || stateOf(cluster, situation) !== "Running") return undefined;
      const wanted = Number(at(set, ["spec", "replicas"]) ?? 1);
      const ready = Number(at(set, ["status", "readyReplicas"]) ?? 0);
      return ready < wanted ? on(set, `${ready} of ${wanted} pods are ready`) : undefined;
    }),
  }),
];

/** What the operator's last warning about it says; events are kept for an hour or so. */
function warningOf({ metadata }: KubeObject, { facts, names }: Situation): string | undefined {
  const warnings = facts.objects.events.filter(
    (event) =>
      event["type"] === "Warning" &&
      at(event, ["involvedObject", "kind"]) === names.ec.kind &&
      at(event, ["involvedObject", "name"]) === metadata.name,
  );
  return warnings.map((event) => text(event["message"])).at(-1);
}
