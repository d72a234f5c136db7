/** What has to hold of every end: who may use the constraint, and that nobody else lost anything. */
import { objectLabel } from "../../../../plugin/domain/kube/objects";
import { accessResources } from "../../../../plugin/domain/scc/grants";
import { constraintResource } from "../../../../plugin/domain/kube/kinds";
import { getPath, asArray, getOwn } from "../../../../plugin/domain/base/values";
import type { KubeClient, KubeObject } from "../../../../plugin/ports/kubernetes";
import { type AccountReview, user } from "./objects";

/** Bindings, roles and the constraint of a place, by label. */
export type Snapshot = ReadonlyMap<string, KubeObject>;

export async function snapshotOf(cluster: KubeClient, place: AccountReview): Promise<Snapshot> {
  const resources = [constraintResource, ...Object.values(accessResources)];
  const found = await Promise.all(resources.map((resource) => cluster.list(resource)));
  const all = found.flatMap((objects) => objects ?? []);
  const here = all.filter(
    ({ metadata }) =>
      [place.ns, place.other].includes(metadata.namespace ?? "") ||
      metadata.name?.includes(place.scc),
  );
  return new Map(here.map((object) => [objectLabel(object), object]));
}

/** Everything that was there before is there, less the account; what held it alone may be gone. */
export function expectNobodyElseLost(before: Snapshot, after: Snapshot, account: Account): void {
  for (const [label, was] of before) {
    const is = after.get(label);
    if (is === undefined) {
      expect([label, othersOf(was, account)]).toEqual([label, []]);
      expect(label).not.toMatch(/Role\//);
    } else if (is.metadata.resourceVersion !== was.metadata.resourceVersion) {
      expect([label, othersOf(is, account)]).toEqual([label, othersOf(was, account)]);
      expect(contentOf(is)).toEqual(contentOf(was));
    }
  }
}

interface Account {
  readonly namespace: string;
  readonly name: string;
  /** Groups and accounts that go out with it, as they are named. */
  readonly beside?: readonly string[];
}

/** Anybody but the account and those that go out with it, in order. */
function othersOf(
  object: KubeObject,
  { namespace, name, beside = [] }: Account,
): readonly unknown[] {
  const known: readonly unknown[] = [user(namespace, name), ...beside];
  const entries = [...asArray(getOwn(object, "users")), ...asArray(getOwn(object, "groups"))];
  const subjects = asArray(getOwn(object, "subjects")).filter((subject) => {
    const [of, called] = [getOwn(subject, "namespace"), String(getOwn(subject, "name"))];
    const isKnown = known.includes(called) || known.includes(user(String(of), called));
    return !isKnown;
  });
  return [...entries.filter((entry) => !known.includes(entry)), ...subjects];
}

function contentOf(object: KubeObject): object {
  const { labels, annotations } = object.metadata;
  const rest = Object.entries(object).filter(
    ([key]) => !["metadata", "users", "groups", "subjects"].includes(key),
  );
  return { ...Object.fromEntries(rest), labels, annotations };
}

/** Whether someone may use the constraint in a namespace: by RBAC, or by the constraint's own lists. */
export async function mayUse(
  cluster: KubeClient,
  place: AccountReview,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): Promise<boolean> {
  const { group, plural } = constraintResource;
  const groups = [
    "system:serviceaccounts",
    `system:serviceaccounts:${place.ns}`,
    "system:authenticated",
  ];
  const review = await cluster.create({
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    metadata: {},
    spec: {
      user: name,
      groups,
      resourceAttributes: { group, resource: plural, name: place.scc, verb: "use", namespace },
    },
  });
  const found = await cluster.get({ resource: constraintResource, name: place.scc });
  const entries = [...asArray(getOwn(found, "users")), ...asArray(getOwn(found, "groups"))];
  return (
    getPath(review, ["status", "allowed"]) === true ||
    [name, ...groups].some((entry) => entries.includes(entry))
  );
}
