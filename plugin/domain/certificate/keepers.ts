/**
 * Who keeps a Secret: a controller that writes it again from elsewhere (domain facts 4.4), and other
 * field managers of its data. A Secret is replaced by PUT, which never meets a conflict.
 */
import { error, type Finding, warning } from "../base/findings";
import { bindFindings } from "../names/codes";
import type { Names } from "../names/names";
import { type KubeObject, objectLabel } from "../kube/objects";
import { findLivingOwner, findOwner, isPersonsManager, type LeftMarks } from "../kube/owners";
import { getOwn, getPath, type Json } from "../base/values";

/** A controller, and the way in which the pair is renewed where it keeps the Secret. */
export interface Keeper {
  readonly name: string;
  readonly way: string;
  /** What of the Secret shows it, where that can outlive the controller: `annotation x`. */
  readonly mark?: string;
}

/** A controller by what it leaves on a Secret that it keeps. */
interface Mark extends Keeper {
  readonly labels?: readonly string[];
  readonly annotations?: readonly string[];
  /** Field managers of it. */
  readonly managers?: RegExp;
  /** The kind of its owner reference. */
  readonly kind?: string;
}

/** The codes about who keeps a Secret. */
export const secretKeeperFindings = {
  owned: error("SECRET-OWNED", "Facts 4.4", {
    cause: "a controller keeps the Secret and would write the pair before back at once",
    fix: "renew the pair where the controller takes it from, then run `upgrade-webhook`",
  }),
  managed: warning("SECRET-MANAGED", "Facts 4.4", {
    cause: "another field manager wrote the pair, and may write it again",
    fix: "renew the pair by what wrote it; or continue, a copy of it is kept",
  }),
};

const keeperFinding = bindFindings(secretKeeperFindings);

const marks: readonly Mark[] = [
  {
    name: "External Secrets",
    way: "renew the pair in the store that External Secrets reads it from",
    kind: "ExternalSecret",
    labels: ["reconcile.external-secrets.io/created-by", "reconcile.external-secrets.io/managed"],
    annotations: ["reconcile.external-secrets.io/data-hash"],
    managers: /^externalsecrets\.external-secrets\.io(\/|$)/,
  },
  {
    name: "cert-manager",
    way: "renew the Certificate of cert-manager (cmctl renew), or correct it",
    kind: "Certificate",
    annotations: ["cert-manager.io/certificate-name", "cert-manager.io/issuer-name"],
    labels: ["controller.cert-manager.io/fao"],
    managers: /^cert-manager-certificates/,
  },
  {
    name: "Sealed Secrets",
    way: "seal a new pair and put it in the place of the SealedSecret",
    kind: "SealedSecret",
    annotations: ["sealedsecrets.bitnami.com/managed"],
  },
  {
    name: "Vault Secrets Operator",
    way: "renew the pair in Vault",
    kind: "VaultStaticSecret",
    labels: ["secrets.hashicorp.com/vso-ownerRefUID"],
  },
  {
    name: "OpenShift's service CA",
    way: "delete the Secret so that OpenShift makes it again, or take its annotation off the Service",
    annotations: [
      "service.beta.openshift.io/originating-service-name",
      "service.alpha.openshift.io/originating-service-name",
    ],
  },
  {
    name: "OLM",
    way: "let the operator that OLM installs keep its own pair",
    kind: "ClusterServiceVersion",
  },
  {
    name: "Argo CD",
    way: "change the Secret in the repository of the Argo CD application and sync it",
    labels: ["argocd.argoproj.io/instance"],
    annotations: ["argocd.argoproj.io/tracking-id"],
    managers: /^argocd-(application-)?controller$/,
  },
  {
    name: "Flux",
    way: "change the Secret in the repository that Flux follows and reconcile it",
    labels: ["kustomize.toolkit.fluxcd.io/name", "helm.toolkit.fluxcd.io/name"],
    managers: /^(kustomize|helm)-controller$/,
  },
];

/** Kinds that own the operator's own Secrets: they write none back. */
const workloads = ["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "Pod", "Service"];

/**
 * The controller that an owner reference, a mark or a field manager of the data shows, if any. `left`: where the one
 * that is shown first is gone, another one that is shown counts.
 */
export function findKeeper(secret: KubeObject, names: Names, left?: LeftMarks): Keeper | undefined {
  const found = [byReference(secret, names), ...byMarks(secret), byOwner(secret, left)].filter(
    (keeper) => keeper !== undefined,
  );
  const [first] = found;
  return left?.get(objectLabel(secret)) === undefined
    ? first
    : found.find(({ way }) => way !== first?.way);
}

function byReference({ metadata }: KubeObject, names: Names): Keeper | undefined {
  for (const reference of metadata.ownerReferences ?? []) {
    const kind = String(getOwn(reference, "kind"));
    const mark = marks.find((each) => each.kind === kind);
    const isController = getOwn(reference, "controller") === true;
    if (mark === undefined && (!isController || isOperators(reference, kind, names))) continue;
    const name = `${kind}/${String(getOwn(reference, "name"))}`;
    return mark === undefined
      ? { name, way: `renew the pair by ${name}, which makes the Secret` }
      : { name, way: mark.way };
  }
  return undefined;
}

function isOperators(reference: Json, kind: string, { group }: Names): boolean {
  const version = String(getOwn(reference, "apiVersion"));
  return workloads.includes(kind) || version.startsWith(`${group}/`);
}

function byMarks(secret: KubeObject): readonly Keeper[] {
  const managers = listManagers(secret);
  return marks.flatMap((mark): readonly Keeper[] => {
    const shown =
      keyIn(secret.metadata.labels, mark.labels, "label") ??
      keyIn(secret.metadata.annotations, mark.annotations, "annotation");
    if (shown !== undefined) return [{ name: mark.name, way: mark.way, mark: shown }];
    return managers.some((manager) => mark.managers?.test(manager) === true) ? [mark] : [];
  });
}

function keyIn(map: unknown, keys: readonly string[] = [], what: string): string | undefined {
  const key = keys.find((each) => getOwn(map, each) !== undefined);
  return key === undefined ? undefined : `${what} ${key}`;
}

/** What marks of every kind of object show; a chart is a manager, it writes only when someone upgrades it. */
function byOwner(secret: KubeObject, left: LeftMarks | undefined): Keeper | undefined {
  const owner = findLivingOwner(secret, left);
  // a reference to what is gone is taken off by the write itself
  if (owner === undefined || owner.chart === true || owner.loses !== undefined) return undefined;
  return marks.find(({ name }) => name === owner.name) ?? owner;
}

/** Field managers that wrote items of the Secret. */
function listManagers({ metadata }: KubeObject): readonly string[] {
  return (metadata.managedFields ?? [])
    .filter((entry) => getPath(entry, ["fieldsV1", "f:data"]) !== undefined)
    .map(({ manager }) => String(manager));
}

/** Others than a person's kubectl and this tool that wrote items, a chart among them. */
export function otherManagers(secret: KubeObject, ours: readonly string[]): readonly string[] {
  const byField = listManagers(secret).filter((manager) => !isPersonsManager(manager, ours));
  const { chart, name = "" } = findOwner(secret) ?? {};
  const isNamed = byField.some((manager) => manager.toLowerCase().startsWith(name.toLowerCase()));
  return [...new Set([...byField, ...(chart === true && !isNamed ? [name] : [])])];
}

/** The error for a Secret that is not to be replaced. */
export function reportOwnedSecret(secret: KubeObject, { name, way, mark }: Keeper): Finding {
  const gone = mark === undefined ? "" : `; where ${name} is gone, take the ${mark} off the Secret`;
  return keeperFinding("owned", {
    object: objectLabel(secret),
    cause: `${name} keeps the Secret and would write the pair before back at once`,
    fix: `${way}, then run \`upgrade-webhook\`${gone}`,
  });
}

/** The warning for one that others have written too. */
export function reportManagedSecret(secret: KubeObject, managers: readonly string[]): Finding {
  return keeperFinding("managed", {
    object: objectLabel(secret),
    field: "data",
    cause: `the pair was written by ${managers.join(", ")}, which may write it again`,
  });
}
