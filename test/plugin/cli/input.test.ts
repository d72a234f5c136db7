import { getEventListeners } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { InterruptedError } from "../../../plugin/cmdutil/context";
import { UsageError } from "../../../plugin/domain/base/errors";
import { systemClock } from "../../../plugin/adapters/clock";
import { askOnTerminal, readInput } from "../../../plugin/cli/input";
import { stdinOf } from "../../support/program-world";
import { aFolder } from "../../support/a-folder";

const calm = new AbortController().signal;
const folder = aFolder("engine-input");

test("a file gives its text", async () => {
  writeFileSync(join(folder, "a.yaml"), "kind: X\n");
  expect(await readInput(join(folder, "a.yaml"), stdinOf(""), calm)).toBe("kind: X\n");
});

describe("a byte order mark says how a text is written", () => {
  const text = "kind: X # é€𐍈\n";
  const wide = Buffer.from(`\uFEFF${text}`, "utf16le");
  const rows: [string, Buffer][] = [
    ["UTF-8", Buffer.from(`\uFEFF${text}`)],
    ["UTF-16LE", wide],
    ["UTF-16BE", Buffer.from(wide).swap16()],
  ];

  test.each(rows)("%s, in a file and on stdin", async (name, bytes) => {
    const file = join(folder, `${name}.yaml`);
    writeFileSync(file, bytes);
    expect(await readInput(file, stdinOf(""), calm)).toBe(text);
    const stdin = new PassThrough();
    stdin.end(bytes);
    expect(await readInput("-", stdin, calm)).toBe(text);
  });
});

test("- gives stdin's", async () => {
  expect(await readInput("-", stdinOf("a\né"), calm)).toBe("a\né");
});

test.each([
  ["an absent file", join(folder, "none"), "no such file"],
  ["a folder", folder, "is a folder, not a file"],
  ["a path through a file", join(__filename, "x"), "part of the path is not a folder"],
  ["an empty stdin", "-", "stdin: is empty or closed"],
])("%s is wrong usage", async (_, path, message) => {
  const read = readInput(path, stdinOf(""), calm);
  await expect(read).rejects.toThrow(UsageError);
  await expect(read).rejects.toThrow(message);
});

test("a stdin that fails is wrong usage", async () => {
  const stdin = new PassThrough();
  stdin.destroy(Object.assign(new Error("closed"), { code: "EACCES" }));
  await expect(readInput("-", stdin, calm)).rejects.toThrow("permission denied: stdin");
});

test("more than 16 MiB is refused", async () => {
  const stdin = new PassThrough();
  const read = readInput("-", stdin, calm);
  stdin.end(Buffer.alloc(17 * 1024 * 1024, 32));
  await expect(read).rejects.toThrow("16 MiB");
});

test("a signal ends a read that nobody feeds", async () => {
  const controller = new AbortController();
  const reason = new InterruptedError("SIGTERM");
  const stdin = new Readable({
    read: () => {
      controller.abort(reason);
    },
  });
  await expect(readInput("-", stdin, controller.signal)).rejects.toBe(reason);
});

test("a signal that is aborted already reads nothing", async () => {
  const reason = new InterruptedError("SIGTERM");
  const read = readInput("-", new PassThrough(), AbortSignal.abort(reason));
  await expect(read).rejects.toBe(reason);
});

test("no read and no question leaves a listener on the signal of the run", async () => {
  const { signal } = new AbortController();
  await readInput("-", stdinOf("a"), signal);
  await expect(readInput(join(folder, "none"), stdinOf(""), signal)).rejects.toThrow(UsageError);
  const desk = { in: stdinOf("y\n"), err: new PassThrough(), signal };
  expect(await askOnTerminal("Delete it?", desk)).toBe(true);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

describe("the clock", () => {
  test("sleeps, with a signal or without", async () => {
    const from = systemClock.now();
    await systemClock.sleep(1);
    await systemClock.sleep(1, calm);
    expect(systemClock.now()).toBeGreaterThanOrEqual(from);
  });

  test("wakes with the signal's reason", async () => {
    const controller = new AbortController();
    const sleep = systemClock.sleep(60_000, controller.signal);
    const reason = new InterruptedError("SIGINT");
    controller.abort(reason);
    await expect(sleep).rejects.toBe(reason);
    await expect(systemClock.sleep(1, controller.signal)).rejects.toBe(reason);
  });
});
