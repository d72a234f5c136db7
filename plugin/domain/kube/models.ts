/**
 * Kubernetes' own kinds as JSON, made from the models of client-node. Nothing here leaves a line in the
 * program. Kinds of the operator have no model: their fields come from the names file, and they are read
 * with `getPath` and `asString`.
 */
import type {
  CoreV1Event,
  DiscoveryV1EndpointPort,
  RbacV1Subject,
  V1ClusterRole,
  V1ClusterRoleBinding,
  V1Condition,
  V1ConfigMap,
  V1Container,
  V1ContainerPort,
  V1ContainerState,
  V1ContainerStatus,
  V1CustomResourceConversion,
  V1CustomResourceDefinition,
  V1CustomResourceDefinitionCondition,
  V1CustomResourceDefinitionVersion,
  V1Deployment,
  V1DeploymentCondition,
  V1DeploymentStatus,
  V1Endpoint,
  V1EndpointSlice,
  V1EnvVar,
  V1IPBlock,
  V1Job,
  V1JobStatus,
  V1JSONSchemaProps,
  V1LabelSelector,
  V1Lease,
  V1MutatingWebhook,
  V1MutatingWebhookConfiguration,
  V1Namespace,
  V1NetworkPolicy,
  V1NetworkPolicyIngressRule,
  V1NetworkPolicyPeer,
  V1NetworkPolicyPort,
  V1Node,
  V1NodeSelectorRequirement,
  V1PersistentVolumeClaim,
  V1Pod,
  V1PodCondition,
  V1PodDisruptionBudget,
  V1PodSpec,
  V1PodStatus,
  V1PodTemplateSpec,
  V1PolicyRule,
  V1Probe,
  V1ReplicaSet,
  V1ReplicaSetStatus,
  V1ResourceQuota,
  V1Role,
  V1RoleBinding,
  V1RoleRef,
  V1RollingUpdateDeployment,
  V1RuleWithOperations,
  V1Secret,
  V1SecurityContext,
  V1Service,
  V1ServiceAccount,
  V1ServicePort,
  V1ServiceSpec,
  V1StatefulSet,
  V1StatefulSetSpec,
  V1StatefulSetStatus,
  V1StatefulSetUpdateStrategy,
  V1SubjectAccessReviewSpec,
  V1Taint,
  V1Toleration,
  V1ValidatingWebhook,
  V1ValidatingWebhookConfiguration,
  V1Volume,
  V1VolumeAttachment,
} from "@kubernetes/client-node";
import type { ObjectMeta } from "./objects";

/** The name of a field in JSON; client-node has another one where JavaScript does not allow it. */
type FieldName<Key, Model> = Key extends "ref" | "schema"
  ? // only the model of a schema has them with a dollar sign
    "x_kubernetes_validations" extends keyof Model
    ? `$${Key}`
    : Key
  : Key extends `x_kubernetes_${infer Rest}`
    ? `x-kubernetes-${Dashed<Rest>}`
    : Key extends `_${infer Rest}`
      ? Rest
      : Key;

type Dashed<Text extends string> = Text extends `${infer Head}_${infer Rest}`
  ? `${Head}-${Dashed<Rest>}`
  : Text;

/**
 * A model as JSON: times are texts, lists are readonly, and every field may be absent or null, as Go
 * writes an empty list (`rules`, `endpoints`).
 */
type Raw<Model> = unknown extends Model
  ? unknown
  : Model extends Date
    ? string
    : Model extends readonly (infer Item)[]
      ? readonly Raw<Item>[]
      : Model extends object
        ? string extends keyof Model
          ? { readonly [key: string]: Raw<Model[keyof Model]> }
          : {
              readonly [Key in keyof Model as FieldName<Key, Model>]?:
                Raw<Model[Key]> | null | undefined;
            }
        : Model;

/** The models by kind. */
interface Models {
  readonly ClusterRole: V1ClusterRole;
  readonly ClusterRoleBinding: V1ClusterRoleBinding;
  readonly ConfigMap: V1ConfigMap;
  readonly CustomResourceDefinition: V1CustomResourceDefinition;
  readonly Deployment: V1Deployment;
  readonly EndpointSlice: V1EndpointSlice;
  readonly Event: CoreV1Event;
  readonly Job: V1Job;
  readonly Lease: V1Lease;
  readonly MutatingWebhookConfiguration: V1MutatingWebhookConfiguration;
  readonly Namespace: V1Namespace;
  readonly NetworkPolicy: V1NetworkPolicy;
  readonly Node: V1Node;
  readonly PersistentVolumeClaim: V1PersistentVolumeClaim;
  readonly Pod: V1Pod;
  readonly PodDisruptionBudget: V1PodDisruptionBudget;
  readonly ReplicaSet: V1ReplicaSet;
  readonly ResourceQuota: V1ResourceQuota;
  readonly Role: V1Role;
  readonly RoleBinding: V1RoleBinding;
  readonly Secret: V1Secret;
  readonly Service: V1Service;
  readonly ServiceAccount: V1ServiceAccount;
  readonly StatefulSet: V1StatefulSet;
  readonly ValidatingWebhookConfiguration: V1ValidatingWebhookConfiguration;
  readonly VolumeAttachment: V1VolumeAttachment;
}

/** A kind that Kubernetes has itself and that is judged or built here. */
export type BuiltInKind = keyof Models;

/** An object of that kind as it was read or is to be sent. Its kind keeps a Service from passing as a Pod. */
export type Typed<Kind extends BuiltInKind> = {
  readonly apiVersion: string;
  readonly kind: Kind;
  readonly metadata: ObjectMeta;
} & Raw<Omit<Models[Kind], "apiVersion" | "kind" | "metadata">>;

export type ClusterRole = Typed<"ClusterRole">;
export type ClusterRoleBinding = Typed<"ClusterRoleBinding">;
export type ConfigMap = Typed<"ConfigMap">;
export type CustomResourceDefinition = Typed<"CustomResourceDefinition">;
export type Deployment = Typed<"Deployment">;
export type EndpointSlice = Typed<"EndpointSlice">;
export type Event = Typed<"Event">;
export type Job = Typed<"Job">;
export type Lease = Typed<"Lease">;
export type MutatingWebhookConfiguration = Typed<"MutatingWebhookConfiguration">;
export type Namespace = Typed<"Namespace">;
export type NetworkPolicy = Typed<"NetworkPolicy">;
export type Node = Typed<"Node">;
export type PersistentVolumeClaim = Typed<"PersistentVolumeClaim">;
export type Pod = Typed<"Pod">;
export type PodDisruptionBudget = Typed<"PodDisruptionBudget">;
export type ReplicaSet = Typed<"ReplicaSet">;
export type ResourceQuota = Typed<"ResourceQuota">;
export type Role = Typed<"Role">;
export type RoleBinding = Typed<"RoleBinding">;
export type Secret = Typed<"Secret">;
export type Service = Typed<"Service">;
export type ServiceAccount = Typed<"ServiceAccount">;
export type StatefulSet = Typed<"StatefulSet">;
export type ValidatingWebhookConfiguration = Typed<"ValidatingWebhookConfiguration">;
export type VolumeAttachment = Typed<"VolumeAttachment">;

export type AccessReviewSpec = Raw<V1SubjectAccessReviewSpec>;
export type Condition = Raw<V1Condition>;
export type Container = Raw<V1Container>;
export type ContainerPort = Raw<V1ContainerPort>;
export type ContainerState = Raw<V1ContainerState>;
export type ContainerStatus = Raw<V1ContainerStatus>;
export type DefinitionCondition = Raw<V1CustomResourceDefinitionCondition>;
export type DefinitionConversion = Raw<V1CustomResourceConversion>;
export type DefinitionVersion = Raw<V1CustomResourceDefinitionVersion>;
export type DeploymentCondition = Raw<V1DeploymentCondition>;
export type DeploymentStatus = Raw<V1DeploymentStatus>;
export type Endpoint = Raw<V1Endpoint>;
export type EndpointPort = Raw<DiscoveryV1EndpointPort>;
export type EnvVar = Raw<V1EnvVar>;
export type IngressRule = Raw<V1NetworkPolicyIngressRule>;
export type IpBlock = Raw<V1IPBlock>;
export type JobStatus = Raw<V1JobStatus>;
export type LabelSelector = Raw<V1LabelSelector>;
export type MutatingWebhook = Raw<V1MutatingWebhook>;
export type NetworkPolicyPeer = Raw<V1NetworkPolicyPeer>;
export type NetworkPolicyPort = Raw<V1NetworkPolicyPort>;
export type NodeRequirement = Raw<V1NodeSelectorRequirement>;
export type PodCondition = Raw<V1PodCondition>;
export type PodSpec = Raw<V1PodSpec>;
export type PodStatus = Raw<V1PodStatus>;
export type PodTemplate = Raw<V1PodTemplateSpec>;
export type PolicyRule = Raw<V1PolicyRule>;
export type Probe = Raw<V1Probe>;
export type ReplicaSetStatus = Raw<V1ReplicaSetStatus>;
export type RoleRef = Raw<V1RoleRef>;
export type RollingUpdate = Raw<V1RollingUpdateDeployment>;
export type SchemaProps = Raw<V1JSONSchemaProps>;
export type SecurityContext = Raw<V1SecurityContext>;
export type ServicePort = Raw<V1ServicePort>;
export type ServiceSpec = Raw<V1ServiceSpec>;
export type StatefulSetSpec = Raw<V1StatefulSetSpec>;
export type StatefulSetStatus = Raw<V1StatefulSetStatus>;
export type Subject = Raw<RbacV1Subject>;
export type Taint = Raw<V1Taint>;
export type Toleration = Raw<V1Toleration>;
export type UpdateStrategy = Raw<V1StatefulSetUpdateStrategy>;
export type ValidatingWebhook = Raw<V1ValidatingWebhook>;
export type Volume = Raw<V1Volume>;
export type WebhookRule = Raw<V1RuleWithOperations>;

/** A configuration of webhooks of either sort; whatever reads entries of both reads fields that both have. */
export type WebhookConfiguration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;
