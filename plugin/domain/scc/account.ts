/** The service account under which the pods of an EC run, and how others name it (domain facts 5). */
import type { Names } from "../names";
import type { KubeObject } from "../objects";
import { at, own, text } from "../values";

/** A service account. */
export interface Account {
  readonly namespace: string;
  readonly name: string;
}

/** The account of an EC: spec.serviceAccountName, else the EC's own name. */
export function accountOf(cluster: KubeObject, names: Names): Account {
  const { namespace = "", name = "" } = cluster.metadata;
  return { namespace, name: text(at(cluster, names.ecFields.serviceAccountName)) ?? name };
}

/** The user name that the API server knows an account by. */
export function userOf({ namespace, name }: Account): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** The groups that every account is in; no access review derives them from the name. */
export function groupsOf({ namespace }: Account): readonly string[] {
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
}

/** True for a binding's subject that is this one account, in either of its two spellings. */
export function isAccount(subject: unknown, account: Account): boolean {
  const name = own(subject, "name");
  if (own(subject, "kind") === "User") return name === userOf(account);
  return (
    own(subject, "kind") === "ServiceAccount" &&
    name === account.name &&
    own(subject, "namespace") === account.namespace
  );
}

/** The group of a binding's subject that the account is in, undefined for any other subject. */
export function groupOf(subject: unknown, account: Account): string | undefined {
  const name = text(own(subject, "name"));
  if (own(subject, "kind") !== "Group" || name === undefined) return undefined;
  return groupsOf(account).includes(name) ? name : undefined;
}

/** A binding's subject for people. */
export function subjectLabel(subject: unknown): string {
  const namespace = text(own(subject, "namespace"));
  const parts = [text(own(subject, "kind")), namespace, text(own(subject, "name"))];
  return parts.filter((part) => part !== undefined).join("/");
}
