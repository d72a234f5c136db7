/** What each command may need: by what it is told, and by what is known already. */
import { factKeys } from "../../../plugin/domain/facts/facts";
import { defaultNames as names } from "../../../plugin/domain/names/names";
import {
  checkNeeds,
  inspectNeeds,
  modulesNeeds,
  rulesNeeds,
  statusNeeds,
} from "../../../plugin/domain/checks/needs";
import { apiNeeds, needList, type Needs, together } from "../../../plugin/domain/facts/needs";
import { rbacNeeds, type RbacWish } from "../../../plugin/commands/reapply-rbac/needs";
import { unbindNeeds } from "../../../plugin/commands/unbind-scc/needs";
import { bindNeed } from "../../../plugin/domain/kube/write-needs";
import { bundleNeeds, chartNeeds } from "../../../plugin/commands/upgrade-operator/needs";
import { databasesNeeds } from "../../../plugin/commands/upgrade-database/needs";
import { clusterNeeds } from "../../../plugin/commands/upgrade-cluster/needs";
import { recoverNeeds } from "../../../plugin/commands/recover/needs";
import { probedBy } from "../../../plugin/domain/admission/needs";
import { swapNeeds, swapWrites } from "../../../plugin/commands/upgrade-webhook/needs";
import { certNeeds } from "../../../plugin/commands/cert/needs";
import { upgradeNeeds } from "../../../plugin/commands/upgrade/needs";
import { listParts } from "../../../plugin/commands/parts";
import { upgrade } from "../../../plugin/commands/upgrade/flags";
import { readDefaults } from "../../../plugin/cmdutil/spec";
import type { PartInputs } from "../../../plugin/cmdutil/upgrade-part";
import type { PartId } from "../../../plugin/domain/base/part-ids";
import { placeBundle } from "../../../plugin/domain/operator/wanted";
import {
  narrowPermissions,
  permissionLine,
  reviewPermission,
} from "../../../plugin/domain/kube/permissions";
import { bundleOf } from "../../support/releases/tree";
import { fine, settings, unread } from "./status/scene";
import { aNewConfiguration } from "../../support/builders";

const namespace = "engine";
const place = { names, namespace };
const api = { secret: "ec", forwards: true, of: "the EC" };

const linesOf = ({ reads, may, beside }: Needs): readonly string[] =>
  [...reads, ...may, ...beside].map(permissionLine);

/** Lines about a resource, without its group. */
const about = (needs: Needs, resource: string): readonly string[] =>
  [...new Set(linesOf(needs))]
    .filter((line) => line.split(" ")[1]?.split(".")[0] === resource)
    .map((line) => line.replace(/\.[a-z0-9.]+/, ""))
    .sort();

const rbac = (changes: Partial<RbacWish> = {}): Needs =>
  rbacNeeds({
    ...place,
    ...{ managed: undefined, accounts: true, prune: false, prove: true },
    ...changes,
  });

describe("the lists of facts", () => {
  test("are in the operator's namespace, in the whole cluster, or of one name", () => {
    const why = "";
    expect(
      (["pods", "nodes", "webhookSecrets"] as const).map((key) =>
        permissionLine(needList(key, place, why)),
      ),
    ).toEqual([
      "list pods in namespace engine",
      "list nodes",
      `list secrets "admission-tls" in namespace engine`,
    ]);
  });

  test("are in every namespace where none is meant", () => {
    const everywhere = { names, namespace: undefined };
    expect(permissionLine(needList("pods", everywhere, ""))).toBe("list pods");
  });
});

type Row = readonly [title: string, needs: Needs, resource: string, lines: readonly string[]];

const placed = placeBundle(bundleOf("8.0.2-2"), {
  ...{ names, namespace, registry: undefined, pullSecret: undefined },
  ...{ allowObjects: [], live: undefined },
});
const bundle = placed.is === "placed" ? placed.objects : [];

/** What `upgrade` needs with these parts; the bundle of a release is placed. */
function needsFor(
  changes: Partial<PartInputs> = {},
  flags: Partial<PartInputs["flags"]> = {},
  only?: readonly PartId[],
): Needs {
  const contents = { bundle: bundleOf("8.0.2-2") };
  const wish = {
    ...{ facts: fine(), opened: {}, contents, context: {} },
    ...changes,
    flags: { ...readDefaults(upgrade), probe: true, engineVersion: "8.0", ...flags },
  } as unknown as PartInputs;
  return upgradeNeeds(
    wish,
    listParts().filter(({ id }) => only?.includes(id) !== false),
  );
}

const databases = { ...place, databases: [], everywhere: false, api: undefined };
const swap = { ...place, service: "admission", probed: [] };
const own = (...lines: readonly string[]) => lines.map((line) => `${line} in namespace engine`);

const rows: readonly Row[] = [
  [
    "check: every Secret while it is not known which are named",
    checkNeeds(place, { secrets: undefined, probe: false }),
    "secrets",
    own("list secrets", `list secrets "admission-tls"`),
  ],
  [
    "check: those that are named",
    checkNeeds(place, {
      secrets: { namedSecrets: ["ec", "pull"].map((name) => ({ namespace: "engine", name })) },
      probe: false,
    }),
    "secrets",
    own(`list secrets "admission-tls"`, `list secrets "ec"`, `list secrets "pull"`),
  ],
  [
    "check: those that databases name, in their own namespaces",
    checkNeeds(place, {
      secrets: { namedSecrets: [], referredSecrets: [{ namespace: "shop", name: "login" }] },
      probe: false,
    }),
    "secrets",
    [...own(`list secrets "admission-tls"`), `list secrets "login" in namespace shop`],
  ],
  [
    "status: no edit with --no-probe",
    statusNeeds(place, { probe: false }),
    "engineenterprisedatabases",
    ["list engineenterprisedatabases"],
  ],
  [
    "status: the edits of its probe, wherever it is sent",
    statusNeeds(place, { probe: true }),
    "engineenterprisedatabases",
    ["create engineenterprisedatabases", "list engineenterprisedatabases"],
  ],
  [
    "status: no Secret, though it reads those that it may",
    statusNeeds(place, { probe: false }),
    "secrets",
    [],
  ],
  [
    "audit: databases everywhere",
    rulesNeeds(place),
    "engineenterprisedatabases",
    ["list engineenterprisedatabases"],
  ],
  [
    "cert inspect: the one Secret",
    inspectNeeds(place),
    "secrets",
    own(`get secrets "admission-tls"`),
  ],
  ["modules: the credentials", modulesNeeds(place, api), "secrets", own(`get secrets "ec"`)],
  [
    "upgrade-webhook: configurations by name but for what cannot be",
    swapNeeds(swap),
    "validatingwebhookconfigurations",
    [
      "create validatingwebhookconfigurations",
      `delete validatingwebhookconfigurations "edb-admission"`,
      `delete validatingwebhookconfigurations "engine-enterprise-admission"`,
      `get validatingwebhookconfigurations "edb-admission"`,
      `get validatingwebhookconfigurations "engine-enterprise-admission"`,
      "list validatingwebhookconfigurations",
      `patch validatingwebhookconfigurations "engine-enterprise-admission"`,
      `update validatingwebhookconfigurations "engine-enterprise-admission"`,
    ],
  ],
  [
    "cert create: no update where none is asked for",
    certNeeds({ ...place, replace: false }),
    "secrets",
    own("create secrets", `get secrets "admission-tls"`),
  ],
  [
    "cert create --replace --from-secret",
    certNeeds({ ...place, replace: true, fromSecret: "copy" }),
    "secrets",
    own(
      "create secrets",
      ...["delete", "get"].map((verb) => `${verb} secrets "admission-tls"`),
      `get secrets "copy"`,
      `update secrets "admission-tls"`,
    ),
  ],
  [
    "reapply-rbac: the role everywhere while the namespaces are not known",
    rbac(),
    "roles",
    [
      `bind roles "edb-role"`,
      "create roles",
      "get roles",
      ...["escalate", "get", "list", "patch"].map((verb) => `${verb} roles "edb-role"`),
    ],
  ],
  [
    "reapply-rbac: the role in the namespaces that are known",
    rbac({ managed: ["a"], label: false }),
    "roles",
    [
      `bind roles "edb-role" in namespace a`,
      "create roles in namespace a",
      `escalate roles "edb-role" in namespace a`,
      `get roles "edb-role" in namespace a`,
      "get roles in namespace a",
      `list roles "edb-role"`,
      `patch roles "edb-role" in namespace a`,
    ],
  ],
  [
    "reapply-rbac: everywhere where they are many",
    rbac({ managed: ["a", "b", "c", "d"] }),
    "roles",
    [
      `bind roles "edb-role"`,
      "create roles",
      "get roles",
      ...["escalate", "get", "list", "patch"].map((verb) => `${verb} roles "edb-role"`),
    ],
  ],
  [
    "reapply-rbac: the cluster-wide pair is read alone where no label is told",
    rbac({ label: false, managed: [] }),
    "clusterroles",
    ["get clusterroles", `get clusterroles "engine-enterprise-operator-consumer-ns"`],
  ],
  [
    "reapply-rbac: a person's ClusterRole that gives the access, once it is known",
    rbac({ label: false, managed: [], shared: ["all-databases"] }),
    "clusterroles",
    [
      "create clusterroles",
      `escalate clusterroles "all-databases"`,
      "get clusterroles",
      `get clusterroles "engine-enterprise-operator-consumer-ns"`,
      `patch clusterroles "all-databases"`,
    ],
  ],
  [
    "reapply-rbac --prune: leftovers wherever they are",
    rbac({ prune: true, managed: [], label: false }),
    "roles",
    [`delete roles "edb-role"`, `list roles "edb-role"`],
  ],
  [
    "reapply-rbac --no-probe asks about nobody",
    rbac({ prove: false, accounts: false, selector: "team=a" }),
    "subjectaccessreviews",
    [],
  ],
  [
    "unbind-scc: the current constraint, and the older one that is looked for",
    unbindNeeds({ ...place, scc: undefined }),
    "securitycontextconstraints",
    [
      `delete securitycontextconstraints "engine-enterprise-scc-v2"`,
      `get securitycontextconstraints "engine-enterprise-scc"`,
      `get securitycontextconstraints "engine-enterprise-scc-v2"`,
      `patch securitycontextconstraints "engine-enterprise-scc-v2"`,
    ],
  ],
  [
    "unbind-scc --scc: that one alone",
    unbindNeeds({ ...place, scc: "mine" }),
    "securitycontextconstraints",
    ["delete", "get", "patch"].map((verb) => `${verb} securitycontextconstraints "mine"`),
  ],
  [
    "upgrade-operator: its own role may give more than its writer has",
    bundleNeeds({ ...place, bundle, pullSecret: undefined }),
    "roles",
    [
      ...own(
        `bind roles "engine-enterprise-operator"`,
        "create roles",
        ...["escalate", "get", "patch"].map((verb) => `${verb} roles "engine-enterprise-operator"`),
      ),
      // whether each managed namespace has one
      "list roles",
    ],
  ],
  [
    "upgrade-operator --pull-secret: the Secret",
    bundleNeeds({ ...place, bundle, pullSecret: "pull" }),
    "secrets",
    own(`get secrets "pull"`),
  ],
  [
    "upgrade-operator --chart: helm's Secrets",
    chartNeeds(place),
    "secrets",
    own(...["create", "get", "list", "update"].map((verb) => `${verb} secrets`)),
  ],
  [
    "upgrade-cluster: the one EC",
    clusterNeeds({ ...place, name: "ec" }),
    "engineenterpriseclusters",
    own(
      `get engineenterpriseclusters "ec"`,
      "list engineenterpriseclusters",
      `patch engineenterpriseclusters "ec"`,
    ),
  ],
  [
    "upgrade-database --all: every one of the namespace",
    databasesNeeds(databases),
    "engineenterprisedatabases",
    own(...["get", "list", "patch"].map((verb) => `${verb} engineenterprisedatabases`)),
  ],
  [
    "upgrade-database --all -A: everywhere",
    databasesNeeds({ ...databases, everywhere: true, api }),
    "engineenterprisedatabases",
    ["get", "list", "patch"].map((verb) => `${verb} engineenterprisedatabases`),
  ],
  [
    "upgrade-database NAME: by name in its namespace",
    databasesNeeds({ ...databases, databases: ["shop/orders", "billing"] }),
    "engineenterprisedatabases",
    [
      `get engineenterprisedatabases "billing" in namespace engine`,
      `get engineenterprisedatabases "orders" in namespace shop`,
      "list engineenterprisedatabases",
      `patch engineenterprisedatabases "billing" in namespace engine`,
      `patch engineenterprisedatabases "orders" in namespace shop`,
    ],
  ],
  [
    "upgrade-database: what is known once they are read",
    databasesNeeds({ ...databases, api, writes: [] }),
    "engineenterprisedatabases",
    own("list engineenterprisedatabases"),
  ],
  [
    "recover: looks alone",
    recoverNeeds({ ...place, name: undefined, applies: false, api: undefined }),
    "engineenterpriseclusters",
    [
      ...own("get engineenterpriseclusters", "list engineenterpriseclusters"),
      "list engineenterpriseclusters",
    ],
  ],
  [
    "recover --apply: the EC, and databases wherever they are",
    recoverNeeds({ ...place, name: "ec", applies: true, api }),
    "engineenterprisedatabases",
    ["get", "list", "patch"].map((verb) => `${verb} engineenterprisedatabases`),
  ],
  [
    "recover --apply: databases where they are known to be",
    recoverNeeds({ ...place, name: "ec", applies: true, places: ["shop"], api }),
    "engineenterprisedatabases",
    [
      "get engineenterprisedatabases in namespace shop",
      "list engineenterprisedatabases",
      "patch engineenterprisedatabases in namespace shop",
    ],
  ],
];

test.each(rows)("%s", (_title, ...[needs, resource, lines]) => {
  expect(about(needs, resource)).toEqual([...lines].sort());
});

test("a REST API that has an address is reached through no pod", () => {
  const lines = apiNeeds({ namespace }, { ...api, forwards: false }).map(permissionLine);
  expect(lines).toEqual(own(`get secrets "ec"`));
});

test.each([
  ["a new object is created", undefined, "create"],
  ["a stored one is updated", "1-2-3", "update"],
])("a pair of the probe: %s", (_title, uid, verb) => {
  const resource = { group: names.group, version: names.version, ...names.edb };
  const accept = {
    ...{ apiVersion: `${names.group}/${names.version}`, kind: names.edb.kind },
    metadata: { name: "x", namespace: "shop", ...(uid !== undefined && { uid }) },
  };
  const found = probedBy({ kind: names.edb.kind, resource, accept, denies: [] });
  expect(found).toEqual({ resource, namespace: "shop", verb });
});

test.each([
  ["Role", "roles", { namespace: "shop" }],
  ["ClusterRole", "clusterroles", {}],
])("the right to bind a %s", (kind, resource, at) => {
  const binding = { apiVersion: "", kind: "", metadata: at, roleRef: { kind, name: "x" } };
  expect(bindNeed(binding)).toMatchObject({ verb: "bind", resource, name: "x", ...at });
});

describe("the whole upgrade", () => {
  test("takes what its parts take", () => {
    const facts = fine();
    const lines = new Set(linesOf(needsFor({ facts })));
    const parts = together([
      checkNeeds(facts, { secrets: { namedSecrets: [] }, probe: true }),
      rbac({ managed: [], label: false }),
    ]);
    expect(linesOf(parts).filter((line) => !lines.has(line))).toEqual([]);
  });

  test("names clusters and namespaces that may be read", () => {
    const needs = needsFor();
    expect(about(needs, "engineenterpriseclusters")).toContain(
      `patch engineenterpriseclusters "ec" in namespace engine`,
    );
    expect(about(needs, "roles")).toContain(`escalate roles "edb-role" in namespace shop`);
    const configMaps = [settings({ [names.configMap.namespacesLabel]: "team=a" })];
    const byLabel = needsFor({ facts: fine({ configMaps }) }, { probe: false });
    expect(about(byLabel, "clusterroles")).toContain(
      `escalate clusterroles "engine-enterprise-operator-consumer-ns"`,
    );
  });

  test.each([
    ["rbac-expand", "roles", "validatingwebhookconfigurations"],
    ["webhook", "validatingwebhookconfigurations", "deployments"],
    ["cluster", "engineenterpriseclusters", "validatingwebhookconfigurations"],
    ["scc", "securitycontextconstraints", "validatingwebhookconfigurations"],
    ["databases", "engineenterprisedatabases", "validatingwebhookconfigurations"],
    ["operator", "deployments", "securitycontextconstraints"],
  ])("with %s alone writes %s, and no %s", (only, written, other) => {
    const { may } = needsFor({}, {}, [only as PartId]);
    const writes = (resource: string): boolean =>
      may.some((one) => one.resource === resource && !["get", "list"].includes(one.verb));
    expect([writes(written), writes(other)]).toEqual([true, false]);
  });

  test("asks everywhere for what may not be read", () => {
    const facts = fine(...unread(...factKeys));
    const needs = needsFor({ facts, opened: undefined }, { engineVersion: undefined });
    expect(about(needs, "engineenterpriseclusters")).toContain(
      "patch engineenterpriseclusters in namespace engine",
    );
    expect(about(needs, "roles")).toContain(`escalate roles "edb-role"`);
    expect(about(needs, "securitycontextconstraints")).not.toEqual([]);
  });
});

test("of a platform without constraints none is asked for", () => {
  const facts = fine({}, { unserved: new Set(["constraints"]) });
  const needs = needsFor({ facts, opened: undefined }, { engineVersion: undefined });
  expect(about(needs, "securitycontextconstraints")).toEqual(["list securitycontextconstraints"]);
});

test.each([
  ["everything without a plan", undefined, ["create", "delete", "delete", "patch"]],
  ["nothing where all is right", {}, []],
  ["the way back of what is deleted", { remove: true }, ["create", "delete"]],
  ["a patch of what is there", { apply: true }, ["patch"]],
  ["a patch that takes the old entry out", { takeOut: true }, ["patch"]],
])("the swap writes %s", (_title, does, verbs) => {
  const object = aNewConfiguration();
  const write = { object, why: "" };
  const plan = does && {
    live: object,
    apply: "apply" in does ? write : undefined,
    takeOut: "takeOut" in does ? write : undefined,
    remove: "remove" in does ? write : undefined,
  };
  expect(
    swapWrites(names, plan)
      .map(({ verb }) => verb)
      .sort(),
  ).toEqual(verbs);
});

test.each([
  [undefined, "create subjectaccessreviews"],
  ["shop", "create localsubjectaccessreviews"],
])("an access review in %s", (at, line) => {
  expect(permissionLine(reviewPermission("", at))).toContain(line);
});

describe("what another one includes is left out", () => {
  const one = { verb: "get", group: "", resource: "pods", why: "" };
  test.each([
    ["the same again", [one, { ...one, why: "again" }], ["get pods"]],
    ["a name", [one, { ...one, name: "x" }], ["get pods"]],
    ["a namespace", [{ ...one, namespace: "a" }, one], ["get pods"]],
    ["both", [{ ...one, namespace: "a", name: "x" }, one], ["get pods"]],
    [
      "nothing else",
      [
        { ...one, namespace: "a" },
        { ...one, verb: "list" },
        { ...one, name: "x" },
      ],
      [`get pods "x"`, "get pods in namespace a", "list pods"],
    ],
  ])("%s", (_title, permissions, lines) => {
    expect(narrowPermissions(permissions).map(permissionLine)).toEqual(lines);
  });
});
