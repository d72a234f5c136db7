import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import * as plans from "../../../../plugin/domain/rbac/plan";
import type { LiveRbac, Mode, Terms } from "../../../../plugin/domain/rbac/plan";
import { grantLines, subjectLabel, listSubjects } from "../../../../plugin/domain/kube/role-rules";
import { aBinding, account, aRole, nodeRule, podRule } from "./objects";

const { isAsWanted, planSite, temporaryBinding, termsFor } = plans;

/** Of the two rules one is of a release before; what is neither is a person's. */
function termsOf(mode: Mode, more: Partial<Terms> = {}, dropLocal: readonly string[] = []): Terms {
  const made = termsFor({ names, namespace: "engine", files: {}, mode, dropLocal });
  return { ...made, released: [podRule, nodeRule], ...more };
}

const labels = { app: "engine" };
const labeled = (...subjects: readonly object[]) => aBinding(subjects, { metadata: { labels } });
const ours = [account(), account("ec")];
const wanted = { role: aRole([nodeRule], { labels }), binding: labeled(...ours) };
const other = { kind: "ClusterRole", name: "everywhere" };
const elsewhere: LiveRbac = {
  role: wanted.role,
  binding: aBinding([account()], other),
  bound: [podRule],
};
const having = (...rules: readonly object[]): LiveRbac => ({
  ...wanted,
  role: aRole(rules, { labels }),
});
const bound = (...subjects: readonly object[]): LiveRbac => ({
  ...wanted,
  binding: labeled(...subjects),
});
const theirs = account(undefined, "other");
const asUser = ({ namespace, name }: { readonly namespace: string; readonly name: string }) => ({
  kind: "User",
  name: `system:serviceaccount:${namespace}:${name}`,
});
const group = { kind: "Group", name: "system:serviceaccounts:engine" };
const strangers = { kind: "Group", name: "system:serviceaccounts:other" };
const placeholder = account("NAME_OF_EC_SERVICE_ACCOUNT");
const team = { ...wanted, role: aRole([nodeRule], { labels: { ...labels, team: "a" } }) };

/** The writes as words, `rebind` for another role; what is gained is `+`, what is lost `-`. */
test.each<[string, LiveRbac, string, Mode?]>([
  ["nothing there: both", {}, "role binding +nodes: get"],
  ["all up to date: nothing", wanted, ""],
  ["old rules are exchanged", having(podRule), "role +nodes: get -pods: get"],
  ["expand keeps the old rules", having(podRule), "role +nodes: get", "expand"],
  ["expand over what was expanded", having(podRule, nodeRule), "", "expand"],
  ["contract takes the old rules", having(podRule, nodeRule), "role -pods: get"],
  ["a label that is missing", { ...wanted, role: aRole([nodeRule]) }, "role"],
  ["a label of someone else stays", team, ""],
  ["a subject more", bound(account()), "binding"],
  ["a subject that a person added", bound(...ours, account("old")), ""],
  [
    "the accounts of another operator go",
    bound(...ours, theirs, account("ec", "other")),
    "binding",
  ],
  ["expand keeps the accounts of another operator", bound(...ours, theirs), "", "expand"],
  ["a placeholder goes in every mode", bound(...ours, placeholder), "binding", "expand"],
  ["expand keeps a subject", bound(account("old"), ...ours), "", "expand"],
  ["accounts that are named as users", bound(...ours.map(asUser)), ""],
  ["accounts that are named as users", bound(...ours.map(asUser)), "", "expand"],
  ["accounts that are named by their group", bound(group), ""],
  ["accounts that are named by their group", bound(group), "", "expand"],
  ["one account that is named by its group", bound(account(), group), "", "expand"],
  ["a group of another namespace", bound(strangers), "binding", "expand"],
  ["another role", elsewhere, "binding rebind -pods: get"],
  ["expand keeps the rules of another role", elsewhere, "role binding rebind", "expand"],
  ["a second binding left over", { ...wanted, temporary: aBinding() }, "temporary"],
])("%s", (_name, ...[found, words, mode = "contract"]) => {
  const plan = planSite(found, wanted, termsOf(mode));
  const writes = ["role", "binding", "temporary"].filter((part) => part in plan);
  const told = [
    ...writes,
    ...(plan.rebind ? ["rebind"] : []),
    ...grantLines(plan.gained).map((line) => `+${line}`),
    ...grantLines(plan.lost).map((line) => `-${line}`),
  ];
  expect(told.join(" ")).toBe(words);
  expect(isAsWanted(plan)).toBe(writes.length === 0);
  expect([plan.role?.live, plan.binding?.live]).toEqual([
    plan.role && found.role,
    plan.binding && found.binding,
  ]);
});

const onApps = (resources: readonly string[], verbs: readonly string[], more: object = {}) => ({
  apiGroups: ["apps"],
  resources,
  ...more,
  verbs,
});
const ownRule = onApps(["deployments"], ["get", "list"]);
const getDeployments = onApps(["deployments"], ["get"]);
const own = "deployments.apps: get, list";
const alice = { kind: "User", name: "alice" };
const wildcard = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] };
const limited = { resourceNames: ["x"] };
const secrets = { apiGroups: [""], resources: ["secrets"], verbs: ["get"] };
const paths = (...nonResourceURLs: readonly string[]) => ({ nonResourceURLs, verbs: ["get"] });

interface Local {
  readonly rules: readonly object[];
  readonly subjects?: readonly object[];
  /** Rules of the file that was applied last. */
  readonly file?: readonly object[];
  readonly mode?: Mode;
  readonly drop?: string;
  readonly kept?: readonly string[];
  readonly lost?: readonly string[];
  /** The rules as they are written; absent: the role is not written. */
  readonly written?: readonly object[];
}

test.each<[string, Local]>([
  [
    "a rule that no release had is kept as it is written",
    { rules: [ownRule, podRule], kept: [own], lost: ["pods: get"], written: [nodeRule, ownRule] },
  ],
  [
    "the part of a rule that no release had is kept",
    {
      rules: [nodeRule, { ...podRule, verbs: ["get", "delete"] }],
      kept: ["pods: delete"],
      lost: ["pods: get"],
      written: [nodeRule, { ...podRule, verbs: ["delete"] }],
    },
  ],
  [
    "a name that limits it stays with it",
    {
      rules: [nodeRule, onApps(["deployments", "y"], ["get", "list"], limited), podRule],
      drop: "edb-role:apps/y:get",
      kept: ['deployments.apps "x": get, list', 'y.apps "x": list'],
      lost: ['y.apps "x": get', "pods: get"],
      written: [
        nodeRule,
        ...["get", "list"].map((verb) => onApps(["deployments"], [verb], limited)),
        onApps(["y"], ["list"], limited),
      ],
    },
  ],
  ["a wildcard is nobody's but a person's", { rules: [wildcard], kept: ["*.*: *"] }],
  ["nothing else to do: nothing", { rules: [nodeRule, ownRule], kept: [own] }],
  [
    "a rule of a release that is not in the file applied last was added by a person",
    { rules: [nodeRule, podRule], file: [nodeRule], kept: ["pods: get"] },
  ],
  [
    "a rule of a release that is in the file applied last goes",
    { rules: [nodeRule, podRule], file: [podRule], lost: ["pods: get"], written: [nodeRule] },
  ],
  [
    "a rule in the file applied last is a person's where no release had it",
    { rules: [nodeRule, ownRule], file: [nodeRule, ownRule], kept: [own] },
  ],
  [
    "a file without rules tells nothing",
    { rules: [nodeRule, podRule], file: [], lost: ["pods: get"], written: [nodeRule] },
  ],
  [
    "--drop-local takes the one verb that it names",
    {
      rules: [nodeRule, ownRule],
      drop: "edb-role:apps/deployments:list",
      kept: ["deployments.apps: get"],
      lost: ["deployments.apps: list"],
      written: [nodeRule, getDeployments],
    },
  ],
  [
    "--drop-local takes it in expand too, and nothing else",
    {
      rules: [podRule, ownRule, nodeRule],
      mode: "expand",
      drop: "edb-role:apps/deployments:list",
      kept: ["deployments.apps: get"],
      lost: ["deployments.apps: list"],
      written: [podRule, getDeployments, nodeRule],
    },
  ],
  [
    "--drop-local of a wildcard leaves the rules of releases in expand",
    {
      rules: [podRule, nodeRule, wildcard],
      mode: "expand",
      drop: "edb-role:*/*:*",
      lost: ["*.*: *"],
      written: [podRule, nodeRule],
    },
  ],
  [
    "--drop-local all takes rules and subjects",
    {
      rules: [nodeRule, ownRule],
      subjects: [alice],
      drop: "all",
      lost: [own, "User/alice"],
      written: [nodeRule],
    },
  ],
  [
    "a subject that no release had is kept",
    { rules: [nodeRule], subjects: [alice], kept: ["User/alice"] },
  ],
  [
    "--drop-local of a subject takes it alone",
    {
      rules: [nodeRule],
      subjects: [alice, { kind: "Group", name: "dev" }],
      mode: "expand",
      drop: "edb-role:User/alice",
      kept: ["Group/dev"],
      lost: ["User/alice"],
    },
  ],
  [
    "a URL path stays one",
    {
      rules: [paths("/a", "/b")],
      drop: "edb-role://a:get",
      kept: ["/b: get"],
      lost: ["/a: get"],
      written: [nodeRule, paths("/b")],
    },
  ],
  ...["edb-role:secrets:get", "edb-role:core/secrets:get", "edb-role:/secrets:get"].map(
    (drop): [string, Local] => [
      `${drop} is of the core group`,
      { rules: [nodeRule, secrets], drop, lost: ["secrets: get"], written: [nodeRule] },
    ],
  ),
])("what a person added: %s", (_name, row) => {
  const { rules, subjects = [], file, mode = "contract", drop, kept = [], lost = [] } = row;
  const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
  const annotations = file && { [lastApplied]: JSON.stringify({ rules: file }) };
  const found: LiveRbac = {
    role: aRole(rules, { labels, ...(annotations && { annotations }) }),
    binding: labeled(...ours, ...subjects),
  };
  const plan = planSite(found, wanted, termsOf(mode, {}, drop === undefined ? [] : [drop]));
  const { grants, subjects: others } = plan.kept;
  expect([...grantLines(grants), ...others.map(subjectLabel)]).toEqual(kept);
  expect([...grantLines(plan.lost), ...plan.subjectsLost]).toEqual(lost);
  expect(plan.role?.object["rules"]).toEqual(row.written);
});

test.each<[string, readonly string[], readonly string[], readonly string[]]>([
  ["it is the accounts' access", [], [], []],
  [
    "given up, the accounts stand in its place",
    ["edb-role:Group/" + group.name],
    ours.map(subjectLabel),
    ["Group/" + group.name],
  ],
])("a group that both accounts are in: %s", (_, dropped, ...moved) => {
  const plan = planSite(bound(group), wanted, termsOf("expand", {}, dropped));
  expect(plan.kept.subjects).toEqual([]);
  expect([plan.subjectsGained, plan.subjectsLost]).toEqual(moved);
  const subjects = listSubjects(plan.outcome.binding);
  expect(subjects).toEqual(dropped.length === 0 ? [group] : ours);
});

test("a role that is made of others is not written, and what it lacks is told", () => {
  const role = { ...aRole([podRule, ownRule]), aggregationRule: {} };
  const plan = planSite({ ...wanted, role }, wanted, termsOf("contract"));
  expect([isAsWanted(plan), grantLines(plan.gained), plan.lost]).toEqual([
    true,
    ["nodes: get"],
    [],
  ]);
  expect(plan.local.grants).toEqual([]);
});

test("the rules of another role that the binding is for are kept in the wanted one", () => {
  const found = { ...elsewhere, binding: aBinding(ours, other), bound: [ownRule, podRule] };
  const plan = planSite(found, wanted, termsOf("contract"));
  expect([grantLines(plan.kept.grants), grantLines(plan.lost)]).toEqual([[own], ["pods: get"]]);
});

test("labels that are not known to be the release's are no difference", () => {
  const found = { role: aRole([nodeRule]), binding: aBinding(ours) };
  const as = (marks: boolean) =>
    isAsWanted(planSite(found, wanted, termsOf("contract", { marks })));
  expect([as(false), as(true)]).toEqual([true, false]);
});

test("the second binding is for everybody who has access or shall have it, under the wanted role", () => {
  const made = (found: LiveRbac, witness?: string): KubeObject =>
    temporaryBinding(planSite(found, wanted, termsOf("contract")), "second", witness);
  const found = { role: wanted.role, binding: aBinding([account("old")], other), bound: [] };
  const binding = made(found);
  expect(binding.metadata).toEqual({ ...wanted.binding.metadata, name: "second" });
  expect(binding["roleRef"]).toEqual(wanted.binding["roleRef"]);
  const namesOf = (one: KubeObject) => listSubjects(one).map(({ name }) => name);
  const all = ["engine-enterprise-operator", "ec", "old"];
  expect([namesOf(binding), namesOf(made(found, "me:1"))]).toEqual([all, [...all, "me:1"]]);
  expect(listSubjects(made(wanted))).toHaveLength(2);
});
