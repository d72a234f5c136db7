/** The program that a person compares with, called as kubectl diff calls it. */
import { spawn } from "node:child_process";
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
  const child = spawn(program, args, { env, signal, killSignal: "SIGINT", stdio });
  child.stdout?.pipe(out, { end: false });
  child.stderr?.pipe(err, { end: false });
  const problem = await once(child, "close").then(
    ([code]: (number | null)[]) =>
      code === 0 || code === 1 ? undefined : `ended with ${code ?? "a signal"}`,
    () => "cannot be run",
  );
  signal.throwIfAborted();
  if (problem === undefined) return;
  throw new UsageError(`KUBECTL_EXTERNAL_DIFF: ${program} ${problem}`, {
    hint: "name a program that ends with 0 or 1, as diff does, or unset the variable",
  });
}

/** A stream of the process itself is handed over: the program then sees the terminal. */
function chooseTarget(stream: NodeJS.WritableStream): number | "pipe" {
  return "fd" in stream && typeof stream.fd === "number" ? stream.fd : "pipe";
}
