/** The managed namespaces with what is in them and what the release wants there (S34; domain facts 6). */
import { factNamed } from "../../domain/facts/facts";
import type { Container } from "../../domain/kube/models";
import { type KubeObject, readName } from "../../domain/kube/objects";
import { listExisting } from "../../domain/rbac/managed";
import { type Additions, additionsTo, termsFor } from "../../domain/rbac/plan";
import { nameSharedPair } from "../../domain/rbac/site";
import { pairIn, type RbacTemplates, renderRbac } from "../../domain/rbac/templates";
import type { RolePair } from "../../domain/kube/kinds";
import { readAccount } from "../../domain/scc/grants";
import { getOwn, oncePer } from "../../domain/base/values";
import type { CheckContext } from "../../domain/checks/context";
import type { Names } from "../../domain/names/names";
import { isDeleting, renderDeletion } from "../../domain/kube/deletion";
import { rbacFindings } from "../../domain/rbac/findings";
import { type Check, makeChecks, type CheckResult, on } from "../../domain/checks/check";
import { chooseRoles } from "../../domain/checks/roles";
import {
  type HeldSite,
  livingSites,
  settingNeeds,
  siteChecks,
} from "../../domain/checks/managed-sites";

/** A managed namespace that exists and is not on its way out. */
export interface ManagedSite extends HeldSite {
  /** Undefined where there is no template, or an unfit one. */
  readonly wanted: RolePair<KubeObject> | undefined;
  /** What a person added to what is wanted. */
  readonly local: Additions;
}

/** Names of the service accounts of the ECs. */
function listAccounts({ clusters, names }: CheckContext): readonly string[] {
  return [...new Set(clusters.map((cluster) => readAccount(cluster, names).name))];
}

/** The release's documents with this operator's names in them; undefined without any. */
export function findTemplates(situation: CheckContext): RbacTemplates | undefined {
  const roles = chooseRoles(situation);
  return roles.is === "unknown" ? undefined : templatesIn(situation, roles);
}

/** These documents with this operator's names in them. */
export function templatesIn(
  situation: CheckContext,
  { documents }: { readonly documents: readonly unknown[] },
): RbacTemplates {
  const { configured, facts, names } = situation;
  return renderRbac(documents, {
    namespace: facts.namespace,
    accounts: listAccounts(situation),
    label: configured.is === "label",
    names,
  });
}

/** What the release wants there. */
export function wantedAt(
  consumer: RolePair<KubeObject>,
  { namespace, shared }: HeldSite,
): RolePair<KubeObject> {
  const pair = pairIn(consumer, namespace);
  return shared === undefined ? pair : nameSharedPair(pair, shared);
}

/** Those that exist and are not on their way out, with what the release wants there. */
export const listSites = oncePer((situation: CheckContext): readonly ManagedSite[] => {
  const { facts } = situation;
  const templates = findTemplates(situation);
  const consumer = templates?.is === "rendered" ? templates.consumer : undefined;
  const existing = listExisting(facts);
  const known = termsFor({ ...facts, existing, files: {}, mode: "contract" });
  return livingSites(situation).map((site) => {
    const { role, binding } = site;
    const wanted = consumer && wantedAt(consumer, site);
    const local = wanted === undefined ? none : additionsTo({ role, binding }, wanted, known);
    // without an EC nobody knows whose accounts the release means
    const subjects = listAccounts(situation).length === 0 ? [] : local.subjects;
    return { ...site, wanted, local: { ...local, subjects } };
  });
});

const none: Additions = { grants: [], subjects: [] };

const { shared, warning } = makeChecks("rbac");
const source = "Facts 6";
/** The checks of settings and of the namespaces that they name. */
export const rbacSettingChecks: readonly Check[] = [
  shared(rbacFindings.unknownConfiguration, {
    title: "The operator's setting can be read",
    needs: settingNeeds,
    judge: ({ configured, deployment }) =>
      configured.is === "unknown" && deployment !== undefined
        ? [on(deployment, configured.because)]
        : [],
  }),
  warning("RBAC-LIST-AND-LABEL", source, {
    title: "The operator is told its namespaces in one way",
    cause:
      "the operator is told its namespaces both as a list and by a label: only the list counts",
    fix: "remove the one that is not meant",
    needs: settingNeeds,
    judge: (situation) => {
      const { namespaces, namespacesLabel } = situation.names.configMap;
      const both = [namespaces, namespacesLabel].every((key) => mapped(situation, key) !== "");
      const map = findConfigMap(situation);
      return both && map !== undefined ? [on(map, "it has both settings")] : [];
    },
  }),
  warning("RBAC-SETTING-HIDDEN", source, {
    title: "The ConfigMap's settings are not hidden by the Deployment",
    cause: "an entry of the Deployment says something else than the ConfigMap, and wins",
    fix: "remove one of the two",
    needs: settingNeeds,
    judge: judgeHidden,
  }),
  warning("RBAC-SETTING-UNUSED", source, {
    title: "The operator takes its settings from the ConfigMap",
    cause: "the ConfigMap holds settings, and the Deployment does not take its environment from it",
    fix: "add the ConfigMap to envFrom of both containers again, as the bundle has it",
    needs: settingNeeds,
    judge: judgeUnused,
  }),
  siteChecks.namespaceAbsent,
  // it alone is left out, and the others are done
  shared(
    { ...rbacFindings.namespaceTerminating, severity: "warning" },
    {
      title: "No managed namespace is being deleted",
      needs: settingNeeds,
      judge: ({ facts, managed }) =>
        facts.objects.namespaces
          .filter((namespace) => managed.includes(readName(namespace)))
          .filter(isDeleting)
          .map((namespace) => on(namespace, `it is managed; ${renderDeletion(namespace)}`)),
    },
  ),
  shared(rbacFindings.labelValue, {
    title: "The label of managed namespaces has no value where none is asked for",
    needs: settingNeeds,
    judge: ({ configured, facts, managed }) => {
      const key = configured.is === "label" ? configured.bareKey : undefined;
      if (key === undefined) return [];
      return facts.objects.namespaces
        .filter((namespace) => managed.includes(readName(namespace)))
        .filter(({ metadata }) => getOwn(metadata.labels, key) !== "")
        .map((namespace) =>
          on(namespace, `${key} has a value`, { field: `metadata.labels.${key}` }),
        );
    },
  }),
  warning("RBAC-LABEL-NONE", source, {
    title: "The label selects a namespace",
    cause: "the operator finds its namespaces by a label that no namespace has",
    fix: "label the namespaces, or correct the label",
    needs: settingNeeds,
    judge: ({ configured, managed }) =>
      configured.is === "label" && managed.length === 0
        ? [{ cause: `no namespace has ${configured.selector}` }]
        : [],
  }),
];

function findConfigMap({ facts, names }: CheckContext) {
  return factNamed(facts, "configMaps", { name: names.configMap.name });
}

function mapped(situation: CheckContext, key: string): string {
  return findConfigMap(situation)?.data?.[key]?.trim() ?? "";
}

function findOperator({ deployment, names }: CheckContext): Container | undefined {
  const containers = deployment?.spec?.template?.spec?.containers;
  return containers?.find(({ name }) => name === names.operator.container);
}

function settings({ configMap }: Names): readonly string[] {
  return [configMap.namespaces, configMap.namespacesLabel];
}

function judgeHidden(situation: CheckContext): readonly CheckResult[] {
  const { deployment, names } = situation;
  const entries = findOperator(situation)?.env;
  return settings(names).flatMap((key) => {
    const entry = entries?.find(({ name }) => name === key);
    const [said, hidden] = [entry?.value ?? "", mapped(situation, key)];
    const differs = !entry?.valueFrom && hidden !== "" && said !== hidden;
    if (deployment === undefined || entry === undefined || !differs) return [];
    return [on(deployment, `its entry ${key} hides that of the ConfigMap`, { field: key })];
  });
}

function judgeUnused(situation: CheckContext): readonly CheckResult[] {
  const { deployment, names } = situation;
  const set = settings(names).some((key) => mapped(situation, key) !== "");
  const { env, envFrom } = findOperator(situation) ?? {};
  const isMap = (source: { readonly name?: string | null } | null | undefined): boolean =>
    source?.name === names.configMap.name;
  const used =
    envFrom?.some(({ configMapRef }) => isMap(configMapRef)) === true ||
    env?.some(({ valueFrom }) => isMap(valueFrom?.configMapKeyRef)) === true;
  if (deployment === undefined || !set || used) return [];
  return [on(deployment, `${names.operator.container} does not read ${names.configMap.name}`)];
}
