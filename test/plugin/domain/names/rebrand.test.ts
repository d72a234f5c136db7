import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocuments } from "../../../../plugin/adapters/kubernetes/text/yaml";
import { defaultNames } from "../../../../plugin/domain/names/names";
import { judgeNames } from "../../../../plugin/domain/names/judge";
import { rebrand } from "../../../../plugin/domain/names/rebrand";
import { asArray, getPath } from "../../../../plugin/domain/base/values";
import { renderTemplate } from "../../../../plugin/domain/admission/wanted";
import { renamed, usable } from "../../../support/renamed";

const manifests = join(__dirname, "../../../../manifests");

function parsed(path: string): unknown {
  return parseDocuments(readFileSync(join(manifests, path), "utf8"), path)[0];
}

const acme = usable(
  judgeNames({
    group: "app.acme.io",
    version: "v1beta1",
    ecVersion: "v2",
    ec: { kind: "AcmeCluster", plural: "acmeclusters", short: "ac" },
    edb: { kind: "AcmeDatabase", plural: "acmedatabases", short: "adb" },
    webhook: {
      configuration: "acme-admission",
      entry: "acme.admission.io",
      service: "acme-hook",
      secret: "acme-tls",
      secretCert: "crt",
      path: "/judge",
    },
    placeholders: { namespace: ["ACME_NAMESPACE"] },
    operator: {
      deployment: "acme-operator",
      serviceAccount: "acme-account",
      container: "acme-main",
      appLabel: "acme",
      podLabel: "acme-pod",
    },
    rbac: { consumerRole: "acme-role", consumerBinding: "acme-binding" },
    scc: { current: "acme-scc" },
    configMap: { name: "acme-config", namespaces: "ADB_NAMESPACES" },
    annotations: { operatorVersion: ["acme.io/operator", "acme.io/older"] },
    images: { operator: "acme/op" },
    fields: {
      engineVersion: ["spec", "target", "version"],
      clusterReference: ["spec", "acmeCluster", "ref"],
      globalConfigurations: ["spec", "global"],
      moduleLists: ["plugins"],
    },
    entryFields: { moduleName: "id", bundledVersion: "release" },
    ecFields: { versionTag: ["spec", "acmeImage", "tag"] },
    eaadbFields: { participatingClusters: ["spec", "members"] },
    engineDbType: "acme",
    majorChannel: "big",
  }),
);

test("under the default names a manifest is the very same, and what is no object stays", () => {
  const template = parsed("admission/webhook.yaml");
  expect(rebrand(template, defaultNames)).toBe(template);
  for (const document of ["a text", 7, null, undefined, ["engine"]]) {
    expect(rebrand(document, acme)).toEqual(document);
  }
});

test("the shipped template is the one of the other names, and renders under them", () => {
  const template = parsed("admission/webhook.yaml");
  const service = { name: "acme-hook", namespace: "ACME_NAMESPACE", path: "/judge" };
  const others = ["engineenterpriseactiveactivedatabases", "engineenterpriseremoteclusters"];
  const rule = {
    apiGroups: ["app.acme.io"],
    apiVersions: ["v1beta1"],
    resources: ["acmedatabases", ...others],
  };
  expect(rebrand(template, acme)).toMatchObject({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "acme-admission", labels: { app: "acme" } },
    webhooks: [
      {
        name: "acme.admission.io",
        admissionReviewVersions: ["v1beta1"],
        clientConfig: { service },
        rules: [rule],
      },
    ],
  });
  for (const names of [acme, renamed]) {
    const rendered = renderTemplate([rebrand(template, names)], "engine", names);
    expect(rendered).toMatchObject({ is: "rendered" });
  }
});

/** The schema of a field in a definition's first version. */
function property(crd: unknown, ...path: readonly string[]): unknown {
  const [version] = asArray(getPath(crd, ["spec", "versions"]));
  const inner = path.flatMap((key) => ["properties", key]);
  return getPath(version, ["schema", "openAPIV3Schema", ...inner]);
}

const shipped = (kind: string) => rebrand(parsed(`crds/engine_enterprise_${kind}.yaml`), acme);

test("the shipped definitions have the other kind in every spelling", () => {
  expect(shipped("database")).toMatchObject({
    metadata: { name: "acmedatabases.app.acme.io" },
    spec: {
      group: "app.acme.io",
      names: {
        kind: "AcmeDatabase",
        listKind: "AcmeDatabaseList",
        plural: "acmedatabases",
        singular: "acmedatabase",
        shortNames: ["adb"],
      },
      versions: [{ name: "v1beta1" }],
    },
  });
  const versions = [{ name: "v2" }, { name: "v1beta1" }];
  expect(shipped("cluster")).toMatchObject({ spec: { versions } });
});

test("the shipped definitions have each field where the names have it, and no more where it was", () => {
  const crd = shipped("database");
  const text = { type: "string" };
  const target = { type: "object", properties: { version: text } };
  expect(property(crd, "spec", "target")).toMatchObject(target);
  expect(property(crd, "spec", "engineVersion")).toBeUndefined();
  expect(property(crd, "spec", "engineEnterpriseCluster")).toBeUndefined();
  const reference = { type: "object", required: ["ref"], properties: { ref: text } };
  expect(property(crd, "spec", "acmeCluster")).toEqual(reference);
  const items = { required: ["id"], properties: { id: text } };
  expect(property(crd, "spec", "plugins")).toMatchObject({ items });
  expect(property(crd, "spec", "type")).toMatchObject({ enum: ["acme", "memcached"] });
  const global = shipped("active_active_database");
  expect(property(global, "spec", "global", "target", "version")).toMatchObject(text);
  expect(property(global, "spec", "global", "acmeCluster", "ref")).toEqual(text);
  expect(property(global, "spec", "globalConfigurations")).toBeUndefined();
  expect(getPath(property(global, "spec"), ["required"])).toEqual(["members"]);
});

test.each([
  ["database", ['"jsonPath":".spec.acmeCluster.ref"']],
  ["cluster", ['"jsonPath":".spec.acmeImage.tag"', '"jsonPath":".spec.acmeImage.tag"']],
])("columns of the definition of a %s find moved fields", (kind, columns) => {
  const found = JSON.stringify(shipped(kind)).match(/"jsonPath":"\.spec\.acme[^"]*"/g);
  expect(found).toEqual(columns);
});

test.each(readdirSync(join(manifests, "crds")))("%s: every name changes, or none", (file) => {
  const texts: string[] = [];
  const collect = (node: unknown, key = ""): void => {
    if (key === "description") return;
    if (typeof node === "string") texts.push(node);
    if (typeof node !== "object" || node === null) return;
    for (const [inner, value] of Object.entries(node)) {
      if (!Array.isArray(node)) texts.push(inner);
      collect(value, inner);
    }
  };
  const crd = parsed(`crds/${file}`);
  collect(rebrand(crd, renamed));
  const brand = /engine|Engine|^ec[A-Z]|EDB|edb/;
  const left = texts.filter((text) => brand.test(text) && !/z(\.|$|List)/.test(text));
  expect(left).toEqual(["Linked EDBs"].filter((text) => texts.includes(text)));
  expect(rebrand(crd, { ...defaultNames })).toEqual(crd);
});

const operator = "engine-enterprise-operator";
const edb = { apiVersion: "app.engine.com/v1alpha1", kind: "EngineEnterpriseDatabase" };
const adb = { apiVersion: "app.acme.io/v1beta1", kind: "AcmeDatabase" };
const ec = { apiVersion: "app.engine.com/v1", kind: "EngineEnterpriseCluster" };
const foreign = { ...edb, apiVersion: "example.com/v1", spec: { engineVersion: "7.2" } };
/** A definition of databases with these properties of its spec. */
const aDefinition = (spec: object, name = "v1alpha1", kind = edb.kind) => ({
  kind: "CustomResourceDefinition",
  spec: {
    names: { kind },
    versions: [
      {
        name,
        schema: {
          openAPIV3Schema: { type: "object", properties: { spec: { type: "object", ...spec } } },
        },
      },
    ],
  },
});
const text = { type: "string" };

/** An object of the product, and whatever stands around it; `engine` is a word of several meanings. */
test.each<[string, object, object]>([
  [
    "a database's fields and values",
    {
      ...edb,
      metadata: {
        name: "engine",
        finalizers: [`finalizer.engineenterprisedatabases.${defaultNames.group}`],
      },
      spec: {
        engineVersion: "major",
        type: "engine",
        memorySize: "1GB",
        engineEnterpriseCluster: { name: "ec" },
        modulesList: [{ name: "search", version: "1" }, "odd"],
      },
    },
    {
      ...adb,
      metadata: { name: "engine", finalizers: ["finalizer.acmedatabases.app.acme.io"] },
      spec: {
        target: { version: "big" },
        type: "acme",
        memorySize: "1GB",
        acmeCluster: { ref: "ec" },
        plugins: [{ id: "search", version: "1" }, "odd"],
      },
    },
  ],
  [
    "a cluster's bundled versions",
    {
      ...ec,
      spec: {
        engineEnterpriseImageSpec: { versionTag: "1", repository: "engine/engine" },
        engineUpgradePolicy: "major",
      },
      status: { bundledDatabaseVersions: [{ dbType: "engine", version: "7.2" }] },
    },
    {
      apiVersion: "app.acme.io/v2",
      kind: "AcmeCluster",
      spec: {
        engineEnterpriseImageSpec: { repository: "engine/engine" },
        acmeImage: { tag: "1" },
        engineUpgradePolicy: "big",
      },
      status: { bundledDatabaseVersions: [{ dbType: "acme", release: "7.2" }] },
    },
  ],
  ["the kind's name in another group", foreign, { ...foreign, kind: "AcmeDatabase" }],
  [
    "a module list that is none",
    aDefinition({ properties: { modulesList: text } }, "v"),
    aDefinition({ properties: { plugins: text } }, "v", adb.kind),
  ],
  [
    "an odd database",
    { ...edb, spec: { modulesList: "x", engineVersion: 8 } },
    { ...adb, spec: { plugins: "x", target: { version: 8 } } },
  ],
  [
    "a field that moves below one that is there already, whatever that holds",
    { ...edb, spec: { engineVersion: "7.2", target: "odd" } },
    { ...adb, spec: { target: { version: "7.2" } } },
  ],
  [
    "the same in a schema",
    aDefinition({
      required: ["engineVersion", "target"],
      properties: { engineVersion: text, target: { type: "object" } },
    }),
    aDefinition(
      {
        required: ["target"],
        properties: {
          target: { type: "object", required: ["version"], properties: { version: text } },
        },
      },
      "v1beta1",
      adb.kind,
    ),
  ],
  [
    "every item of a list",
    { ...edb, kind: `${edb.kind}List`, items: [{ ...edb, spec: { engineVersion: "7.2" } }] },
    { ...adb, kind: "AcmeDatabaseList", items: [{ ...adb, spec: { target: { version: "7.2" } } }] },
  ],
  [
    "a Deployment's names",
    {
      kind: "Deployment",
      metadata: { name: operator, labels: { app: "engine-enterprise" } },
      spec: { selector: { matchLabels: { name: operator } } },
    },
    {
      kind: "Deployment",
      metadata: { name: "acme-operator", labels: { app: "acme" } },
      spec: { selector: { matchLabels: { name: "acme-pod" } } },
    },
  ],
  [
    "a pod's account, containers, images, settings and volumes",
    {
      serviceAccountName: operator,
      containers: [
        {
          name: operator,
          image: "registry.example.com/engine/operator:8.0@sha256:0",
          envFrom: [{ configMapRef: { name: "operator-environment-config" } }],
        },
        { name: "admission", image: "other/engine/operators" },
      ],
      secret: { secretName: "admission-tls", items: [{ key: "cert", path: "cert" }] },
    },
    {
      serviceAccountName: "acme-account",
      containers: [
        {
          name: "acme-main",
          image: "registry.example.com/acme/op:8.0@sha256:0",
          envFrom: [{ configMapRef: { name: "acme-config" } }],
        },
        { name: "admission", image: "other/engine/operators" },
      ],
      secret: { secretName: "acme-tls", items: [{ key: "crt", path: "crt" }] },
    },
  ],
  [
    "a RoleBinding, its role and its subjects",
    {
      kind: "RoleBinding",
      metadata: { name: "edb-role", annotations: { "engine.io/operator-ver": "8" } },
      roleRef: { kind: "Role", name: "edb-role" },
      subjects: [{ kind: "ServiceAccount", name: operator, namespace: "OPERATOR_NAMESPACE" }],
    },
    {
      kind: "RoleBinding",
      metadata: { name: "acme-binding", annotations: { "acme.io/operator": "8" } },
      roleRef: { kind: "Role", name: "acme-role" },
      subjects: [{ kind: "ServiceAccount", name: "acme-account", namespace: "ACME_NAMESPACE" }],
    },
  ],
  [
    "a rule's subresources",
    { apiGroups: ["app.engine.com"], resources: ["engineenterprisedatabases/status"] },
    { apiGroups: ["app.acme.io"], resources: ["acmedatabases/status"] },
  ],
  [
    "an SCC with a user",
    {
      kind: "SecurityContextConstraints",
      metadata: { name: "engine-enterprise-scc-v2" },
      users: ["system:serviceaccount:engine:ec"],
    },
    {
      kind: "SecurityContextConstraints",
      metadata: { name: "acme-scc" },
      users: ["system:serviceaccount:engine:ec"],
    },
  ],
  [
    "a binding that grants an SCC",
    {
      kind: "ClusterRoleBinding",
      metadata: { name: "system:openshift:scc:engine-enterprise-scc-v2" },
    },
    { kind: "ClusterRoleBinding", metadata: { name: "system:openshift:scc:acme-scc" } },
  ],
  [
    "a Secret's items",
    { kind: "Secret", metadata: { name: "admission-tls" }, data: { cert: "eA==", other: "cert" } },
    { kind: "Secret", metadata: { name: "acme-tls" }, data: { crt: "eA==", other: "cert" } },
  ],
  [
    "settings",
    {
      kind: "ConfigMap",
      metadata: { name: "operator-environment-config" },
      data: { EDB_NAMESPACES: "a" },
    },
    { kind: "ConfigMap", metadata: { name: "acme-config" }, data: { ADB_NAMESPACES: "a" } },
  ],
  [
    "a namespace, a name of no product and a text for people",
    {
      kind: "Service",
      metadata: { name: "admission", namespace: "engine" },
      text: `${operator} or engine`,
      host: "admission.engine.svc",
    },
    {
      kind: "Service",
      metadata: { name: "acme-hook", namespace: "engine" },
      text: `${operator} or engine`,
      host: "admission.engine.svc",
    },
  ],
  [
    "a word whose meanings have parted, in no known place",
    { kind: "List", what: operator, sure: "engine-enterprise-scc-v2", group: "apps" },
    { kind: "List", what: operator, sure: "acme-scc", group: "apps" },
  ],
])("rebranded by its place: %s", (_title, before, after) => {
  expect(rebrand(before, acme)).toEqual(after);
});

test("an odd definition throws nothing", () => {
  const columns = { additionalPrinterColumns: ["x", { name: "y" }], schema: {} };
  const crd = { ...aDefinition({}), spec: { names: { kind: edb.kind }, versions: [columns, 7] } };
  expect(rebrand(crd, acme)).toMatchObject({ spec: { names: { kind: adb.kind } } });
});

test("the companion's objects: words that begin with its name, and the namespace in its variable", () => {
  const named = usable(
    judgeNames({ companion: { deployment: "acme-hook" }, operator: { namespace: "acme-ops" } }),
  );
  const env = [
    { name: "ENGINE_NAMESPACE", value: "engine" },
    { name: "ENGINE_OTHER", value: "anything" },
  ];
  const object = {
    kind: "Deployment",
    metadata: { name: "engine-webhook-certificate" },
    spec: { containers: [{ env }] },
  };
  expect(rebrand(object, named)).toEqual({
    kind: "Deployment",
    metadata: { name: "acme-hook-certificate" },
    spec: {
      containers: [{ env: [{ name: "ENGINE_NAMESPACE", value: "acme-ops" }, { ...env[1] }] }],
    },
  });
});
