/** The old security context constraint: where it is needed, and where it is left over (S31-S33; domain facts 5). */
import { asArray, getPath, isObject } from "../base/values";
import { isOlder } from "../base/versions";
import { type Found, on, type Scene, type Symptom } from "../diagnosis/symptom";
import { factNamed } from "../facts/facts";
import { constraintResource } from "../kube/kinds";
import { type KubeObject, readName } from "../kube/objects";
import { grantsOf, readRules } from "../kube/role-rules";
import { ec, type Text, text } from "../names/text";
import { unprivilegedFrom } from "../release/unprivileged";
import { sccFindings } from "./findings";
import { findConstraint, mayUse, readAccount, readPriority } from "./grants";
import { listFindings, type ListPlan, listRemoved, olderLeft, planLists } from "./lists";
import { findClusterPods } from "./pods";
import {
  evaluateUnbinding,
  findOperator,
  type JudgedAccount,
  perCluster,
  type SccScene,
  unbindKeys as needs,
  wantsAdjustment,
} from "./refusals";
import { isPrivileged, listReleases } from "./releases";

/** Beside what stands against the act. */
export interface SccTarget extends SccScene {
  /** The operator's release that is wanted. */
  readonly wanted: { readonly tag: string } | undefined;
}

/** From here on clusters use the newer of the two constraints (domain facts 5). */
const newerFrom = "6.4.2-6";
/** OpenShift's own, by which unprivileged pods run. */
const unprivileged = "nonroot-v2";
/** OpenShift's own, which give no more than an unprivileged pod needs. */
const unprivilegedOnes = ["restricted", "restricted-v2", "restricted-v3", "nonroot", unprivileged];

/** Nothing is asked of a platform that has no constraints. */
const concerns = ({ facts }: Scene): boolean => !facts.unserved.has("constraints");

/** What the plan leaves: of what is left once the account is out its own row tells. */
const fromPlan = (what: "wayGroup" | "wayRole" | "roleLeft", title: Text): Symptom<SccTarget> => ({
  ...{ ...sccFindings[what], title, needs },
  judge: (scene) => {
    const plan = planUnprivileged(scene);
    if (plan === undefined || (what === "roleLeft" && plan.changes.length > 0)) return [];
    const { code } = sccFindings[what];
    return listFindings(plan, scene.facts.names.scc.current).filter((one) => one.code === code);
  },
});

/** What keeps `unbind-scc` from an account that needs no constraint: there it is only to be known. */
const fromAccounts = (what: "podRunning" | "required", title: Text): Symptom<SccTarget> => ({
  ...{ ...sccFindings[what], title, needs, severity: "warning" },
  judge: (scene) =>
    evaluateUnbinding(scene)
      .accounts.filter(
        ({ findings, wanted }) =>
          !wanted && !findings.some(({ code }) => code === sccFindings.releaseOld.code),
      )
      .flatMap(({ findings }) => findings)
      .filter(({ code }) => code === sccFindings[what].code)
      .map((finding) => ({ ...finding, severity: "warning" })),
});

/** The list, in its order. */
export const sccList: readonly Symptom<SccTarget>[] = [
  {
    ...{ ...sccFindings.adjustmentUnmet, needs, concerns },
    title: text`Where the ${ec} raises its limits, the constraint lets it`,
    judge: perCluster((cluster, { facts }) => {
      const { names } = facts;
      const name = names.scc.current;
      if (!wantsAdjustment(cluster, names) || isBound(cluster, facts, name)) return [];
      const field = names.ecFields.allowAutoAdjustment.join(".");
      return [on(cluster, `its service account may not use ${name}`, { field })];
    }),
  },
  {
    ...{ ...sccFindings.privilegedUnmet, needs, concerns },
    title: text`An ${ec} before ${unprivilegedFrom} may use a constraint`,
    judge: perCluster((cluster, scene) => {
      const { facts, wanted } = scene;
      const { current, older } = facts.names.scc;
      const stays = wanted === undefined || isPrivileged(wanted);
      const may = [current, older].some((scc) => isBound(cluster, facts, scc));
      // of a wanted adjustment its own row tells
      const isTold = wantsAdjustment(cluster, facts.names);
      if (!stays || may || isTold || !isOld(cluster, scene)) return [];
      return [on(cluster, "its service account may use neither of the two constraints")];
    }),
  },
  {
    ...{ ...sccFindings.stillBound, needs },
    title: text`No unprivileged ${ec} is bound to the old constraint`,
    judge: (scene) =>
      (planUnprivileged(scene)?.changes ?? []).map((change) =>
        on(change.object, `it is for ${listRemoved(change).join(", ")}`),
      ),
  },
  {
    ...{ ...sccFindings.left, needs },
    title: "The old constraint is not left behind",
    judge: (scene) => {
      const plan = planUnprivileged(scene);
      if (plan?.remove === undefined || plan.changes.length > 0) return [];
      return [on(plan.remove, "nobody may use it and no pod runs under it")];
    },
  },
  fromPlan("wayGroup", text`No group lets an unprivileged ${ec} use the old constraint`),
  fromPlan("wayRole", text`No wider role lets an unprivileged ${ec} use the old constraint`),
  fromPlan("roleLeft", "No role is left of a grant that was revoked"),
  fromAccounts("podRunning", text`No pod of an unprivileged ${ec} runs under the old constraint`),
  fromAccounts("required", text`No pod of an ${ec} asks for the old constraint`),
  {
    ...{ ...sccFindings.podLeft, needs },
    title: text`No pod of an unprivileged ${ec} is left under the old constraint without a need`,
    judge: (scene) =>
      evaluateUnbinding(scene)
        .accounts.filter(isUnprivileged)
        .flatMap(({ findings }) => findings),
  },
  {
    ...{ ...sccFindings.podOthers, needs, concerns },
    title: text`No pod of an unprivileged ${ec} runs under a constraint of others`,
    judge: perCluster(judgeOthers),
  },
  {
    ...{ ...sccFindings.olderLeft, needs },
    title: "The constraint of still older releases is gone",
    judge: (scene) => {
      const { clusters, facts } = scene;
      const { older: name } = facts.names.scc;
      const isNeeded = clusters.some((cluster) =>
        releasesOf(cluster, scene).some(({ tag }) => isOlder(tag, newerFrom)),
      );
      const isThere = factNamed(facts, "constraints", { name }) !== undefined;
      return isThere && clusters.length > 0 && !isNeeded ? [olderLeft(name)] : [];
    },
  },
  {
    ...sccFindings.fsGroup,
    title: "The constraints' fsGroup is well formed",
    needs: ["constraints"],
    judge: ({ facts: { names, objects } }) =>
      objects.constraints
        .filter((one) => [names.scc.current, names.scc.older].includes(readName(one)))
        .filter((one) => asArray(getPath(one, ["fsGroup", "ranges"])).some(isMalformed))
        .map((one) => on(one, "a range lacks its numbers", { field: "fsGroup.ranges" })),
  },
  {
    ...{ ...sccFindings.unprivileged, concerns },
    title: "The operator may give its pods the unprivileged constraint",
    needs: ["constraints", "deployments", "roles"],
    judge: judgeUnprivileged,
  },
];

/** The plan for those that run unprivileged; undefined where no EC does. */
function planUnprivileged(scene: SccScene): ListPlan | undefined {
  const { accounts, state } = evaluateUnbinding(scene);
  const free = accounts.filter(isUnprivileged);
  return free.some(({ clusters }) => clusters.length > 0) ? planLists(state, free) : undefined;
}

/** Nothing stands against taking the constraint from it, and that it runs unprivileged is known. */
function isUnprivileged({ findings }: JudgedAccount): boolean {
  return findings.every(({ code }) => code === sccFindings.podLeft.code);
}

function releasesOf(cluster: KubeObject, scene: SccScene) {
  return listReleases({ deployment: findOperator(scene), cluster }, scene.facts.names);
}

function isOld(cluster: KubeObject, scene: SccScene): boolean {
  return releasesOf(cluster, scene).some(isPrivileged);
}

function isBound(cluster: KubeObject, facts: SccScene["facts"], name: string): boolean {
  const isThere = factNamed(facts, "constraints", { name }) !== undefined;
  return isThere && mayUse(facts, name, readAccount(cluster, facts.names));
}

/** The constraints of others that pods of an unprivileged EC run under, each with these pods. */
function judgeOthers(cluster: KubeObject, scene: SccScene): readonly Found[] {
  const { facts } = scene;
  const { names, objects } = facts;
  const known: readonly string[] = [...unprivilegedOnes, names.scc.current, names.scc.older];
  const { name: account, namespace } = readAccount(cluster, names);
  const found = new Map<string, readonly string[]>();
  for (const pod of isOld(cluster, scene) ? [] : findClusterPods(cluster, objects.pods, names)) {
    const scc = findConstraint(pod);
    if (scc === undefined || known.includes(scc)) continue;
    found.set(scc, [...(found.get(scc) ?? []), readName(pod)]);
  }
  return [...found].map(([name, pods]) => {
    const priority = readPriority(factNamed(facts, "constraints", { name }));
    const why = priority === undefined ? "" : `, which wins by its priority ${String(priority)}`;
    const fix = `take the account out of it, with oc adm policy remove-scc-from-user ${name} -z ${account} --namespace=${namespace} where it is bound, with oc edit scc ${name} where its users or groups name it; then delete the pods one at a time, each when every other one is ready`;
    return on(cluster, `it has pods under ${name}${why}: ${pods.join(", ")}`, { fix });
  });
}

function isMalformed(range: unknown): boolean {
  return !isObject(range) || typeof range["min"] !== "number" || typeof range["max"] !== "number";
}

function judgeUnprivileged(scene: SccScene): readonly Found[] {
  const { names, namespace } = scene.facts;
  const role = factNamed(scene.facts, "roles", { name: names.operator.role, namespace });
  const [release] = listReleases({ deployment: findOperator(scene) }, names);
  if (role === undefined || release === undefined || isOlder(release.tag, "7.22.0-0")) return [];
  const { group, plural } = constraintResource;
  const granted = grantsOf(readRules(role)).some(
    (grant) =>
      ["use", "*"].includes(grant.verb) &&
      [group, "*"].includes(grant.group) &&
      [plural, "*"].includes(grant.resource) &&
      [unprivileged, undefined].includes(grant.name),
  );
  return granted ? [] : [on(role, `it does not grant use of ${unprivileged}`, { field: "rules" })];
}
