/** Webhook configurations and admission policies. */
import type { KubeObject } from "../../../run/ports";
import { list, own, text } from "../../../domain/values";
import { duplicate, type FieldError } from "../refusal";
import { bytes, int32, kept, listOf, mapOf, openStruct, preset, setOf, string } from "../shapes";
import { struct, whole } from "../shapes";
import type { Schema } from "../schema";
import type { BuiltIn } from "./definition";
import { labelSelector } from "./selector";
import { webhookErrors } from "./webhook";

const rule = {
  operations: listOf(string),
  apiGroups: listOf(string),
  apiVersions: listOf(string),
  resources: listOf(string),
  scope: preset(string, "*"),
};
const matchConditions = mapOf(
  ["name"],
  struct("MatchCondition", { name: string, expression: string }),
);

/** How a webhook is reached; custom resource definitions name their converters so too. */
export const clientConfig = struct("WebhookClientConfig", {
  url: kept(string),
  service: struct("ServiceReference", {
    namespace: string,
    name: string,
    path: kept(string),
    port: preset(int32, 443),
  }),
  caBundle: bytes,
});

const webhookFields = {
  name: string,
  clientConfig,
  rules: listOf(struct("RuleWithOperations", rule)),
  failurePolicy: preset(string, "Fail"),
  matchPolicy: preset(string, "Equivalent"),
  namespaceSelector: preset(labelSelector, {}),
  objectSelector: preset(labelSelector, {}),
  sideEffects: string,
  timeoutSeconds: preset(int32, 10),
  admissionReviewVersions: kept(listOf(string)),
  matchConditions,
};
const mutatingFields = { ...webhookFields, reinvocationPolicy: preset(string, "Never") };

const policyRules = listOf(
  whole(struct("NamedRuleWithOperations", { resourceNames: listOf(string), ...rule })),
);
const matchResources = whole(
  struct("MatchResources", {
    namespaceSelector: preset(labelSelector, {}),
    objectSelector: preset(labelSelector, {}),
    resourceRules: policyRules,
    excludeResourceRules: policyRules,
    matchPolicy: preset(string, "Equivalent"),
  }),
);

const common = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  namespaced: false,
  counted: true,
} as const;

/** The kinds of admission control. */
export const admissionKinds: readonly BuiltIn[] = [
  {
    ...common,
    kind: "ValidatingWebhookConfiguration",
    plural: "validatingwebhookconfigurations",
    fields: configuration("ValidatingWebhook", webhookFields),
    judge: configurationErrors,
  },
  {
    ...common,
    kind: "MutatingWebhookConfiguration",
    plural: "mutatingwebhookconfigurations",
    fields: configuration("MutatingWebhook", mutatingFields),
    judge: configurationErrors,
  },
  {
    ...common,
    kind: "ValidatingAdmissionPolicy",
    plural: "validatingadmissionpolicies",
    hasStatus: true,
    fields: {
      spec: openStruct("ValidatingAdmissionPolicySpec", {
        matchConstraints: matchResources,
        failurePolicy: preset(string, "Fail"),
        matchConditions,
        variables: mapOf(["name"], whole(struct("Variable", { name: string, expression: string }))),
      }),
      status: preset(openStruct("ValidatingAdmissionPolicyStatus", {}), {}),
    },
  },
  {
    ...common,
    kind: "ValidatingAdmissionPolicyBinding",
    plural: "validatingadmissionpolicybindings",
    fields: {
      spec: openStruct("ValidatingAdmissionPolicyBindingSpec", {
        matchResources,
        validationActions: setOf(string),
      }),
    },
  },
];

function configuration(
  go: string,
  fields: Readonly<Record<string, Schema>>,
): Readonly<Record<string, Schema>> {
  return { webhooks: mapOf(["name"], struct(go, fields)) };
}

function configurationErrors(object: KubeObject): readonly FieldError[] {
  const seen = new Set<string>();
  return list(object["webhooks"]).flatMap((webhook, index) => {
    const field = `webhooks[${index}]`;
    const name = text(own(webhook, "name"));
    const isRepeated = name !== undefined && seen.has(name);
    if (name !== undefined) seen.add(name);
    return [
      ...webhookErrors(webhook, field),
      ...(isRepeated ? [duplicate(`${field}.name`, name)] : []),
    ];
  });
}
