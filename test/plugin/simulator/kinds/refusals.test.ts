import type { Json } from "../../../../plugin/domain/base/values";
import { causeOf } from "../../../contract/expected";
import { anObject, prepared, refusalOf } from "./preparing";

const admission = "admissionregistration.k8s.io/v1";
const rbac = "rbac.authorization.k8s.io/v1";
const crds = "apiextensions.k8s.io/v1";

const oldLabel =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an " +
  "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', " +
  "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const webhook = {
  name: "a.b.c",
  clientConfig: { url: "https://host/path" },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
};
const hook = (more: Json) =>
  anObject(admission, "ValidatingWebhookConfiguration", { webhooks: [{ ...webhook, ...more }] });
const rule = { apiGroups: ["*"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] };

const service = (spec: Json, metadata: Json = {}) =>
  anObject("v1", "Service", { metadata, spec: { ports: [{ port: 443 }], ...spec } });

const binding = (more: Json) =>
  anObject(rbac, "RoleBinding", { roleRef: { kind: "Role", name: "r" }, ...more });

const selector = { matchLabels: { a: "b" } };
const template = {
  metadata: { labels: { a: "b" } },
  spec: { containers: [{ name: "c", image: "i" }] },
};
const deployment = (spec: Json) =>
  anObject("apps/v1", "Deployment", { spec: { selector, template, ...spec } });

const crdSpec = {
  group: "x.io",
  scope: "Namespaced",
  names: { plural: "foos", kind: "Foo" },
  versions: [
    { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
  ],
};
const crd = (spec: Json) =>
  anObject(crds, "CustomResourceDefinition", {
    metadata: { name: "foos.x.io" },
    spec: { ...crdSpec, ...spec },
  });

/** What is refused, and every error as it is told. */
type Row = readonly [string, ReturnType<typeof anObject>, ...string[]];

const rows: readonly Row[] = [
  [
    "an object that lies in no namespace",
    anObject("v1", "ConfigMap", { metadata: { namespace: "" } }),
    "metadata.namespace: Required value",
  ],
  [
    "a namespace where there is none",
    anObject(rbac, "ClusterRole", { metadata: { namespace: "ns" } }),
    "metadata.namespace: Forbidden: not allowed on this type",
  ],
  [
    "a dot in the name of a namespace",
    anObject("v1", "Namespace", { metadata: { name: "a.b" } }),
    'metadata.name: Invalid value: "a.b": must not contain dots',
  ],
  [
    "a webhook with both a URL and a Service",
    hook({ clientConfig: { url: "https://x", service: { name: "s", namespace: "ns" } } }),
    "webhooks[0].clientConfig: Required value: exactly one of url or service is required",
  ],
  [
    "a URL that is not just https, host and path",
    hook({ clientConfig: { url: "http://u@h/p?q#f" } }),
    `webhooks[0].clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
    'webhooks[0].clientConfig.url: Invalid value: "u": user information is not permitted in the URL',
    'webhooks[0].clientConfig.url: Invalid value: "f": fragments are not permitted in the URL',
    'webhooks[0].clientConfig.url: Invalid value: "q": query parameters are not permitted in the URL',
  ],
  [
    "a Service without a namespace, which the API server takes for its name",
    hook({ clientConfig: { service: { name: "s", path: "a", port: 0 } } }),
    "webhooks[0].clientConfig.service.name: Required value",
    "webhooks[0].clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive",
    `webhooks[0].clientConfig.service.path: Invalid value: "a": must start with a '/'`,
    'webhooks[0].clientConfig.service.path: Invalid value: "a": segment[0] may not be empty',
  ],
  [
    "review versions that are unknown or told twice",
    hook({ admissionReviewVersions: ["v2", "v2"] }),
    'webhooks[0].admissionReviewVersions[1]: Invalid value: "v2": duplicate version',
    'webhooks[0].admissionReviewVersions: Invalid value: ["v2","v2"]: must include at least one of v1, v1beta1',
  ],
  [
    "a webhook's rule without anything",
    hook({ rules: [{}] }),
    "webhooks[0].rules[0].operations: Required value",
    "webhooks[0].rules[0].apiGroups: Required value",
    "webhooks[0].rules[0].apiVersions: Required value",
    "webhooks[0].rules[0].resources: Required value",
  ],
  [
    "an operation beside all operations, and one that is unknown",
    hook({ rules: [{ ...rule, operations: ["*", "EDIT"] }] }),
    `webhooks[0].rules[0].operations: Invalid value: ["*","EDIT"]: if '*' is present, must not specify other operations`,
    'webhooks[0].rules[0].operations[1]: Unsupported value: "EDIT": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
  ],
  [
    "a resource that another one covers",
    hook({ rules: [{ ...rule, resources: ["pods/*", "pods/status"] }] }),
    `webhooks[0].rules[0].resources[1]: Invalid value: "pods/status": if 'pods/*' is present, must not specify pods/status`,
  ],
  [
    "a selector that says nothing",
    hook({
      namespaceSelector: {
        matchExpressions: [
          { key: "a", operator: "In" },
          { key: "a", operator: "Exists", values: ["b"] },
          { key: "a", operator: "Is", values: ["b"] },
        ],
      },
    }),
    "webhooks[0].namespaceSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
    "webhooks[0].namespaceSelector.matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    'webhooks[0].namespaceSelector.matchExpressions[2].operator: Invalid value: "Is": not a valid selector operator',
  ],
  [
    "a match condition without name and expression",
    hook({ matchConditions: [{}] }),
    "webhooks[0].matchConditions[0].expression: Required value",
    "webhooks[0].matchConditions[0].name: Required value",
  ],
  [
    "a rule of a role without anything, and one of URLs",
    anObject(rbac, "Role", {
      rules: [{}, { verbs: ["get"], apiGroups: [""], nonResourceURLs: ["/a"] }],
    }),
    "rules[0].verbs: Required value: verbs must contain at least one value",
    "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
    "rules[0].resources: Required value: resource rules must supply at least one resource",
    'rules[1].nonResourceURLs: Invalid value: ["/a"]: namespaced rules cannot apply to non-resource URLs',
    'rules[1].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs',
  ],
  [
    "a role whose name is not a part of a path",
    anObject(rbac, "Role", { metadata: { name: "a/b" } }),
    `metadata.name: Invalid value: "a/b": may not contain '/'`,
  ],
  [
    "a cluster's binding to a role of a namespace, and of an account of none",
    anObject(rbac, "ClusterRoleBinding", {
      roleRef: { kind: "Role", name: "r" },
      subjects: [{ kind: "ServiceAccount", name: "s" }],
    }),
    'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
    "subjects[0].namespace: Required value",
  ],
  [
    "subjects of unknown kind and group",
    binding({ subjects: [{ kind: "Usr" }, { kind: "Group", name: "g", apiGroup: "x" }] }),
    "subjects[0].name: Required value",
    'subjects[0].kind: Unsupported value: "Usr": supported values: "ServiceAccount", "User", "Group"',
    'subjects[1].apiGroup: Unsupported value: "x": supported values: "rbac.authorization.k8s.io"',
  ],
  [
    "a key that no file could have, and missing keys of a certificate",
    anObject("v1", "Secret", { type: "kubernetes.io/tls", data: { "..a": "" } }),
    `data[..a]: Invalid value: "..a": must not start with '..'`,
    "data[tls.crt]: Required value",
    "data[tls.key]: Required value",
  ],
  [
    "a Secret over one mebibyte",
    anObject("v1", "Secret", { stringData: { a: "x".repeat(1024 * 1024 + 1) } }),
    "data: Too long: may not be more than 1048576 bytes",
  ],
  [
    "a key in both bags of a ConfigMap",
    anObject("v1", "ConfigMap", { data: { a: "x" }, binaryData: { a: "eA==" } }),
    'data[a]: Invalid value: "a": duplicate of key present in binaryData',
  ],
  [
    "a Service's name, type and ports",
    service(
      {
        type: "x",
        ports: [
          { port: 0, name: "a" },
          { port: 1, name: "a", protocol: "X", targetPort: "-" },
          { port: 2 },
        ],
      },
      { name: "1" },
    ),
    `metadata.name: Invalid value: "1": ${oldLabel}`,
    "spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
    "spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive",
    'spec.ports[1].name: Duplicate value: "a"',
    'spec.ports[1].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
    'spec.ports[1].targetPort: Invalid value: "-": must contain at least one letter (a-z)',
    'spec.ports[1].targetPort: Invalid value: "-": must not begin or end with a hyphen',
    "spec.ports[2].name: Required value",
    'spec.type: Unsupported value: "x": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
  ],
  ["a Service without ports", service({ ports: [] }), "spec.ports: Required value"],
  [
    "a Deployment without anything",
    anObject("apps/v1", "Deployment"),
    "spec.selector: Required value",
    "spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`",
    "spec.template.spec.containers: Required value",
  ],
  [
    "a container without name and image",
    deployment({ template: { ...template, spec: { containers: [{}] } } }),
    "spec.template.spec.containers[0].name: Required value",
    "spec.template.spec.containers[0].image: Required value",
  ],
  [
    "a definition of an unknown scope",
    crd({ scope: "World" }),
    'spec.scope: Unsupported value: "World": supported values: "Cluster", "Namespaced"',
  ],
  [
    "a definition without versions",
    crd({ versions: [] }),
    "spec.versions: Invalid value: []: must have exactly one version marked as storage version",
    "status.storedVersions: Invalid value: null: must have at least one stored version",
  ],
  [
    "a schema without types",
    crd({
      versions: [
        {
          ...crdSpec.versions[0],
          schema: { openAPIV3Schema: { properties: { spec: { type: "array", items: {} } } } },
        },
      ],
    }),
    "spec.validation.openAPIV3Schema.properties[spec].items.type: Required value: must not be empty for specified array items",
    "spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root",
  ],
];

describe("what is refused as invalid", () => {
  const named = rows.map(([law, object, ...errors]) => ({ law, object, errors }));

  test.each(named)("$law", ({ object, errors }) => {
    const { status, reason, causes, message } = refusalOf(object);
    expect({ status, reason }).toEqual({ status: 422, reason: "Invalid" });
    expect(causes).toEqual(errors.map(causeOf));
    for (const told of errors) expect(message).toContain(told);
  });

  test("one error stands alone", () => {
    expect(refusalOf(service({ ports: [] })).message).toBe(
      'Service "x" is invalid: spec.ports: Required value',
    );
  });

  test("several errors stand in brackets, behind the kind with its group", () => {
    expect(refusalOf(hook({ timeoutSeconds: 0, sideEffects: null })).message).toBe(
      'ValidatingWebhookConfiguration.admissionregistration.k8s.io "x" is invalid: ' +
        "[webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun, " +
        "webhooks[0].timeoutSeconds: Invalid value: 0: the timeout value must be between 1 and 30 seconds]",
    );
  });

  test("a secret value is in no refusal", () => {
    const data = { "a b": Buffer.from("hush").toString("base64"), "c d": "aHVzaA==" };
    const { message, causes } = refusalOf(anObject("v1", "Secret", { data }));
    expect(message + JSON.stringify(causes)).not.toMatch(/hush|aHVzaA/);
  });
});

describe("what cannot be changed", () => {
  const secret = (more: Json) => anObject("v1", "Secret", { data: { a: "eA==" }, ...more });
  const configMap = (more: Json) => anObject("v1", "ConfigMap", { data: { a: "x" }, ...more });
  const statefulSet = (more: Json) =>
    anObject("apps/v1", "StatefulSet", { spec: { selector, template, serviceName: "s", ...more } });

  test.each([
    [
      "an immutable Secret",
      secret({ immutable: true }),
      secret({ data: {} }),
      'Secret "x" is invalid: [immutable: Forbidden: field is immutable when `immutable` is set, data: Forbidden: field is immutable when `immutable` is set]',
    ],
    [
      "the data of an immutable ConfigMap",
      configMap({ immutable: true }),
      configMap({ immutable: true, data: { a: "y" } }),
      'ConfigMap "x" is invalid: data: Forbidden: field is immutable when `immutable` is set',
    ],
    [
      "the address of a Service",
      service({ clusterIP: "10.96.0.1" }),
      service({ clusterIP: "10.96.0.2" }),
      'Service "x" is invalid: spec.clusterIPs[0]: Invalid value: ["10.96.0.2"]: may not change once set',
    ],
    [
      "the service of a StatefulSet",
      statefulSet({}),
      statefulSet({ serviceName: "t" }),
      `StatefulSet.apps "x" is invalid: spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden`,
    ],
    [
      "the scope of a definition",
      crd({}),
      crd({ scope: "Cluster" }),
      'CustomResourceDefinition.apiextensions.k8s.io "foos.x.io" is invalid: spec.scope: Invalid value: "Cluster": field is immutable',
    ],
  ])("%s", (...[, first, changed, message]) => {
    const before = prepared(first).object;
    expect(refusalOf(changed, { before }).message).toBe(message);
    expect(prepared(first, { before }).object).toEqual(before);
  });

  test.each([
    [
      "the subjects of a binding",
      binding({}),
      binding({ subjects: [{ kind: "User", name: "u" }] }),
    ],
    ["the data of a Secret", secret({}), secret({ data: {} })],
    ["the replicas of a StatefulSet", statefulSet({}), statefulSet({ replicas: 5 })],
    ["the template of a Deployment", deployment({}), deployment({ replicas: 5 })],
  ])("but %s can", (_, first, changed) => {
    const before = prepared(first).object;
    expect(prepared(changed, { before }).object).not.toEqual(before);
  });
});

test("an object that was loaded in another form does not count as changed", () => {
  const volumeClaimTemplates = [{ metadata: { name: "data", creationTimestamp: null } }];
  const set = anObject("apps/v1", "StatefulSet", {
    spec: { selector, template, serviceName: "s", volumeClaimTemplates },
  });
  expect(prepared(set, { before: set }).object["spec"]).toMatchObject({ replicas: 1 });
});

describe("what cannot be read as its kind", () => {
  const unreadable = (words: string) => ({ status: 400, reason: "BadRequest", message: words });
  const as = (kind: string) => `${kind} in version "v1" cannot be handled as a ${kind}:`;
  const into = (field: string, type: string) => `into Go struct field ${field} of type ${type}`;

  test.each([
    [
      "text for a number",
      deployment({ replicas: "x" }),
      `${as("Deployment")} json: cannot unmarshal string ${into("DeploymentSpec.spec.replicas", "int32")}`,
    ],
    [
      "a fraction for a number",
      deployment({ replicas: 1.5 }),
      `${as("Deployment")} json: cannot unmarshal number 1.5 ${into("DeploymentSpec.spec.replicas", "int32")}`,
    ],
    [
      "an object for a list",
      deployment({ template: { spec: { containers: {} } } }),
      `${as("Deployment")} json: cannot unmarshal object ${into("PodSpec.spec.template.spec.containers", "[]v1.Container")}`,
    ],
    [
      "text for an object",
      anObject("apps/v1", "Deployment", { spec: "x" }),
      `${as("Deployment")} json: cannot unmarshal string ${into("Deployment.spec", "v1.DeploymentSpec")}`,
    ],
    [
      "a number for a label",
      anObject("v1", "ConfigMap", { metadata: { labels: { a: 1 } } }),
      `${as("ConfigMap")} json: cannot unmarshal number ${into("ObjectMeta.metadata.labels", "string")}`,
    ],
    [
      "text for a webhook's timeout",
      hook({ timeoutSeconds: "x" }),
      `${as("ValidatingWebhookConfiguration")} json: cannot unmarshal string ${into("ValidatingWebhook.webhooks.timeoutSeconds", "int32")}`,
    ],
    [
      "data that is no base64",
      anObject("v1", "Secret", { data: { a: "Z!" } }),
      `${as("Secret")} illegal base64 data at input byte 1`,
    ],
    [
      "base64 that is cut short",
      anObject("v1", "Secret", { data: { a: "ZZZZZZ" } }),
      `${as("Secret")} illegal base64 data at input byte 4`,
    ],
  ])("%s", (_, object, message) => {
    expect(refusalOf(object)).toMatchObject(unreadable(message));
  });
});

describe("what is warned of", () => {
  test.each([
    [
      "unknown fields of a built-in kind",
      anObject(admission, "ValidatingWebhookConfiguration", {
        webhooks: [{ ...webhook, zzz: 1, clientConfig: { ...webhook.clientConfig, yyy: 1 } }],
        aaa: 1,
      }),
      [
        'unknown field "webhooks[0].zzz"',
        'unknown field "webhooks[0].clientConfig.yyy"',
        'unknown field "aaa"',
      ],
    ],
    [
      "unknown metadata",
      anObject("v1", "ConfigMap", { metadata: { mmm: 1 } }),
      ['unknown field "metadata.mmm"'],
    ],
    [
      "a kind that is going away",
      anObject("v1", "Endpoints"),
      ["v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"],
    ],
    ["nothing", anObject("v1", "ConfigMap", { data: { zzz: "1" } }), []],
  ])("%s", (_, object, warnings) => {
    const found = prepared(object);
    expect([...found.warnings].sort()).toEqual([...warnings].sort());
    expect(JSON.stringify(found.object)).not.toMatch(/"(aaa|mmm|yyy)"|"zzz":1/);
  });
});
