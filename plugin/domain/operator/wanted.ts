/** The objects of a bundle as they are wanted in one cluster (S15–S17). */
import { BlockedError, exitCodes, UsageError } from "../base/errors";
import { skipWord } from "../base/skip";
import type { Finding } from "../base/findings";
import { operatorFinding, unusualCode } from "./findings";
import { inRegistry, isIn, parseImage, withRepository } from "../release/images";
import type { Names } from "../names/names";
import type { PodSpec } from "../kube/models";
import { readAnnotation, type KubeObject, type Ref, type Resource } from "../kube/objects";
import { getPath, isObject, type Json, asArray, getOwn, asString } from "../base/values";
import { kinds, rbacKinds, constraintResource } from "../kube/kinds";
import { beyond, grantsOf, readRules, renderTarget } from "../kube/role-rules";

/** A kind of the bundle: its step, and whether it lies in a namespace. */
interface BundleKind {
  readonly resource: Resource;
  readonly step: string;
  readonly namespaced: boolean;
}

const kind = (step: string, resource: Resource, namespaced = true): BundleKind => ({
  step: `operator.${step}`,
  resource,
  namespaced,
});

/** In the order of writing: what comes later needs what comes before. */
export const bundleKinds: readonly BundleKind[] = [
  kind("crd", kinds.definition, false),
  // bundles for OpenShift up to 7.8 bring it
  kind("constraint", constraintResource, false),
  kind("account", kinds.serviceAccount),
  kind("role", rbacKinds.role),
  kind("role", rbacKinds.clusterRole, false),
  kind("binding", rbacKinds.roleBinding),
  kind("binding", rbacKinds.clusterRoleBinding, false),
  kind("settings", kinds.configMap),
  kind("service", kinds.service),
  kind("deployment", kinds.deployment),
];

/** The kind of an object, undefined when it is none of a bundle's. */
export function findBundleKind({ apiVersion, kind }: KubeObject): BundleKind | undefined {
  return bundleKinds.find(({ resource }) => {
    const { group, version } = resource;
    const served = group === "" ? version : `${group}/${version}`;
    return resource.kind === kind && served === apiVersion;
  });
}

/** Where the object is stored. */
export function bundleRef({ resource, namespaced }: BundleKind, { metadata }: KubeObject): Ref {
  const { name = "", namespace } = metadata;
  return { resource, name, ...(namespaced && namespace !== undefined && { namespace }) };
}

/** What is done to every object of the bundle. */
export interface Placing {
  readonly namespace: string;
  readonly names: Names;
  /** Registry to pull from instead of the release's. */
  readonly registry: string | undefined;
  readonly pullSecret: string | undefined;
  /** Objects that are applied although they are unusual, each as `KIND/NAME`. */
  readonly allowObjects: readonly string[];
  /** The operator's Deployment as it is; its pull secrets are kept. */
  readonly live: KubeObject | undefined;
  /** The bundle's objects as they are; absent before they are read, and then no rights are judged. */
  readonly held?: readonly KubeObject[] | undefined;
}

/** An object of the bundle in its place. */
export interface DesiredObject {
  readonly kind: BundleKind;
  readonly object: KubeObject;
}

/** A bundle that can be written, or all that is wrong with it. */
export type Placed =
  | { readonly is: "placed"; readonly objects: readonly DesiredObject[] }
  | {
      readonly is: "unfit";
      /** What no person may allow. */
      readonly problems: readonly string[];
      /** What a person may allow. */
      readonly findings: readonly Finding[];
    };

/** The objects in the order of writing: definitions first, the Deployment last. */
export function placeBundle(bundle: readonly KubeObject[], placing: Placing): Placed {
  const { refused, problems } = findProblems(bundle, placing);
  if (refused.length + problems.length > 0) {
    return { is: "unfit", problems, findings: refused };
  }
  const objects = bundleKinds.flatMap((kind) =>
    bundle
      .filter((object) => findBundleKind(object) === kind)
      .map((object) => ({ kind, object: placeObject(object, kind, placing) })),
  );
  return { is: "placed", objects };
}

function findProblems(
  bundle: readonly KubeObject[],
  { names, allowObjects, held }: Placing,
): { readonly refused: readonly Finding[]; readonly problems: readonly string[] } {
  const { deployment } = names.operator;
  const unknown = bundle.filter((object) => findBundleKind(object) === undefined);
  const nameless = bundle.filter(({ metadata }) => asString(metadata.name) === undefined);
  const operators = bundle.filter((object) => isOperator(object, names));
  // what was allowed once is held from then on, and the same line is run again
  const all = unusualIn(bundle, names);
  const idle = allowObjects.filter((one) => all.every(({ object }) => object !== one));
  const judged = held === undefined ? bundle.filter((object) => !isRole(object)) : bundle;
  const refused = unusualIn(judged, names, held)
    .filter(({ object }) => !allowObjects.includes(object))
    .map(({ object, because: cause }) =>
      operatorFinding("unusual", {
        object,
        cause,
        fix: `accept it with ${describeAccepting(object)}`,
      }),
    );
  const problems = [
    ...idle.map(
      (object) => `${describeAccepting(object)}: nothing of that name needs to be accepted`,
    ),
    ...unknown.map(({ apiVersion, kind }) => `${kind} in ${apiVersion} is not a part of a bundle`),
    ...nameless.map(({ kind }) => `a ${kind} has no name`),
    ...(operators.length === 1
      ? []
      : [`one Deployment ${deployment} is requested, not ${operators.length}`]),
  ];
  return { refused, problems };
}

/** Why such a bundle is not written: it is no bundle, or it has what a preflight check refuses. */
export function explainUnfit(
  { problems, findings }: Extract<Placed, { is: "unfit" }>,
  source: string,
): UsageError | BlockedError {
  if (problems.length === 0) return new BlockedError(exitCodes.blocked, findings);
  return new UsageError(
    problems.map((problem) => `release ${source}: ${problem}`),
    { hint: "give a release as it was published, with the operator's bundle for this platform" },
  );
}

/** The flag as it is typed. */
function describeAccepting(object: string): string {
  return `--skip ${skipWord({ code: unusualCode, object })}`;
}

/** True for the operator's Deployment. */
export function isOperator({ kind, metadata }: KubeObject, names: Names): boolean {
  return kind === "Deployment" && metadata.name === names.operator.deployment;
}

function placeObject(object: KubeObject, { namespaced }: BundleKind, placing: Placing): KubeObject {
  const { namespace, names } = placing;
  const { name, labels, annotations } = object.metadata;
  const fields = Object.entries(object).filter(([key]) => key !== "status");
  const bare = {
    ...(Object.fromEntries(fields) as unknown as KubeObject),
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespaced && { namespace }),
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    },
  };
  return isOperator(object, names) ? withImages(bare, placing) : bare;
}

const podSpec = ["spec", "template", "spec"];

function withImages(deployment: KubeObject, { registry, pullSecret, live }: Placing): KubeObject {
  const spec = getPath(deployment, podSpec);
  const pod: Json = isObject(spec) ? spec : {};
  const moveImage = (key: "initContainers" | "containers"): Json => {
    const containers = getOwn(pod, key);
    if (registry === undefined || containers === undefined) return {};
    const held = getPath(live, [...podSpec, key]);
    return { [key]: asArray(containers).map((one) => inOther(one, { registry, held })) };
  };
  const imagePullSecrets = pullSecrets(pod, getPath(live, podSpec), pullSecret);
  const secrets: PodSpec = imagePullSecrets.length > 0 ? { imagePullSecrets } : {};
  const template = { ...(getPath(deployment, ["spec", "template"]) as Json) };
  return {
    ...deployment,
    spec: {
      ...(deployment["spec"] as Json),
      template: {
        ...template,
        spec: {
          ...pod,
          ...moveImage("initContainers"),
          ...moveImage("containers"),
          ...secrets,
        },
      },
    },
  };
}

/** The repository that a container has in the registry already stays, whatever its path there. */
function inOther(
  container: unknown,
  { registry, held }: { readonly registry: string; readonly held: unknown },
): unknown {
  const image = asString(getOwn(container, "image"));
  if (!isObject(container) || image === undefined) return container;
  const name = getOwn(container, "name");
  const live = asArray(held).find((one) => getOwn(one, "name") === name);
  const repository = parseImage(getOwn(live, "image"))?.repository;
  const other =
    repository !== undefined && isIn(repository, registry)
      ? withRepository(image, repository)
      : inRegistry(image, registry);
  return { ...container, image: other };
}

/** The release's, those in force, and the one given, each once. */
function pullSecrets(
  pod: unknown,
  live: unknown,
  given: string | undefined,
): NonNullable<PodSpec["imagePullSecrets"]> {
  const held = [pod, live].flatMap((one) => asArray(getOwn(one, "imagePullSecrets")));
  const named = [...held.map((secret) => asString(getOwn(secret, "name"))), given];
  return [...new Set(named.filter((name) => name !== undefined))].map((name) => ({ name }));
}

/** The images of a Deployment's containers by container. */
export function listImages(deployment: KubeObject | undefined): ReadonlyMap<string, string> {
  return new Map(
    asArray(getPath(deployment, [...podSpec, "containers"])).flatMap((container) => {
      const [name, image] = ["name", "image"].map((key) => asString(getOwn(container, key)));
      return name === undefined || image === undefined ? [] : [[name, image] as const];
    }),
  );
}

/** The release of the operator that a Deployment runs: its image's tag, or the chart's mark. */
export function readOperatorVersion(
  deployment: KubeObject | undefined,
  names: Names,
): string | undefined {
  const tag = parseImage(listImages(deployment).get(names.operator.container))?.tag;
  return tag ?? readAnnotation(deployment, names.annotations.operatorVersion);
}

/** An object of the bundle, and why it is not applied unless a person names it. */
interface Unusual {
  /** `KIND/NAME`, by which it is allowed. */
  readonly object: string;
  readonly because: string;
}

/**
 * Everything unusual in a bundle, one entry for each object and reason. A right that the same object
 * of those that are held gives already is nothing new.
 */
export function unusualIn(
  bundle: readonly KubeObject[],
  names: Names,
  held: readonly KubeObject[] = [],
): readonly Unusual[] {
  return bundle.flatMap((object) => {
    const label = `${object.kind}/${object.metadata.name ?? ""}`;
    const live = held.find(
      ({ kind, metadata }) => kind === object.kind && metadata.name === object.metadata.name,
    );
    const reasons = judges[object.kind]?.(object, names, live) ?? [];
    return [...new Set(reasons)].map((because) => ({ object: label, because }));
  });
}

/** The unusual rights of a role that it has in the cluster already. */
export function listHeldRights(
  object: KubeObject,
  live: KubeObject | undefined,
  names: Names,
): readonly string[] {
  if (live === undefined || !isRole(object)) return [];
  const fresh = roleReasons(object, names, live);
  return [...new Set(roleReasons(object, names))].filter((reason) => !fresh.includes(reason));
}

function isRole({ kind }: KubeObject): boolean {
  return kind === "Role" || kind === "ClusterRole";
}

type Judge = (object: KubeObject, names: Names, live?: KubeObject) => readonly string[];

const judges: Readonly<Record<string, Judge>> = {
  Role: roleReasons,
  ClusterRole: roleReasons,
  RoleBinding: explainBinding,
  ClusterRoleBinding: explainBinding,
  SecurityContextConstraints: constraintReasons,
  Deployment: deploymentReasons,
};

const farVerbs = ["bind", "escalate", "impersonate"];

function roleReasons(role: KubeObject, { group }: Names, live?: KubeObject): readonly string[] {
  const known = grantsOf(readRules(live));
  return readRules(role).flatMap((rule) => {
    const grants = grantsOf([rule]);
    const fresh = beyond(grants, known);
    if (grants.length > 0 && fresh.length === 0) return [];
    const [groups, resources, urls] = ["apiGroups", "resources", "nonResourceURLs"].map((key) =>
      asArray(getOwn(rule, key)),
    ) as [unknown[], unknown[], unknown[]];
    const isOwn = groups.every((one) => one === group);
    return [
      ...(groups.includes("*") ? ["its rules are for every API group"] : []),
      ...(resources.includes("*") && !isOwn ? ["its rules are for every resource"] : []),
      ...(urls.length > 0 ? ["its rules are for paths of the API server"] : []),
      ...fresh
        .filter(({ verb }) => farVerbs.includes(verb))
        .map((grant) => `its rules give the verb ${grant.verb} on ${renderTarget(grant)}`),
    ];
  });
}

const everybody =
  /^system:(anonymous|unauthenticated|authenticated|masters|serviceaccounts(:.*)?)$/;

function explainBinding(binding: KubeObject): readonly string[] {
  const role = asString(getPath(binding, ["roleRef", "name"]));
  const subjects = asArray(binding["subjects"]).map(
    (subject) => asString(getOwn(subject, "name")) ?? "",
  );
  return [
    ...(role === "cluster-admin" ? ["it gives cluster-admin"] : []),
    ...subjects.filter((name) => everybody.test(name)).map((name) => `it is for ${name}`),
  ];
}

const hostRights = [
  "allowPrivilegedContainer",
  "allowHostDirVolumePlugin",
  "allowHostIPC",
  "allowHostNetwork",
  "allowHostPID",
];

function constraintReasons(constraint: KubeObject): readonly string[] {
  const subjects = ["users", "groups"].flatMap((key) => asArray(constraint[key]).map(String));
  return [
    ...hostRights.filter((key) => constraint[key] === true).map((key) => `it has ${key}`),
    ...subjects.filter((name) => everybody.test(name)).map((name) => `it is for ${name}`),
  ];
}

function deploymentReasons(deployment: KubeObject, { operator }: Names): readonly string[] {
  const pod = getPath(deployment, ["spec", "template", "spec"]);
  const containers = ["initContainers", "containers"].flatMap((key) => asArray(getOwn(pod, key)));
  const isOperator = deployment.metadata.name === operator.deployment;
  const isOnHost = asArray(getOwn(pod, "volumes")).some(
    (one) => getOwn(one, "hostPath") !== undefined,
  );
  return [
    ...(isOperator ? [] : ["it is not the operator's"]),
    ...["hostNetwork", "hostPID", "hostIPC"]
      .filter((key) => getOwn(pod, key) === true)
      .map((key) => `its pod has ${key}`),
    ...(isOnHost ? ["its pod mounts a folder of the node"] : []),
    ...containers.flatMap((container) => {
      const context = getOwn(container, "securityContext");
      const added = asArray(getPath(context, ["capabilities", "add"])).map(String);
      return [
        ...(getOwn(context, "privileged") === true ? ["it has a privileged container"] : []),
        ...added.map((one) => `a container adds the capability ${one}`),
      ];
    }),
  ];
}

/** The service account that the operator's pod runs as. */
export function readAccount(deployment: KubeObject, { operator }: Names): string {
  const path = ["spec", "template", "spec", "serviceAccountName"];
  return asString(getPath(deployment, path)) ?? operator.serviceAccount;
}
