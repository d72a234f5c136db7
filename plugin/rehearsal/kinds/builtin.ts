/** What the schemas of the built-in kinds do not say: a row for each kind that has more to it. */
import type { KubeObject } from "../../run/ports";
import { isObject } from "../../domain/values";
import { completeDefinition, definitionErrors } from "./definitions";
import { labelRule, oldLabelRule, pathSegmentRule } from "./names";
import type { FieldError, Rule } from "./refusal";
import { bindingErrors, completeBinding, roleErrors } from "./roles";
import { completeSecret, configMapErrors, secretErrors } from "./secrets";
import { completeService, serviceErrors } from "./services";
import { configurationErrors } from "./webhooks";
import { completeDeployment, completePod, completeTemplate } from "./workloads";
import { deploymentErrors, jobErrors, podErrors } from "./workloads";
import { replicaSetErrors, statefulSetErrors } from "./workloads";

/** What a built-in kind has beside its schema. */
export interface BuiltInRules {
  /** metadata.generation counts its changes. */
  readonly counted?: true;
  /** What a name must be; most are subdomains. */
  readonly name?: Rule;
  /** Warned of at every write. */
  readonly deprecated?: string;
  /** What the schema's defaults cannot say. */
  complete?(object: KubeObject, before: KubeObject | undefined): KubeObject;
  /** What is wrong beside the metadata. */
  judge?(object: KubeObject, before: KubeObject | undefined): readonly FieldError[];
}

const counted = { counted: true } as const;
const role: BuiltInRules = { name: pathSegmentRule, judge: roleErrors };
const binding: BuiltInRules = {
  name: pathSegmentRule,
  complete: completeBinding,
  judge: bindingErrors,
};

const rules: Readonly<Record<string, BuiltInRules>> = {
  Namespace: { name: labelRule, complete: completeNamespace },
  Endpoints: {
    deprecated: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  },
  Secret: { complete: completeSecret, judge: secretErrors },
  ConfigMap: { judge: configMapErrors },
  Service: { name: oldLabelRule, complete: completeService, judge: serviceErrors },
  Pod: { ...counted, complete: completePod, judge: (object) => podErrors(object, ["spec"]) },
  Deployment: { ...counted, complete: completeDeployment, judge: deploymentErrors },
  ReplicaSet: { ...counted, complete: completeTemplate, judge: replicaSetErrors },
  StatefulSet: {
    ...counted,
    name: oldLabelRule,
    complete: completeTemplate,
    judge: statefulSetErrors,
  },
  Job: { ...counted, complete: completeTemplate, judge: jobErrors },
  PodDisruptionBudget: counted,
  EndpointSlice: counted,
  Ingress: counted,
  Role: role,
  ClusterRole: role,
  RoleBinding: binding,
  ClusterRoleBinding: binding,
  ValidatingWebhookConfiguration: { ...counted, judge: configurationErrors },
  MutatingWebhookConfiguration: { ...counted, judge: configurationErrors },
  ValidatingAdmissionPolicy: counted,
  ValidatingAdmissionPolicyBinding: counted,
  CustomResourceDefinition: { ...counted, complete: completeDefinition, judge: definitionErrors },
};

/** The rules of a built-in kind. */
export function rulesFor(kind: string): BuiltInRules {
  return rules[kind] ?? {};
}

/** A namespace names itself in a label, and is kept until its objects are gone. */
function completeNamespace(object: KubeObject): KubeObject {
  const { metadata, spec } = object;
  const labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name ?? "" };
  return {
    ...object,
    metadata: { ...metadata, labels },
    spec: { finalizers: ["kubernetes"], ...(isObject(spec) && spec) },
  };
}
