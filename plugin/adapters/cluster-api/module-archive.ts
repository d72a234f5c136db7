/** A module's archive: a zip with a manifest (S54, S95). */
import { unzip } from "fflate";
import { parseModule } from "../../domain/api/modules";
import type { InstalledModule } from "../../domain/api/records";
import { InputError, UsageError } from "../../domain/errors";
import type { Names } from "../../domain/names";
import { isObject, type Json, parseJson } from "../../domain/values";
import { readFile, stat } from "node:fs/promises";
import { fileProblem } from "../files";

/** The manifest as it is, and read. */
export interface ModuleManifest {
  readonly manifest: Json;
  readonly module: InstalledModule;
}

const manifestLimit = 1024 * 1024;

/** The manifest of an archive, at its root or in one folder; UsageError for what is not a module. */
export async function manifestOf(
  file: { readonly name: string; readonly bytes: Uint8Array },
  names: Names,
): Promise<ModuleManifest> {
  const wanted = names.restModuleFields.manifest;
  const problem = (what: string): UsageError =>
    new UsageError(`module ${file.name}: ${what}`, {
      hint: "give the module's archive as it was published",
    });
  const found = await unzipped(file.bytes, wanted).catch((error: unknown) => {
    throw problem(
      `it is not a zip archive (${error instanceof Error ? error.message : "unreadable"})`,
    );
  });
  if (found === undefined) throw problem(`it holds no ${wanted}`);
  const manifest = parseJson(found);
  const module = parseModule(manifest, names);
  if (!isObject(manifest) || module === undefined) {
    throw problem(`its ${wanted} has no ${names.restModuleFields.name}`);
  }
  return { manifest, module };
}

/** Nothing but the manifest is unpacked, and no more of it than a manifest can be. */
function unzipped(bytes: Uint8Array, wanted: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const filter = ({ name, originalSize }: { name: string; originalSize: number }): boolean =>
      name.split("/").length <= 2 &&
      name.split("/").pop() === wanted &&
      originalSize <= manifestLimit;
    unzip(bytes, { filter }, (error, files) => {
      if (error) reject(error);
      else {
        const [first] = Object.entries(files).sort(([one], [other]) => one.length - other.length);
        resolve(first && Buffer.from(first[1]).toString("utf8"));
      }
    });
  });
}

/** The archive with what its manifest says. */
export interface ModuleFile extends ModuleManifest {
  /** As given. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Modules measure some ten MiB; what is larger was not meant. */
const mostBytes = 1024 * 1024 * 1024;

/** Reads and judges the archive before anything is asked of a cluster. */
export async function readModuleFile(name: string, names: Names): Promise<ModuleFile> {
  const bytes = await bytesOf(name).catch((error: unknown) => {
    if (error instanceof UsageError) throw error;
    throw new InputError(`module: ${fileProblem(name, error)}`);
  });
  const file = { name, bytes };
  return { ...file, ...(await manifestOf(file, names)) };
}

async function bytesOf(name: string): Promise<Uint8Array> {
  const { size } = await stat(name);
  if (size > mostBytes) throw new InputError(`module ${name}: it is larger than 1 GiB`);
  return await readFile(name);
}
