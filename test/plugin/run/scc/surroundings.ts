/** What else can stand around an account that has the constraint: other users, and refusals. */
import type { Constellation } from "./constellation";
import { aConstraint, account, adjusting, anEc, anOperator, aPod, granted, user } from "./objects";

const scc = "securitycontextconstraints";
const clusterBindings = "clusterrolebindings";

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
    name: "a pod of somebody else that runs under it",
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
    name: "an account of its own name, and the EC's name bound for somebody else",
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
