/** The finding codes of the operator's upgrade, each with its cause, its way out and its source. */
import { error, warning } from "../base/findings";
import { bindFindings, type Code } from "../names/codes";
import { ec, text } from "../names/text";

/** The codes by what they are about. */
export const operatorFindings = {
  absent: error("OPERATOR-ABSENT", "S9, S15", {
    cause: text`the namespace has no Deployment of the operator, so nothing would act on its ${ec}`,
    fix: "give the operator's namespace with -n, or install the operator; under another brand, give its names with --names",
  }),
  idle: error("OPERATOR-NOT-ACTING", "Facts 11", {
    cause:
      "the operator is ready and does not act here: another pod holds its lease, or it watches other namespaces",
    fix: "see what the operator says of it; delete a lease that a pod holds which is gone, or add this namespace to those that it watches",
  }),
  added: warning("OPERATOR-ADDED", "S18", {
    cause:
      "a role or binding of the operator has what the release does not have: a person added it, and it is kept",
    fix: "nothing, as long as it is intended; else let the release win with --take-fields",
  }),
  chartDeletes: warning("OPERATOR-CHART-DELETES", "S20", {
    cause: "the release has an object that this chart does not have: helm deletes it",
    fix: "where the object is still needed, give it the annotation helm.sh/resource-policy: keep",
  }),
  chartDeletesData: error("OPERATOR-CHART-DELETES-DATA", "S20", {
    cause:
      "helm would delete a definition, with every object of its kind, or an object that holds data, since this chart does not have it",
    fix: "give the object the annotation helm.sh/resource-policy: keep, or accept its deletion with --skip OPERATOR-CHART-DELETES-DATA=OBJECT",
  }),
  chartLost: error("OPERATOR-CHART-LOST", "S20", {
    cause:
      "the operator has the marks of a chart's release that helm has no record of, as after a restore without Secrets: neither the chart nor the bundle is applied over it",
    fix: "restore the release's Secrets, or let helm install adopt the objects, then run again; or take the marks off and use the bundle",
  }),
  chartPending: error("OPERATOR-CHART-PENDING", "S20", {
    cause:
      "the release is in a state in which helm refuses an upgrade: an earlier helm run was interrupted, or the release was uninstalled with its history kept",
    fix: "do what the finding names for that state, then run again",
  }),
  chartPinned: error("OPERATOR-CHART-PINNED", "S22", {
    cause:
      "with the values that are kept the chart would leave the operator at another release than the one asked for",
    fix: "give a file with --values that sets the operator's image to that release, or another --version, then run again",
  }),
  chartMissed: error("OPERATOR-CHART-MISSED", "S22", {
    cause: "after helm's upgrade the release or the operator's image is not what was asked for",
    fix: "find out what changes the image (a mutating webhook, another controller), then run again",
  }),
  chartTwice: error("OPERATOR-CHART-TWICE", "S20", {
    cause:
      "two releases have the operator in their records: helm refuses to bring one of them objects of the other, takes what both have, and deletes it with an uninstall of either",
    fix: "compare what both have with helm get manifest, then delete the records of the release that the operator is not marked for, so that helm forgets it; do not uninstall it",
  }),
  chartUncompared: error("OPERATOR-CHART-UNCOMPARED", "S18", {
    cause:
      "what helm renders cannot be read as a whole, or does not hold the operator's Deployment once: helm might delete the operator that runs, or drop local changes",
    fix: "see what helm renders with helm upgrade --dry-run=server, correct the chart or its values, then run again",
  }),
  chartFolder: warning("OPERATOR-CHART-CRDS", "S15", {
    cause:
      "a definition in the chart's crds/ folder differs from the stored one, and helm does not upgrade what is in that folder",
    fix: "run the same command with --apply-crds: it applies those definitions before helm runs, by the rules of a bundle",
  }),
  chartFolderAbsent: error("OPERATOR-CHART-CRDS-ABSENT", "S15", {
    cause:
      "a definition in the chart's crds/ folder is not in the cluster, and helm makes what is in that folder with an install alone",
    fix: "run the same command with --apply-crds: it creates those definitions before helm runs",
  }),
  chartDiffers: warning("OPERATOR-CHART-DIFFERS", "S20", {
    cause: "after helm's upgrade an object is not as helm rendered it",
    fix: "see who changes it with kubectl get --show-managed-fields; run the same command again to compare it once more",
  }),
  chartLowers: error("OPERATOR-CHART-LOWERS", "Facts 8", {
    cause:
      "helm would write the chart's definition over a newer one, which is shared by all operators of the cluster",
    fix: "upgrade this operator by a chart that is at least as new as the definition, or by its bundle with --release, which keeps a newer definition",
  }),
  chartRenews: warning("OPERATOR-CHART-RENEWS", "S20", {
    cause:
      "the chart makes certificates or values again: what helm writes there is not what the plan has seen, and edits of databases fail where the webhook's pair and its CA are replaced",
    fix: "set the values in a file for --values where they are to stay; after a new pair or CA run upgrade-webhook at once",
  }),
  chartUnseen: warning("OPERATOR-CHART-UNSEEN", "S18", {
    cause:
      "an object of the chart was not compared with the cluster: what helm changes of it is not known",
    fix: "get the permission to read the object, or compare it yourself with what helm upgrade --dry-run=server renders",
  }),
  clusterImage: warning("OPERATOR-CLUSTER-IMAGE", "S17", {
    cause:
      "the cluster names no image of its own, so there is none that could be pointed at the registry",
    fix: "give its image with the cluster's own upgrade: upgrade-cluster --image-repository",
  }),
  definitionBehind: error("DEFINITION-BEHIND", "Facts 8", {
    cause:
      "the operator is at the release, and its definition lacks fields of the release: what is written there is dropped",
    fix: "bring the release's definitions with upgrade-operator --release; a chart leaves definitions to kubectl apply --server-side",
  }),
  definitionShared: warning("DEFINITION-SHARED", "Facts 8", {
    cause:
      "other namespaces have operators or clusters of their own: the new definitions are for them too",
    fix: "check that the operators there are not of a later release, and upgrade them soon after",
  }),
  definitionConversion: error("DEFINITION-CONVERSION", "Facts 8", {
    cause:
      "the definition converts its objects through a Service that does not exist: every read of them fails",
    fix: "give the release to upgrade-operator, which takes it out where the release has none",
  }),
  definitionConverts: warning("DEFINITION-CONVERTS", "Facts 8", {
    cause:
      "the definition converts its objects in a way that the release does not have: it is kept",
    fix: "find out who converts, and take it out with kubectl edit crd where nothing needs it",
  }),
  definitionFields: warning("DEFINITION-FIELDS", "Facts 8", {
    cause:
      "the definition lacks a field that this tool writes or rests on: what is written there is dropped",
    fix: "bring the definitions of the operator's own release; check --release SOURCE compares all of them",
  }),
  definitionFixed: error("DEFINITION-FIXED-FIELD", "Facts 8", {
    cause:
      "the release's definition has another scope or kind than the one that is served, which the API server never changes",
    fix: "leave the definition as it is, since deleting it deletes every object of its kind; give a release whose definition fits, or ask the vendor",
  }),
  definitionKeepsUnknown: error("DEFINITION-KEEPS-UNKNOWN", "Facts 8", {
    cause:
      "the definition keeps fields that its schema does not know (spec.preserveUnknownFields), and the API server refuses one with default values or a conversion beside it",
    fix: "set spec.preserveUnknownFields of the definition to false with kubectl patch",
  }),
  definitionRefuses: error("DEFINITION-REFUSES-OBJECTS", "Facts 8", {
    cause:
      "objects hold values that the release's definition does not accept: their next edit would be refused",
    fix: "change the named values with kubectl edit before the upgrade",
  }),
  definitionKept: warning("OPERATOR-CRD-NEWER", "Facts 8", {
    cause:
      "the stored definition is of a newer release than this bundle and is shared by all operators: it is left as it is",
    fix: "nothing; an older operator works with a newer definition",
  }),
  definitionLocal: warning("OPERATOR-CRD-LOCAL", "S18", {
    cause:
      "the stored definition has fields that the release lacks, and that are not known to be of an older one: they are kept",
    fix: "nothing; a field that no object uses may be taken out with kubectl edit",
  }),
  definitionLoses: warning("OPERATOR-CRD-LOSES", "Facts 8", {
    cause:
      "the release's definition lacks fields that objects hold, or may hold where they cannot be read: what is there is dropped",
    fix: "keep elsewhere what the named objects hold there; the definition is saved before it is changed",
  }),
  definitionStored: error("OPERATOR-CRD-STORED", "Facts 8", {
    cause: "objects are stored in a version that the release's definition does not serve any more",
    fix: "upgrade to a release in between that serves both, store the objects again, then run again",
  }),
  definitionUnserved: error("DEFINITION-NOT-ESTABLISHED", "Facts 8", {
    cause: "the API server does not serve the definition",
    fix: "see its conditions with kubectl describe crd; most often another one holds its names",
  }),
  elsewhere: error("OPERATOR-ELSEWHERE", "S9", {
    cause:
      "the namespace has no operator, and another namespace has one: nothing is written where it would not be seen",
    fix: "give the operator's namespace with -n",
  }),
  fixedField: error("OPERATOR-FIXED-FIELD", "Facts 8", {
    cause:
      "the release has another value in a field that the API server never changes: the selector of a Deployment, the role of a binding, the address of a Service, immutable data",
    fix: "save the object, delete it, and run again at once: the upgrade creates it as the release has it",
  }),
  imageLeft: warning("OPERATOR-IMAGE-LEFT", "S17", {
    cause: "an image of the cluster that the names do not know is not pointed at the registry",
    fix: "put that image into the registry too, and set the field to it with kubectl edit, if the cluster uses it",
  }),
  unusual: error("OPERATOR-BUNDLE-UNUSUAL", "S15", {
    cause:
      "an object of the release gives or runs what no operator needs: wildcard permissions, bindings to everybody, other Deployments, privileged pods",
    fix: "look at it; where it is wanted, accept it with --skip OPERATOR-BUNDLE-UNUSUAL=OBJECT",
  }),
  rightHeld: warning("OPERATOR-RIGHT-HELD", "S15", {
    cause:
      "a role of the release gives an unusual right that the same role in the cluster gives already",
    fix: "nothing: the release takes nothing new; what is new is refused unless --skip OPERATOR-BUNDLE-UNUSUAL=OBJECT accepts it",
  }),
  localChange: error("OPERATOR-LOCAL-CHANGE", "S18", {
    cause: "someone changed a field that the release sets to another value",
    fix: "merge the change into the release's files, or let the release win with --take-fields",
  }),
  notReady: error("OPERATOR-NOT-READY", "S19", {
    cause: "the operator's Deployment is not 1/1 ready, up to date and available",
    fix: "wait until it is 1/1 ready, up to date and available, or run again with --wait",
  }),
  notChart: error("OPERATOR-NOT-CHART", "S20", {
    cause:
      "the operator was not installed as this release of a chart: helm would refuse its objects",
    fix: "use the bundle with --release, or let the chart adopt the objects first",
  }),
  olmGroup: error("OPERATOR-OLM-GROUP", "Facts 8", {
    cause:
      "OLM needs exactly one OperatorGroup in the operator's namespace, with the namespace among its targets",
    fix: "decide which OperatorGroup is meant, and delete the other, or add the namespace to its targets",
  }),
  olmInstall: error("OPERATOR-OLM-INSTALL", "Facts 8", {
    cause: "OLM cannot finish the operator's ClusterServiceVersion, for the reason that it names",
    fix: "correct what OLM names: it then goes ahead by itself",
  }),
  olmObject: error("OPERATOR-OLM-OBJECT", "Facts 8", {
    cause: "OLM names the object in the message of the InstallPlan that failed",
    fix: "correct the object as OLM says, then delete the InstallPlan, so that OLM makes a new one",
  }),
  olmPlan: error("OPERATOR-OLM-PLAN", "Facts 8", {
    cause: "the operator's InstallPlan has failed: OLM does not try it again",
    fix: "correct what OLM names, then delete the InstallPlan, so that OLM makes a new one to approve",
  }),
  olmStuck: error("OPERATOR-OLM-STUCK", "Facts 8", {
    cause: "OLM says of the Subscription what keeps it from upgrading the operator",
    fix: "correct what OLM names; see all that it says with kubectl describe subscriptions",
  }),
  older: error("OPERATOR-OLDER", "Facts 8", {
    cause: "the release is older than the operator that runs: this command goes forward only",
    fix: "give a release that is not older",
  }),
  owned: error("OPERATOR-OWNED", "Facts 8", {
    cause: "Helm, OLM or a GitOps controller owns the operator and would undo or fight the change",
    fix: "make the change through that owner: --chart for a chart, the InstallPlan for OLM, or its repository",
  }),
  ownersUnknown: warning("OPERATOR-OWNERS-UNKNOWN", "S18", {
    cause: "the dump does not say who set the field: whether it is a local change is not known",
    fix: "dump the cluster with --show-managed-fields, then rehearse again",
  }),
  pullSecret: error("OPERATOR-PULL-SECRET", "S17", {
    cause: "the Secret to pull the images with does not exist in the operator's namespace",
    fix: "create it with kubectl create secret docker-registry, or correct --pull-secret",
  }),
  refused: error("OPERATOR-REFUSED", "S16", {
    cause: "the API server refuses the object as the release has it",
    fix: "fix what it names, then run again: nothing was written yet",
  }),
  registry: error("OPERATOR-REGISTRY", "S17", {
    cause:
      "the operator that runs is pulled from another registry than the one that the release names",
    fix: "give that registry with --image-registry, or take the release's with --take-fields",
  }),
} as const satisfies Readonly<Record<string, Code>>;

/** A finding of one of the codes. */
export const operatorFinding = bindFindings(operatorFindings);

/** What is unusual in a bundle, and accepted object by object. */
export const unusualCode = operatorFindings.unusual.code;

/** The deletion of what holds data, accepted object by object. */
export const deletesDataCode = operatorFindings.chartDeletesData.code;
