import { ClustersUnreadable } from "../../webhook/clusters/clusters";
import { LiveReads } from "../../webhook/clusters/live-reads";

/** Reads that end when they are told to. */
class Source {
  readonly started: string[] = [];
  private readonly signals: AbortSignal[] = [];
  private readonly open: { resolve: (value: string) => void; reject: (error: Error) => void }[] =
    [];

  /** Whether each was taken back. */
  get ended(): readonly boolean[] {
    return this.signals.map(({ aborted }) => aborted);
  }

  read = (name: string) => (signal: AbortSignal) => {
    this.started.push(name);
    this.signals.push(signal);
    return new Promise<string>((resolve, reject) => this.open.push({ resolve, reject }));
  };

  end(n: number, value: string | Error): void {
    const flight = this.open[n];
    if (value instanceof Error) flight?.reject(value);
    else flight?.resolve(value);
  }
}

const never = new AbortController().signal;
/** Everything that can continue without an answer has gone on. */
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

describe("a request that gets no answer", () => {
  const impatient = { patienceMs: 1 };
  const sent = async (source: Source, count: number) => {
    while (source.started.length < count) await new Promise(setImmediate);
  };

  test("is sent again beside the first, and the newer answer is everybody's", async () => {
    const source = new Source();
    const reads = new LiveReads(impatient);
    const first = reads.read("get a", source.read("1"), never);
    await sent(source, 3);
    const late = reads.read("get a", source.read("2"), never);
    await sent(source, source.started.length + 2);
    source.end(source.started.length - 1, "new");
    expect(await Promise.all([first, late])).toEqual(["new", "new"]);
    expect(source.ended).toEqual(source.started.map((_, at) => at !== source.started.length - 1));
  });

  test("stays, for an API server that is only slow", async () => {
    const source = new Source();
    const reads = new LiveReads(impatient);
    const first = reads.read("get a", source.read("1"), never);
    await sent(source, 4);
    expect(source.ended.slice(0, 3)).toEqual([false, true, true]);
    source.end(0, "slow");
    expect(await first).toBe("slow");
  });

  test("and fails at last fails nobody who waits for a later one", async () => {
    const source = new Source();
    const reads = new LiveReads({ patienceMs: 1 });
    const first = reads.read("get a", source.read("1"), never);
    await sent(source, 2);
    source.end(0, new Error("gone"));
    await sent(source, 3);
    source.end(source.started.length - 1, "new");
    expect(await first).toBe("new");
  });

  test("is not sent again when all that were sent have failed", async () => {
    const source = new Source();
    const reads = new LiveReads(impatient);
    const first = reads.read("get a", source.read("1"), never);
    await sent(source, 2);
    for (let at = 0; at < source.started.length; at += 1) source.end(at, new Error("gone"));
    const { length } = source.started;
    await expect(first).rejects.toThrow("gone");
    await still();
    expect(source.started).toHaveLength(length);
  });

  test("is sent no more when nobody waits for it", async () => {
    const source = new Source();
    const reads = new LiveReads(impatient);
    const late = new AbortController();
    const first = reads.read("get a", source.read("1"), late.signal);
    await sent(source, 2);
    late.abort(new Error("late"));
    await expect(first).rejects.toThrow(ClustersUnreadable);
    await still();
    expect(source.ended.every(Boolean)).toBe(true);
    const { length } = source.started;
    const next = reads.read("get a", source.read("2"), never);
    await sent(source, length + 1);
    expect(source.started[length]).toBe("2");
    source.end(length, "new");
    expect(await next).toBe("new");
  });
});
