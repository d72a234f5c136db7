import { appGroup, type KubeObject, type Metadata } from "./api";
import { serviceName } from "./operator";

/*
 * The names are spelled out here and not taken from the product: a harness that shared them could
 * not notice a wrong one.
 */
export const oldConfigurationName = "edb-admission";
export const newConfigurationName = "engine-enterprise-admission";
export const oldEntryName = "edb.admission.engine";
export const newEntryName = "redisenterprise.admission.engine";

export interface ConfigurationOptions {
  /** The namespace of the Service; a left-over placeholder is written here as well. */
  readonly namespace: string;
  /** Base64 of the PEM; empty as in the template, when not given. */
  readonly caBundle?: string;
  readonly metadata?: Omit<Metadata, "name">;
  readonly service?: Readonly<Record<string, unknown>>;
  readonly rule?: Readonly<Record<string, unknown>>;
  /** Laid over the one entry: selectors, matchConditions, failurePolicy, timeoutSeconds … */
  readonly entry?: Readonly<Record<string, unknown>>;
}

/** The configuration of the releases before 6.4.2: databases only. */
export function oldConfiguration(options: ConfigurationOptions): KubeObject {
  return configuration(oldConfigurationName, options, {
    name: oldEntryName,
    admissionReviewVersions: ["v1"],
    timeoutSeconds: 10,
    operations: ["CREATE", "UPDATE"],
    resources: ["engineenterprisedatabases"],
  });
}

/** The present one, as the template has it once placeholder and CA are filled in. */
export function newConfiguration(options: ConfigurationOptions): KubeObject {
  return configuration(newConfigurationName, options, {
    name: newEntryName,
    admissionReviewVersions: ["v1beta1"],
    timeoutSeconds: 30,
    operations: ["CREATE", "UPDATE"],
    resources: [
      "engineenterprisedatabases",
      "engineenterpriseactiveactivedatabases",
      "engineenterpriseremoteclusters",
    ],
  });
}

interface Form {
  readonly name: string;
  readonly admissionReviewVersions: readonly string[];
  readonly timeoutSeconds: number;
  readonly operations: readonly string[];
  readonly resources: readonly string[];
}

function configuration(
  name: string,
  {
    namespace,
    caBundle = "",
    metadata = {},
    service = {},
    rule = {},
    entry = {},
  }: ConfigurationOptions,
  { operations, resources, ...form }: Form,
): KubeObject {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { ...metadata, name, labels: { app: "engine-enterprise", ...metadata.labels } },
    webhooks: [
      {
        ...form,
        failurePolicy: "Fail",
        matchPolicy: "Exact",
        sideEffects: "None",
        clientConfig: {
          service: { name: serviceName, namespace, path: "/admission", ...service },
          caBundle,
        },
        rules: [
          { apiGroups: [appGroup], apiVersions: ["v1alpha1"], operations, resources, ...rule },
        ],
        ...entry,
      },
    ],
  };
}

/** What marks an object as someone else's, who would revert or fight a change of ours. */
export const owners = {
  Helm: {
    labels: { "app.kubernetes.io/managed-by": "Helm" },
    annotations: {
      "meta.helm.sh/release-name": "engine",
      "meta.helm.sh/release-namespace": "engine",
    },
  },
  OLM: {
    labels: {
      "olm.owner": "engine-enterprise-operator.v8.0.20-23",
      "olm.owner.kind": "ClusterServiceVersion",
    },
  },
  "Argo CD": {
    annotations: {
      "argocd.argoproj.io/tracking-id":
        "engine:admissionregistration.k8s.io/ValidatingWebhookConfiguration:/engine-enterprise-admission",
    },
  },
  Flux: {
    labels: {
      "kustomize.toolkit.fluxcd.io/name": "engine",
      "kustomize.toolkit.fluxcd.io/namespace": "flux-system",
    },
  },
} as const satisfies Readonly<Record<string, Omit<Metadata, "name">>>;
