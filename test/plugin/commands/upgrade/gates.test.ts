import { listChecks } from "../../../../plugin/commands/checks";
import { type Area, areas, type Check } from "../../../../plugin/domain/checks/check";
import { prerequisiteCodes } from "../../../../plugin/domain/checks/prerequisites";
import type { JudgedCheck } from "../../../../plugin/domain/checks/judge";
import type { FactKey, Facts } from "../../../../plugin/domain/facts/facts";
import { defaultNames } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import type { UpgradePart } from "../../../../plugin/cmdutil/upgrade-part";
import { listUnsettled } from "../../../../plugin/commands/upgrade/read";
import { listParts } from "../../../../plugin/commands/parts";
import type { PartId } from "../../../../plugin/domain/base/part-ids";
import { skipRoles } from "../../../../plugin/commands/reapply-rbac/gate";
import { skipScc } from "../../../../plugin/commands/unbind-scc/gate";
import { skipClusters } from "../../../../plugin/commands/upgrade-cluster/gate";
import { skipDatabases } from "../../../../plugin/commands/upgrade-database/gate";
import { skipWebhook } from "../../../../plugin/commands/upgrade-webhook/gate";
import { anEc, factsOf } from "../../domain/engine-cluster/scene";

const checks = listChecks({});

const facts = (
  objects: Partial<Record<FactKey, readonly KubeObject[]>> = {},
  unserved: readonly FactKey[] = [],
  unread: readonly FactKey[] = [],
): Facts =>
  factsOf(
    { clusterVersions: [], ...objects },
    {
      unserved: new Set(unserved),
      unread: new Map(unread.map((key) => [key, "forbidden"])),
    },
  );

const configuration = (
  entry: string,
  labels: Readonly<Record<string, string>> = {},
): KubeObject => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name: "any", labels },
  webhooks: [{ name: entry }],
});

const { entry, oldEntry } = defaultNames.webhook;
const byHelm = configuration(entry, { "app.kubernetes.io/managed-by": "Helm" });
const byOlm = configuration(entry, { "olm.owner": "operator" });
const byArgo = configuration(entry, { "argocd.argoproj.io/instance": "engine" });
const notInUse = "no admission controller is in use";
const owns = "owns its configuration, and upgrades it together with the operator";

test.each<[string, readonly KubeObject[], string | undefined]>([
  ["where the new entry is, whatever its object is called", [configuration(entry)], undefined],
  ["where the old entry is", [configuration(oldEntry)], undefined],
  ["not where others' entries are", [configuration("other")], notInUse],
  ["not where helm owns what is in use", [byHelm, configuration("other")], `Helm ${owns}`],
  ["not where OLM owns what is in use", [byOlm], `OLM ${owns}`],
  ["where nobody owns one of two", [byHelm, configuration(oldEntry)], undefined],
  ["where a GitOps controller owns it: the part says what to do", [byArgo], undefined],
  ["not where no entry is", [], notInUse],
])("the webhook is reapplied %s", (_, webhookConfigurations, expected) => {
  expect(skipWebhook({ facts: facts({ webhookConfigurations }) })).toBe(expected);
  expect(skipWebhook({ facts: facts({}, [], ["webhookConfigurations"]) })).toBeUndefined();
});

const ec = (allowAutoAdjustment: boolean, namespace = "engine"): KubeObject =>
  anEc({ securityContext: { resourceLimits: { allowAutoAdjustment } } }, {}, { namespace });
const openshift = (...ecs: readonly KubeObject[]) => facts({ ecs }, ["clusterVersions"]);
const elsewhere = facts({}, ["clusterVersions", "constraints"]);

test.each<[string, Facts, string | undefined, string | undefined]>([
  ["on OpenShift", openshift(), "8.0.2-2", undefined],
  ["from the first unprivileged release on", openshift(), "7.22.0-6", undefined],
  ["not before it", openshift(), "7.22.0-5", "pods of releases before 7.22.0-6 need it"],
  ["where the release is not known: its pods are checked", openshift(), undefined, undefined],
  ["not elsewhere", elsewhere, "8.0.2-2", "the cluster is not OpenShift, it has no constraints"],
  ["where it cannot be seen", facts({}, [], ["constraints"]), undefined, undefined],
  [
    "not where an EC wants more",
    openshift(ec(true)),
    undefined,
    "automatic resource adjustment is asked for, which needs it",
  ],
  ["where one of two ECs does not", openshift(ec(true), ec(false)), undefined, undefined],
  ["whatever ECs elsewhere want", openshift(ec(true, "other")), undefined, undefined],
])("the constraint is unbound %s", (_, read, ...[operatorVersion, expected]) => {
  expect(skipScc({ facts: read, operatorVersion })).toBe(expected);
});

const intent = { facts: facts(), opened: undefined };

test.each([
  ["7.4.2-1", true],
  ["7.4.2-2", false],
  ["8.0.6", true],
  [undefined, true],
])("without a release's own roles those of operator %s are left alone: %s", (version, left) => {
  expect(skipRoles({ ...intent, operatorVersion: version }) !== undefined).toBe(left);
  expect(skipRoles({ ...intent, operatorVersion: version, opened: {} })).toBeUndefined();
});

test("without a cluster only the operator is upgraded, databases keep their version unless told", () => {
  expect(skipClusters({ facts: openshift(ec(true, "other")) })).toBe(
    "namespace engine has no cluster",
  );
  expect(skipClusters({ facts: openshift(ec(true)) })).toBeUndefined();
  const facts = openshift(ec(true));
  expect(skipDatabases({ facts, flags: {} })).toBe(
    "no --engine-version was given, the databases keep theirs",
  );
  expect(skipDatabases({ facts, flags: { engineVersion: "8.0" } })).toBeUndefined();
});

function judged(area: Area, code: string = area): JudgedCheck {
  const told = { code, severity: "error", cause: "c", fix: "f", source: "S1" } as const;
  const check: Check = { ...told, area, title: area, needs: [], judge: () => [] };
  return { check, verdict: "failed", findings: [told] };
}
const codesOf = (all: readonly JudgedCheck[]) => listUnsettled(all).map(({ code }) => code);

test("what no part of the upgrade does away with stands against it", () => {
  const before = ["deletion", "platform", "operator", "release"];
  const left = ["cluster", "license", "databases", "modules", "active-active", "rest"];
  expect(codesOf(areas.map((area) => judged(area)))).toEqual([...before, ...left]);
});

test("a policy that shuts the API server out stands against an upgrade: no part opens it", () => {
  const codes = ["WEBHOOK-NETWORK-POLICY", "WEBHOOK-TARGET-PORT"];
  expect(checks.map(({ code }) => code)).toEqual(expect.arrayContaining(codes));
  expect(codesOf(codes.map((code) => judged("webhook", code)))).toEqual(["WEBHOOK-NETWORK-POLICY"]);
});

test("what a part brings in order does not stand against the upgrade", () => {
  const settled = ["NOT-READY", "IMAGES-DIFFER", "ACCOUNT-ABSENT"].map(
    (code) => `OPERATOR-${code}`,
  );
  const codes = [...settled, "CLUSTER-AUTO-USER-MODULES"];
  expect(checks.map(({ code }) => code)).toEqual(expect.arrayContaining(codes));
  expect(codesOf(codes.map((code) => judged("operator", code)))).toEqual([]);
});

test.each([
  ["RBAC-BINDING-ABSENT", "rbac", "rbac-expand"],
  ["RBAC-ROLE-ABSENT", "rbac", "rbac-expand"],
  ["RBAC-NAMESPACE-ABSENT", "rbac", "rbac-expand"],
  ["CLUSTER-AUTO-USER-MODULES", "modules", "auto-off"],
] as const)(
  "%s stands against the operator where the part that settles it does not come before",
  (code, area, part) => {
    const found = [judged(area, code)];
    const named = (...ids: readonly PartId[]) => listParts().filter(({ id }) => ids.includes(id));
    expect(listUnsettled(found, named("operator", "rbac-contract"))).toMatchObject([
      { code, severity: "error" },
    ]);
    expect(listUnsettled(found, named(part, "operator"))).toEqual([]);
    const isDone = ({ id }: Pick<UpgradePart, "id">): boolean => id !== part;
    expect(listUnsettled(found, named(part, "operator"), isDone)).toMatchObject([{ code }]);
    expect(listUnsettled(found, named("cluster"))).toEqual([]);
  },
);

test.each([
  "CLUSTER-LICENSE-UNKNOWN",
  "CLUSTER-DATABASE-UNKNOWN",
  "DATABASE-VERSION-UNSUPPORTED",
  "MODULE-NAME",
  "MODULE-OS-BASE",
  "OPERATOR-VERSION-UNKNOWN",
  "PLATFORM-VERSION-UNKNOWN",
])("%s cannot be determined from here: it blocks until a person accepts it", (code) => {
  const check = checks.find((one) => one.code === code);
  expect(check).toMatchObject({ severity: "error", vouched: true });
});

test("every prerequisite is a check, checked but for what its own part switches off", () => {
  const known = checks.filter(({ code }) => prerequisiteCodes.includes(code));
  expect(known).toHaveLength(prerequisiteCodes.length);
  const left = codesOf(known.map(({ area, code }) => judged(area, code)));
  const settled = prerequisiteCodes.filter((code) => !left.includes(code));
  expect(settled).toEqual(["CLUSTER-AUTO-USER-MODULES"]);
});
