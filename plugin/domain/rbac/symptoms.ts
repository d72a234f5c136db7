/** What may be wrong with the operator's permissions, judged without any file of a release (S16, S34; domain facts 6). */
import { kubectl } from "../base/remedy";
import type { Found, Scene, Symptom } from "../diagnosis/symptom";
import { factNamed, type Facts } from "../facts/facts";
import type { Deployment } from "../kube/models";
import { type KubeObject, objectLabel, readName } from "../kube/objects";
import { findOwner } from "../kube/owners";
import {
  type BindingSubject,
  nameByGroups,
  placedSubjects,
  readRoleRef,
  subjectLabel,
  subjectsBeyond,
} from "../kube/role-rules";
import type { Names } from "../names/names";
import { readAccount } from "../operator/wanted";
import { rbacFindings } from "./findings";

/** What the rows look at. */
export interface RbacScene extends Scene {
  readonly names: Names;
  /** The operator's. */
  readonly deployment: Deployment | undefined;
}

/** True where the binding is for the account, by name or by a group of its namespace. */
export function isFor(binding: KubeObject, account: BindingSubject): boolean {
  const subjects = placedSubjects(binding, binding);
  return subjectsBeyond(nameByGroups([account], subjects), subjects).length === 0;
}

/** The account that the operator's pods run as. */
export function operatorAccount(
  deployment: KubeObject,
  { namespace, names }: Pick<Facts, "names" | "namespace">,
): BindingSubject & Required<Pick<BindingSubject, "namespace">> {
  return { kind: "ServiceAccount", namespace, name: readAccount(deployment, names) };
}

/** The Roles of the operator's namespace that some binding there gives to its account. */
function listHeldRoles(deployment: KubeObject, facts: Facts): readonly string[] {
  const { objects, namespace } = facts;
  const isHere = ({ metadata }: KubeObject): boolean => metadata.namespace === namespace;
  const known = new Set(
    objects.roles.filter(isHere).map(({ metadata }) => `Role/${metadata.name}`),
  );
  return objects.roleBindings
    .filter((one) => isHere(one) && isFor(one, operatorAccount(deployment, facts)))
    .map(readRoleRef)
    .filter((reference) => known.has(reference));
}

/** OLM names them by its ClusterServiceVersion, and leaves them: what counts is whether the account has any. */
function isBoundByOlm(deployment: KubeObject, facts: Facts): boolean {
  return findOwner(deployment)?.name === "OLM" && listHeldRoles(deployment, facts).length > 0;
}

/** The rows. */
export const rbacSymptoms = {
  ownAbsent: {
    ...rbacFindings.ownAbsent,
    title: "The operator has its own Role and RoleBinding",
    needs: ["deployments", "roles", "roleBindings"],
    judge: ({ deployment, facts, names }): readonly Found[] => {
      if (deployment === undefined || isBoundByOlm(deployment, facts)) return [];
      const { namespace } = facts;
      const wanted = [
        ["roles", "Role", names.operator.role],
        ["roleBindings", "RoleBinding", names.operator.roleBinding],
      ] as const;
      return wanted
        .filter(([key, , name]) => factNamed(facts, key, { name, namespace }) === undefined)
        .map(([, kind, name]) => ({
          object: `${kind}/${namespace}/${name}`,
          cause: "it does not exist",
        }));
    },
  },
  ownBinding: {
    ...rbacFindings.ownBinding,
    title: "The operator's own RoleBinding gives its Role to its account",
    needs: ["deployments", "roles", "roleBindings"],
    judge: ({ deployment, facts, names }): readonly Found[] => {
      const { namespace } = facts;
      const { role, roleBinding: name } = names.operator;
      const binding = factNamed(facts, "roleBindings", { name, namespace });
      if (deployment === undefined || binding === undefined) return [];
      const meant = `Role/${role}`;
      const isHeld = listHeldRoles(deployment, facts).includes(meant);
      // of a Role that is gone its own row tells
      const isGone = factNamed(facts, "roles", { name: role, namespace }) === undefined;
      if (isHeld || isGone || isBoundByOlm(deployment, facts)) return [];
      const account = operatorAccount(deployment, facts);
      const subjects: readonly Found[] = isFor(binding, account)
        ? []
        : [missesAccount(binding, account)];
      const reference = readRoleRef(binding);
      if (reference === meant) return subjects;
      const cause = `it is for ${reference}, not ${meant}`;
      return [...subjects, { object: objectLabel(binding), field: "roleRef", cause }];
    },
  },
} as const satisfies Readonly<Record<string, Symptom<RbacScene>>>;

/** A binding that is not for the operator's account. */
export function missesAccount(binding: KubeObject, account: BindingSubject): Found {
  const { namespace } = binding.metadata;
  const name = readName(binding);
  const place = namespace === undefined ? [] : [`--namespace=${namespace}`];
  const value = [...placedSubjects(binding, binding), account];
  const patch = JSON.stringify([{ op: "add", path: "/subjects", value }]);
  const what = ["patch", binding.kind.toLowerCase(), name, ...place, "--type=json", "-p", patch];
  return {
    object: objectLabel(binding),
    field: "subjects",
    cause: `it is not for ${subjectLabel(account)}, which the operator runs as`,
    remedies: [kubectl("add the account to its subjects", ...what)],
  };
}
