/** What makes and keeps Pods. */
import type { KubeObject } from "../../../run/ports";
import { isObject, type Json } from "../../../domain/values";
import { oldLabelRule } from "../names";
import { anything, boolean, count, flag, int32, intOrString, kept, listOf } from "../shapes";
import { openStruct, preset, string, struct } from "../shapes";
import type { BuiltIn } from "./definition";
import { completePod, podErrors, podSpec, podTemplate } from "./pod";
import { labelSelector } from "./selector";
import {
  frozenStatefulSet,
  immutableSelector,
  strategyErrors,
  workloadErrors,
} from "./workload-rules";
import { conditions } from "./conditions";

const apps = { group: "apps", version: "v1", namespaced: true, hasStatus: true } as const;
const status = (go: string, value: Json = {}) => preset(openStruct(go, { conditions }), value);

const replicated = {
  replicas: preset(int32, 1),
  selector: labelSelector,
  template: preset(podTemplate, {}),
  minReadySeconds: count,
};

/** Pods of their own have one default more than those that others make. */
const podFields = { ...podSpec.fields, enableServiceLinks: preset(boolean, true) };

/** The kinds that run Pods. */
export const podKinds: readonly BuiltIn[] = [
  {
    group: "",
    version: "v1",
    kind: "Pod",
    plural: "pods",
    namespaced: true,
    hasStatus: true,
    counted: true,
    fields: {
      spec: preset(openStruct("PodSpec", podFields), {}),
      status: status("PodStatus", { phase: "Pending" }),
    },
    complete: (object) => ({ ...object, spec: completePod(object["spec"]) }),
    judge: (object) => podErrors(object, ["spec"]),
  },
  {
    ...apps,
    kind: "Deployment",
    plural: "deployments",
    counted: true,
    fields: {
      spec: preset(
        struct("DeploymentSpec", {
          ...replicated,
          strategy: preset(
            struct("DeploymentStrategy", {
              type: preset(string, "RollingUpdate"),
              rollingUpdate: struct("RollingUpdateDeployment", {
                maxUnavailable: preset(intOrString, "25%"),
                maxSurge: preset(intOrString, "25%"),
              }),
            }),
            {},
          ),
          revisionHistoryLimit: preset(int32, 10),
          paused: flag,
          progressDeadlineSeconds: preset(int32, 600),
        }),
        {},
      ),
      status: status("DeploymentStatus"),
    },
    complete: (object) => completeTemplate(withRollingUpdate(object)),
    judge: (object, before) => [
      ...workloadErrors(object, "deployment"),
      ...strategyErrors(object),
      ...immutableSelector(object, before),
    ],
  },
  {
    ...apps,
    kind: "ReplicaSet",
    plural: "replicasets",
    counted: true,
    fields: {
      spec: preset(struct("ReplicaSetSpec", replicated), {}),
      status: status("ReplicaSetStatus", { replicas: 0 }),
    },
    complete: completeTemplate,
    judge: (object, before) => [
      ...workloadErrors(object, "replica set"),
      ...immutableSelector(object, before),
    ],
  },
  {
    ...apps,
    kind: "StatefulSet",
    plural: "statefulsets",
    counted: true,
    name: oldLabelRule,
    fields: {
      spec: preset(
        openStruct("StatefulSetSpec", {
          ...replicated,
          serviceName: kept(string),
          volumeClaimTemplates: listOf(anything),
          podManagementPolicy: preset(string, "OrderedReady"),
          updateStrategy: preset(
            openStruct("StatefulSetUpdateStrategy", {
              type: string,
              rollingUpdate: openStruct("RollingUpdateStatefulSetStrategy", {
                partition: preset(int32, 0),
              }),
            }),
            { type: "RollingUpdate", rollingUpdate: {} },
          ),
          revisionHistoryLimit: preset(int32, 10),
          persistentVolumeClaimRetentionPolicy: preset(
            struct("StatefulSetPersistentVolumeClaimRetentionPolicy", {
              whenDeleted: preset(string, "Retain"),
              whenScaled: preset(string, "Retain"),
            }),
            {},
          ),
        }),
        {},
      ),
      status: status("StatefulSetStatus", { replicas: 0, availableReplicas: 0 }),
    },
    complete: completeTemplate,
    judge: (object, before) => [
      ...workloadErrors(object, "statefulset"),
      ...frozenStatefulSet(object, before),
    ],
  },
  {
    ...apps,
    group: "batch",
    kind: "Job",
    plural: "jobs",
    counted: true,
    fields: {
      spec: preset(
        openStruct("JobSpec", {
          parallelism: preset(int32, 1),
          completions: preset(int32, 1),
          backoffLimit: preset(int32, 6),
          selector: labelSelector,
          template: preset(podTemplate, {}),
          completionMode: preset(string, "NonIndexed"),
          suspend: preset(boolean, false),
          manualSelector: boolean,
          podReplacementPolicy: preset(string, "TerminatingOrFailed"),
        }),
        {},
      ),
      status: preset(openStruct("JobStatus", {}), {}),
    },
    complete: completeTemplate,
    judge: (object) => podErrors(object, ["spec", "template", "spec"]),
  },
];

function withSpec(object: KubeObject, change: (spec: Json) => Json): KubeObject {
  const { spec } = object;
  return isObject(spec) ? { ...object, spec: change(spec) } : object;
}

function completeTemplate(object: KubeObject): KubeObject {
  return withSpec(object, (spec) => {
    const template = isObject(spec["template"]) ? spec["template"] : {};
    return {
      ...spec,
      template: { metadata: {}, ...template, spec: completePod(template["spec"]) },
    };
  });
}

/** Limits of a rolling update are filled in only where there is one. */
function withRollingUpdate(object: KubeObject): KubeObject {
  return withSpec(object, (spec) => {
    const strategy = isObject(spec["strategy"]) ? spec["strategy"] : {};
    if (strategy["type"] !== "RollingUpdate" || strategy["rollingUpdate"] !== undefined) {
      return spec;
    }
    const rollingUpdate = { maxUnavailable: "25%", maxSurge: "25%" };
    return { ...spec, strategy: { ...strategy, rollingUpdate } };
  });
}
