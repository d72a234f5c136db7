import type { KubeObject } from "../../../../plugin/domain/objects";
import { anEaadb, anEdb, statusOf, unread } from "./scene";

const of = (...edbs: readonly KubeObject[]) => statusOf({ edbs }).databases;

test("databases are counted by what is wanted and what runs, the oldest that run first", () => {
  const channel = { ...anEdb("c"), spec: { engineVersion: "latest" } };
  const silent = { ...anEdb("d"), spec: {}, status: { status: "active" } };
  const { count, versions, verdict } = of(
    anEdb("a", "10.2"),
    anEdb("b", "8.2"),
    channel,
    silent,
    anEdb("e", "8.2"),
    { ...anEdb("f", "8.2"), status: { status: "active", version: "7.4.2" } },
  );
  expect(count).toBe(6);
  expect(versions).toEqual([
    { count: 1 },
    { wanted: "8.2", running: "7.4", count: 1 },
    { wanted: "8.2", running: "8.2", count: 2 },
    { wanted: "latest", running: "8.2", count: 1 },
    { wanted: "10.2", running: "10.2", count: 1 },
  ]);
  expect(verdict).toEqual({
    is: "moving",
    on: "1 of 6 EDB: engine/f (7.4 runs, 8.2 is requested)",
  });
});

const generation = (observedGeneration: number): KubeObject => {
  const edb = anEdb("x", "8.2", { observedGeneration });
  return { ...edb, metadata: { ...edb.metadata, generation: 2 } };
};
const leaving: KubeObject = {
  ...anEdb("x"),
  metadata: { name: "x", namespace: "engine", deletionTimestamp: "2026-08-01T10:00:00Z" },
};

test.each<[string, KubeObject, string]>([
  ["another state than active", anEdb("x", "8.2", { status: "pending" }), "pending"],
  ["no state", { ...anEdb("x"), status: {} }, "no state yet"],
  ["an edit that was not taken up", generation(1), "its last edit has not been taken up"],
  ["being deleted", leaving, "being deleted"],
])("pending: %s", (_title, database, why) => {
  const { pending, refused, verdict } = of(database);
  expect(pending).toEqual([{ name: "engine/x", why }]);
  expect(refused).toEqual([]);
  expect(verdict.is).toBe("moving");
});

test("an edit that was taken up is no cause to wait", () => {
  expect(of(generation(2)).verdict.is).toBe("fine");
});

test.each<[string, KubeObject, string]>([
  [
    "a spec that was not accepted",
    anEdb("x", "8.2", { specStatus: "Invalid" }),
    "spec status Invalid",
  ],
  ["a creation that failed", anEdb("x", "8.2", { status: "creation-failed" }), "creation-failed"],
])("refused: %s", (_title, database, why) => {
  const { refused, verdict } = of(database, anEdb("y"));
  expect(refused).toEqual([{ name: "engine/x", why }]);
  expect(verdict).toMatchObject({
    is: "stalled",
    because: `1 of 2 EDB are not as expected: engine/x (${why})`,
  });
});

test("many are named as far as they can be read", () => {
  const many = ["a", "b", "c", "d", "e"].map((name) => anEdb(name, "8.2", { status: "pending" }));
  const { verdict } = of(...many);
  expect(verdict.is === "moving" && verdict.on).toMatch(/^5 of 5 EDB: .* and 2 more$/);
});

test("an active-active database that does not replicate is not as expected", () => {
  const activeActive = (status: object) =>
    statusOf({ eaadbs: [anEaadb("carts", "8.2", { ...status })] }).activeActive;
  expect(activeActive({ replicationStatus: "down" }).refused).toEqual([
    { name: "engine/carts", why: "replication down" },
  ]);
  expect(activeActive({ replicationStatus: undefined }).verdict.is).toBe("fine");
  expect(activeActive({}).versions).toEqual([{ wanted: "8.2", count: 1 }]);
});

test("an active-active database may ask for its version in its spec (S61)", () => {
  const eaadb = { ...anEaadb("carts", "8.2"), spec: { engineVersion: "8.0" } };
  expect(statusOf({ eaadbs: [eaadb] }).activeActive.versions).toEqual([
    { wanted: "8.0", count: 1 },
  ]);
});

test("databases that may not be listed are unknown; where there is none, that is said", () => {
  expect(statusOf(...unread("edbs")).databases.verdict).toEqual({
    is: "unknown",
    because: "may not list engineenterprisedatabases",
  });
  expect(of().verdict).toEqual({ is: "absent", says: "no EDB" });
});

test("databases of namespaces that this operator does not watch are not its own", () => {
  const elsewhere: KubeObject = { ...anEdb("x"), metadata: { name: "x", namespace: "other" } };
  expect(of(elsewhere, anEdb("a")).count).toBe(1);
});

test.each<[string, readonly unknown[], string | undefined]>([
  ["by name", ["a"], "8.2"],
  ["as objects", [{ name: "a" }], "8.2"],
  ["of several versions", ["a", "b"], "7.4, 8.2"],
  ["that tell no version", ["c"], undefined],
])("an active-active database runs what its instances run: %s", (_title, linkedEdbs, running) => {
  const silent = { ...anEdb("c"), status: { status: "active" } };
  const { versions } = statusOf({
    edbs: [anEdb("a"), anEdb("b", "7.4"), silent],
    eaadbs: [anEaadb("carts", "8.2", { linkedEdbs })],
  }).activeActive;
  expect(versions[0]?.running).toBe(running);
});
