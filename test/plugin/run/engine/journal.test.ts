import { type Home, journalOf, type RunRecord } from "../../../../plugin/run/engine/journal";

/** A home that tells what was done in it. */
function aHome() {
  const done: unknown[] = [];
  const record: RunRecord = {
    id: "run-1",
    intent: (line) => Promise.resolve(void done.push(["intent", line])),
    outcome: (line) => Promise.resolve(void done.push(["outcome", line])),
    save: ({ metadata }) => {
      done.push(["save", metadata.name]);
      return Promise.resolve("saved/file");
    },
  };
  const home: Home = {
    path: "/home",
    writable: () => Promise.resolve("full"),
    begin: (runId) => {
      done.push(["begin", runId]);
      return Promise.resolve(record);
    },
  };
  return { home, done };
}

test("a journal that nothing is written to leaves the home alone", async () => {
  const { home, done } = aHome();

  expect(await journalOf(home, "run-1").problem()).toBe("full");
  expect(done).toEqual([]);
});

test("a journal begins its record once, with the first line", async () => {
  const { home, done } = aHome();
  const journal = journalOf(home, "run-1");

  await journal.intent({ a: 1 });
  await journal.outcome({ b: 2 });
  const file = await journal.save({ apiVersion: "v1", kind: "Role", metadata: { name: "r" } });

  expect(file).toBe("saved/file");
  expect(done).toEqual([
    ["begin", "run-1"],
    ["intent", { a: 1 }],
    ["outcome", { b: 2 }],
    ["save", "r"],
  ]);
});
