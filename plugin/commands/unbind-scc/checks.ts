/** The old security context constraint: where it is needed, and where it is left over (S31-S33; domain facts 5). */
import type { Finding } from "../../domain/base/findings";
import { byTool } from "../../domain/base/remedy";
import { unprivilegedFrom } from "../../domain/release/unprivileged";
import { ec, type Text, text } from "../../domain/names/text";
import { factNamed } from "../../domain/facts/facts";
import { type KubeObject, readName } from "../../domain/kube/objects";
import { grantsOf as grantsOfRules, readRules } from "../../domain/kube/role-rules";
import {
  findConstraint,
  mayUse,
  readAccount,
  readPriority,
  type SccAccess,
} from "../../domain/scc/grants";
import { constraintResource } from "../../domain/kube/kinds";
import {
  judgeAccounts,
  judgeOperator,
  type JudgedAccount,
  listReleases,
  wantsAdjustment,
} from "../../domain/scc/refusals";
import { findClusterPods } from "../../domain/scc/pods";
import { sccFindings } from "../../domain/scc/findings";
import {
  listFindings,
  isNamed,
  olderLeft,
  listRemoved,
  makeState,
  planLists,
  type ListPlan,
} from "./lists";
import { getPath, isObject, asArray } from "../../domain/base/values";
import {
  type Check,
  makeChecks,
  type CheckResult,
  on,
  perCluster,
} from "../../domain/checks/check";
import { isBefore, type CheckContext } from "../../domain/checks/context";

const { error, shared, warning } = makeChecks("scc");
const access = ["clusterRoles", "clusterRoleBindings", "roles", "roleBindings"] as const;
const needs = ["constraints", "ecs", "deployments", "statefulSets", "pods", ...access] as const;
/** From here on clusters use the newer of the two constraints (domain facts 5). */
const newerFrom = "6.4.2-6";
/** OpenShift's own, by which unprivileged pods run. */
const unprivileged = "nonroot-v2";

const fromPlan = (what: "wayGroup" | "wayRole" | "roleLeft", title: Text): Check =>
  shared(sccFindings[what], {
    title,
    needs,
    judge: (situation) => {
      const { plan } = evaluateUnbinding(situation);
      const name = situation.names.scc.current;
      // the plan speaks of what is left once the account is out: of that its own check tells
      if (plan === undefined || (what === "roleLeft" && plan.changes.length > 0)) return [];
      return listFindings(plan, name).filter((finding) => finding.code === sccFindings[what].code);
    },
  });

/** The checks of the constraint; without constraints nothing is asked. */
export const sccChecks: readonly Check[] = [
  error("SCC-ADJUSTMENT-UNMET", "S32", {
    title: text`Where the ${ec} raises its limits, the constraint lets it`,
    cause: text`the ${ec} asks for automatic resource adjustment, and its account may not use the constraint`,
    fix: "apply the release's SCC and bind it with oc adm policy add-scc-to-user, or switch the adjustment off",
    needs,
    judge: onOpenShift(
      perCluster((cluster, situation) => {
        const { names } = situation;
        const name = names.scc.current;
        if (!wantsAdjustment(cluster, names) || isBound(situation, cluster, name)) return undefined;
        return on(cluster, `its service account may not use ${name}`, {
          field: names.ecFields.allowAutoAdjustment.join("."),
        });
      }),
    ),
  }),
  warning("SCC-PRIVILEGED-UNMET", "S31", {
    title: text`An ${ec} before ${unprivilegedFrom} may use a constraint`,
    cause: text`pods before ${unprivilegedFrom} need the constraint, and the ${ec}'s account may not use it`,
    fix: "bind the release's SCC with oc adm policy add-scc-to-user",
    needs,
    judge: onOpenShift(
      perCluster((cluster, situation) => {
        const { names, wanted } = situation;
        const stays = wanted === undefined || isBefore(wanted, unprivilegedFrom);
        const old = releasesHere(situation, cluster).some((one) => isBefore(one, unprivilegedFrom));
        const may = [names.scc.current, names.scc.older].some((scc) =>
          isBound(situation, cluster, scc),
        );
        // of a wanted adjustment its own check tells
        if (!stays || !old || may || wantsAdjustment(cluster, names)) return undefined;
        return on(cluster, "its service account may use neither of the two constraints");
      }),
    ),
  }),
  warning("SCC-STILL-BOUND", "S33", {
    title: text`No unprivileged ${ec} is bound to the old constraint`,
    cause: text`the ${ec} runs unprivileged, and its service account may still use the old constraint`,
    ...byTool("run unbind-scc", "unbind-scc"),
    needs,
    judge: (situation) =>
      (evaluateUnbinding(situation).plan?.changes ?? []).map((change) =>
        on(change.object, `it is for ${listRemoved(change).join(", ")}`),
      ),
  }),
  warning("SCC-LEFT", "S33", {
    title: "The old constraint is not left behind",
    cause: "nobody uses the old constraint any more, and it is still there",
    ...byTool("run unbind-scc: it deletes the constraint when nobody is left", "unbind-scc"),
    needs,
    judge: (situation) => {
      const { plan } = evaluateUnbinding(situation);
      if (plan?.remove === undefined || plan.changes.length > 0) return [];
      return [on(plan.remove, "nobody may use it and no pod runs under it")];
    },
  }),
  fromPlan("wayGroup", text`No group lets an unprivileged ${ec} use the old constraint`),
  fromPlan("wayRole", text`No wider role lets an unprivileged ${ec} use the old constraint`),
  fromPlan("roleLeft", "No role is left of a grant that was revoked"),
  shared(
    { ...sccFindings.podRunning, severity: "warning" },
    {
      title: text`No pod of an unprivileged ${ec} runs under the old constraint`,
      needs,
      judge: (situation) => warnOf(situation, sccFindings.podRunning),
    },
  ),
  shared(
    { ...sccFindings.required, severity: "warning" },
    {
      title: text`No pod of an ${ec} asks for the old constraint`,
      needs,
      judge: (situation) => warnOf(situation, sccFindings.required),
    },
  ),
  shared(sccFindings.podLeft, {
    title: text`No pod of an unprivileged ${ec} is left under the old constraint without a need`,
    needs,
    judge: (situation) =>
      evaluateUnbinding(situation)
        .accounts.filter(isUnprivileged)
        .flatMap(({ findings }) => findings),
  }),
  warning("SCC-POD-OTHERS", "S31", {
    title: text`No pod of an unprivileged ${ec} runs under a constraint of others`,
    cause: text`a constraint that others made, and that gives more than the pods need, lets the ${ec}'s account use it and wins`,
    fix: "take the account out of that constraint, then delete the pods one at a time",
    needs,
    judge: onOpenShift((situation) =>
      situation.clusters.flatMap((cluster) => judgeOthers(cluster, situation)),
    ),
  }),
  shared(sccFindings.olderLeft, {
    title: "The constraint of still older releases is gone",
    needs,
    judge: (situation) => {
      const older = constraintNamed(situation, situation.names.scc.older);
      const needed = situation.clusters.some((cluster) =>
        releasesHere(situation, cluster).some((one) => isBefore(one, newerFrom)),
      );
      if (older === undefined || situation.clusters.length === 0 || needed) return [];
      return [olderLeft(readName(older))];
    },
  }),
  warning("SCC-FSGROUP", "Facts 5", {
    title: "The constraints' fsGroup is well formed",
    cause: "a constraint's fsGroup range is malformed, as one old file had it",
    fix: "apply the release's SCC again",
    needs: ["constraints"],
    judge: ({ facts, names }) =>
      facts.objects.constraints
        .filter((one) => [names.scc.current, names.scc.older].includes(readName(one)))
        .filter((constraint) =>
          asArray(getPath(constraint, ["fsGroup", "ranges"])).some(isMalformed),
        )
        .map((constraint) =>
          on(constraint, "a range lacks its numbers", { field: "fsGroup.ranges" }),
        ),
  }),
  warning("SCC-UNPRIVILEGED", "Facts 5", {
    title: "The operator may give its pods the unprivileged constraint",
    cause: `the operator's Role does not grant the use of ${unprivileged}, by which its pods run`,
    fix: "apply the Role of the OpenShift bundle again",
    needs: ["constraints", "deployments", "roles"],
    judge: onOpenShift(judgeUnprivileged),
  }),
];

/** Nothing is asked of a platform that has no constraints. */
function onOpenShift(judge: Check["judge"]): Check["judge"] {
  return (situation) => (situation.facts.unserved.has("constraints") ? [] : judge(situation));
}

function constraintNamed({ facts }: CheckContext, name: string): KubeObject | undefined {
  return factNamed(facts, "constraints", { name });
}

interface SccEvaluation {
  readonly accounts: readonly JudgedAccount[];
  /** Undefined where no account runs unprivileged yet. */
  readonly plan: ListPlan | undefined;
  /** The plan for every account, whatever stands against it. */
  readonly whole: ListPlan;
}

/** What unbind-scc would find and plan. */
export function evaluateUnbinding(situation: CheckContext): SccEvaluation {
  const { clusters, deployment, facts, names } = situation;
  const name = names.scc.current;
  const { pods, statefulSets } = facts.objects;
  const around = { ...accessTo(situation, name), name, deployment, pods, statefulSets };
  const state = makeState(around, clusters, names);
  if (facts.unserved.has("constraints")) {
    return { accounts: [], plan: undefined, whole: planLists(state, []) };
  }
  const accounts = judgeAccounts(clusters, around, names);
  const beside = judgeOperator(around, names).filter((one) => isNamed(state, one));
  const free = [...accounts, ...beside].filter(isUnprivileged);
  const isPlanned = accounts.some(isUnprivileged);
  return {
    accounts: [...accounts, ...beside],
    whole: planLists(state, [...accounts, ...beside]),
    plan: isPlanned ? planLists(state, free) : undefined,
  };
}

/** Nothing stands against taking the constraint from it, and that it runs unprivileged is known. */
function isUnprivileged(account: JudgedAccount): boolean {
  return account.findings.every(({ code }) => code === sccFindings.podLeft.code);
}

function accessTo(situation: CheckContext, name: string): SccAccess {
  return { constraint: constraintNamed(situation, name), access: situation.facts.objects };
}

function releasesHere(situation: CheckContext, cluster: KubeObject) {
  return listReleases({ deployment: situation.deployment, cluster, pods: [] }, situation.names);
}

function isBound(situation: CheckContext, cluster: KubeObject, name: string): boolean {
  const given = accessTo(situation, name);
  const account = readAccount(cluster, situation.names);
  return given.constraint !== undefined && mayUse(given, name, account);
}

/** OpenShift's own, which give no more than an unprivileged pod needs. */
const unprivilegedOnes = ["restricted", "restricted-v2", "restricted-v3", "nonroot", unprivileged];

/** The constraints of others that pods of an unprivileged EC run under, each with these pods. */
function judgeOthers(cluster: KubeObject, situation: CheckContext): readonly CheckResult[] {
  const { facts, names } = situation;
  const known: readonly string[] = [...unprivilegedOnes, names.scc.current, names.scc.older];
  const { name, namespace } = readAccount(cluster, names);
  const isOld = releasesHere(situation, cluster).some((one) => isBefore(one, unprivilegedFrom));
  const found = new Map<string, readonly string[]>();
  for (const pod of isOld ? [] : findClusterPods(cluster, facts.objects.pods, names)) {
    const scc = findConstraint(pod);
    if (scc === undefined || known.includes(scc)) continue;
    found.set(scc, [...(found.get(scc) ?? []), readName(pod)]);
  }
  return [...found].map(([scc, pods]) => {
    const priority = readPriority(constraintNamed(situation, scc));
    const why = priority === undefined ? "" : `, which wins by its priority ${String(priority)}`;
    const user = `-z ${name} --namespace=${namespace}`;
    return {
      ...on(cluster, `it has pods under ${scc}${why}: ${pods.join(", ")}`),
      fix: `take the account out of it, with oc adm policy remove-scc-from-user ${scc} ${user} where it is bound, with oc edit scc ${scc} where its users or groups name it; then delete the pods one at a time, each when every other one is ready`,
    };
  });
}

function isMalformed(range: unknown): boolean {
  return !isObject(range) || typeof range["min"] !== "number" || typeof range["max"] !== "number";
}

function judgeUnprivileged({
  deployment,
  facts,
  installed,
  names,
}: CheckContext): readonly CheckResult[] {
  const { namespace } = facts;
  const role = factNamed(facts, "roles", { name: names.operator.role, namespace });
  if (deployment === undefined || role === undefined || installed === undefined) return [];
  if (isBefore(installed, "7.22.0-0")) return [];
  const { group, plural } = constraintResource;
  const granted = grantsOfRules(readRules(role)).some(
    (grant) =>
      ["use", "*"].includes(grant.verb) &&
      [group, "*"].includes(grant.group) &&
      [plural, "*"].includes(grant.resource) &&
      [unprivileged, undefined].includes(grant.name),
  );
  return granted ? [] : [on(role, `it does not grant use of ${unprivileged}`, { field: "rules" })];
}

/** What keeps `unbind-scc` from an account, of one code: `check` only warns of it. */
function warnOf(
  situation: Parameters<typeof evaluateUnbinding>[0],
  { code: wantedCode }: { readonly code: string },
): readonly Finding[] {
  return evaluateUnbinding(situation)
    .accounts.filter(
      ({ findings, wanted }) => !wanted && !findings.some(({ code }) => code === "SCC-RELEASE-OLD"),
    )
    .flatMap(({ findings }) => findings)
    .filter(({ code }) => code === wantedCode)
    .map((finding) => ({ ...finding, severity: "warning" as const }));
}
