/** The operator: there, ready, of one release, and nobody else's to change (S19, S122; domain facts 8). */
import type { Found } from "../../domain/diagnosis/symptom";
import { byTool } from "../../domain/base/remedy";
import { namespaceLost } from "../../domain/rbac/symptoms";
import { prerequisites } from "../../domain/checks/prerequisites";
import { factNamed } from "../../domain/facts/facts";
import { annotationKey, readAnnotation } from "../../domain/kube/objects";
import { judgeImages, parseImage, publicImages, findRegistry } from "../../domain/release/images";
import { operatorFindings } from "../../domain/operator/findings";
import {
  findInstalled,
  isOlmDone,
  judgeOwners,
  judgeRegistry,
} from "../../domain/operator/refusals";
import { isAutomatic, readOlm } from "../../domain/operator/olm";
import { isOperator, readAccount } from "../../domain/operator/wanted";
import { isSameRelease } from "../../domain/base/versions";
import { getPath, renderValue, asString } from "../../domain/base/values";
import { olmList, operatorSymptoms } from "../../domain/operator/symptoms";
import { webhookFindings } from "../../domain/admission/findings";
import { type Check, makeChecks, on } from "../../domain/checks/check";
import type { CheckContext } from "../../domain/checks/context";
import { findLivingOwner, type Owner } from "../../domain/kube/owners";

const { error, ofSymptom, shared, warning } = makeChecks("operator");

/** The operator's own checks. */
export const operatorChecks: readonly Check[] = [
  shared(webhookFindings.namespaceMissing, {
    title: "The operator's namespace exists",
    needs: ["namespaces"],
    judge: ({ facts }) =>
      factNamed(facts, "namespaces", { name: facts.namespace }) === undefined
        ? [{ object: `Namespace/${facts.namespace}`, cause: "the namespace does not exist" }]
        : [],
  }),
  ofSymptom(namespaceLost),
  ofSymptom(operatorSymptoms.absent),
  ofSymptom(operatorSymptoms.notReady),
  ofSymptom(operatorSymptoms.idle),
  prerequisites.operatorVersionUnknown,
  warning("OPERATOR-VERSION-CONTRADICTS", "Facts 8", {
    title: "The operator's image and the chart's annotation tell the same release",
    cause: "the annotation of the chart names another release than the image's tag",
    fix: "upgrade by the chart again, or put its image back: one of the two was changed by hand",
    needs: ["deployments"],
    judge: judgeAnnotation,
  }),
  error("OPERATOR-IMAGES-DIFFER", "S17", {
    title: "The operator and its admission server run the same image",
    cause: "the two containers of the operator's pod run different images",
    fix: "set the same image for both containers, also with a private registry",
    needs: ["deployments"],
    judge: judgeBoth,
  }),
  warning("OPERATOR-STRATEGY", "Facts 4.1", {
    title: "One operator runs at a time",
    cause: "the Deployment may run two operators at once, which fight over the same resources",
    fix: "set replicas to 1 and the strategy to Recreate, as the bundle has them",
    needs: ["deployments"],
    judge: judgeStrategy,
  }),
  warning("OPERATOR-REGISTRY-MIXED", "S17", {
    title: "Operator and cluster are pulled from the same registry",
    cause: "the operator comes from a private registry, and the cluster's image does not",
    fix: "set the repository in the cluster's image spec too, or nothing if its nodes reach both",
    needs: ["deployments", "ecs"],
    judge: judgeMixed,
  }),
  shared(operatorFindings.registry, {
    title: "The operator is pulled from where the release pulls it",
    needs: ["deployments"],
    wants: "contents",
    judge: ({ deployment, target: { contents }, names }) => {
      const wanted = contents?.bundle.find((object) => isOperator(object, names));
      return wanted === undefined ? [] : judgeRegistry({ deployment }, wanted, []);
    },
  }),
  error("OPERATOR-ACCOUNT-ABSENT", "S16", {
    title: "The operator's service account exists",
    cause: "the service account that the operator's pod runs as does not exist",
    fix: "apply the bundle's ServiceAccount, Role and RoleBinding again",
    needs: ["deployments", "serviceAccounts"],
    judge: ({ deployment, facts, names }) => {
      if (deployment === undefined) return [];
      const name = readAccount(deployment, names);
      if (factNamed(facts, "serviceAccounts", { name }) !== undefined) return [];
      return [on(deployment, `its service account ${name} does not exist`)];
    },
  }),
];

function judgeAnnotation({ deployment, installed, names }: CheckContext): readonly Found[] {
  const { operatorVersion } = names.annotations;
  const annotated = readAnnotation(deployment, operatorVersion);
  if (deployment === undefined || annotated === undefined || installed === undefined) return [];
  if (isSameRelease(annotated, installed.tag)) return [];
  return [
    on(deployment, `its image is ${installed.tag}, the annotation says ${annotated}`, {
      field: `metadata.annotations[${String(annotationKey(deployment, operatorVersion))}]`,
    }),
  ];
}

function judgeBoth({ deployment, names }: CheckContext): readonly Found[] {
  if (deployment === undefined) return [];
  return judgeImages([deployment], names).map((cause) => on(deployment, cause));
}

function judgeStrategy({ deployment }: CheckContext): readonly Found[] {
  if (deployment === undefined) return [];
  const replicas = deployment.spec?.replicas ?? 1;
  const strategy = deployment.spec?.strategy?.type ?? "RollingUpdate";
  if (replicas <= 1 && strategy === "Recreate") return [];
  return [on(deployment, `replicas ${renderValue(replicas)}, strategy ${renderValue(strategy)}`)];
}

function judgeMixed({ deployment, clusters, names }: CheckContext): readonly Found[] {
  const containers = deployment?.spec?.template?.spec?.containers;
  const operator = containers?.find(({ name }) => name === names.operator.container);
  const pulled = parseImage(operator?.image)?.repository;
  const operators = publicImages("operator", names);
  if (pulled === undefined || operators.includes(pulled)) return [];
  const [registry = pulled] = operators.flatMap((name) => findRegistry(pulled, name) ?? []);
  const clusterImages = publicImages("cluster", names);
  return clusters.flatMap((cluster) => {
    const repository = asString(getPath(cluster, names.ecFields.repository));
    const isPublic = clusterImages.some((name) => repository?.startsWith(name) !== false);
    if (!isPublic) return [];
    return [
      on(cluster, `the operator is pulled from ${registry}, the cluster from the public registry`, {
        field: names.ecFields.repository.join("."),
      }),
    ];
  });
}

/** The checks of an operator that someone else looks after. */
export const operatorOwnerChecks: readonly Check[] = [
  shared(operatorFindings.owned, {
    title: "A bundle may be applied over the operator",
    needs: ["deployments"],
    judge: judgeOwner,
  }),
  warning("OPERATOR-OLM-AUTOMATIC", "Facts 8", {
    title: "OLM upgrades the operator only when it is told to",
    cause:
      "the Subscription approves upgrades automatically: the operator may be upgraded at any time",
    fix: "set installPlanApproval of the Subscription to Manual",
    needs: ["deployments", "subscriptions"],
    judge: ({ facts }) => {
      const olm = readOlm(facts);
      if (olm?.subscription === undefined || !isAutomatic(olm)) return [];
      return [on(olm.subscription, "it does not wait for an approval")];
    },
  }),
  ...olmList.map((row) => ofSymptom(row)),
  warning("OPERATOR-OLM-CLUSTER-NAME", "Facts 5", {
    title: "The cluster has the name that OLM installations ask for",
    cause: "where OLM installed the operator, its permissions are for a cluster of one fixed name",
    fix: "create the cluster under that name, or install the operator by its bundle",
    needs: ["deployments", "ecs"],
    judge: (situation) =>
      findOwner(situation)?.name === "OLM" ? judgeClusterNames(situation) : [],
  }),
  warning("OPERATOR-CHART-NAMESPACES", "Facts 8", {
    title: "The chart covers what the operator manages",
    cause: "the chart does not bring the roles of other namespaces, which this operator manages",
    ...byTool("run reapply-rbac around the upgrade by the chart", "reapply-rbac"),
    needs: ["deployments", "configMaps", "namespaces"],
    judge: (situation) => {
      const { deployment, managed } = situation;
      return deployment !== undefined && findOwner(situation)?.chart === true && managed.length > 0
        ? [on(deployment, `it is the chart's and manages other namespaces: ${managed.length}`)]
        : [];
    },
  }),
];

function judgeClusterNames({ clusters, names }: CheckContext): readonly Found[] {
  const { olmCluster } = names.operator;
  return clusters
    .filter(({ metadata }) => metadata.name !== olmCluster)
    .map((one) => on(one, `OLM's operator expects the name ${olmCluster}`));
}

function findOwner({ deployment, facts }: CheckContext): Owner | undefined {
  return deployment && findLivingOwner(deployment, facts.left);
}

/** Without a bundle that would be applied, or where OLM has brought its release, it is only to be known. */
function judgeOwner({ facts, target: { contents }, wanted }: CheckContext): readonly Found[] {
  const installed = findInstalled(facts);
  const isApplied = (contents?.bundle.length ?? 0) > 0 && !isOlmDone(installed, wanted?.tag);
  return judgeOwners(installed, wanted?.tag).map((found) =>
    isApplied ? found : { ...found, severity: "warning" },
  );
}
