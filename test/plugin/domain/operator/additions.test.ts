/** Who brought what a role or binding has beyond the release's. */
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { type KubeObject, lastApplied } from "../../../../plugin/domain/kube/objects";
import {
  additionsTo,
  judgeLostRights,
  onlyAdds,
  withAdditions,
} from "../../../../plugin/domain/operator/additions";
import type { Json } from "../../../../plugin/domain/base/values";

const pods = { apiGroups: [""], resources: ["pods"], verbs: ["get"] };
const mine = { apiGroups: ["batch"], resources: ["jobs"], verbs: ["list"] };
const old = { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] };
const account = { kind: "ServiceAccount", name: "operator" };
const auditor = { kind: "User", name: "auditor" };

const wanted = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "Role",
  metadata: { name: "operator", namespace: "ops" },
  rules: [pods],
  subjects: [account],
} satisfies KubeObject;

interface Held {
  readonly by?: readonly (readonly [manager: string, operation: string, key?: string])[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly more?: Json;
}

/** The stored object, with a rule of an older release and one that nobody released. */
function live({ by = [], annotations = {}, more = {} }: Held): KubeObject {
  return {
    ...wanted,
    rules: [pods, mine, old],
    subjects: [{ ...account, namespace: "ops" }, auditor],
    ...more,
    metadata: {
      ...wanted.metadata,
      annotations,
      managedFields: by.map(([manager, operation, key = "f:rules"]) => ({
        ...{ manager, operation, apiVersion: wanted.apiVersion, fieldsV1: { [key]: {} } },
      })),
    },
  };
}

const file = { [lastApplied]: JSON.stringify({ ...wanted, rules: [pods, old] }) };
const note = { [names.annotations.added]: JSON.stringify({ rules: [mine], subjects: [auditor] }) };

test.each<[string, Held, readonly string[], readonly string[]]>([
  ["a file says what was released", { annotations: file }, ["jobs"], ["auditor"]],
  ["nobody says anything", {}, ["jobs", "deployments"], ["auditor"]],
  [
    "a person wrote last",
    { by: [["kubectl-edit", "Update"]] },
    ["jobs", "deployments"],
    ["auditor"],
  ],
  ["this tool wrote alone", { by: [[names.fieldManager, "Apply"]] }, [], []],
  ["files wrote alone", { by: [["kubectl", "Apply"]] }, [], []],
  [
    "this tool kept it before",
    { by: [[names.fieldManager, "Apply"]], annotations: note },
    ["jobs"],
    ["auditor"],
  ],
  [
    "others hold another field",
    { by: [["kubectl", "Apply", "f:kind"]] },
    ["jobs", "deployments"],
    ["auditor"],
  ],
])("where %s", (_, held, ...[resources, subjects]) => {
  const found = additionsTo(live(held), wanted, names);
  expect(found.grants.map(({ resource }) => resource)).toEqual(resources);
  expect(found.subjects.map(({ name }) => name)).toEqual(subjects);
});

test("an object without a namespace has subjects as they are written", () => {
  const metadata = { name: "operator" };
  const found = additionsTo(
    { ...wanted, metadata, subjects: [{ ...account, namespace: "ops" }] },
    { ...wanted, metadata },
    names,
  );
  expect(found.subjects).toEqual([{ ...account, namespace: "ops" }]);
});

test("an account without a namespace is not the one of another namespace", () => {
  const elsewhere = {
    ...live({}),
    rules: [pods],
    subjects: [{ ...account, namespace: "default" }],
  };
  const choice = { names, takeFields: [".subjects"] };
  const here = { ...account, namespace: "ops" };
  expect(withAdditions(elsewhere, wanted, choice).object["subjects"]).toEqual([here]);
  const same = { ...elsewhere, subjects: [account] };
  expect(withAdditions(same, wanted, choice).object["subjects"]).toEqual([account]);
  const kept = withAdditions(elsewhere, wanted, { names, takeFields: [] });
  expect(kept.object["subjects"]).toEqual([here, { ...account, namespace: "default" }]);
});

test.each<[string, Held, readonly string[]]>([
  ["rules of an aggregated role", { more: { aggregationRule: {} } }, []],
  ["what a controller wrote", { by: [["access-controller", "Update"]] }, []],
  ["what the release is to win", {}, [".rules", ".subjects"]],
])("%s is not kept", (_, held, takeFields) => {
  expect(withAdditions(live(held), wanted, { names, takeFields })).toEqual({
    object: wanted,
    findings: [],
  });
});

test.each([
  ["rules alone", [".subjects"], [".rules"]],
  ["subjects alone", [".rules"], [".subjects"]],
])("%s are kept, and named", (_, takeFields, fields) => {
  const { object, findings } = withAdditions(live({}), wanted, { names, takeFields });
  expect(findings.map(({ field }) => field)).toEqual(fields);
  expect(object).toMatchObject(
    fields[0] === ".rules"
      ? { rules: [pods, mine, old], subjects: [account] }
      : { rules: [pods], subjects: [account, auditor] },
  );
});

test.each<[string, Held, string, boolean]>([
  ["a rule beside the file's", { annotations: file }, ".rules", true],
  [
    "rules without one of the file's",
    { annotations: file, more: { rules: [mine] } },
    ".rules",
    false,
  ],
  ["rules without one of the release's", { more: { rules: [mine] } }, ".rules", false],
  ["a subject beside the release's", {}, ".subjects", true],
  ["subjects without one of the release's", { more: { subjects: [auditor] } }, ".subjects", false],
  ["another field", {}, ".roleRef", false],
])("%s", (_, held, ...[field, expected]) => {
  expect(onlyAdds(live(held), wanted, field)).toBe(expected);
});

describe("rights that helm would take away", () => {
  const rule = (verb: string) => ({ apiGroups: [""], resources: ["pods"], verbs: [verb] });
  const aRole = (verbs: readonly string[], managers: readonly string[] = []): KubeObject => ({
    ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role" },
    metadata: {
      ...{ name: "r", namespace: "n" },
      managedFields: managers.map((manager) => ({ manager, fieldsV1: { "f:rules": {} } })),
    },
    rules: verbs.map(rule),
  });
  const subject = (name: string) => ({ kind: "ServiceAccount", name, namespace: "n" });
  const aBinding = (...accounts: readonly string[]): KubeObject => ({
    ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding" },
    metadata: { name: "b", namespace: "n" },
    subjects: accounts.map(subject),
  });

  test.each<[string, KubeObject, KubeObject, KubeObject | undefined, readonly string[]]>([
    ["a person's", aRole(["get", "list"], ["kubectl-edit"]), aRole(["get"]), undefined, [".rules"]],
    ["those of nobody known", aRole(["get", "list"]), aRole(["get"]), undefined, [".rules"]],
    ["the old chart's", aRole(["get", "list"]), aRole(["get"]), aRole(["get", "list"]), []],
    ["helm's own", aRole(["get", "list"], ["helm"]), aRole(["get"]), undefined, []],
    ["none", aRole(["get"]), aRole(["get"]), undefined, []],
    ["an account", aBinding("a", "mine"), aBinding("a"), aBinding("a"), [".subjects"]],
    [
      "those of an aggregated role",
      { ...aRole(["get", "list"]), aggregationRule: { clusterRoleSelectors: [{}] } },
      aRole(["get"]),
      undefined,
      [],
    ],
  ])("%s", (_, live, wanted, before, fields) => {
    const pair = { live, wanted, before };
    const findings = judgeLostRights(pair, []);
    expect(findings.map(({ field }) => field)).toEqual(fields);
    for (const { code } of findings) expect(code).toBe("OPERATOR-LOCAL-CHANGE");
    expect(judgeLostRights(pair, [".rules", ".subjects"])).toEqual([]);
  });

  test("a manager without a name is no helm", () => {
    const live = aRole(["get", "list"]);
    const managedFields = [{ fieldsV1: { "f:rules": {} } }];
    const unnamed = { ...live, metadata: { ...live.metadata, managedFields } };
    expect(judgeLostRights({ live: unnamed, wanted: aRole(["get"]) }, [])).toHaveLength(1);
  });
});
