/** The records of runs as files under $ENGINE_HOME: made when first needed, for its owner alone. */
import { createHash } from "node:crypto";
import { closeSync, constants, fsync, openSync, writeFileSync } from "node:fs";
import { access, lstat, mkdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { EngineError, exitCodes, UsageError } from "../domain/base/errors";
import { type KubeObject, lastApplied } from "../domain/kube/objects";
import { asString, getOwn, type Json, omit } from "../domain/base/values";
import { findUserHome, kubeFolder } from "./user-home";

const ownerOnly = 0o700;
const synced = promisify(fsync);

/** What the API server sets: with these a file could not be created or applied again. */
const serverMetadata = [
  "managedFields",
  "resourceVersion",
  "uid",
  "creationTimestamp",
  "generation",
  "selfLink",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

/** The record could not be continued in the middle of a run. */
export class RecordError extends EngineError {
  readonly code = "RECORD";
  readonly exitCode = exitCodes.failed;
}

/** What a home needs beside its path. */
interface HomeParts {
  readonly clock: { now(): number };
  /** Told what a person ought to know of a folder that was there before. */
  readonly warn: (text: string) => void;
}

const alone: HomeParts = { clock: { now: Date.now }, warn: () => undefined };

/** The home that the environment names; touches no disk yet. */
export function openHome(env: NodeJS.ProcessEnv, parts: Partial<HomeParts> = {}): FileHome {
  const given = env["ENGINE_HOME"];
  const path =
    given === undefined || given === ""
      ? join(findUserHome(env) ?? homedir(), kubeFolder, "engine")
      : resolve(given);
  return new FileHome(path, { ...alone, ...parts });
}

/** Stands behind the port Home of ports/home. */
class FileHome {
  constructor(
    readonly path: string,
    private readonly parts: HomeParts,
  ) {}

  async writable(): Promise<string | undefined> {
    try {
      await this.#look();
      const place = await nearest(this.path);
      await access(place, constants.W_OK | constants.X_OK);
      return undefined;
    } catch (error) {
      return this.#problem(error);
    }
  }

  async begin(runId: string): Promise<FileRecord> {
    const folder = join(this.path, "runs", runId);
    try {
      const open = await this.#look();
      await mkdir(folder, { recursive: true, mode: ownerOnly });
      // one that was there before is someone's choice: it is told, not changed
      if (open !== undefined) this.parts.warn(open);
      const record = new FileRecord(runId, folder, this.parts.clock);
      await record.outcome({ event: "begin" });
      return record;
    } catch (error) {
      throw new UsageError(this.#problem(error), {
        cause: error,
        hint: "set ENGINE_HOME to a folder that you can write to",
      });
    }
  }

  /** What is to be said of the folders that exist; throws for links, behind which others may be. */
  async #look(): Promise<string | undefined> {
    for (const path of [join(this.path, "runs"), this.path]) {
      const found = await lstat(path).catch(() => undefined);
      if (found?.isSymbolicLink()) throw Object.assign(new Error(), { code: `${path} is a link` });
      if (path !== this.path || found === undefined || (found.mode & 0o077) === 0) continue;
      const mode = (found.mode & 0o777).toString(8);
      return `other users can look into ${path} (mode ${mode}): chmod 700 ${path}`;
    }
    return undefined;
  }

  #problem(error: unknown): string {
    return `cannot keep a record of the run in ${this.path} (${readCode(error)})`;
  }
}

/** Stands behind the port RunRecord of ports/home. */
class FileRecord {
  readonly #lines: string[] = [];
  readonly #made = new Map<string, Promise<unknown>>();
  #busy: Promise<unknown> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(
    readonly id: string,
    readonly folder: string,
    private readonly clock: { now(): number },
  ) {}

  intent(line: Json): Promise<void> {
    return this.#append("intent", line);
  }

  outcome(line: Json): Promise<void> {
    return this.#append("outcome", line);
  }

  async save(object: KubeObject, part = ""): Promise<string> {
    const folder = join(this.folder, part);
    if (part !== "") await this.#madeFor(folder);
    const content = `${JSON.stringify(restorable(object), undefined, 2)}\n`;
    for (let copy = 1; ; copy += 1) {
      const file = join(folder, nameFile(object, copy));
      if (await this.#written(file, { flag: "wx", content })) return file;
    }
  }

  /** Once for all objects of a part. */
  async #madeFor(folder: string): Promise<void> {
    const made =
      this.#made.get(folder) ??
      mkdir(folder, { recursive: true, mode: ownerOnly }).catch((error: unknown) => {
        throw this.#failure(folder, error);
      });
    this.#made.set(folder, made);
    await made;
  }

  async #append(type: "intent" | "outcome", line: Json): Promise<void> {
    const at = new Date(this.clock.now()).toISOString();
    this.#lines.push(`${JSON.stringify({ at, type, ...line })}\n`);
    // lines that come while the disk is busy go together: a thousand writes are under way at once
    this.#next ??= this.#busy.then(async () => {
      const content = this.#lines.splice(0).join("");
      this.#next = undefined;
      await this.#written(join(this.folder, "log.jsonl"), { flag: "a", content });
    });
    const written = this.#next;
    this.#busy = written.catch(() => undefined);
    await written;
  }

  /** False when the file must be new and is not. */
  async #written(path: string, { flag, content }: { flag: "a" | "wx"; content: string }) {
    try {
      const file = openSync(path, flag, 0o600);
      try {
        writeFileSync(file, content);
        // this alone takes long; what is done on another thread costs more than the rest itself
        await synced(file);
      } finally {
        closeSync(file);
      }
      return true;
    } catch (error) {
      if (flag === "wx" && readCode(error) === "EEXIST") return false;
      throw this.#failure(path, error);
    }
  }

  #failure(path: string, cause: unknown): RecordError {
    return new RecordError(`the record of run ${this.id} could not be written to ${path}`, {
      cause,
      hint: "free disk space, or set ENGINE_HOME to another folder, then run again",
    });
  }
}

/** The object without what the API server sets; of a Secret, without its data in any place. */
function restorable(object: KubeObject): Json {
  const { annotations } = object.metadata;
  const metadata: KubeObject["metadata"] = omit(object.metadata, ...serverMetadata);
  if (object.kind !== "Secret") return { ...omit(object, "status"), metadata };
  // kubectl's own copy of a Secret, data included, sits in this annotation
  const kept = annotations && { annotations: omit(annotations, lastApplied) };
  return { ...omit(object, "status", "data", "stringData"), metadata: { ...metadata, ...kept } };
}

/** Most file systems take 255 bytes; the copy's number and the ending come behind. */
const longestName = 240;

/**
 * Names may hold what a file name may not (`system:node`), and be longer than one: the end of such
 * a name gives way to a digest of the whole. A second save gets a number.
 */
function nameFile({ kind, metadata }: KubeObject, copy: number): string {
  const parts = [kind.toLowerCase(), metadata.namespace, metadata.name];
  const whole = parts.filter((part) => part !== undefined).join("_");
  const name = whole.replace(/[^A-Za-z0-9._-]/g, "-");
  const digest = createHash("sha256").update(whole).digest("hex").slice(0, 16);
  const short = name.length > longestName ? `${name.slice(0, longestName - 17)}-${digest}` : name;
  return `${short}${copy > 1 ? `_${copy}` : ""}.json`;
}

/** The path, or its nearest parent that exists; throws what is in the way. */
async function nearest(path: string): Promise<string> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return path;
  } catch (error) {
    if (readCode(error) !== "ENOENT") throw error;
    return nearest(dirname(path));
  }
  throw Object.assign(new Error(`${path} is not a folder`), { code: "ENOTDIR" });
}

function readCode(error: unknown): string {
  const cause = error instanceof RecordError ? error.cause : error;
  return asString(getOwn(cause, "code")) ?? String(cause);
}
