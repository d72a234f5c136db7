import { objectLabel } from "../../../../plugin/domain/objects";
import { kindsIn } from "../../../../plugin/domain/kinds";
import {
  expanded,
  type Found,
  isAsWanted,
  type Mode,
  planSite,
  temporaryBinding,
  type Terms,
  termsFor,
} from "../../../../plugin/domain/rbac/plan";
import { grantLines, subjectLabel, subjectsOf } from "../../../../plugin/domain/rbac/rules";
import { defaultNames as names } from "../../../../plugin/domain/names";
import { aBinding, account, aRole, nodeRule, podRule } from "./objects";

/** Of the two rules one is of a release before; what is neither is a person's. */
function termsOf(mode: Mode, more: Partial<Terms> = {}, dropLocal: readonly string[] = []): Terms {
  const made = termsFor({ names, namespace: "engine", files: {}, mode, dropLocal });
  return { ...made, lines: [[podRule], [nodeRule]], ...more };
}

const labels = { app: "engine" };
const wanted = {
  role: aRole([nodeRule], { labels }),
  binding: aBinding([account(), account("ec")], { metadata: { labels } }),
};
const other = { kind: "ClusterRole", name: "everywhere" };

interface Row {
  readonly name: string;
  readonly found: Found;
  readonly mode?: Mode;
  readonly writes: readonly string[];
  readonly rebind?: true;
  readonly gained?: readonly string[];
  readonly lost?: readonly string[];
}
const rows: readonly Row[] = [
  { name: "nothing there: both", found: {}, writes: ["role", "binding"], gained: ["nodes: get"] },
  { name: "all up to date: nothing", found: wanted, writes: [] },
  {
    name: "old rules are exchanged",
    found: { ...wanted, role: aRole([podRule], { labels }) },
    writes: ["role"],
    gained: ["nodes: get"],
    lost: ["pods: get"],
  },
  {
    name: "expand keeps the old rules",
    found: { ...wanted, role: aRole([podRule], { labels }) },
    mode: "expand",
    writes: ["role"],
    gained: ["nodes: get"],
  },
  {
    name: "expand over what was expanded writes nothing",
    found: { ...wanted, role: aRole([podRule, nodeRule], { labels }) },
    mode: "expand",
    writes: [],
  },
  {
    name: "contract takes the old rules",
    found: { ...wanted, role: aRole([podRule, nodeRule], { labels }) },
    mode: "contract",
    writes: ["role"],
    lost: ["pods: get"],
  },
  {
    name: "a label that is missing",
    found: { ...wanted, role: aRole([nodeRule]) },
    writes: ["role"],
  },
  {
    name: "a label of someone else stays",
    found: { ...wanted, role: aRole([nodeRule], { labels: { ...labels, team: "a" } }) },
    writes: [],
  },
  {
    name: "a subject more",
    found: { ...wanted, binding: aBinding([account()], { metadata: { labels } }) },
    writes: ["binding"],
  },
  {
    name: "a subject that a person added is no difference",
    found: {
      ...wanted,
      binding: aBinding([account(), account("ec"), account("old")], { metadata: { labels } }),
    },
    writes: [],
  },
  {
    name: "the accounts of another operator go",
    found: {
      ...wanted,
      binding: aBinding(
        [account(), account("ec"), account(undefined, "other"), account("ec", "other")],
        { metadata: { labels } },
      ),
    },
    writes: ["binding"],
  },
  {
    name: "expand keeps the accounts of another operator",
    found: {
      ...wanted,
      binding: aBinding([account(), account("ec"), account(undefined, "other")], {
        metadata: { labels },
      }),
    },
    mode: "expand",
    writes: [],
  },
  {
    name: "a placeholder gives access to nobody, and goes in every mode",
    found: {
      ...wanted,
      binding: aBinding([account(), account("ec"), account("NAME_OF_EC_SERVICE_ACCOUNT")], {
        metadata: { labels },
      }),
    },
    mode: "expand",
    writes: ["binding"],
  },
  {
    name: "expand keeps a subject",
    found: {
      ...wanted,
      binding: aBinding([account("old"), account(), account("ec")], { metadata: { labels } }),
    },
    mode: "expand",
    writes: [],
  },
  {
    name: "another role",
    found: { role: wanted.role, binding: aBinding([account()], other), bound: [podRule] },
    writes: ["binding"],
    rebind: true,
    lost: ["pods: get"],
  },
  {
    name: "expand keeps the rules of another role",
    found: { role: wanted.role, binding: aBinding([account()], other), bound: [podRule] },
    mode: "expand",
    writes: ["role", "binding"],
    rebind: true,
  },
  {
    name: "a second binding left over",
    found: { ...wanted, temporary: aBinding() },
    writes: ["temporary"],
  },
];

test.each(rows)("$name", ({ found, mode = "contract", writes, rebind, gained = [], lost = [] }) => {
  const plan = planSite(found, wanted, termsOf(mode));
  expect(["role", "binding", "temporary"].filter((part) => part in plan)).toEqual(writes);
  expect(plan.rebind).toBe(rebind === true);
  expect(grantLines(plan.gained)).toEqual(gained);
  expect(grantLines(plan.lost)).toEqual(lost);
  expect(isAsWanted(plan)).toBe(writes.length === 0);
});

test("each write knows what it replaces", () => {
  const found = { role: aRole([podRule]) };
  const plan = planSite(found, wanted, termsOf("contract"));
  expect(plan.role?.live).toBe(found.role);
  expect(plan.binding?.live).toBeUndefined();
});

const ownRule = { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get", "list"] };
const alice = { kind: "User", name: "alice" };
const file = (rules: readonly object[]) => ({
  annotations: {
    "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify({ rules }),
  },
});

interface LocalRow {
  readonly name: string;
  readonly rules: readonly object[];
  readonly subjects?: readonly object[];
  readonly metadata?: object;
  readonly mode?: Mode;
  readonly drop?: readonly string[];
  readonly kept: readonly string[];
  readonly lost?: readonly string[];
  /** The rules as they are written; absent: the role is not written. */
  readonly written?: readonly object[];
}
const getDeployments = { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] };
const localRows: readonly LocalRow[] = [
  {
    name: "a rule that no release had is kept as it is written",
    rules: [ownRule, podRule],
    kept: ["deployments.apps: get, list"],
    lost: ["pods: get"],
    written: [nodeRule, ownRule],
  },
  {
    name: "the part of a rule that no release had is kept",
    rules: [nodeRule, { ...podRule, verbs: ["get", "delete"] }],
    kept: ["pods: delete"],
    lost: ["pods: get"],
    written: [nodeRule, { ...podRule, verbs: ["delete"] }],
  },
  {
    name: "a name that limits it stays with it",
    rules: [
      nodeRule,
      { ...ownRule, resourceNames: ["x"], resources: ["deployments", "y"] },
      podRule,
    ],
    drop: ["edb-role:apps/y:get"],
    kept: ['deployments.apps "x": get, list', 'y.apps "x": list'],
    lost: ['y.apps "x": get', "pods: get"],
    written: [
      nodeRule,
      ...["get", "list"].map((verb) => ({
        apiGroups: ["apps"],
        resources: ["deployments"],
        resourceNames: ["x"],
        verbs: [verb],
      })),
      { apiGroups: ["apps"], resources: ["y"], resourceNames: ["x"], verbs: ["list"] },
    ],
  },
  {
    name: "a wildcard is nobody's but a person's",
    rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }],
    kept: ["*.*: *"],
  },
  {
    name: "nothing else to do: nothing",
    rules: [nodeRule, ownRule],
    kept: ["deployments.apps: get, list"],
  },
  {
    name: "a rule of a release that is not in the file applied last was added by a person",
    rules: [nodeRule, podRule],
    metadata: file([nodeRule]),
    kept: ["pods: get"],
  },
  {
    name: "a rule of a release that is in the file applied last goes",
    rules: [nodeRule, podRule],
    metadata: file([podRule]),
    kept: [],
    lost: ["pods: get"],
    written: [nodeRule],
  },
  {
    name: "a rule in the file applied last is a person's where no release had it",
    rules: [nodeRule, ownRule],
    metadata: file([nodeRule, ownRule]),
    kept: ["deployments.apps: get, list"],
  },
  {
    name: "a file without rules tells nothing",
    rules: [nodeRule, podRule],
    metadata: file([]),
    kept: [],
    lost: ["pods: get"],
    written: [nodeRule],
  },
  {
    name: "--drop-local takes the one verb that it names",
    rules: [nodeRule, ownRule],
    drop: ["edb-role:apps/deployments:list"],
    kept: ["deployments.apps: get"],
    lost: ["deployments.apps: list"],
    written: [nodeRule, getDeployments],
  },
  {
    name: "--drop-local takes it in expand too, and nothing else",
    rules: [podRule, ownRule, nodeRule],
    mode: "expand",
    drop: ["edb-role:apps/deployments:list"],
    kept: ["deployments.apps: get"],
    lost: ["deployments.apps: list"],
    written: [podRule, getDeployments, nodeRule],
  },
  {
    name: "--drop-local of a wildcard leaves the rules of releases in expand",
    rules: [podRule, nodeRule, { apiGroups: ["*"], resources: ["*"], verbs: ["*"] }],
    mode: "expand",
    drop: ["edb-role:*/*:*"],
    kept: [],
    lost: ["*.*: *"],
    written: [podRule, nodeRule],
  },
  {
    name: "--drop-local all takes rules and subjects",
    rules: [nodeRule, ownRule],
    subjects: [alice],
    drop: ["all"],
    kept: [],
    lost: ["deployments.apps: get, list", "User/alice"],
    written: [nodeRule],
  },
  {
    name: "a subject that no release had is kept",
    rules: [nodeRule],
    subjects: [alice],
    kept: ["User/alice"],
  },
  {
    name: "--drop-local of a subject takes it alone",
    rules: [nodeRule],
    subjects: [alice, { kind: "Group", name: "dev" }],
    mode: "expand",
    drop: ["edb-role:User/alice"],
    kept: ["Group/dev"],
    lost: ["User/alice"],
  },
  ...["edb-role:secrets:get", "edb-role:core/secrets:get", "edb-role:/secrets:get"].map(
    (entry): LocalRow => ({
      name: `${entry} is of the core group`,
      rules: [nodeRule, { apiGroups: [""], resources: ["secrets"], verbs: ["get"] }],
      drop: [entry],
      kept: [],
      lost: ["secrets: get"],
      written: [nodeRule],
    }),
  ),
];

describe("what a person added", () => {
  test.each(localRows)("$name", (row) => {
    const { rules, subjects = [], metadata = {}, mode = "contract", drop = [] } = row;
    const found: Found = {
      role: aRole(rules, { labels, ...metadata }),
      binding: aBinding([account(), account("ec"), ...subjects], { metadata: { labels } }),
    };
    const plan = planSite(found, wanted, termsOf(mode, {}, drop));
    const { grants, subjects: others } = plan.kept;
    expect([...grantLines(grants), ...others.map(subjectLabel)]).toEqual(row.kept);
    expect([...grantLines(plan.lost), ...plan.subjectsLost]).toEqual(row.lost ?? []);
    expect(plan.role?.object["rules"]).toEqual(row.written);
  });

  test("the rules of another role that the binding is for are kept in the wanted one", () => {
    const binding = aBinding([account(), account("ec")], other);
    const found = { role: wanted.role, binding, bound: [ownRule, podRule] };
    const plan = planSite(found, wanted, termsOf("contract"));
    expect(grantLines(plan.kept.grants)).toEqual(["deployments.apps: get, list"]);
    expect(grantLines(plan.lost)).toEqual(["pods: get"]);
  });

  test("a URL path stays one", () => {
    const path = { nonResourceURLs: ["/a", "/b"], verbs: ["get"] };
    const found = { role: aRole([path], { labels }) };
    const plan = planSite(found, wanted, termsOf("contract", {}, ["edb-role://a:get"]));
    expect(plan.role?.object["rules"]).toEqual([
      nodeRule,
      { nonResourceURLs: ["/b"], verbs: ["get"] },
    ]);
  });
});

test("labels that are not known to be the release's are no difference", () => {
  const found = { role: aRole([nodeRule]), binding: aBinding([account(), account("ec")]) };
  expect(isAsWanted(planSite(found, wanted, termsOf("contract", { marks: false })))).toBe(true);
  expect(isAsWanted(planSite(found, wanted, termsOf("contract")))).toBe(false);
});

describe("the second binding", () => {
  const found = { role: wanted.role, binding: aBinding([account("old")], other), bound: [] };
  const subjects = (witness?: string): readonly string[] =>
    subjectsOf(
      temporaryBinding(planSite(found, wanted, termsOf("contract")), "second", witness),
    ).map(({ name }) => name);

  test("is for everybody who has access or shall have it, under the wanted role", () => {
    const binding = temporaryBinding(
      planSite(found, wanted, termsOf("contract")),
      "second",
      undefined,
    );
    expect(binding.metadata).toEqual({ ...wanted.binding.metadata, name: "second" });
    expect(binding["roleRef"]).toEqual(wanted.binding["roleRef"]);
    expect(subjects()).toEqual(["engine-enterprise-operator", "ec", "old"]);
  });

  test("carries a witness where access is proven", () => {
    expect(subjects("me:1")).toContain("me:1");
  });

  test("of a place without a binding is for the wanted subjects", () => {
    const binding = temporaryBinding(
      planSite(wanted, wanted, termsOf("contract")),
      "second",
      undefined,
    );
    expect(subjectsOf(binding)).toHaveLength(2);
  });
});

describe("a place after expand", () => {
  const kept = { uid: "1", ownerReferences: [{ kind: "A" }] };
  const metadata = { labels: { team: "a" }, resourceVersion: "7", ...kept };
  const found = {
    role: aRole([podRule], metadata),
    binding: aBinding([account("old")], { metadata }),
  };

  test("needs nothing more of expand, and contract takes the old rules, not the subjects", () => {
    const after = expanded(found, wanted, termsOf("contract"));
    expect(isAsWanted(planSite(after, wanted, termsOf("expand")))).toBe(true);
    const contract = planSite(after, wanted, termsOf("contract"));
    expect(grantLines(contract.lost)).toEqual(["pods: get"]);
    expect(contract.subjectsLost).toEqual([]);
    expect(contract.kept.subjects).toEqual([account("old")]);
    expect([contract.gained, contract.subjectsGained]).toEqual([[], []]);
  });

  test("keeps the identity and the labels of others, but is of no version that is known", () => {
    const { role } = expanded(found, wanted, termsOf("contract"));
    expect(role?.metadata).toMatchObject({ ...kept, labels: { team: "a", ...labels } });
    expect(role?.metadata.resourceVersion).toBeUndefined();
  });

  test("holds a new binding where that is for another role now, and both where there was nothing", () => {
    const bound = { ...found, binding: aBinding([account()], { ...other, metadata }) };
    expect(expanded(bound, wanted, termsOf("contract")).binding?.metadata.uid).toBeUndefined();
    expect(
      isAsWanted(planSite(expanded({}, wanted, termsOf("contract")), wanted, termsOf("contract"))),
    ).toBe(true);
  });
});

test("kinds and labels follow from the namespace", () => {
  expect(kindsIn("shop").role.kind).toBe("Role");
  expect(kindsIn(undefined).binding.kind).toBe("ClusterRoleBinding");
  expect(objectLabel(wanted.role)).toBe("Role/shop/edb-role");
  expect(objectLabel({ ...wanted.role, kind: "ClusterRole", metadata: {} })).toBe("ClusterRole/");
});
