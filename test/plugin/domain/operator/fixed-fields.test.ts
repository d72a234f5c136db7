/** What the API server never changes in an object that exists. */
import { renderFix } from "../../../../plugin/domain/base/remedy";
import { findFixedFields } from "../../../../plugin/domain/operator/fixed-fields";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";

const anObject = (kind: string, body: object): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name: "one", ...(!kind.startsWith("C") && { namespace: "data" }) },
  ...body,
});
const selector = (matchLabels: object): object => ({ spec: { selector: { matchLabels } } });
const role = (kind: string, name: string, more: object = {}): object => ({
  roleRef: { kind, name, ...more },
});
const spec = (body: object): object => ({ spec: body });
const names = (kind: string): object => ({ kind, plural: "ones" });

test.each<[string, string, object, object, readonly string[]]>([
  [
    "a selector with another key",
    "Deployment",
    selector({ a: "1", b: "2" }),
    selector({ a: "1" }),
    [".spec.selector"],
  ],
  [
    "a selector with another value",
    "Deployment",
    selector({ a: "1" }),
    selector({ a: "2" }),
    [".spec.selector"],
  ],
  [
    "the same selector",
    "Deployment",
    selector({ a: "1", b: "2" }),
    selector({ b: "2", a: "1" }),
    [],
  ],
  ["no selector", "Deployment", {}, selector({ a: "1" }), []],
  ["another role", "RoleBinding", role("Role", "a"), role("Role", "b"), [".roleRef"]],
  [
    "a role of another kind",
    "ClusterRoleBinding",
    role("Role", "a"),
    role("ClusterRole", "a"),
    [".roleRef"],
  ],
  [
    "a role whose group is filled in",
    "RoleBinding",
    role("Role", "a", { apiGroup: "g" }),
    role("Role", "a"),
    [],
  ],
  [
    "an address of its own",
    "Service",
    spec({ clusterIP: "10.0.0.1" }),
    spec({ clusterIP: "None" }),
    [".spec.clusterIP"],
  ],
  [
    "no address in the release",
    "Service",
    spec({ clusterIP: "10.0.0.1" }),
    spec({ clusterIP: "" }),
    [],
  ],
  ["an address where there is none", "Service", spec({}), spec({ clusterIP: "None" }), []],
  [
    "an address that becomes an external name",
    "Service",
    spec({ clusterIP: "10.0.0.1" }),
    spec({ type: "ExternalName", clusterIP: "x" }),
    [],
  ],
  [
    "another first family",
    "Service",
    spec({ ipFamilies: ["IPv4", "IPv6"] }),
    spec({ ipFamilies: ["IPv6"] }),
    [".spec.ipFamilies"],
  ],
  [
    "a second family",
    "Service",
    spec({ ipFamilies: ["IPv4"] }),
    spec({ ipFamilies: ["IPv4", "IPv6"] }),
    [],
  ],
  ["data that may be changed", "ConfigMap", { data: { a: "1" } }, { data: { a: "2" } }, []],
  [
    "immutable data",
    "ConfigMap",
    { immutable: true, data: { a: "1" } },
    { data: { a: "2" } },
    [".data"],
  ],
  [
    "the same immutable data",
    "ConfigMap",
    { immutable: true, data: { a: "1" } },
    { data: { a: "1" } },
    [],
  ],
  [
    "a mark that is taken away",
    "ConfigMap",
    { immutable: true },
    { immutable: false },
    [".immutable"],
  ],
  [
    "another scope",
    "CustomResourceDefinition",
    spec({ scope: "Cluster", names: names("A") }),
    spec({ scope: "Namespaced", names: names("A") }),
    [".spec.scope"],
  ],
  [
    "another kind",
    "CustomResourceDefinition",
    spec({ scope: "Cluster", names: names("A") }),
    spec({ scope: "Cluster", names: names("B") }),
    [".spec.names.kind"],
  ],
  ["what has no such field", "ServiceAccount", { secrets: [] }, { secrets: [{ name: "a" }] }, []],
])("%s of a %s", (...[, kind, live, wanted, fields]) => {
  const found = findFixedFields(anObject(kind, live), anObject(kind, wanted));
  expect(found.map(({ field }) => field)).toEqual(fields);
});

test("the finding says both values, the way out, and what is interrupted meanwhile", () => {
  const [live, wanted] = [{ app: "a", tier: "b" }, { app: "a" }].map((labels) =>
    anObject("Deployment", selector(labels)),
  );
  const [found] = live && wanted ? findFixedFields(live, wanted) : [];
  expect([found?.code, found?.object]).toEqual(["OPERATOR-FIXED-FIELD", "Deployment/data/one"]);
  expect(found?.cause).toContain('it is {"matchLabels":{"app":"a","tier":"b"}}, the release has');
  expect(renderFix(found?.remedies ?? [])).toMatch(
    /save the object and delete it: .*; then run again.* until then no operator/,
  );
});

test("a definition is never to be deleted", () => {
  const [live, wanted] = ["Cluster", "Namespaced"].map((scope) =>
    anObject("CustomResourceDefinition", spec({ scope, names: names("A") })),
  );
  const [found] = live && wanted ? findFixedFields(live, wanted) : [];
  expect([found?.code, found?.fix]).toEqual([
    "DEFINITION-FIXED-FIELD",
    expect.stringMatching(/^leave the definition as it is: deleting it deletes every object/),
  ]);
});
