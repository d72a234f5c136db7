/** What may be wrong with the operator's permissions, in causal order (S16, S34; domain facts 6). */
import { kubectl, tool } from "../base/remedy";
import { few, getOwn, omit } from "../base/values";
import { type Found, on, type Symptom } from "../diagnosis/symptom";
import { factNamed, type Facts } from "../facts/facts";
import { isDeleting, renderDeletion } from "../kube/deletion";
import type { Container } from "../kube/models";
import { type KubeObject, objectLabel, readName, readNamespace } from "../kube/objects";
import { chooseCause, findLivingOwner, findOwner } from "../kube/owners";
import {
  type BindingSubject,
  compareRules,
  findCoveringGroup,
  grantLines,
  grantsOf,
  isAggregated,
  listSubjects,
  nameByGroups,
  placedSubjects,
  readRoleRef,
  readRules,
  subjectLabel,
  subjectsBeyond,
} from "../kube/role-rules";
import { leftovers, type Names } from "../names/names";
import { readAccount } from "../operator/wanted";
import { describeAggregated, rbacFindings } from "./findings";
import { describeStale, findStale, isGone, listExisting, otherOperators } from "./managed";
import { listEntries, localFindings } from "./plan";
import {
  findTemplates,
  heldSites,
  type HeldSite,
  nameAccounts,
  type PlannedSite,
  plannedSites,
  type RbacScene,
  settingNeeds,
  siteNeeds,
} from "./scene";

/** True where the binding is for the account, by name or by a group of its namespace. */
function isFor(binding: KubeObject, account: BindingSubject): boolean {
  const subjects = placedSubjects(binding, binding);
  return subjectsBeyond(nameByGroups([account], subjects), subjects).length === 0;
}

/** The account that the operator's pods run as. */
function operatorAccount(
  deployment: KubeObject,
  { namespace, names }: Pick<Facts, "names" | "namespace">,
): BindingSubject & Required<Pick<BindingSubject, "namespace">> {
  return { kind: "ServiceAccount", namespace, name: readAccount(deployment, names) };
}

/** The Roles of the operator's namespace that some binding there gives to its account. */
function listHeldRoles(deployment: KubeObject, facts: Facts): readonly string[] {
  const { objects, namespace } = facts;
  const isHere = ({ metadata }: KubeObject): boolean => metadata.namespace === namespace;
  const known = new Set(
    objects.roles.filter(isHere).map(({ metadata }) => `Role/${metadata.name}`),
  );
  return objects.roleBindings
    .filter((one) => isHere(one) && isFor(one, operatorAccount(deployment, facts)))
    .map(readRoleRef)
    .filter((reference) => known.has(reference));
}

/** OLM names them by its ClusterServiceVersion, and leaves them: what counts is whether the account has any. */
function isBoundByOlm(deployment: KubeObject, facts: Facts): boolean {
  return findOwner(deployment)?.name === "OLM" && listHeldRoles(deployment, facts).length > 0;
}

type Judge<Site> = (site: Site, scene: RbacScene) => readonly Found[];

/** A judgment of what is in each managed namespace that exists and stays. */
const perSite = (judge: Judge<HeldSite>) => (scene: RbacScene) =>
  heldSites(scene)
    .filter(isLiving)
    .flatMap((site) => judge(site, scene));

/** A judgment of each of them by what the release wants there. */
const perPlan =
  (judge: Judge<PlannedSite>) =>
  (scene: RbacScene): readonly Found[] => {
    const found = plannedSites(scene)
      .filter(isLiving)
      .flatMap((site) => judge(site, scene));
    // one ClusterRole may be that of many namespaces
    return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
  };

function isLiving({ found }: HeldSite): boolean {
  return found !== undefined && !isDeleting(found);
}

const perNamespace =
  (judge: (name: string, found: KubeObject | undefined, scene: RbacScene) => readonly Found[]) =>
  (scene: RbacScene): readonly Found[] =>
    scene.managed.flatMap((name) =>
      judge(name, factNamed(scene.facts, "namespaces", { name }), scene),
    );

const told = { needs: ["deployments", "configMaps"] } as const;
const setting = { needs: settingNeeds } as const;
const site = { needs: siteNeeds } as const;
const release = { needs: [...siteNeeds, "ecs"] } as const;

const absentNamespace = "it does not exist, and an operator that is told to manage it stops";

/** The operator's settings, and the namespaces that they name. */
export const settingSymptoms = {
  unknownConfiguration: {
    ...{ ...rbacFindings.unknownConfiguration, ...told },
    title: "The operator's setting can be read",
    forbids: ["reapply-rbac"],
    judge: ({ configured, deployment }) =>
      configured.is === "unknown" && deployment !== undefined
        ? [on(deployment, configured.because)]
        : [],
  },
  listAndLabel: {
    ...{ ...rbacFindings.listAndLabel, ...told },
    title: "The operator is told its namespaces in one way",
    judge: ({ facts, names }) => {
      const map = findConfigMap(facts);
      const both = listSettings(names).every((key) => readMapped(facts, key) !== "");
      return both && map !== undefined ? [on(map, "it has both settings")] : [];
    },
  },
  settingHidden: {
    ...{ ...rbacFindings.settingHidden, ...told },
    title: "The ConfigMap's settings are not hidden by the Deployment",
    judge: (scene) => {
      const { deployment, facts, names } = scene;
      const entries = findContainer(scene)?.env;
      return listSettings(names).flatMap((key) => {
        const entry = entries?.find(({ name }) => name === key);
        const [said, hidden] = [entry?.value ?? "", readMapped(facts, key)];
        const differs = !entry?.valueFrom && hidden !== "" && said !== hidden;
        if (deployment === undefined || entry === undefined || !differs) return [];
        return [on(deployment, `its entry ${key} hides that of the ConfigMap`, { field: key })];
      });
    },
  },
  settingUnused: {
    ...{ ...rbacFindings.settingUnused, ...told },
    title: "The operator takes its settings from the ConfigMap",
    judge: (scene) => {
      const { deployment, facts, names } = scene;
      const isSet = listSettings(names).some((key) => readMapped(facts, key) !== "");
      const { env, envFrom } = findContainer(scene) ?? {};
      const isMap = (source: { readonly name?: string | null } | null | undefined): boolean =>
        source?.name === names.configMap.name;
      const isUsed =
        envFrom?.some(({ configMapRef }) => isMap(configMapRef)) === true ||
        env?.some(({ valueFrom }) => isMap(valueFrom?.configMapKeyRef)) === true;
      if (deployment === undefined || !isSet || isUsed) return [];
      return [on(deployment, `${names.operator.container} does not read ${names.configMap.name}`)];
    },
  },
  namespaceAbsent: {
    ...{ ...rbacFindings.namespaceAbsent, ...setting },
    title: "Every managed namespace exists",
    forbids: ["reapply-rbac"],
    judge: perNamespace((name, found) =>
      found === undefined ? [{ object: `Namespace/${name}`, cause: absentNamespace }] : [],
    ),
  },
  // it alone is left out, and the others are done
  namespaceTerminating: {
    ...{ ...rbacFindings.namespaceTerminating, ...setting },
    title: "No managed namespace is being deleted",
    severity: "warning",
    forbids: ["reapply-rbac"],
    judge: perNamespace((_name, found) =>
      found !== undefined && isDeleting(found)
        ? [on(found, `${renderDeletion(found)}: nothing can be created in it`)]
        : [],
    ),
  },
  labelValue: {
    ...{ ...rbacFindings.labelValue, ...setting },
    title: "The label of managed namespaces has no value where none is asked for",
    judge: perNamespace((_name, found, { configured }) => {
      const key = configured.is === "label" ? configured.bareKey : undefined;
      if (found === undefined || key === undefined) return [];
      const field = `metadata.labels.${key}`;
      return getOwn(found.metadata.labels, key) === ""
        ? []
        : [on(found, `${key} has a value`, { field })];
    }),
  },
  labelNone: {
    ...{ ...rbacFindings.labelNone, ...setting },
    title: "The label selects a namespace",
    judge: ({ configured, managed }) =>
      configured.is === "label" && managed.length === 0
        ? [{ cause: `no namespace has ${configured.selector}` }]
        : [],
  },
} as const satisfies Readonly<Record<string, Symptom<RbacScene>>>;

const absentFrom = (namespace: string, object: string): readonly Found[] => [
  { object, cause: `namespace ${namespace} is managed and does not have it` },
];

const roleAbsent: Symptom<RbacScene> = {
  ...{ ...rbacFindings.roleAbsent, ...site },
  title: "Every managed namespace has the Role",
  judge: perSite(({ namespace, role }, { names }) =>
    role === undefined ? absentFrom(namespace, `Role/${namespace}/${names.rbac.consumerRole}`) : [],
  ),
};

const bindingAbsent: Symptom<RbacScene> = {
  ...{ ...rbacFindings.bindingAbsent, ...site },
  title: "Every managed namespace has the RoleBinding",
  judge: perSite(({ namespace, binding }, { names }) =>
    binding === undefined
      ? absentFrom(namespace, `RoleBinding/${namespace}/${names.rbac.consumerBinding}`)
      : [],
  ),
};

/** An operator that starts stops at the first of them, and its upgrade would end midway. */
export const stopSymptoms = [settingSymptoms.namespaceAbsent, roleAbsent, bindingAbsent];

/** It can neither be given back what it has lost, nor be left out by an operator that starts. */
export const namespaceLost: Symptom<RbacScene> = {
  ...{ ...rbacFindings.namespaceLost, ...site },
  title: "No managed namespace that is being deleted has lost its Role or RoleBinding",
  judge: (scene) =>
    heldSites(scene).flatMap(({ found, role, binding }) => {
      if (found === undefined || !isDeleting(found) || (role && binding)) return [];
      const lost = role === undefined ? "Role" : "RoleBinding";
      const cause = `it is managed and has lost its ${lost}, without which an operator that starts stops; ${renderDeletion(found)}`;
      return [on(found, cause)];
    }),
};

/** What is in the managed namespaces, by the release's roles. */
export const releaseSymptoms: readonly Symptom<RbacScene>[] = [
  {
    ...rbacFindings.template,
    title: "The release's roles and bindings are fit",
    needs: [...settingNeeds, "ecs"],
    judge: (scene) => {
      const templates = findTemplates(scene);
      return templates?.is === "unfit" ? templates.problems.map((cause) => ({ cause })) : [];
    },
  },
  {
    ...{ ...rbacFindings.subjects, ...release },
    title: "Every binding is for the operator and its clusters",
    judge: perPlan(({ binding, wanted }, { names }) => {
      const found = listSubjects(binding);
      const missing = subjectsBeyond(listSubjects(wanted.binding), found);
      // of a placeholder in their place its own row tells
      if (binding === undefined || missing.length === 0 || leftovers(binding, names).length > 0)
        return [];
      const who = missing.map(subjectLabel).join(", ");
      const groups = missing.map((subject) => findCoveringGroup(subject, found));
      const [group] = groups;
      if (group === undefined || groups.includes(undefined))
        return [on(binding, `it is not for ${who}`, { field: "subjects" })];
      const cause = `it is for ${who} by the group ${group.name}, which has other accounts as well`;
      const [entry] = listEntries(wanted.binding, { grants: [], subjects: [group] });
      const fix = `nothing, as long as every account of the group may have the access; else run reapply-rbac --drop-local ${String(entry)}, which names the accounts in its place`;
      return [on(binding, cause, { field: "subjects", severity: "warning", fix })];
    }),
  },
  {
    ...{ ...rbacFindings.roleRef, ...release },
    title: "Every binding is for the Role beside it",
    judge: perPlan(({ binding, wanted, plan: { rebind } }, { facts }) => {
      if (binding === undefined || !rebind) return [];
      const { gained } = compareRules(readRules(findBound(binding, facts)), readRules(wanted.role));
      const lacks = gained.length === 0 ? "" : `, and lacks ${few(grantLines(gained))}`;
      const cause = `it is for ${readRoleRef(binding)}, not ${readRoleRef(wanted.binding)}${lacks}`;
      const severity = gained.length === 0 ? "warning" : "error";
      return [on(binding, cause, { field: "roleRef", severity })];
    }),
  },
  {
    ...{ ...rbacFindings.aggregated, ...release },
    title: "Every ClusterRole that is made of others gives all that the release's Role gives",
    judge: perPlan(({ role, plan: { gained } }) =>
      isAggregated(role) && gained.length > 0 ? [describeAggregated(role, gained)] : [],
    ),
  },
  {
    ...{ ...rbacFindings.behind, ...release },
    title: "Every Role gives all that the release's gives",
    judge: perPlan(({ role, plan: { gained } }) =>
      role === undefined || isAggregated(role) || gained.length === 0
        ? []
        : [on(role, `it lacks ${grantLines(gained).join("; ")}`, { field: "rules" })],
    ),
  },
  {
    ...{ ...rbacFindings.beyond, ...release },
    title: "No Role gives more than the release's",
    judge: perPlan(({ role, plan: { lost } }) =>
      role === undefined || isAggregated(role) || lost.length === 0
        ? []
        : [on(role, `it also gives ${grantLines(lost).join("; ")}`, { field: "rules" })],
    ),
  },
  {
    ...{ ...rbacFindings.local, ...release },
    title: "Roles and bindings hold nothing that a person added",
    judge: perPlan(({ plan: { local }, ...held }, { clusters, names }) => {
      // without an EC nobody knows whose accounts the release means
      const isUnknown = nameAccounts(clusters, names).length === 0;
      return localFindings(held, {
        subjects: isUnknown ? [] : local.subjects,
        grants: isAggregated(held.role) ? [] : local.grants,
      });
    }),
  },
];

/** The role that a binding is for. */
function findBound(binding: KubeObject, facts: Facts): KubeObject | undefined {
  const [kind, ...rest] = readRoleRef(binding).split("/");
  const name = rest.join("/");
  return kind === "Role"
    ? factNamed(facts, "roles", { name, namespace: readNamespace(binding) })
    : factNamed(facts, "clusterRoles", { name });
}

const left = (what: "stale" | "staleShared", title: string): Symptom<RbacScene> => ({
  ...{ ...rbacFindings[what], title },
  needs: [...settingNeeds, "roles", "roleBindings"],
  judge: ({ configured, facts, managed, names }) => {
    // what is managed is not known: nothing is a left-over
    if (configured.is === "unknown") return [];
    const { namespace: operatorNamespace, objects } = facts;
    const { consumerRole, consumerBinding } = names.rbac;
    const found = findStale({
      roles: objects.roles.filter((role) => readName(role) === consumerRole),
      bindings: objects.roleBindings.filter((one) => readName(one) === consumerBinding),
      kept: new Set(managed),
      ...{ operatorNamespace, names },
    });
    return describeStale(found, what === "staleShared");
  },
});

/** What the operator has in its own namespace. */
export const ownSymptoms: readonly Symptom<RbacScene>[] = [
  {
    ...{ ...rbacFindings.ownAbsent },
    title: "The operator has its own Role and RoleBinding",
    needs: ["deployments", "roles", "roleBindings"],
    judge: ({ deployment, facts, names }) => {
      if (deployment === undefined || isBoundByOlm(deployment, facts)) return [];
      const { namespace } = facts;
      const wanted = [
        ["roles", "Role", names.operator.role],
        ["roleBindings", "RoleBinding", names.operator.roleBinding],
      ] as const;
      return wanted
        .filter(([key, , name]) => factNamed(facts, key, { name, namespace }) === undefined)
        .map(([, kind, name]) => ({
          object: `${kind}/${namespace}/${name}`,
          cause: "it does not exist",
        }));
    },
  },
  {
    ...rbacFindings.ownBinding,
    title: "The operator's own RoleBinding gives its Role to its account",
    needs: ["deployments", "roles", "roleBindings"],
    judge: ({ deployment, facts, names }) => {
      const { namespace } = facts;
      const { role, roleBinding: name } = names.operator;
      const binding = factNamed(facts, "roleBindings", { name, namespace });
      if (deployment === undefined || binding === undefined) return [];
      const meant = `Role/${role}`;
      const isHeld = listHeldRoles(deployment, facts).includes(meant);
      // of a Role that is gone its own row tells
      const isAbsent = factNamed(facts, "roles", { name: role, namespace }) === undefined;
      if (isHeld || isAbsent || isBoundByOlm(deployment, facts)) return [];
      const account = operatorAccount(deployment, facts);
      const reference = readRoleRef(binding);
      return [
        ...(isFor(binding, account) ? [] : [missesAccount(binding, account)]),
        ...(reference === meant
          ? []
          : [on(binding, `it is for ${reference}, not ${meant}`, { field: "roleRef" })]),
      ];
    },
  },
];

/** What is in the managed namespaces and outside of them, whatever the release. */
export const heldSymptoms: readonly Symptom<RbacScene>[] = [
  ...ownSymptoms,
  {
    ...rbacFindings.labelRoleAbsent,
    title: "The operator may look for namespaces where it finds them by a label",
    needs: [...settingNeeds, "clusterRoles", "clusterRoleBindings"],
    judge: judgeLabelRole,
  },
  roleAbsent,
  bindingAbsent,
  {
    ...{ ...rbacFindings.placeholder, ...site },
    title: "No placeholder was left in a role or binding",
    judge: perSite(({ role, binding }, { names }) =>
      [role, binding].flatMap((object) =>
        object === undefined
          ? []
          : leftovers(object, names).map((token) => on(object, `${token} is left in it`)),
      ),
    ),
  },
  {
    ...{ ...rbacFindings.otherOperator, ...site },
    title: "No other operator is bound in a managed namespace",
    judge: perSite(({ binding }, { facts, names }) => {
      const known = { operatorNamespace: facts.namespace, names, existing: listExisting(facts) };
      const others = otherOperators(binding, known);
      if (binding === undefined || others.length === 0) return [];
      return [on(binding, `it is for the operator of ${others.join(", ")} too`)];
    }),
  },
  {
    ...{ ...rbacFindings.subjectsGone, ...site },
    title: "Every binding is for accounts of namespaces that exist",
    judge: perSite(({ binding }, { facts, names }) => {
      const existing = listExisting(facts);
      const gone = listSubjects(binding).filter((one) => isGone(one, { existing, names }));
      if (binding === undefined || gone.length === 0) return [];
      const cause = `it is for ${gone.map(subjectLabel).join(", ")}, whose namespace does not exist`;
      const says = "remove them once the operator is at its release";
      const remedies = [tool(says, "reapply-rbac", "--mode=contract")];
      return [on(binding, cause, { field: "subjects", remedies })];
    }),
  },
  {
    ...{ ...rbacFindings.owned, ...site },
    title: "Nobody else writes the roles and bindings",
    severity: "warning",
    judge: perSite(({ role, binding }, { facts }) =>
      [role, binding].flatMap((object) => {
        // what a controller has left is said by the run that writes it
        const owner = object && findLivingOwner(object, facts.left);
        if (object === undefined || owner === undefined) return [];
        return [on(object, chooseCause(owner, `${owner.name} owns it`), { fix: owner.way })];
      }),
    ),
  },
  {
    ...rbacFindings.managedHasCluster,
    title: "No managed namespace is another operator's own",
    needs: [...settingNeeds, "ecs"],
    judge: ({ facts, managed }) =>
      facts.objects.ecs
        .filter((cluster) => managed.includes(readNamespace(cluster)))
        .map((cluster) => on(cluster, "it is in a namespace that this operator manages")),
  },
  left("stale", "No role is left in a namespace that is not managed"),
  left("staleShared", "No binding for others too is left in a namespace that is not managed"),
];

function judgeLabelRole({ configured, deployment, facts, names }: RbacScene): readonly Found[] {
  if (configured.is !== "label") return [];
  const binding = factNamed(facts, "clusterRoleBindings", { name: names.rbac.labelBinding });
  const role = facts.objects.clusterRoles.find(
    (one) => `ClusterRole/${readName(one)}` === readRoleRef(binding),
  );
  const verbs = grantsOf(readRules(role))
    .filter(({ group, resource }) => group === "" && resource === "namespaces")
    .map(({ verb }) => verb);
  const account = deployment && operatorAccount(deployment, facts);
  if (["list", "watch"].every((verb) => verbs.includes(verb))) {
    const isHeld = binding === undefined || account === undefined || isFor(binding, account);
    return isHeld ? [] : [omit(missesAccount(binding, account), "remedies")];
  }
  const object = `ClusterRoleBinding/${names.rbac.labelBinding}`;
  const cause =
    binding === undefined ? "it does not exist" : "its role does not list and watch namespaces";
  return [{ object, cause }];
}

function findConfigMap(facts: Facts) {
  return factNamed(facts, "configMaps", { name: facts.names.configMap.name });
}

function readMapped(facts: Facts, key: string): string {
  return findConfigMap(facts)?.data?.[key]?.trim() ?? "";
}

function findContainer({ deployment, names }: RbacScene): Container | undefined {
  const containers = deployment?.spec?.template?.spec?.containers;
  return containers?.find(({ name }) => name === names.operator.container);
}

function listSettings({ configMap }: Names): readonly string[] {
  return [configMap.namespaces, configMap.namespacesLabel];
}

/** A binding that is not for the operator's account. */
function missesAccount(binding: KubeObject, account: BindingSubject): Found {
  const { namespace } = binding.metadata;
  const name = readName(binding);
  const place = namespace === undefined ? [] : [`--namespace=${namespace}`];
  const value = [...placedSubjects(binding, binding), account];
  const patch = JSON.stringify([{ op: "add", path: "/subjects", value }]);
  const what = ["patch", binding.kind.toLowerCase(), name, ...place, "--type=json", "-p", patch];
  return {
    object: objectLabel(binding),
    field: "subjects",
    cause: `it is not for ${subjectLabel(account)}, which the operator runs as`,
    remedies: [kubectl("add the account to its subjects", ...what)],
  };
}
