/** What comes in from the person: files, stdin and answers. */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { unlessAborted } from "../adapters/abort";
import { decodeText } from "../adapters/kubernetes/text/encoding";
import { fileProblem } from "../adapters/files";
import { InputError, UsageError } from "../domain/base/errors";
import { fitText, readWidth } from "../domain/base/fit";

/** MiB; an input of more is no manifest: refused before memory runs out, since a device has no end. */
const manifestLimit = 16;
/** MiB; a string of JavaScript cannot be much longer. */
const dumpLimit = 480;

/** The text of a file, or of the stream for "-"; ends with the signal's reason when aborted. */
export async function readInput(
  path: string,
  stdin: NodeJS.ReadableStream,
  signal: AbortSignal,
): Promise<string> {
  try {
    if (path === "-") return await readStdin(stdin, signal, manifestLimit);
    const bytes = await readAll(createReadStream(path), signal, { name: path, mib: manifestLimit });
    return decodeText(bytes);
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof UsageError) throw cause;
    throw new InputError(fileProblem(path === "-" ? "stdin" : path, cause));
  }
}

/** A whole cluster from stdin, which may be long. */
export function readDump(stdin: NodeJS.ReadableStream, signal: AbortSignal): Promise<string> {
  return readStdin(stdin, signal, dumpLimit);
}

async function readStdin(
  stdin: NodeJS.ReadableStream,
  signal: AbortSignal,
  mib: number,
): Promise<string> {
  const bytes = await readAll(stdin, signal, { name: "stdin", mib });
  if (bytes.length === 0) throw new InputError("stdin: is empty or closed");
  return decodeText(bytes);
}

async function readAll(
  input: NodeJS.ReadableStream,
  signal: AbortSignal,
  { name, mib }: { readonly name: string; readonly mib: number },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of abortable(input, signal)) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > mib * 2 ** 20) throw new InputError(`${name}: more than ${mib} MiB`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** The stream's chunks; an abort ends a read that nobody feeds. */
async function* abortable(
  stdin: NodeJS.ReadableStream,
  signal: AbortSignal,
): AsyncGenerator<string | Buffer> {
  const chunks = stdin[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await unlessAborted(chunks.next(), signal);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // a read that is still waiting would keep the process alive
    if (stdin instanceof Readable) stdin.destroy();
  }
}

/** Where a question is asked. */
interface Desk {
  readonly in: NodeJS.ReadableStream;
  readonly err: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

/** Asks on the terminal; anything but y or yes, and the end of input, is a no. */
export async function askOnTerminal(question: string, desk: Desk): Promise<boolean> {
  return /^\s*y(es)?\s*$/i.test(await readTerminal(`${question} [y/N]`, desk));
}

/** A line that is typed on the terminal; nothing at the end of input. */
export async function readTerminal(question: string, desk: Desk): Promise<string> {
  // without "terminal" readline leaves Ctrl-C to the process, where it is SIGINT as ever
  const lines = createInterface({ input: desk.in, terminal: false });
  desk.err.write(`${fitText(question, readWidth(desk.err))} `);
  const line = new Promise<string>((resolve) => {
    lines.once("line", resolve);
    lines.once("close", () => {
      resolve("");
    });
  });
  try {
    return await unlessAborted(line, desk.signal);
  } finally {
    lines.close();
  }
}
