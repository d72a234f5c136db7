/** Who else looks after an object: Helm, OLM, a GitOps controller (domain facts 4.4). */
import type { KubeObject } from "./objects";
import { own, text } from "./values";

/** Another owner and its own way of changing the object. */
export interface Owner {
  readonly name: string;
  readonly way: string;
}

interface Mark {
  readonly owner: Owner;
  readonly labels?: readonly string[];
  readonly labelValues?: Readonly<Record<string, string>>;
  readonly annotations?: readonly string[];
}

// The label app.kubernetes.io/instance alone is no sign: people set it by hand.
const marks: readonly Mark[] = [
  {
    owner: {
      name: "Helm",
      way: "upgrade the release with helm upgrade, or delete the object and let helm create it anew",
    },
    labelValues: { "app.kubernetes.io/managed-by": "Helm" },
    annotations: ["meta.helm.sh/release-name", "meta.helm.sh/release-namespace"],
  },
  {
    owner: {
      name: "OLM",
      way: "approve the InstallPlan of the operator's Subscription; OLM writes the webhook",
    },
    labels: ["olm.owner", "olm.managed", "olm.webhook-description-generate-name"],
    annotations: ["olm.operatorGroup"],
  },
  {
    owner: {
      name: "Argo CD",
      way: "change the object in the repository of the Argo CD application and sync it",
    },
    labels: ["argocd.argoproj.io/instance"],
    annotations: ["argocd.argoproj.io/tracking-id"],
  },
  {
    owner: {
      name: "Flux",
      way: "change the object in the repository that Flux follows and reconcile it",
    },
    labels: ["kustomize.toolkit.fluxcd.io/name", "helm.toolkit.fluxcd.io/name"],
  },
  {
    owner: {
      name: "Fleet",
      way: "change the object in the repository of the Fleet bundle",
    },
    annotations: ["objectset.rio.cattle.io/id"],
    labels: ["objectset.rio.cattle.io/hash"],
  },
];

/** The owner that an object's labels, annotations or owner references show, if any. */
export function ownerOf(object: KubeObject): Owner | undefined {
  const { labels, annotations, ownerReferences } = object.metadata;
  const byOlm = (ownerReferences ?? []).some(
    (reference) => text(own(reference, "kind")) === "ClusterServiceVersion",
  );
  if (byOlm) return marks.find((mark) => mark.owner.name === "OLM")?.owner;
  return marks.find(
    (mark) =>
      (mark.labels ?? []).some((key) => own(labels, key) !== undefined) ||
      (mark.annotations ?? []).some((key) => own(annotations, key) !== undefined) ||
      Object.entries(mark.labelValues ?? {}).some(([key, value]) => own(labels, key) === value),
  )?.owner;
}

/** Nobody but people's own kubectl and this tool has written the object as it was read. */
export function isPersons({ metadata }: KubeObject, ours: readonly string[]): boolean {
  const managers = metadata.managedFields ?? [];
  return managers.every(({ manager = "" }) => isPersonsManager(manager, ours));
}

/** Managers that a person's kubectl or oc leaves behind; a take-over from these is no theft. */
export function isPersonsManager(manager: string, ours: readonly string[]): boolean {
  if (ours.includes(manager) || manager === "before-first-apply") return true;
  return /^(kubectl|oc)(-(create|client-side-apply|apply|edit|patch|replace|label|annotate|last-applied|set))?(\.exe)?$/.test(
    manager,
  );
}
