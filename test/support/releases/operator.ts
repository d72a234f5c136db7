/** The operator's Deployment, Service and account, as a bundle has them (domain facts 8). */
import { defaultNames as names } from "../../../plugin/domain/names/names";
import type { KubeObject } from "../../../plugin/domain/kube/objects";
import { releaseShapes, type ReleaseVersion } from "./versions";

const labels = { app: names.operator.appLabel };
const podLabels = { ...labels, name: names.operator.podLabel };

/** What a Deployment is made for; a chart puts its own expressions here. */
export interface DeploymentParts {
  readonly version: ReleaseVersion;
  /** `true`, `false`, or the expression of a chart. */
  readonly openshift: string;
  readonly image: string;
}

/** The operator's Deployment: two containers of one image. */
export function deployment({ version, openshift, image }: DeploymentParts): KubeObject {
  const platform = releaseShapes[version].unprivileged ? "IS_OPENSHIFT" : "DEPLOY_RHEL";
  const env = [
    { name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
    { name: "WATCH_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
    { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
    { name: "OPERATOR_NAME", value: names.operator.deployment },
    { name: platform, value: openshift },
  ];
  const common = {
    image,
    imagePullPolicy: "Always",
    env,
    envFrom: [{ configMapRef: { name: names.configMap.name, optional: true } }],
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
    resources: {
      limits: { cpu: "4", memory: "512Mi" },
      requests: { cpu: "500m", memory: "256Mi" },
    },
  };
  const probe = (path: string): object => ({
    failureThreshold: 3,
    httpGet: { path, port: 8443, scheme: "HTTPS" },
  });
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: names.operator.deployment, labels },
    spec: {
      replicas: 1,
      strategy: { type: "Recreate" },
      selector: { matchLabels: { name: names.operator.podLabel } },
      template: {
        metadata: { labels: podLabels },
        spec: {
          serviceAccountName: names.operator.serviceAccount,
          securityContext: { runAsNonRoot: true },
          containers: [
            {
              name: names.operator.container,
              ...common,
              ports: [{ containerPort: 8080, protocol: "TCP" }],
            },
            {
              name: names.operator.admissionContainer,
              ...common,
              command: ["/usr/local/bin/admission"],
              ports: [{ containerPort: 8443, name: "http", protocol: "TCP" }],
              livenessProbe: probe("/liveness"),
              readinessProbe: probe("/readiness"),
            },
          ],
        },
      },
    },
  };
}

/** The Service in front of the admission server. */
export function service(): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: names.webhook.service, labels },
    spec: {
      selector: { name: names.operator.podLabel },
      ports: [{ port: 443, targetPort: 8443, protocol: "TCP" }],
    },
  };
}

/** The operator's service account. */
export function serviceAccount(): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: names.operator.serviceAccount, labels },
  };
}
