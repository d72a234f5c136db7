/** Stored objects as the parts that only look see them, and attempts to change them. */
import type { KubeObject } from "../../../../plugin/ports/kubernetes";
import type {
  Attempt,
  KindDefinition,
  Plural,
  StateView,
  User,
} from "../../../../plugin/simulator/model";

/** A view on a fixed list of objects. */
export function stateOf(objects: readonly KubeObject[]): StateView {
  const listed = ({ group, plural }: Plural, namespace?: string): readonly KubeObject[] =>
    objects.filter(
      (object) =>
        groupOf(object) === group &&
        pluralOf(object.kind) === plural &&
        (namespace === undefined || object.metadata.namespace === namespace),
    );
  const get = (kind: Plural, name: string, namespace?: string): KubeObject | undefined =>
    listed(kind, namespace).find(({ metadata }) => metadata.name === name);
  return { list: listed, get } as StateView;
}

function groupOf({ apiVersion }: KubeObject): string {
  return apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
}

function pluralOf(kind: string): string {
  return `${kind.toLowerCase()}s`;
}

/** The definition that fits an object. */
export function definitionOf(object: KubeObject, custom = false): KindDefinition {
  const version = object.apiVersion.split("/").at(-1) ?? "";
  return {
    resource: {
      group: groupOf(object),
      version,
      plural: pluralOf(object.kind),
      kind: object.kind,
    },
    namespaced: object.metadata.namespace !== undefined,
    custom,
    hasStatus: false,
    counted: false,
    structure: {},
    prepare: (prepared) => ({ object: prepared, warnings: [] }),
  };
}

/** What an attempt is about. */
export interface Tried {
  readonly user: User;
  readonly object?: KubeObject;
  readonly before?: KubeObject;
}

/** Creates, updates or deletes, as the objects of before and after say. */
export function attemptOf({ user, object, before }: Tried, more: Partial<Attempt> = {}): Attempt {
  const some = object ?? before;
  if (some === undefined) throw new Error("an attempt is about an object");
  const operation = before === undefined ? "CREATE" : object === undefined ? "DELETE" : "UPDATE";
  return {
    operation,
    definition: definitionOf(some),
    name: some.metadata.name ?? "",
    namespace: some.metadata.namespace,
    object,
    before,
    user,
    dryRun: false,
    options: { kind: "CreateOptions" },
    ...more,
  };
}

const group = "rbac.authorization.k8s.io";
const apiVersion = `${group}/v1`;

export function role(name: string, namespace: string, rules: readonly object[]): KubeObject {
  return { apiVersion, kind: "Role", metadata: { name, namespace }, rules };
}

export function clusterRole(
  name: string,
  rules: readonly object[],
  labels: Readonly<Record<string, string>> = {},
): KubeObject {
  return { apiVersion, kind: "ClusterRole", metadata: { name, labels }, rules };
}

/** A role and whom it is given to. */
export interface Given {
  readonly role: string;
  readonly to: readonly object[];
  readonly namespace?: string;
}

/** A binding named like its role; `role` is `Role/x` or `ClusterRole/x`. */
export function binding({ role: reference, to, namespace }: Given): KubeObject {
  const [kind = "", name = ""] = reference.split("/");
  return {
    apiVersion,
    kind: namespace === undefined ? "ClusterRoleBinding" : "RoleBinding",
    metadata: { name: `gives-${name}`, ...(namespace !== undefined && { namespace }) },
    roleRef: { apiGroup: group, kind, name },
    subjects: to,
  };
}

export const user = (name: string): object => ({ apiGroup: group, kind: "User", name });
export const inGroup = (name: string): object => ({ apiGroup: group, kind: "Group", name });
export const account = (name: string, namespace?: string): object => ({
  kind: "ServiceAccount",
  name,
  ...(namespace !== undefined && { namespace }),
});

/** A rule on resources of one group. */
export function rule(
  [verbs, resources]: readonly [verbs: string, resources: string],
  { group: apiGroup = "", names = "" }: { readonly group?: string; readonly names?: string } = {},
): object {
  const words = (text: string): readonly string[] => (text === "" ? [] : text.split(" "));
  return {
    apiGroups: [apiGroup],
    resources: words(resources),
    verbs: words(verbs),
    ...(names !== "" && { resourceNames: words(names) }),
  };
}

/** A user who is logged in. */
export function person(name: string, ...groups: readonly string[]): User {
  return { name, groups: [...groups, "system:authenticated"] };
}
