import { aDb, aMap, aNamespace, dbs, maps, nobody, refOf, spaces, World } from "./world";
import { Store } from "../../../../plugin/simulator/api-server/store";

let world: World;

beforeEach(() => {
  world = new World();
});

describe("a write that is refused writes nothing", () => {
  beforeEach(async () => {
    await world.cluster.create(aMap("x", { a: "1" }));
    await world.cluster.create(aDb("x", { size: 1 }));
    await world.cluster.create(aMap("kept", {}, { finalizers: ["a.b/c"] }));
    await world.cluster.delete(refOf(maps, "kept"), {});
  });

  const merge = { type: "merge" } as const;
  test.each<{ name: string; act: () => Promise<unknown>; message: string; status: number }>([
    {
      name: "a name that is taken",
      act: () => world.cluster.create(aMap("x")),
      message: 'configmaps "x" already exists',
      status: 409,
    },
    {
      name: "another namespace",
      act: () => world.cluster.patch(refOf(maps, "x"), { metadata: { namespace: "z" } }, merge),
      message: "the namespace of the provided object does not match",
      status: 400,
    },
    {
      name: "a late finalizer",
      act: () =>
        world.cluster.patch(
          refOf(maps, "kept"),
          { metadata: { finalizers: ["a.b/c", "d.e/f"] } },
          merge,
        ),
      message:
        'no new finalizers can be added if the object is being deleted, found new finalizers []string{"d.e/f"}',
      status: 422,
    },
    {
      name: "a deletion of the default namespace",
      act: () => world.cluster.delete(refOf(spaces, "default"), {}),
      message: 'namespaces "default" is forbidden: this namespace may not be deleted',
      status: 403,
    },
    {
      name: "a manager with a long name",
      act: () => world.cluster.create(aMap("y"), { fieldManager: "m".repeat(129) }),
      message: "fieldManager: Too long: may not be more than 128 bytes",
      status: 422,
    },
  ])("$name", async ({ act, message, status }) => {
    const before = world.stored();
    const judged = world.attempts.length;
    await expect(act()).rejects.toMatchObject({
      message: expect.stringContaining(message) as string,
      status,
    });
    expect(world.stored()).toBe(before);
    const isLate = message.includes("already exists"); // found last, as the store finds it
    expect(world.attempts.length).toBe(judged + (isLate ? 1 : 0));
  });

  test("the admission's refusal", async () => {
    const before = world.stored();
    world.admit = () => Promise.reject(new Error("denied"));
    const writes = [
      () => world.cluster.create(aMap("y")),
      () => world.cluster.update(aMap("x", { a: "2" })),
      () => world.cluster.apply(aMap("y"), { fieldManager: "m" }),
      () => world.cluster.patch(refOf(maps, "x"), { data: {} }, { type: "merge" }),
      () => world.cluster.delete(refOf(maps, "x"), {}),
    ];
    for (const write of writes) await expect(write()).rejects.toThrow("denied");
    expect(world.stored()).toBe(before);
  });
});

test("a namespace is in itself, as far as access goes", async () => {
  await expect(world.connect(nobody).get(refOf(spaces, "engine"))).rejects.toMatchObject({
    message:
      'namespaces "engine" is forbidden: User "nobody" cannot get resource "namespaces" in API group "" in the namespace "engine"',
    status: 403,
    reason: "Forbidden",
  });
});

describe("identity", () => {
  test("a new object gets what the API server gives it", async () => {
    const sent = aDb(
      "x",
      { size: 1 },
      {
        uid: "mine",
        creationTimestamp: "2020-01-01T00:00:00Z",
        deletionTimestamp: "2020-01-01T00:00:00Z",
      },
    );
    const { metadata } = await world.cluster.create({ ...sent, status: { state: "Active" } });
    expect(metadata).toMatchObject({ generation: 1, creationTimestamp: "2026-08-01T10:15:30Z" });
    expect(metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(metadata.deletionTimestamp).toBeUndefined();
    expect(world.get(dbs, "x")).not.toHaveProperty("status");
  });
});

describe("finalizers", () => {
  test("a namespace ends, and takes nothing new", async () => {
    await world.cluster.delete(refOf(spaces, "engine"), {});
    expect(world.get(spaces, "engine")).toMatchObject({ status: { phase: "Terminating" } });
    await expect(world.cluster.create(aMap("x"))).rejects.toMatchObject({
      message:
        'configmaps "x" is forbidden: unable to create new content in namespace engine because it is being terminated',
      causes: [
        {
          reason: "NamespaceTerminating",
          field: "metadata.namespace",
          message: "namespace engine is being terminated",
        },
      ],
    });
  });
});

describe("reading", () => {
  test.each<{ name: string; act: (w: World) => Promise<unknown> }>([
    { name: "a kind that is not served", act: (w) => w.cluster.list({ ...dbs, version: "v9" }) },
    {
      name: "an object of a namespaced kind outside of any",
      act: (w) => w.cluster.get({ resource: maps, name: "x" }),
    },
    {
      name: "a namespace's namespaces",
      act: (w) => w.cluster.list(spaces, { namespace: "engine" }),
    },
  ])("$name is undefined", async ({ act }) => {
    await expect(act(world)).resolves.toBeUndefined();
  });

  test("a list stops at its limit and follows its selectors", async () => {
    for (const name of ["c", "a", "b"])
      await world.cluster.create(aMap(name, {}, { labels: { name } }));
    const names = async (options: object): Promise<unknown> =>
      (await world.cluster.list(maps, options))?.map(({ metadata }) => metadata.name);
    expect(await names({ limit: 2 })).toEqual(["a", "b"]);
    expect(await names({ labelSelector: "name in (a,c)" })).toEqual(["a", "c"]);
    expect(await names({ fieldSelector: "metadata.name!=a,metadata.namespace=engine" })).toEqual([
      "b",
      "c",
    ]);
  });

  test.each([
    [
      maps,
      "data.x=1",
      '"data.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
    [dbs, "spec.x=1", "field label not supported: spec.x"],
    [maps, "metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
  ])("of %j the field selector %j is refused", async (kind, fieldSelector, message) => {
    await expect(world.cluster.list(kind, { fieldSelector })).rejects.toMatchObject({
      message,
      status: 400,
    });
  });

  test("an aborted request does not arrive", async () => {
    let arrived = 0;
    const cluster = world.connect(undefined, () => (arrived += 1));
    const signal = AbortSignal.abort(new Error("stop"));
    await expect(cluster.get(refOf(maps, "x"), { signal })).rejects.toThrow("stop");
    expect(arrived).toBe(0);
    await cluster.get(refOf(maps, "x"));
    expect(arrived).toBe(1);
  });
});

describe("the control plane", () => {
  test("what is loaded keeps its identity, and gets what it lacks", () => {
    const identity = {
      uid: "u-1",
      resourceVersion: "900",
      creationTimestamp: "2020-01-01T00:00:00Z",
    };
    const known = { ...aDb("known", {}, identity), status: { state: "Active" } };
    world.plane.load([known, aDb("new")]);
    expect(world.get(dbs, "known")).toEqual({
      ...known,
      metadata: { ...known.metadata, generation: 1 },
    });
    expect(world.get(dbs, "new")?.metadata).toMatchObject({
      resourceVersion: "901",
      generation: 1,
    });
    expect(world.attempts).toEqual([]);
  });

  test("objects that no definition serves are told all at once", () => {
    const strange = ["one", "two"].map((kind) => ({ ...aMap("x"), apiVersion: "no.io/v1", kind }));
    expect(() => {
      world.plane.load([...strange, aMap("good")]);
    }).toThrow("no definition serves one in no.io/v1; no definition serves two in no.io/v1");
    expect(world.get(maps, "good")).toBeDefined();
  });

  test("a fork goes its own way", async () => {
    await world.cluster.create(aMap("x", { a: "1" }));
    const before = world.stored();
    const fork = world.plane.fork();
    const cluster = fork.connect({ user: { name: "admin", groups: [] }, namespace: "engine" });
    await cluster.patch(refOf(maps, "x"), { data: { a: "2" } }, { type: "merge" });
    expect(fork.state.get(maps, "x", "engine")).toMatchObject({ data: { a: "2" } });
    expect(world.stored()).toBe(before);
  });

  test("listeners are told of what is stored, until they cease", async () => {
    const told: unknown[] = [];
    const stop = world.plane.onChange(({ type, object, before }) => {
      told.push([type, object.metadata.name, before?.metadata.name]);
    });
    await world.cluster.create(aMap("x"));
    await world.cluster.create(aMap("y"), { dryRun: true });
    await world.cluster.update(aMap("x", { a: "1" }));
    await world.cluster.update(aMap("x", { a: "1" }));
    await world.cluster.delete(refOf(maps, "x"), {});
    stop();
    await world.cluster.create(aNamespace("other"));
    expect(told).toEqual([
      ["ADDED", "x", undefined],
      ["MODIFIED", "x", "x"],
      ["DELETED", "x", "x"],
    ]);
  });
});

const put = (store: Store, namespace: string, name: string): void => {
  store.put({ kind: maps, name, namespace }, aMap(name, {}, { namespace }));
};

const namesIn = (store: Store, namespace?: string): readonly string[] =>
  store
    .list(maps, namespace)
    .map(({ metadata }) => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`);

test("objects are listed in the order of their keys in etcd", () => {
  const store = Store.empty();
  for (const [namespace, name] of [
    ["a", "z"],
    ["a", "b"],
    ["ab", "x"],
    ["a-b", "x"],
  ] as const) {
    put(store, namespace, name);
  }
  expect(namesIn(store)).toEqual(["a-b/x", "a/b", "a/z", "ab/x"]);
  expect(namesIn(store, "a")).toEqual(["a/b", "a/z"]);
  expect(namesIn(store, "none")).toEqual([]);
});

test("the counter never falls behind the version of what is kept", () => {
  const store = Store.empty();
  const key = { kind: maps, name: "x", namespace: "a" };
  store.keep(key, aMap("x", {}, { resourceVersion: "41" }));
  expect(store.put(key, aMap("x")).metadata.resourceVersion).toBe("42");
});

test("a version that the log no longer reaches is gone", () => {
  const store = Store.empty();
  for (let count = 0; count < 40_001; count += 1) put(store, "a", "x");
  expect(() => store.log.after(1)).toThrow(
    expect.objectContaining({
      message: "too old resource version: 1 (20000)",
      status: 410,
      reason: "Expired",
    }) as Error,
  );
  expect(store.log.after(40_000)).toHaveLength(1);
});
