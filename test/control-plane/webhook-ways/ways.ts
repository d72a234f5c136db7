/**
 * Ways in which a validating webhook does not work in a cluster, and situations which look odd and work. They were
 * collected from public reports before status was run on any of them.
 */

/** What an edit gets; `stopped`: by something other than the entry. */
export type Got = "passes" | "refused" | "fails" | "stopped";

/** Of an edit that is right, and of one that is wrong. */
export type Answers = readonly [good: Got, bad: Got];

/** Edits of a user: of a database unless it says otherwise; `labelled`: it carries what the policies of the place ask for. */
export const editNames = [
  "create",
  "update",
  "createActive",
  "createV1",
  "createLabelled",
] as const;
export type EditName = (typeof editNames)[number];

/** Which CA the entry trusts. */
export type Bundle = "own" | "empty" | "earlier" | "sameName" | "newline" | "encodedTwice" | "two";

/** What the process serves; `ofBefore`: another one than the Secret and the caBundle have. */
export type Certificate =
  | "own"
  | "expired"
  | "otherName"
  | "noNames"
  | "nearItsEnd"
  | "ofBefore"
  | "expiredOfBefore"
  | "otherKey";

/** What the process does when it is called. */
export const conducts = [
  "judges",
  "gone",
  "drops",
  "hangs",
  "closes",
  "plainHttp",
  "asksForCertificate",
  "alerts",
  "oldTls",
  "slow",
  "notFoundElsewhere",
  "forbids",
  "panics",
  "overloaded",
  "html",
  "empty",
  "otherJson",
  "otherVersion",
  "noUid",
  "noResponse",
  "patches",
  "allows",
  "refuses",
  "refusesUpdates",
] as const;
export type Conduct = (typeof conducts)[number];

/** What is otherwise changed in the cluster. */
export type Scenery =
  | "scaledToZero"
  | "selectorOfOthers"
  | "otherTargetPort"
  | "notReady"
  | "notReadyPublished"
  | "policyOfNetwork"
  | "secondVersion"
  | "onlyOldLeftOver"
  | "olderOperatorBeside"
  | "policyEngine"
  | "policyOnSize"
  | "policyOnLabel"
  | "quota"
  | "hostNetwork"
  | "onePodNotReady";

export interface Change {
  /** Laid over the entry, its rule, and its reference to the Service. */
  readonly entry?: Readonly<Record<string, unknown>>;
  readonly rule?: Readonly<Record<string, unknown>>;
  readonly service?: Readonly<Record<string, unknown>>;
  readonly url?: string;
  readonly bundle?: Bundle;
  readonly certificate?: Certificate;
  readonly conduct?: Conduct;
  readonly scenery?: Scenery;
  /** No entry at all, or one more: of the same owner for clusters, or one that calls another Service. */
  readonly entries?: "none" | "forClusters" | "ofOtherService";
}

export interface Way {
  readonly name: string;
  readonly changed: Change;
  /** What really is wrong, or why nothing is. */
  readonly truth: string;
  readonly edits: Readonly<Partial<Record<EditName, Answers>>>;
  /** Where it was reported or is specified. */
  readonly source: string;
  /** Run in CI. */
  readonly ci?: true;
  /** Codes that name it; added after the first run. */
  readonly right?: readonly string[];
  /** From outside it looks as something does that is not the webhook's fault, so the verdict is left open. */
  readonly isOpen?: true;
}

const both = (...answers: Answers): Way["edits"] => ({ create: answers, update: answers });
const allFail = both("fails", "fails");
const allPass = both("passes", "passes");
const judged = both("passes", "refused");

/** Long enough for an answer, short enough for a test that waits for none. */
const soon = { timeoutSeconds: 1 };
const v1 = { admissionReviewVersions: ["v1"] };

export const brokenWays: readonly Way[] = [
  {
    name: "the caBundle was emptied by a re-apply",
    changed: { bundle: "empty" },
    truth: "The API server trusts its system roots only, so it refuses the certificate.",
    edits: allFail,
    source: "open-policy-agent/gatekeeper#817, newrelic/helm-charts#105",
    ci: true,
    right: ["WEBHOOK-CA-STALE"],
  },
  {
    name: "the caBundle is that of the certificate before",
    changed: { bundle: "earlier" },
    truth: "The pair was renewed and the caBundle was not.",
    edits: allFail,
    source: "volcano-sh/kthena#1273, projectcapsule/capsule#546",
    right: ["WEBHOOK-CA-STALE"],
  },
  {
    name: "the caBundle holds a placeholder of one newline",
    changed: { bundle: "newline" },
    truth: "The caBundle is no PEM, so the API server makes no client for the webhook.",
    edits: allFail,
    source: "kubevela/kubevela#6919",
    right: ["WEBHOOK-CA-STALE"],
  },
  {
    name: "the rule names another group",
    changed: { rule: { apiGroups: ["app.engine.io"] } },
    truth: "No edit matches the rule, so the webhook is not called.",
    edits: allPass,
    source: "openshift/managed-cluster-validating-webhooks#189",
    ci: true,
    right: ["WEBHOOK-RULES-BEHIND"],
  },
  {
    name: "the rule is for cluster-scoped objects",
    changed: { rule: { scope: "Cluster" } },
    truth: "Databases are namespaced, so no edit matches the rule.",
    edits: allPass,
    source: "openshift/managed-cluster-validating-webhooks#189",
    right: ["WEBHOOK-RULES-BEHIND"],
  },
  {
    name: "the rule has CREATE alone",
    changed: { rule: { operations: ["CREATE"] } },
    truth: "Changes of databases that exist are not judged.",
    edits: { create: ["passes", "refused"], update: ["passes", "passes"] },
    source: "SovereignCloudStack/cluster-stack-operator#230, aquasecurity/deployments#91",
    ci: true,
    right: ["WEBHOOK-RULES-BEHIND"],
  },
  {
    name: "the rule has the status subresource alone",
    changed: { rule: { resources: ["engineenterprisedatabases/status"] } },
    truth:
      "A resource with a subresource matches that subresource alone; the databases are not judged.",
    edits: allPass,
    source:
      "kubernetes/kubernetes api/admissionregistration/v1 types Rule.resources, kyverno/kyverno#2425",
    right: ["WEBHOOK-RULES-BEHIND"],
  },
  {
    name: "the rule leaves active-active databases out",
    changed: { rule: { resources: ["engineenterprisedatabases"] } },
    truth: "Active-active databases are not judged.",
    edits: { create: ["passes", "refused"], createActive: ["passes", "passes"] },
    source: "neuvector/neuvector#542",
    right: ["WEBHOOK-RULES-BEHIND"],
  },
  {
    name: "matchPolicy Exact, and the definition serves one more version",
    changed: { scenery: "secondVersion" },
    truth: "Edits by the version that the rule does not name are not judged.",
    edits: { create: ["passes", "refused"], createV1: ["passes", "passes"] },
    source:
      "kubernetes/kubernetes MatchPolicyType, cybozu-go/accurate#110, kubernetes-sigs/cluster-api#2538",
    ci: true,
    right: ["WEBHOOK-RULES-BEHIND"],
  },
  {
    name: "the namespaceSelector asks for a label that the namespace has not",
    changed: {
      entry: { namespaceSelector: { matchLabels: { "admission.engine.com/watch": "on" } } },
    },
    truth: "The namespace of the databases is not selected, so the webhook is not called.",
    edits: allPass,
    source: "tektoncd/pipeline#2503, danfromtitan/envars-from-node-labels#1",
    right: ["PROBE-NO-MATCH", "WEBHOOK-SELECTOR-MISSES"],
  },
  {
    name: "the objectSelector asks for a label that databases have not",
    changed: {
      entry: { objectSelector: { matchLabels: { "app.kubernetes.io/managed-by": "engine" } } },
    },
    truth: "Databases are not selected, so the webhook is not called.",
    edits: allPass,
    source: "open-policy-agent/gatekeeper#2034",
    right: ["PROBE-NO-MATCH", "WEBHOOK-SELECTOR-MISSES"],
  },
  {
    name: "a matchCondition that leaves all users out",
    changed: {
      entry: {
        matchConditions: [
          {
            name: "not-the-system",
            expression: '!request.userInfo.groups.exists(g, g.startsWith("system:"))',
          },
        ],
      },
    },
    truth: "Each user is in the group system:authenticated, so the condition is false for all.",
    edits: allPass,
    source: "kubernetes KEP-3716, solo-io/gloo#10824",
    right: ["WEBHOOK-ALLOWS-ALL"],
  },
  {
    name: "a matchCondition that cannot be evaluated",
    changed: {
      entry: {
        matchConditions: [
          { name: "of-team", expression: 'object.metadata.labels.team == "payments"' },
        ],
      },
    },
    truth:
      "Databases without labels make the condition an error, and failurePolicy Fail refuses them.",
    edits: allFail,
    source: "kubernetes/kubernetes apiserver webhook generic ShouldCallHook, KEP-3716",
    right: ["WEBHOOK-NOT-ANSWERING"],
  },
  {
    name: "failurePolicy Ignore, and the process is gone",
    changed: { entry: { failurePolicy: "Ignore" }, conduct: "gone" },
    truth: "No call is answered, and each edit passes unjudged.",
    edits: allPass,
    source: "gardener/gardener#7013, kubeflow/spark-operator#774",
    ci: true,
    right: ["WEBHOOK-ALLOWS-ALL", "WEBHOOK-UNREACHABLE"],
  },
  {
    name: "it answers later than timeoutSeconds",
    changed: { entry: soon, conduct: "slow" },
    truth: "The answer comes after the API server's patience of 1 s.",
    edits: allFail,
    source: "open-policy-agent/gatekeeper#870, VictoriaMetrics/operator#1094",
    right: ["WEBHOOK-UNREACHABLE", "WEBHOOK-NOT-ANSWERING"],
  },
  {
    name: "a url with a name that only the cluster's DNS knows",
    changed: { url: "https://admission.engine.svc:443/admission", entry: { timeoutSeconds: 2 } },
    truth: "The API server resolves the name of a url outside the cluster, where it is not known.",
    edits: allFail,
    source: "kubernetes/kubernetes WebhookClientConfig.url, apiserver util/webhook client",
    right: ["WEBHOOK-UNREACHABLE", "WEBHOOK-CALLS-OTHER"],
  },
  {
    name: "a path that the process does not serve",
    changed: { service: { path: "/validate" }, conduct: "notFoundElsewhere" },
    truth: "The process serves /admission and answers 404 elsewhere.",
    edits: allFail,
    source: "kubernetes/kubernetes client-go rest request, newGenericServerResponse 404",
    right: ["WEBHOOK-CALLS-OTHER"],
  },
  {
    name: "a port that the Service has not",
    changed: { service: { port: 8443 } },
    truth: "The Service has port 443; 8443 is the port of the container.",
    edits: allFail,
    source: "cruise-automation/k-rail#76",
    right: ["WEBHOOK-CALLS-OTHER"],
  },
  {
    name: "a Service that is not there",
    changed: { service: { name: "engine-admission" } },
    truth: "The entry names a Service that does not exist.",
    edits: allFail,
    source: "scylladb/scylla-operator#169",
    right: ["WEBHOOK-CALLS-OTHER"],
  },
  {
    name: "no entries",
    changed: { entries: "none" },
    truth: "The configuration has no entry, so no webhook is called.",
    edits: allPass,
    source: "kyverno/kyverno#7785",
    right: ["WEBHOOK-ENTRY-ABSENT"],
  },
  {
    name: "the configuration of an earlier release is left over",
    changed: { scenery: "onlyOldLeftOver" },
    truth:
      "Its Service was in a namespace that was deleted, and failurePolicy Fail stops all edits of databases.",
    edits: both("stopped", "stopped"),
    source: "cloudfoundry-incubator/quarks-operator#1196, kubermatic/kubeone#4194",
    right: ["WEBHOOK-NAMESPACE-GONE"],
    ci: true,
  },
  {
    name: "the Deployment is scaled to zero",
    changed: { scenery: "scaledToZero", conduct: "gone" },
    truth: "No pod runs, so the Service has no endpoint.",
    edits: allFail,
    source: "kyverno/kyverno#3039, ForgeRock/forgeops#675",
    ci: true,
    right: ["WEBHOOK-NO-PODS"],
  },
  {
    name: "the Service selects other labels",
    changed: { scenery: "selectorOfOthers", conduct: "gone" },
    truth: "Pods run, and the Service selects none of them.",
    edits: allFail,
    source: "elastic/cloud-on-k8s#1114, openkruise/rollouts#199",
    right: ["WEBHOOK-SELECTOR"],
  },
  {
    name: "the Service sends to a port at which the pods do not listen",
    changed: { scenery: "otherTargetPort", conduct: "gone" },
    truth: "targetPort is 9443, and the container listens at 8443.",
    edits: allFail,
    source: "banzaicloud/koperator#895, kubeflow/spark-operator#774",
    right: ["WEBHOOK-TARGET-PORT"],
  },
  {
    name: "publishNotReadyAddresses, and the pod is not ready",
    changed: { scenery: "notReadyPublished", conduct: "gone" },
    truth: "The endpoint is published though the process does not listen yet.",
    edits: allFail,
    source: "kubernetes/kubernetes#58662, metallb/frr-k8s#284",
    right: ["WEBHOOK-PUBLISHES-UNREADY"],
  },
  {
    name: "packets to the pods are dropped",
    changed: { scenery: "policyOfNetwork", conduct: "drops", entry: soon },
    truth:
      "A NetworkPolicy or an overlay network keeps the API server from the pods; connections are never made.",
    edits: allFail,
    source:
      "external-secrets/external-secrets#2200, cilium/cilium#30111, rabbitmq/messaging-topology-operator#303",
    ci: true,
    right: ["WEBHOOK-NETWORK-POLICY"],
  },
  {
    name: "the process takes requests and never answers",
    changed: { conduct: "hangs", entry: soon },
    truth: "The process hangs.",
    edits: allFail,
    source: "openebs/openebs#3046, kubernetes/kubernetes#80313",
    right: ["WEBHOOK-UNREACHABLE", "WEBHOOK-NOT-ANSWERING"],
  },
  {
    name: "connections are taken and closed",
    changed: { conduct: "closes" },
    truth: "What listens closes each connection before a word of TLS.",
    edits: allFail,
    source: "kubernetes/kubernetes#106509, knative/pkg#1509",
    right: ["WEBHOOK-NOT-ANSWERING"],
  },
  {
    name: "plain HTTP at the port for TLS",
    changed: { conduct: "plainHttp" },
    truth: "The process serves HTTP without TLS.",
    edits: allFail,
    source: "Go net/http transport, goharbor/website#547",
    right: ["WEBHOOK-NOT-ANSWERING"],
  },
  {
    name: "the certificate has expired",
    changed: { certificate: "expired" },
    truth: "The certificate that is served, and trusted, ended yesterday.",
    edits: allFail,
    source: "istio/istio#16374, kubernetes-sigs/gateway-api#2167",
    ci: true,
    right: ["CERT-EXPIRED"],
  },
  {
    name: "the certificate is for another name",
    changed: { certificate: "otherName" },
    truth: "The certificate names the Service of another namespace.",
    edits: allFail,
    source: "istio/istio#42942, istio/istio#7409",
    right: ["CERT-SAN"],
  },
  {
    name: "the certificate has a common name alone",
    changed: { certificate: "noNames" },
    truth: "Without a subject alternative name the API server refuses it.",
    edits: allFail,
    source: "GoogleCloudPlatform/k8s-config-connector#406, verrazzano/verrazzano#480",
    right: ["CERT-SAN"],
  },
  {
    name: "the process serves the certificate of before the renewal",
    changed: { certificate: "ofBefore" },
    truth: "Secret and caBundle were renewed, and the process has not loaded the new pair.",
    edits: allFail,
    source: "k8tz/k8tz#1, kubernetes-sigs/windows-gmsa#135, rook/rook#10719",
    ci: true,
    right: ["WEBHOOK-SERVES-OTHER"],
  },
  {
    name: "the process asks for a client certificate",
    changed: { conduct: "asksForCertificate" },
    truth: "The process demands a client certificate, and the API server has none to show.",
    edits: allFail,
    source: "kubernetes/kubernetes authenticating API servers to webhooks, istio/istio#33208",
    right: ["WEBHOOK-NOT-ANSWERING"],
  },
  {
    name: "the process ends each handshake with an alert",
    changed: { conduct: "alerts" },
    truth: "The TLS server has no certificate to show and says internal error.",
    edits: allFail,
    source: "Go crypto/tls alert 80, denverdino/lxcfs-admission-webhook#6",
    right: ["WEBHOOK-NOT-ANSWERING"],
  },
  {
    name: "the process fails on each review",
    changed: { conduct: "panics" },
    truth: "The process answers 500.",
    edits: allFail,
    source: "kubernetes/kubernetes apiserver validating dispatcher",
    right: ["WEBHOOK-NOT-ANSWERING"],
  },
  {
    name: "a page in HTML is the answer",
    changed: { conduct: "html" },
    truth: "Something else than the webhook listens, such as a proxy with a page for people.",
    edits: allFail,
    source: "kubernetes/kubernetes client-go rest request transformResponse",
    right: ["WEBHOOK-NOT-ANSWERING"],
  },
  {
    name: "the answer has no uid under v1",
    changed: { conduct: "noUid", entry: v1 },
    truth: "The process answers in the way of v1beta1, and v1 asks for the uid.",
    edits: allFail,
    source: "hashicorp/vault-k8s#363, kubernetes/ingress-nginx#4916, kubernetes/autoscaler#4538",
    right: ["WEBHOOK-NOT-ANSWERING"],
  },
  {
    name: "it allows everything",
    changed: { conduct: "allows" },
    truth: "The process answers, and never refuses.",
    edits: allPass,
    source: "kyverno/kyverno#8916, VictoriaMetrics/operator#825",
    ci: true,
    right: ["WEBHOOK-ALLOWS-ALL"],
  },
  {
    name: "it refuses each change of an object that exists",
    changed: { conduct: "refusesUpdates" },
    truth: "The process handles CREATE alone and refuses UPDATE without a reason.",
    edits: { create: ["passes", "refused"], update: ["refused", "refused"] },
    source: "kubeedge/kubeedge#7173, metallb/metallb#2608",
    ci: true,
    right: ["WEBHOOK-REFUSES-ALL"],
    isOpen: true,
  },
];

export const soundWays: readonly Way[] = [
  {
    name: "a policy engine beside it has its own webhook for all kinds",
    changed: { scenery: "policyEngine" },
    truth: "Both are called, and the policy engine allows.",
    edits: judged,
    source: "kyverno/kyverno#2425, kyverno/kyverno#2869",
    ci: true,
  },
  {
    name: "a ValidatingAdmissionPolicy refuses something else",
    changed: { scenery: "policyOnSize" },
    truth: "The policy refuses databases of 1TB alone.",
    edits: judged,
    source: "kubernetes/kubernetes ValidatingAdmissionPolicy",
  },
  {
    name: "a policy asks new databases for a label",
    changed: { scenery: "policyOnLabel" },
    truth: "Databases that carry the label are judged; one made for a probe does not carry it.",
    edits: {
      create: ["stopped", "stopped"],
      createLabelled: ["passes", "refused"],
      update: ["passes", "refused"],
    },
    source: "kyverno/policies require-labels, open-policy-agent/gatekeeper K8sRequiredLabels",
    ci: true,
  },
  {
    name: "the pods are in the network of the node",
    changed: { scenery: "hostNetwork" },
    truth: "The address of the endpoint is that of the node, on purpose.",
    edits: judged,
    source: "senthilrch/kube-fledged#123, kubernetes-sigs/jobset#977",
  },
  {
    name: "two versions are served, and matchPolicy is Equivalent",
    changed: { scenery: "secondVersion", entry: { matchPolicy: "Equivalent" } },
    truth: "Edits by the other version are converted and judged.",
    edits: { create: ["passes", "refused"], createV1: ["passes", "refused"] },
    source: "kubernetes/kubernetes MatchPolicyType, cybozu-go/accurate#110",
    ci: true,
  },
  {
    name: "the namespaceSelector leaves the system's namespaces out",
    changed: {
      entry: {
        namespaceSelector: {
          matchExpressions: [
            {
              key: "kubernetes.io/metadata.name",
              operator: "NotIn",
              values: ["kube-system", "kube-public", "kube-node-lease"],
            },
          ],
        },
      },
    },
    truth: "The namespaces of databases are selected.",
    edits: judged,
    source: "gardener/gardener#5991, open-policy-agent/gatekeeper exempting namespaces",
  },
  {
    name: "a matchCondition leaves the operator's service account out",
    changed: {
      entry: {
        matchConditions: [
          {
            name: "not-the-operator",
            expression:
              'request.userInfo.username != "system:serviceaccount:engine:engine-enterprise-operator"',
          },
        ],
      },
    },
    truth: "Users are judged; the operator alone is not.",
    edits: judged,
    source: "kubernetes KEP-3716",
  },
  {
    name: "one more entry of the same owner for clusters",
    changed: { entries: "forClusters" },
    truth: "The further entry is for another kind.",
    edits: judged,
    source: "rook/rook#10046, SeldonIO/seldon-core#3343",
  },
  {
    name: "an objectSelector with an opt-out",
    changed: {
      entry: {
        objectSelector: {
          matchExpressions: [
            { key: "admission.engine.com/skip", operator: "NotIn", values: ["true"] },
          ],
        },
      },
    },
    truth: "Only objects that carry the label are left out.",
    edits: judged,
    source: "gardener/gardener#5991, open-policy-agent/gatekeeper#2034",
    ci: true,
  },
  {
    name: "one of several pods is not ready",
    changed: { scenery: "onePodNotReady" },
    truth: "The ready one serves.",
    edits: judged,
    source: "kubernetes-sigs/kueue#1445",
  },
  {
    name: "the certificate is near its end",
    changed: { certificate: "nearItsEnd" },
    truth: "It is valid for five more days.",
    edits: judged,
    source: "apache/yunikorn-site#138, hwameistor/hwameistor-operator#380",
  },
  {
    name: "the caBundle holds two CAs",
    changed: { bundle: "two" },
    truth: "That of before and the present one, as in a rotation.",
    edits: judged,
    source: "open-policy-agent/cert-controller#50, apache/yunikorn-site#138",
  },
  {
    name: "the rule has all resources and subresources of the group",
    changed: { rule: { resources: ["*/*"] } },
    truth: "Databases are among them.",
    edits: judged,
    source:
      "kubernetes/kubernetes Rule.resources, kelseyhightower/denyenv-validating-admission-webhook#1",
    ci: true,
  },
  {
    name: "one more entry that calls another Service",
    changed: { entries: "ofOtherService" },
    truth: "The further entry is for ConfigMaps of another owner, and its Service is there.",
    edits: judged,
    source: "verrazzano/verrazzano#4936",
  },
  {
    name: "failurePolicy Ignore, and the webhook works",
    changed: { entry: { failurePolicy: "Ignore" } },
    truth: "A refusal is a refusal under Ignore, too.",
    edits: judged,
    source: "gardener/gardener#7013",
  },
];

/** More of the same kinds, which do not count among the forty. */
export const furtherBroken: readonly Way[] = [
  {
    name: "the caBundle is a CA of the same name with another key",
    changed: { bundle: "sameName" },
    truth: "The CA was made anew under its old name.",
    edits: allFail,
    source: "radius-project/radius#6989, kyverno/kyverno#3300",
    right: ["WEBHOOK-CA-STALE"],
  },
  {
    name: "the caBundle is encoded twice",
    changed: { bundle: "encodedTwice" },
    truth: "Base64 of base64 is no PEM.",
    edits: allFail,
    source: "kubernetes/kubernetes client-go transport rootCertPool",
    right: ["WEBHOOK-CA-STALE"],
  },
  {
    name: "the rule names a version that is not served",
    changed: { rule: { apiVersions: ["v1beta1"] } },
    truth: "No edit matches the rule.",
    edits: allPass,
    source: "kubernetes/kubernetes RuleWithOperations",
    right: ["WEBHOOK-RULES-BEHIND"],
  },
  {
    name: "a Service of another namespace",
    changed: { service: { namespace: "default" } },
    truth: "There is no such Service in that namespace.",
    edits: allFail,
    source: "SeldonIO/seldon-core#3343",
    right: ["WEBHOOK-OTHER-NAMESPACE", "WEBHOOK-CALLS-OTHER"],
    isOpen: true,
  },
  {
    name: "the pod is not ready",
    changed: { scenery: "notReady", conduct: "gone" },
    truth: "Its endpoint is not ready, so the Service sends nothing to it.",
    edits: allFail,
    source: "spinframework/spin-operator#179",
    right: ["WEBHOOK-PODS-NOT-READY"],
  },
  {
    name: "the process serves the certificate of before the renewal, which has expired",
    changed: { certificate: "expiredOfBefore" },
    truth: "The Secret has a good pair, and the process has not read it.",
    edits: allFail,
    source: "kubernetes-sigs/gateway-api#2167, cozystack/cozystack#3557",
    right: ["WEBHOOK-SERVES-OTHER"],
  },
  {
    name: "the key does not belong to the certificate",
    changed: { certificate: "otherKey" },
    truth: "No handshake succeeds, since an EC key was put beside an RSA certificate.",
    edits: allFail,
    source: "denverdino/lxcfs-admission-webhook#6",
    right: ["CERT-KEY-MISMATCH"],
  },
  {
    name: "the process speaks TLS 1.1 at most",
    changed: { conduct: "oldTls" },
    truth: "The API server asks for TLS 1.2.",
    edits: allFail,
    source: "kubernetes-sigs/aws-load-balancer-controller#2368",
    right: ["WEBHOOK-NOT-ANSWERING"],
  },
  {
    name: "a proxy forbids the call",
    changed: { conduct: "forbids" },
    truth: "A service mesh answers 403 before the webhook is reached.",
    edits: allFail,
    source: "istio/istio#33208",
    right: ["WEBHOOK-UNREACHABLE"],
  },
  {
    name: "it is overloaded",
    changed: { conduct: "overloaded", entry: { timeoutSeconds: 2 } },
    truth: "The process answers 503.",
    edits: allFail,
    source: "EnterpriseDB/edb-postgres-for-kubernetes-charts#40",
    right: ["WEBHOOK-NOT-ANSWERING"],
  },
  {
    name: "the answer is empty",
    changed: { conduct: "empty" },
    truth: "The process answers 200 without a body.",
    edits: allFail,
    source: "kubernetes/kubernetes client-go rest request Into",
    right: ["WEBHOOK-NOT-ANSWERING"],
  },
  {
    name: "the answer is some other JSON",
    changed: { conduct: "otherJson" },
    truth: "The answer is no AdmissionReview.",
    edits: allFail,
    source: "douglasmakey/admissioncontroller#4",
    right: ["WEBHOOK-NOT-ANSWERING"],
  },
  {
    name: "the answer is of v1beta1 where v1 was asked for",
    changed: { conduct: "otherVersion", entry: v1 },
    truth: "The API server asks by v1 and takes v1 alone.",
    edits: allFail,
    source: "kubevirt/kubevirt#5300, kubernetes/autoscaler#4561",
    right: ["WEBHOOK-NOT-ANSWERING"],
  },
  {
    name: "the review has no response",
    changed: { conduct: "noResponse" },
    truth: "The process sends the review back as it came.",
    edits: allFail,
    source: "kubernetes/kubernetes#55829",
    right: ["WEBHOOK-NOT-ANSWERING"],
  },
  {
    name: "a patch in the answer of a validating webhook",
    changed: { conduct: "patches", entry: v1 },
    truth: "The process is a mutating webhook, registered as a validating one.",
    edits: allFail,
    source: "kubernetes/kubernetes apiserver VerifyAdmissionResponse",
    right: ["WEBHOOK-NOT-ANSWERING"],
  },
  {
    name: "it refuses everything",
    changed: { conduct: "refuses" },
    truth: "The process refuses what is right, too.",
    edits: both("refused", "refused"),
    source: "metallb/metallb#2608",
    right: ["WEBHOOK-REFUSES-ALL"],
  },
  {
    name: "the webhook of an older operator in another namespace refuses",
    changed: { scenery: "olderOperatorBeside" },
    truth: "Its configuration is for all namespaces, and it knows no version of today.",
    edits: { create: ["stopped", "stopped"] },
    source: "k8ssandra/cass-operator#742",
    right: ["WEBHOOK-OTHER-NAMESPACE"],
    isOpen: true,
  },
];

export const furtherSound: readonly Way[] = [
  {
    name: "timeoutSeconds is 5",
    changed: { entry: { timeoutSeconds: 5 } },
    truth: "It answers sooner.",
    edits: judged,
    source: "chaos-mesh/chaos-mesh#4544",
  },
  {
    name: "the quota of databases is used up",
    changed: { scenery: "quota" },
    truth: "New databases are refused by the quota, after the webhook has judged them.",
    edits: { create: ["stopped", "refused"], update: ["passes", "refused"] },
    source: "kubernetes/kubernetes ResourceQuota admission plugin",
  },
];
