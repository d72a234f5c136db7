import type { KubeObject, WatchEvent, WatchOptions } from "../../../../plugin/run/ports";
import { aDb, aMap, aNamespace, dbs, maps, nobody, oldDbs, refOf, spaces, World } from "./world";

let world: World;

beforeEach(() => {
  world = new World();
});

const stale = { resourceVersion: "1" };
const modified =
  "the object has been modified; please apply your changes to the latest version and try again";

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
      name: "an absent namespace",
      act: () => world.cluster.create(aMap("y", {}, { namespace: "none" })),
      message: 'namespaces "none" not found',
      status: 404,
    },
    {
      name: "a version for a new object",
      act: () => world.cluster.create(aMap("y", {}, stale)),
      message: "resourceVersion should not be set on objects to be created",
      status: 500,
    },
    {
      name: "an update of an absent object",
      act: () => world.cluster.update(aMap("y")),
      message: 'configmaps "y" not found',
      status: 404,
    },
    {
      name: "a patch of an absent object",
      act: () => world.cluster.patch(refOf(dbs, "y"), {}, merge),
      message: 'dbs.test.io "y" not found',
      status: 404,
    },
    {
      name: "a deletion of an absent object",
      act: () => world.cluster.delete(refOf(maps, "y"), {}),
      message: 'configmaps "y" not found',
      status: 404,
    },
    {
      name: "a stale update",
      act: () => world.cluster.update(aMap("x", {}, stale)),
      message: `Operation cannot be fulfilled on configmaps "x": ${modified}`,
      status: 409,
    },
    {
      name: "a stale patch",
      act: () => world.cluster.patch(refOf(maps, "x"), { metadata: stale }, merge),
      message: modified,
      status: 409,
    },
    {
      name: "a stale apply",
      act: () => world.cluster.apply(aMap("x", {}, stale), { fieldManager: "m" }),
      message: modified,
      status: 409,
    },
    {
      name: "an update with another uid",
      act: () => world.cluster.update(aMap("x", {}, { uid: "1" })),
      message: "Precondition failed: UID in precondition: 1, UID in object meta: ",
      status: 409,
    },
    {
      name: "a patch of the uid",
      act: () => world.cluster.patch(refOf(maps, "x"), { metadata: { uid: "1" } }, merge),
      message: 'metadata.uid: Invalid value: "1": field is immutable',
      status: 422,
    },
    {
      name: "an update of a custom kind without a version",
      act: () => world.cluster.update(aDb("x")),
      message: "metadata.resourceVersion: Invalid value: 0: must be specified for an update",
      status: 422,
    },
    {
      name: "another name",
      act: () => world.cluster.patch(refOf(maps, "x"), { metadata: { name: "z" } }, merge),
      message: "the name of the object (z) does not match the name on the URL (x)",
      status: 400,
    },
    {
      name: "another namespace",
      act: () => world.cluster.patch(refOf(maps, "x"), { metadata: { namespace: "z" } }, merge),
      message: "the namespace of the provided object does not match",
      status: 400,
    },
    {
      name: "a deletion with another uid",
      act: () => world.cluster.delete(refOf(maps, "x"), { uid: "1" }),
      message: "the UID in the precondition (1) does not match the UID in record",
      status: 409,
    },
    {
      name: "a deletion of another version",
      act: () => world.cluster.delete(refOf(maps, "x"), stale),
      message: "the ResourceVersion in the precondition (1) does not match",
      status: 409,
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
      name: "a strategic patch of a custom kind",
      act: () => world.cluster.patch(refOf(dbs, "x"), {}, { type: "strategic" }),
      message: "the body of the request was in an unknown format",
      status: 415,
    },
    {
      name: "a body beyond 3 MiB",
      act: () => world.cluster.create(aMap("y", { a: "b".repeat(3 * 1024 * 1024) })),
      message: "Request entity too large: limit is 3145728",
      status: 413,
    },
    {
      name: "a manager with a long name",
      act: () => world.cluster.create(aMap("y"), { fieldManager: "m".repeat(129) }),
      message: "fieldManager: Too long: may not be more than 128 bytes",
      status: 422,
    },
    {
      name: "a kind that is not served",
      act: () => world.cluster.create({ ...aMap("y"), apiVersion: "no.io/v1" }),
      message: "the API server serves no kind ConfigMap in no.io/v1",
      status: 404,
    },
    {
      name: "a value that the kind refuses",
      act: () => world.cluster.create(aDb("y", { size: "x" })),
      message: "spec.size is not a number",
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

  test("a dry run", async () => {
    const before = world.stored();
    const dry = { dryRun: true };
    const created = await world.cluster.create(aMap("y"), dry);
    expect(created.metadata).toMatchObject({
      name: "y",
      creationTimestamp: "2026-08-01T10:15:30Z",
    });
    expect(created.metadata.resourceVersion).toBeUndefined();
    const changed = await world.cluster.patch(
      refOf(dbs, "x"),
      { spec: { size: 2 } },
      { type: "merge", ...dry },
    );
    expect(changed).toMatchObject({ spec: { size: 2 }, metadata: { generation: 2 } });
    await world.cluster.delete(refOf(maps, "x"), {}, dry);
    expect(world.stored()).toBe(before);
    expect(world.attempts.slice(-3).map(({ dryRun }) => dryRun)).toEqual([true, true, true]);
  });
});

describe("a user who may not", () => {
  const where = 'in API group "" in the namespace "engine"';
  test.each<{ verb: string; act: (w: World) => Promise<unknown>; message: string }>([
    {
      verb: "get",
      act: (w) => w.connect(nobody).get(refOf(maps, "x")),
      message: `configmaps "x" is forbidden: User "nobody" cannot get resource "configmaps" ${where}`,
    },
    {
      verb: "list",
      act: (w) => w.connect(nobody).list(maps),
      message:
        'configmaps is forbidden: User "nobody" cannot list resource "configmaps" in API group "" at the cluster scope',
    },
    {
      verb: "create",
      act: (w) => w.connect(nobody).create(aMap("x")),
      message: `configmaps is forbidden: User "nobody" cannot create resource "configmaps" ${where}`,
    },
    {
      verb: "apply",
      act: (w) => w.connect(nobody).apply(aMap("x"), { fieldManager: "m" }),
      message: `configmaps "x" is forbidden: User "nobody" cannot patch resource "configmaps" ${where}`,
    },
    {
      verb: "delete",
      act: (w) => w.connect(nobody).delete(refOf(dbs, "x"), {}),
      message:
        'dbs.test.io "x" is forbidden: User "nobody" cannot delete resource "dbs" in API group "test.io" in the namespace "engine"',
    },
    {
      verb: "get a namespace",
      act: (w) => w.connect(nobody).get(refOf(spaces, "engine")),
      message:
        'namespaces "engine" is forbidden: User "nobody" cannot get resource "namespaces" in API group "" in the namespace "engine"',
    },
  ])("$verb is told in the API server's words", async ({ act, message }) => {
    await expect(act(world)).rejects.toMatchObject({ message, status: 403, reason: "Forbidden" });
  });

  test("create is not let in through an apply", async () => {
    world.allows = ({ verb }) => verb === "patch";
    const before = world.stored();
    await expect(world.connect(nobody).apply(aMap("x"), { fieldManager: "m" })).rejects.toThrow(
      'configmaps "x" is forbidden: User "nobody" cannot create resource "configmaps"',
    );
    expect(world.stored()).toBe(before);
  });

  test("a list of one name is judged by the name", async () => {
    world.allows = ({ verb, name }) => verb === "list" && name === "only";
    const person = world.connect(nobody);
    await expect(person.list(maps, { fieldSelector: "metadata.name=only" })).resolves.toEqual([]);
    await expect(person.list(maps, { fieldSelector: "metadata.name=other" })).rejects.toThrow(
      "forbidden",
    );
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

  test("a name is made up", async () => {
    const made = await world.cluster.create(aMap("", {}, { generateName: "gen-" }));
    expect(made.metadata.name).toMatch(/^gen-[a-z0-9]{5}$/);
  });

  test("the generation counts changes of the spec alone", async () => {
    await world.cluster.create(aDb("x", { size: 1 }));
    const patch = (body: unknown): Promise<KubeObject> =>
      world.cluster.patch(refOf(dbs, "x"), body, { type: "merge" });
    expect((await patch({ metadata: { labels: { a: "b" } } })).metadata.generation).toBe(1);
    expect((await patch({ status: { state: "x" } })).metadata.generation).toBe(1);
    expect((await patch({ spec: { size: 2 } })).metadata.generation).toBe(2);
  });

  test("the status is kept by every write but that of its controller", async () => {
    await world.cluster.create(aDb("x", { size: 1 }));
    world.plane.setStatus(refOf(dbs, "x"), { state: "Active" });
    await world.cluster.patch(
      refOf(dbs, "x"),
      { spec: { size: 2 }, status: { state: "no" } },
      { type: "merge" },
    );
    expect(world.get(dbs, "x")).toMatchObject({ status: { state: "Active" }, spec: { size: 2 } });
  });

  test("a write that changes nothing leaves the version", async () => {
    const created = await world.cluster.create(aMap("x", { a: "1" }));
    expect(await world.cluster.update(created)).toEqual(created);
    expect(world.get(maps, "x")).toEqual(created);
  });

  test("every version of a kind shows the same object", async () => {
    const created = await world.cluster.create(aDb("x", { size: 1 }));
    const seen = await world.cluster.get(refOf(oldDbs, "x"));
    expect(seen).toEqual({ ...created, apiVersion: "test.io/v1alpha1" });
    expect(await world.cluster.list(oldDbs)).toEqual([seen]);
  });

  test("a write begins again when another one came before it was stored", async () => {
    await world.cluster.create(aMap("x", { a: "1" }));
    let others = 1;
    world.admit = async () => {
      if (others-- > 0)
        await world.cluster.patch(refOf(maps, "x"), { data: { b: "2" } }, { type: "merge" });
      return [];
    };
    await world.cluster.patch(refOf(maps, "x"), { data: { c: "3" } }, { type: "merge" });
    expect(world.get(maps, "x")).toMatchObject({ data: { a: "1", b: "2", c: "3" } });
  });
});

describe("finalizers", () => {
  test("an object with one is marked, and gone with the last", async () => {
    await world.cluster.create(aDb("x", { size: 1 }, { finalizers: ["a.b/c"] }));
    await world.cluster.delete(refOf(dbs, "x"), {});
    const marked = world.get(dbs, "x");
    expect(marked?.metadata).toMatchObject({
      deletionTimestamp: "2026-08-01T10:15:30Z",
      generation: 2,
    });
    await world.cluster.delete(refOf(dbs, "x"), {});
    expect(world.get(dbs, "x")).toBe(marked);
    await world.cluster.patch(
      refOf(dbs, "x"),
      { metadata: { finalizers: null } },
      { type: "merge" },
    );
    expect(world.get(dbs, "x")).toBeUndefined();
  });

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
    { name: "an absent object", act: (w) => w.cluster.get(refOf(maps, "x")) },
    { name: "a kind that is not served", act: (w) => w.cluster.list({ ...dbs, version: "v9" }) },
    {
      name: "an object of a namespaced kind outside of any",
      act: (w) => w.cluster.get({ resource: maps, name: "x" }),
    },
    {
      name: "a namespace's namespaces",
      act: (w) => w.cluster.list(spaces, { namespace: "engine" }),
    },
    { name: "the kinds of an unknown group", act: (w) => w.cluster.serves("no.io", "v1") },
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

  test("warnings of the kind and of the admission are handed over", async () => {
    world.admit = () => Promise.resolve(["from a webhook"]);
    const warnings: string[] = [];
    await world.cluster.create(aDb("x", { typo: 1 }), { onWarning: (text) => warnings.push(text) });
    expect(warnings).toEqual(['unknown field "spec.typo"', "from a webhook"]);
  });

  test("the connection tells who it is and what is served", async () => {
    const person = world.connect(nobody);
    world.allows = ({ verb }) => verb === "get";
    expect(await person.whoAmI()).toBe("nobody");
    expect(await person.can({ verb: "get", group: "", resource: "configmaps" })).toBe(true);
    expect(await person.can({ verb: "list", group: "", resource: "configmaps" })).toBe(false);
    expect(await person.serves("test.io", "v1alpha1")).toEqual([oldDbs]);
    person.close();
  });
});

describe("watching", () => {
  /** What a watch tells until it has told so much. */
  async function told(
    count: number,
    options: Omit<WatchOptions, "signal">,
    act?: () => Promise<void>,
  ) {
    const end = new AbortController();
    const seen: unknown[] = [];
    const watch = (async () => {
      for await (const event of world.cluster.watch(maps, { ...options, signal: end.signal })) {
        seen.push(briefly(event));
        if (seen.length === count) end.abort();
      }
    })();
    await act?.();
    await watch;
    return seen;
  }

  function briefly(event: WatchEvent): unknown {
    return event.type === "BOOKMARK" ? event : [event.type, event.object.metadata.name];
  }

  const label = (name: string, l: string | null): Promise<unknown> =>
    world.cluster.patch(refOf(maps, name), { metadata: { labels: { l } } }, { type: "merge" });

  test("first comes what exists, then every change while nobody asks", async () => {
    await world.cluster.create(aMap("a"));
    const end = new AbortController();
    const watch = world.cluster.watch(maps, { signal: end.signal })[Symbol.asyncIterator]();
    expect(briefly((await watch.next()).value as WatchEvent)).toEqual(["ADDED", "a"]);
    await world.cluster.create(aMap("b"));
    await world.cluster.delete(refOf(maps, "b"), {});
    expect(briefly((await watch.next()).value as WatchEvent)).toEqual(["ADDED", "b"]);
    const gone = (await watch.next()).value as WatchEvent;
    expect(gone).toMatchObject({
      type: "DELETED",
      object: { metadata: { name: "b", resourceVersion: "5" } },
    });
    end.abort();
    expect((await watch.next()).done).toBe(true);
  });

  test("an object that comes to be selected is added, one that ceases to be is deleted", async () => {
    await world.cluster.create(aMap("a", {}, { labels: { l: "1" } }));
    const { resourceVersion = "" } = (await world.cluster.create(aMap("b"))).metadata;
    const events = await told(4, { labelSelector: "l=1", resourceVersion }, async () => {
      await label("a", "2");
      await label("b", "1");
      await world.cluster.patch(refOf(maps, "b"), { data: { a: "1" } }, { type: "merge" });
      await world.cluster.delete(refOf(maps, "b"), {});
    });
    expect(events).toEqual([
      ["DELETED", "a"],
      ["ADDED", "b"],
      ["MODIFIED", "b"],
      ["DELETED", "b"],
    ]);
  });

  test("a version from before the load is gone", async () => {
    const old = told(1, { resourceVersion: "1" });
    await expect(old).rejects.toMatchObject({
      status: 410,
      reason: "Expired",
      message: "too old resource version: 1 (2)",
    });
  });

  test.each([
    {
      name: "a kind that is not served",
      kind: { ...maps, plural: "none" },
      options: {},
      message: "the server could not find the requested resource",
    },
    {
      name: "an unknown group",
      kind: { ...maps, group: "no.io" },
      options: {},
      message: "answered 404 to watch configmaps: 404 page not found",
    },
    {
      name: "a version that is none",
      kind: maps,
      options: { resourceVersion: "x" },
      message: 'resourceVersion: Invalid value: "x"',
    },
  ])("$name is refused", async ({ kind, options, message }) => {
    const { signal } = new AbortController();
    const watch = world.cluster.watch(kind, { ...options, signal })[Symbol.asyncIterator]();
    await expect(watch.next()).rejects.toThrow(message);
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
