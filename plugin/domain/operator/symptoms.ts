/** What may be wrong with the operator, in causal order: the first that is found explains those after it (S19; domain facts 11). */
import type { Finding } from "../base/findings";
import { kubectl, type Remedy } from "../base/remedy";
import { oncePer } from "../base/values";
import { type Diagnosis, diagnose, verdictOf } from "../diagnosis/diagnose";
import type { Found, Symptom } from "../diagnosis/symptom";
import { factNamed, type FactKey, type Facts, isKnown } from "../facts/facts";
import { objectLabel } from "../kube/objects";
import { countReplicas, judgeDeployment, renderCounts } from "../rollout/deployment";
import { deploymentFindings, rollFindings } from "../rollout/findings";
import type { ComponentHealth } from "../rollout/health";
import { operatorFindings } from "./findings";
import { operatorGround } from "./ground";
import { explainLease, type OperatorWords } from "./lease";
import { describeMoving, noOlm, type Olm, readOlm } from "./olm";
import { judgeOlm } from "./olm-obstacles";
import { explainWatched } from "./watched";

/** How the operator's Deployment fares: judged once, however many ask. */
export const operatorProgress = oncePer((facts: Facts) =>
  judgeDeployment(facts, facts.names.operator.deployment),
);

/** That the operator runs and does not act here: it looks elsewhere, or another pod leads. */
export function explainIdleOperator(facts: Facts): OperatorWords | undefined {
  return explainWatched(facts) ?? explainLease(facts);
}

function findDeployment(facts: Facts) {
  const { names, namespace } = facts;
  return factNamed(facts, "deployments", { name: names.operator.deployment, namespace });
}

const writers = ["upgrade-webhook", "upgrade-cluster", "modules"] as const;

/** The rows; those of releases and owners are of what is asked for, and stand with it. */
export const operatorSymptoms = {
  absent: {
    ...operatorFindings.absent,
    title: "The operator is in this namespace",
    needs: ["deployments"],
    forbids: ["upgrade-cluster", "modules"],
    judge: ({ facts }) => {
      const { names, namespace } = facts;
      if (findDeployment(facts) !== undefined) return [];
      const { deployment: name } = names.operator;
      const object = `Deployment/${namespace}/${name}`;
      return [{ object, cause: `namespace ${namespace} has no Deployment ${name}` }];
    },
  },
  notReady: {
    ...operatorFindings.notReady,
    title: "The operator is 1/1 ready, up to date and available",
    needs: ["deployments"],
    why: ["replicaSets", "pods", "events"],
    forbids: writers,
    causes: [...Object.values(deploymentFindings), ...Object.values(rollFindings)],
    judge: ({ facts }): readonly Found[] => {
      const deployment = findDeployment(facts);
      if (deployment === undefined) return [];
      const progress = operatorProgress(facts);
      const object = objectLabel(deployment);
      if (progress.is === "done") return [];
      if (progress.is === "moving") {
        const cause = renderCounts(countReplicas(deployment));
        return [{ object, cause, remedies: [waitFor(facts)], passes: true }];
      }
      const { code, object: of, cause, fix, remedies } = progress;
      const [told] = known.filter((one) => one.code === code).map(({ source }) => ({ source }));
      return [{ code, object: of, cause, fix, ...told, ...(remedies && { remedies }) }];
    },
  },
  idle: {
    ...operatorFindings.idle,
    title: "The operator acts in this namespace",
    needs: ["deployments"],
    may: ["leases", "pods"],
    forbids: ["upgrade-cluster", "modules"],
    judge: ({ facts }): readonly Found[] => {
      const deployment = findDeployment(facts);
      if (deployment === undefined || operatorProgress(facts).is !== "done") return [];
      const found = explainIdleOperator(facts);
      if (found === undefined) return [];
      const { words, remedies } = found;
      return [{ object: objectLabel(deployment), cause: words.join("; "), remedies }];
    },
  },
} as const satisfies Readonly<Record<string, Symptom>>;

function waitFor({ names, namespace }: Facts): Remedy {
  return kubectl(
    "wait until it is ready, up to date and available, or run again with --wait; see how far it is",
    ...["describe", "deployment", names.operator.deployment, `--namespace=${namespace}`],
  );
}

const known: readonly Pick<Finding, "code" | "source">[] = [
  ...Object.values(deploymentFindings),
  ...Object.values(rollFindings),
];

/** The list, in its order. */
export const operatorList: readonly Symptom[] = Object.values(operatorSymptoms);

type OlmCode = "olmGroup" | "olmPlan" | "olmObject" | "olmInstall" | "olmStuck";

const findOlms = (facts: Facts): Olm => readOlm(facts) ?? noOlm;

/** What OLM says of an operator that it keeps. */
const ofOlm = (what: OlmCode, title: string, key: FactKey): Symptom => ({
  ...operatorFindings[what],
  title,
  needs: ["deployments"],
  may: [...new Set<FactKey>([key, "subscriptions"])],
  forbids: ["upgrade-operator"],
  concerns: ({ facts }) => !isKnown(facts, "deployments") || readOlm(facts) !== undefined,
  judge: ({ facts }) =>
    judgeOlm(findOlms(facts), facts.namespace).filter(
      ({ code }) => code === operatorFindings[what].code,
    ),
});

/** What keeps OLM from bringing the operator anywhere. */
export const olmList: readonly Symptom[] = [
  ofOlm("olmGroup", "OLM has one OperatorGroup for the namespace", "operatorGroups"),
  ofOlm("olmPlan", "The operator's InstallPlan has not failed", "installPlans"),
  ofOlm("olmObject", "OLM names no object that it fails at", "installPlans"),
  ofOlm("olmInstall", "OLM can install what it is to bring", "clusterServiceVersions"),
  ofOlm("olmStuck", "OLM can upgrade the operator", "subscriptions"),
];

/** All that is told of the operator where nobody is about to act. */
export const diagnoseOperator = oncePer((facts: Facts): Diagnosis =>
  diagnose([...operatorGround, ...operatorList, ...olmList], { facts }),
);

/** The operator in one word. */
export function operatorHealth(facts: Facts): ComponentHealth {
  const progress = operatorProgress(facts);
  const verdict = verdictOf(diagnoseOperator(facts), progress.is === "done" ? progress.says : "");
  const on = describeMoving(findOlms(facts));
  const isOpen = verdict.is === "fine" || verdict.is === "moving";
  return isOpen && on !== undefined ? { is: "moving", on } : verdict;
}
