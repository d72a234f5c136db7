/** What stands against taking the constraint from an account: one row for each reason (S31, S32). */
import { asString, getPath, groupBy, oncePer } from "../base/values";
import { gate } from "../diagnosis/diagnose";
import type { Diagnosed, Found, Scene, Symptom } from "../diagnosis/symptom";
import { factNamed } from "../facts/facts";
import type { Deployment, Pod } from "../kube/models";
import { type KubeObject, objectLabel, readName, readNamespace } from "../kube/objects";
import { renderTerm, type Names } from "../names/names";
import { ec, text } from "../names/text";
import { unprivilegedFrom } from "../release/unprivileged";
import { sccFinding, sccFindings } from "./findings";
import {
  type Account,
  accessKeys,
  chooseConstraint,
  mayUse,
  readAccount,
  readPriority,
  renderUser,
  runsUnder,
} from "./grants";
import { isNamed, type ListPlan, planLists, type SccState } from "./lists";
import { findClusterPods } from "./pods";
import { isPrivileged, listReleases } from "./releases";
import { findRequired, isRequiredBy } from "./required";
import { listUses } from "./uses";

/** What the rows look at. */
export interface SccScene extends Scene {
  /** The ECs that are asked about. */
  readonly clusters: readonly KubeObject[];
  /** The constraint that is meant; absent: that of today's releases. */
  readonly scc?: string | undefined;
  /** The EC that was named: then the operator's own account is left as it is. */
  readonly ec?: string | undefined;
}

/** An account of this namespace; `clusters` are the ECs that run as it, none for the operator's. */
interface AccountScene extends SccScene {
  readonly account: Account;
}

/** Lists by which an unbinding is judged. */
export const unbindKeys = [
  ...(["constraints", "ecs", "deployments", "statefulSets", "pods"] as const),
  ...accessKeys,
] as const;

/** The operator's Deployment. */
export function findOperator({ facts }: Scene): Deployment | undefined {
  return factNamed(facts, "deployments", { name: facts.names.operator.deployment });
}

/** The name of the constraint that is meant. */
function nameConstraint(scene: SccScene): string {
  return chooseConstraint(scene.facts.names, scene);
}

/** A judgment of each EC by itself. */
export const perCluster =
  <S extends SccScene>(judge: (cluster: KubeObject, scene: S) => readonly Found[]) =>
  (scene: S): readonly Found[] =>
    scene.clusters.flatMap((cluster) => judge(cluster, scene));

const row = { needs: unbindKeys, forbids: ["unbind-scc"] } as const;

/** The rows. */
const accountSymptoms = {
  adjustment: {
    ...{ ...sccFindings.adjustment, ...row },
    title: text`The ${ec} does not ask for what the constraint gives`,
    judge: perCluster((cluster, { facts: { names } }) => {
      if (!wantsAdjustment(cluster, names)) return [];
      const field = names.ecFields.allowAutoAdjustment.join(".");
      const cause = sccFindings.adjustment.cause(names);
      return [{ object: objectLabel(cluster), field, cause }];
    }),
  },
  release: {
    ...{ ...sccFindings.releaseOld, ...row },
    title: text`Operator and ${ec} are of releases that need no constraint`,
    causes: [sccFindings.releaseUnknown],
    judge: perCluster((cluster, scene): readonly Found[] => {
      const { names } = scene.facts;
      const pods = findClusterPods(cluster, scene.facts.objects.pods, names);
      const all = listReleases({ deployment: findOperator(scene), cluster, pods }, names);
      if (all.length === 0)
        return [sccFinding("releaseUnknown", { object: objectLabel(cluster) }, names)];
      return all.filter(isPrivileged).map(({ object, tag }) => {
        const cause = `release ${tag} is older than ${unprivilegedFrom}, from which on nothing needs the constraint`;
        return { object, cause };
      });
    }),
  },
  ecNotRunning: {
    ...{ ...sccFindings.ecNotRunning, ...row },
    title: text`The ${ec} is in state Running`,
    judge: perCluster((cluster, { facts: { names } }) => {
      const path = names.ecFields.state;
      const state = asString(getPath(cluster, path)) ?? "Running";
      if (state === "Running") return [];
      const cause = `the ${renderTerm(names.ec)} is in state ${state}: its pods may still be recreated`;
      return [{ object: objectLabel(cluster), field: path.join("."), cause }];
    }),
  },
  required: {
    ...{ ...sccFindings.required, ...row },
    title: text`No pod of an ${ec} asks for the old constraint`,
    judge: perCluster((cluster, scene) =>
      findRequired(requiredSearch(cluster, scene), scene.facts.names),
    ),
  },
  podRunning: {
    ...{ ...sccFindings.podRunning, ...row },
    title: text`No pod of an unprivileged ${ec} runs under the old constraint`,
    causes: [sccFindings.podLeft],
    judge: (scene): readonly Found[] => {
      const name = nameConstraint(scene);
      return listPods(scene)
        .filter((pod) => runsUnder(pod, name))
        .map((pod) => judgePod(pod, scene));
    },
  },
} as const satisfies Readonly<Record<string, Symptom<AccountScene>>>;

const rows: readonly Symptom<AccountScene>[] = Object.values(accountSymptoms);

function requiredSearch(cluster: KubeObject, scene: SccScene) {
  const { names, objects } = scene.facts;
  const name = nameConstraint(scene);
  return {
    ...{ cluster, name, statefulSets: objects.statefulSets },
    constraint: factNamed(scene.facts, "constraints", { name }),
    pods: findClusterPods(cluster, objects.pods, names),
  };
}

/** The pods that tell whether the account still needs the constraint. */
function listPods(scene: AccountScene): readonly Pod[] {
  const { account, clusters, facts } = scene;
  if (clusters.length === 0) {
    return facts.objects.pods.filter(
      ({ metadata, spec }) =>
        metadata.namespace === account.namespace && spec?.serviceAccountName === account.name,
    );
  }
  return clusters.flatMap((cluster) => {
    const search = requiredSearch(cluster, scene);
    const labels = findRequired(search, facts.names).map(({ object }) => object);
    // where their template or the spec asks for it, the same pods would only come back
    const isAsked = labels.some((label) => !search.pods.some((pod) => objectLabel(pod) === label));
    return search.pods.filter((pod) => !isAsked && !isRequiredBy(pod, search.name));
  });
}

/** True when an EC may raise its limits, for which it needs the constraint. */
export function wantsAdjustment(cluster: KubeObject, names: Names): boolean {
  return getPath(cluster, names.ecFields.allowAutoAdjustment) === true;
}

/** An account, the ECs that use it, and what stands against unbinding it. */
export interface JudgedAccount extends Account {
  readonly clusters: readonly KubeObject[];
  readonly findings: readonly Diagnosed[];
  /** An EC wants the extra capability: the account keeps the constraint, and rightly so (S32). */
  readonly wanted: boolean;
}

/** True when nothing but warnings stands against it. */
export function isFree({ findings }: JudgedAccount): boolean {
  return findings.every(({ severity }) => severity !== "error");
}

function judgeAccount(account: Account, scene: SccScene): JudgedAccount {
  const { clusters, facts } = scene;
  return {
    ...{ ...account, clusters },
    findings: gate(rows, "unbind-scc", { ...scene, account }),
    wanted: clusters.some((cluster) => wantsAdjustment(cluster, facts.names)),
  };
}

/** The accounts of the ECs that are asked about, each judged once with every EC of the namespace that uses it. */
export function judgeAccounts(scene: SccScene): readonly JudgedAccount[] {
  const { clusters, facts } = scene;
  const userOf = (cluster: KubeObject): string => renderUser(readAccount(cluster, facts.names));
  const asked = new Set(clusters.map(userOf));
  return [...groupBy(listOwn(scene), userOf)].flatMap(([user, same]) => {
    const [first] = same;
    if (first === undefined || !asked.has(user)) return [];
    return [judgeAccount(readAccount(first, facts.names), { ...scene, clusters: same })];
  });
}

/** The operator's own account, where its release needs no constraint and none of its pods uses one. */
export function judgeOperator(scene: SccScene): readonly JudgedAccount[] {
  const deployment = findOperator(scene);
  const [release] = listReleases({ deployment }, scene.facts.names);
  const name = asString(deployment?.spec?.template?.spec?.serviceAccountName);
  const { namespace } = deployment?.metadata ?? {};
  if (scene.ec !== undefined || release === undefined || isPrivileged(release)) return [];
  if (name === undefined || namespace === undefined) return [];
  return [judgeAccount({ namespace, name }, { ...scene, clusters: [] })].filter(isFree);
}

function listOwn({ facts: { namespace, objects } }: Scene): readonly KubeObject[] {
  return objects.ecs.filter((cluster) => readNamespace(cluster) === namespace);
}

/** What unbind-scc finds and plans. */
export interface Unbinding {
  readonly state: SccState;
  readonly accounts: readonly JudgedAccount[];
  /** The plan for every account, whatever stands against it. */
  readonly whole: ListPlan;
}

/** Judged once, however many ask; where there are no constraints there is no account to take one from. */
export const evaluateUnbinding = oncePer((scene: SccScene): Unbinding => {
  const { facts } = scene;
  const { names, objects } = facts;
  const name = nameConstraint(scene);
  const own = listOwn(scene);
  const state = {
    ...{ name, access: objects, pods: objects.pods },
    constraint: factNamed(facts, "constraints", { name }),
    wantedBy: own.filter((each) => wantsAdjustment(each, names)).map(objectLabel),
    members: own.map((cluster) => renderUser(readAccount(cluster, names))),
    own: [names.scc.current, names.scc.older],
  };
  const accounts = facts.unserved.has("constraints")
    ? []
    : [...judgeAccounts(scene), ...judgeOperator(scene).filter((one) => isNamed(state, one))];
  return { state, accounts, whole: planLists(state, accounts) };
});

/** A pod that needs nothing of the constraint comes back under it for as long as its account may use it. */
function judgePod(pod: Pod, scene: AccountScene): Found {
  const { facts, account } = scene;
  const name = nameConstraint(scene);
  const constraint = factNamed(facts, "constraints", { name });
  const uses = listUses(pod.spec, constraint);
  const priority = readPriority(constraint);
  const object = objectLabel(pod);
  if (uses.length > 0) {
    const cause = `the pod still runs under ${name} and uses what it gives: ${uses.join("; ")}`;
    return { object, cause };
  }
  const isBound = mayUse(facts, name, account);
  if (isBound && priority === undefined)
    return { object, cause: `the pod still runs under ${name}` };
  const why = isBound
    ? `only by its priority ${String(priority)}, and so does each pod that is made before its account is out`
    : "since before its account was taken out";
  const cause = `the pod needs nothing of ${name}; it runs under it ${why}`;
  const fix = `${isBound ? "once its account is out, " : ""}delete the pods one at a time, each when every other one is ready and the one before runs under another constraint: kubectl delete pod ${readName(pod)} --namespace=${account.namespace}; then run unbind-scc again`;
  return sccFinding("podLeft", { object, cause, fix }, facts.names);
}
