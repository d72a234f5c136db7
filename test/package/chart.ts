/** The webhook's chart as a real helm renders it, and the values that it is rendered with. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dump, loadAll } from "js-yaml";
import type { KubeObject } from "../control-plane/api";
import { makePair } from "../control-plane/certificate";
import { repositoryRoot } from "../control-plane/pins";
import { run, type RunResult } from "../control-plane/run";
import { asArray, getPath } from "../../plugin/domain/base/values";
import { defaultNames } from "../../plugin/domain/names/names";
import { everyOverride, renamed } from "../support/renamed";

export const chartDir = join(repositoryRoot, "manifests/chart/engine-webhook");
export const chartFile = (path: string): string => readFileSync(join(chartDir, path), "utf8");

export const release = "guard";
export const namespace = defaultNames.companion.namespace;

export type Values = Readonly<Record<string, unknown>>;
/** Objects by KIND/NAME. */
export type Objects = ReadonlyMap<string, KubeObject>;

/** The one required value. */
export const image = { repository: "private-registry/engine/webhook" };

/** A helm that was built without the stamp of its libraries takes the cluster for an old one. */
export const templateArgs = (chart = chartDir): readonly string[] => [
  "template",
  release,
  chart,
  "--kube-version",
  "1.34.0",
];

export class Helm {
  constructor(
    private readonly program: string,
    private readonly folder: string,
    private readonly env: NodeJS.ProcessEnv = { PATH: process.env["PATH"], HOME: folder },
  ) {}

  /** Runs a command; `values` become the file of `--values`. */
  async run(args: readonly string[], values?: Values, inside = namespace): Promise<RunResult> {
    const given = values === undefined ? [] : ["--values", this.write(values)];
    return run(this.program, [...args, ...given, "--namespace", inside], { env: this.env });
  }

  /** As `run`; a refusal is an error. */
  async done(args: readonly string[], values?: Values, inside?: string): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, values, inside);
    if (code !== 0) throw new Error(`helm ${args.join(" ")}: ${stderr}${stdout}`);
    return stdout;
  }

  async template(values: Values, inside?: string, chart = chartDir): Promise<string> {
    return this.done(templateArgs(chart), { image, ...values }, inside);
  }

  private written = 0;

  private write(values: Values): string {
    this.written += 1;
    const file = join(this.folder, `values-${String(this.written)}.yaml`);
    writeFileSync(file, dump(values));
    return file;
  }
}

export function objectsOf(text: string): Objects {
  const objects = (loadAll(text) as (KubeObject | null)[]).filter((object) => object !== null);
  return new Map(objects.map((object) => [`${object.kind}/${object.metadata.name}`, object]));
}

const ca = makePair({ namespace }).cert;
const digest = `sha256:${"a".repeat(64)}`;

/** The one container of a Deployment's pods. */
export function containerOf(deployment: KubeObject | undefined): unknown {
  return asArray(getPath(deployment, ["spec", "template", "spec", "containers"]))[0];
}

/** A set of values, and parts of what it has to bring; undefined: that object is not there. */
export interface ValueSet {
  readonly values: Values;
  readonly namespace?: string;
  readonly gives: Readonly<Record<string, object | undefined>>;
}

const podSpec = (spec: object): object => ({ spec: { template: { spec } } });
const container = (fields: object): object => podSpec({ containers: [fields] });
const tlsVolume = (secretName: string, cert: string, privateKey: string): object =>
  podSpec({
    volumes: [
      {
        secret: {
          secretName,
          items: [
            { key: cert, path: "cert" },
            { key: privateKey, path: "privateKey" },
          ],
        },
      },
    ],
  });
const enabled = { enabled: true };
const labels = { release: "prometheus" };

export const valueSets: Readonly<Record<string, ValueSet>> = {
  "the image alone": {
    values: {},
    gives: {
      "Deployment/engine-webhook": container({ image: `${image.repository}:0.1.0` }),
      "Deployment/engine-webhook-renewal": container({ image: `${image.repository}:0.1.0` }),
      "Certificate/admission-tls": undefined,
      "PrometheusRule/engine-webhook": undefined,
      "ServiceMonitor/engine-webhook": undefined,
      "ConfigMap/engine-webhook-dashboard": undefined,
    },
  },
  "an image by its digest, with a pull secret": {
    values: { image: { ...image, digest, tag: "x" }, imagePullSecrets: [{ name: "mirror" }] },
    gives: {
      "Deployment/engine-webhook": podSpec({
        imagePullSecrets: [{ name: "mirror" }],
        containers: [{ image: `${image.repository}@${digest}` }],
      }),
    },
  },
  "a certificate by cert-manager": {
    values: { certificate: { certManager: { name: "corporate", kind: "ClusterIssuer" } } },
    gives: {
      "Certificate/admission-tls": {
        spec: {
          secretName: "admission-tls",
          dnsNames: [namespace, `${namespace}.svc`, `${namespace}.svc.cluster.local`].map(
            (host) => `admission.${host}`,
          ),
          issuerRef: { name: "corporate", kind: "ClusterIssuer" },
        },
      },
      "ValidatingWebhookConfiguration/engine-enterprise-admission": {
        metadata: {
          annotations: { "cert-manager.io/inject-ca-from": `${namespace}/admission-tls` },
        },
      },
      "Deployment/engine-webhook": tlsVolume("admission-tls", "tls.crt", "tls.key"),
      "Deployment/engine-webhook-renewal": undefined,
      "Role/engine-webhook-own-cert": undefined,
    },
  },
  "a certificate that is given, as the plugin makes it": {
    values: { certificate: { secret: { name: "mine", ca } } },
    gives: {
      "Deployment/engine-webhook": tlsVolume("mine", "cert", "privateKey"),
      "ValidatingWebhookConfiguration/engine-enterprise-admission": {
        webhooks: [{ clientConfig: { caBundle: Buffer.from(ca).toString("base64") } }],
      },
      "Deployment/engine-webhook-renewal": undefined,
      "ClusterRole/engine-webhook-own-cert": undefined,
    },
  },
  "a certificate that is given, of the TLS type": {
    values: {
      certificate: { secret: { name: "web", ca, cert: "tls.crt", privateKey: "tls.key" } },
    },
    gives: { "Deployment/engine-webhook": tlsVolume("web", "tls.crt", "tls.key") },
  },
  "a registration for some namespaces and objects": {
    values: {
      registration: {
        failurePolicy: "Ignore",
        timeoutSeconds: 5,
        namespaceSelector: { matchLabels: { tier: "data" } },
        objectSelector: { matchExpressions: [{ key: "free", operator: "DoesNotExist" }] },
      },
    },
    gives: {
      "ValidatingWebhookConfiguration/engine-enterprise-admission": {
        webhooks: [
          {
            failurePolicy: "Ignore",
            timeoutSeconds: 5,
            namespaceSelector: { matchLabels: { tier: "data" } },
            objectSelector: { matchExpressions: [{ key: "free", operator: "DoesNotExist" }] },
          },
        ],
      },
    },
  },
  "no registration": {
    values: { registration: { create: false } },
    gives: { "ValidatingWebhookConfiguration/engine-enterprise-admission": undefined },
  },
  "many replicas, spread strictly": {
    values: {
      replicas: 5,
      drainSeconds: 40,
      priorityClassName: "system-cluster-critical",
      podDisruptionBudget: { maxUnavailable: "40%" },
      topologySpread: { keys: ["topology.kubernetes.io/zone"], whenUnsatisfiable: "DoNotSchedule" },
    },
    gives: {
      "Deployment/engine-webhook": {
        spec: {
          replicas: 5,
          template: {
            spec: {
              priorityClassName: "system-cluster-critical",
              terminationGracePeriodSeconds: 85,
              topologySpreadConstraints: [
                { topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "DoNotSchedule" },
              ],
            },
          },
        },
      },
      "PodDisruptionBudget/engine-webhook": { spec: { maxUnavailable: "40%" } },
    },
  },
  "neither policy nor budget": {
    values: { networkPolicy: { enabled: false }, podDisruptionBudget: { enabled: false } },
    gives: {
      "NetworkPolicy/engine-webhook": undefined,
      "NetworkPolicy/engine-webhook-renewal": undefined,
      "PodDisruptionBudget/engine-webhook": undefined,
    },
  },
  "other ports": {
    values: {
      port: 9443,
      metricsPort: 9090,
      networkPolicy: { metricsFrom: ["watchers"], apiServerPorts: [16443] },
    },
    gives: {
      "Service/admission": { spec: { ports: [{ port: 443, targetPort: 9443 }] } },
      "NetworkPolicy/engine-webhook": {
        spec: {
          ingress: [
            { ports: [{ port: 9443 }] },
            {
              from: [{ namespaceSelector: { matchExpressions: [{ values: ["watchers"] }] } }],
              ports: [{ port: 9090 }],
            },
          ],
          egress: [{ ports: [{ port: 16443 }] }],
        },
      },
      "Deployment/engine-webhook": container({
        ports: [{ containerPort: 9443 }, { containerPort: 9090 }],
        env: expect.arrayContaining([
          { name: "ENGINE_WEBHOOK_PORT", value: "9443" },
          { name: "ENGINE_WEBHOOK_METRICS_PORT", value: "9090" },
        ]) as unknown,
      }),
    },
  },
  "no plain port": {
    values: { metricsPort: 0 },
    gives: {
      "Deployment/engine-webhook": container({
        ports: [{ containerPort: 8443 }],
        livenessProbe: { httpGet: { scheme: "HTTPS", path: "/livez", port: "https" } },
        readinessProbe: { httpGet: { scheme: "HTTPS", path: "/readyz", port: "https" } },
      }),
      "NetworkPolicy/engine-webhook": { spec: { ingress: [{ ports: [{ port: 8443 }] }] } },
    },
  },
  "client certificates": {
    values: { settings: { ENGINE_WEBHOOK_CLIENT_CA: "/etc/callers/ca.pem" } },
    gives: {
      "Deployment/engine-webhook": container({
        livenessProbe: { httpGet: { path: "/livez", port: "metrics" } },
        readinessProbe: { httpGet: { path: "/readyz", port: "metrics" } },
      }),
    },
  },
  "all monitoring, by the Service": {
    values: {
      serviceMonitor: { ...enabled, labels, interval: "15s" },
      prometheusRule: { ...enabled, labels },
      dashboard: enabled,
    },
    gives: {
      "ServiceMonitor/engine-webhook": {
        metadata: { labels },
        spec: { endpoints: [{ port: "metrics", interval: "15s" }] },
      },
      "Service/engine-webhook-metrics": { spec: { ports: [{ name: "metrics", port: 8080 }] } },
      "PrometheusRule/engine-webhook": { metadata: { labels } },
      "ConfigMap/engine-webhook-dashboard": { metadata: { labels: { grafana_dashboard: "1" } } },
      "PodMonitor/engine-webhook": undefined,
    },
  },
  "monitoring by the pods": {
    values: { podMonitor: { ...enabled, labels } },
    gives: {
      "PodMonitor/engine-webhook": {
        metadata: { labels },
        spec: { podMetricsEndpoints: [{ port: "metrics", interval: "30s" }] },
      },
      "Service/engine-webhook-metrics": undefined,
    },
  },
  "settings, and where pods may run": {
    values: {
      operatorNamespace: "databases",
      settings: { ENGINE_WEBHOOK_RULES: "policy=warn", LOG_LEVEL: "debug" },
      volumes: [{ name: "callers", secret: { secretName: "callers" } }],
      volumeMounts: [{ name: "callers", mountPath: "/etc/callers", readOnly: true }],
      nodeSelector: { "kubernetes.io/os": "linux" },
      tolerations: [{ key: "infra", operator: "Exists" }],
      affinity: { nodeAffinity: {} },
      podLabels: { team: "data" },
      podAnnotations: { "sidecar.istio.io/inject": "false" },
    },
    gives: {
      "Deployment/engine-webhook": {
        spec: {
          template: {
            metadata: {
              labels: { team: "data" },
              annotations: { "sidecar.istio.io/inject": "false" },
            },
            spec: {
              nodeSelector: { "kubernetes.io/os": "linux" },
              tolerations: [{ key: "infra", operator: "Exists" }],
              volumes: [{ name: "tls" }, { name: "callers", secret: { secretName: "callers" } }],
              containers: [
                {
                  env: expect.arrayContaining([
                    { name: "ENGINE_NAMESPACE", value: "databases" },
                    { name: "ENGINE_WEBHOOK_RULES", value: "policy=warn" },
                    { name: "LOG_LEVEL", value: "debug" },
                  ]) as unknown,
                  volumeMounts: [{ name: "tls" }, { name: "callers", mountPath: "/etc/callers" }],
                },
              ],
            },
          },
        },
      },
      "Deployment/engine-webhook-renewal": container({
        env: [
          { name: "ENGINE_WEBHOOK_OWN_CERT", value: "true" },
          { name: "ENGINE_WEBHOOK_ROLE", value: "renew" },
          { name: "LOG_LEVEL", value: "debug" },
        ],
      }),
    },
  },
  "every name another": {
    values: { names: JSON.stringify(everyOverride) },
    namespace: renamed.companion.namespace,
    gives: {
      [`ValidatingWebhookConfiguration/${renamed.webhook.configuration}`]: {
        webhooks: [{ name: renamed.webhook.entry, rules: [{ apiGroups: [renamed.group] }] }],
      },
      [`ConfigMap/${renamed.companion.deployment}-names`]: {},
    },
  },
};

/** Values that the schema refuses, and what helm says of them. */
export const refusedValues: Readonly<Record<string, readonly [Values, RegExp]>> = {
  "no image": [{}, /repository/],
  "an empty repository": [{ image: { repository: "" } }, /repository/],
  "a repository with a capital": [{ image: { repository: "Registry/X" } }, /repository/],
  "a digest that is none": [{ image: { ...image, digest: "sha256:12" } }, /digest/],
  "a key that is none": [{ image, replicaCount: 3 }, /replicaCount/],
  "a key that is none, inside": [{ image, registration: { failPolicy: "Fail" } }, /failPolicy/],
  "a certificate in two ways": [
    { image, certificate: { certManager: { name: "a" }, secret: { name: "b", ca } } },
    /certificate/,
  ],
  "a given certificate that nobody trusts": [
    { image, certificate: { secret: { name: "b" } } },
    /certificate[./]secret/,
  ],
  "a CA that is no PEM": [{ image, certificate: { secret: { name: "b", ca: "LS0t" } } }, /ca/],
  "an item without the other": [
    { image, certificate: { secret: { name: "b", ca, cert: "tls.crt" } } },
    /certificate[./]secret/,
  ],
  "a kind of issuer without its name": [
    { image, certificate: { certManager: { kind: "Issuer" } } },
    /certManager/,
  ],
  "a port that needs root": [{ image, port: 443 }, /port/],
  "a port that is none": [{ image, metricsPort: 70_000 }, /metricsPort/],
  "client certificates without a port for probes": [
    { image, metricsPort: 0, settings: { ENGINE_WEBHOOK_CLIENT_CA: "/etc/ca.pem" } },
    /ENGINE_WEBHOOK_CLIENT_CA/,
  ],
  "a monitor without its port": [
    { image, metricsPort: 0, podMonitor: { enabled: true } },
    /podMonitor/,
  ],
  "a port as text": [{ image, port: "8443" }, /port/],
  "no replica": [{ image, replicas: 0 }, /replicas/],
  "a longer call than the API server allows": [
    { image, registration: { timeoutSeconds: 31 } },
    /timeoutSeconds/,
  ],
  "a failure policy that is none": [
    { image, registration: { failurePolicy: "fail" } },
    /failurePolicy/,
  ],
  "a setting that is no text": [{ image, settings: { LOG_LEVEL: 3 } }, /LOG_LEVEL/],
  "a setting that is no variable": [{ image, settings: { "log-level": "debug" } }, /log-level/],
  "a setting that the chart makes": [
    { image, settings: { ENGINE_WEBHOOK_PORT: "9443" } },
    /ENGINE_WEBHOOK_PORT/,
  ],
  "a policy without a port of the API server, which would open all": [
    { image, networkPolicy: { apiServerPorts: [] } },
    /apiServerPorts/,
  ],
  "a policy without a namespace that may read metrics": [
    { image, networkPolicy: { metricsFrom: [] } },
    /metricsFrom/,
  ],
  "names that are no text": [{ image, names: { group: "app.example.com" } }, /names/],
  "a namespace that is none": [{ image, operatorNamespace: "Engine" }, /operatorNamespace/],
  "an interval without a unit": [{ image, podMonitor: { interval: "30" } }, /interval/],
};
