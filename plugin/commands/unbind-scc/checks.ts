/** The old security context constraint: where it is needed, and where it is left over (S31-S33; domain facts 5). */
import { ec, type Text, text } from "../../domain/names/text";
import { factNamed } from "../../domain/facts/facts";
import { type KubeObject, nameOf, objectLabel } from "../../domain/kube/objects";
import { grantsOf as grantsOfRules, rulesOf } from "../../domain/kube/role-rules";
import {
  type Account,
  accountOf,
  grantsOf,
  groupOf,
  groupsOf,
  isAccount,
  userOf,
} from "../../domain/scc/grants";
import { constraintResource } from "../../domain/kube/kinds";
import {
  isFree,
  judgeAccounts,
  type JudgedAccount,
  releasesOf,
  unprivilegedFrom,
  wantsAdjustment,
} from "../../domain/scc/refusals";
import { sccFindings } from "../../domain/scc/findings";
import { findingsOf, planUnbind, type Unbinding } from "./plan";
import { getPath, isObject, asArray, getOwn } from "../../domain/base/values";
import { type Check, checksOf, type CheckResult, on, perCluster } from "../../domain/checks/check";
import { isBefore, type CheckContext } from "../../domain/checks/context";

const { error, shared, warning } = checksOf("scc");
const access = ["clusterRoles", "clusterRoleBindings", "roles", "roleBindings"] as const;
const needs = ["constraints", "ecs", "deployments", "pods", ...access] as const;
/** From here on clusters use the newer of the two constraints (domain facts 5). */
const newerFrom = "6.4.2-6";
/** OpenShift's own, by which unprivileged pods run. */
const unprivileged = "nonroot-v2";

const fromPlan = (what: "wayGroup" | "wayRole" | "roleLeft", title: Text): Check =>
  shared(sccFindings[what], {
    title,
    needs,
    judge: (situation) => {
      const { plan } = unbindingOf(situation);
      const name = situation.names.scc.current;
      // the plan speaks of what is left once the account is out: of that its own check tells
      if (plan === undefined || (what === "roleLeft" && plan.changes.length > 0)) return [];
      return findingsOf(plan, name).filter((finding) => finding.code === sccFindings[what].code);
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
        if (!wantsAdjustment(cluster, names) || mayUse(situation, cluster, name)) return undefined;
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
          mayUse(situation, cluster, scc),
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
    fix: "run unbind-scc",
    needs,
    judge: (situation) =>
      (unbindingOf(situation).plan?.changes ?? []).map(({ object, removed }) =>
        on(object, `it is for ${removed.join(", ")}`),
      ),
  }),
  warning("SCC-LEFT", "S33", {
    title: "The old constraint is not left behind",
    cause: "nobody uses the old constraint any more, and it is still there",
    fix: "run unbind-scc: it deletes the constraint when nobody is left",
    needs,
    judge: (situation) => {
      const { plan } = unbindingOf(situation);
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
      judge: (situation) =>
        unbindingOf(situation)
          .accounts.filter(
            ({ findings, wanted }) =>
              !wanted && !findings.some(({ code }) => code === "SCC-RELEASE-OLD"),
          )
          .flatMap(({ findings }) => findings.filter(({ code }) => code === "SCC-POD-RUNNING"))
          .map((finding) => ({ ...finding, severity: "warning" as const })),
    },
  ),
  shared(sccFindings.olderLeft, {
    title: "The constraint of still older releases is gone",
    needs,
    judge: (situation) => {
      const older = constraintNamed(situation, situation.names.scc.older);
      const needed = situation.clusters.some((cluster) =>
        releasesHere(situation, cluster).some((one) => isBefore(one, newerFrom)),
      );
      if (older === undefined || situation.clusters.length === 0 || needed) return [];
      return [on(older, "the constraint of still older releases exists as well")];
    },
  }),
  warning("SCC-FSGROUP", "Facts 5", {
    title: "The constraints' fsGroup is well formed",
    cause: "a constraint's fsGroup range is malformed, as one old file had it",
    fix: "apply the release's SCC again",
    needs: ["constraints"],
    judge: ({ facts, names }) =>
      facts.objects.constraints
        .filter((one) => [names.scc.current, names.scc.older].includes(nameOf(one)))
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
  readonly plan: Unbinding | undefined;
}

/** What unbind-scc would find and plan. */
function unbindingOf(situation: CheckContext): SccEvaluation {
  const { clusters, deployment, facts, names } = situation;
  const name = names.scc.current;
  if (facts.unserved.has("constraints")) return { accounts: [], plan: undefined };
  const { pods } = facts.objects;
  const accounts = judgeAccounts(clusters, { constraint: name, deployment, pods }, names);
  const free = accounts.filter((account) => isFree(account) && account.findings.length === 0);
  const wantedBy = clusters.filter((one) => wantsAdjustment(one, names)).map(objectLabel);
  const constraint = constraintNamed(situation, name);
  const plan = planUnbind({ name, constraint, access: facts.objects, pods, wantedBy }, free);
  return { accounts, plan: free.length === 0 ? undefined : plan };
}

function releasesHere(situation: CheckContext, cluster: KubeObject) {
  return releasesOf({ deployment: situation.deployment, cluster, pods: [] }, situation.names);
}

function mayUse(situation: CheckContext, cluster: KubeObject, name: string): boolean {
  const constraint = constraintNamed(situation, name);
  if (constraint === undefined) return false;
  const account: Account = accountOf(cluster, situation.names);
  const known = [userOf(account), ...groupsOf(account)];
  const direct = [
    ...asArray(getOwn(constraint, "users")),
    ...asArray(getOwn(constraint, "groups")),
  ];
  return (
    direct.some((one) => known.some((name_) => name_ === one)) ||
    grantsOf(situation.facts.objects, name).some(({ binding }) =>
      asArray(getOwn(binding, "subjects")).some(
        (subject) => isAccount(subject, account) || groupOf(subject, account) !== undefined,
      ),
    )
  );
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
  const granted = grantsOfRules(rulesOf(role)).some(
    (grant) =>
      ["use", "*"].includes(grant.verb) &&
      [group, "*"].includes(grant.group) &&
      [plural, "*"].includes(grant.resource) &&
      [unprivileged, undefined].includes(grant.name),
  );
  return granted ? [] : [on(role, `it does not grant use of ${unprivileged}`, { field: "rules" })];
}
