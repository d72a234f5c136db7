import type { KubeObject } from "../../../../plugin/run/ports";
import { aDb, dbs, refOf, World } from "./world";

const one = { fieldManager: "one" };
const two = { fieldManager: "two" };

const ownersOf = (object: KubeObject | undefined): unknown =>
  object?.metadata.managedFields?.map(({ manager, operation, fieldsV1 }) => [
    manager,
    operation,
    fieldsV1?.["f:spec"],
  ]);

let world: World;

beforeEach(() => {
  world = new World();
});

test("what is applied belongs to its manager, items by their keys", async () => {
  const spec = {
    size: 1,
    whole: { a: 1 },
    list: [1],
    tags: ["t"],
    parts: [{ name: "p", size: 1 }],
    inner: { a: "x" },
    free: { k: { deep: 1 } },
  };
  const applied = await world.cluster.apply(aDb("x", spec), one);
  expect(applied.metadata.managedFields).toEqual([
    {
      manager: "one",
      operation: "Apply",
      apiVersion: "test.io/v1",
      time: "2026-08-01T10:15:30Z",
      fieldsType: "FieldsV1",
      fieldsV1: {
        "f:spec": {
          "f:free": { "f:k": { ".": {}, "f:deep": {} } },
          "f:inner": { "f:a": {} },
          "f:list": {},
          "f:parts": { 'k:{"kind":"plain","name":"p"}': { ".": {}, "f:name": {}, "f:size": {} } },
          "f:size": {},
          "f:tags": { 'v:"t"': {} },
          "f:whole": {},
        },
      },
    },
  ]);
});

test("other writes own what they change, whole places included", async () => {
  const created = await world.cluster.create(aDb("x", { size: 1, inner: { a: "x" } }), one);
  expect(ownersOf(created)).toEqual([
    ["one", "Update", { ".": {}, "f:size": {}, "f:inner": { ".": {}, "f:a": {} } }],
  ]);
  const body = { spec: { size: 2, inner: { b: "y" } } };
  const patched = await world.cluster.patch(refOf(dbs, "x"), body, { type: "merge", ...two });
  expect(ownersOf(patched)).toEqual([
    ["one", "Update", { ".": {}, "f:inner": { ".": {}, "f:a": {} } }],
    ["two", "Update", { "f:size": {}, "f:inner": { "f:b": {} } }],
  ]);
});

test("who names no manager is known by the plugin's user agent", async () => {
  const created = await world.cluster.create(aDb("x", { size: 1 }));
  expect(created.metadata.managedFields?.map(({ manager }) => manager)).toEqual(["kubectl-engine"]);
});

describe("after a first apply of size and inner.a", () => {
  beforeEach(async () => {
    await world.cluster.apply(aDb("x", { size: 1, inner: { a: "x" }, tags: ["t"] }), one);
  });

  test("an equal value is shared", async () => {
    const shared = await world.cluster.apply(aDb("x", { size: 1 }), two);
    expect(ownersOf(shared)).toEqual([
      ["two", "Apply", { "f:size": {} }],
      ["one", "Apply", { "f:size": {}, "f:inner": { "f:a": {} }, "f:tags": { 'v:"t"': {} } }],
    ]);
  });

  test.each([
    {
      name: "one field",
      spec: { size: 2 },
      message: 'Apply failed with 1 conflict: conflict with "one": .spec.size',
      fields: [".spec.size"],
    },
    {
      name: "several fields",
      spec: { size: 2, inner: { a: "y" } },
      message:
        'Apply failed with 2 conflicts: conflicts with "one":\n- .spec.size\n- .spec.inner.a',
      fields: [".spec.size", ".spec.inner.a"],
    },
  ])("another value of $name is a conflict, and nothing is written", async (row) => {
    const before = world.stored();
    const causes = row.fields.map((field) => ({
      reason: "FieldManagerConflict",
      field,
      message: 'conflict with "one"',
    }));
    await expect(world.cluster.apply(aDb("x", row.spec), two)).rejects.toMatchObject({
      message: row.message,
      status: 409,
      reason: "Conflict",
      causes,
    });
    expect(world.stored()).toBe(before);
  });

  test("a conflict with a manager that updates names the version", async () => {
    const patch = { spec: { size: 5 } };
    await world.cluster.patch(refOf(dbs, "x"), patch, { type: "merge", fieldManager: "editor" });
    await expect(world.cluster.apply(aDb("x", { size: 1 }), one)).rejects.toThrow(
      'Apply failed with 1 conflict: conflict with "editor" using test.io/v1: .spec.size',
    );
  });

  test("force takes the field over", async () => {
    const forced = await world.cluster.apply(aDb("x", { size: 2 }), { ...two, force: true });
    expect(forced["spec"]).toMatchObject({ size: 2, inner: { a: "x" } });
    expect(ownersOf(forced)).toEqual([
      ["one", "Apply", { "f:inner": { "f:a": {} }, "f:tags": { 'v:"t"': {} } }],
      ["two", "Apply", { "f:size": {} }],
    ]);
  });

  test("what is no longer applied goes, unless someone else owns it", async () => {
    await world.cluster.apply(aDb("x", { inner: { a: "x" } }), two);
    const less = await world.cluster.apply(aDb("x", { tags: ["u"] }), one);
    expect(less["spec"]).toEqual({ inner: { a: "x" }, tags: ["u"] });
  });

  test("what nobody applied stays", async () => {
    const patch = { spec: { inner: { b: "y" } } };
    await world.cluster.patch(refOf(dbs, "x"), patch, { type: "merge", fieldManager: "editor" });
    const less = await world.cluster.apply(aDb("x", { size: 1 }), one);
    expect(less["spec"]).toEqual({ size: 1, inner: { b: "y" } });
  });

  test("the same once more changes nothing", async () => {
    const before = world.stored();
    world.clock.advance(60_000);
    await world.cluster.apply(aDb("x", { size: 1, inner: { a: "x" }, tags: ["t"] }), one);
    expect(world.stored()).toBe(before);
  });

  test("an applier is the same in every version", async () => {
    const old = { ...aDb("x", { size: 7 }), apiVersion: "test.io/v1alpha1" };
    const applied = await world.cluster.apply(old, one);
    expect(applied).toMatchObject({ apiVersion: "test.io/v1alpha1", spec: { size: 7 } });
    expect(applied.metadata.managedFields).toHaveLength(1);
  });
});

test.each([
  {
    name: "managers of its own",
    metadata: { managedFields: [] },
    spec: {},
    message: "metadata.managedFields must be nil",
    status: 400,
  },
  {
    name: "the uid of another object",
    metadata: { uid: "1" },
    spec: {},
    message: "uid mismatch: the provided object specified uid 1",
    status: 409,
  },
  {
    name: "a value twice in a set",
    metadata: {},
    spec: { tags: ["a", "a"] },
    message: '.spec.tags: duplicate entries for key [="a"]',
    status: 500,
  },
  {
    name: "an item twice",
    metadata: {},
    spec: { parts: [{ name: "a" }, { name: "a" }] },
    message: '.spec.parts: duplicate entries for key [kind="plain",name="a"]',
    status: 500,
  },
  {
    name: "an item that is none",
    metadata: {},
    spec: { parts: ["a"] },
    message: ".spec.parts: element 0: associative list with keys may not have non-map elements",
    status: 500,
  },
])("an apply with $name is refused, and nothing is written", async (row) => {
  const before = world.stored();
  await expect(world.cluster.apply(aDb("x", row.spec, row.metadata), one)).rejects.toMatchObject({
    message: expect.stringContaining(row.message) as string,
    status: row.status,
  });
  expect(world.stored()).toBe(before);
});

test("an apply without a manager is refused", async () => {
  await expect(world.cluster.apply(aDb("x"), { fieldManager: "" })).rejects.toThrow(
    'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
  );
});

test("of an object without managers, the first apply finds who was there before", async () => {
  world.plane.load([aDb("old", { size: 1, inner: { a: "x" } })]);
  const before = world.stored();
  await expect(world.cluster.apply(aDb("old", { size: 2 }), one)).rejects.toThrow(
    'conflict with "before-first-apply" using test.io/v1: .spec.size',
  );
  expect(world.stored()).toBe(before);
  const applied = await world.cluster.apply(aDb("old", { size: 1 }), one);
  expect(ownersOf(applied)).toEqual([
    ["one", "Apply", { "f:size": {} }],
    ["before-first-apply", "Update", { ".": {}, "f:size": {}, "f:inner": { ".": {}, "f:a": {} } }],
  ]);
});

test.each([[[]], [[{}]]])("the managers %j forget who owns what", async (managedFields) => {
  await world.cluster.create(aDb("x", { size: 1 }));
  const patch = { metadata: { managedFields } };
  const forgotten = await world.cluster.patch(refOf(dbs, "x"), patch, { type: "merge" });
  expect(forgotten.metadata.managedFields).toBeUndefined();
  const later = await world.cluster.patch(
    refOf(dbs, "x"),
    { spec: { size: 2 } },
    { type: "merge" },
  );
  expect(later.metadata.managedFields).toBeUndefined();
});

test("of more than ten managers that update, the oldest become one", async () => {
  await world.cluster.create(aDb("x"), { fieldManager: "m00" });
  for (let count = 1; count < 13; count += 1) {
    world.clock.advance(1000);
    const fieldManager = `m${String(count).padStart(2, "0")}`;
    const patch = { spec: { free: { [fieldManager]: 1 } } };
    await world.cluster.patch(refOf(dbs, "x"), patch, { type: "merge", fieldManager });
  }
  const managers = world.get(dbs, "x")?.metadata.managedFields?.map(({ manager }) => manager);
  expect(managers).toHaveLength(10);
  expect(managers).toContain("ancient-changes");
  expect(managers).not.toContain("m03");
});
