import { factKeys, type FactKey, type Facts } from "../../../../plugin/domain/facts";
import { defaultNames } from "../../../../plugin/domain/names";
import type { KubeObject } from "../../../../plugin/domain/objects";
import { sccSkip, webhookSkip } from "../../../../plugin/domain/upgrade/gates";

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

const configuration = (entry: string): KubeObject => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name: "any" },
  webhooks: [{ name: entry }],
});

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
    ["not where no entry is", facts({ webhookConfigurations: [] }), notInUse],
    [
      "where it cannot be seen whether one is",
      facts({}, { unread: ["webhookConfigurations"] }),
      undefined,
    ],
  ])("%s", (_, read, expected) => {
    expect(webhookSkip(read)).toBe(expected);
  });
});

describe("the constraint is unbound", () => {
  test.each<[string, Facts, string | undefined]>([
    ["on OpenShift", facts({}, { unserved: ["clusterVersions"] }), undefined],
    ["not elsewhere", facts({}, { unserved: ["clusterVersions", "constraints"] }), notOpenShift],
    [
      "where it cannot be seen",
      facts({}, { unread: ["constraints"], unserved: ["clusterVersions"] }),
      undefined,
    ],
  ])("%s", (_, read, expected) => {
    expect(sccSkip(read)).toBe(expected);
  });
});
