/** Manifests in files and folders, as kubectl finds them, each with its place. */
import type { Stats } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../domain/errors";
import type { Finding } from "../domain/findings";
import { ruleFinding } from "../domain/rules/codes";
import { type Document, documentsOf, opened, placesIn } from "./documents";
import { decodeText } from "./encoding";
import { fileProblem } from "./files";
import { asString, getOwn } from "../domain/values";

/** Where something was read. */
type Location = NonNullable<Finding["location"]>;

/** One object of a file, or what stands in the place of one. */
export interface Manifest {
  readonly value: unknown;
  /** The file, or stdin. */
  readonly file: string;
  /** Where a part of it stands, else what would hold that part. */
  readonly locate: (path: readonly (string | number)[]) => Location;
}

/** What was read, and everything that could not be. */
export interface Manifests {
  readonly manifests: readonly Manifest[];
  readonly problems: readonly Finding[];
  readonly warnings: readonly string[];
}

/** How files are read. */
interface ReadingManner {
  /** Folders within folders too. */
  readonly recursive: boolean;
  /** The text of a file, or of stdin for "-"; UsageError when it cannot be read. */
  readonly readInput: (path: string) => Promise<string>;
}

/** All objects of files, folders and stdin in order; lists are opened. */
export async function readManifests(
  paths: readonly string[],
  { recursive, readInput }: ReadingManner,
): Promise<Manifests> {
  const warnings: string[] = [];
  const problems: Finding[] = [];
  const unreadable = (cause: string, location?: Location): void => {
    problems.push(ruleFinding("unreadable", { cause, ...(location && { location }) }));
  };
  const notes: Notes = { problem: unreadable, warning: (text) => warnings.push(text) };
  const manifests: Manifest[] = [];
  for (const { file, isNamed } of await filesOf(paths, notes, recursive)) {
    const text = await readInput(file).catch((error: unknown) => {
      if (!(error instanceof InputError)) throw error;
      unreadable(error.message);
      return undefined;
    });
    if (text === undefined) continue;
    const name = file === "-" ? "stdin" : file;
    let isEmpty = true;
    for (const document of documentsOf(text, "refused")) {
      isEmpty = false;
      if (!("value" in document)) tell(document, name, unreadable);
      else if (isNamed && asString(getOwn(document.value, "kind")) === undefined) {
        unreadable(`document ${document.number}: it has no kind, so it is no manifest`, {
          file: name,
          ...placesIn(document.source)([]),
        });
      } else manifests.push(...objectsOf(document, name));
    }
    if (isEmpty && isNamed) unreadable(`the file is empty: ${file}`);
  }
  return { manifests, problems, warnings };
}

function tell(
  { number, problems }: Extract<Document, { readonly problems: unknown }>,
  file: string,
  unreadable: (cause: string, location: Location) => void,
): void {
  for (const { what, at } of problems) {
    const where = at === undefined ? `document ${number}: ` : "";
    unreadable(`${where}${what}`, { file, ...(at ?? { line: 1, column: 1 }) });
  }
}

function objectsOf(
  { value: whole, source }: Extract<Document, { readonly value: unknown }>,
  file: string,
): readonly Manifest[] {
  const place = placesIn(source);
  return [...opened({ value: whole, path: [] })].map(({ value, path }) => ({
    value,
    file,
    locate: (inner) => ({ file, ...place([...path, ...inner]) }),
  }));
}

/** A file to read; one that was named by itself is meant as a manifest. */
interface Listed {
  readonly file: string;
  readonly isNamed: boolean;
}

/** Each file once, those of a folder in the order of their names. */
async function filesOf(
  paths: readonly string[],
  notes: Notes,
  recursive: boolean,
): Promise<readonly Listed[]> {
  const files = await Promise.all(
    paths.map(async (path) => {
      const isFolder = path !== "-" && (await stat(path).catch(() => undefined))?.isDirectory();
      if (isFolder !== true) return [{ file: path, isNamed: path !== "-" }];
      const found = await filesBelow(path, notes, recursive);
      const more = recursive ? "" : ", -R reads the folders within it too";
      if (found.length === 0) notes.problem(`it holds no manifests${more}: ${path}`);
      return found.map((file) => ({ file, isNamed: false }));
    }),
  );
  const named = new Set(files.flat().flatMap(({ file, isNamed }) => (isNamed ? [file] : [])));
  const all = new Set(files.flat().map(({ file }) => file));
  return [...all].map((file) => ({ file, isNamed: named.has(file) }));
}

/** What reading tells besides what was read. */
export interface Notes {
  readonly problem: (text: string) => void;
  readonly warning: (text: string) => void;
}

const manifestName = /\.(ya?ml|json)$/i;

/** The manifest files below a folder, sorted; a folder that is linked into itself is read once. */
export async function filesBelow(
  folder: string,
  notes: Notes,
  recursive = true,
): Promise<readonly string[]> {
  return below(folder, { notes, recursive, seen: new Set() });
}

interface Walk {
  /** Folders within folders too. */
  readonly recursive: boolean;
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
    if (found?.isDirectory() === true) {
      if (walk.recursive) files.push(...(await below(path, walk)));
    } else if (found !== undefined && (await isManifest(path, found, walk.notes))) files.push(path);
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
    return /^\s*"?apiVersion"?\s*:/m.test(decodeText(buffer.subarray(0, bytesRead)));
  } catch {
    return false;
  }
}
