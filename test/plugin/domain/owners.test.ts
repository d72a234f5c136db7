import type { ObjectMeta } from "../../../plugin/domain/objects";
import { isPersons, isPersonsManager, ownerOf } from "../../../plugin/domain/owners";
import { aNewConfiguration } from "../../support/builders";

const owner = (metadata: ObjectMeta) => ownerOf({ ...aNewConfiguration(), metadata });

describe("an object is owned by", () => {
  test.each<[string, ObjectMeta, string]>([
    ["Helm, by its label", { labels: { "app.kubernetes.io/managed-by": "Helm" } }, "Helm"],
    ["Helm, by its annotation", { annotations: { "meta.helm.sh/release-name": "engine" } }, "Helm"],
    ["OLM, by its label", { labels: { "olm.owner": "x" } }, "OLM"],
    ["OLM, by its annotation", { annotations: { "olm.operatorGroup": "x" } }, "OLM"],
    ["OLM, by an owner reference", { ownerReferences: [{ kind: "ClusterServiceVersion" }] }, "OLM"],
    ["Argo CD, by its label", { labels: { "argocd.argoproj.io/instance": "x" } }, "Argo CD"],
    [
      "Argo CD, by its annotation",
      { annotations: { "argocd.argoproj.io/tracking-id": "x" } },
      "Argo CD",
    ],
    ["Flux, by its label", { labels: { "kustomize.toolkit.fluxcd.io/name": "x" } }, "Flux"],
    ["Flux, by Helm's controller", { labels: { "helm.toolkit.fluxcd.io/name": "x" } }, "Flux"],
    ["Fleet, by its label", { labels: { "objectset.rio.cattle.io/hash": "x" } }, "Fleet"],
    ["Fleet, by its annotation", { annotations: { "objectset.rio.cattle.io/id": "x" } }, "Fleet"],
  ])("%s", (_title, metadata, name) => {
    const found = owner(metadata);
    expect(found?.name).toBe(name);
    expect(found?.way).not.toBe("");
  });
});

describe("an object is owned by nobody", () => {
  test.each<[string, ObjectMeta]>([
    ["without metadata", {}],
    ["with app.kubernetes.io/instance alone", { labels: { "app.kubernetes.io/instance": "x" } }],
    ["managed by something else", { labels: { "app.kubernetes.io/managed-by": "kubectl" } }],
    [
      "with the keys only inherited",
      { labels: Object.create({ "olm.owner": "x" }) as Record<string, string> },
    ],
    ["with an owner reference of another kind", { ownerReferences: [{ kind: "Deployment" }, {}] }],
    [
      "with a label list of a wrong type",
      { labels: ["olm.owner"] as unknown as Record<string, string> },
    ],
  ])("%s", (_title, metadata) => {
    expect(owner(metadata)).toBeUndefined();
  });
});

describe("a manager is a person's", () => {
  test.each<[string, boolean]>([
    ["kubectl", true],
    ["kubectl-create", true],
    ["kubectl-client-side-apply", true],
    ["kubectl-edit", true],
    ["kubectl.exe", true],
    ["oc", true],
    ["oc-patch", true],
    ["before-first-apply", true],
    ["kubectl-engine", true],
    ["helm", false],
    ["kubectl-something", false],
    ["kubectlx", false],
    ["", false],
  ])("%s: %s", (manager, expected) => {
    expect(isPersonsManager(manager, ["kubectl-engine"])).toBe(expected);
  });
});

describe("an object is a person's", () => {
  test.each<[string, ObjectMeta, boolean]>([
    ["nobody has written it", {}, true],
    ["by kubectl and by this tool", written("kubectl-edit", "kubectl-engine"), true],
    ["one manager is a controller", written("kubectl-edit", "helm"), false],
    ["a manager has no name", { managedFields: [{}] }, false],
  ])("%s", (_title, metadata, expected) => {
    expect(isPersons({ ...aNewConfiguration(), metadata }, ["kubectl-engine"])).toBe(expected);
  });
});

function written(...managers: readonly string[]): ObjectMeta {
  return { managedFields: managers.map((manager) => ({ manager })) };
}
