/** The same bundle in other words than the API server's: it stores all of this in a form of its own. */
import type { KubeObject } from "../../../plugin/domain/kube/objects";
import { isObject, type Json } from "../../../plugin/domain/base/values";

/** `cpu: 4` as `4000m` and so on; defaults left out, and empty values where nothing is meant. */
export function spelledOtherwise(object: KubeObject): KubeObject {
  const copy = JSON.parse(JSON.stringify(object)) as KubeObject;
  const change = changes[copy.kind];
  const metadata = { ...copy.metadata, creationTimestamp: null } as KubeObject["metadata"];
  return { ...copy, ...change?.(copy), metadata };
}

const changes: Readonly<Record<string, (object: KubeObject) => object>> = {
  Deployment: ({ spec }) => ({ spec: deploymentSpec(spec as Json), status: {} }),
  Service: ({ spec }) => ({
    spec: {
      ...(spec as Json),
      externalIPs: [],
      ports: [{ port: 443, targetPort: 8443 }],
    },
    status: { loadBalancer: {} },
  }),
  CustomResourceDefinition: ({ spec }) => ({
    spec: { ...(withEmpty(spec) as Json), preserveUnknownFields: false },
    status: { acceptedNames: { kind: "", plural: "" }, conditions: [], storedVersions: [] },
  }),
  ServiceAccount: () => ({ secrets: [], imagePullSecrets: null }),
};

function deploymentSpec(spec: Json): Json {
  const template = spec["template"] as Json;
  const pod = template["spec"] as Json;
  const { serviceAccountName, containers, ...rest } = pod;
  return {
    ...spec,
    minReadySeconds: 0,
    paused: false,
    template: {
      metadata: { ...(template["metadata"] as Json), creationTimestamp: null },
      spec: {
        ...rest,
        serviceAccount: serviceAccountName,
        hostNetwork: false,
        nodeSelector: {},
        tolerations: [],
        volumes: [{ name: "scratch", emptyDir: { medium: "", sizeLimit: "1024Mi" } }],
        containers: (containers as readonly Json[]).map(containerWords),
      },
    },
  };
}

function containerWords({ ports, env, livenessProbe, readinessProbe, ...rest }: Json): Json {
  const probe = (given: unknown): Json => ({
    ...(given as Json),
    initialDelaySeconds: 0,
    failureThreshold: 3,
  });
  return {
    ...rest,
    stdin: false,
    args: [],
    env: [
      { name: "EMPTY", value: "" },
      {
        name: "CPUS",
        valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: 1 } },
      },
      ...(env as readonly Json[]),
    ],
    ports: (ports as readonly Json[]).map(({ name, containerPort }) => ({
      ...(name !== undefined && { name }),
      containerPort,
    })),
    ...(livenessProbe !== undefined && { livenessProbe: probe(livenessProbe) }),
    ...(readinessProbe !== undefined && { readinessProbe: probe(readinessProbe) }),
    resources: {
      limits: { cpu: "4000m", memory: "0.5Gi", "ephemeral-storage": "2048Mi" },
      requests: { cpu: 0.5, memory: "262144Ki", "ephemeral-storage": "1e9" },
    },
    volumeMounts: [{ name: "scratch", mountPath: "/scratch", readOnly: false, subPath: "" }],
  };
}

/** Every schema says what it is by default. */
function withEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withEmpty);
  if (!isObject(value)) return value;
  const inner = Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, withEmpty(each)]),
  );
  const isSchema = typeof inner["type"] === "string" && inner["jsonPath"] === undefined;
  return isSchema ? { ...inner, nullable: false, title: "" } : inner;
}
