import { aDb, dbs, refOf, World } from "./world";

const one = { fieldManager: "one" };
const two = { fieldManager: "two" };

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

describe("after a first apply of size and inner.a", () => {
  beforeEach(async () => {
    await world.cluster.apply(aDb("x", { size: 1, inner: { a: "x" }, tags: ["t"] }), one);
  });

  test("what is no longer applied goes, unless someone else owns it", async () => {
    await world.cluster.apply(aDb("x", { inner: { a: "x" } }), two);
    const less = await world.cluster.apply(aDb("x", { tags: ["u"] }), one);
    expect(less["spec"]).toEqual({ inner: { a: "x" }, tags: ["u"] });
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
    name: "a value twice in a set",
    metadata: {},
    spec: { tags: ["a", "a"] },
    message: '.spec.tags: duplicate entries for key [="a"]',
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
