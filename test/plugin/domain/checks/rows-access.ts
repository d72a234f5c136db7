/** The webhook, its certificate, RBAC and the constraints. */
import {
  binding,
  deployment,
  eaadb,
  ec,
  edb,
  old,
  olderScc,
  role,
  scc,
  settings,
  tls,
  webhook,
} from "./labels";
import { fires, quiet, type Row } from "./row";
import { aBinding, aConstraint, base64, useOf, type World } from "./world";
import { defaultNames } from "../../../../plugin/domain/names";
import type { KubeObject } from "../../../../plugin/domain/objects";
import { lineOf } from "../../../../plugin/domain/rbac/lines";

const entry = "webhooks.0";
const names = { app: "engine-enterprise" };

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

export const webhookRows: readonly Row[] = [
  fires("WEBHOOK-ABSENT", "none", noWebhook)(webhook),
  fires("WEBHOOK-OLD", "the only one", (w) => {
    const one = oldOne(w);
    w.remove(webhook).add(one);
  })(old),
  fires("WEBHOOK-OLD", "beside the new one", (w) => w.add(oldOne(w)))(old),
  fires("WEBHOOK-OLD-HAS-OTHERS", "an entry of someone", (w) =>
    w.add(oldOne(w, [{ name: "their.own.entry", clientConfig: {} }])),
  )(old, { also: ["WEBHOOK-OLD"] }),
  fires("WEBHOOK-ENTRY-ABSENT", "another name", (w) => w.set(webhook, `${entry}.name`, "x.y.z"))(
    webhook,
  ),
  fires("WEBHOOK-ENTRY-ABSENT", "no entry", (w) => w.set(webhook, "webhooks", []))(webhook),
  fires("WEBHOOK-PLACEHOLDER", "as the template has it", (w) => served(w, "OPERATOR_NAMESPACE"))(
    webhook,
  ),
  fires("WEBHOOK-NAMESPACE-GONE", "a namespace that was deleted", (w) => served(w, "gone"))(
    webhook,
  ),
  quiet(
    "WEBHOOK-NAMESPACE-GONE",
    "a URL",
    (w) =>
      w
        .set(webhook, `${entry}.clientConfig.service`, undefined)
        .set(webhook, `${entry}.clientConfig.url`, "https://x"),
    { also: ["WEBHOOK-DIFFERS"] },
  ),
  fires("WEBHOOK-SERVICE-MISSING", "no Service", (w) => w.remove("Service/engine/admission"))(
    "Service/engine/admission",
  ),
  fires("WEBHOOK-NO-ENDPOINTS", "none is ready", (w) =>
    w.set("EndpointSlice/engine/admission-1", "endpoints", []),
  )("Service/engine/admission"),
  fires("WEBHOOK-SERVICE-PORT", "another port", (w) =>
    w.set("Service/engine/admission", "spec.ports", [{ port: 8443 }]),
  )("Service/engine/admission"),
  fires("WEBHOOK-SERVICE-PORT", "the usual port is meant", (w) =>
    w
      .set("Service/engine/admission", "spec.ports", [{ port: 8443 }])
      .set(webhook, `${entry}.clientConfig.service.port`, undefined),
  )("Service/engine/admission"),
  fires("WEBHOOK-RULES-BEHIND", "databases only", (w) =>
    w.set(webhook, `${entry}.rules.0.resources`, ["engineenterprisedatabases"]),
  )(webhook),
  fires("WEBHOOK-DIFFERS", "another match policy", (w) =>
    w.set(webhook, `${entry}.matchPolicy`, "Equivalent"),
  )(webhook),
  fires("WEBHOOK-DIFFERS", "a label", (w) => w.set(webhook, "metadata.labels", {}))(webhook),
  quiet(
    "WEBHOOK-DIFFERS",
    "the old one alone",
    (w) => {
      const one = oldOne(w);
      w.remove(webhook).add(one);
    },
    { also: ["WEBHOOK-OLD"] },
  ),
  fires("WEBHOOK-FAILURE-POLICY", "lenient", (w) =>
    w.set(webhook, `${entry}.failurePolicy`, "Ignore"),
  )(webhook),
  fires("WEBHOOK-KEPT", "another time limit", (w) => w.set(webhook, `${entry}.timeoutSeconds`, 20))(
    webhook,
  ),
  fires("WEBHOOK-OTHER-NAMESPACE", "another operator's", (w) => served(w, "other"))(webhook),
  fires("WEBHOOK-OTHER-CONFIGURATION", "the same entry again", (w) =>
    w.copy(webhook, { name: "copy" }),
  )("ValidatingWebhookConfiguration/copy"),
  fires(
    "WEBHOOK-TEMPLATE-OLDER",
    "no configuration, and a release later than all that are known",
    (w) => {
      noWebhook(w);
      w.target = { ...w.target, operatorVersion: "99.0.0-1", shippedWebhook: true };
    },
  )(webhook, { also: ["PLATFORM-UNKNOWN", "RELEASE-PAIR-UNKNOWN", "WEBHOOK-ABSENT"] }),
  quiet(
    "WEBHOOK-TEMPLATE-OLDER",
    "the template of the release",
    (w) => {
      noWebhook(w);
      w.target = { ...w.target, operatorVersion: "99.0.0-1", shippedWebhook: false };
    },
    { also: ["PLATFORM-UNKNOWN", "RELEASE-PAIR-UNKNOWN", "WEBHOOK-ABSENT"] },
  ),
  fires("WEBHOOK-OWNED", "a chart's", (w) =>
    w.note(webhook, "labels", { "app.kubernetes.io/managed-by": "Helm" }),
  )(webhook),
  fires("WEBHOOK-CA-EMPTY", "empty", (w) => w.set(webhook, `${entry}.clientConfig.caBundle`, ""))(
    webhook,
  ),
  fires("WEBHOOK-CA-ENCODED-TWICE", "twice", (w) =>
    w.set(webhook, `${entry}.clientConfig.caBundle`, base64(caOf(w))),
  )(webhook),
  fires("WEBHOOK-CA-NO-CERTIFICATE", "something else", (w) =>
    w.set(webhook, `${entry}.clientConfig.caBundle`, base64("nonsense")),
  )(webhook),
  fires("WEBHOOK-CA-STALE", "another certificate", (w) =>
    w.set(webhook, `${entry}.clientConfig.caBundle`, base64(otherPem)),
  )(webhook),
  quiet("WEBHOOK-CA-STALE", "the old one beside the new one", (w) =>
    w.set(
      webhook,
      `${entry}.clientConfig.caBundle`,
      base64(`${otherPem}\n${Buffer.from(caOf(w), "base64").toString()}`),
    ),
  ),
  quiet("WEBHOOK-CA-STALE", "no Secret to compare with", (w) => w.remove(tls), {
    also: ["SECRET-MISSING"],
  }),
  fires("WEBHOOK-SELECTOR-MISSES", "a managed namespace is left out", (w) =>
    w.set(webhook, `${entry}.namespaceSelector`, {
      matchLabels: { "kubernetes.io/metadata.name": "engine" },
    }),
  )("Namespace/shop", { also: ["WEBHOOK-KEPT"] }),
  quiet("WEBHOOK-SELECTOR-MISSES", "a namespace without labels is selected", (w) =>
    w.set("Namespace/shop", "metadata.labels", undefined),
  ),
  fires("WEBHOOK-SCOPE-SHARED", "another operator's databases", (w) =>
    w.copy(ec, { namespace: "other" }),
  )(webhook, { also: ["DEFINITION-SHARED"] }),
  quiet(
    "WEBHOOK-SCOPE-SHARED",
    "limited",
    (w) =>
      w.copy(ec, { namespace: "other" }).set(webhook, `${entry}.namespaceSelector`, {
        matchExpressions: [
          { key: "kubernetes.io/metadata.name", operator: "In", values: ["engine", "shop"] },
        ],
      }),
    { also: ["DEFINITION-SHARED", "WEBHOOK-KEPT"] },
  ),
];

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
): readonly Row[] => {
  const pair = (name: string) => (world: World) => {
    const [cert, key] = pems[name] ?? ["", ""];
    withCert(cert)(world);
    world.set(tls, "data.privateKey", base64(key));
  };
  return [
    fires("SECRET-MISSING", "none", (w) => w.remove(tls))(tls),
    fires("SECRET-MISSING", "no configuration, but a Service", (w) => w.remove(tls, webhook))(tls, {
      also: ["WEBHOOK-ABSENT"],
    }),
    quiet(
      "SECRET-MISSING",
      "no admission controller at all",
      (w) => w.remove(tls, webhook, "Service/engine/admission"),
      { also: ["WEBHOOK-ABSENT"] },
    ),
    fires("SECRET-TYPE", "a TLS Secret", (w) => w.set(tls, "type", "kubernetes.io/tls"))(tls),
    fires("SECRET-ITEMS", "three items", (w) => w.set(tls, "data.more", "eA=="))(tls),
    fires("SECRET-NO-CERT", "another name", (w) =>
      w.set(tls, "data", { "tls.crt": "eA==", privateKey: "eA==" }),
    )(tls),
    fires("SECRET-NOT-PEM", "encoded twice", (w) => w.set(tls, "data.cert", base64(caOf(w))))(tls),
    fires("SECRET-PRIVATE-KEY-IN-CERT", "the key too", (w) => {
      const { data } = w.find(tls) as { data: Record<string, string> };
      const plain = (item: string) => Buffer.from(data[item] ?? "", "base64").toString();
      w.set(tls, "data.cert", base64(plain("cert") + plain("privateKey")));
    })(tls),
    fires("CERT-SAN", "another name", pair("elsewhere"))(tls),
    fires("CERT-EXPIRED", "past", pair("expired"))(tls),
    fires("CERT-NOT-YET-VALID", "to come", pair("early"))(tls),
    fires("CERT-KEY-MISMATCH", "another key", (w) =>
      w.set(tls, "data.privateKey", base64(pems["elsewhere"]?.[1] ?? "")),
    )(tls),
    fires("CERT-EXPIRES-SOON", "next week", pair("soon"))(tls),
    fires("CERT-WEAK", "a short key", pair("weak"))(tls),
    fires("CERT-CHAIN", "three strangers", (w) => {
      const cert = Buffer.from(caOf(w), "base64").toString();
      withCert(cert + (pems["elsewhere"]?.[0] ?? "") + (pems["soon"]?.[0] ?? ""))(w);
    })(tls),
  ];
};

const label = (world: World, value: string): World =>
  world.set(settings, "data", { EDB_NAMESPACES_LABEL: value });
const consumerRole = "engine-enterprise-operator-consumer-ns";
const withLabelRole = (world: World, verbs: readonly string[] = ["list", "watch"]): World =>
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
      subjects: [],
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

export const rbacRows: readonly Row[] = [
  fires("RBAC-TEMPLATE", "files of something else", (w) => {
    w.target = { ...w.target, rbac: { documents: [], source: "files" } };
  })(["", ""]),
  fires("RBAC-ROLE-ABSENT", "no Role", (w) => w.remove(role))(role),
  fires("RBAC-BINDING-ABSENT", "no RoleBinding", (w) => w.remove(binding))(binding),
  fires("RBAC-PLACEHOLDER", "applied as it is", (w) =>
    w.set(binding, "subjects", [
      account("engine-enterprise-operator", "NAMESPACE_OF_SERVICE_ACCOUNT"),
    ]),
  )(binding),
  fires("RBAC-SUBJECTS", "the cluster's account is missing", (w) =>
    w.set(binding, "subjects", [account("engine-enterprise-operator")]),
  )(binding),
  fires("RBAC-ROLE-REF", "another role", (w) => w.set(binding, "roleRef.name", "theirs"))(binding),
  fires("RBAC-ROLE-BEHIND", "a rule is missing", (w) => {
    const { rules } = w.find(role) as { rules: object[] };
    w.set(role, "rules", rules.slice(1));
  })(role),
  quiet("RBAC-ROLE-ABSENT", "one ClusterRole gives the access", (w) => byClusterRole(w)),
  quiet("RBAC-ROLE-REF", "one ClusterRole gives the access", (w) => byClusterRole(w)),
  fires("RBAC-ROLE-REF", "a ClusterRole that gives no right on databases", (w) =>
    byClusterRole(w, (rules) => rules.slice(1)),
  )(binding, { also: ["RBAC-ROLE-ABSENT"] }),
  fires("RBAC-ROLE-BEHIND", "a rule is missing in the ClusterRole of two namespaces", (w) => {
    byClusterRole(w, (rules) => rules.slice(0, -1))
      .copy(binding, { namespace: "other" })
      .set(settings, "data", { EDB_NAMESPACES: "shop,other" });
  })("ClusterRole/all-databases"),
  fires("RBAC-ROLE-BEYOND", "a rule more", (w) => {
    const { rules } = w.find(role) as { rules: object[] };
    rules.push({ apiGroups: [""], resources: ["endpoints"], verbs: ["get"] });
  })(role),
  fires("RBAC-LOCAL", "a rule that no release had", (w) => {
    const { rules } = w.find(role) as { rules: object[] };
    rules.push({ apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] });
  })(role),
  fires("RBAC-LOCAL", "a subject that no release had", (w) => {
    const { subjects } = w.find(binding) as { subjects: object[] };
    subjects.push({ kind: "User", name: "alice" });
  })(binding),
  fires("RBAC-ROLE-BEHIND", "the role of an older operator that still runs", (w) => {
    ofTheTool(w, "7.22.0-7").set(role, "rules", lineOf("7.8.6-1", defaultNames)?.rules);
  })(role, { also: ["ACTIVE-ACTIVE-OPERATOR", "CLUSTER-BEHIND-OPERATOR", "PLATFORM-EDGE"] }),
  quiet(
    "RBAC-ROLE-BEHIND",
    "the role of the operator that runs",
    (w) => {
      ofTheTool(w, "7.8.6-1").set(role, "rules", lineOf("7.8.6-1", defaultNames)?.rules);
    },
    { also: ["ACTIVE-ACTIVE-OPERATOR", "PLATFORM-UNKNOWN"] },
  ),
  quiet("RBAC-ROLE-BEYOND", "an operator whose role is not known", (w) => ofTheTool(w, "6.4.2-4"), {
    also: ["ACTIVE-ACTIVE-OPERATOR", "OPERATOR-TOO-OLD", "PLATFORM-UNKNOWN"],
  }),
  fires("RBAC-OTHER-OPERATOR", "bound as well", (w) => {
    const { subjects } = w.find(binding) as { subjects: object[] };
    subjects.push(account("engine-enterprise-operator", "elsewhere"));
  })(binding),
  fires("RBAC-OWNED", "a repository's", (w) =>
    w.note(role, "labels", { ...names, "argocd.argoproj.io/instance": "x" }),
  )(role),
  fires("RBAC-OWN-ROLE-ABSENT", "neither", (w) =>
    w.remove(
      "Role/engine/engine-enterprise-operator",
      "RoleBinding/engine/engine-enterprise-operator",
    ),
  )(["Role/engine/engine-enterprise-operator", "RoleBinding/engine/engine-enterprise-operator"]),
  quiet(
    "RBAC-OWN-ROLE-ABSENT",
    "no operator either",
    (w) => w.remove(deployment, "Role/engine/engine-enterprise-operator"),
    { also: ["OPERATOR-ABSENT"] },
  ),
  fires("RBAC-CONFIGURATION-UNKNOWN", "from a place that is not read", (w) =>
    w
      .set(deployment, "spec.template.spec.containers.0.env", [
        { name: "EDB_NAMESPACES", valueFrom: { secretKeyRef: {} } },
      ])
      .remove(edb),
  )(deployment),
  fires("RBAC-LIST-AND-LABEL", "both", (w) => w.set(settings, "data.EDB_NAMESPACES_LABEL", "x=y"))(
    settings,
  ),
  fires("RBAC-SETTING-HIDDEN", "an entry that says otherwise", (w) =>
    w
      .set(deployment, "spec.template.spec.containers.0.env", [
        { name: "EDB_NAMESPACES", value: "shop" },
      ])
      .set(settings, "data.EDB_NAMESPACES", "shop,more"),
  )(deployment),
  quiet("RBAC-SETTING-HIDDEN", "an entry that says the same", (w) =>
    w.set(deployment, "spec.template.spec.containers.0.env", [
      { name: "EDB_NAMESPACES", value: "shop" },
      { name: "EDB_NAMESPACES_LABEL" },
    ]),
  ),
  fires("RBAC-SETTING-UNUSED", "the operator does not read it", (w) =>
    w.set(deployment, "spec.template.spec.containers.0.envFrom", undefined),
  )(deployment),
  quiet("RBAC-SETTING-UNUSED", "by single keys", (w) =>
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
  ),
  fires("RBAC-NAMESPACE-ABSENT", "a name more", (w) =>
    w.set(settings, "data.EDB_NAMESPACES", "shop,gone"),
  )("Namespace/gone"),
  fires("RBAC-NAMESPACE-TERMINATING", "by its phase", (w) =>
    w.set("Namespace/shop", "status.phase", "Terminating"),
  )("Namespace/shop"),
  fires("RBAC-NAMESPACE-TERMINATING", "by its time", (w) =>
    w.set("Namespace/shop", "metadata.deletionTimestamp", "2026-01-01T00:00:00Z"),
  )("Namespace/shop"),
  fires("RBAC-LABEL-VALUE", "a value", (w) =>
    withLabelRole(label(w, "managed")).note("Namespace/shop", "labels", { managed: "yes" }),
  )("Namespace/shop"),
  quiet("RBAC-LABEL-VALUE", "the value that is asked for", (w) =>
    withLabelRole(label(w, "managed=yes")).note("Namespace/shop", "labels", { managed: "yes" }),
  ),
  fires("RBAC-LABEL-NONE", "nobody has it", (w) =>
    withLabelRole(label(w, "managed")).remove(edb, role, binding),
  )(""),
  fires("RBAC-LABEL-ROLE-ABSENT", "no binding", (w) =>
    label(w, "managed").note("Namespace/shop", "labels", { managed: "" }),
  )(`ClusterRoleBinding/${consumerRole}`),
  fires("RBAC-LABEL-ROLE-ABSENT", "a verb is missing", (w) =>
    withLabelRole(label(w, "managed"), ["list"]).note("Namespace/shop", "labels", { managed: "" }),
  )(`ClusterRoleBinding/${consumerRole}`),
  fires("RBAC-MANAGED-HAS-CLUSTER", "another operator's", (w) => w.copy(ec, { namespace: "shop" }))(
    "EngineEnterpriseCluster/shop/ec",
    { also: ["DEFINITION-SHARED", "WEBHOOK-SCOPE-SHARED"] },
  ),
  fires("RBAC-STALE", "left behind", (w) =>
    w.copy(binding, { namespace: "other" }).copy(role, { namespace: "other" }),
  )("RoleBinding/other/edb-role"),
  quiet(
    "RBAC-STALE",
    "what is managed is not known",
    (w) =>
      w
        .copy(binding, { namespace: "other" })
        .set(deployment, "spec.template.spec.containers.0.env", [
          { name: "EDB_NAMESPACES", valueFrom: {} },
        ])
        .remove(edb),
    { also: ["RBAC-CONFIGURATION-UNKNOWN"] },
  ),
  fires("RBAC-STALE-SHARED", "left behind, and for others", (w) => {
    w.copy(binding, { namespace: "other" });
    const { subjects } = w.find("RoleBinding/other/edb-role") as { subjects: object[] };
    subjects.push(account("jane", "other"));
  })("RoleBinding/other/edb-role"),
];

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
const onOpenShift = { openshift: true } as const;
const older = { also: ["ACTIVE-ACTIVE-OPERATOR", "PLATFORM-UNKNOWN"], openshift: true } as const;
const way = "RoleBinding/engine/system:openshift:scc:engine-enterprise-scc-v2";

export const sccRows: readonly Row[] = [
  fires("SCC-ADJUSTMENT-UNMET", "no constraint", adjusts)(ec, onOpenShift),
  fires("SCC-ADJUSTMENT-UNMET", "not bound", (w) => adjusts(w).add(current))(ec, onOpenShift),
  quiet("SCC-ADJUSTMENT-UNMET", "bound", (w) => bound(adjusts(w).add(current)), onOpenShift),
  quiet(
    "SCC-ADJUSTMENT-UNMET",
    "bound by a group",
    (w) =>
      bound(adjusts(w).add(current), undefined, { kind: "Group", name: "system:serviceaccounts" }),
    onOpenShift,
  ),
  quiet(
    "SCC-ADJUSTMENT-UNMET",
    "one of its users",
    (w) =>
      adjusts(w).add(
        aConstraint("engine-enterprise-scc-v2", { users: ["system:serviceaccount:engine:ec"] }),
      ),
    onOpenShift,
  ),
  quiet("SCC-ADJUSTMENT-UNMET", "no OpenShift", adjusts),
  fires("SCC-PRIVILEGED-UNMET", "before 7.22.0-6 without any", privileged)(ec, older),
  quiet(
    "SCC-PRIVILEGED-UNMET",
    "before 7.22.0-6, and upgraded",
    (w) => privileged(w).wants("8.0.2-2"),
    onOpenShift,
  ),
  quiet("SCC-PRIVILEGED-UNMET", "bound", (w) => bound(privileged(w).add(current)), older),
  fires("SCC-STILL-BOUND", "unprivileged and bound", (w) => bound(w.add(current)))(
    way,
    onOpenShift,
  ),
  quiet(
    "SCC-STILL-BOUND",
    "an EC that adjusts",
    (w) => bound(adjusts(w).add(current)),
    onOpenShift,
  ),
  fires("SCC-LEFT", "nobody uses it", (w) => w.add(aConstraint("engine-enterprise-scc-v2")))(
    scc,
    onOpenShift,
  ),
  quiet("SCC-LEFT", "someone uses it", (w) => w.add(current), onOpenShift),
  fires("SCC-WAY-GROUP", "a group of the constraint", (w) =>
    w.add(aConstraint("engine-enterprise-scc-v2", { groups: ["system:authenticated"] })),
  )(scc, onOpenShift),
  fires("SCC-WAY-ROLE", "a wildcard", (w) =>
    w
      .add(current)
      .add({
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        metadata: { name: "all" },
        rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }],
      })
      .add(aBinding("all", { kind: "ClusterRole", name: "all" }, [account("ec")])),
  )("RoleBinding/engine/all", onOpenShift),
  fires("SCC-ROLE-LEFT", "the role of a grant", (w) =>
    w.add({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "system:openshift:scc:engine-enterprise-scc-v2" },
      rules: [useOf("engine-enterprise-scc-v2")],
    }),
  )("ClusterRole/system:openshift:scc:engine-enterprise-scc-v2", onOpenShift),
  fires("SCC-POD-RUNNING", "not recreated", (w) =>
    w
      .add(current)
      .note("Pod/engine/ec-0", "annotations", { "openshift.io/scc": "engine-enterprise-scc-v2" }),
  )("Pod/engine/ec-0", onOpenShift),
  fires("SCC-OLDER-LEFT", "still there", (w) => w.add(aConstraint("engine-enterprise-scc")))(
    olderScc,
    onOpenShift,
  ),
  quiet(
    "SCC-OLDER-LEFT",
    "an EC that needs it",
    (w) => {
      for (const at of [0, 1]) {
        w.set(deployment, `spec.template.spec.containers.${at}.image`, "engine/operator:6.4.2-5");
      }
      bound(w.add(aConstraint("engine-enterprise-scc")), "engine-enterprise-scc");
    },
    { openshift: true, also: [...older.also, "OPERATOR-TOO-OLD"] },
  ),
  quiet(
    "SCC-OLDER-LEFT",
    "no EC",
    (w) =>
      w
        .add(aConstraint("engine-enterprise-scc"))
        .remove(ec, edb, eaadb, "EngineEnterpriseDatabase/engine/config"),
    { openshift: true, also: ["CLUSTER-NONE"] },
  ),
  fires("SCC-FSGROUP", "a malformed range", (w) =>
    w.add({ ...current, fsGroup: { type: "MustRunAs", ranges: [{ min: 1001 }, "1001"] } }),
  )(scc, onOpenShift),
  quiet(
    "SCC-FSGROUP",
    "a whole range",
    (w) =>
      w.add({ ...current, fsGroup: { type: "MustRunAs", ranges: [{ min: 1001, max: 1001 }] } }),
    onOpenShift,
  ),
  fires("SCC-UNPRIVILEGED", "the rule is missing", (w) => {
    const { rules } = w.find("Role/engine/engine-enterprise-operator") as { rules: object[] };
    rules.pop();
  })("Role/engine/engine-enterprise-operator", onOpenShift),
  quiet(
    "SCC-UNPRIVILEGED",
    "an older operator",
    (w) => {
      const { rules } = w.find("Role/engine/engine-enterprise-operator") as { rules: object[] };
      rules.pop();
      bound(privileged(w).add(current));
    },
    older,
  ),
  quiet("SCC-UNPRIVILEGED", "no Role", (w) => w.remove("Role/engine/engine-enterprise-operator"), {
    openshift: true,
    also: ["RBAC-OWN-ROLE-ABSENT"],
  }),
];
