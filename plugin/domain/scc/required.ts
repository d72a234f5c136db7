/** What asks for a constraint so that a pod that is made again does not start without it. */
import { getOwn, isObject } from "../base/values";
import type { Found } from "../diagnosis/symptom";
import type { Pod, StatefulSet } from "../kube/models";
import { type KubeObject, objectLabel, readName, readNamespace } from "../kube/objects";
import type { Names } from "../names/names";
import { readAccount, runsUnder } from "./grants";
import { listUses } from "./uses";

/** A pod with this annotation is admitted under the constraint that it names, or not at all. */
const requiredAnnotation = "openshift.io/required-scc";

/** What is asked about. */
interface RequiredSearch {
  readonly cluster: KubeObject;
  /** The constraint's name; the object is undefined where it does not exist. */
  readonly name: string;
  readonly constraint: KubeObject | undefined;
  readonly statefulSets: readonly StatefulSet[];
  /** The pods of the EC. */
  readonly pods: readonly Pod[];
}

const asksFor = (annotations: unknown, name: string): boolean =>
  getOwn(annotations, requiredAnnotation) === name;

/** The pod asks for the constraint by its annotation. */
export function isRequiredBy(pod: Pod, name: string): boolean {
  return asksFor(pod.metadata.annotations, name);
}

/** What asks for the constraint in an EC's spec, in the template of its pods, and in the pods themselves. */
export function findRequired(search: RequiredSearch, names: Names): readonly Found[] {
  const { cluster, name, statefulSets, pods } = search;
  const sets = statefulSets.filter((set) => makesPodsOf(set, cluster, names));
  const inSpec = findAnnotated(cluster["spec"], name, ["spec"]);
  const bySet = sets.flatMap((set) => judgeTemplate(set, search));
  const asked = pods.filter((pod) => isRequiredBy(pod, name));
  const isExplained = inSpec.length > 0 || bySet.length > 0;
  return [
    ...inSpec.map((path) => {
      const field = path.join(".");
      const kind = `${names.ec.plural}.${names.group}`;
      const remove = `kubectl edit ${kind} ${readName(cluster)} --namespace=${readNamespace(cluster)}`;
      return {
        object: objectLabel(cluster),
        field,
        cause: `${field} gives its pods the annotation ${requiredAnnotation}=${name}: a pod that is made again would not start without ${name}`,
        fix: `take the annotation off there (${remove}), wait until the pods are made again, then run again`,
      };
    }),
    ...bySet,
    ...(isExplained ? [] : asked.map((pod) => judgePod(pod, name, sets.length > 0))),
  ];
}

function makesPodsOf({ metadata, spec }: StatefulSet, cluster: KubeObject, names: Names): boolean {
  const account = readAccount(cluster, names);
  if (metadata.namespace !== account.namespace) return false;
  const runsAs = spec?.template?.spec?.serviceAccountName;
  return metadata.name === cluster.metadata.name || runsAs === account.name;
}

/** Each map of annotations below a value that asks for the constraint. */
function findAnnotated(
  value: unknown,
  name: string,
  path: readonly string[],
): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [];
  const here = isObject(value) && asksFor(value, name) ? [path] : [];
  const below = Object.entries(value).flatMap(([key, inner]) =>
    findAnnotated(inner, name, [...path, key]),
  );
  return [...here, ...below];
}

function judgeTemplate(
  set: StatefulSet,
  { name, constraint, pods }: RequiredSearch,
): readonly Found[] {
  const template = set.spec?.template;
  const object = objectLabel(set);
  const never = `a pod that is made again would not start without ${name}`;
  if (asksFor(template?.metadata?.annotations, name)) {
    const about = {
      object,
      field: "spec.template.metadata.annotations",
      cause: `its template gives the pods the annotation ${requiredAnnotation}=${name}: ${never}`,
      fix: "find out what writes the annotation into the template (the operator, or a policy of the cluster), take it off there, wait until the pods are made again, then run again",
    };
    return [about];
  }
  const uses = listUses(template?.spec, constraint);
  // where all pods run under another constraint, that one gives what the template asks for
  const isNeeded = pods.length === 0 || pods.some((pod) => runsUnder(pod, name));
  if (uses.length === 0 || !isNeeded) return [];
  const about = {
    object,
    field: "spec.template.spec",
    cause: `its template asks for what ${name} gives: ${uses.join("; ")}; ${never}, unless another constraint allows the same`,
    fix: "take what is named out of where it is asked for, or let another constraint allow it; wait until the pods are made again, then run again",
  };
  return [about];
}

/** A pod that asks, and nothing that was read makes it so. */
function judgePod(pod: Pod, name: string, isOfSet: boolean): Found {
  const [owner] = pod.metadata.ownerReferences ?? [];
  const maker = `${String(getOwn(owner, "kind"))}/${String(getOwn(owner, "name"))}`;
  const isSetsOwn = isOfSet && (owner === undefined || getOwn(owner, "kind") === "StatefulSet");
  const line = `kubectl delete pod ${readName(pod)} --namespace=${readNamespace(pod)}`;
  const said = `the pod has the annotation ${requiredAnnotation}=${name}`;
  return {
    object: objectLabel(pod),
    field: "metadata.annotations",
    ...(isSetsOwn
      ? {
          cause: `${said}, which its template does not have: it is of before, or something writes it into pods`,
          fix: `delete the pod when every other one is ready, and see that the new one does not have it: ${line}; then run again`,
        }
      : {
          cause: `${said}: made again by ${owner === undefined ? "whoever makes it" : maker}, it would not start without ${name}`,
          fix: "take the annotation off where the pod is made, wait until it is made again, then run again",
        }),
  };
}
