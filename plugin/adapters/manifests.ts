/** Manifests in files and folders, as kubectl finds them, each with its place. */
import type { Stats } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { InputError } from "../domain/base/errors";
import type { Finding } from "../domain/base/findings";
import { ruleFinding } from "../domain/rules/findings";
import { type Document, splitDocuments, openItems, placesIn } from "./kubernetes/text/documents";
import { decodeText } from "./kubernetes/text/encoding";
import { fileProblem } from "./files";
import { findChart, mapAsKeyIn, templateMark } from "./templates";
import { asString, getOwn } from "../domain/base/values";

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

/** A file that has to be rendered before anybody can read it, and its first mark. */
export interface Template {
  readonly location: Location;
  /** It was named by itself, or comes from stdin. */
  readonly isMeant: boolean;
  /** The folder of its Helm chart. */
  readonly chart: string | undefined;
}

/** What was read, and everything that could not be. */
export interface Manifests {
  readonly manifests: readonly Manifest[];
  readonly problems: readonly Finding[];
  readonly templates: readonly Template[];
  /** The files of which everything was read. */
  readonly files: readonly string[];
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
  const notes: Notes = {
    problem: (cause, fix) => problems.push(unreadable(cause, { ...(fix && { fix }) })),
    warning: (text) => warnings.push(text),
  };
  const manifests: Manifest[] = [];
  const templates: Template[] = [];
  const files: string[] = [];
  for (const listed of await listFiles(paths, notes, recursive)) {
    const text = await readInput(listed.file).catch((error: unknown) => {
      if (!(error instanceof InputError)) throw error;
      problems.push(unreadable(error.message));
      return undefined;
    });
    if (text === undefined) continue;
    const read = readFile(text, listed);
    if ("template" in read) {
      const chart = listed.file === "-" ? undefined : await findChart(listed.file);
      const isMeant = listed.isNamed || listed.file === "-";
      templates.push({ location: read.template, isMeant, chart });
    } else {
      manifests.push(...read.manifests);
      problems.push(...read.problems);
      if (read.problems.length === 0) files.push(listed.file);
    }
  }
  return { manifests, problems, templates, files, warnings };
}

function unreadable(cause: string, more: Partial<Finding> = {}): Finding {
  return ruleFinding("unreadable", { cause, ...more });
}

/** The objects of a file and what stands against reading others, or where it is a template. */
function readFile(
  text: string,
  { file, isNamed }: Listed,
): Pick<Manifests, "manifests" | "problems"> | { readonly template: Location } {
  const name = nameFile(file);
  const [manifests, problems]: [Manifest[], Finding[]] = [[], []];
  let [isEmpty, isRead] = [true, true];
  const hasMapAsKey = mapAsKeyIn(text);
  for (const document of splitDocuments(text, "refused")) {
    isEmpty = false;
    if ("value" in document) {
      isRead &&= !hasMapAsKey(document.value);
      if (!isNamed || hasKind(document)) manifests.push(...readObjects(document, name));
      else problems.push(kindless(document, name));
    } else {
      isRead = false;
      problems.push(...collectProblems(document, name));
    }
  }
  const mark = isRead ? undefined : templateMark(text);
  if (mark !== undefined) return { template: { file: name, ...mark } };
  if (isEmpty && isNamed) problems.push(unreadable(`the file is empty: ${file}`));
  return { manifests, problems };
}

const nameFile = (file: string): string => (file === "-" ? "stdin" : file);

type ReadDocument = Extract<Document, { readonly value: unknown }>;

function hasKind({ value }: ReadDocument): boolean {
  return asString(getOwn(value, "kind")) !== undefined;
}

function kindless({ number, source }: ReadDocument, file: string): Finding {
  const location = { file, ...placesIn(source)([]) };
  return unreadable(`document ${number}: it has no kind, so it is no manifest`, { location });
}

function collectProblems(
  { number, problems }: Extract<Document, { readonly problems: unknown }>,
  file: string,
): readonly Finding[] {
  return problems.map(({ what, at }) => {
    const where = at === undefined ? `document ${number}: ` : "";
    return unreadable(`${where}${what}`, {
      location: { file, ...(at ?? { line: 1, column: 1 }) },
    });
  });
}

function readObjects({ value: whole, source }: ReadDocument, file: string): readonly Manifest[] {
  const place = placesIn(source);
  return [...openItems({ value: whole, path: [] })].map(({ value, path }) => ({
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
async function listFiles(
  paths: readonly string[],
  notes: Notes,
  recursive: boolean,
): Promise<readonly Listed[]> {
  const files = await Promise.all(
    paths.map(async (path) => {
      const isFolder = path !== "-" && (await stat(path).catch(() => undefined))?.isDirectory();
      if (isFolder !== true) return [{ file: path, isNamed: path !== "-" }];
      const found = await filesBelow(path, notes, { recursive, isNamed: mayBeManifest });
      if (found.length === 0)
        notes.problem(`it holds no manifests: ${path}`, noManifests(recursive));
      return found.map((file) => ({ file, isNamed: false }));
    }),
  );
  const named = new Set(files.flat().flatMap(({ file, isNamed }) => (isNamed ? [file] : [])));
  const all = new Set(files.flat().map(({ file }) => file));
  return [...all].map((file) => ({ file, isNamed: named.has(file) }));
}

function noManifests(recursive: boolean): string {
  const more = recursive ? "" : ", or give -R to read the folders within it too";
  return `give a folder with files that end in .yaml, .yml or .json${more}`;
}

/** What reading tells besides what was read. */
export interface Notes {
  readonly problem: (text: string, fix?: string) => void;
  readonly warning: (text: string) => void;
}

const manifestName = /\.(ya?ml|json)$/i;

/** Kustomize takes one file without an ending. */
const mayBeManifest = (path: string): boolean =>
  manifestName.test(path) || basename(path) === "Kustomization";

/** The manifest files below a folder, sorted; a folder that is linked into itself is read once. */
export async function filesBelow(
  folder: string,
  notes: Notes,
  { recursive = true, isNamed = (path) => manifestName.test(path) }: Partial<WalkOptions> = {},
): Promise<readonly string[]> {
  return below(folder, { notes, recursive, isNamed, seen: new Set() });
}

interface WalkOptions {
  /** Folders within folders too. */
  readonly recursive: boolean;
  /** Whether a file is a manifest by its name. */
  readonly isNamed: (path: string) => boolean;
}

interface Walk extends WalkOptions {
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
    } else if (found !== undefined && (await isManifest(path, found, walk))) files.push(path);
  }
  return files;
}

async function isManifest(path: string, found: Stats, { isNamed, notes }: Walk): Promise<boolean> {
  if (!found.isFile()) return false;
  if (isNamed(path)) return true;
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
    const lines = decodeText(buffer.subarray(0, bytesRead)).split("\n");
    // scripts and pages that have a manifest in them begin otherwise
    const first = lines.find((line) => !/^\s*(?:#|---|\{\{|$)/.test(line));
    return first !== undefined && /^\s*\{?\s*"?(?:apiVersion|kind|metadata)"?\s*:/.test(first);
  } catch {
    return false;
  }
}
