/** The webhook, its certificate, RBAC and the constraints. */
import { furtherBroken, twoFamilies } from "../admission/way-cases";
import { brokenWays, copied as copiedSlice, wire } from "../admission/way-rows";
import { binding, deployment, eaadb, ec, edb, role, settings, tls, webhook } from "./labels";
import { onOpenShift, type Rows } from "./row";
import { anOperatorGroup, olmDefinitions } from "../../../support/olm";
import { aBinding, aConstraint, base64, established, useOf, type World } from "./world";
import { judgeAnswers } from "../../../../plugin/domain/admission/faults";
import { defaultNames } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { findLine } from "../../../../plugin/domain/rbac/lines";
import { aService } from "../../../support/builders";
import { certify, type Pair } from "../../../support/tls";
import { readGoVerdicts } from "../../../support/go-verdicts";

const entry = "webhooks.0";
const names = { app: "engine-enterprise" };

const ownBinding = "RoleBinding/engine/engine-enterprise-operator";
const noWebhook = (world: World): World => world.remove(webhook);
const served = (world: World, namespace: string): World =>
  world.set(webhook, `${entry}.clientConfig.service.namespace`, namespace);
const oldOne = (world: World, entries?: readonly object[]): KubeObject => {
  const copy = structuredClone(world.find(webhook)) as unknown as KubeObject & {
    webhooks: { name: string }[];
  };
  const [first] = copy.webhooks;
  return {
    ...copy,
    metadata: { name: "edb-admission" },
    webhooks: entries ?? [{ ...first, name: "edb.admission.engine" }],
  };
};

const { oldEntry } = defaultNames.webhook;

const injected = (w: World, annotation: string, value: string): World =>
  w.note(webhook, "annotations", { [annotation]: value });

/** As Argo CD marks what it applies. */
const track = (w: World): void => {
  const name = "engine-enterprise-admission";
  const id = `engine:admissionregistration.k8s.io/ValidatingWebhookConfiguration:engine/${name}`;
  w.note(webhook, "annotations", { "argocd.argoproj.io/tracking-id": id });
};

const servedFor = ["admission.engine.svc"];

/** A certificate, the intermediate that issued it and the root above, as a company's CA makes them. */
function aChain() {
  const days = [-3650, 3650] as const;
  const root = certify({ commonName: "corporate", days });
  const middle = certify({ commonName: "corporate, servers", days }, root);
  return { root, middle, leaf: certify({ commonName: "x", dns: servedFor, days }, middle) };
}

/** The pair that the webhook serves, with what it sends along. */
function serve(w: World, leaf: Pair, sent: string): void {
  w.set(tls, "data", { cert: base64(sent), privateKey: base64(leaf.key) });
}

/** The pair as cert-manager stores one. */
function issued(w: World): void {
  const { cert, privateKey } = w.find(tls)["data"] as Record<string, string>;
  w.set(tls, "type", "kubernetes.io/tls");
  w.set(tls, "data", { "tls.crt": cert, "tls.key": privateKey, "ca.crt": cert });
}

/** Another entry in the new configuration, for the same Service and with the same CA if not given. */
function beside(
  w: World,
  more: object,
  { caBundle, service }: { readonly caBundle?: string; readonly service?: object } = {},
): World {
  const [own] = w.find(webhook)["webhooks"] as readonly Record<string, Record<string, object>>[];
  const clientConfig = {
    ...own?.["clientConfig"],
    service: { ...own?.["clientConfig"]?.["service"], ...service },
    ...(caBundle !== undefined && { caBundle }),
  };
  return w.set(webhook, "webhooks", [{ ...own, clientConfig, ...more }, own]);
}

/** What OLM makes of the webhooks of a release: a Service, names and a certificate of its own. */
const made = (w: World, namespaceSelector: object = {}): World => {
  const marks = { "olm.owner": "engine-enterprise-operator.v8.0.2-2" };
  return w
    .note(deployment, "labels", marks)
    .copy("Service/engine/admission", { name: "operator-service" })
    .copy("EndpointSlice/engine/admission-1", {
      name: "operator-service-1",
      labels: { "kubernetes.io/service-name": "operator-service" },
    })
    .copy(webhook, { name: "made-x7k2p", labels: marks })
    .remove(webhook, "Service/engine/admission")
    .set(madeByOlm, `${entry}.clientConfig.service.name`, "operator-service")
    .set(madeByOlm, `${entry}.clientConfig.caBundle`, base64("not the Secret's"))
    .set(madeByOlm, `${entry}.namespaceSelector`, namespaceSelector);
};
const madeByOlm = "ValidatingWebhookConfiguration/made-x7k2p";
const ofGroup = { matchLabels: { "olm.operatorgroup.uid/g1": "" } };

const webhooksPod = "Pod/engine/engine-enterprise-operator-1";
const budget = "PodDisruptionBudget/engine/webhook";
const closedBudget = {
  observedGeneration: 1,
  disruptionsAllowed: 0,
  currentHealthy: 1,
  desiredHealthy: 1,
  expectedPods: 1,
};

/** A budget over the pod of the webhook. */
const budgeted = (w: World, status: object): World => {
  wire(w);
  const { labels } = w.find(webhooksPod)["metadata"] as { labels: object };
  w.set(webhooksPod, "spec.nodeName", "n1").set(webhooksPod, "status.phase", "Running");
  return w.add({
    ...{ apiVersion: "policy/v1", kind: "PodDisruptionBudget" },
    metadata: { name: "webhook", namespace: "engine" },
    spec: { maxUnavailable: 0, selector: { matchLabels: labels } },
    status,
  });
};

/** Another container in the pod of the webhook. */
const meshed = (w: World, name: string): World => {
  wire(w);
  const { containers } = w.find(webhooksPod)["spec"] as { containers: object[] };
  const matchLabels = { name: "engine-enterprise-operator" };
  return w
    .set(deployment, "spec.selector", { matchLabels })
    .set(webhooksPod, "spec.containers", [...containers, { name }]);
};

const violation =
  'pods "x" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true';

/** A Deployment whose pods the API server refuses. */
const uncreated = (w: World, message: string): World => {
  wire(w);
  return w
    .remove(webhooksPod)
    .set("EndpointSlice/engine/admission-1", "endpoints", [])
    .set(deployment, "spec.template.metadata.labels", { name: "engine-enterprise-operator" })
    .set(deployment, "status", {
      observedGeneration: 1,
      conditions: [{ type: "ReplicaFailure", status: "True", reason: "FailedCreate", message }],
    });
};

/** The rules of the entry for other operations. */
const operate = (w: World, operations: readonly string[]): World =>
  w.set(webhook, `${entry}.rules.0.operations`, operations);

/** Codes with rows of their own here. */
const alone = ["WEBHOOK-PLACEHOLDER", "WEBHOOK-NAMESPACE-GONE", "WEBHOOK-CA-STALE"];

const otherCa = (): string => certify({ commonName: "x", days: [-3650, 3650] }).cert;
const copied = "ValidatingWebhookConfiguration/copy";
/** A configuration of others for the same kinds. */
const ofOthers = (w: World, namespace: string, service = "admission"): World =>
  w
    .copy(webhook, { name: "copy" })
    .set(copied, `${entry}.clientConfig.service`, { name: service, namespace });

/** An answer that no text explains. */
function unexplained(w: World): void {
  const answering = { namespace: "engine", names: defaultNames, policies: ["Fail"] } as const;
  const object = `ValidatingWebhookConfiguration/${defaultNames.webhook.configuration}`;
  const detail = `failed calling webhook "${defaultNames.webhook.entry}": it hummed`;
  const answer = { is: "failed", by: defaultNames.webhook.entry, detail } as const;
  const seen = { pair: "EDB", twin: "accept", from: 0, to: 1, answer } as const;
  const finding = judgeAnswers([seen], { ...answering, ours: [answer.by], object });
  w.probe = {
    ...{ is: "failed", because: "it does not answer", seen: "unknown", policies: ["Fail"] },
    ...(finding && { finding }),
  };
}

export const webhookRows: Rows = {
  "WEBHOOK-NOT-ANSWERING: words that nothing explains": unexplained,
  "WEBHOOK-ABSENT: none": noWebhook,
  "WEBHOOK-OLD: the only one": (w) => {
    const one = oldOne(w);
    w.remove(webhook).add(one);
  },
  "WEBHOOK-OLD: beside the new one": (w) => w.add(oldOne(w)),
  "WEBHOOK-OLD: its entry in the new one": (w) => beside(w, { name: oldEntry }),
  "WEBHOOK-OLD: its entry in the place of the new one": (w) =>
    w.set(webhook, `${entry}.name`, oldEntry),
  "WEBHOOK-OLD-HAS-OTHERS: an entry of someone": (w) =>
    w.add(oldOne(w, [{ name: "their.own.entry", clientConfig: {} }])),
  "WEBHOOK-ENTRY-ABSENT: another name": (w) => w.set(webhook, `${entry}.name`, "x.y.z"),
  "WEBHOOK-ENTRY-ABSENT: no entry": (w) => w.set(webhook, "webhooks", []),
  "WEBHOOK-PLACEHOLDER: as the template has it": (w) => served(w, "OPERATOR_NAMESPACE"),
  "WEBHOOK-NAMESPACE-GONE: a namespace that was deleted": (w) => served(w, "gone"),
  "WEBHOOK-NAMESPACE-GONE: a URL": (w) =>
    w
      .set(webhook, `${entry}.clientConfig.service`, undefined)
      .set(webhook, `${entry}.clientConfig.url`, "https://x"),
  "WEBHOOK-SERVICE-MISSING: no Service": (w) => w.remove("Service/engine/admission"),
  "WEBHOOK-NO-ENDPOINTS: none is ready": (w) =>
    w.set("EndpointSlice/engine/admission-1", "endpoints", []),
  "WEBHOOK-SERVICE-PORT: another port": (w) =>
    w.set("Service/engine/admission", "spec.ports", [{ port: 8443 }]),
  "WEBHOOK-SERVICE-PORT: the usual port is meant": (w) =>
    w
      .set("Service/engine/admission", "spec.ports", [{ port: 8443 }])
      .set(webhook, `${entry}.clientConfig.service.port`, undefined),
  ...Object.fromEntries(
    Object.entries({ ...brokenWays, ...furtherBroken, ...twoFamilies })
      .filter(([, { code }]) => !alone.includes(code))
      .map(([title, { code, change }]) => [`${code}: ${title}`, (w: World) => change(wire(w))]),
  ),
  "WEBHOOK-NO-ENDPOINTS: an endpoint copied from Endpoints whose port has another name": (w) =>
    copiedSlice(wire(w)),
  "WEBHOOK-RULES-BEHIND: databases only": (w) =>
    w.set(webhook, `${entry}.rules.0.resources`, ["engineenterprisedatabases"]),
  "WEBHOOK-RULES-BEHIND: for objects of no namespace": (w) =>
    w.set(webhook, `${entry}.rules.0.scope`, "Cluster"),
  "WEBHOOK-RULES-BEHIND: a second version is served, and matchPolicy Exact": (w) =>
    w.set(
      "CustomResourceDefinition/engineenterprisedatabases.app.engine.com",
      "spec.versions",
      ["v1alpha1", "v1"].map((name) => ({ name, served: true, storage: name !== "v1" })),
    ),
  "WEBHOOK-RULES-BEHIND: new objects alone": (w) =>
    w.set(webhook, `${entry}.rules.0.operations`, ["CREATE"]),
  "WEBHOOK-RULES-BEHIND: a version that nobody serves": (w) =>
    w.set(webhook, `${entry}.rules.0.apiVersions`, ["v9"]),
  "WEBHOOK-RULES-BEHIND: not where every version is meant": (w) =>
    w.set(webhook, `${entry}.rules.0.apiVersions`, ["*"]),
  "WEBHOOK-HOLDS-MORE: deletions": (w) => operate(w, ["CREATE", "UPDATE", "DELETE"]),
  "WEBHOOK-HOLDS-MORE: every operation": (w) => operate(w, ["*"]),
  "WEBHOOK-HOLDS-MORE: not where calls that fail let edits pass": (w) =>
    operate(w, ["*"]).set(webhook, `${entry}.failurePolicy`, "Ignore"),
  "WEBHOOK-HOLDS-MORE: of a repository": (w) => {
    track(w);
    operate(w, ["CREATE", "UPDATE", "DELETE"]);
  },
  "WEBHOOK-HOLDS-MORE: of an entry that a person added": (w) =>
    beside(w, {
      name: "active.shop.example",
      rules: [
        {
          ...{ apiGroups: [""], apiVersions: ["v1"], resources: ["pods/exec"] },
          operations: ["CONNECT"],
        },
      ],
    }),
  "WEBHOOK-HOLDS-MORE: not the old configuration": (w) => {
    const one = oldOne(w);
    w.add(one).set("ValidatingWebhookConfiguration/edb-admission", `${entry}.rules`, [
      { apiGroups: ["*"], apiVersions: ["*"], resources: ["*"], operations: ["*"] },
    ]);
  },
  "WEBHOOK-TIMEOUT-SHORT: one second": (w) => w.set(webhook, `${entry}.timeoutSeconds`, 1),
  "WEBHOOK-TIMEOUT-SHORT: two, and calls that fail let edits pass": (w) =>
    w.set(webhook, `${entry}.timeoutSeconds`, 2).set(webhook, `${entry}.failurePolicy`, "Ignore"),
  "WEBHOOK-TIMEOUT-SHORT: of a repository": (w) => {
    track(w);
    w.set(webhook, `${entry}.timeoutSeconds`, 1);
  },
  "WEBHOOK-TIMEOUT-SHORT: not three": (w) => w.set(webhook, `${entry}.timeoutSeconds`, 3),
  "WEBHOOK-TIMEOUT-SHORT: not the API server's own": (w) =>
    w.set(webhook, `${entry}.timeoutSeconds`, undefined),
  "WEBHOOK-EVICTION-HELD: none may be evicted": (w) => budgeted(w, closedBudget),
  "WEBHOOK-EVICTION-HELD: two budgets for one pod": (w) =>
    budgeted(w, { ...closedBudget, disruptionsAllowed: 1 }).copy(budget, { name: "again" }),
  "WEBHOOK-EVICTION-HELD: not one that waits for a pod": (w) =>
    budgeted(w, { ...closedBudget, expectedPods: 2 }),
  "WEBHOOK-EVICTION-HELD: not one that has not been counted yet": (w) =>
    budgeted(w, closedBudget).set(budget, "status", undefined),
  "WEBHOOK-EVICTION-HELD: not one that allows an eviction": (w) =>
    budgeted(w, { ...closedBudget, disruptionsAllowed: 1, desiredHealthy: 0 }),
  "WEBHOOK-EVICTION-HELD: not one of other pods": (w) =>
    budgeted(w, closedBudget).set(budget, "spec.selector.matchLabels", { app: "other" }),
  "WEBHOOK-MESH: a proxy of Istio": (w) => meshed(w, "istio-proxy"),
  "WEBHOOK-MESH: a proxy of Linkerd that leaves other ports out": (w) =>
    meshed(w, "linkerd-proxy")
      .note(webhooksPod, "annotations", { "config.linkerd.io/skip-inbound-ports": "25,4000-5000" })
      .set(deployment, "spec.template.metadata.annotations", {
        "config.linkerd.io/skip-inbound-ports": "25,4000-5000",
      }),
  "WEBHOOK-MESH: a proxy beside a pod of no Deployment": (w) =>
    meshed(w, "kuma-sidecar").set(deployment, "spec.selector", undefined),
  "WEBHOOK-MESH: a proxy that stays beside the others as an init container": (w) =>
    meshed(w, "app").set(webhooksPod, "spec.initContainers", [
      { name: "istio-proxy", restartPolicy: "Always" },
    ]),
  "WEBHOOK-MESH: not where the port is left out": (w) =>
    meshed(w, "istio-proxy").note(webhooksPod, "annotations", {
      "traffic.sidecar.istio.io/excludeInboundPorts": "9000, 8443",
    }),
  "WEBHOOK-MESH: not where its range is left out": (w) =>
    meshed(w, "linkerd-proxy").note(webhooksPod, "annotations", {
      "config.linkerd.io/skip-inbound-ports": "8000-9000",
    }),
  "WEBHOOK-MESH: not of a Service that is not there": (w) =>
    meshed(w, "istio-proxy").remove("Service/engine/admission"),
  "WEBHOOK-MESH: not of a Service of another namespace": (w) => {
    meshed(w, "istio-proxy");
    served(w, "other");
  },
  "WEBHOOK-NO-PODS: none may be created": (w) => uncreated(w, violation),
  "WEBHOOK-NO-PODS: none may be created, for a reason that is not known": (w) =>
    uncreated(w, "the plug-in x takes no pods"),
  "WEBHOOK-NO-PODS: none may be created while the controller does not count": (w) =>
    uncreated(w, "pods is forbidden: status unknown for quota: small"),
  "WEBHOOK-LEFTOVER: not one for objects of no namespace": (w) =>
    ofOthers(w, "retired").set(copied, `${entry}.rules.0.scope`, "Cluster"),
  "WEBHOOK-DIFFERS: another match policy": (w) =>
    w.set(webhook, `${entry}.matchPolicy`, "Equivalent"),
  "WEBHOOK-DIFFERS: a label": (w) => w.set(webhook, "metadata.labels", {}),
  "WEBHOOK-DIFFERS: the old one alone": (w) => {
    const one = oldOne(w);
    w.remove(webhook).add(one);
  },
  "WEBHOOK-FAILURE-POLICY: lenient": (w) => w.set(webhook, `${entry}.failurePolicy`, "Ignore"),
  "WEBHOOK-KEPT: another time limit": (w) => w.set(webhook, `${entry}.timeoutSeconds`, 20),
  "WEBHOOK-KEPT: conditions, one of them for all but an account": (w) =>
    w.set(webhook, `${entry}.matchConditions`, [
      {
        name: "not-gitops",
        expression: "request.userInfo.username != 'system:serviceaccount:ci:bot'",
      },
      { name: "any-group", expression: "request.userInfo.groups.size() > 0" },
      { name: "never", expression: " false " },
      { name: "changed", expression: "object != oldObject" },
    ]),
  "WEBHOOK-OTHER-NAMESPACE: another operator's": (w) => served(w, "other"),
  "WEBHOOK-OTHER-CONFIGURATION: the same entry again": (w) => w.copy(webhook, { name: "copy" }),
  "WEBHOOK-LEFTOVER: a proxy of a namespace that is gone": (w) => ofOthers(w, "retired"),
  "WEBHOOK-LEFTOVER: a Service that is gone": (w) => ofOthers(w, "engine", "gate"),
  "WEBHOOK-LEFTOVER: a Service that is gone, and a CA of its own": (w) =>
    ofOthers(w, "engine", "gate").set(copied, `${entry}.clientConfig.caBundle`, base64(otherCa())),
  "WEBHOOK-LEFTOVER: marks of OLM, which is gone": (w) =>
    ofOthers(w, "engine", "gate").note(copied, "labels", { "olm.managed": "true" }),
  "WEBHOOK-LEFTOVER: a Service that is gone from a namespace of others": (w) =>
    ofOthers(w, "shop", "policy-gate"),
  "WEBHOOK-LEFTOVER: the second of two entries": (w) => {
    ofOthers(w, "engine");
    const [entry] = w.find(copied)["webhooks"] as readonly object[];
    const gone = { ...entry, clientConfig: { service: { name: "a", namespace: "retired" } } };
    w.set(copied, "webhooks", [entry, gone]);
  },
  "WEBHOOK-LEFTOVER: of mutating webhooks": (w) => {
    ofOthers(w, "retired");
    const left = w.find(copied);
    w.remove(copied).add({ ...left, kind: "MutatingWebhookConfiguration" } as never);
  },
  "WEBHOOK-LEFTOVER: an entry beside the product's, of a namespace that is gone": (w) =>
    beside(
      w,
      { name: "quotas.example.com" },
      { service: { name: "quotas", namespace: "retired" } },
    ),
  "WEBHOOK-LEFTOVER: an entry beside the product's, of a Service that is gone": (w) =>
    beside(w, { name: "quotas.example.com" }, { service: { name: "quotas" } }),
  "WEBHOOK-LEFTOVER: for some databases only": (w) =>
    ofOthers(w, "retired")
      .set(copied, `${entry}.objectSelector`, { matchLabels: { tier: "gold" } })
      .set(copied, `${entry}.matchConditions`, [{ name: "a", expression: "true" }]),
  "WEBHOOK-CA-STALE: another configuration with the entry's name": (w) => {
    w.copy(webhook, { name: "copy" });
    w.set(copied, `${entry}.clientConfig.caBundle`, base64(otherCa()));
  },
  "WEBHOOK-CA-STALE: not that of another operator": (w) => {
    w.copy(webhook, { name: "copy" });
    w.set(copied, `${entry}.clientConfig.service.namespace`, "shop");
    w.add(aService("shop"));
    w.set(copied, `${entry}.clientConfig.caBundle`, base64(otherCa()));
  },
  "WEBHOOK-CALLS-OTHER: another configuration with the entry's name": (w) =>
    w.copy(webhook, { name: "copy" }).set(copied, `${entry}.clientConfig.service.name`, "gone"),
  "WEBHOOK-PLACEHOLDER: in another configuration with the entry's name": (w) =>
    w
      .copy(webhook, { name: "copy" })
      .set(copied, `${entry}.clientConfig.service.namespace`, "OPERATOR_NAMESPACE"),
  "WEBHOOK-SELECTS-NOTHING: a label that no namespace has, whatever it calls": (w) =>
    ofOthers(w, "retired").set(copied, `${entry}.namespaceSelector`, {
      matchLabels: { tier: "x" },
    }),
  "WEBHOOK-SELECTS-NOTHING: and a leftover beside it": (w) => {
    ofOthers(w, "retired").set(copied, `${entry}.namespaceSelector`, { matchLabels: { a: "x" } });
    const [idle] = w.find(copied)["webhooks"] as readonly object[];
    w.set(copied, "webhooks", [idle, { ...idle, namespaceSelector: {} }, idle]);
  },
  "PROBE-AMBIGUOUS: the same entry for the same namespaces": (w) =>
    w.copy(webhook, { name: "copy" }),
  "PROBE-AMBIGUOUS: not where the other one is for one namespace": (w) =>
    w
      .copy(webhook, { name: "copy" })
      .set("ValidatingWebhookConfiguration/copy", `${entry}.namespaceSelector`, {
        matchLabels: { "kubernetes.io/metadata.name": "shop" },
      }),
  "PROBE-NO-KIND: rules for other kinds alone": (w) => {
    const template = w.target.webhook;
    if (template === undefined) throw new Error("there is no template");
    const [own] = template.webhooks ?? [];
    const rules = [{ apiGroups: ["apps"], resources: ["deployments"], operations: ["CREATE"] }];
    w.target = { ...w.target, webhook: { ...template, webhooks: [{ ...own, rules }] } };
  },
  "WEBHOOK-OTHER-CONFIGURATION: one of a proxy by a URL": (w) =>
    ofOthers(w, "engine").set(copied, `${entry}.clientConfig`, { url: "https://proxy.example" }),
  "WEBHOOK-OTHER-CONFIGURATION: a leftover that is ignored when it fails": (w) =>
    ofOthers(w, "retired").set(copied, `${entry}.failurePolicy`, "Ignore"),
  "WEBHOOK-OTHER-CONFIGURATION: one of other kinds": (w) =>
    ofOthers(w, "retired").set(copied, `${entry}.rules`, [
      { apiGroups: ["apps"], resources: ["deployments"], operations: ["CREATE"] },
    ]),
  "WEBHOOK-TEMPLATE-OLDER: no configuration, and a release later than all that are known": (w) => {
    noWebhook(w);
    w.target = { ...w.target, operatorVersion: "99.0.0-1", shippedWebhook: true };
  },
  "WEBHOOK-TEMPLATE-OLDER: the template of the release": (w) => {
    noWebhook(w);
    w.target = { ...w.target, operatorVersion: "99.0.0-1", shippedWebhook: false };
  },
  "WEBHOOK-OWNED: a chart's": (w) =>
    w.note(webhook, "labels", { "app.kubernetes.io/managed-by": "Helm" }),
  "WEBHOOK-OWNED: of a repository that leaves the CA out: one advice": (w) => {
    track(w);
    w.set(webhook, `${entry}.clientConfig.caBundle`, "");
  },
  "WEBHOOK-OWNED: of a repository, with another CA and more": (w) => {
    track(w);
    w.set(webhook, `${entry}.clientConfig.caBundle`, base64(otherPem));
    w.set(webhook, `${entry}.timeoutSeconds`, 12);
    w.set(webhook, `${entry}.failurePolicy`, "Ignore");
  },
  "WEBHOOK-OWNED: the old one of a repository, with another CA": (w) => {
    track(w);
    const old = oldOne(w);
    w.remove(webhook);
    w.add({
      ...old,
      metadata: { ...old.metadata, labels: { "argocd.argoproj.io/instance": "x" } },
    });
    w.set("ValidatingWebhookConfiguration/edb-admission", `${entry}.clientConfig.caBundle`, "");
  },
  "WEBHOOK-OWNED: of an OLM that is gone": (w) => {
    w.note(webhook, "labels", { "olm.owner": "x.v1", "olm.owner.namespace": "engine" });
    w.set(webhook, `${entry}.clientConfig.caBundle`, "");
  },
  "WEBHOOK-OWNED: of a repository that left a placeholder": (w) => {
    track(w);
    w.set(webhook, `${entry}.clientConfig.service.namespace`, "OPERATOR_NAMESPACE");
  },
  "WEBHOOK-OWNED: of a repository, with the entry of an old release": (w) => {
    track(w);
    w.set(webhook, `${entry}.name`, "edb.admission.engine");
  },
  "WEBHOOK-CA-STALE: empty": (w) => w.set(webhook, `${entry}.clientConfig.caBundle`, ""),
  "WEBHOOK-CA-STALE: twice": (w) =>
    w.set(webhook, `${entry}.clientConfig.caBundle`, base64(caOf(w))),
  "WEBHOOK-CA-STALE: something else": (w) =>
    w.set(webhook, `${entry}.clientConfig.caBundle`, base64("nonsense")),
  "WEBHOOK-CA-STALE: another certificate": (w) =>
    w.set(webhook, `${entry}.clientConfig.caBundle`, base64(otherPem)),
  "WEBHOOK-CA-STALE: of an entry that a person added": (w) =>
    beside(w, { name: "active.shop.example" }, { caBundle: base64(otherPem) }),
  "WEBHOOK-CA-STALE: empty in an entry that a person added": (w) =>
    beside(w, { name: "active.shop.example" }, { caBundle: "" }),
  "WEBHOOK-DIFFERS: not where an entry beside it calls another Service": (w) =>
    beside(
      w,
      { name: "v.vendor.example" },
      { caBundle: base64(otherPem), service: { name: "vendor" } },
    ),
  "WEBHOOK-CA-STALE: the old one beside the new one": (w) =>
    w.set(
      webhook,
      `${entry}.clientConfig.caBundle`,
      base64(`${otherPem}\n${Buffer.from(caOf(w), "base64").toString()}`),
    ),
  "WEBHOOK-CA-STALE: not where it is the CA that issued the certificate, alone": (w) => {
    const authority = certify({ commonName: "corporate", days: [-3650, 3650] });
    const dns = ["admission.engine.svc"];
    const served = certify({ commonName: "x", dns, days: [-3650, 3650] }, authority);
    w.set(tls, "data", { cert: base64(served.cert), privateKey: base64(served.key) });
    w.set(webhook, `${entry}.clientConfig.caBundle`, base64(authority.cert));
  },
  "WEBHOOK-CA-STALE: not where it is the root of an intermediate that is served along": (w) => {
    const { root, middle, leaf } = aChain();
    serve(w, leaf, `${leaf.cert}${middle.cert}`);
    w.set(webhook, `${entry}.clientConfig.caBundle`, base64(root.cert));
  },
  "WEBHOOK-CA-STALE: the root of an intermediate that is not served along": (w) => {
    const { root, leaf } = aChain();
    serve(w, leaf, leaf.cert);
    w.set(webhook, `${entry}.clientConfig.caBundle`, base64(root.cert));
  },
  "WEBHOOK-CA-STALE: not where a CA that has expired stands before the one that issued it": (w) => {
    const { root, middle, leaf } = aChain();
    serve(w, leaf, `${leaf.cert}${middle.cert}`);
    const over = certify({ commonName: "corporate 2015", days: [-7300, -3650] });
    w.set(webhook, `${entry}.clientConfig.caBundle`, base64(`${over.cert}${root.cert}`));
  },
  "WEBHOOK-CA-STALE: the CA that issued it has expired beside a good one": (w) => {
    const over = certify({ commonName: "corporate 2015", days: [-7300, -3650] });
    const leaf = certify({ commonName: "x", dns: servedFor, days: [-3650, 3650] }, over);
    serve(w, leaf, leaf.cert);
    const good = certify({ commonName: "corporate", days: [-3650, 3650] });
    w.set(webhook, `${entry}.clientConfig.caBundle`, base64(`${over.cert}${good.cert}`));
  },
  "WEBHOOK-CA-STALE: no Secret to compare with": (w) => w.remove(tls),
  "WEBHOOK-CA-INJECTED: not where cert-manager writes the CA of the pair that it has issued": (
    w,
  ) => {
    issued(w);
    injected(w, "cert-manager.io/inject-ca-from", "engine/admission-tls");
  },
  "WEBHOOK-CA-INJECTED: not that of a Secret that holds the pair": (w) =>
    injected(w, "cert-manager.io/inject-ca-from-secret", "engine/admission-tls"),
  "SECRET-CA: cert-manager writes a CA that did not issue the pair beside it": (w) => {
    issued(w);
    injected(w, "cert-manager.io/inject-ca-from", "engine/admission-tls");
    w.set(tls, "data", { ...(w.find(tls)["data"] as object), "ca.crt": base64(otherPem) });
    w.set(webhook, `${entry}.clientConfig.caBundle`, base64(otherPem));
  },
  "WEBHOOK-CA-INJECTED: cert-manager writes another CA": (w) => {
    injected(w, "cert-manager.io/inject-ca-from", "engine/serving");
    w.set(webhook, `${entry}.clientConfig.caBundle`, base64(otherPem));
  },
  "WEBHOOK-CA-INJECTED: the API server's own": (w) => {
    injected(w, "cert-manager.io/inject-apiserver-ca", "true");
    w.set(webhook, `${entry}.clientConfig.caBundle`, base64(otherPem));
  },
  "WEBHOOK-CA-INJECTED: OpenShift has not written it yet": (w) => {
    injected(w, "service.beta.openshift.io/inject-cabundle", "true");
    w.set(webhook, `${entry}.clientConfig.caBundle`, "");
  },
  "WEBHOOK-CA-INJECTED: not where the annotation is off": (w) =>
    injected(w, "service.beta.openshift.io/inject-cabundle", "false"),
  "WEBHOOK-SELECTOR-MISSES: a managed namespace is left out": (w) =>
    w.set(webhook, `${entry}.namespaceSelector`, {
      matchLabels: { "kubernetes.io/metadata.name": "engine" },
    }),
  "WEBHOOK-SELECTOR-MISSES: by the label of OLM's group": (w) =>
    made(w, ofGroup).add(
      ...olmDefinitions.map(established),
      anOperatorGroup(["engine"], { uid: "g1" }),
    ),
  "WEBHOOK-SELECTOR-MISSES: a label of OLM's that was lost": (w) =>
    made(w, ofGroup).add(
      ...olmDefinitions.map(established),
      anOperatorGroup(["engine", "shop"], { uid: "g1" }),
    ),
  "WEBHOOK-SELECTOR-MISSES: a group of OLM's that is not there": (w) => made(w, ofGroup),
  "WEBHOOK-SELECTOR-MISSES: OLM's label in a configuration of a person's": (w) =>
    w.set(webhook, `${entry}.namespaceSelector`, ofGroup),
  "WEBHOOK-SELECTOR-MISSES: a namespace without labels is selected": (w) =>
    w.set("Namespace/shop", "metadata.labels", undefined),
  "WEBHOOK-SELECTOR-MISSES: a label that no database has": (w) =>
    w.set(webhook, `${entry}.objectSelector`, { matchLabels: { tier: "gold" } }),
  "WEBHOOK-SELECTOR-MISSES: a label that one database has": (w) =>
    w
      .set(webhook, `${entry}.objectSelector`, { matchLabels: { tier: "gold" } })
      .note(edb, "labels", { tier: "gold" }),
  "WEBHOOK-SELECTOR-MISSES: one entry by the namespace, the other by the label": (w) => {
    const here = { matchLabels: { "kubernetes.io/metadata.name": "engine" } };
    beside(w, { name: oldEntry, namespaceSelector: {}, objectSelector: here });
    w.set(webhook, "webhooks.1.namespaceSelector", here);
  },
  "WEBHOOK-SELECTOR-MISSES: conditions that ask what is edited, and by whom": (w) =>
    w.set(webhook, `${entry}.matchConditions`, [
      { name: "no-carts", expression: "object.metadata.name != 'carts'" },
      { name: "not-marked", expression: "!has(object.metadata.labels)" },
      { name: "not-gitops", expression: "request.userInfo.username != 'system:bot'" },
    ]),
  "WEBHOOK-SELECTOR-MISSES: conditions of a repository": (w) => {
    track(w);
    w.set(webhook, `${entry}.matchConditions`, [
      { name: "not-shop", expression: "request.namespace != 'shop'" },
    ]);
  },
  "WEBHOOK-SELECTOR-MISSES: not by conditions that ask what changes": (w) =>
    w.set(webhook, `${entry}.matchConditions`, [
      { name: "changes", expression: "object.spec.engineVersion != oldObject.spec.engineVersion" },
      { name: "lives", expression: "!has(object.metadata.deletionTimestamp)" },
    ]),
  "WEBHOOK-SELECTOR-MISSES: not a database of a namespace that is not in the list": (w) =>
    w.remove("Namespace/shop"),
  "WEBHOOK-LOSES-RULES: deletions are guarded too": (w) =>
    w.set(webhook, `${entry}.rules.0.operations`, ["CREATE", "UPDATE", "DELETE"]),
  "WEBHOOK-LOSES-RULES: deletions, ignored when the call fails": (w) =>
    w
      .set(webhook, `${entry}.rules.0.operations`, ["*"])
      .set(webhook, `${entry}.failurePolicy`, "Ignore"),
  "WEBHOOK-LOSES-RULES: a further resource": (w) =>
    w.set(webhook, `${entry}.rules.1`, {
      apiGroups: ["app.engine.com"],
      apiVersions: ["v1"],
      operations: ["UPDATE"],
      resources: ["engineenterpriseclusters"],
    }),
  "PROBE-NO-MATCH: a label that no namespace has": (w) =>
    w.set(webhook, `${entry}.namespaceSelector`, { matchLabels: { guarded: "yes" } }),
  "PROBE-NO-MATCH: a condition that is never true": (w) =>
    w.set(webhook, `${entry}.matchConditions`, [{ name: "off", expression: "false" }]),
  "PROBE-NO-MATCH: a namespace that is being deleted alone": (w) =>
    w
      .note("Namespace/other", "labels", { guarded: "yes" })
      .set("Namespace/other", "metadata.deletionTimestamp", "2026-08-01T00:00:00Z")
      .set(webhook, `${entry}.namespaceSelector`, { matchLabels: { guarded: "yes" } }),
  "PROBE-NO-MATCH: requirements on objects that contradict each other": (w) =>
    w.set(webhook, `${entry}.objectSelector`, {
      matchExpressions: [
        { key: "a", operator: "Exists" },
        { key: "a", operator: "DoesNotExist" },
      ],
    }),
  "PROBE-NO-MATCH: of the old one alone, which the new one takes over": (w) => {
    const one = oldOne(w);
    w.remove(webhook).add(one);
    w.set("ValidatingWebhookConfiguration/edb-admission", `${entry}.namespaceSelector`, {
      matchLabels: { guarded: "yes" },
    });
  },
  "PROBE-NO-MATCH: in a configuration that a chart owns": (w) =>
    w
      .note(webhook, "labels", { "app.kubernetes.io/managed-by": "Helm" })
      .set(webhook, `${entry}.namespaceSelector`, { matchLabels: { guarded: "yes" } }),
  "PROBE-NO-MATCH: not where one namespace has the label": (w) =>
    w
      .note("Namespace/shop", "labels", { guarded: "yes" })
      .set(webhook, `${entry}.namespaceSelector`, { matchLabels: { guarded: "yes" } }),
  "WEBHOOK-SCOPE-SHARED: another operator's databases": (w) => w.copy(ec, { namespace: "other" }),
  "WEBHOOK-SCOPE-SHARED: limited": (w) =>
    w.copy(ec, { namespace: "other" }).set(webhook, `${entry}.namespaceSelector`, {
      matchExpressions: [
        { key: "kubernetes.io/metadata.name", operator: "In", values: ["engine", "shop"] },
      ],
    }),
};

const otherPem = "-----BEGIN CERTIFICATE-----\nTm9uZQ==\n-----END CERTIFICATE-----\n";

function caOf(world: World): string {
  const { data } = world.find(tls) as { data: Record<string, string> };
  return data["cert"] ?? "";
}

const withCert = (pem: string) => (world: World) => {
  world
    .set(tls, "data.cert", base64(pem))
    .set(webhook, `${entry}.clientConfig.caBundle`, base64(pem));
};

/** Certificates of the certificate's own tests. */
export const certificateRows = (
  pems: Readonly<Record<string, readonly [cert: string, key: string]>>,
): Rows => {
  const pair = (name: string) => (world: World) => {
    const [cert, key] = pems[name] ?? ["", ""];
    withCert(cert)(world);
    world.set(tls, "data.privateKey", base64(key));
  };
  return {
    "SECRET-MISSING: none": (w) => w.remove(tls),
    "SECRET-MISSING: OLM serves with a pair of its own": (w) => made(w).remove(tls),
    "SECRET-MISSING: no configuration, but a Service": (w) => w.remove(tls, webhook),
    "SECRET-MISSING: no admission controller at all": (w) =>
      w.remove(tls, webhook, "Service/engine/admission"),
    "SECRET-TYPE: a type of its own": (w) => w.set(tls, "type", "vendor.example/pair"),
    "SECRET-ITEMS: three items": (w) => w.set(tls, "data.more", "eA=="),
    "SECRET-NO-CERT: another name": (w) =>
      w.set(tls, "data", { "tls.crt": "eA==", privateKey: "eA==" }),
    "SECRET-NOT-PEM: encoded twice": (w) => w.set(tls, "data.cert", base64(caOf(w))),
    "SECRET-PRIVATE-KEY-IN-CERT: the key too": (w) => {
      const { data } = w.find(tls) as { data: Record<string, string> };
      const plain = (item: string) => Buffer.from(data[item] ?? "", "base64").toString();
      w.set(tls, "data.cert", base64(plain("cert") + plain("privateKey")));
    },
    "CERT-REFUSED: for clients only": (w) => {
      const [row] = readGoVerdicts().rows.filter(({ title }) => title === "for clients only");
      withCert(row?.served ?? "")(w);
    },
    "CERT-SAN: another name": pair("elsewhere"),
    "CERT-EXPIRED: past": pair("expired"),
    "CERT-EXPIRED: past, kept by an ExternalSecret": (w) => {
      pair("expired")(w);
      w.set(tls, "metadata.ownerReferences", [
        {
          ...{ apiVersion: "external-secrets.io/v1", kind: "ExternalSecret", name: "admission" },
          ...{ uid: "e1", controller: true },
        },
      ]);
    },
    "CERT-NOT-YET-VALID: to come": pair("early"),
    "CERT-KEY-MISMATCH: another key": (w) =>
      w.set(tls, "data.privateKey", base64(pems["elsewhere"]?.[1] ?? "")),
    "CERT-EXPIRES-SOON: next week": pair("soon"),
    "CERT-WEAK: a short key": pair("weak"),
    "CERT-CHAIN: three strangers": (w) => {
      const cert = Buffer.from(caOf(w), "base64").toString();
      withCert(cert + (pems["elsewhere"]?.[0] ?? "") + (pems["soon"]?.[0] ?? ""))(w);
    },
  };
};

const label = (world: World, value: string): World =>
  world.set(settings, "data", { EDB_NAMESPACES_LABEL: value });
const consumerRole = "engine-enterprise-operator-consumer-ns";
const withLabelRole = (
  world: World,
  verbs: readonly string[] = ["list", "watch"],
  namespace = "engine",
): World =>
  world.add(
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: consumerRole },
      rules: [{ apiGroups: [""], resources: ["namespaces"], verbs }],
    },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: consumerRole },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: consumerRole },
      subjects: [account("engine-enterprise-operator", namespace)],
    },
  );
/** The documented variant: no Roles, and a ClusterRole that every RoleBinding is for. */
const byClusterRole = (
  world: World,
  change: (rules: readonly object[]) => readonly object[] = (rules) => rules,
): World => {
  const { rules } = world.find(role) as { rules: object[] };
  return world
    .add({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "all-databases" },
      rules: change(rules),
    })
    .set(binding, "roleRef.kind", "ClusterRole")
    .set(binding, "roleRef.name", "all-databases")
    .remove(role);
};
const account = (name: string, namespace = "engine") => ({
  kind: "ServiceAccount",
  name,
  namespace,
});

/** Without a release the roles are those of the operator that runs. */
const ofTheTool = (world: World, tag: string): World => {
  const { rbac } = world.target;
  world.target = { ...world.target, ...(rbac && { rbac: { ...rbac, shipped: true } }) };
  for (const at of [0, 1]) {
    world.set(deployment, `spec.template.spec.containers.${at}.image`, `engine/operator:${tag}`);
  }
  return world;
};

export const rbacRows: Rows = {
  "RBAC-TEMPLATE: files of something else": (w) => {
    w.target = { ...w.target, rbac: { documents: [], source: "files" } };
  },
  "RBAC-ROLE-ABSENT: no Role": (w) => w.remove(role),
  "RBAC-BINDING-ABSENT: no RoleBinding": (w) => w.remove(binding),
  "RBAC-PLACEHOLDER: applied as it is": (w) =>
    w.set(binding, "subjects", [
      account("engine-enterprise-operator", "NAMESPACE_OF_SERVICE_ACCOUNT"),
    ]),
  "RBAC-SUBJECTS: the cluster's account is missing": (w) =>
    w.set(binding, "subjects", [account("engine-enterprise-operator")]),
  "RBAC-SUBJECTS: both accounts by the group of their namespace": (w) =>
    w.set(binding, "subjects", [{ kind: "Group", name: "system:serviceaccounts:engine" }]),
  "RBAC-SUBJECTS: one account as a user, the other in no group": (w) =>
    w
      .set(binding, "subjects", [
        { kind: "User", name: "system:serviceaccount:engine:engine-enterprise-operator" },
        { kind: "Group", name: "system:serviceaccounts:elsewhere" },
      ])
      .copy("Namespace/shop", { name: "elsewhere" }),
  "RBAC-ROLE-REF: another role": (w) => w.set(binding, "roleRef.name", "theirs"),
  "RBAC-ROLE-REF: another role that gives as much": (w) =>
    w.copy(role, { name: "theirs" }).set(binding, "roleRef.name", "theirs"),
  "RBAC-ROLE-REF: a ClusterRole that is not there": (w) =>
    w.set(binding, "roleRef", {
      apiGroup: "rbac.authorization.k8s.io",
      kind: "ClusterRole",
      name: "theirs",
    }),
  "RBAC-ROLE-BEHIND: a rule is missing": (w) => {
    const { rules } = w.find(role) as { rules: object[] };
    w.set(role, "rules", rules.slice(1));
  },
  "RBAC-ROLE-ABSENT: one ClusterRole gives the access": (w) => byClusterRole(w),
  "RBAC-ROLE-REF: one ClusterRole gives the access": (w) => byClusterRole(w),
  "RBAC-ROLE-REF: a ClusterRole that gives no right on databases": (w) =>
    byClusterRole(w, (rules) => rules.slice(1)),
  "RBAC-ROLE-BEHIND: a rule is missing in the ClusterRole of two namespaces": (w) => {
    byClusterRole(w, (rules) => rules.slice(0, -1))
      .copy(binding, { namespace: "other" })
      .set(settings, "data", { EDB_NAMESPACES: "shop,other" });
  },
  "RBAC-AGGREGATED: a rule is missing in a ClusterRole that is made of others": (w) =>
    byClusterRole(w, (rules) => rules.slice(0, -1)).set(
      "ClusterRole/all-databases",
      "aggregationRule",
      { clusterRoleSelectors: [{ matchLabels: { "engine.io/part": "x" } }] },
    ),
  "RBAC-AGGREGATED: a ClusterRole that is made of others by expressions": (w) =>
    byClusterRole(w, (rules) => rules.slice(0, -1)).set(
      "ClusterRole/all-databases",
      "aggregationRule",
      { clusterRoleSelectors: [{ matchExpressions: [{ key: "a", operator: "Exists" }] }] },
    ),
  "RBAC-AGGREGATED: one that is made of others and has all and more": (w) =>
    byClusterRole(w, (rules) => [
      ...rules,
      { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] },
      { apiGroups: [""], resources: ["endpoints"], verbs: ["get"] },
    ]).set("ClusterRole/all-databases", "aggregationRule", { clusterRoleSelectors: [{}] }),
  "RBAC-ROLE-BEYOND: a rule more": (w) => {
    const { rules } = w.find(role) as { rules: object[] };
    rules.push({ apiGroups: [""], resources: ["endpoints"], verbs: ["get"] });
  },
  "RBAC-LOCAL: a rule that no release had": (w) => {
    const { rules } = w.find(role) as { rules: object[] };
    rules.push({ apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] });
  },
  "RBAC-LOCAL: a subject that no release had": (w) => {
    const { subjects } = w.find(binding) as { subjects: object[] };
    subjects.push({ kind: "User", name: "alice" });
  },
  "RBAC-ROLE-BEHIND: the role of an older operator that still runs": (w) => {
    ofTheTool(w, "7.22.0-7").set(role, "rules", findLine("7.8.6-1", defaultNames)?.rules);
  },
  "RBAC-ROLE-BEHIND: the role of the operator that runs": (w) => {
    ofTheTool(w, "7.8.6-1").set(role, "rules", findLine("7.8.6-1", defaultNames)?.rules);
  },
  "RBAC-ROLE-BEYOND: an operator whose role is not known": (w) => ofTheTool(w, "6.4.2-4"),
  "RBAC-OTHER-OPERATOR: bound as well": (w) => {
    const { subjects } = w.find(binding) as { subjects: object[] };
    subjects.push(account("engine-enterprise-operator", "elsewhere"));
    w.copy("Namespace/shop", { name: "elsewhere" });
  },
  "RBAC-SUBJECTS-GONE: another operator's, whose namespace is gone": (w) => {
    const { subjects } = w.find(binding) as { subjects: object[] };
    subjects.push(account("engine-enterprise-operator", "elsewhere"), account("ec", "elsewhere"));
  },
  "RBAC-SUBJECTS-GONE: the group of a namespace that is gone": (w) => {
    const { subjects } = w.find(binding) as { subjects: object[] };
    subjects.push({ kind: "Group", name: "system:serviceaccounts:elsewhere", apiGroup: "x" });
  },
  "RBAC-OWNED: a repository's": (w) =>
    w.note(role, "labels", { ...names, "argocd.argoproj.io/instance": "x" }),
  "RBAC-OWN-ROLE-ABSENT: neither": (w) =>
    w.remove(
      "Role/engine/engine-enterprise-operator",
      "RoleBinding/engine/engine-enterprise-operator",
    ),
  "RBAC-OWN-ROLE-ABSENT: OLM has others": (w) =>
    w
      .note(deployment, "labels", { "olm.owner": "engine-enterprise-operator.v8.0.2-2" })
      .copy("Role/engine/engine-enterprise-operator", { name: "operator.v8-5d8f" })
      .copy("RoleBinding/engine/engine-enterprise-operator", { name: "operator.v8-5d8f" })
      .set("RoleBinding/engine/operator.v8-5d8f", "roleRef.name", "operator.v8-5d8f")
      .set(deployment, "spec.template.spec.serviceAccountName", undefined)
      .remove(
        "Role/engine/engine-enterprise-operator",
        "RoleBinding/engine/engine-enterprise-operator",
      ),
  "RBAC-OWN-ROLE-ABSENT: a binding of OLM's to a Role that is gone": (w) =>
    w
      .note(deployment, "labels", { "olm.owner": "engine-enterprise-operator.v8.0.2-2" })
      .set("RoleBinding/engine/engine-enterprise-operator", "roleRef.name", "gone")
      .remove("Role/engine/engine-enterprise-operator"),
  "RBAC-OWN-ROLE-ABSENT: no operator either": (w) =>
    w.remove(deployment, "Role/engine/engine-enterprise-operator"),
  "RBAC-OWN-BINDING: the account of another namespace": (w) =>
    w.set(ownBinding, "subjects", [account("engine-enterprise-operator", "default")]),
  "RBAC-OWN-BINDING: no subject": (w) => w.set(ownBinding, "subjects", undefined),
  "RBAC-OWN-BINDING: another Role": (w) => w.set(ownBinding, "roleRef.name", "theirs"),
  "RBAC-OWN-BINDING: a subject without a namespace is of the binding's": (w) =>
    w.set(ownBinding, "subjects", [{ kind: "ServiceAccount", name: "engine-enterprise-operator" }]),
  "RBAC-OWN-BINDING: another binding gives the Role": (w) =>
    w.copy(ownBinding, { name: "mine" }).set(ownBinding, "subjects", undefined),
  "RBAC-OWN-BINDING: the group of the namespace's accounts": (w) =>
    w.set(ownBinding, "subjects", [{ kind: "Group", name: "system:serviceaccounts:engine" }]),
  "RBAC-CONFIGURATION-UNKNOWN: from a place that is not read": (w) =>
    w
      .set(deployment, "spec.template.spec.containers.0.env", [
        { name: "EDB_NAMESPACES", valueFrom: { secretKeyRef: {} } },
      ])
      .remove(edb),
  "RBAC-LIST-AND-LABEL: both": (w) => w.set(settings, "data.EDB_NAMESPACES_LABEL", "x=y"),
  "RBAC-SETTING-HIDDEN: an entry that says otherwise": (w) =>
    w
      .set(deployment, "spec.template.spec.containers.0.env", [
        { name: "EDB_NAMESPACES", value: "shop" },
      ])
      .set(settings, "data.EDB_NAMESPACES", "shop,more"),
  "RBAC-SETTING-HIDDEN: an entry that says the same": (w) =>
    w.set(deployment, "spec.template.spec.containers.0.env", [
      { name: "EDB_NAMESPACES", value: "shop" },
      { name: "EDB_NAMESPACES_LABEL" },
    ]),
  "RBAC-SETTING-UNUSED: the operator does not read it": (w) =>
    w.set(deployment, "spec.template.spec.containers.0.envFrom", undefined),
  "RBAC-SETTING-UNUSED: by single keys": (w) =>
    w
      .set(deployment, "spec.template.spec.containers.0.envFrom", undefined)
      .set(deployment, "spec.template.spec.containers.0.env", [
        {
          name: "EDB_NAMESPACES",
          valueFrom: {
            configMapKeyRef: { name: "operator-environment-config", key: "EDB_NAMESPACES" },
          },
        },
      ]),
  "RBAC-NAMESPACE-ABSENT: a name more": (w) => w.set(settings, "data.EDB_NAMESPACES", "shop,gone"),
  "RBAC-NAMESPACE-TERMINATING: by its phase": (w) =>
    w.set("Namespace/shop", "status.phase", "Terminating"),
  "RBAC-NAMESPACE-TERMINATING: by its time": (w) =>
    w.set("Namespace/shop", "metadata.deletionTimestamp", "2026-01-01T00:00:00Z"),
  "RBAC-NAMESPACE-LOST: no Role": (w) =>
    w.set("Namespace/shop", "metadata.deletionTimestamp", "2026-01-01T00:00:00Z").remove(role),
  "RBAC-NAMESPACE-LOST: no RoleBinding": (w) =>
    w.set("Namespace/shop", "metadata.deletionTimestamp", "2026-01-01T00:00:00Z").remove(binding),
  "RBAC-LABEL-VALUE: a value": (w) =>
    withLabelRole(label(w, "managed")).note("Namespace/shop", "labels", { managed: "yes" }),
  "RBAC-LABEL-VALUE: the value that is asked for": (w) =>
    withLabelRole(label(w, "managed=yes")).note("Namespace/shop", "labels", { managed: "yes" }),
  "RBAC-LABEL-NONE: nobody has it": (w) =>
    withLabelRole(label(w, "managed")).remove(edb, role, binding),
  "RBAC-LABEL-ROLE-ABSENT: no binding": (w) =>
    label(w, "managed").note("Namespace/shop", "labels", { managed: "" }),
  "RBAC-LABEL-ROLE-ABSENT: a verb is missing": (w) =>
    withLabelRole(label(w, "managed"), ["list"]).note("Namespace/shop", "labels", { managed: "" }),
  "RBAC-LABEL-ROLE-ABSENT: a binding for the account of another namespace": (w) =>
    withLabelRole(label(w, "managed"), ["list", "watch"], "default").note(
      "Namespace/shop",
      "labels",
      { managed: "" },
    ),
  "RBAC-MANAGED-HAS-CLUSTER: another operator's": (w) => w.copy(ec, { namespace: "shop" }),
  "RBAC-STALE: left behind": (w) =>
    w.copy(binding, { namespace: "other" }).copy(role, { namespace: "other" }),
  "RBAC-STALE: what is managed is not known": (w) =>
    w
      .copy(binding, { namespace: "other" })
      .set(deployment, "spec.template.spec.containers.0.env", [
        { name: "EDB_NAMESPACES", valueFrom: {} },
      ])
      .remove(edb),
  "RBAC-STALE-SHARED: left behind, and for others": (w) => {
    w.copy(binding, { namespace: "other" });
    const { subjects } = w.find("RoleBinding/other/edb-role") as { subjects: object[] };
    subjects.push(account("jane", "other"));
  },
};

const bound = (
  world: World,
  name = "engine-enterprise-scc-v2",
  subject: object = account("ec"),
): World => {
  const made = `system:openshift:scc:${name}`;
  return world.add(
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: made },
      rules: [useOf(name)],
    },
    aBinding(made, { kind: "ClusterRole", name: made }, [subject]),
  );
};
const current = aConstraint("engine-enterprise-scc-v2", { users: ["zoe"] });
const adjusts = (world: World): World =>
  world.set(ec, "spec.securityContext", { resourceLimits: { allowAutoAdjustment: true } });
const privileged = (world: World): World => {
  for (const at of [0, 1]) {
    world.set(deployment, `spec.template.spec.containers.${at}.image`, "engine/operator:7.8.2-6");
  }
  for (const pod of [0, 1, 2]) {
    world.set(`Pod/engine/ec-${pod}`, "spec.containers.0.image", "engine/engine:7.8.2-34");
  }
  return world.set(ec, "spec.engineEnterpriseImageSpec.versionTag", "7.8.2-34");
};

/** A pod of the EC that was admitted by a constraint. */
const under = (world: World, scc = "engine-enterprise-scc-v2", pod = "ec-0"): World =>
  world.note(`Pod/engine/${pod}`, "annotations", { "openshift.io/scc": scc });

export const sccRows: Rows = {
  "SCC-ADJUSTMENT-UNMET: no constraint": onOpenShift(adjusts),
  "SCC-ADJUSTMENT-UNMET: not bound": onOpenShift((w) => adjusts(w).add(current)),
  "SCC-ADJUSTMENT-UNMET: bound": onOpenShift((w) => bound(adjusts(w).add(current))),
  "SCC-ADJUSTMENT-UNMET: bound by a group": onOpenShift((w) =>
    bound(adjusts(w).add(current), undefined, { kind: "Group", name: "system:serviceaccounts" }),
  ),
  "SCC-ADJUSTMENT-UNMET: one of its users": onOpenShift((w) =>
    adjusts(w).add(
      aConstraint("engine-enterprise-scc-v2", { users: ["system:serviceaccount:engine:ec"] }),
    ),
  ),
  "SCC-ADJUSTMENT-UNMET: no OpenShift": adjusts,
  "SCC-PRIVILEGED-UNMET: before 7.22.0-6 without any": onOpenShift(privileged),
  "SCC-PRIVILEGED-UNMET: before 7.22.0-6, and upgraded": onOpenShift((w) =>
    privileged(w).wants("8.0.2-2"),
  ),
  "SCC-PRIVILEGED-UNMET: bound": onOpenShift((w) => bound(privileged(w).add(current))),
  "SCC-STILL-BOUND: unprivileged and bound": onOpenShift((w) => bound(w.add(current))),
  "SCC-STILL-BOUND: an EC that adjusts": onOpenShift((w) => bound(adjusts(w).add(current))),
  "SCC-LEFT: nobody uses it": onOpenShift((w) => w.add(aConstraint("engine-enterprise-scc-v2"))),
  "SCC-LEFT: someone uses it": onOpenShift((w) => w.add(current)),
  "SCC-WAY-GROUP: a group of the constraint": onOpenShift((w) =>
    w.add(aConstraint("engine-enterprise-scc-v2", { groups: ["system:authenticated"] })),
  ),
  "SCC-WAY-ROLE: a wildcard": onOpenShift((w) =>
    w
      .add(current)
      .add({
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        metadata: { name: "all" },
        rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }],
      })
      .add(aBinding("all", { kind: "ClusterRole", name: "all" }, [account("ec")])),
  ),
  "SCC-ROLE-LEFT: the role of a grant": onOpenShift((w) =>
    w.add({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "system:openshift:scc:engine-enterprise-scc-v2" },
      rules: [useOf("engine-enterprise-scc-v2")],
    }),
  ),
  "SCC-POD-RUNNING: not recreated": onOpenShift((w) => bound(under(w.add(current)))),
  "SCC-POD-RUNNING: it uses what the constraint gives": onOpenShift((w) =>
    bound(
      under(w.add({ ...current, priority: 20 })).set("Pod/engine/ec-0", "spec.hostNetwork", true),
    ),
  ),
  "SCC-REQUIRED: the template asks by annotation, and its pods run under it": onOpenShift((w) =>
    bound(under(w.add(current))).set(
      "StatefulSet/engine/ec",
      "spec.template.metadata.annotations",
      {
        "openshift.io/required-scc": "engine-enterprise-scc-v2",
      },
    ),
  ),
  "SCC-POD-LEFT: by the constraint's priority": onOpenShift((w) =>
    bound(under(w.add({ ...current, priority: 20 }))),
  ),
  "SCC-POD-LEFT: the account is out": onOpenShift((w) => under(w.add(current))),
  "SCC-POD-OTHERS: a constraint with a higher priority": onOpenShift((w) =>
    under(under(w, "vendor-agent"), "vendor-agent", "ec-1").add({
      ...aConstraint("vendor-agent", { users: ["system:serviceaccount:engine:ec"] }),
      priority: 20,
    }),
  ),
  "SCC-POD-OTHERS: one that is gone": onOpenShift((w) => under(w, "anyuid")),
  "SCC-POD-OTHERS: an EC that needs a constraint": onOpenShift((w) =>
    bound(under(privileged(w), "anyuid").add(current)),
  ),
  "SCC-POD-OTHERS: OpenShift's own": onOpenShift((w) => under(w, "nonroot-v2")),
  "SCC-STILL-BOUND: the group of the namespace": onOpenShift((w) =>
    w.add(aConstraint("engine-enterprise-scc-v2", { groups: ["system:serviceaccounts:engine"] })),
  ),
  "SCC-STILL-BOUND: the operator's own account": onOpenShift((w) =>
    w.add(
      aConstraint("engine-enterprise-scc-v2", {
        users: ["system:serviceaccount:engine:engine-enterprise-operator"],
      }),
    ),
  ),
  "SCC-OLDER-LEFT: still there": onOpenShift((w) => w.add(aConstraint("engine-enterprise-scc"))),
  "SCC-OLDER-LEFT: an EC that needs it": onOpenShift((w) => {
    for (const at of [0, 1]) {
      w.set(deployment, `spec.template.spec.containers.${at}.image`, "engine/operator:6.4.2-5");
    }
    bound(w.add(aConstraint("engine-enterprise-scc")), "engine-enterprise-scc");
  }),
  "SCC-OLDER-LEFT: no EC": onOpenShift((w) =>
    w
      .add(aConstraint("engine-enterprise-scc"))
      .remove(ec, edb, eaadb, "EngineEnterpriseDatabase/engine/config"),
  ),
  "SCC-FSGROUP: a malformed range": onOpenShift((w) =>
    w.add({ ...current, fsGroup: { type: "MustRunAs", ranges: [{ min: 1001 }, "1001"] } }),
  ),
  "SCC-FSGROUP: a whole range": onOpenShift((w) =>
    w.add({ ...current, fsGroup: { type: "MustRunAs", ranges: [{ min: 1001, max: 1001 }] } }),
  ),
  "SCC-UNPRIVILEGED: the rule is missing": onOpenShift((w) => {
    const { rules } = w.find("Role/engine/engine-enterprise-operator") as { rules: object[] };
    rules.pop();
  }),
  "SCC-UNPRIVILEGED: an older operator": onOpenShift((w) => {
    const { rules } = w.find("Role/engine/engine-enterprise-operator") as { rules: object[] };
    rules.pop();
    bound(privileged(w).add(current));
  }),
  "SCC-UNPRIVILEGED: no Role": onOpenShift((w) =>
    w.remove("Role/engine/engine-enterprise-operator"),
  ),
};
