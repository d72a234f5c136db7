import type { KubeObject } from "../../../../plugin/domain/objects";
import {
  csvNameOf,
  installPlanNameOf,
  isBrought,
  type Olm,
  olmVersionOf,
  olmWay,
  subscriptionOf,
} from "../../../../plugin/domain/operator/refusals";
import { quoteCommand } from "../../../../plugin/output/escape";
import {
  aClusterServiceVersion,
  anInstallPlan,
  aSubscription,
  csvName,
} from "../../../support/olm";

const nothing: Olm = {
  subscription: undefined,
  installPlan: undefined,
  clusterServiceVersion: undefined,
};
const from = { namespace: "engine", target: "8.0.2-2", command: quoteCommand };
const approve = (plan: string): string =>
  `oc patch installplan ${plan} -n engine --type merge -p '{"spec":{"approved":true}}'`;

describe("what OLM has to be told", () => {
  test.each<[string, Partial<Olm>, readonly string[]]>([
    [
      "nothing is known of it",
      {},
      [
        "Subscription NAME",
        "kubectl get installplans.operators.coreos.com -n engine",
        approve("NAME"),
      ],
    ],
    [
      "the Subscription names no plan",
      { subscription: aSubscription({ installPlanRef: undefined }) },
      ["Subscription engine-operator", approve("NAME")],
    ],
    [
      "the plan cannot be read",
      { subscription: aSubscription() },
      ["approve InstallPlan install-abc12, then", approve("install-abc12")],
    ],
    [
      "the plan waits for its approval",
      { subscription: aSubscription(), installPlan: anInstallPlan() },
      ["which brings operator.v8.0.2-2", approve("install-abc12")],
    ],
    [
      "the plan does not say what it brings",
      {
        subscription: aSubscription(),
        installPlan: anInstallPlan({ clusterServiceVersionNames: [] }),
      },
      ["approve InstallPlan install-abc12, then", approve("install-abc12")],
    ],
    [
      "the plan is approved",
      { subscription: aSubscription(), installPlan: anInstallPlan({ approved: true }) },
      [
        "wait until OLM has brought 8.0.2-2",
        "kubectl get clusterserviceversions.operators.coreos.com -w -n engine",
      ],
    ],
    [
      "the plan is carried out and brought something else",
      {
        subscription: aSubscription(),
        installPlan: anInstallPlan({ approved: true }, { phase: "Complete" }),
      },
      [
        "did not bring 8.0.2-2",
        "kubectl edit subscriptions.operators.coreos.com engine-operator -n engine",
      ],
    ],
  ])("where %s", (_title, olm, says) => {
    const way = olmWay({ ...nothing, ...olm }, from);
    for (const part of says) expect(way).toContain(part);
  });

  test("a release without a version is the release", () => {
    const olm = { subscription: aSubscription(), installPlan: anInstallPlan({ approved: true }) };
    expect(olmWay({ ...nothing, ...olm }, { ...from, target: undefined })).toContain(
      "has brought the release",
    );
  });
});

describe("OLM has brought the operator to 8.0.2-2", () => {
  const csv = (version: string, phase?: string): Olm => ({
    ...nothing,
    clusterServiceVersion: aClusterServiceVersion(version, phase),
  });
  test.each<[string, string | undefined, Olm, boolean]>([
    ["by its image's tag", "8.0.2-2", nothing, true],
    ["by its image's tag, and the install succeeded", "8.0.2-2", csv("8.0.2-2"), true],
    ["not while the install continues", "8.0.2-2", csv("8.0.2-2", "Installing"), false],
    ["by its ClusterServiceVersion", undefined, csv("8.0.2-2"), true],
    ["not with another release", "7.22.0-7", csv("7.22.0-7"), false],
    ["not with a newer one", "8.2.0-1", nothing, false],
    ["not where the release is not known", undefined, nothing, false],
  ])("%s", (_title, ...[runs, olm, brought]) => {
    expect(isBrought(olm, { runs, target: "8.0.2-2" })).toBe(brought);
    expect(isBrought(olm, { runs, target: undefined })).toBe(false);
  });
});

describe("the ClusterServiceVersion of an object", () => {
  const made = (metadata: KubeObject["metadata"]): KubeObject => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata,
  });
  test.each<[string, KubeObject["metadata"], string | undefined]>([
    [
      "by its owner reference",
      {
        labels: { "olm.owner": "b" },
        ownerReferences: [
          { apiVersion: "v1", kind: "ReplicaSet", name: "x", uid: "1" },
          { apiVersion: "v1alpha1", kind: "ClusterServiceVersion", name: "a", uid: "2" },
        ],
      },
      "a",
    ],
    ["by its label", { labels: { "olm.owner": "b" } }, "b"],
    ["none", {}, undefined],
  ])("%s", (_title, metadata, name) => {
    expect(csvNameOf(made(metadata))).toBe(name);
  });

  test("says its release", () => {
    const clusterServiceVersion = aClusterServiceVersion("8.0.2-2");
    expect(olmVersionOf({ ...nothing, clusterServiceVersion })).toBe("8.0.2-2");
  });
});

describe("the operator's Subscription", () => {
  const other: KubeObject = {
    ...aSubscription({ installedCSV: "x" }),
    metadata: { name: "other" },
  };
  test.each<[string, readonly KubeObject[], string | undefined, string | undefined]>([
    ["is that of its ClusterServiceVersion", [other, aSubscription()], csvName, "engine-operator"],
    [
      "is that which is to bring it",
      [other, aSubscription({ installedCSV: "w", currentCSV: csvName })],
      csvName,
      "engine-operator",
    ],
    ["is the only one", [other], csvName, "other"],
    ["is the only one where none is named", [other], undefined, "other"],
    ["is none of several", [other, other], csvName, undefined],
    [
      "is none of several that know none",
      [other, aSubscription({ installedCSV: undefined })],
      undefined,
      undefined,
    ],
  ])("%s", (_title, ...[all, csv, name]) => {
    expect(subscriptionOf(all, csv)?.metadata.name).toBe(name);
  });

  test.each<[object, string | undefined]>([
    [{}, "install-abc12"],
    [{ installPlanRef: undefined, installplan: { name: "older" } }, "older"],
    [{ installPlanRef: undefined }, undefined],
  ])("waits for its InstallPlan: %j", (status, name) => {
    expect(installPlanNameOf(aSubscription(status))).toBe(name);
  });
});
