/** Every way in which an account can come to a constraint. */
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
  type Place,
  useOf,
  user,
} from "./objects";
import type { KubeObject } from "../../../../plugin/run/ports";

const scc = "securitycontextconstraints";
const bindings = "rolebindings";
const clusterBindings = "clusterrolebindings";
const both = [`patch ${scc}`, `delete ${scc}`];

export const wayIns: readonly Constellation[] = [
  {
    name: "the constraint's own list of users",
    objects: (at) => [anEc(at.ns), aConstraint(at.scc, { users: [user(at.ns)] })],
    exit: 0,
    codes: [],
    writes: both,
    constraint: "deleted",
  },
  {
    name: "the list of users, with others before and after",
    objects: (at) => [
      anEc(at.ns),
      aConstraint(at.scc, { users: ["zoe", user(at.ns), user(at.other), user(at.ns), "adam"] }),
    ],
    exit: 0,
    codes: ["SCC-IN-USE"],
    writes: [`patch ${scc}`],
    constraint: "kept",
  },
  ...["system:serviceaccounts", "system:serviceaccounts:NS", "system:authenticated"].map(
    (name): Constellation => ({
      name: `group ${name} in the constraint's groups`,
      objects: (at) => [
        anEc(at.ns),
        aConstraint(at.scc, { groups: ["others", name.replace("NS", at.ns)] }),
      ],
      exit: 0,
      codes: ["SCC-IN-USE", "SCC-WAY-GROUP"],
      writes: [],
      constraint: "kept",
      may: true,
    }),
  ),
  {
    name: "oc's cluster-wide binding",
    objects: (at) => [
      anEc(at.ns),
      aConstraint(at.scc),
      ...granted(at.scc, { subjects: [account(at.ns)] }),
    ],
    exit: 0,
    codes: ["SCC-ROLE-LEFT"],
    writes: [`delete ${clusterBindings}`, `delete ${scc}`],
    constraint: "deleted",
  },
  {
    name: "oc's binding in the namespace",
    objects: (at) => [
      anEc(at.ns),
      aConstraint(at.scc),
      ...granted(at.scc, { subjects: [account(at.ns)], namespace: at.ns }),
    ],
    exit: 0,
    codes: ["SCC-ROLE-LEFT"],
    writes: [`delete ${bindings}`, `delete ${scc}`],
    constraint: "deleted",
  },
  {
    name: "a binding of any name to a namespaced role, in another namespace, spelt as a user",
    objects: (at) => [
      anEc(at.ns),
      aConstraint(at.scc),
      aRole("mine", [useOf(at.scc)], at.other),
      aBinding(
        "anything",
        { kind: "Role", name: "mine" },
        { subjects: [{ kind: "User", name: user(at.ns) }], namespace: at.other },
      ),
    ],
    exit: 0,
    codes: [],
    writes: [`delete ${bindings}`, `delete ${scc}`],
    constraint: "deleted",
  },
  {
    name: "two accounts in one binding, and the account twice",
    objects: (at) => [
      anEc(at.ns),
      aConstraint(at.scc),
      ...granted(at.scc, {
        subjects: [
          account(at.other, "zoe"),
          account(at.ns),
          { kind: "User", name: user(at.ns) },
          account(at.ns, "adam"),
        ],
      }),
    ],
    exit: 0,
    codes: ["SCC-IN-USE"],
    writes: [`patch ${clusterBindings}`],
    constraint: "kept",
  },
  {
    name: "a group that the account is in, in a binding",
    objects: (at) => [
      anEc(at.ns),
      aConstraint(at.scc),
      ...granted(at.scc, { subjects: [group(`system:serviceaccounts:${at.ns}`)] }),
    ],
    exit: 0,
    codes: ["SCC-IN-USE", "SCC-WAY-GROUP"],
    writes: [],
    constraint: "kept",
    may: true,
  },
  {
    name: "a wildcard role of an administrator, in the account's namespace",
    objects: (at) => [
      anEc(at.ns),
      aConstraint(at.scc),
      aBinding(
        "admins",
        { kind: "ClusterRole", name: "cluster-admin" },
        { subjects: [account(at.ns)], namespace: at.ns },
      ),
    ],
    exit: 0,
    codes: ["SCC-WAY-ROLE"],
    writes: [`delete ${scc}`],
    constraint: "deleted",
    may: true,
  },
  {
    name: "a role with `use` on every constraint, beside a binding of its own",
    objects: (at) => [
      anEc(at.ns),
      aConstraint(at.scc, { users: [user(at.ns)] }),
      aRole("every", [{ ...useOf(), resourceNames: [] }], at.ns),
      aBinding(
        "every",
        { kind: "Role", name: "every" },
        { subjects: [account(at.ns)], namespace: at.ns },
      ),
    ],
    exit: 0,
    codes: ["SCC-WAY-ROLE"],
    writes: both,
    constraint: "deleted",
    may: true,
  },
  {
    name: "a role that grants other things too",
    objects: (at) => [
      anEc(at.ns),
      aConstraint(at.scc),
      aRole(
        "nodes",
        [useOf(at.scc), { apiGroups: [""], resources: ["secrets"], verbs: ["get"] }],
        at.ns,
      ),
      aBinding(
        "nodes",
        { kind: "Role", name: "nodes" },
        { subjects: [account(at.ns)], namespace: at.ns },
      ),
    ],
    exit: 0,
    codes: ["SCC-IN-USE", "SCC-WAY-ROLE"],
    writes: [],
    constraint: "kept",
    may: true,
  },
  {
    name: "an aggregated role, by the rules that are stored in it",
    objects: (at) => [
      anEc(at.ns),
      aConstraint(at.scc),
      {
        ...aRole(`${at.scc}-all`, [useOf(at.scc)]),
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { none: "has-this" } }] },
      },
      aBinding(
        `${at.scc}-all`,
        { kind: "ClusterRole", name: `${at.scc}-all` },
        { subjects: [account(at.ns)] },
      ),
    ],
    exit: 0,
    codes: [],
    writes: [`delete ${clusterBindings}`, `delete ${scc}`],
    constraint: "deleted",
  },
  {
    name: "every way at once, beside someone else",
    objects: (at) => [
      anEc(at.ns),
      aConstraint(at.scc, { users: [user(at.ns)], groups: ["others"] }),
      ...granted(at.scc, { subjects: [account(at.ns)] }),
      aBinding(
        "also",
        { kind: "ClusterRole", name: `system:openshift:scc:${at.scc}` },
        { subjects: [account(at.ns), account(at.other)], namespace: at.ns },
      ),
    ],
    exit: 0,
    codes: ["SCC-IN-USE"],
    writes: [`patch ${scc}`, `delete ${clusterBindings}`, `patch ${bindings}`],
    constraint: "kept",
  },
  {
    name: "a left-over ClusterRole alone",
    objects: (at) => [
      anEc(at.ns),
      aConstraint(at.scc),
      aRole(`system:openshift:scc:${at.scc}`, [useOf(at.scc)]),
    ],
    exit: 0,
    codes: ["SCC-ROLE-LEFT"],
    writes: [`delete ${scc}`],
    constraint: "deleted",
  },
  {
    name: "a left-over binding to a constraint that is gone",
    objects: (at) => [anEc(at.ns), ...granted(at.scc, { subjects: [account(at.ns)] })],
    exit: 0,
    codes: ["SCC-ROLE-LEFT"],
    writes: [`delete ${clusterBindings}`],
    constraint: "absent",
  },
];

export interface Constellation {
  readonly name: string;
  /** Beside the namespaces. */
  readonly objects: (at: Place) => readonly KubeObject[];
  /** The account's name where it is not the EC's. */
  readonly account?: string;
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

export const surroundings: readonly Constellation[] = [
  {
    name: "another EC still bound in its own namespace",
    objects: (at) => [
      anEc(at.ns),
      anEc(at.other, adjusting),
      aConstraint(at.scc, { users: [user(at.ns)] }),
      ...granted(at.scc, { subjects: [account(at.other)], namespace: at.other }),
    ],
    exit: 0,
    codes: ["SCC-IN-USE"],
    writes: [`patch ${scc}`],
    constraint: "kept",
  },
  {
    name: "another EC of the namespace, with an account of its own, that asks for adjustment",
    objects: (at) => [
      anEc(at.ns),
      anEc(at.ns, { ...adjusting, serviceAccountName: "raised" }, "second"),
      aConstraint(at.scc),
      ...granted(at.scc, { subjects: [account(at.ns, "raised"), account(at.ns)] }),
    ],
    exit: 0,
    codes: ["SCC-ADJUSTMENT", "SCC-IN-USE"],
    writes: [`patch ${clusterBindings}`],
    constraint: "kept",
  },
  {
    name: "a pod of someone else that runs under it",
    objects: (at) => [
      anEc(at.ns),
      aConstraint(at.scc, { users: [user(at.ns)] }),
      aPod(at.other, { scc: at.scc, serviceAccountName: "builder" }),
    ],
    exit: 0,
    codes: ["SCC-IN-USE"],
    writes: [`patch ${scc}`],
    constraint: "kept",
  },
  {
    name: "a pod of the account that still runs under it",
    objects: (at) => [
      anEc(at.ns),
      aConstraint(at.scc, { users: [user(at.ns)] }),
      aPod(at.ns, { scc: at.scc }),
    ],
    exit: 3,
    codes: ["SCC-POD-RUNNING"],
    writes: [],
    constraint: "kept",
    may: true,
  },
  {
    name: "an EC that asks for automatic resource adjustment",
    objects: (at) => [
      anEc(at.ns, adjusting),
      aConstraint(at.scc),
      ...granted(at.scc, { subjects: [account(at.ns)] }),
    ],
    exit: 3,
    codes: ["SCC-ADJUSTMENT"],
    writes: [],
    constraint: "kept",
    may: true,
  },
  {
    name: "an EC of an older release",
    objects: (at) => [
      anEc(at.ns, {
        engineEnterpriseImageSpec: { versionTag: "7.22.0-5", imagePullPolicy: "Always" },
      }),
      aConstraint(at.scc, { users: [user(at.ns)] }),
    ],
    exit: 3,
    codes: ["SCC-RELEASE-OLD"],
    writes: [],
    constraint: "kept",
    may: true,
  },
  {
    name: "an operator of an older release",
    objects: (at) => [
      anEc(at.ns),
      anOperator(at.ns, "engine/operator:7.8.6-2"),
      aConstraint(at.scc, { users: [user(at.ns)] }),
    ],
    exit: 3,
    codes: ["SCC-RELEASE-OLD"],
    writes: [],
    constraint: "kept",
    may: true,
  },
  {
    name: "no EC that tells whose account is meant",
    objects: (at) => [aConstraint(at.scc, { users: [user(at.ns)] })],
    exit: 3,
    codes: ["SCC-NO-EC"],
    writes: [],
    constraint: "kept",
    may: true,
  },
  {
    name: "a binding that Helm looks after",
    objects: (at) => [
      anEc(at.ns),
      aConstraint(at.scc),
      ...granted(at.scc, { subjects: [account(at.ns)] }).map((object) => ({
        ...object,
        metadata: { ...object.metadata, labels: { "app.kubernetes.io/managed-by": "Helm" } },
      })),
    ],
    exit: 5,
    codes: ["SCC-OWNED"],
    writes: [],
    constraint: "kept",
    may: true,
  },
  {
    name: "an account of its own name, and the EC's name bound for someone else",
    objects: (at) => [
      anEc(at.ns, { serviceAccountName: "nodes" }),
      aConstraint(at.scc, { users: [user(at.ns), user(at.ns, "nodes")] }),
    ],
    exit: 0,
    codes: ["SCC-IN-USE"],
    account: "nodes",
    writes: [`patch ${scc}`],
    constraint: "kept",
  },
];

export const constellations = [...wayIns, ...surroundings];
