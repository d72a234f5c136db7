import { objectLabel } from "../../../../plugin/domain/objects";
import { kindsIn } from "../../../../plugin/domain/rbac/kinds";
import {
  expanded,
  type Found,
  isAsWanted,
  type Mode,
  planSite,
  temporaryBinding,
} from "../../../../plugin/domain/rbac/plan";
import { grantLines } from "../../../../plugin/domain/rbac/rules";
import { subjectsOf } from "../../../../plugin/domain/rbac/subjects";
import { aBinding, account, aRole, nodeRule, podRule } from "./objects";

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
  { name: "all as wanted: nothing", found: wanted, writes: [] },
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
    name: "a label of somebody else stays",
    found: { ...wanted, role: aRole([nodeRule], { labels: { ...labels, team: "a" } }) },
    writes: [],
  },
  {
    name: "a subject more",
    found: { ...wanted, binding: aBinding([account()], { metadata: { labels } }) },
    writes: ["binding"],
  },
  {
    name: "a subject fewer",
    found: {
      ...wanted,
      binding: aBinding([account(), account("ec"), account("old")], { metadata: { labels } }),
    },
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

test.each(rows)("$name", ({ found, mode = "exact", writes, rebind, gained = [], lost = [] }) => {
  const plan = planSite(found, wanted, mode);
  expect(["role", "binding", "temporary"].filter((part) => part in plan)).toEqual(writes);
  expect(plan.rebind).toBe(rebind === true);
  expect(grantLines(plan.gained)).toEqual(gained);
  expect(grantLines(plan.lost)).toEqual(lost);
  expect(isAsWanted(plan)).toBe(writes.length === 0);
});

test("each write knows what it replaces", () => {
  const found = { role: aRole([podRule]) };
  const plan = planSite(found, wanted, "exact");
  expect(plan.role?.live).toBe(found.role);
  expect(plan.binding?.live).toBeUndefined();
});

describe("the second binding", () => {
  const found = { role: wanted.role, binding: aBinding([account("old")], other), bound: [] };
  const subjects = (witness?: string): readonly string[] =>
    subjectsOf(temporaryBinding(planSite(found, wanted, "exact"), "second", witness)).map(
      ({ name }) => name,
    );

  test("is for everybody who has access or shall have it, under the wanted role", () => {
    const binding = temporaryBinding(planSite(found, wanted, "exact"), "second", undefined);
    expect(binding.metadata).toEqual({ ...wanted.binding.metadata, name: "second" });
    expect(binding["roleRef"]).toEqual(wanted.binding["roleRef"]);
    expect(subjects()).toEqual(["engine-enterprise-operator", "ec", "old"]);
  });

  test("carries a witness where access is proven", () => {
    expect(subjects("me:1")).toContain("me:1");
  });

  test("of a place without a binding is for the wanted subjects", () => {
    const binding = temporaryBinding(planSite(wanted, wanted, "exact"), "second", undefined);
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

  test("needs nothing more of expand, and contract takes the old rules and subjects", () => {
    const after = expanded(found, wanted);
    expect(isAsWanted(planSite(after, wanted, "expand"))).toBe(true);
    const contract = planSite(after, wanted, "contract");
    expect(grantLines(contract.lost)).toEqual(["pods: get"]);
    expect(contract.subjectsLost).toEqual(["ServiceAccount/engine/old"]);
    expect([contract.gained, contract.subjectsGained]).toEqual([[], []]);
  });

  test("keeps the identity and the labels of others, but is of no version that is known", () => {
    const { role } = expanded(found, wanted);
    expect(role?.metadata).toMatchObject({ ...kept, labels: { team: "a", ...labels } });
    expect(role?.metadata.resourceVersion).toBeUndefined();
  });

  test("holds a new binding where that is for another role now, and both where there was nothing", () => {
    const bound = { ...found, binding: aBinding([account()], { ...other, metadata }) };
    expect(expanded(bound, wanted).binding?.metadata.uid).toBeUndefined();
    expect(isAsWanted(planSite(expanded({}, wanted), wanted, "contract"))).toBe(true);
  });
});

test("kinds and labels follow from the namespace", () => {
  expect(kindsIn("shop").role.kind).toBe("Role");
  expect(kindsIn(undefined).binding.kind).toBe("ClusterRoleBinding");
  expect(objectLabel(wanted.role)).toBe("Role/shop/edb-role");
  expect(objectLabel({ ...wanted.role, kind: "ClusterRole", metadata: {} })).toBe("ClusterRole/");
});
