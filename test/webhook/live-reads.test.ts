import { ClustersUnreadable } from "../../webhook/clusters";
import { LiveReads } from "../../webhook/live-reads";

/** Reads that end when they are told to. */
class Source {
  readonly started: string[] = [];
  private readonly open: { resolve: (value: string) => void; reject: (error: Error) => void }[] =
    [];

  read = (name: string) => () => {
    this.started.push(name);
    return new Promise<string>((resolve, reject) => this.open.push({ resolve, reject }));
  };

  end(n: number, value: string | Error): void {
    const flight = this.open[n];
    if (value instanceof Error) flight?.reject(value);
    else flight?.resolve(value);
  }
}

const never = new AbortController().signal;
/** Everything that can go on without an answer has gone on. */
const still = () => new Promise((resolve) => setImmediate(resolve));

test("who asks during a read gets the answer of the next one, and all of them share it", async () => {
  const source = new Source();
  const reads = new LiveReads();
  const first = reads.read("get a", source.read("1"), never);
  await still();
  const second = reads.read("get a", source.read("2"), never);
  const third = reads.read("get a", source.read("3"), never);
  await still();
  expect(source.started).toEqual(["1"]);
  source.end(0, "old");
  expect(await first).toBe("old");
  await still();
  expect(source.started).toEqual(["1", "2"]);
  source.end(1, "new");
  expect(await Promise.all([second, third])).toEqual(["new", "new"]);
});

test("a read that fails fails its own callers alone", async () => {
  const source = new Source();
  const reads = new LiveReads();
  const first = reads.read("get a", source.read("1"), never);
  await still();
  const second = reads.read("get a", source.read("2"), never);
  source.end(0, new Error("gone"));
  await expect(first).rejects.toThrow("gone");
  await still();
  source.end(1, "new");
  expect(await second).toBe("new");
});

test("no more reads than allowed are under way, and the rest come in turn", async () => {
  const source = new Source();
  const reads = new LiveReads({ most: 2, ms: 60_000 });
  const all = ["a", "b", "c", "d"].map((name) => reads.read(name, source.read(name), never));
  await still();
  expect(source.started).toEqual(["a", "b"]);
  source.end(0, "A");
  await still();
  expect(source.started).toEqual(["a", "b", "c"]);
  source.end(1, "B");
  source.end(2, "C");
  await still();
  source.end(3, "D");
  expect(await Promise.all(all)).toEqual(["A", "B", "C", "D"]);
});

test("the caller's deadline ends the wait, not the read", async () => {
  const source = new Source();
  const reads = new LiveReads();
  const late = new AbortController();
  const impatient = reads.read("get a", source.read("1"), late.signal);
  const patient = reads.read("get a", source.read("2"), never);
  late.abort(new Error("late"));
  await expect(impatient).rejects.toThrow(ClustersUnreadable);
  await still();
  source.end(0, "still there");
  expect(await patient).toBe("still there");
  expect(source.started).toEqual(["1"]);
});

test("a deadline that has passed is not waited for", async () => {
  const reads = new LiveReads();
  const gone = AbortSignal.abort(new Error("late"));
  await expect(reads.read("get a", new Source().read("1"), gone)).rejects.toThrow(
    "no answer in time",
  );
});
