import {
  type ClusterWish,
  editsOf,
  holdersOf,
  holds,
  patchOf,
  reverseOf,
  renderEdits,
} from "../../../../plugin/domain/cluster/edits";
import { autoPaths } from "../../../../plugin/domain/served-fields";
import { defaultNames as names } from "../../../../plugin/domain/names";
import type { KubeObject } from "../../../../plugin/domain/objects";
import { anEc, newTag, oldTag } from "./scene";

const [usual, direct] = autoPaths(names);
const bare = anEc({ engineEnterpriseImageSpec: undefined });

function patch(
  ec: KubeObject,
  wish: Partial<ClusterWish>,
  auto: { path?: readonly string[] | undefined; off?: boolean } = {},
) {
  const plan = { path: "path" in auto ? auto.path : usual, off: auto.off ?? false };
  return patchOf(editsOf(ec, { auto: false, ...wish }, { names, auto: plan }));
}
const image = (fields: object): object => ({ spec: { engineEnterpriseImageSpec: fields } });
const automatic = { upgradeSpec: { autoUpgradeEngineEnterprise: true } };

test.each<[string, object, object]>([
  ["the tag alone", patch(anEc(), { tag: newTag }), image({ versionTag: newTag })],
  ["nothing, where it is up to date", patch(anEc(), { tag: oldTag }), {}],
  [
    "the pull policy too, where there is no image spec",
    patch(bare, { tag: newTag }),
    image({ versionTag: newTag, imagePullPolicy: "IfNotPresent" }),
  ],
  [
    "policy and repository, where they are asked for",
    patch(anEc(), { tag: oldTag, imagePullPolicy: "Always", repository: "mirror/engine" }),
    image({ imagePullPolicy: "Always", repository: "mirror/engine" }),
  ],
  ["auto, and no tag", patch(anEc(), { auto: true, tag: newTag }), { spec: automatic }],
  ["auto, without an image spec", patch(bare, { auto: true }), { spec: automatic }],
  [
    "auto with a repository needs a policy",
    patch(bare, { auto: true, repository: "mirror/engine" }),
    {
      spec: {
        ...automatic,
        engineEnterpriseImageSpec: { repository: "mirror/engine", imagePullPolicy: "IfNotPresent" },
      },
    },
  ],
  [
    "auto directly under spec, where the definition has it there",
    patch(anEc(), { auto: true }, { path: direct ?? [] }),
    { spec: { autoUpgradeEngineEnterprise: true } },
  ],
  ["no auto, where no definition has it", patch(anEc(), { auto: true }, { path: undefined }), {}],
  ["nothing, where auto is on", patch(anEc(automatic), { auto: true }), {}],
  [
    "auto off beside the tag, wherever it is on",
    patch(
      anEc({ ...automatic, autoUpgradeEngineEnterprise: false }),
      { tag: newTag },
      { off: true },
    ),
    {
      spec: {
        engineEnterpriseImageSpec: { versionTag: newTag },
        upgradeSpec: { autoUpgradeEngineEnterprise: false },
      },
    },
  ],
])("writes %s", (_title, body, expected) => {
  expect(body).toEqual(expected);
});

const edits = editsOf(
  bare,
  { auto: false, tag: newTag },
  { names, auto: { path: usual, off: false } },
);

test("an edit is undone by its old values, null where there was none", () => {
  expect(reverseOf(edits)).toEqual(image({ versionTag: null, imagePullPolicy: null }));
});

test("an object holds the edits when every value is there", () => {
  expect(holds(bare, edits)).toBe(false);
  expect(holds(undefined, edits)).toBe(false);
  const done = { versionTag: newTag, imagePullPolicy: "IfNotPresent" };
  expect(holds(anEc({ engineEnterpriseImageSpec: done }), edits)).toBe(true);
});

test("a field that is to go is gone, and a list is held by its values", () => {
  const path = ["spec", "x"];
  const wants = (to: unknown) => [{ path, from: undefined, to }];
  expect(holds(anEc({}), wants(null))).toBe(true);
  expect(holds(anEc({ x: 1 }), wants(null))).toBe(false);
  expect(holds(anEc({ x: [{ name: "a" }] }), wants([{ name: "a" }]))).toBe(true);
  expect(holds(anEc({ x: [{ name: "a" }] }), wants([{ name: "b" }]))).toBe(false);
});

test("edits are shown with both values", () => {
  expect(renderEdits(edits)).toBe(
    `versionTag absent -> ${newTag}, imagePullPolicy absent -> IfNotPresent`,
  );
  expect(renderEdits([{ path: ["spec", "x"], from: false, to: true }])).toBe("x false -> true");
});

describe("who holds a field", () => {
  const managed = (...managedFields: readonly object[]): KubeObject =>
    anEc({}, {}, { managedFields });
  const tagEdit = editsOf(
    anEc(),
    { auto: false, tag: newTag },
    { names, auto: { path: usual, off: false } },
  );
  const spec = (fields: object): object => ({
    "f:spec": { "f:engineEnterpriseImageSpec": fields },
  });
  const cause = (manager: string): object => ({
    reason: "FieldManagerConflict",
    field: ".spec.engineEnterpriseImageSpec.versionTag",
    message: `conflict with "${manager}"`,
  });

  test.each<[string, object, readonly object[]]>([
    [
      "the field itself",
      { manager: "argo", fieldsV1: spec({ "f:versionTag": {} }) },
      [cause("argo")],
    ],
    ["the whole that it is in", { manager: "argo", fieldsV1: spec({}) }, [cause("argo")]],
    ["a nameless manager", { fieldsV1: spec({ "f:versionTag": {} }) }, [cause("")]],
    ["another field", { manager: "argo", fieldsV1: spec({ "f:repository": {} }) }, []],
    ["the parent alone", { manager: "argo", fieldsV1: spec({ ".": {} }) }, []],
    [
      "the status alone",
      { manager: "op", subresource: "status", fieldsV1: spec({ "f:versionTag": {} }) },
      [],
    ],
    [
      "the main resource, said as an empty text",
      { manager: "op", subresource: "", fieldsV1: spec({ "f:versionTag": {} }) },
      [cause("op")],
    ],
    ["nothing", { manager: "argo" }, []],
  ])("is told by managedFields: %s", (_title, entry, causes) => {
    expect(holdersOf(managed(entry), tagEdit)).toEqual(causes);
  });

  test("is not known without managedFields", () => {
    expect(holdersOf(anEc(), tagEdit)).toEqual([]);
  });
});
