import {
  type KubeObject,
  lastApplied,
  type ManagedFields,
} from "../../../../plugin/domain/kube/objects";
import { leftovers } from "../../../../plugin/commands/upgrade-operator/local-changes";
import {
  adoptFields,
  fileEntries,
  isFileManager,
  lastFile,
  lastFileOver,
} from "../../../../plugin/domain/kube/field-managers";

const ours = "kubectl-engine";

const entry = (
  ...[manager, operation, fieldsV1, more = {}]: readonly [string, string, object, object?]
): ManagedFields => ({
  manager,
  operation,
  apiVersion: "v1",
  fieldsType: "FieldsV1",
  fieldsV1: fieldsV1 as Readonly<Record<string, unknown>>,
  ...more,
});

const live = (managedFields: readonly ManagedFields[], file?: unknown): KubeObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: {
    managedFields,
    ...(file !== undefined && {
      annotations: { [lastApplied]: typeof file === "string" ? file : JSON.stringify(file) },
    }),
  },
});

const keepsFile = { "f:metadata": { "f:annotations": { [`f:${lastApplied}`]: {} } } };

describe("a file's manager", () => {
  test.each([
    ["kubectl-client-side-apply", "Update", {}, {}, true],
    ["kubectl-create", "Update", {}, {}, true],
    ["before-first-apply", "Update", {}, {}, true],
    ["kubectl", "Apply", {}, {}, true],
    ["kubectl", "Update", {}, {}, false],
    ["kubectl", "Update", keepsFile, {}, true],
    ["oc", "Update", keepsFile, {}, true],
    ["kubectl-edit", "Update", {}, {}, false],
    ["argocd", "Apply", {}, {}, false],
    ["argocd", "Update", keepsFile, {}, false],
    ["kubectl-client-side-apply", "Update", {}, { subresource: "status" }, false],
    ["kubectl-client-side-apply", "Update", {}, { apiVersion: "v2" }, false],
    [ours, "Apply", {}, {}, false],
  ])("%s by %s with %j %j: %s", (...[manager, operation, fields, more, is]) => {
    const object = live([entry(manager, operation, fields, more)]);
    expect(fileEntries(object, ours).length > 0).toBe(is);
    expect(isFileManager(object, manager, ours)).toBe(is);
  });

  test("has no name in some objects, and some objects have no managers", () => {
    expect(fileEntries(live([{ operation: "Apply", apiVersion: "v1" }]), ours)).toEqual([]);
    expect(fileEntries({ apiVersion: "v1", metadata: {} }, ours)).toEqual([]);
  });
});

test.each([
  [{ a: 1 }, { a: 1 }],
  ["[]", undefined],
  ["{", undefined],
  [undefined, undefined],
])("the file %j reads as %j", (file, read) => {
  expect(lastFile(live([], file))).toEqual(read);
});

describe("adopting", () => {
  test("unites the sets, keeps the others, and names nobody else's time", () => {
    const other = entry("argocd", "Apply", { "f:x": {} });
    const object = live([
      entry(ours, "Apply", { "f:a": { "f:b": {} }, "f:d": {} }),
      other,
      entry(
        "kubectl-create",
        "Update",
        { "f:a": { "f:c": {} }, "f:d": { "f:e": {} } },
        { time: "t" },
      ),
      entry("kubectl-replace", "Update", { "f:a": {}, "f:g": { "f:h": {} } }),
    ]);
    expect(adoptFields(object, ours)).toEqual([
      {
        ...entry(ours, "Apply", {}),
        time: "t",
        fieldsV1: {
          "f:a": { ".": {}, "f:b": {}, "f:c": {} },
          "f:d": { ".": {}, "f:e": {} },
          "f:g": { "f:h": {} },
        },
      },
      other,
    ]);
  });

  test("of an object without managers is an empty set", () => {
    expect(adoptFields({ apiVersion: "v1", kind: "Thing", metadata: {} }, ours)).toEqual([
      entry(ours, "Apply", {}),
    ]);
    const bare = { manager: "kubectl-create", operation: "Update", apiVersion: "v1" };
    expect(adoptFields(live([bare]), ours)).toEqual([entry(ours, "Apply", {})]);
  });

  test("unites a field with what is no set", () => {
    const object = live([
      entry(ours, "Apply", { "f:a": 1, "f:b": { "f:c": {} }, "f:z": {} }),
      entry("kubectl-create", "Update", { "f:a": 2, "f:b": 3, "f:y": { "f:x": {} } }),
    ]);
    expect(adoptFields(object, ours)[0]?.fieldsV1).toEqual({
      "f:a": {},
      "f:b": { "f:c": {} },
      "f:z": {},
      "f:y": { "f:x": {} },
    });
  });
});

describe("leftovers", () => {
  const wanted = {
    ...live([]),
    spec: {
      kept: 1,
      list: ["a"],
      ports: [{ port: 443 }],
      items: [{ name: "new" }],
      plain: ["x"],
    },
  };
  const fields = {
    ...keepsFile,
    "f:spec": {
      ".": {},
      "f:kept": {},
      "f:gone": { "f:deep": {} },
      "f:list": { 'v:"a"': {}, 'v:"b"': {} },
      "f:ports": { 'k:{"port":443,"protocol":"TCP"}': { ".": {}, "f:port": {} } },
      "f:items": { 'k:{"name":"old"}': { "f:name": {} } },
      "f:plain": { "i:0": {}, "i:1": {} },
      "f:odd": { "k:{": {}, 'k:"x"': {} },
    },
  };

  test("of an apply are all that the new file lacks", () => {
    const object = live([entry("kubectl", "Apply", fields)]);
    expect(leftovers(object, wanted, ours)).toEqual([
      ".spec.gone",
      '.spec.items[name="old"]',
      '.spec.list[="b"]',
      ".spec.odd",
      ".spec.plain[1]",
    ]);
  });

  test("of an update are what the file had; what the API server filled in is none", () => {
    const file = { spec: { gone: {}, items: [{ name: "old" }] } };
    const object = live([entry("kubectl-client-side-apply", "Update", fields)], file);
    expect(leftovers(object, wanted, ours)).toEqual([".spec.gone", '.spec.items[name="old"]']);
  });

  test("of an update without a file are whole items alone", () => {
    const object = live([
      entry("kubectl-create", "Update", fields),
      { manager: "kubectl-create", operation: "Update", apiVersion: "v1" },
    ]);
    expect(leftovers(object, wanted, ours)).toEqual([
      '.spec.items[name="old"]',
      '.spec.list[="b"]',
    ]);
  });

  test("with keys that cannot be read are told as they are", () => {
    const odd = {
      "f:spec": { "f:kept": "no set", "f:items": { "k:{": {}, 'k:{"x":1}': {}, "v:{": "no set" } },
    };
    const object = live([entry("kubectl", "Apply", odd)]);
    expect(leftovers(object, wanted, ours)).toEqual([
      ".spec.items[=\u007b]",
      ".spec.items[]",
      ".spec.items[x=1]",
    ]);
  });
});

test.each([
  ["no file", undefined, undefined],
  [
    "a file of another version, with a status",
    {
      apiVersion: "v0",
      kind: "Thing",
      metadata: { labels: { a: "1" }, annotations: null },
      status: {},
      a: 1,
    },
    {
      apiVersion: "v1",
      kind: "Thing",
      metadata: { name: "x", uid: "u", labels: { a: "1" } },
      a: 1,
    },
  ],
])("laid over the live object: %s", (_, file, wanted) => {
  const object = live([], file);
  const metadata = { ...object.metadata, name: "x", uid: "u" };
  expect(lastFileOver({ ...object, metadata })).toEqual(wanted);
});
