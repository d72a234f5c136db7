/** The program that a person compares with, called as kubectl diff calls it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../domain/base/errors";
import { temporaryFolder } from "./files";

/** What the program is started with. */
interface DiffWorld {
  readonly env: NodeJS.ProcessEnv;
  readonly streams: { readonly out: NodeJS.WritableStream; readonly err: NodeJS.WritableStream };
  readonly signal: AbortSignal;
}

/** Shows the files by the program, in two folders that exist for so long; UsageError where it fails. */
export async function externalDiff(
  line: string,
  files: readonly (readonly [name: string, live: string, merged: string, ...unused: unknown[]])[],
  world: DiffWorld,
): Promise<void> {
  const { path, remove } = temporaryFolder();
  try {
    const folders = ["LIVE-", "MERGED-"].map((prefix) => mkdtempSync(join(path, prefix)));
    for (const [name, live, merged] of files) {
      [live, merged].forEach((text, side) => {
        writeFileSync(join(folders[side] ?? "", name), text, { mode: 0o600 });
      });
    }
    await compare(line.split(" "), folders, world);
  } finally {
    remove();
  }
}

/** Of the words only letters, digits, - and = make an argument: kubectl drops the others too. */
async function compare(
  [program = "", ...words]: readonly string[],
  folders: readonly string[],
  { env, streams: { out, err }, signal }: DiffWorld,
): Promise<void> {
  const args = [...folders, ...words.filter((word) => /^[a-zA-Z0-9=-]+$/.test(word))];
  const stdio = ["ignore" as const, chooseTarget(out), chooseTarget(err)];
  signal.throwIfAborted();
  const child = spawn(program, args, { env, stdio });
  const ended = awaitEnd(child, signal);
  child.stdout?.pipe(out, { end: false });
  child.stderr?.pipe(err, { end: false });
  const problem = await ended.then(
    (code) => (code === 0 || code === 1 ? undefined : `ended with ${code ?? "a signal"}`),
    () => "cannot be run",
  );
  signal.throwIfAborted();
  if (problem === undefined) return;
  throw new UsageError(`KUBECTL_EXTERNAL_DIFF: ${program} ${problem}`, {
    hint: "name a program that ends with 0 or 1, as diff does, or unset the variable",
  });
}

/** Its exit code, null after a signal. An abort asks it to end, since its folders go with the run; then it is killed. */
async function awaitEnd(child: ChildProcess, signal: AbortSignal): Promise<number | null> {
  let patience: NodeJS.Timeout | undefined;
  const ask = (): void => {
    child.kill("SIGTERM");
    patience = setTimeout(() => child.kill("SIGKILL"), patienceMs);
  };
  signal.addEventListener("abort", ask);
  try {
    const [code] = (await once(child, "close")) as [number | null];
    return code;
  } finally {
    signal.removeEventListener("abort", ask);
    clearTimeout(patience);
  }
}

/** What it gets to put a terminal in order. */
const patienceMs = 2_000;

/** A stream of the process itself is handed over: the program then sees the terminal. */
function chooseTarget(stream: NodeJS.WritableStream): number | "pipe" {
  return "fd" in stream && typeof stream.fd === "number" ? stream.fd : "pipe";
}
