/** What a Pod is made of, as far as it merges in its own way or has defaults. */
import { at, isObject, type Json, list, own, text } from "../../../domain/values";
import { type FieldError, required } from "../refusal";
import { objectMeta } from "../metadata-schema";
import { anything, boolean, count, flag, int32, int64, intOrString } from "../shapes";
import { kept, listOf, mapOf, openStruct, preset, quantity, string } from "../shapes";
import { struct, valuesOf, whole } from "../shapes";

const keySelector = (go: string) => whole(openStruct(go, { name: string, key: string }));

const env = mapOf(
  ["name"],
  struct("EnvVar", {
    name: string,
    value: string,
    valueFrom: openStruct("EnvVarSource", {
      fieldRef: whole(
        struct("ObjectFieldSelector", { apiVersion: preset(string, "v1"), fieldPath: string }),
      ),
      configMapKeyRef: keySelector("ConfigMapKeySelector"),
      secretKeyRef: keySelector("SecretKeySelector"),
      resourceFieldRef: whole(
        struct("ResourceFieldSelector", {
          containerName: string,
          resource: string,
          divisor: preset(quantity, "0"),
        }),
      ),
    }),
  }),
);

const probe = openStruct("Probe", {
  httpGet: openStruct("HTTPGetAction", {
    path: preset(string, "/"),
    port: intOrString,
    scheme: preset(string, "HTTP"),
  }),
  initialDelaySeconds: count,
  timeoutSeconds: preset(count, 1),
  periodSeconds: preset(count, 10),
  successThreshold: preset(count, 1),
  failureThreshold: preset(count, 3),
});

const container = openStruct("Container", {
  name: string,
  image: string,
  command: listOf(string),
  args: listOf(string),
  workingDir: string,
  ports: mapOf(
    ["containerPort", "protocol"],
    openStruct("ContainerPort", {
      name: string,
      containerPort: int32,
      protocol: preset(string, "TCP"),
    }),
  ),
  env,
  envFrom: listOf(anything),
  resources: preset(
    openStruct("ResourceRequirements", {
      claims: mapOf(["name"], openStruct("ResourceClaim", { name: string })),
      limits: valuesOf(quantity),
      requests: valuesOf(quantity),
    }),
    {},
  ),
  volumeMounts: mapOf(
    ["mountPath"],
    openStruct("VolumeMount", {
      name: string,
      mountPath: string,
      subPath: string,
      readOnly: flag,
    }),
  ),
  volumeDevices: mapOf(["devicePath"], openStruct("VolumeDevice", { devicePath: string })),
  livenessProbe: probe,
  readinessProbe: probe,
  startupProbe: probe,
  terminationMessagePath: preset(string, "/dev/termination-log"),
  terminationMessagePolicy: preset(string, "File"),
  imagePullPolicy: string,
  stdin: flag,
  stdinOnce: flag,
  tty: flag,
});

const containers = mapOf(["name"], container);

const volume = openStruct("Volume", {
  name: string,
  emptyDir: struct("EmptyDirVolumeSource", { medium: string, sizeLimit: quantity }),
  secret: openStruct("SecretVolumeSource", { defaultMode: preset(int32, 420) }),
  configMap: openStruct("ConfigMapVolumeSource", { defaultMode: preset(int32, 420) }),
  projected: openStruct("ProjectedVolumeSource", { defaultMode: preset(int32, 420) }),
});

/** The spec of a Pod. */
export const podSpec = openStruct("PodSpec", {
  containers: kept(containers),
  initContainers: containers,
  ephemeralContainers: containers,
  volumes: mapOf(["name"], volume),
  imagePullSecrets: mapOf(["name"], whole(struct("LocalObjectReference", { name: string }))),
  hostAliases: mapOf(["ip"], openStruct("HostAlias", { ip: string })),
  topologySpreadConstraints: mapOf(
    ["topologyKey", "whenUnsatisfiable"],
    openStruct("TopologySpreadConstraint", { topologyKey: string, whenUnsatisfiable: string }),
  ),
  tolerations: listOf(openStruct("Toleration", {})),
  nodeSelector: whole(valuesOf(string)),
  restartPolicy: preset(string, "Always"),
  terminationGracePeriodSeconds: preset(int64, 30),
  dnsPolicy: preset(string, "ClusterFirst"),
  serviceAccountName: string,
  serviceAccount: string,
  automountServiceAccountToken: boolean,
  hostNetwork: flag,
  hostPID: flag,
  hostIPC: flag,
  securityContext: preset(openStruct("PodSecurityContext", {}), {}),
  schedulerName: preset(string, "default-scheduler"),
});

/** A Pod as a Deployment and its like make them. */
export const podTemplate = struct("PodTemplateSpec", {
  metadata: objectMeta,
  spec: preset(podSpec, {}),
});

/** A spec with what its images and service account imply. */
export function completePod(spec: unknown): unknown {
  if (!isObject(spec)) return spec;
  const account = text(spec["serviceAccountName"]) ?? text(spec["serviceAccount"]);
  return {
    ...spec,
    ...(account !== undefined && { serviceAccountName: account, serviceAccount: account }),
    ...completed(spec, "containers"),
    ...completed(spec, "initContainers"),
  };
}

function completed(spec: Json, key: string): Json {
  if (spec[key] === undefined) return {};
  return {
    [key]: list(spec[key]).map((item) =>
      isObject(item) ? { ...item, imagePullPolicy: pullPolicy(item) } : item,
    ),
  };
}

function pullPolicy(item: Json): unknown {
  const image = text(item["image"]) ?? "";
  const name = image.slice(image.lastIndexOf("/") + 1);
  const isLatest = !/[:@]/.test(name) || name.endsWith(":latest");
  return item["imagePullPolicy"] ?? (isLatest ? "Always" : "IfNotPresent");
}

/** What is wrong with a Pod's spec, as far as it keeps Pods from being named and started. */
export function podErrors(object: unknown, path: readonly string[]): readonly FieldError[] {
  const field = [...path, "containers"].join(".");
  const items = list(at(object, [...path, "containers"]));
  if (items.length === 0) return [required(field)];
  return items.flatMap((item, index) =>
    ["name", "image"]
      .filter((key) => text(own(item, key)) === undefined)
      .map((key) => required(`${field}[${index}].${key}`)),
  );
}
