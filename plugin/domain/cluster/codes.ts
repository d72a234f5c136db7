/** The finding codes of a cluster's upgrade and of its pods, each with its cause, way out and source. */
import { codesOf, type Explained, findingIn } from "../findings";

const { error, warning } = codesOf({ source: "S48" });

/** What may be wrong with a cluster (EC) before or during its upgrade, by what it is about. */
export const clusterFindings = {
  absent: error(
    "CLUSTER-ABSENT",
    "the namespace has no EC of that name",
    "give the EC's name as kubectl get shows it, and its namespace with -n",
    "S48",
  ),
  autoConflicting: warning(
    "CLUSTER-AUTO-CONFLICTING",
    "the two spellings of the automatic upgrade's field say different things",
    "remove the one that the EC's definition does not have",
    "S13",
  ),
  autoFieldAbsent: error(
    "CLUSTER-AUTO-FIELD-ABSENT",
    "the EC's definition has no field for the automatic upgrade under either spelling, so it would be dropped",
    "upgrade the operator with its definitions first, or give the tag with --target",
    "S13",
  ),
  autoOn: warning(
    "CLUSTER-AUTO-ON",
    "the EC also asks for automatic upgrades: the operator will bring the next release by itself",
    "nothing, if that is wanted; else set the field to false",
    "S12",
  ),
  autoTargetUnknown: error(
    "CLUSTER-AUTO-TARGET-UNKNOWN",
    "it is not known which release the operator would bring",
    "give the tag that is expected with --target",
    "S13",
  ),
  autoUserModules: error(
    "CLUSTER-AUTO-USER-MODULES",
    "databases use modules of the user's own, for which an automatic upgrade must be off",
    "upgrade by --target TAG without --auto, with the modules defined in the EC",
    "S51",
  ),
  busy: error(
    "CLUSTER-BUSY",
    "another upgrade of the EC is under way",
    "follow it with upgrade-cluster --target and its tag, then run this again",
    "S71",
  ),
  databaseOld: error(
    "CLUSTER-DATABASE-OLD",
    "a database runs an older engine version than upgrades take along: the upgrade would freeze",
    "upgrade the database first, to the version that the finding names or a later one",
    "S123",
  ),
  databaseUnknown: error(
    "CLUSTER-DATABASE-UNKNOWN",
    "neither spec nor status of a database tells its engine version",
    "see with kubectl get that it runs a version that upgrades take along",
    "S123",
  ),
  deleting: error(
    "CLUSTER-DELETING",
    "the EC is being deleted",
    "wait until it is gone, or give another EC",
    "domain facts 7",
  ),
  digestPinned: error(
    "CLUSTER-DIGEST-PINNED",
    "an image of the EC is pinned by its digest, so no other tag or release can come",
    "remove the digest that is named, then run again",
    "domain facts 7",
  ),
  fieldPruned: error(
    "CLUSTER-FIELD-PRUNED",
    "the API server dropped a field that was written: the EC's definition does not have it",
    "upgrade the operator with its definitions first, or give the tag with --target",
    "S13",
  ),
  frozen: error(
    "CLUSTER-FROZEN",
    "the upgrade began without its prerequisites, and the operator has frozen it",
    "remove the cause that is named; the operator then goes on by itself",
    "S113",
  ),
  invalidUpgrade: error(
    "CLUSTER-INVALID-UPGRADE",
    "the operator refuses the upgrade: the EC is in state InvalidUpgrade",
    "remove the cause that is named; without one, see the operator's log",
    "S70",
  ),
  license: error(
    "CLUSTER-LICENSE",
    "the license of the EC is not valid, and the upgrade would fail",
    "put in a valid license, and wait until the EC's status says so",
    "S125",
  ),
  licenseUnknown: error(
    "CLUSTER-LICENSE-UNKNOWN",
    "the EC's status does not tell the state of its license",
    "see in the cluster itself that the license is valid",
    "S125",
  ),
  manifestOld: warning(
    "CLUSTER-MANIFEST-OLD",
    "the EC was made by kubectl apply, and the manifest that was applied last holds another value",
    "change the manifest as well: applying it again would put the old value back",
    "S18",
  ),
  moduleUndefined: error(
    "CLUSTER-MODULE-UNDEFINED",
    "databases use modules that are neither bundled nor defined in the EC, with which the upgrade freezes",
    "define them in the EC, or take them out of these databases",
    "S124",
  ),
  notTakenUp: error(
    "CLUSTER-NOT-TAKEN-UP",
    "the operator has not acted on the EC's new spec",
    "see the operator's log, and whether it runs and watches this namespace",
    "S10",
  ),
  operatorAbsent: error(
    "CLUSTER-OPERATOR-ABSENT",
    "the namespace has no operator, so nothing would act on the EC",
    "give the namespace of the operator and its EC with -n",
    "S9",
  ),
  operatorUnknown: warning(
    "CLUSTER-OPERATOR-UNKNOWN",
    "it is not known which cluster release the operator manages",
    "see in its release notes that the tag belongs to the operator that runs",
    "domain facts 8",
  ),
  owned: error(
    "CLUSTER-OWNED",
    "Helm, OLM or a GitOps controller owns the EC and would undo or fight the change",
    "use that owner's own way",
    "domain facts 4.4",
  ),
  specInvalid: error(
    "CLUSTER-SPEC-INVALID",
    "the operator does not accept the EC's spec",
    "see the operator's log for the field, mend it, then run again",
    "S57",
  ),
  state: error(
    "CLUSTER-STATE",
    "the EC is in a state from which no upgrade begins or goes on",
    "bring it to Running first; the operator's log says what it lacks",
    "S58",
  ),
  targetLower: error(
    "CLUSTER-TARGET-LOWER",
    "the tag is older than what the EC has, and a cluster cannot be lowered",
    "give a later tag",
    "S50",
  ),
  targetNotManaged: error(
    "CLUSTER-TARGET-NOT-MANAGED",
    "one operator release manages exactly one cluster release, and this is not it",
    "give the operator's own tag, or upgrade the operator first",
    "S9",
  ),
} as const satisfies Readonly<Record<string, Explained>>;

const podCodes: readonly Explained[] = [
  error(
    "POD-CRASH",
    "a container of a pod does not stay up",
    "see why with kubectl logs, also with --previous",
    "domain facts 11",
  ),
  error(
    "POD-IMAGE",
    "the image of a pod cannot be pulled",
    "see that the repository holds the tag, and that the pull secret fits",
    "S17",
  ),
  error(
    "POD-NOT-CREATED",
    "a pod may not be made: a quota, a security constraint or a webhook is against it",
    "mend what the API server names",
    "domain facts 11",
  ),
  error(
    "POD-NOT-READY",
    "a pod runs and does not become ready",
    "see its events and its probe with kubectl describe pod",
    "domain facts 11",
  ),
  error(
    "POD-TERMINATING",
    "a pod drains for a long time before it ends",
    "see what it still does with kubectl logs; leave it time before you force it",
    "domain facts 11",
  ),
  error(
    "POD-UNSCHEDULABLE",
    "no node takes a pod",
    "make room on a node, or mend the selector, taint or affinity that is named",
    "domain facts 11",
  ),
  error(
    "POD-VOLUME",
    "no node takes a pod because of its volume",
    "look at its claims with kubectl get pvc; mend the volume or its storage class",
    "domain facts 11",
  ),
  error(
    "ROLLOUT-HELD",
    "the update strategy of the StatefulSet keeps pods as they are",
    "ask who set it; the operator's own setting lets all pods roll",
    "S72",
  ),
];

/** A finding of one of the codes. */
export const clusterFinding = findingIn(clusterFindings);

/** Every code, for the catalogue. */
export const clusterCodes: readonly Explained[] = [...Object.values(clusterFindings), ...podCodes];
