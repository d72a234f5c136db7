/** A module's archive on this machine. */
import { readFile, stat } from "node:fs/promises";
import { InputError, UsageError } from "../../domain/errors";
import type { Names } from "../../domain/names";
import { fileProblem } from "../files";
import { type ModuleManifest, manifestOf } from "./module-archive";

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
