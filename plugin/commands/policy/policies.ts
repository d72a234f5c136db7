/**
 * The rules as ValidatingAdmissionPolicies with their bindings: the API server judges by them itself,
 * without the webhook. They need Kubernetes 1.30 or later.
 */
import { inGroup } from "../../domain/kube/kinds";
import { renderTerm } from "../../domain/names/names";
import type { KubeObject } from "../../domain/kube/objects";
import { changeRules, createRules } from "../../domain/rules/order";
import type { Edit, RuleOptions } from "../../domain/rules/types";
import { pickUsed } from "./cel";
import { rulesInPolicy } from "./rules";
import { kinds, buildVariables } from "./variables";

/** What becomes of an edit that a rule is against: it is refused, let pass with a warning, or noted in the audit log. */
export const policyModes = ["deny", "warn", "audit"] as const;

/** Which policies are wanted. */
export interface PolicyWish {
  readonly options: RuleOptions;
  readonly mode: (typeof policyModes)[number];
  readonly operatorNamespace: string;
}

const actions = { deny: "Deny", warn: "Warn", audit: "Audit" } as const;
const inAdmission = inGroup("admissionregistration.k8s.io");
const policyKind = inAdmission("validatingadmissionpolicies", "ValidatingAdmissionPolicy");
const bindingKind = inAdmission(
  "validatingadmissionpolicybindings",
  "ValidatingAdmissionPolicyBinding",
);
const namespaceLabel = "kubernetes.io/metadata.name";

/** For each kind of database: what needs no EC, and what rests on it; rules that only warn are apart. */
export function policies(wish: PolicyWish): readonly KubeObject[] {
  return kinds.flatMap((kind) =>
    (["deny", "warn"] as const).flatMap((setting) =>
      [false, true].flatMap((byCluster) => policy({ ...wish, kind, setting, byCluster })),
    ),
  );
}

interface Part extends PolicyWish {
  readonly kind: Edit["kind"];
  readonly setting: "deny" | "warn";
  readonly byCluster: boolean;
}

function policy(part: Part): readonly KubeObject[] {
  const { kind, setting, byCluster, options } = part;
  const subject = { kind, options };
  const validations = [...new Set([...changeRules, ...createRules])]
    .map(({ id }) => rulesInPolicy[id])
    .filter((rule) => options.rules[rule.setting] === setting)
    .flatMap((rule) => (byCluster ? rule.byCluster : rule.always)(subject));
  if (validations.length === 0) return [];
  const texts = validations.flatMap((each) => [each.expression, each.messageExpression ?? ""]);
  const { names } = options;
  const spec = {
    failurePolicy: "Fail",
    ...(byCluster && {
      paramKind: { apiVersion: `${names.group}/${names.ecVersion}`, kind: names.ec.kind },
    }),
    matchConstraints: {
      matchPolicy: "Equivalent",
      resourceRules: [
        {
          apiGroups: [names.group],
          apiVersions: [names.version],
          operations: ["CREATE", "UPDATE"],
          resources: [names[kind].plural],
        },
      ],
    },
    matchConditions: [
      {
        name: "not-being-deleted",
        expression:
          "!has(object.metadata.deletionTimestamp) && (oldObject == null || !has(oldObject.metadata.deletionTimestamp))",
      },
    ],
    variables: pickUsed(buildVariables(subject), texts),
    validations: validations.map((each) => ({ ...each, reason: "Invalid" })),
  };
  const object = describePolicy(policyKind, namePolicy(part), about(part));
  return [{ ...object, spec }, ...bindings(part)];
}

function namePolicy({ kind, setting, byCluster, options: { names } }: Part): string {
  const parts = [names.webhook.configuration, names[kind].short, byCluster ? "cluster" : "form"];
  return [...parts, ...(setting === "warn" ? ["warn"] : [])].join("-");
}

function about({ kind, byCluster, options: { names } }: Part): string {
  const [database, ec] = [renderTerm(names[kind]), renderTerm(names.ec)];
  return byCluster
    ? `What an ${database} may ask of its ${ec}. Each ${ec} is a parameter; only the one that the ${database} names decides, the others pass.`
    : `What no ${ec} accepts in an ${database}. Holds where no ${ec} is found, too.`;
}

/** The database's own namespace is looked in, then the operator's (C16). */
function bindings(part: Part): readonly KubeObject[] {
  const { setting, mode, byCluster, operatorNamespace, options } = part;
  const name = namePolicy(part);
  const action = setting === "warn" && mode === "deny" ? "warn" : mode;
  const spec = { policyName: name, validationActions: [actions[action]] };
  if (!byCluster) return [{ ...describePolicy(bindingKind, name, "Everywhere."), spec }];
  const ec = renderTerm(options.names.ec);
  // refusing what has no EC would refuse every edit of it, its deletion's too
  const paramRef = { selector: {}, parameterNotFoundAction: "Allow" };
  const key = namespaceLabel;
  const elsewhere = { matchExpressions: [{ key, operator: "NotIn", values: [operatorNamespace] }] };
  const own = describePolicy(
    bindingKind,
    `${name}-own`,
    `By the ${ec}s of the database's namespace.`,
  );
  const other = describePolicy(
    bindingKind,
    `${name}-operator`,
    `By the ${ec}s of the operator's one.`,
  );
  const paramsThere = { namespace: operatorNamespace, ...paramRef };
  const matchResources = { namespaceSelector: elsewhere };
  return [
    { ...own, spec: { ...spec, paramRef } },
    { ...other, spec: { ...spec, paramRef: paramsThere, matchResources } },
  ];
}

function describePolicy(
  { group, version, kind }: ReturnType<typeof inAdmission>,
  name: string,
  description: string,
): KubeObject {
  const annotations = { "kubernetes.io/description": description };
  return { apiVersion: `${group}/${version}`, kind, metadata: { name, annotations } };
}
