import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load, loadAll } from "js-yaml";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { getPath, asArray, getOwn, asString } from "../../plugin/domain/base/values";

const root = join(__dirname, "../../manifests");

/** Every YAML file below `manifests`, by its path from there; templates of the chart are none. */
const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.ya?ml$/.test(path))
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => !path.startsWith("chart/"))
  .sort();

const filesOf = (folder: string): readonly string[] =>
  files.filter((path) => path.startsWith(`${folder}/`));

const textOf = (path: string): string => readFileSync(join(root, path), "utf8");

const read = (path: string): unknown => load(textOf(path));

/** The value at a path written with dots. */
const get = (value: unknown, path: string): unknown => getPath(value, path.split("."));

const snakeCase = (kind: string): string =>
  kind.replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

describe("every manifest", () => {
  test("of the three parts that are promised is there", () => {
    const folders = ["admission", "crds", "webhook"];
    expect(folders.filter((folder) => filesOf(folder).length === 0)).toEqual([]);
  });

  test.each(files)("%s is YAML with exactly one object", (path) => {
    const documents = loadAll(textOf(path));
    expect(documents).toHaveLength(1);
    expect(asString(get(documents[0], "apiVersion"))).toBeDefined();
    expect(asString(get(documents[0], "kind"))).toBeDefined();
  });

  test.each(filesOf("webhook").concat(filesOf("webhook-example")))(
    "%s is named for its kind",
    (path) => {
      expect(path.split("/").at(-1)).toBe(`${snakeCase(asString(getOwn(read(path), "kind")) ?? "")}.yaml`);
    },
  );

  test.each(filesOf("crds"))("%s is named for the kind that it defines", (path) => {
    const kind = asString(get(read(path), "spec.names.kind")) ?? "";
    expect(path).toBe(`crds/${snakeCase(kind)}.yaml`);
  });
});

describe("the template of the webhook configuration", () => {
  const path = "admission/webhook.yaml";

  test("is the specification's, and nothing more", () => {
    expect(read(path)).toStrictEqual({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "engine-enterprise-admission", labels: { app: "engine-enterprise" } },
      webhooks: [
        {
          name: "redisenterprise.admission.engine",
          admissionReviewVersions: ["v1beta1"],
          clientConfig: {
            service: { name: "admission", namespace: "OPERATOR_NAMESPACE", path: "/admission" },
            caBundle: "",
          },
          failurePolicy: "Fail",
          matchPolicy: "Exact",
          sideEffects: "None",
          timeoutSeconds: 30,
          rules: [
            {
              apiGroups: ["app.engine.com"],
              apiVersions: ["v1alpha1"],
              operations: ["CREATE", "UPDATE"],
              resources: [
                "engineenterprisedatabases",
                "engineenterpriseactiveactivedatabases",
                "engineenterpriseremoteclusters",
              ],
            },
          ],
        },
      ],
    });
  });

  test("uses the names that the plugin looks for", () => {
    const template = read(path);
    const entry = asArray(getOwn(template, "webhooks"))[0];
    const rule = asArray(getOwn(entry, "rules"))[0];
    expect(get(template, "metadata.name")).toBe(names.webhook.configuration);
    expect(get(template, "metadata.labels.app")).toBe(names.operator.appLabel);
    expect(getOwn(entry, "name")).toBe(names.webhook.entry);
    expect(get(entry, "clientConfig.service")).toEqual({
      name: names.webhook.service,
      namespace: names.placeholders.namespace[0],
      path: names.webhook.path,
    });
    expect(getOwn(rule, "apiGroups")).toEqual([names.group]);
    expect(getOwn(rule, "apiVersions")).toEqual([names.version]);
    expect(getOwn(rule, "resources")).toEqual([
      names.edb.plural,
      names.eaadb.plural,
      names.erc.plural,
    ]);
  });

  test("has the placeholder once and no other spelling of it", () => {
    const placeholders = [...names.placeholders.namespace, ...names.placeholders.serviceAccount];
    const counts = placeholders.map((token) => textOf(path).split(token).length - 1);
    expect(counts).toEqual([1, 0, 0, 0, 0]);
  });
});

describe("the base of the companion webhook", () => {
  const base = filesOf("webhook").filter((path) => !path.endsWith("/kustomization.yaml"));
  const object = (file: string): unknown => read(`webhook/${file}.yaml`);
  const deployment = object("deployment");
  const pod = get(deployment, "spec.template.spec");
  const container = asArray(getOwn(pod, "containers"))[0];
  const podLabels = get(deployment, "spec.template.metadata.labels");
  const environment = new Map(
    asArray(getOwn(container, "env")).map((entry) => [getOwn(entry, "name"), getOwn(entry, "value")]),
  );

  test("lists each of its files in the kustomization", () => {
    const listed = asArray(getOwn(object("kustomization"), "resources")).map(String);
    expect([...listed].sort()).toEqual(base.map((path) => path.replace("webhook/", "")));
  });

  test("names an image that no registry can have: what an overlay forgets is never pulled", () => {
    const folders = ["webhook", "webhook-own-cert"];
    const images = folders.flatMap((folder) =>
      filesOf(folder).flatMap((path) => /^ *image: (.*)$/m.exec(textOf(path))?.[1] ?? []),
    );
    // RFC 2606: names below .invalid and .example belong to nobody
    expect(images).toEqual(["registry.invalid/engine/webhook", "registry.invalid/engine/webhook"]);
    expect(textOf("webhook-example/kustomization.yaml")).toContain("newName: registry.example/");
  });

  test("names the image that the kustomization tags with the version of the package", () => {
    const packageFile = readFileSync(join(root, "../package.json"), "utf8");
    const version = getOwn(JSON.parse(packageFile), "version");
    expect(asArray(getOwn(object("kustomization"), "images"))).toEqual([
      { name: getOwn(container, "image"), newTag: version },
    ]);
  });

  test.each(base)("%s lies in the webhook's own namespace, or in none", (path) => {
    const clusterScoped = ["ClusterRole", "ClusterRoleBinding", "Namespace"];
    const kind = asString(getOwn(read(path), "kind")) ?? "";
    const namespace = get(read(path), "metadata.namespace");
    expect(namespace).toBe(clusterScoped.includes(kind) ? undefined : names.companion.namespace);
  });

  test("makes that namespace, which is not the operator's", () => {
    expect(get(object("namespace"), "metadata.name")).toBe(names.companion.namespace);
    expect(names.companion.namespace).not.toBe(names.operator.namespace);
  });

  test("never registers itself: no webhook configuration is among its objects", () => {
    const kinds = base.map((path) => asString(getOwn(read(path), "kind")) ?? "");
    expect(kinds.filter((kind) => kind.includes("Webhook"))).toEqual([]);
  });

  test("offers the Service that the template calls, on the port of the process", () => {
    const service = object("service");
    expect(get(service, "metadata.name")).toBe(names.webhook.service);
    expect(get(service, "spec.ports")).toEqual([{ name: "https", port: 443, targetPort: 8443 }]);
    expect(environment.get("ENGINE_WEBHOOK_PORT")).toBe("8443");
    expect(asArray(getOwn(container, "ports"))).toContainEqual({ name: "https", containerPort: 8443 });
  });

  test("selects its own pods everywhere, and never the operator's", () => {
    const selectors = [
      get(deployment, "spec.selector.matchLabels"),
      get(object("service"), "spec.selector"),
      get(object("pod_disruption_budget"), "spec.selector.matchLabels"),
      get(object("network_policy"), "spec.podSelector.matchLabels"),
      ...asArray(getOwn(pod, "topologySpreadConstraints")).map((spread) =>
        get(spread, "labelSelector.matchLabels"),
      ),
    ];
    expect(selectors).toEqual(selectors.map(() => podLabels));
    expect(Object.keys(podLabels ?? {})).toEqual(["app.kubernetes.io/name"]);
  });

  test("runs two replicas that are replaced without a gap", () => {
    expect(get(deployment, "metadata.name")).toBe(names.companion.deployment);
    expect(get(deployment, "spec.replicas")).toBe(2);
    expect(get(deployment, "spec.strategy")).toEqual({
      type: "RollingUpdate",
      rollingUpdate: { maxUnavailable: 0, maxSurge: 1 },
    });
    expect(get(object("pod_disruption_budget"), "spec.maxUnavailable")).toBe(1);
  });

  test("spreads over nodes and zones without refusing a single node", () => {
    const spreads = asArray(getOwn(pod, "topologySpreadConstraints"));
    expect(spreads.map((spread) => getOwn(spread, "topologyKey"))).toEqual([
      "kubernetes.io/hostname",
      "topology.kubernetes.io/zone",
    ]);
    expect(spreads.map((spread) => getOwn(spread, "whenUnsatisfiable"))).toEqual([
      "ScheduleAnyway",
      "ScheduleAnyway",
    ]);
  });

  test("leaves more time to end than the drain and the longest call take", () => {
    const drain = Number(/^(\d+)s$/.exec(asString(environment.get("ENGINE_WEBHOOK_DRAIN")) ?? "")?.[1]);
    const entry = asArray(getOwn(read("admission/webhook.yaml"), "webhooks"))[0];
    const longestCall = Number(getOwn(entry, "timeoutSeconds"));
    expect(drain + longestCall).toBe(45);
    expect(getOwn(pod, "terminationGracePeriodSeconds")).toBeGreaterThanOrEqual(drain + longestCall + 10);
  });

  test("has no privilege: not root, read-only, no capability, the default system calls", () => {
    expect(getOwn(pod, "securityContext")).toEqual({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(getOwn(container, "securityContext")).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    const level = getPath(object("namespace"), [
      "metadata",
      "labels",
      "pod-security.kubernetes.io/enforce",
    ]);
    expect(level).toBe("restricted");
  });

  test.each([
    ["livenessProbe", "/livez"],
    ["readinessProbe", "/readyz"],
  ])("its %s asks %s on the plain port", (probe, path) => {
    expect(get(container, `${probe}.httpGet`)).toEqual({ path, port: "metrics" });
  });

  test("states what it needs, and no limit of CPU time", () => {
    expect(getOwn(container, "resources")).toEqual({
      requests: { cpu: "100m", memory: "128Mi" },
      limits: { memory: "512Mi" },
    });
  });

  test("mounts the Secret as a folder that follows a renewal, read-only", () => {
    expect(getOwn(container, "volumeMounts")).toEqual([
      { name: "tls", mountPath: environment.get("ENGINE_WEBHOOK_TLS_DIR"), readOnly: true },
    ]);
    expect(asArray(getOwn(pod, "volumes"))).toEqual([
      {
        name: "tls",
        secret: {
          secretName: names.webhook.secret,
          defaultMode: 0o444,
          items: [names.webhook.secretCert, names.webhook.secretKey].map((key) => ({
            key,
            path: key,
          })),
        },
      },
    ]);
  });

  test("reads clusters from the API server and knows the operator's namespace", () => {
    expect(environment.get("ENGINE_WEBHOOK_CLUSTERS")).toBe("api");
    expect(environment.get("ENGINE_NAMESPACE")).toBe(names.operator.namespace);
  });

  test("may get, list and watch clusters, and nothing else", () => {
    expect(getOwn(object("cluster_role"), "rules")).toEqual([
      { apiGroups: [names.group], resources: [names.ec.plural], verbs: ["get", "list", "watch"] },
    ]);
  });

  test("gives that right to the account of the pods alone", () => {
    const account = object("service_account");
    const binding = object("cluster_role_binding");
    const name = get(account, "metadata.name");
    expect(getOwn(pod, "serviceAccountName")).toBe(name);
    expect(getOwn(account, "automountServiceAccountToken")).toBe(false);
    expect(getOwn(pod, "automountServiceAccountToken")).toBe(true);
    expect(get(binding, "roleRef.name")).toBe(get(object("cluster_role"), "metadata.name"));
    expect(getOwn(binding, "subjects")).toEqual([
      { kind: "ServiceAccount", name, namespace: names.companion.namespace },
    ]);
  });

  test("opens the TLS port to all and the metrics port to monitoring alone", () => {
    const policy = getOwn(object("network_policy"), "spec");
    const [reviews, metrics, ...more] = asArray(getOwn(policy, "ingress"));
    expect(getOwn(policy, "policyTypes")).toEqual(["Ingress", "Egress"]);
    expect(reviews).toEqual({ ports: [{ protocol: "TCP", port: 8443 }] });
    expect(getOwn(metrics, "ports")).toEqual([
      { protocol: "TCP", port: Number(environment.get("ENGINE_WEBHOOK_METRICS_PORT")) },
    ]);
    expect(asArray(getOwn(metrics, "from"))).toHaveLength(1);
    expect(more).toEqual([]);
  });

  test("builds its image from the bundle alone, for a user that is a number and not root", () => {
    const lines = textOf("webhook/Containerfile").split("\n");
    expect(lines.filter((line) => /^(FROM|COPY|ADD|RUN|USER)\b/.test(line))).toEqual([
      "FROM node:26-slim",
      "COPY engine-webhook /opt/engine-webhook",
      "USER 1000:1000",
    ]);
  });
});

describe("the example overlay", () => {
  const overlay = read("webhook-example/kustomization.yaml");

  test("builds on the base", () => {
    expect(getOwn(overlay, "resources")).toEqual(["../webhook"]);
  });

  test("patches the container, the setting and the image that the base has", () => {
    const patch = read("webhook-example/deployment.yaml");
    const base = read("webhook/deployment.yaml");
    const containerOf = (value: unknown): unknown =>
      asArray(get(value, "spec.template.spec.containers"))[0];
    expect(getOwn(overlay, "patches")).toEqual([{ path: "deployment.yaml" }]);
    expect(getOwn(patch, "metadata")).toEqual({
      name: get(base, "metadata.name"),
      namespace: get(base, "metadata.namespace"),
    });
    expect(getOwn(containerOf(patch), "name")).toBe(getOwn(containerOf(base), "name"));
    expect(asArray(getOwn(containerOf(patch), "env")).map((entry) => getOwn(entry, "name"))).toEqual([
      "ENGINE_NAMESPACE",
    ]);
    expect(getOwn(asArray(getOwn(overlay, "images"))[0], "name")).toBe(getOwn(containerOf(base), "image"));
  });
});
