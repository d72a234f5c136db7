/** What a saved plan keeps of an object, and how it names what has changed since. */
import { bindState, listStateReasons } from "../../../../plugin/commands/upgrade/bound-state";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";

function anObject(changes: object = {}, metadata: object = {}): KubeObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "a", namespace: "engine", generation: 1, resourceVersion: "1", ...metadata },
    spec: { replicas: 1, containers: [{ name: "c", image: "i:1" }] },
    ...changes,
  };
}

const managedFields = [
  {
    manager: "jane",
    operation: "Update",
    time: "2026-01-02T03:04:05Z",
    fieldsV1: { "f:spec": { "f:replicas": {} } },
  },
  {
    manager: "controller",
    operation: "Update",
    time: "2026-01-02T03:05:00Z",
    fieldsV1: { "f:spec": { "f:other": {} } },
  },
  { manager: "kubelet", operation: "Update", time: "2026-01-03T00:00:00Z", subresource: "status" },
];

const long = "x".repeat(200);
const rights = (verb: string) => ({ spec: undefined, rules: [{ verbs: [verb] }] });

test.each<[string, KubeObject, KubeObject, readonly string[]]>([
  ["nothing", anObject(), anObject(), []],
  [
    "a status, a version, and what a controller annotates",
    anObject({ status: { a: 1 } }),
    anObject(
      { status: { a: 2 } },
      { resourceVersion: "9", annotations: { "deployment.kubernetes.io/revision": "2" } },
    ),
    [],
  ],
  [
    "a field, by the manager that holds it",
    anObject(),
    anObject(
      { spec: { replicas: 3, containers: [{ name: "c", image: "i:1" }] } },
      { managedFields },
    ),
    ["spec.replicas is 3, it was 1, changed by jane"],
  ],
  [
    "an item of a list, by whoever has written last",
    anObject(),
    anObject(
      { spec: { replicas: 1, containers: [{ name: "c", image: "i:2" }] } },
      { managedFields },
    ),
    ['spec.containers[0].image is "i:2", it was "i:1", changed by controller'],
  ],
  [
    "what nobody is known to have written",
    anObject(),
    anObject({ spec: { replicas: 1 } }, { generation: 2 }),
    [
      'spec.containers[0].name is absent, it was "c"',
      'spec.containers[0].image is absent, it was "i:1"',
    ],
  ],
  [
    "defaults that come and go with the definition",
    anObject({ spec: { replicas: 1, old: 1 } }),
    anObject({ spec: { replicas: 1, fresh: 1 } }),
    [],
  ],
  [
    "a certificate that is injected, whatever the generation",
    anObject({ spec: undefined, webhooks: [{ clientConfig: { caBundle: "a".repeat(40) } }] }),
    anObject(
      { spec: undefined, webhooks: [{ clientConfig: { caBundle: "b".repeat(40) } }] },
      { generation: 2 },
    ),
    [],
  ],
  [
    "a generation whose fields are not kept",
    anObject({ spec: { license: "short" } }),
    anObject({ spec: { license: "other" } }, { generation: 2 }),
    ["its generation is 2, it was 1"],
  ],
  [
    "a kind that counts no generation",
    anObject(rights("get"), { generation: undefined }),
    anObject(rights("list"), { generation: undefined }),
    ['rules[0].verbs[0] is "list", it was "get"'],
  ],
])("what makes a plan stale: %s", (_, was, ...[is, reasons]) => {
  expect(listStateReasons(bindState(was), bindState(is), { live: is })).toEqual(reasons);
});

const left = bindState(anObject({ spec: { replicas: 1 } }));

test.each<[string, readonly object[] | undefined, readonly string[]]>([
  ["nobody", managedFields.slice(2), []],
  ["this tool", [{ manager: "us", fieldsV1: { "f:spec": { "f:fresh": {} } } }], []],
  [
    "somebody else",
    [{ manager: "zoe", fieldsV1: { "f:spec": { "f:fresh": {} } } }],
    ["spec.fresh is 1, it was absent, changed by zoe"],
  ],
  ["nobody who is told", undefined, ["spec.fresh is 1, it was absent"]],
])("what a write leaves may have a default more, which is held by %s", (_, held, reasons) => {
  const live = anObject(
    { spec: { replicas: 1, fresh: 1 } },
    { generation: 7, ...(held && { managedFields: held }) },
  );
  expect(listStateReasons(left, bindState(live), { live, ours: ["us"] })).toEqual(reasons);
});

test("an object that is not at hand has no writer", () => {
  const is = bindState(anObject({ spec: { replicas: 2, containers: [] } }));
  expect(listStateReasons({ fields: { "spec.replicas": "1" } }, is, {})[0]).not.toContain("by");
});

test("no secret and nothing long is kept as it is; a definition by its whole spec", () => {
  const license = "secret-".repeat(10);
  const { fields } = bindState(anObject({ spec: { license, long, caBundle: "c" } }));
  expect(fields).toEqual({
    "spec.caBundle": '"c"',
    "spec.license": expect.stringMatching(/^SHA-256 \w{16}$/) as string,
    "spec.long": expect.stringMatching(/^SHA-256 \w{16}$/) as string,
  });
  const definition = {
    kind: "CustomResourceDefinition",
    spec: { group: "g", names: { kind: "K" } },
  };
  expect(Object.keys(bindState(anObject(definition)).fields)).toEqual(["spec"]);
});
