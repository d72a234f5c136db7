/** What the operator runs on: the platform's version, its nodes, its room (S121; domain facts 8). */
import { isOpenShift, readOpenShiftVersion } from "../facts/facts";
import type { Node } from "../kube/models";
import {
  parsePlatformVersion,
  platformSupport,
  type Standing,
  findStanding,
} from "../release/platforms";
import { asString } from "../base/values";
import { findCondition } from "../kube/typed";
import { type Check, makeChecks, on } from "./check";
import type { Found } from "../diagnosis/symptom";
import { findGoal, type CheckContext } from "./context";

const { error, warning } = makeChecks("platform");
const needs = ["clusterVersions", "constraints", "deployments"] as const;

const platformIs =
  (standing: Standing) =>
  (situation: CheckContext): readonly Found[] => {
    const seen = findStandingHere(situation);
    return seen?.standing === standing
      ? [{ object: namePlatform(situation), cause: seen.cause }]
      : [];
  };

/** Those without which no upgrade may begin. */
export const platformPrerequisites = {
  unsupported: error("PLATFORM-UNSUPPORTED", "S121", {
    title: "The platform is one that the operator supports",
    cause: "the operator does not support the platform's version",
    fix: "upgrade the platform, or choose an operator release that supports it",
    needs,
    judge: platformIs("unsupported"),
  }),
  edge: warning("PLATFORM-EDGE", "S121", {
    title: "The platform is well within the supported versions",
    cause:
      "the platform's version is just outside the published support table, whose copies differ",
    fix: "check in the release notes of the operator whether this version is supported",
    needs,
    judge: platformIs("edge"),
  }),
  versionUnknown: error("PLATFORM-VERSION-UNKNOWN", "S121", {
    title: "The platform reports its version",
    cause:
      "the platform does not report its version, so it is not known whether it is a supported one",
    fix: "check with oc version or kubectl version that the operator supports it",
    needs,
    vouched: true,
    judge: (situation) => {
      const object = namePlatform(situation);
      return isUntold(situation)
        ? [{ object, cause: `this is ${object} of an unknown version` }]
        : [];
    },
  }),
} satisfies Readonly<Record<string, Check>>;

/** The checks of the platform. */
export const platformChecks: readonly Check[] = [
  platformPrerequisites.unsupported,
  platformPrerequisites.edge,
  warning("PLATFORM-DEPRECATED", "S121", {
    title: "The platform's version is not deprecated",
    cause: "the operator still supports the platform's version, a later release will not",
    fix: "plan the upgrade of the platform",
    needs,
    judge: platformIs("deprecated"),
  }),
  warning("PLATFORM-UNKNOWN", "S121", {
    title: "Platform and operator are in the table of supported versions",
    cause: "this tool does not know which versions of this platform the operator supports",
    fix: "check in the release notes of the operator whether this platform is supported",
    needs,
    judge: (situation) => {
      const goal = findGoal(situation);
      if (goal === undefined || isUntold(situation) || findStandingHere(situation) !== undefined) {
        return [];
      }
      const object = namePlatform(situation);
      const version = versionHere(situation);
      const cause =
        version === undefined
          ? `this is ${object}, and its version is not among what was loaded`
          : `operator ${goal.tag} on ${object} ${version} is not listed`;
      return [{ object, cause }];
    },
  }),
  platformPrerequisites.versionUnknown,
  warning("PLATFORM-DISTRIBUTION", "S121", {
    title: "The distribution is one of the table of supported platforms",
    cause:
      "the nodes are of a distribution of Kubernetes that the table of supported platforms does not have",
    fix: "check in the release notes of the operator whether this distribution is supported",
    needs: ["nodes", "clusterVersions", "constraints"],
    judge: ({ facts }) => {
      if (isOpenShift(facts)) return [];
      const other = facts.objects.nodes.filter((node) => readDistribution(node) !== undefined);
      const [first] = other;
      if (first === undefined) return [];
      const told = [...new Set(other.map(readKubelet))].join(", ");
      const cause = `its kubelet is ${told}: a distribution of its own, while the table has plain Kubernetes and OpenShift`;
      return [on(first, cause)];
    },
  }),
  warning("PLATFORM-NODE-NOT-READY", "Facts 11", {
    title: "Every node is ready and takes pods",
    cause: "a node is not ready or takes no pods: the rolling upgrade may lack a place for one",
    fix: "bring the node back, or check that the others have room for the pods of the cluster",
    needs: ["nodes"],
    judge: ({ facts }) =>
      facts.objects.nodes.flatMap((node) => {
        const isReady = findCondition(node, "Ready")?.status === "True";
        if (!isReady) return [on(node, "it is not ready")];
        return node.spec?.unschedulable === true ? [on(node, "it is cordoned")] : [];
      }),
  }),
  warning("PLATFORM-QUOTA-EXHAUSTED", "Facts 11", {
    title: "The namespace's quotas have capacity left",
    cause: "a quota of the operator's namespace is used up: a new pod or Job may be refused",
    fix: "raise the quota before the upgrade",
    needs: ["resourceQuotas"],
    judge: ({ facts }) =>
      facts.objects.resourceQuotas.flatMap((quota) => {
        const { hard, used } = quota.status ?? {};
        const full = Object.entries(hard ?? {})
          .filter(([key, value]) => used?.[key] === value)
          .map(([key, value]) => `${key} ${value}`);
        return full.length === 0 ? [] : [on(quota, `used up: ${full.join(", ")}`)];
      }),
  }),
];

function namePlatform({ facts }: CheckContext): "OpenShift" | "Kubernetes" {
  return isOpenShift(facts) ? "OpenShift" : "Kubernetes";
}

function readKubelet(node: Node): string {
  return asString(node.status?.nodeInfo?.kubeletVersion) ?? "";
}

/** What a distribution adds to the version of Kubernetes that it is made of: `+k3s1`, `-gke.1050`. */
function readDistribution(node: Node): string | undefined {
  return /^v?\d+\.\d+\.\d+[-+](?!alpha|beta|rc)(.+)$/.exec(readKubelet(node))?.[1];
}

/** OpenShift's own version, else the API server's. */
function versionHere(situation: CheckContext): string | undefined {
  const { facts } = situation;
  if (namePlatform(situation) === "Kubernetes") return facts.apiServer;
  return asString(readOpenShiftVersion(facts));
}

/** A dump of OpenShift need not hold its version: that is a limit of the dump, and the kind is not served then. */
function isUntold(situation: CheckContext): boolean {
  const { facts } = situation;
  const dumped = isOpenShift(facts) && facts.unserved.has("clusterVersions");
  return !dumped && parsePlatformVersion(versionHere(situation)) === undefined;
}

function findStandingHere(situation: CheckContext) {
  const goal = findGoal(situation);
  const line = goal === undefined ? undefined : platformSupport(goal.tag);
  const written = versionHere(situation);
  const version = parsePlatformVersion(written);
  if (goal === undefined || line === undefined || version === undefined) return undefined;
  const name = namePlatform(situation);
  const support = name === "OpenShift" ? line.openshift : line.kubernetes;
  const [first, last] = support.supported;
  return {
    standing: findStanding(support, version),
    cause: `this is ${name} ${String(written)}, operator ${goal.tag} supports ${first} to ${last}`,
  };
}
