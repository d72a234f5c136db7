import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocuments } from "../../../plugin/adapters/yaml";
import { defaultNames } from "../../../plugin/domain/names";
import { judgeNames } from "../../../plugin/domain/names/judge";
import { rebrand } from "../../../plugin/domain/rebrand";
import { getPath } from "../../../plugin/domain/values";
import { renderTemplate } from "../../../plugin/domain/webhook/wanted";
import { renamed, usable } from "../../support/renamed";

const manifests = join(__dirname, "../../../manifests");

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

test("under the default names a manifest is the very same", () => {
  const template = parsed("admission/webhook.yaml");
  expect(rebrand(template, defaultNames)).toBe(template);
});

test.each([["a text"], [7], [null], [undefined], [["engine"]]])("%j stays", (document) => {
  expect(rebrand(document, acme)).toEqual(document);
});

describe("the shipped template", () => {
  test("is the one of the other names", () => {
    expect(rebrand(parsed("admission/webhook.yaml"), acme)).toMatchObject({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "acme-admission", labels: { app: "acme" } },
      webhooks: [
        {
          name: "acme.admission.io",
          admissionReviewVersions: ["v1beta1"],
          clientConfig: {
            service: { name: "acme-hook", namespace: "ACME_NAMESPACE", path: "/judge" },
          },
          rules: [
            {
              apiGroups: ["app.acme.io"],
              apiVersions: ["v1beta1"],
              resources: [
                "acmedatabases",
                "engineenterpriseactiveactivedatabases",
                "engineenterpriseremoteclusters",
              ],
            },
          ],
        },
      ],
    });
  });

  test.each([
    ["some names", acme],
    ["every name", renamed],
  ])("with %s changed it renders", (_title, names) => {
    const rendered = renderTemplate(
      [rebrand(parsed("admission/webhook.yaml"), names)],
      "engine",
      names,
    );
    expect(rendered).toMatchObject({ is: "rendered" });
  });
});

describe("the shipped definitions", () => {
  const schemaOf = (crd: unknown, version = 0): unknown =>
    getPath(crd, [
      "spec",
      "versions",
      String(version),
      "schema",
      "openAPIV3Schema",
      "properties",
    ]) ??
    (
      getPath(crd, ["spec", "versions"]) as {
        schema: { openAPIV3Schema: { properties: unknown } };
      }[]
    )[version]?.schema.openAPIV3Schema.properties;
  const property = (crd: unknown, ...path: readonly string[]): unknown =>
    path.reduce<unknown>(
      (node, key, index) => getPath(node, index === 0 ? [key] : ["properties", key]),
      schemaOf(crd),
    );

  test("have the other kind in every spelling", () => {
    expect(rebrand(parsed("crds/engine_enterprise_database.yaml"), acme)).toMatchObject({
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
    expect(rebrand(parsed("crds/engine_enterprise_cluster.yaml"), acme)).toMatchObject({
      spec: { versions: [{ name: "v2" }, { name: "v1beta1" }] },
    });
  });

  test("have each field where the names have it, and no more where it was", () => {
    const crd = rebrand(parsed("crds/engine_enterprise_database.yaml"), acme);
    expect(property(crd, "spec", "target")).toMatchObject({
      type: "object",
      properties: { version: { type: "string" } },
    });
    expect(property(crd, "spec", "engineVersion")).toBeUndefined();
    expect(property(crd, "spec", "engineEnterpriseCluster")).toBeUndefined();
    expect(property(crd, "spec", "acmeCluster")).toEqual({
      type: "object",
      required: ["ref"],
      properties: { ref: { type: "string" } },
    });
    expect(property(crd, "spec", "plugins")).toMatchObject({
      items: { required: ["id"], properties: { id: { type: "string" } } },
    });
    expect(property(crd, "spec", "type")).toMatchObject({ enum: ["acme", "memcached"] });
  });

  test("have columns that find moved fields", () => {
    const columns = (path: string): unknown =>
      JSON.stringify(rebrand(parsed(path), acme)).match(/"jsonPath":"\.spec\.acme[^"]*"/g);
    expect(columns("crds/engine_enterprise_database.yaml")).toEqual([
      '"jsonPath":".spec.acmeCluster.ref"',
    ]);
    expect(columns("crds/engine_enterprise_cluster.yaml")).toEqual([
      '"jsonPath":".spec.acmeImage.tag"',
      '"jsonPath":".spec.acmeImage.tag"',
    ]);
  });

  test("of active-active databases: the database's fields are moved below the global ones", () => {
    const crd = rebrand(parsed("crds/engine_enterprise_active_active_database.yaml"), acme);
    expect(property(crd, "spec", "global", "target", "version")).toMatchObject({ type: "string" });
    expect(property(crd, "spec", "global", "acmeCluster", "ref")).toEqual({ type: "string" });
    expect(property(crd, "spec", "globalConfigurations")).toBeUndefined();
    const spec = property(crd, "spec");
    expect(getPath(spec, ["required"])).toEqual(["members"]);
  });

  const files = readdirSync(join(manifests, "crds"));

  test.each(files)("%s: with every name changed, no default field is left", (file) => {
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
    collect(rebrand(parsed(`crds/${file}`), renamed));
    const brand = /engine|Engine|^ec[A-Z]|EDB|edb/;
    const left = texts.filter((text) => brand.test(text) && !/z(\.|$|List)/.test(text));
    expect(left).toEqual(["Linked EDBs"].filter((text) => texts.includes(text)));
  });

  test.each(files)("%s: what is not the product's stays as it is", (file) => {
    const crd = parsed(`crds/${file}`);
    const same = rebrand(crd, { ...defaultNames });
    expect(same).toEqual(crd);
  });
});

describe("objects", () => {
  test("of the product have their fields and values moved", () => {
    const database = {
      apiVersion: "app.engine.com/v1alpha1",
      kind: "EngineEnterpriseDatabase",
      metadata: {
        name: "engine",
        finalizers: ["finalizer.engineenterprisedatabases.app.engine.com"],
      },
      spec: {
        engineVersion: "major",
        type: "engine",
        memorySize: "1GB",
        engineEnterpriseCluster: { name: "ec" },
        modulesList: [{ name: "search", version: "1" }, "odd"],
      },
    };
    expect(rebrand(database, acme)).toEqual({
      apiVersion: "app.acme.io/v1beta1",
      kind: "AcmeDatabase",
      metadata: { name: "engine", finalizers: ["finalizer.acmedatabases.app.acme.io"] },
      spec: {
        target: { version: "big" },
        type: "acme",
        memorySize: "1GB",
        acmeCluster: { ref: "ec" },
        plugins: [{ id: "search", version: "1" }, "odd"],
      },
    });
  });

  test("a cluster's bundled versions have the other type and field", () => {
    const cluster = {
      apiVersion: "app.engine.com/v1",
      kind: "EngineEnterpriseCluster",
      metadata: { name: "ec" },
      spec: {
        engineEnterpriseImageSpec: { versionTag: "1", repository: "engine/engine" },
        engineUpgradePolicy: "major",
      },
      status: { bundledDatabaseVersions: [{ dbType: "engine", version: "7.2" }] },
    };
    expect(rebrand(cluster, acme)).toEqual({
      apiVersion: "app.acme.io/v2",
      kind: "AcmeCluster",
      metadata: { name: "ec" },
      spec: {
        engineEnterpriseImageSpec: { repository: "engine/engine" },
        acmeImage: { tag: "1" },
        engineUpgradePolicy: "big",
      },
      status: { bundledDatabaseVersions: [{ dbType: "acme", release: "7.2" }] },
    });
  });

  test("an object of the kind's name in another group is nobody's", () => {
    const other = {
      apiVersion: "example.com/v1",
      kind: "EngineEnterpriseDatabase",
      spec: { engineVersion: "7.2" },
    };
    expect(getPath(rebrand(other, acme), ["spec"])).toEqual({ engineVersion: "7.2" });
  });

  test("an odd definition or database is left as odd as it was", () => {
    const crd = {
      kind: "CustomResourceDefinition",
      spec: {
        names: { kind: "EngineEnterpriseDatabase" },
        versions: [{ additionalPrinterColumns: ["x", { name: "y" }], schema: {} }, 7],
      },
    };
    expect(rebrand(crd, acme)).toMatchObject({ kind: "CustomResourceDefinition" });
    const spec = { properties: { modulesList: { type: "string" } } };
    const noList = { name: "v", schema: { openAPIV3Schema: { properties: { spec } } } };
    expect(rebrand({ ...crd, spec: { ...crd.spec, versions: [noList] } }, acme)).toHaveProperty(
      "spec.versions.0.schema.openAPIV3Schema.properties.spec.properties",
      {
        plugins: { type: "string" },
      },
    );
    const database = { apiVersion: "app.engine.com/v1alpha1", kind: "EngineEnterpriseDatabase" };
    expect(rebrand({ ...database, spec: { modulesList: "x", engineVersion: 8 } }, acme)).toEqual({
      apiVersion: "app.acme.io/v1beta1",
      kind: "AcmeDatabase",
      spec: { plugins: "x", target: { version: 8 } },
    });
  });

  test("a field moves below one that is there already, whatever that holds", () => {
    const spec = { engineVersion: "7.2", target: "odd" };
    const head = { apiVersion: "app.engine.com/v1alpha1", kind: "EngineEnterpriseDatabase" };
    expect(getPath(rebrand({ ...head, spec }, acme), ["spec"])).toEqual({
      target: { version: "7.2" },
    });
    const schema = {
      properties: {
        spec: {
          required: ["engineVersion", "target"],
          properties: { engineVersion: { type: "string" }, target: { type: "object" } },
        },
      },
    };
    const crd = {
      kind: "CustomResourceDefinition",
      spec: {
        names: { kind: "EngineEnterpriseDatabase" },
        versions: [{ name: "v1alpha1", schema: { openAPIV3Schema: schema } }],
      },
    };
    expect(rebrand(crd, acme)).toMatchObject({
      spec: {
        versions: [
          {
            schema: {
              openAPIV3Schema: {
                properties: {
                  spec: {
                    required: ["target"],
                    properties: {
                      target: {
                        type: "object",
                        required: ["version"],
                        properties: { version: { type: "string" } },
                      },
                    },
                  },
                },
              },
            },
          },
        ],
      },
    });
  });

  test("every item of a list is renamed by itself", () => {
    const list = {
      apiVersion: "app.engine.com/v1alpha1",
      kind: "EngineEnterpriseDatabaseList",
      items: [
        {
          apiVersion: "app.engine.com/v1alpha1",
          kind: "EngineEnterpriseDatabase",
          spec: { engineVersion: "7.2" },
        },
      ],
    };
    expect(rebrand(list, acme)).toEqual({
      apiVersion: "app.acme.io/v1beta1",
      kind: "AcmeDatabaseList",
      items: [
        {
          apiVersion: "app.acme.io/v1beta1",
          kind: "AcmeDatabase",
          spec: { target: { version: "7.2" } },
        },
      ],
    });
  });
});

describe("a word of several meanings is read by its place", () => {
  const operator = "engine-enterprise-operator";
  test.each<[string, object, object]>([
    [
      "a Deployment, its account, container, labels, image and settings",
      {
        kind: "Deployment",
        metadata: { name: operator, labels: { app: "engine-enterprise" } },
        spec: {
          selector: { matchLabels: { name: operator } },
          template: {
            spec: {
              serviceAccountName: operator,
              containers: [
                {
                  name: operator,
                  image: "registry.example.com/engine/operator:8.0@sha256:0",
                  envFrom: [{ configMapRef: { name: "operator-environment-config" } }],
                },
                { name: "admission", image: "other/engine/operators" },
              ],
              volumes: [
                {
                  secret: { secretName: "admission-tls", items: [{ key: "cert", path: "cert" }] },
                },
              ],
            },
          },
        },
      },
      {
        kind: "Deployment",
        metadata: { name: "acme-operator", labels: { app: "acme" } },
        spec: {
          selector: { matchLabels: { name: "acme-pod" } },
          template: {
            spec: {
              serviceAccountName: "acme-account",
              containers: [
                {
                  name: "acme-main",
                  image: "registry.example.com/acme/op:8.0@sha256:0",
                  envFrom: [{ configMapRef: { name: "acme-config" } }],
                },
                { name: "admission", image: "other/engine/operators" },
              ],
              volumes: [
                { secret: { secretName: "acme-tls", items: [{ key: "crt", path: "crt" }] } },
              ],
            },
          },
        },
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
      "a Role's rules with subresources",
      {
        kind: "Role",
        rules: [
          {
            apiGroups: ["app.engine.com"],
            resources: ["engineenterprisedatabases", "engineenterprisedatabases/status"],
          },
        ],
      },
      {
        kind: "Role",
        rules: [
          { apiGroups: ["app.acme.io"], resources: ["acmedatabases", "acmedatabases/status"] },
        ],
      },
    ],
    [
      "an SCC with a user",
      {
        kind: "SecurityContextConstraints",
        metadata: { name: "engine-enterprise-scc-v2" },
        users: [`system:serviceaccount:engine:ec`],
      },
      {
        kind: "SecurityContextConstraints",
        metadata: { name: "acme-scc" },
        users: [`system:serviceaccount:engine:ec`],
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
      "a Secret and a ConfigMap with their items",
      {
        kind: "Secret",
        metadata: { name: "admission-tls" },
        data: { cert: "eA==", other: "cert" },
      },
      { kind: "Secret", metadata: { name: "acme-tls" }, data: { crt: "eA==", other: "cert" } },
    ],
    [
      "settings",
      {
        kind: "ConfigMap",
        metadata: { name: "operator-environment-config" },
        data: { EDB_NAMESPACES: "a,b" },
      },
      { kind: "ConfigMap", metadata: { name: "acme-config" }, data: { ADB_NAMESPACES: "a,b" } },
    ],
    [
      "a namespace, a name of no product and a text for people",
      {
        kind: "Service",
        metadata: { name: "admission", namespace: "engine" },
        text: "engine-enterprise-operator or engine",
        host: "admission.engine.svc",
      },
      {
        kind: "Service",
        metadata: { name: "acme-hook", namespace: "engine" },
        text: "engine-enterprise-operator or engine",
        host: "admission.engine.svc",
      },
    ],
    [
      "a word whose meanings have parted, in no known place",
      { kind: "List", what: operator, sure: "engine-enterprise-scc-v2", group: "apps" },
      { kind: "List", what: operator, sure: "acme-scc", group: "apps" },
    ],
  ])("%s", (_title, before, after) => {
    expect(rebrand(before, acme)).toEqual(after);
  });
});
