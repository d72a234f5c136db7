import type { Json } from "../../../../plugin/domain/base/values";
import { anObject, prepared } from "./preparing";

const rbac = "rbac.authorization.k8s.io";
const admission = "admissionregistration.k8s.io/v1";

const webhook = {
  name: "a.b.c",
  clientConfig: { service: { namespace: "ns", name: "svc", path: "" } },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }],
};

const stored = {
  name: "a.b.c",
  clientConfig: { service: { namespace: "ns", name: "svc", path: "", port: 443 } },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  rules: [
    {
      apiGroups: [""],
      apiVersions: ["v1"],
      operations: ["CREATE"],
      resources: ["pods"],
      scope: "*",
    },
  ],
  failurePolicy: "Fail",
  matchPolicy: "Equivalent",
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
};

const container = {
  name: "c",
  image: "x:1",
  resources: {},
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
  imagePullPolicy: "IfNotPresent",
};

const podDefaults = {
  restartPolicy: "Always",
  terminationGracePeriodSeconds: 30,
  dnsPolicy: "ClusterFirst",
  securityContext: {},
  schedulerName: "default-scheduler",
};

const selector = { matchLabels: { a: "b" } };
const template = { metadata: { labels: { a: "b" } } };
const named = { spec: { containers: [{ name: "c", image: "x:1" }] } };

interface Row {
  readonly law: string;
  readonly kind: readonly [string, string];
  readonly given: Json;
  readonly stored: Json;
}

const rows: readonly Row[] = [
  {
    law: "a webhook's policy, selectors, timeout, scope and port",
    kind: [admission, "ValidatingWebhookConfiguration"],
    given: { webhooks: [webhook] },
    stored: { webhooks: [stored] },
  },
  {
    law: "a mutating webhook's reinvocation",
    kind: [admission, "MutatingWebhookConfiguration"],
    given: { webhooks: [webhook] },
    stored: { webhooks: [{ ...stored, reinvocationPolicy: "Never" }] },
  },
  {
    law: "what is null or empty is left out and filled in",
    kind: [admission, "ValidatingWebhookConfiguration"],
    given: { webhooks: [{ ...webhook, rules: [], namespaceSelector: null, timeoutSeconds: null }] },
    stored: { webhooks: [{ ...stored, rules: undefined }] },
  },
  {
    law: "a role without rules has null in their place",
    kind: [`${rbac}/v1`, "Role"],
    given: {},
    stored: { rules: null },
  },
  {
    law: "the groups of a binding's role, users and groups",
    kind: [`${rbac}/v1`, "RoleBinding"],
    given: {
      roleRef: { kind: "Role", name: "r" },
      subjects: [
        { kind: "User", name: "u" },
        { kind: "Group", name: "g" },
        { kind: "ServiceAccount", name: "s", namespace: "ns", apiGroup: "" },
      ],
    },
    stored: {
      roleRef: { apiGroup: rbac, kind: "Role", name: "r" },
      subjects: [
        { kind: "User", name: "u", apiGroup: rbac },
        { kind: "Group", name: "g", apiGroup: rbac },
        { kind: "ServiceAccount", name: "s", namespace: "ns" },
      ],
    },
  },
  {
    law: "a Secret's type; text becomes data and wins over it",
    kind: ["v1", "Secret"],
    given: { data: { a: "eA==", c: "ZA==" }, stringData: { a: "y", b: "" } },
    stored: { data: { a: "eQ==", b: "", c: "ZA==" }, type: "Opaque" },
  },
  {
    law: "a namespace's finalizer and phase",
    kind: ["v1", "Namespace"],
    given: { metadata: { labels: { team: "a" } } },
    stored: {
      metadata: { name: "x", labels: { team: "a", "kubernetes.io/metadata.name": "x" } },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    },
  },
  {
    law: "a Service's type and ports",
    kind: ["v1", "Service"],
    given: { spec: { clusterIP: "10.96.0.9", ports: [{ port: 443, targetPort: "web" }] } },
    stored: {
      spec: {
        clusterIP: "10.96.0.9",
        clusterIPs: ["10.96.0.9"],
        ports: [{ port: 443, protocol: "TCP", targetPort: "web" }],
        type: "ClusterIP",
        sessionAffinity: "None",
        internalTrafficPolicy: "Cluster",
        ipFamilies: ["IPv4"],
        ipFamilyPolicy: "SingleStack",
      },
      status: { loadBalancer: {} },
    },
  },
  {
    law: "a Deployment that recreates its Pods has no rolling update",
    kind: ["apps/v1", "Deployment"],
    given: {
      spec: { selector, template: { ...template, ...named }, strategy: { type: "Recreate" } },
    },
    stored: {
      spec: {
        replicas: 1,
        selector,
        template: { ...template, spec: { containers: [container], ...podDefaults } },
        strategy: { type: "Recreate" },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
      },
      status: {},
    },
  },
  {
    law: "an EndpointSlice's port and conditions",
    kind: ["discovery.k8s.io/v1", "EndpointSlice"],
    given: { addressType: "IPv4", endpoints: [{ addresses: ["192.0.2.1"] }], ports: [{ port: 1 }] },
    stored: {
      addressType: "IPv4",
      endpoints: [{ addresses: ["192.0.2.1"], conditions: {} }],
      ports: [{ port: 1, protocol: "TCP", name: "" }],
    },
  },
];

describe("what the API server fills in", () => {
  test.each(rows)("$law", ({ kind: [apiVersion, kind], given, stored }) => {
    const { object } = prepared(anObject(apiVersion, kind, given));
    expect(object).toEqual(anObject(apiVersion, kind, stored));
  });

  test("preparing what is stored changes nothing", () => {
    for (const { kind, given } of rows) {
      const { object } = prepared(anObject(...kind, given));
      expect(prepared(object, { before: object }).object).toEqual(object);
    }
  });

  test("empty metadata is left out", () => {
    const metadata = { labels: {}, annotations: {}, finalizers: [], ownerReferences: [] };
    const { object } = prepared(anObject("v1", "ConfigMap", { metadata }));
    expect(object.metadata).toEqual({ name: "x", namespace: "ns" });
  });

  test.each([
    ["repo/img:1", "IfNotPresent"],
    ["repo/img", "Always"],
    ["host:5000/img", "Always"],
    ["host:5000/img:latest", "Always"],
    ["img@sha256:0", "IfNotPresent"],
  ])("image %s is pulled %s", (image, imagePullPolicy) => {
    const spec = { containers: [{ name: "c", image }] };
    const { object } = prepared(anObject("v1", "Pod", { spec }));
    expect(object["spec"]).toMatchObject({ containers: [{ imagePullPolicy }] });
  });
});

describe("the address of a Service", () => {
  const ports = [{ port: 443 }];
  const addressOf = (name: string, spec: Json = {}): unknown => {
    const service = anObject("v1", "Service", { metadata: { name }, spec: { ports, ...spec } });
    return (prepared(service).object["spec"] as Json)["clusterIP"];
  };

  test("follows from its name", () => {
    expect(addressOf("a")).toMatch(/^10\.96\.\d+\.\d+$/);
    expect(addressOf("a")).toBe(addressOf("a"));
    expect(addressOf("a")).not.toBe(addressOf("b"));
  });

  test("is held by an update that names none", () => {
    const before = prepared(anObject("v1", "Service", { spec: { ports, clusterIP: "10.96.7.7" } }));
    const after = prepared(anObject("v1", "Service", { spec: { ports } }), {
      before: before.object,
    });
    expect(after.object["spec"]).toMatchObject({
      clusterIP: "10.96.7.7",
      clusterIPs: ["10.96.7.7"],
    });
  });

  test("a headless Service has none, and needs no ports", () => {
    expect(addressOf("a", { clusterIP: "None", ports: [] })).toBe("None");
  });

  test("an external name has none", () => {
    expect(addressOf("a", { type: "ExternalName", externalName: "x.y" })).toBeUndefined();
  });
});

describe("definitions of custom kinds", () => {
  const spec = {
    group: "x.io",
    scope: "Namespaced",
    names: { plural: "foos", kind: "Foo" },
    versions: [
      { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
    ],
  };
  const metadata = { name: "foos.x.io" };
  const crd = (more: Json = {}) =>
    anObject("apiextensions.k8s.io/v1", "CustomResourceDefinition", {
      metadata,
      spec: { ...spec, ...more },
    });
  const names = { plural: "foos", singular: "foo", kind: "Foo", listKind: "FooList" };

  test("get their names, and are established at once", () => {
    expect(prepared(crd()).object).toMatchObject({
      spec: { names, conversion: { strategy: "None" } },
      status: {
        acceptedNames: names,
        storedVersions: ["v1"],
        conditions: [
          { type: "NamesAccepted", status: "True" },
          { type: "Established", status: "True" },
        ],
      },
    });
  });

  test("remember every version that was stored", () => {
    const before = prepared(crd()).object;
    const [version] = spec.versions;
    const versions = [
      { ...version, storage: false },
      { ...version, name: "v2" },
    ];
    const { object } = prepared(crd({ versions }), { before });
    expect(object["status"]).toMatchObject({ storedVersions: ["v1", "v2"] });
  });
});
