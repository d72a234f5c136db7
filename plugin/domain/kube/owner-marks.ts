/** The marks that Helm, OLM, GitOps controllers and others leave on objects (domain facts 4.4). */
import { getOwn, asString, type Json, oncePer } from "../base/values";
import { type KubeObject, splitApiVersion } from "./objects";

/** A label or an annotation, and the value that counts; absent: any. */
type Sign = readonly [key: string, value?: string];

/** What an owner leaves on an object, and its way of changing it. */
export interface Mark {
  readonly name: string;
  readonly way: string | ((object: KubeObject) => string);
  readonly labels?: readonly Sign[];
  readonly annotations?: readonly Sign[];
  /** The start of an annotation's key. */
  readonly prefix?: string;
  /** The kind of an owner reference, whether it is of a controller or not. */
  readonly kind?: string;
  /**
   * How the object is given over, where the owner may live in another cluster: an annotation that is put on it, its
   * marks taken off, or a line of the owner's own program.
   */
  readonly over?: string | ((object: KubeObject, mark: Mark) => string);
  /** The field manager by which it writes what has the marks of a chart: where that wrote last, it is the owner. */
  readonly managers?: RegExp;
  /** It is helm, or runs it, and writes only when a person upgrades the release. */
  readonly chart?: true;
  /** What is rendered with it and applied by a person has it too, and nobody looks after it then. */
  readonly isRendered?: true;
}

const trackingId = "argocd.argoproj.io/tracking-id";
const managedBy = "app.kubernetes.io/managed-by";
const releaseName = "meta.helm.sh/release-name";
const instance = "app.kubernetes.io/instance";
const objectSet = "objectset.rio.cattle.io";
const extension = "olm.operatorframework.io";
/** On a definition, the key of OLM's annotation that names the ClusterServiceVersion begins so. */
export const alongside = "operatorframework.io/installed-alongside-";

const label = ({ metadata }: KubeObject, key: string): string | undefined =>
  asString(getOwn(metadata.labels, key));
const annotation = ({ metadata }: KubeObject, key: string): string | undefined =>
  asString(getOwn(metadata.annotations, key));

/** What a mark names, behind what it is: `application shop`; without a name only what it is. */
const naming = (what: string, name: string | undefined): string =>
  name === undefined || name === "" ? what : `${what} ${name}`;

/** A name within the namespace that stands beside it. */
const within = (place: string | undefined, name: string | undefined): string | undefined =>
  name === undefined || place === undefined ? name : `${place}/${name}`;

// The label app.kubernetes.io/instance alone is no sign: people set it by hand.
const marks: readonly Mark[] = [
  {
    name: "OLM",
    way: "approve the InstallPlan of the operator's Subscription; OLM writes the webhook",
    labels: [["olm.owner"], ["olm.managed"], ["olm.webhook-description-generate-name"]],
    annotations: [["olm.operatorGroup"]],
    prefix: alongside,
    kind: "ClusterServiceVersion",
  },
  {
    // the later OLM, whose ClusterExtension puts every object of its bundle back as it was
    name: "OLM v1",
    way: (object) =>
      `set the version of ${naming("ClusterExtension", label(object, `${extension}/owner-name`))} (spec.source.catalog.version)`,
    labels: [[`${extension}/owner-kind`], [`${extension}/owner-name`]],
  },
  {
    name: "Argo CD",
    way: (object) =>
      `change ${findHelms(object).length > 0 ? "targetRevision or the values of the chart" : "the object"} in the repository of the Argo CD ${naming("application", findApplication(object))} and sync it`,
    labels: [["argocd.argoproj.io/instance"]],
    annotations: [[trackingId]],
    managers: /^argocd-(application-)?controller$/,
    over: withoutMarks,
  },
  {
    name: "Flux",
    way: (object) =>
      `change the object in the repository that Flux follows and reconcile it${behind("Kustomization", object, "kustomize.toolkit.fluxcd.io")}`,
    labels: [["kustomize.toolkit.fluxcd.io/name"]],
    over: "kustomize.toolkit.fluxcd.io/reconcile=disabled",
  },
  {
    // helm-controller reads no annotation of an object
    name: "Flux",
    way: (object) =>
      `change the values of the HelmRelease, or the version of its chart, in the repository that Flux follows and reconcile it${behind("HelmRelease", object, "helm.toolkit.fluxcd.io")}`,
    labels: [["helm.toolkit.fluxcd.io/name"]],
    managers: /^helm-controller$/,
    over: suspendRelease,
  },
  {
    // k3s and RKE2 write what lies in a folder of their servers
    name: "the add-ons of k3s",
    way: (object) =>
      `change the manifest of ${naming("Addon", within(annotation(object, `${objectSet}/owner-namespace`), annotation(object, `${objectSet}/owner-name`)))} in the folder of manifests on the servers`,
    annotations: [[`${objectSet}/owner-gvk`, "k3s.cattle.io/v1, Kind=Addon"]],
  },
  {
    name: "Fleet",
    way: "change the object in the repository of the Fleet bundle",
    annotations: [[`${objectSet}/id`]],
    labels: [[`${objectSet}/hash`]],
    over: withoutMarks,
  },
  {
    name: "Config Sync",
    way: "change the object in the repository that Config Sync follows",
    labels: [[managedBy, "configmanagement.gke.io"]],
    annotations: [["configsync.gke.io/resource-id"]],
    over: "configmanagement.gke.io/managed=disabled",
  },
  {
    name: "Open Cluster Management",
    way: "change the object in its ManifestWork, on the hub",
    kind: "AppliedManifestWork",
    over: withoutMarks,
  },
  {
    name: "HNC",
    way: (object) =>
      `change ${object.kind} ${String(object.metadata.name)} in ${naming("the parent namespace", label(object, "hnc.x-k8s.io/inherited-from"))}, from which HNC copies it`,
    labels: [["hnc.x-k8s.io/inherited-from"], [managedBy, "hnc.x-k8s.io"]],
  },
  {
    name: "Kyverno",
    way: (object) =>
      `change ${naming("the policy", within(label(object, "generate.kyverno.io/policy-namespace") || undefined, label(object, "generate.kyverno.io/policy-name")))} of Kyverno, which generates the object`,
    labels: [["generate.kyverno.io/policy-name"], [managedBy, "kyverno"]],
  },
  {
    name: "kapp",
    way: "change the object in what kapp deploys, and deploy it again",
    labels: [["kapp.k14s.io/app"]],
    over: withoutMarks,
  },
  {
    name: "the add-on manager",
    way: "change the object in the add-on manager's folder on the control plane",
    labels: [["addonmanager.kubernetes.io/mode", "Reconcile"]],
    over: withoutMarks,
  },
  {
    // its provider leaves no mark but that of its program
    name: "Terraform",
    way: (object) =>
      `set the version or the values of ${naming("helm_release", annotation(object, releaseName))} in the Terraform configuration, and run terraform apply`,
    managers: /^terraform-provider-helm/,
    chart: true,
    over: withoutMarks,
  },
  {
    name: "Helm",
    way: "upgrade the release with helm upgrade",
    annotations: [[releaseName], ["meta.helm.sh/release-namespace"]],
    managers: /helm/i,
    chart: true,
  },
  {
    // a chart that something else renders and applies has the label, and no release
    name: "Helm",
    way: "upgrade the release with helm upgrade",
    labels: [[managedBy, "Helm"]],
    chart: true,
    over: withoutMarks,
    isRendered: true,
  },
];

/** Told to leave the object as it is, these do not write it. */
const leftAlone: readonly (readonly [owner: string, annotation: string, value: string])[] = [
  ["Flux", "kustomize.toolkit.fluxcd.io/reconcile", "disabled"],
  ["Flux", "kustomize.toolkit.fluxcd.io/ssa", "Ignore"],
  ["Config Sync", "configmanagement.gke.io/managed", "disabled"],
];

/** The mark that says who owns the object: the most exact one counts. */
export function findMark(object: KubeObject): Mark | undefined {
  return listMarks(object)[0];
}

/** Every mark that the object has, the most exact one first. */
export const listMarks = oncePer((object: KubeObject): readonly Mark[] => {
  const referred = marks.filter(({ kind }) => kind !== undefined && refersTo(object, kind));
  const marked = marks.filter((mark) => hasMark(object, mark));
  const known = [...new Set([...referred, ...marked])];
  const writer = known[0]?.chart === true ? findChartWriter(object) : undefined;
  if (writer !== undefined && writer.name !== known[0]?.name) return [writer, ...known];
  if (known.length > 0) return known;
  return [markOfReference(object) ?? markOfManager(object)].filter((mark) => mark !== undefined);
});

function hasMark(object: KubeObject, mark: Mark): boolean {
  const { labels, annotations } = object.metadata;
  return (
    (mark.labels ?? []).some((sign) => hasSign(labels, sign)) ||
    (mark.annotations ?? []).some(
      (sign) => hasSign(annotations, sign) && isOwnMark(object, sign[0]),
    ) ||
    listPrefixed(object, mark).length > 0
  );
}

/** The marks of a chart, whatever runs helm. */
function findHelms(object: KubeObject): readonly Mark[] {
  return marks.filter((mark) => mark.chart === true && hasMark(object, mark));
}

/** What wrote the object last of all that bring charts; undefined where no field manager tells it. */
export function findChartWriter({ metadata }: KubeObject): Mark | undefined {
  const written = (metadata.managedFields ?? []).flatMap((entry) => {
    const { manager = "" } = entry;
    const mark = marks.find(({ managers }) => managers?.test(manager));
    if (mark === undefined || getOwn(entry, "subresource") !== undefined) return [];
    return [{ mark, at: asString(getOwn(entry, "time")) ?? "" }];
  });
  // of two that wrote at once the first of the table counts: helm is the last one there
  const [last] = written.sort(
    (one, other) =>
      other.at.localeCompare(one.at) || marks.indexOf(one.mark) - marks.indexOf(other.mark),
  );
  return last?.mark;
}

/** The annotation by which the owner was told to leave the object. */
export function findLeftAlone(object: KubeObject, { name }: Mark): string | undefined {
  const told = leftAlone.find(
    ([owner, key, value]) => owner === name && annotation(object, key) === value,
  );
  return told === undefined ? undefined : `${told[1]}=${told[2]}`;
}

const refersTo = ({ metadata }: KubeObject, kind: string): boolean =>
  (metadata.ownerReferences ?? []).some((reference) => getOwn(reference, "kind") === kind);

const listPrefixed = ({ metadata }: KubeObject, { prefix }: Mark): readonly string[] =>
  prefix === undefined
    ? []
    : Object.keys(metadata.annotations ?? {}).filter((key) => key.startsWith(prefix));

/** What pods are made by owns them in another way, and a Secret has keepers of its own. */
const made: readonly string[] = ["StatefulSet", "ReplicaSet", "Pod", "Secret", "EndpointSlice"];

/** True for what stands and falls with what it was made of, which is read beside it. */
export function isPartOfOwner({ kind }: KubeObject): boolean {
  return kind !== "Secret" && made.includes(kind);
}

const workloads: readonly string[] = ["Deployment", "ReplicaSet", "StatefulSet", "Job"];

/** The controller that made the object, whatever it is; one of the object's own group is the operator itself. */
export function findController(object: KubeObject): Json | undefined {
  if (made.includes(object.kind)) return undefined;
  return (object.metadata.ownerReferences ?? []).find(
    (reference) =>
      getOwn(reference, "controller") === true &&
      !workloads.includes(String(getOwn(reference, "kind"))) &&
      splitApiVersion(String(getOwn(reference, "apiVersion"))).group !==
        splitApiVersion(object.apiVersion).group,
  );
}

function markOfReference(object: KubeObject): Mark | undefined {
  const reference = findController(object);
  if (reference === undefined) return undefined;
  const name = `${String(getOwn(reference, "kind"))}/${String(getOwn(reference, "name"))}`;
  return { name, way: `change ${name}, which makes the object` };
}

/** The label names a program that people do not run by hand, and a field manager of that name has written the object. */
function markOfManager(object: KubeObject): Mark | undefined {
  const name = label(object, managedBy);
  if (name === undefined || name === "" || hands.includes(plain(name))) return undefined;
  const managers = (object.metadata.managedFields ?? []).map(({ manager = "" }) => plain(manager));
  if (!managers.some((manager) => manager.includes(plain(name)))) return undefined;
  const way = `change the object where ${name} takes it from`;
  return { name, way, labels: [[managedBy]], over: withoutMarks };
}

/**
 * True where people alone have written what a chart was rendered to. The label of an instance may be the one by which
 * Argo CD tracks objects, and a status is its controller's to write.
 */
export function isRenderedByHand(
  object: KubeObject,
  { isRendered }: Mark,
  isPerson: (manager: string) => boolean,
): boolean {
  if (isRendered !== true || label(object, instance) !== undefined) return false;
  const managers = (object.metadata.managedFields ?? [])
    .filter((one) => getOwn(one, "subresource") === undefined)
    .map(({ manager = "" }) => manager);
  return (
    managers.length > 0 && managers.every((one) => isPerson(one) || hands.includes(plain(one)))
  );
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");
const hands: readonly string[] = ["kubectl", "oc", "kustomize", "kubectlengine"];

function hasSign(map: unknown, [key, value]: Sign): boolean {
  const found = getOwn(map, key);
  return value === undefined ? found !== undefined : found === value;
}

/** A line of kubectl that marks an object. */
export function renderLine(
  verb: "annotate" | "label" | "patch",
  object: KubeObject,
  what: readonly string[],
): string {
  const { namespace, name = "" } = object.metadata;
  const place = namespace === undefined ? "" : ` --namespace=${namespace}`;
  return `kubectl ${verb} ${object.kind.toLowerCase()} ${name}${place} ${what.join(" ")}`;
}

/** The words by which kubectl patch takes every owner reference off. */
export const withoutReferences = `--type=json -p '[{"op":"remove","path":"/metadata/ownerReferences"}]'`;

/** The words by which kubectl patch takes every field manager off. */
const withoutManagers = `--type=json -p '[{"op":"replace","path":"/metadata/managedFields","value":[{}]}]'`;

/** Each mark of the owner that the object has is taken off. */
export function withoutMarks(object: KubeObject, mark: Mark): string {
  const { labels, annotations } = object.metadata;
  const off = (map: unknown, signs: readonly Sign[] = []): readonly string[] =>
    signs.filter((sign) => hasSign(map, sign)).map(([key]) => `${key}-`);
  const prefixed = listPrefixed(object, mark).map((key) => `${key}-`);
  const isReferred =
    (mark.kind !== undefined && refersTo(object, mark.kind)) ||
    mark.name === markOfReference(object)?.name;
  const isWriter = findHelms(object).length > 0 && findChartWriter(object)?.name === mark.name;
  const isByManager = isWriter && mark.managers !== undefined;
  const lines = [
    { verb: "patch", keys: isReferred ? [withoutReferences] : [] },
    { verb: "patch", keys: isByManager ? [withoutManagers] : [] },
    { verb: "annotate", keys: [...off(annotations, mark.annotations), ...prefixed] },
    { verb: "label", keys: off(labels, mark.labels) },
  ] as const;
  return lines
    .filter(({ keys }) => keys.length > 0)
    .map(({ verb, keys }) => renderLine(verb, object, keys))
    .join(" && ");
}

/** The HelmRelease that the labels name is not carried out until it is resumed. */
function suspendRelease(object: KubeObject): string {
  const name = label(object, "helm.toolkit.fluxcd.io/name") ?? "NAME";
  const place = label(object, "helm.toolkit.fluxcd.io/namespace") ?? object.metadata.namespace;
  return `flux suspend helmrelease ${name}${place === undefined ? "" : ` --namespace=${place}`}`;
}

/** The object of Flux that its labels name, in brackets behind its way. */
function behind(kind: string, object: KubeObject, group: string): string {
  const name = within(label(object, `${group}/namespace`), label(object, `${group}/name`));
  return ` (${naming(kind, name)})`;
}

/** The application is what stands before the first colon of the annotation. */
function findApplication(object: KubeObject): string | undefined {
  const id = annotation(object, trackingId);
  return id?.includes(":") === true
    ? id.replace(/:.*/, "")
    : label(object, "argocd.argoproj.io/instance");
}

/** An annotation is copied with an object; that of Argo CD says which object it was written to. */
function isOwnMark(object: KubeObject, key: string): boolean {
  const { apiVersion, kind, metadata } = object;
  const value = getOwn(metadata.annotations, key);
  if (typeof value !== "string" || key !== trackingId) return value !== undefined;
  const tracked = /:([^/:]*)\/([^/:]+):([^/:]*)\/([^/:]+)$/.exec(value);
  if (tracked === null) return true;
  const [, group, trackedKind, namespace, name] = tracked;
  const isPlace = metadata.namespace === undefined || metadata.namespace === namespace;
  const isKind = group === splitApiVersion(apiVersion).group && trackedKind === kind;
  return isKind && name === metadata.name && isPlace;
}
