import type { KubeObject, Ref } from "../../../../plugin/domain/kube/objects";
import { makePlannedWrite } from "../../../../plugin/domain/kube/planned-write";

const told = { verb: "patch", risk: "r", reverse: "b", command: "c" } as const;
const resource = { group: "apps", version: "v1", plural: "deployments", kind: "Deployment" };
const before: KubeObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "one", uid: "u", resourceVersion: "7" },
};

describe("a planned write", () => {
  test.each<[string, readonly [Ref, KubeObject?], object]>([
    [
      "in a namespace, on the state as read",
      [{ resource, name: "one", namespace: "shop" }, before],
      { target: { namespace: "shop", name: "one" }, read: { uid: "u", resourceVersion: "7" } },
    ],
    ["cluster-wide", [{ resource, name: "one" }, before], { target: { name: "one" } }],
    [
      "of what does not exist yet is bound to no state",
      [{ resource, name: "one" }],
      { target: { group: "apps", version: "v1", resource: "deployments", kind: "Deployment" } },
    ],
  ])("%s", (_, [ref, object], expected) => {
    const write = makePlannedWrite({ ...told, ref, before: object });
    expect(write).toMatchObject({ ...told, ...expected });
    expect("read" in write).toBe(object !== undefined);
    expect("namespace" in write.target).toBe(ref.namespace !== undefined);
  });
});
