/** A place planned from what was read of it, and what it is called. */
import { defaultNames as names } from "../../../../plugin/domain/names";
import type { Pair } from "../../../../plugin/domain/kinds";
import { placeName, siteOf } from "../../../../plugin/domain/rbac/site";
import type { KubeObject } from "../../../../plugin/run/ports";
import { aBinding, account, aRole } from "./objects";

const rules = [{ apiGroups: [names.group], resources: [names.edb.plural], verbs: ["get"] }];
const reference = { kind: "ClusterRole", name: "all-databases" };
const shared: KubeObject = {
  ...aRole(rules),
  ...{ kind: "ClusterRole", metadata: { name: reference.name } },
};
const wanted: Pair<KubeObject> = { role: aRole(rules), binding: aBinding([account()]) };
const options = { names, namespace: "engine", mode: "expand" } as const;

test("a ClusterRole that stands for the role takes its place in a namespace, and nowhere else", () => {
  const found = { binding: aBinding([account()], reference), boundRole: shared };
  const inNamespace = siteOf({ namespace: "a", wanted }, found, options);
  expect([inNamespace.part, inNamespace.plan.rebind]).toEqual(["binding", false]);
  const wide = siteOf({ wanted }, found, options);
  expect([wide.part, wide.plan.rebind]).toEqual([undefined, true]);
});

test.each([
  [{ namespace: "a", wanted }, "namespace a"],
  [{ wanted }, "the whole cluster"],
  [{ wanted: { ...wanted, role: shared }, part: "role" } as const, "ClusterRole/all-databases"],
])("a place has a name in sentences (%#)", (place, name) => {
  expect(placeName(place)).toBe(name);
});
