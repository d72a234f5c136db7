/** The finding codes of the operator's upgrade, each with its cause, its way out and its source. */
import { codesOf, type Explained, findingIn } from "../findings";

const { error, warning } = codesOf({ source: "S19" });

/** The codes by what they are about. */
export const operatorFindings = {
  chartPending: error(
    "OPERATOR-CHART-PENDING",
    "an earlier helm run of this release was cut off, and helm refuses the next one until that is settled",
    "roll the release back with helm rollback, then run again",
    "S20",
  ),
  clusterImage: warning(
    "OPERATOR-CLUSTER-IMAGE",
    "the cluster names no image tag, without which its image cannot be pointed at the registry",
    "give its image with the cluster's own upgrade: upgrade-cluster --image-repository",
    "S17",
  ),
  configuration: error(
    "OPERATOR-POD-CONFIGURATION",
    "a container of the new pod cannot be made: something that it refers to is not there",
    "create what the message names; the pod then starts by itself",
  ),
  crash: error(
    "OPERATOR-CRASH",
    "a container of the new pod ends again and again",
    "read its last words with kubectl logs --previous, and mend what they name",
  ),
  deadline: error(
    "OPERATOR-DEADLINE",
    "the Deployment made no progress within its deadline, and neither pods nor events tell why",
    "look at it with kubectl describe deployment and its pods, then run again",
  ),
  definitionKept: warning(
    "OPERATOR-CRD-NEWER",
    "the stored definition is of a newer release than this bundle and is shared by all operators: it is left as it is",
    "nothing; an older operator works with a newer definition",
    "domain facts 8",
  ),
  definitionLocal: warning(
    "OPERATOR-CRD-LOCAL",
    "the stored definition has fields that the release lacks, and that are not known to be of an older one: they are kept",
    "nothing; a field that no object uses may be taken out with kubectl edit",
    "S18",
  ),
  definitionLoses: warning(
    "OPERATOR-CRD-LOSES",
    "the release's definition lacks fields that objects hold, or may hold where they cannot be read: what is there is dropped",
    "keep elsewhere what the named objects hold there; the definition is saved before it is changed",
    "domain facts 8",
  ),
  definitionStored: error(
    "OPERATOR-CRD-STORED",
    "objects are stored in a version that the release's definition does not serve any more",
    "go to a release in between that serves both, have the objects stored anew, then run again",
    "domain facts 8",
  ),
  definitionUnserved: error(
    "DEFINITION-NOT-ESTABLISHED",
    "the API server does not serve the definition",
    "see its conditions with kubectl describe crd; most often another one holds its names",
    "domain facts 8",
  ),
  elsewhere: error(
    "OPERATOR-ELSEWHERE",
    "the namespace has no operator, and another namespace has one: nothing is written where it would not be seen",
    "give the operator's namespace with -n",
    "S9",
  ),
  forbidden: error(
    "OPERATOR-POD-FORBIDDEN",
    "the API server refuses the new pod: its service account is missing, or admission does not allow what it asks for",
    "restore the account or grant what the message names; the pod is then made by itself",
  ),
  gone: error(
    "OPERATOR-DEPLOYMENT-GONE",
    "the operator's Deployment is not there any more",
    "find who deletes it, then run again",
  ),
  image: error(
    "OPERATOR-IMAGE-PULL",
    "the image of the new pod cannot be pulled",
    "put the image into the registry, or give the registry with --image-registry and its secret with --pull-secret",
    "S17",
  ),
  imageLeft: warning(
    "OPERATOR-IMAGE-LEFT",
    "an image of the cluster that the names do not know is not pointed at the registry",
    "put that image into the registry too, and set the field to it with kubectl edit, if the cluster uses it",
    "S17",
  ),
  localChange: error(
    "OPERATOR-LOCAL-CHANGE",
    "somebody changed a field that the release sets otherwise",
    "merge the change into the release's files, or let the release win with --take-fields",
    "S18",
  ),
  notChart: error(
    "OPERATOR-NOT-CHART",
    "the operator was not installed as this release of a chart: helm would refuse its objects",
    "use the bundle with --release, or let the chart adopt the objects first",
    "S20",
  ),
  older: error(
    "OPERATOR-OLDER",
    "the release is older than the operator that runs: this command goes forward only",
    "give a release that is not older",
    "domain facts 8",
  ),
  owned: error(
    "OPERATOR-OWNED",
    "Helm, OLM or a GitOps controller owns the operator and would undo or fight the change",
    "use that owner's own way: --chart for a chart, the InstallPlan for OLM, or its repository",
    "domain facts 8",
  ),
  ownersUnknown: warning(
    "OPERATOR-OWNERS-UNKNOWN",
    "the dump does not say who set the field: whether it is a local change is not known",
    "dump the cluster with --show-managed-fields, then rehearse again",
    "S18",
  ),
  paused: error(
    "OPERATOR-PAUSED",
    "the Deployment is paused: it makes no new pod",
    "let it go on with kubectl rollout resume",
  ),
  pullSecret: error(
    "OPERATOR-PULL-SECRET",
    "the Secret to pull the images with does not exist in the operator's namespace",
    "create it with kubectl create secret docker-registry, or correct --pull-secret",
    "S17",
  ),
  quota: error(
    "OPERATOR-QUOTA",
    "a quota of the namespace leaves no room for the new pod",
    "raise the quota, or free what it counts; the pod is then made by itself",
  ),
  refused: error(
    "OPERATOR-REFUSED",
    "the API server refuses the object as the release has it",
    "mend what it names, then run again: nothing was written yet",
    "S16",
  ),
  registry: error(
    "OPERATOR-REGISTRY",
    "the operator that runs is pulled from another registry than the one that the release names",
    "give that registry with --image-registry, or take the release's with --take-fields",
    "S17",
  ),
  rejected: error(
    "OPERATOR-POD-REJECTED",
    "the new pod cannot be created",
    "mend what the message names; the pod is then made by itself",
  ),
  scaledDown: error(
    "OPERATOR-SCALED-DOWN",
    "the Deployment is scaled to no pod at all",
    "scale it to one with kubectl scale, then run again",
  ),
  unschedulable: error(
    "OPERATOR-UNSCHEDULABLE",
    "no node has room for the new pod, or none fits what it asks for",
    "free or add a node that fits; the pod is then placed by itself",
  ),
} as const satisfies Readonly<Record<string, Explained>>;

/** A finding of one of the codes. */
export const operatorFinding = findingIn(operatorFindings);

/** Every code, for the catalogue. */
export const operatorCodes: readonly Explained[] = Object.values(operatorFindings);
