import { Store } from "../../../../plugin/rehearsal/memory/store";
import { aMap, maps } from "./world";

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
