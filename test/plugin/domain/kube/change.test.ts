/** A write as a value: what it takes, how a plan tells it, and what it does. */
import {
  listActs,
  type Change,
  listPermissions,
  planStep,
  type Taking,
} from "../../../../plugin/domain/kube/change";
import { kinds, rbacKinds } from "../../../../plugin/domain/kube/kinds";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";

const map = (metadata: KubeObject["metadata"] = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings", namespace: "shop", ...metadata },
});
const role: KubeObject = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: "reader" },
};
const told = { id: "test", why: "it is wanted", risk: "none", reverse: "none" };
const edits = [{ path: ["data", "a"], from: "b", to: "c" }];
const ofMap = { ...told, resource: kinds.configMap, object: map() };
const ofRole = { ...told, resource: rbacKinds.clusterRole, object: role };
const patch: Change = { verb: "patch", ...ofMap, edits };
const unsaid: Change = {
  ...{ id: "test", verb: "patch", risk: "none" },
  ...{ resource: kinds.configMap, object: map(), edits },
};
const removal = { verb: "apply", ...ofMap, live: map() } as const;

test.each<[string, Change, object[]]>([
  [
    "a patch, for a reason of its own",
    { ...patch, needs: "to change a setting" },
    [{ verb: "patch", name: "settings", namespace: "shop", why: "to change a setting" }],
  ],
  [
    "an apply of what is there",
    { verb: "apply", ...ofRole, live: role },
    [{ verb: "patch", name: "reader", why: "to write it" }],
  ],
  [
    "an apply of what is not there",
    { verb: "apply", ...ofMap },
    [{ verb: "patch", name: "settings" }, { verb: "create" }],
  ],
  ["a creation", { verb: "create", ...ofMap }, [{ verb: "create" }]],
  ["an update", { verb: "update", ...ofMap, live: map() }, [{ verb: "update", name: "settings" }]],
  ["a deletion", { verb: "delete", ...ofRole }, [{ verb: "delete", name: "reader" }]],
])("%s takes these permissions", (_, change, permissions) => {
  expect(listPermissions(change)).toMatchObject(permissions);
});

test.each<[string, Change, object]>([
  [
    "a patch",
    unsaid,
    {
      reverse: "by the printed command; the run saves the old values",
      command: 'kubectl patch configmaps settings --type=merge -p {"data":{"a":"c"}}',
    },
  ],
  [
    "a patch in a namespace that it names",
    { ...patch, where: ["-n", "shop"] },
    {
      reverse: "none",
      command: 'kubectl patch configmaps settings -n shop --type=merge -p {"data":{"a":"c"}}',
    },
  ],
  [
    "a deletion",
    { verb: "delete", ...ofMap },
    { command: "kubectl delete configmap settings -n shop" },
  ],
  [
    "a deletion of what is in no namespace",
    { verb: "delete", ...ofRole },
    { command: "kubectl delete clusterrole reader" },
  ],
  [
    "one with a command of its own",
    { verb: "create", ...ofMap, kubectl: ["kubectl", "create", "configmap", "settings"] },
    { command: "kubectl create configmap settings" },
  ],
])("the plan tells %s", (_, change, write) => {
  const step = planStep(change, (words) => words.join(" "), "engine");
  expect(step.write).toMatchObject(write);
});

const managed = map({
  managedFields: [{ manager: "flux", operation: "Apply", fieldsV1: { "f:data": { "f:a": {} } } }],
});
const nobody = { ours: ["engine"], takeFields: [] };
const taking = { ours: ["engine"], takeFields: [".data.a"] };

test.each<[string, readonly [change: Change, by: Taking], string[]]>([
  ["what it says of itself", [{ ...patch, does: ["more"] }, nobody], ["more"]],
  ["a value that it writes", [patch, nobody], ["write a b -> c"]],
  [
    "a field that it takes",
    [{ ...patch, object: managed, owned: [] }, taking],
    ["write a b -> c", 'take a field: conflict with "flux"'],
  ],
  ["a creation", [{ verb: "create", ...ofMap }, nobody], ["create it"]],
  ["a deletion", [{ verb: "delete", ...ofMap }, nobody], ["delete it"]],
  [
    "fields that are changed and removed",
    [
      {
        ...removal,
        changes: [
          { path: "data.a", from: "b", to: "c" },
          { path: "data.d", from: "e", to: null },
        ],
      },
      nobody,
    ],
    ["change data.a", "remove data.d"],
  ],
  ["nothing that is told", [removal, nobody], []],
])("is compared by %s", (_, [change, by], acts) => {
  expect(listActs(change, by).map(({ does }) => does)).toEqual(acts);
});
