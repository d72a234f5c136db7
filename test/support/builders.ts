/** Kubernetes objects for tests: healthy ones, with what a test is about laid over them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocuments } from "../../plugin/adapters/kubernetes/text/yaml";
import { kinds } from "../../plugin/domain/kube/kinds";
import { defaultNames, type KindNames } from "../../plugin/domain/names/names";
import type {
  Deployment,
  EndpointSlice,
  Service,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from "../../plugin/domain/kube/models";
import type { KubeObject, ObjectMeta, Resource } from "../../plugin/domain/kube/objects";
import { renderTemplate } from "../../plugin/domain/admission/wanted";

const { webhook, group, version } = defaultNames;

/** The caBundle that trusts the healthy server of every test. */
export const testCa = "Q0E=";

export function anObject(
  resource: Resource,
  metadata: ObjectMeta,
  content: Readonly<Record<string, unknown>> = {},
): KubeObject {
  const apiVersion = resource.group === "" ? "v1" : `${resource.group}/${resource.version}`;
  return { apiVersion, kind: resource.kind, metadata, ...content };
}

export function aNamespace(name: string, labels: Readonly<Record<string, string>> = {}) {
  return anObject(kinds.namespace, {
    name,
    labels: { "kubernetes.io/metadata.name": name, ...labels },
  });
}

/** The Secret of the webhook; its items are not real ones unless given. */
export function aSecret(
  namespace: string,
  data: Readonly<Record<string, unknown>> = { cert: testCa, privateKey: "S0VZ" },
) {
  return anObject(kinds.secret, { name: webhook.secret, namespace }, { type: "Opaque", data });
}

export function aService(namespace: string): Service {
  return { apiVersion: "v1", kind: "Service", metadata: { name: webhook.service, namespace } };
}

export function anEndpointSlice(namespace: string, ready = true): EndpointSlice {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: `${webhook.service}-abc`,
      namespace,
      labels: { "kubernetes.io/service-name": webhook.service },
    },
    endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready } }],
  };
}

export function aDeployment(namespace: string, ready = 1): Deployment {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: defaultNames.operator.deployment, namespace, generation: 1 },
    spec: { replicas: 1 },
    status: {
      observedGeneration: 1,
      readyReplicas: ready,
      updatedReplicas: ready,
      availableReplicas: ready,
    },
  };
}

/** The resource of a product's kind. */
export function resourceOf({ kind, plural }: KindNames): Resource {
  return { group, version, plural, kind };
}

export function aDatabase(namespace: string, name: string, metadata: ObjectMeta = {}) {
  return anObject(
    resourceOf(defaultNames.edb),
    { ...metadata, name, namespace },
    { spec: { memorySize: "1GB" } },
  );
}

/** The template that the tool ships, rendered for a namespace. */
export function aTemplate(namespace = "engine"): ValidatingWebhookConfiguration {
  const path = join(__dirname, "../../manifests/admission/webhook.yaml");
  const documents = parseDocuments(readFileSync(path, "utf8"), path);
  const rendered = renderTemplate(documents, namespace, defaultNames);
  if (rendered.is === "unfit") throw new Error(rendered.problems.join("; "));
  return rendered.configuration;
}

/** What may differ from a healthy configuration for the namespace `engine`. */
export interface ConfigurationChanges {
  readonly namespace?: string;
  readonly caBundle?: string;
  readonly metadata?: ObjectMeta;
  /** Laid over the one entry. */
  readonly entry?: ValidatingWebhook;
}

/** The configuration of the releases before 6.4.2: databases only. */
export function anOldConfiguration(
  changes: ConfigurationChanges = {},
): ValidatingWebhookConfiguration {
  return configuration(webhook.oldConfiguration, changes, {
    name: webhook.oldEntry,
    admissionReviewVersions: ["v1"],
    timeoutSeconds: 10,
    rules: [
      {
        apiGroups: [group],
        apiVersions: [version],
        operations: ["*"],
        resources: [defaultNames.edb.plural],
      },
    ],
  });
}

/** The present one, exactly as this tool writes it. */
export function aNewConfiguration(
  changes: ConfigurationChanges = {},
): ValidatingWebhookConfiguration {
  return configuration(webhook.configuration, changes, {
    name: webhook.entry,
    admissionReviewVersions: ["v1beta1"],
    timeoutSeconds: 30,
    rules: [
      {
        apiGroups: [group],
        apiVersions: [version],
        operations: ["CREATE", "UPDATE"],
        resources: [defaultNames.edb.plural, defaultNames.eaadb.plural, defaultNames.erc.plural],
      },
    ],
  });
}

function configuration(
  name: string,
  { namespace = "engine", caBundle = testCa, metadata = {}, entry = {} }: ConfigurationChanges,
  form: ValidatingWebhook,
): ValidatingWebhookConfiguration {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name, ...metadata, labels: { app: "engine-enterprise", ...metadata.labels } },
    webhooks: [
      {
        ...form,
        failurePolicy: "Fail",
        matchPolicy: "Exact",
        sideEffects: "None",
        clientConfig: {
          service: { name: webhook.service, namespace, path: webhook.path },
          caBundle,
        },
        ...entry,
      },
    ],
  };
}

/** What marks an object as someone else's. */
export const ownerMarks = {
  Helm: {
    labels: { "app.kubernetes.io/managed-by": "Helm" },
    annotations: { "meta.helm.sh/release-name": "engine" },
  },
  OLM: { labels: { "olm.owner": "engine-enterprise-operator.v8.0.20-23" } },
  "Argo CD": { annotations: { "argocd.argoproj.io/tracking-id": "engine" } },
  Flux: { labels: { "kustomize.toolkit.fluxcd.io/name": "engine" } },
} as const satisfies Readonly<Record<string, ObjectMeta>>;
