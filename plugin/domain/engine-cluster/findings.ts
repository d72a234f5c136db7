/** The finding codes of a cluster's upgrade and of its pods, each with its cause, way out and source. */
import { ec, text } from "../names/text";
import { error, warning } from "../base/findings";
import { type Code, bindFindings } from "../names/codes";
import { rollFindings } from "../rollout/findings";

/** What may be wrong with a cluster (EC) before or during its upgrade, by what it is about. */
export const clusterFindings = {
  behindOperator: warning("CLUSTER-BEHIND-OPERATOR", "S10", {
    cause: text`the operator was upgraded and the ${ec} was not: until it is, the operator manages neither ${ec} nor databases`,
    fix: text`upgrade the ${ec} soon: upgrade-cluster --target with the tag that is named`,
  }),
  absent: error("CLUSTER-ABSENT", "S48", {
    cause: text`the namespace has no ${ec} of that name`,
    fix: text`give the ${ec}'s name as kubectl get shows it, and its namespace with -n`,
  }),
  autoConflicting: warning("CLUSTER-AUTO-CONFLICTING", "S13", {
    cause: "the two spellings of the automatic upgrade's field say different things",
    fix: text`remove the one that the ${ec}'s definition does not have`,
  }),
  autoFieldAbsent: error("CLUSTER-AUTO-FIELD-ABSENT", "S13", {
    cause: text`the ${ec}'s definition has no field for the automatic upgrade under either spelling, so it would be dropped`,
    fix: "upgrade the operator with its definitions first, or give the tag with --target",
  }),
  autoOn: warning("CLUSTER-AUTO-ON", "S12", {
    cause: text`the ${ec} also asks for automatic upgrades: the operator will bring the next release by itself`,
    fix: "nothing, if that is intended; else set the field to false",
  }),
  autoTargetUnknown: error("CLUSTER-AUTO-TARGET-UNKNOWN", "S13", {
    cause: "it is not known which release the operator would bring",
    fix: "give the tag that is expected with --target",
  }),
  autoUserModules: error("CLUSTER-AUTO-USER-MODULES", "S51", {
    cause: "databases use user-defined modules, for which an automatic upgrade must be off",
    fix: "switch it off, as upgrade and upgrade-cluster do without --auto",
  }),
  busy: error("CLUSTER-BUSY", "S71", {
    cause: text`another upgrade of the ${ec} is in progress`,
    fix: "follow it with upgrade-cluster --target and its tag, then run this again",
  }),
  databaseOld: error("CLUSTER-DATABASE-OLD", "S123", {
    cause: text`a database runs an engine version that is too old: the upgrade of the ${ec} would freeze`,
    fix: "upgrade the database first, to the version that the finding names or a later one",
  }),
  databaseUnknown: error("CLUSTER-DATABASE-UNKNOWN", "S123", {
    cause: "neither spec nor status of a database reports its engine version",
    fix: "check with kubectl get that it runs a version that is new enough",
  }),
  deleting: error("CLUSTER-DELETING", "Facts 7", {
    cause: text`the ${ec} is being deleted: its databases go with it`,
    fix: text`save its databases first if they are needed; wait until it is gone, or give another ${ec}`,
  }),
  digestPinned: error("CLUSTER-DIGEST-PINNED", "Facts 7", {
    cause: text`an image of the ${ec} is pinned by its digest, so it stays as it is whatever tag is set`,
    fix: "remove the digest that is named, then run again",
  }),
  fieldPruned: error("CLUSTER-FIELD-PRUNED", "S13", {
    cause: text`the API server dropped a field that was written: the ${ec}'s definition does not have it`,
    fix: "upgrade the operator with its definitions first, or give the tag with --target",
  }),
  frozen: error("CLUSTER-FROZEN", "S113", {
    cause: "the upgrade began without its prerequisites, and the operator has frozen it",
    fix: "remove the cause that is named; the operator then continues automatically",
  }),
  invalidUpgrade: error("CLUSTER-INVALID-UPGRADE", "S70", {
    cause: text`the operator refuses the upgrade: the ${ec} is in state InvalidUpgrade`,
    fix: "remove the cause that is named; without one, see the operator's log",
  }),
  license: error("CLUSTER-LICENSE", "S125", {
    cause: text`the license of the ${ec} is not valid, and the upgrade would fail`,
    fix: text`set a valid license, and wait until the ${ec}'s status says so`,
  }),
  licenseExpired: error("LICENSE-EXPIRED", "S60", {
    cause: "the license has expired, whatever its state says",
    fix: "set a new license",
  }),
  licenseUnknown: error("CLUSTER-LICENSE-UNKNOWN", "S125", {
    cause: text`the ${ec}'s status does not report the state of its license`,
    fix: "check in the cluster itself that the license is valid",
  }),
  helperImages: warning("CLUSTER-HELPER-IMAGES", "Facts 7", {
    cause:
      "the tag of the bootstrapper, the services rigger or the call-home client is not the operator's release",
    fix: "set it to the operator's release, or remove that image spec",
  }),
  manifestOld: warning("CLUSTER-MANIFEST-OLD", "S18", {
    cause: text`the ${ec} was made by kubectl apply, and the manifest that was applied last holds another value`,
    fix: "change the manifest as well: applying it again would put the old value back",
  }),
  mistakenTag: error("CLUSTER-TAG-OF-OPERATOR", "Facts 8", {
    cause: text`the tag that the ${ec} asks for is a release of the operator: no repository holds such an image of the cluster`,
    fix: "set the cluster's own tag, which the finding names, with upgrade-cluster --target",
  }),
  tagLowered: error("CLUSTER-TAG-LOWERED", "C7", {
    cause: text`the tag that the ${ec} asks for is older than what its pods run: an upgrade that has begun is not undone`,
    fix: "set the later tag again, which the finding names, with upgrade-cluster --target",
  }),
  moduleBundled: error("CLUSTER-MODULE-BUNDLED", "S54", {
    cause: text`a module that comes with the cluster is to be defined in the ${ec} as a user's own`,
    fix: "define nothing; databases name it as the finding says",
  }),
  moduleName: warning("CLUSTER-MODULE-NAME", "S54", {
    cause: "a module is to be defined under a name that no installed module has",
    fix: "give one of the two names of its manifest, as modules list shows them; nothing, if it is yet to be downloaded",
  }),
  moduleSource: error("CLUSTER-MODULE-SOURCE", "S52", {
    cause: "a module is to be defined without an address to download it from",
    fix: "give --source NAME=URL",
  }),
  modulesUndefinable: error("CLUSTER-MODULES-FIELD-ABSENT", "S56", {
    cause: text`the ${ec}'s definition has no list of user-defined modules`,
    fix: "upgrade the operator with its definitions first, then run this again",
  }),
  moduleUndefined: error("CLUSTER-MODULE-UNDEFINED", "S124", {
    cause: text`databases use modules that are neither bundled nor defined in the ${ec}, with which the upgrade freezes`,
    fix: text`define them in the ${ec}, or take them out of these databases`,
  }),
  moduleRetired: error("MODULE-END-OF-LIFE", "S103", {
    cause:
      "a module is listed that later releases cannot have: a cluster with it does not move there, whether a database uses it or not, and a rolling upgrade stops half-way",
    fix: text`take it out of the databases that use it, then remove it from the ${ec}'s list and from the cluster`,
  }),
  notTakenUp: error("CLUSTER-NOT-TAKEN-UP", "S10", {
    cause: text`the operator has not acted on the ${ec}'s new spec`,
    fix: "see the operator's log, and whether it runs and watches this namespace",
  }),
  operatorUnknown: warning("CLUSTER-OPERATOR-UNKNOWN", "Facts 8", {
    cause: "it is not known which cluster release the operator manages",
    fix: "check in its release notes that the tag belongs to the operator that runs",
  }),
  owned: error("CLUSTER-OWNED", "Facts 4.4", {
    cause: text`Helm, OLM or a GitOps controller owns the ${ec} and would undo or fight the change`,
    fix: "make the change through that owner",
  }),
  noNode: error("CLUSTER-NO-NODE", "Facts 11", {
    cause: text`no node would take a pod of the ${ec} again that an upgrade takes down: its own node is cordoned or has a taint (disk, memory), and the others have no room, or a pod that it is kept apart from`,
    fix: "end what keeps a node from taking it, or add a node, before the upgrade",
  }),
  quota: error("CLUSTER-QUOTA", "Facts 11", {
    cause: "a quota would not let the pods be created again that an upgrade takes down",
    fix: "raise the quota, or give the containers what it demands, before the upgrade",
  }),
  quorumLost: error("CLUSTER-QUORUM-LOST", "Facts 10", {
    cause: text`more than half of the nodes of the ${ec} are not ready: no node becomes ready by waiting, and its databases are down`,
    fix: "bring back the pods whose own cause is named; if the nodes still do not agree, recover the cluster with the command that the finding has, and its databases afterwards",
  }),
  resizing: error("CLUSTER-RESIZING", "Facts 7", {
    cause: text`volumes of the ${ec} are being expanded: until that is done, no field that concerns its StatefulSet may be changed`,
    fix: "wait until every claim has its size, which upgrade and upgrade-cluster do with --wait; kubectl describe pvc says what keeps one from it",
  }),
  scaled: error("CLUSTER-SCALED", "S72", {
    cause: text`the StatefulSet of the ${ec} asks for fewer pods than the ${ec} has nodes: its pods are neither all there nor all renewed`,
    fix: "scale the StatefulSet back to the number of nodes, then run again",
  }),
  sickPod: error("CLUSTER-PODS-NOT-READY", "Facts 11", {
    cause: text`a pod of the ${ec} is not ready before the upgrade begins: the upgrade takes down another one, and the majority of the nodes may go with it`,
    fix: "make every pod ready first; the finding names what keeps this one",
  }),
  specInvalid: error("CLUSTER-SPEC-INVALID", "S57", {
    cause: text`the operator does not accept the ${ec}'s spec`,
    fix: "see the operator's log for the field, fix it, then run again",
  }),
  state: error("CLUSTER-STATE", "S58", {
    cause: text`the ${ec} is in a state from which no upgrade starts or continues`,
    fix: "bring it to Running first; the operator's log says what it lacks",
  }),
  targetLower: error("CLUSTER-TARGET-LOWER", "S50", {
    cause: text`the tag is older than what the ${ec} has, and a cluster cannot be downgraded`,
    fix: "give a later tag",
  }),
  targetNotManaged: error("CLUSTER-TARGET-NOT-MANAGED", "S9", {
    cause: "one operator release manages exactly one cluster release, and this is not it",
    fix: "give the operator's own tag, or upgrade the operator first",
  }),
} as const satisfies Readonly<Record<string, Code>>;

/** A finding of one of the codes. */
export const clusterFinding = bindFindings(clusterFindings);

/** Every code, for the catalogue. */
export const clusterCodes: readonly Code[] = [
  ...Object.values(clusterFindings),
  ...Object.values(rollFindings),
];
