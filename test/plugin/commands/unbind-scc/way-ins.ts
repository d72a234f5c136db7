/** Every way in which an account can come to a constraint, and what stands beside it. */
import {
  aBinding,
  account,
  aConstraint,
  adjusting,
  anEc,
  anOperator,
  aPod,
  aRole,
  granted,
  group,
  type AccountReview,
  useOf,
  user,
} from "./objects";
import type { KubeObject } from "../../../../plugin/ports/kubernetes";

export interface Constellation {
  readonly name: string;
  /** Beside the namespaces. */
  readonly objects: (at: AccountReview) => readonly KubeObject[];
  /** The account's name where it is not the EC's. */
  readonly account?: string;
  /** Groups and accounts that go out with it. */
  readonly beside?: (at: AccountReview) => readonly string[];
  readonly exit: number;
  /** Codes of the findings, each once. */
  readonly codes: readonly string[];
  /** Writes sent, as `delete kind` or `patch kind`. */
  readonly writes: readonly string[];
  /** What becomes of the constraint. */
  readonly constraint: "deleted" | "kept" | "absent";
  /** The account keeps a way in, which was reported or is wanted. */
  readonly may?: true;
}

const scc = "securitycontextconstraints";
const bindings = "rolebindings";
const clusterBindings = "clusterrolebindings";
const both = [`patch ${scc}`, `delete ${scc}`];

/** What is there beside the EC and the constraint. */
interface Start {
  /** Of the EC; false: there is none. */
  readonly ec?: object | false;
  /** Who is in the constraint itself; false: it is gone. */
  readonly lists?: ((at: AccountReview) => Parameters<typeof aConstraint>[1]) | false;
  readonly more?: (at: AccountReview) => readonly KubeObject[];
}

type End = Partial<Omit<Constellation, "name" | "objects">>;

/** Without more, the account is unbound and the constraint deleted. */
function row(name: string, { ec = {}, lists, more }: Start, end: End): Constellation {
  const objects = (at: AccountReview): readonly KubeObject[] => [
    ...(ec === false ? [] : [anEc(at.ns, ec)]),
    ...(lists === false ? [] : [aConstraint(at.scc, lists?.(at))]),
    ...(more?.(at) ?? []),
  ];
  return { name, objects, exit: 0, codes: [], writes: [], constraint: "deleted", ...end };
}

const listed = (at: AccountReview) => ({ users: [user(at.ns)] });
/** oc's cluster-wide binding, for the account and these. */
const bound =
  (...others: ((at: AccountReview) => object)[]) =>
  (at: AccountReview) =>
    granted(at.scc, { subjects: [...others.map((of) => of(at)), account(at.ns)] });
const near = (at: AccountReview, kind: "Role" | "ClusterRole", name: string) =>
  aBinding(name, { kind, name }, { subjects: [account(at.ns)], namespace: at.ns });

const theGroup = (at: AccountReview) => [`system:serviceaccounts:${at.ns}`];

const kept = (...codes: readonly string[]): End => ({ constraint: "kept", codes });
const left = (...codes: readonly string[]): End => ({ ...kept(...codes), may: true });
const refused = (code: string, exit = 3): End => ({ ...left(code), exit });

export const constellations: readonly Constellation[] = [
  row("the constraint's own list of users", { lists: listed }, { writes: both }),
  row(
    "the list of users, with others before and after",
    { lists: (at) => ({ users: ["zoe", user(at.ns), user(at.other), user(at.ns), "adam"] }) },
    { ...kept("SCC-IN-USE"), writes: [`patch ${scc}`] },
  ),
  row(
    "the group of the namespace in the constraint's groups",
    { lists: (at) => ({ groups: [`system:serviceaccounts:${at.ns}`] }) },
    { writes: both, beside: theGroup },
  ),
  row(
    "the group of the namespace, and the account, beside others",
    {
      lists: (at) => ({
        users: [user(at.ns), "zoe"],
        groups: ["others", `system:serviceaccounts:${at.ns}`],
      }),
    },
    { ...kept("SCC-IN-USE"), writes: [`patch ${scc}`], beside: theGroup },
  ),
  row(
    "the group of the namespace, and a pod of another account runs by it",
    {
      lists: (at) => ({ groups: [`system:serviceaccounts:${at.ns}`] }),
      more: (at) => [aPod(at.ns, { scc: at.scc, serviceAccountName: "builder" })],
    },
    left("SCC-IN-USE", "SCC-WAY-GROUP"),
  ),
  row(
    "the group of the namespace, and another EC of it still needs the constraint",
    {
      lists: (at) => ({ groups: [`system:serviceaccounts:${at.ns}`] }),
      more: (at) => [anEc(at.ns, { ...adjusting, serviceAccountName: "raised" }, "second")],
    },
    left("SCC-IN-USE", "SCC-WAY-GROUP"),
  ),
  row(
    "the operator's own account, bound with the EC's",
    {
      lists: (at) => ({ users: [user(at.ns), user(at.ns, "manager")] }),
      more: (at) => [
        anOperator(at.ns, "engine/operator:8.0.20-23", "manager"),
        ...bound(() => account(at.ns, "manager"))(at),
      ],
    },
    {
      codes: ["SCC-ROLE-LEFT"],
      writes: [`patch ${scc}`, `delete ${clusterBindings}`, `delete ${scc}`],
      beside: (at) => [user(at.ns, "manager")],
    },
  ),
  row(
    "the operator's own account, which has a role with a wildcard beside",
    {
      lists: (at) => ({ users: [user(at.ns), user(at.ns, "manager")] }),
      more: (at) => [
        anOperator(at.ns, "engine/operator:8.0.20-23", "manager"),
        aRole("all", [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }], at.ns),
        aBinding(
          "all",
          { kind: "Role", name: "all" },
          { subjects: [account(at.ns, "manager")], namespace: at.ns },
        ),
      ],
    },
    { codes: ["SCC-WAY-ROLE"], writes: both, beside: (at) => [user(at.ns, "manager")] },
  ),
  row(
    "the operator's own account, under which a pod that needs the constraint runs",
    {
      lists: (at) => ({ users: [user(at.ns), user(at.ns, "manager")] }),
      more: (at) => [
        anOperator(at.ns, "engine/operator:8.0.20-23", "manager"),
        aPod(at.ns, {
          scc: at.scc,
          serviceAccountName: "manager",
          securityContext: { capabilities: { add: ["SYS_RESOURCE"] } },
        }),
      ],
    },
    { ...kept("SCC-IN-USE"), writes: [`patch ${scc}`] },
  ),
  row(
    "one role for both of the product's own constraints",
    {
      more: (at) => [
        aRole("two", [useOf(at.scc, "engine-enterprise-scc")], at.ns),
        near(at, "Role", "two"),
      ],
    },
    { writes: [`delete ${bindings}`, `delete ${scc}`] },
  ),
  row(
    "a pod of the account that is under it by its priority alone",
    {
      lists: (at) => ({ ...listed(at), priority: 20 }),
      more: (at) => [aPod(at.ns, { scc: at.scc })],
    },
    { ...kept("SCC-IN-USE", "SCC-POD-LEFT"), writes: [`patch ${scc}`] },
  ),
  row(
    "a pod of the account that adds a capability, under a constraint with a priority",
    {
      lists: (at) => ({ ...listed(at), priority: 20 }),
      more: (at) => [
        aPod(at.ns, { scc: at.scc, securityContext: { capabilities: { add: ["SYS_RESOURCE"] } } }),
      ],
    },
    refused("SCC-POD-RUNNING"),
  ),
  row(
    "a pod that is left from before the account was taken out",
    { more: (at) => [aPod(at.ns, { scc: at.scc })] },
    kept("SCC-IN-USE", "SCC-POD-LEFT"),
  ),
  ...["system:serviceaccounts", "system:authenticated"].map((name) =>
    row(
      `group ${name} in the constraint's groups`,
      { lists: (at) => ({ groups: ["others", name.replace("NS", at.ns)] }) },
      left("SCC-IN-USE", "SCC-WAY-GROUP"),
    ),
  ),
  row(
    "oc's cluster-wide binding",
    { more: bound() },
    { codes: ["SCC-ROLE-LEFT"], writes: [`delete ${clusterBindings}`, `delete ${scc}`] },
  ),
  row(
    "oc's binding in the namespace",
    { more: (at) => granted(at.scc, { subjects: [account(at.ns)], namespace: at.ns }) },
    { codes: ["SCC-ROLE-LEFT"], writes: [`delete ${bindings}`, `delete ${scc}`] },
  ),
  row(
    "a binding of any name to a namespaced role, in another namespace, spelt as a user",
    {
      more: (at) => {
        const bound = { subjects: [{ kind: "User", name: user(at.ns) }], namespace: at.other };
        const role = { kind: "Role", name: "mine" } as const;
        return [aRole("mine", [useOf(at.scc)], at.other), aBinding("anything", role, bound)];
      },
    },
    { writes: [`delete ${bindings}`, `delete ${scc}`] },
  ),
  row(
    "two accounts in one binding, and the account twice",
    {
      more: bound(
        (at) => account(at.other, "zoe"),
        (at) => account(at.ns, "adam"),
        (at) => ({ kind: "User", name: user(at.ns) }),
      ),
    },
    { ...kept("SCC-IN-USE"), writes: [`patch ${clusterBindings}`] },
  ),
  row(
    "a group that the account is in, in a binding",
    { more: (at) => granted(at.scc, { subjects: [group("system:serviceaccounts")] }) },
    left("SCC-IN-USE", "SCC-WAY-GROUP"),
  ),
  row(
    "the group of the namespace in a binding, beside another",
    {
      more: (at) =>
        granted(at.scc, {
          subjects: [group(`system:serviceaccounts:${at.ns}`), group("builders")],
        }),
    },
    { ...kept("SCC-IN-USE"), writes: [`patch ${clusterBindings}`], beside: theGroup },
  ),
  row(
    "the group of the namespace by a role that grants other things too",
    {
      more: (at) => [
        aRole("nodes", [useOf(at.scc), { apiGroups: [""], resources: ["pods"], verbs: ["get"] }]),
        aBinding(
          `${at.scc}-nodes`,
          { kind: "ClusterRole", name: "nodes" },
          { subjects: [group(`system:serviceaccounts:${at.ns}`)] },
        ),
      ],
    },
    left("SCC-IN-USE", "SCC-WAY-GROUP"),
  ),
  row(
    "a wildcard role of an administrator, in the account's namespace",
    { more: (at) => [near(at, "ClusterRole", "cluster-admin")] },
    { codes: ["SCC-WAY-ROLE"], writes: [`delete ${scc}`], may: true },
  ),
  row(
    "a role with `use` on every constraint, beside a binding of its own",
    {
      lists: listed,
      more: (at) => [
        aRole("every", [{ ...useOf(), resourceNames: [] }], at.ns),
        near(at, "Role", "every"),
      ],
    },
    { codes: ["SCC-WAY-ROLE"], writes: both, may: true },
  ),
  row(
    "a role that grants other things too",
    {
      more: (at) => {
        const secrets = { apiGroups: [""], resources: ["secrets"], verbs: ["get"] };
        return [aRole("nodes", [useOf(at.scc), secrets], at.ns), near(at, "Role", "nodes")];
      },
    },
    left("SCC-IN-USE", "SCC-WAY-ROLE"),
  ),
  row(
    "an aggregated role, by the rules that are stored in it",
    {
      more: (at) => {
        const name = `${at.scc}-all`;
        const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { none: "has-this" } }] };
        const subjects = [account(at.ns)];
        return [
          { ...aRole(name, [useOf(at.scc)]), aggregationRule },
          aBinding(name, { kind: "ClusterRole", name }, { subjects }),
        ];
      },
    },
    { writes: [`delete ${clusterBindings}`, `delete ${scc}`] },
  ),
  row(
    "every way at once, beside someone else",
    {
      lists: (at) => ({ ...listed(at), groups: ["others"] }),
      more: (at) => [
        ...bound()(at),
        aBinding(
          "also",
          { kind: "ClusterRole", name: `system:openshift:scc:${at.scc}` },
          { subjects: [account(at.ns), account(at.other)], namespace: at.ns },
        ),
      ],
    },
    {
      ...kept("SCC-IN-USE"),
      writes: [`patch ${scc}`, `delete ${clusterBindings}`, `patch ${bindings}`],
    },
  ),
  row(
    "a left-over ClusterRole alone",
    { more: (at) => [aRole(`system:openshift:scc:${at.scc}`, [useOf(at.scc)])] },
    { codes: ["SCC-ROLE-LEFT"], writes: [`delete ${scc}`] },
  ),
  row(
    "a left-over binding to a constraint that is gone",
    { lists: false, more: bound() },
    { codes: ["SCC-ROLE-LEFT"], writes: [`delete ${clusterBindings}`], constraint: "absent" },
  ),
  row(
    "another EC still bound in its own namespace",
    {
      lists: listed,
      more: (at) => [
        anEc(at.other, adjusting),
        ...granted(at.scc, { subjects: [account(at.other)], namespace: at.other }),
      ],
    },
    { ...kept("SCC-IN-USE"), writes: [`patch ${scc}`] },
  ),
  row(
    "another EC of the namespace, with an account of its own, that asks for adjustment",
    {
      more: (at) => [
        anEc(at.ns, { ...adjusting, serviceAccountName: "raised" }, "second"),
        ...bound(() => account(at.ns, "raised"))(at),
      ],
    },
    { ...kept("SCC-ADJUSTMENT", "SCC-IN-USE"), writes: [`patch ${clusterBindings}`] },
  ),
  row(
    "a pod of someone else that runs under it",
    {
      lists: listed,
      more: (at) => [aPod(at.other, { scc: at.scc, serviceAccountName: "builder" })],
    },
    { ...kept("SCC-IN-USE"), writes: [`patch ${scc}`] },
  ),
  row(
    "a pod of the account that still runs under it",
    { lists: listed, more: (at) => [aPod(at.ns, { scc: at.scc })] },
    refused("SCC-POD-RUNNING"),
  ),
  row(
    "an EC that asks for automatic resource adjustment",
    { ec: adjusting, more: bound() },
    refused("SCC-ADJUSTMENT"),
  ),
  row(
    "an EC of an older release",
    {
      ec: { engineEnterpriseImageSpec: { versionTag: "7.22.0-5", imagePullPolicy: "Always" } },
      lists: listed,
    },
    refused("SCC-RELEASE-OLD"),
  ),
  row(
    "an operator of an older release",
    { lists: listed, more: (at) => [anOperator(at.ns, "engine/operator:7.8.6-2")] },
    refused("SCC-RELEASE-OLD"),
  ),
  row(
    "no EC that tells whose account is meant",
    { ec: false, lists: listed },
    refused("SCC-NO-EC"),
  ),
  row(
    "a binding that Helm looks after",
    {
      more: (at) => {
        const labels = { "app.kubernetes.io/managed-by": "Helm" };
        const annotations = { "meta.helm.sh/release-name": "scc" };
        const owned = (one: KubeObject) => ({
          ...one,
          metadata: { ...one.metadata, labels, annotations },
        });
        return bound()(at).map(owned);
      },
    },
    refused("SCC-OWNED", 5),
  ),
  row(
    "an account of its own name, and the EC's name bound for someone else",
    {
      ec: { serviceAccountName: "nodes" },
      lists: (at) => ({ users: [user(at.ns), user(at.ns, "nodes")] }),
    },
    { ...kept("SCC-IN-USE"), account: "nodes", writes: [`patch ${scc}`] },
  ),
];
