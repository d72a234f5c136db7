/** Whether the namespace of an EC lets its pods be made again (S32; Pod Security Standards). */
import type { Found } from "../diagnosis/symptom";
import { getPath } from "../base/values";
import { factNamed } from "../facts/facts";
import type { KubeObject } from "../kube/objects";
import { enforceLabel, listBreaches } from "../kube/pod-security";
import { parseImage } from "../release/images";
import { unprivilegedFrom } from "../release/unprivileged";
import { on } from "./check";
import { type CheckContext, findGoal, isBefore, parseTag } from "./context";

/** On OpenShift, whether the labels follow the constraints. */
const labelSync = "security.openshift.io/scc.podSecurityLabelSync";

/** What the namespace's level refuses of the pods that the upgrade makes. */
export function judgePodSecurity(cluster: KubeObject, situation: CheckContext): readonly Found[] {
  const namespace = String(cluster.metadata.namespace);
  const labels = factNamed(situation.facts, "namespaces", { name: namespace })?.metadata.labels;
  const level = labels?.[enforceLabel] ?? "";
  const adjusting = findAdjusting(cluster, situation, level);
  const { breaches, fix, allows, field } = adjusting ?? judgeTemplate(cluster, situation, level);
  if (breaches.length === 0) return [];
  const kept =
    labels?.[labelSync] === "true"
      ? "; OpenShift keeps the label in step with the constraints that the namespace's accounts may use"
      : "";
  const line = `kubectl label namespace ${namespace} ${enforceLabel}=${allows} --overwrite`;
  const cause = `Namespace/${namespace} enforces ${level}, which refuses: ${breaches.join("; ")}${kept}`;
  return [
    on(cluster, cause, {
      ...(field !== undefined && { field }),
      fix: `${fix}, or let the namespace allow these pods: ${line}`,
    }),
  ];
}

/** What a level refuses, and the two ways out of it. */
interface Refused {
  readonly breaches: readonly string[];
  readonly fix: string;
  /** The strictest level that allows the pods. */
  readonly allows: string;
  readonly field?: string;
}

function findAdjusting(
  cluster: KubeObject,
  { names }: CheckContext,
  level: string,
): Refused | undefined {
  const path = names.ecFields.allowAutoAdjustment;
  const isRefused = level === "baseline" || level === "restricted";
  if (!isRefused || getPath(cluster, path) !== true) return undefined;
  const field = path.join(".");
  const breaches = ["automatic resource adjustment adds SYS_RESOURCE"];
  return { breaches, field, fix: `set ${field} to false`, allows: "privileged" };
}

/** The pods as they are made now; from S31's release on they ask for less. */
function judgeTemplate(
  { metadata: { name, namespace } }: KubeObject,
  situation: CheckContext,
  level: string,
): Refused {
  const { facts, names } = situation;
  const set = factNamed(facts, "statefulSets", { name: String(name), namespace });
  const spec = set?.spec?.template?.spec;
  const [runs] = (spec?.containers ?? [])
    .filter((one) => one.name === names.pods.container)
    .map((one) => parseTag(parseImage(one.image)?.tag));
  const goal = findGoal(situation);
  const isRenewed =
    runs !== undefined &&
    goal !== undefined &&
    isBefore(runs, unprivilegedFrom) &&
    !isBefore(goal, unprivilegedFrom);
  const isBaseline = listBreaches(spec, "baseline").length === 0;
  return {
    breaches: isRenewed ? [] : listBreaches(spec, level),
    fix: "change what it refuses",
    allows: isBaseline ? "baseline" : "privileged",
  };
}
