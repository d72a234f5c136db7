import { factKeys, type FactKey, type Facts } from "../../../../plugin/domain/facts";
import { defaultNames } from "../../../../plugin/domain/names";
import type { KubeObject } from "../../../../plugin/domain/objects";
import {
  databasesSkip,
  type Intent,
  noClusters,
  rolesSkip,
  sccSkip,
  webhookSkip,
} from "../../../../plugin/domain/procedure";

function facts(
  objects: Partial<Record<FactKey, readonly KubeObject[]>>,
  {
    unserved = [],
    unread = [],
  }: { readonly unserved?: FactKey[]; readonly unread?: FactKey[] } = {},
): Facts {
  const none = Object.fromEntries(factKeys.map((key) => [key, []]));
  return {
    names: defaultNames,
    now: 0,
    namespace: "engine",
    apiServer: undefined,
    objects: { ...(none as unknown as Facts["objects"]), ...objects },
    unserved: new Set(unserved),
    unread: new Map(unread.map((key) => [key, "forbidden"])),
  };
}

const configuration = (
  entry: string,
  labels: Readonly<Record<string, string>> = {},
): KubeObject => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name: "any", labels },
  webhooks: [{ name: entry }],
});

const byHelm = { "app.kubernetes.io/managed-by": "Helm" };
const { entry, oldEntry } = defaultNames.webhook;
const notInUse = "no admission controller is in use (S24)";
const notOpenShift = "the cluster is not OpenShift, it has no constraints";

describe("the webhook is reapplied", () => {
  test.each<[string, Facts, string | undefined]>([
    [
      "where the new entry is, whatever its object is called",
      facts({ webhookConfigurations: [configuration(entry)] }),
      undefined,
    ],
    [
      "where the old entry is",
      facts({ webhookConfigurations: [configuration(oldEntry)] }),
      undefined,
    ],
    [
      "not where others' entries are",
      facts({ webhookConfigurations: [configuration("other")] }),
      notInUse,
    ],
    [
      "not where helm owns what is in use",
      facts({ webhookConfigurations: [configuration(entry, byHelm), configuration("other")] }),
      "Helm owns its configuration, and upgrades it together with the operator (S22)",
    ],
    [
      "not where OLM owns what is in use",
      facts({ webhookConfigurations: [configuration(entry, { "olm.owner": "operator" })] }),
      "OLM owns its configuration, and upgrades it together with the operator (S22)",
    ],
    [
      "where helm owns one of them, and nobody the other",
      facts({ webhookConfigurations: [configuration(entry, byHelm), configuration(oldEntry)] }),
      undefined,
    ],
    [
      "where a GitOps controller owns it: the part says what to do",
      facts({
        webhookConfigurations: [configuration(entry, { "argocd.argoproj.io/instance": "engine" })],
      }),
      undefined,
    ],
    ["not where no entry is", facts({ webhookConfigurations: [] }), notInUse],
    [
      "where it cannot be seen whether one is",
      facts({}, { unread: ["webhookConfigurations"] }),
      undefined,
    ],
  ])("%s", (_, read, expected) => {
    expect(webhookSkip({ facts: read })).toBe(expected);
  });
});

const ec = (allowAutoAdjustment: boolean, namespace = "engine"): KubeObject => ({
  apiVersion: "app.engine.com/v1",
  kind: "EngineEnterpriseCluster",
  metadata: { name: "ec", namespace },
  spec: { securityContext: { resourceLimits: { allowAutoAdjustment } } },
});

describe("the constraint is unbound", () => {
  const openshift = { unserved: ["clusterVersions"] as FactKey[] };
  const elsewhere = { unserved: ["clusterVersions", "constraints"] as FactKey[] };
  const adjusting = "automatic resource adjustment is asked for, which needs it (S32)";

  test.each<[string, readonly [Facts, string?], string | undefined]>([
    ["on OpenShift", [facts({}, openshift), "8.0.2-2"], undefined],
    ["from the first unprivileged release on", [facts({}, openshift), "7.22.0-6"], undefined],
    [
      "not before it",
      [facts({}, openshift), "7.22.0-5"],
      "pods of releases before 7.22.0-6 need it (S31)",
    ],
    ["where the release is not known: its pods are judged", [facts({}, openshift)], undefined],
    ["not elsewhere", [facts({}, elsewhere), "8.0.2-2"], notOpenShift],
    ["where it cannot be seen", [facts({}, { unread: ["constraints"] })], undefined],
    ["not where an EC wants more", [facts({ ecs: [ec(true)] }, openshift)], adjusting],
    [
      "where one of two ECs does not",
      [facts({ ecs: [ec(true), ec(false)] }, openshift)],
      undefined,
    ],
    ["whatever ECs elsewhere want", [facts({ ecs: [ec(true, "other")] }, openshift)], undefined],
  ])("%s", (_, [read, version], expected) => {
    expect(sccSkip({ facts: read, operatorVersion: version })).toBe(expected);
  });
});

const intent: Intent = {
  facts: facts({}),
  operatorVersion: undefined,
  opened: undefined,
  engineVersion: undefined,
};

test.each([
  ["7.4.2-1", true],
  ["7.4.2-2", false],
  ["7.22.0-7", false],
  ["8.0.6-1", false],
  ["8.0.6", true],
  [undefined, true],
])("without a release's own roles those of operator %s are left alone: %s", (version, left) => {
  expect(rolesSkip({ ...intent, operatorVersion: version }) !== undefined).toBe(left);
  expect(rolesSkip({ ...intent, operatorVersion: version, opened: {} })).toBeUndefined();
});

test("without a cluster there is nothing to upgrade but the operator", () => {
  const elsewhere = facts({ ecs: [ec(true, "other")] });
  expect(noClusters({ facts: elsewhere })).toBe("namespace engine has no cluster");
  expect(noClusters({ facts: facts({ ecs: [ec(true)] }) })).toBeUndefined();
});

test("databases keep their version unless one is given", () => {
  expect(databasesSkip(intent)).toContain("no --engine-version was given");
  expect(databasesSkip({ ...intent, engineVersion: "8.0" })).toBeUndefined();
});
