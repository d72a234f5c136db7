/** The files of a dump: which ones are read, and their bytes as text. */
import { constants } from "node:buffer";
import type { Stats } from "node:fs";
import { open, readdir, readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileProblem } from "../../adapters/files";
import { own } from "../../domain/values";

/** What reading tells besides what was read. */
export interface Notes {
  readonly problem: (text: string) => void;
  readonly warning: (text: string) => void;
}

/** What a file may weigh: Node holds no longer text in one string. */
const sizeLimit = constants.MAX_STRING_LENGTH;
const manifestName = /\.(ya?ml|json)$/i;

/** The manifest files below a folder, sorted; a folder that is linked into itself is read once. */
export async function filesBelow(folder: string, notes: Notes): Promise<readonly string[]> {
  return below(folder, { notes, seen: new Set() });
}

interface Walk {
  readonly notes: Notes;
  /** Real paths of the folders on the way: a link may lead back to one of them. */
  readonly seen: Set<string>;
}

async function below(folder: string, walk: Walk): Promise<readonly string[]> {
  const real = await realpath(folder).catch(() => folder);
  if (walk.seen.has(real)) return [];
  walk.seen.add(real);
  const entries = await readdir(folder).catch((error: unknown) => {
    walk.notes.problem(fileProblem(folder, error));
    return [];
  });
  const files: string[] = [];
  for (const entry of entries.sort().filter((name) => !name.startsWith("."))) {
    const path = join(folder, entry);
    const found = await stat(path).catch((error: unknown) => {
      walk.notes.problem(fileProblem(path, error));
      return undefined;
    });
    if (found?.isDirectory() === true) files.push(...(await below(path, walk)));
    else if (found !== undefined && (await isManifest(path, found, walk.notes))) files.push(path);
  }
  return files;
}

async function isManifest(path: string, found: Stats, notes: Notes): Promise<boolean> {
  if (!found.isFile()) return false;
  if (manifestName.test(path)) return true;
  if (/\.(ya?ml|json)\b/i.test(path) || (await beginsAsManifest(path))) {
    notes.warning(`file ${path} was not read: it ends neither in .yaml nor in .yml nor in .json`);
  }
  return false;
}

async function beginsAsManifest(path: string): Promise<boolean> {
  try {
    const file = await open(path);
    const { buffer, bytesRead } = await file
      .read(Buffer.alloc(2048), 0, 2048, 0)
      .finally(() => file.close());
    return /^\s*"?apiVersion"?\s*:/m.test(buffer.toString("latin1", 0, bytesRead));
  } catch {
    return false;
  }
}

/** The text of a file; undefined after naming the problem. */
export async function textOf(path: string, { problem }: Notes): Promise<string | undefined> {
  try {
    const { size } = await stat(path);
    if (size > sizeLimit) {
      problem(
        `file ${path} is too long (${size} bytes, the limit is ${sizeLimit}): ` +
          "split it, for example one file for each kind",
      );
      return undefined;
    }
    return decoded(await readFile(path));
  } catch (error) {
    problem(
      own(error, "code") === "ERR_ENCODING_INVALID_ENCODED_DATA"
        ? `file ${path} is no text in UTF-8: write it again with kubectl get -o yaml`
        : fileProblem(path, error),
    );
    return undefined;
  }
}

/** UTF-8, or what some shells on Windows write when output is sent to a file; throws TypeError. */
function decoded(bytes: Buffer): string {
  const wide = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(wide ? "utf-16le" : "utf-8", { fatal: true }).decode(bytes);
}
