/** A module that is uploaded: a form with a zip that has a manifest (S54, S95; domain facts 7, 9). */
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { Busboy } from "@fastify/busboy";
import { strFromU8, unzipSync } from "fflate";
import type { Names } from "../../domain/names/names";
import { isObject, asArray, getOwn, asString } from "../../domain/base/values";
import { compareDotted, parseEngineVersion } from "../../domain/base/versions";
import {
  ApiRefusal,
  type ClusterStore,
  knownCapabilities,
  refuseMalformed,
  type StoredModule,
} from "./state";

const longestManifest = 1024 * 1024;

/** The one file of the form, under the name of the specification. */
export async function readUpload(
  request: IncomingMessage,
  names: Names,
  limit: number,
): Promise<Buffer> {
  const { noModule, invalidModule } = names.restErrors;
  const field = names.restModuleFields.file;
  if (!/^multipart\/form-data\b/i.test(request.headers["content-type"] ?? "")) {
    request.resume();
    throw refuseMalformed([`the body is not a form with a file field ${field}`], noModule);
  }
  const { files, others, tooLarge } = await readForm(request, limit);
  if (tooLarge) throw new ApiRefusal(413, "too_large", `the file is larger than ${limit} bytes`);
  const file = files.get(field);
  if (file === undefined) throw refuseMalformed([`the form has no file field ${field}`], noModule);
  const strange = [...others, ...[...files.keys()].filter((name) => name !== field)];
  if (strange.length === 0) return file;
  const problem = `the form has more than the file ${field}: ${strange.join(", ")}`;
  throw refuseMalformed([problem], invalidModule);
}

/** The files of a form, and the names of the parts that are none. */
async function readForm(request: IncomingMessage, limit: number) {
  const files = new Map<string, Buffer>();
  const others: string[] = [];
  let tooLarge = false;
  try {
    const type = request.headers["content-type"] ?? "";
    const parser = new Busboy({
      headers: { ...request.headers, "content-type": type },
      limits: { fileSize: limit, files: 4, fields: 16, parts: 20 },
    });
    await new Promise<void>((resolve, reject) => {
      parser.on("file", (name: string, stream: Readable) => {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("limit", () => (tooLarge = true));
        stream.on("end", () => files.set(name, Buffer.concat(chunks)));
        stream.on("error", reject);
      });
      parser.on("field", (name: string) => others.push(name));
      parser.on("error", reject);
      parser.on("finish", resolve);
      request.on("aborted", () => {
        reject(new Error("the client went away"));
      });
      request.pipe(parser);
    });
  } catch {
    request.unpipe();
    request.resume();
    throw refuseMalformed(["the form is broken"]);
  }
  return { files, others, tooLarge };
}

/** What a manifest says; what the cluster gives a module is not in it. */
export interface Manifest extends Omit<StoredModule, "uid" | "isBundled"> {
  /** The oldest release of the cluster that it runs on. */
  readonly minPackVersion?: string;
}

/** The manifest of an archive; 400 when it is none. */
export function readArchive(bytes: Uint8Array, names: Names): Manifest {
  const { invalidModule } = names.restErrors;
  const manifestFile = names.restModuleFields.manifest;
  let manifest: unknown;
  try {
    const found = unzipSync(bytes, {
      filter: ({ name, originalSize }) => name === manifestFile && originalSize <= longestManifest,
    });
    const file = found[manifestFile];
    manifest = file && (JSON.parse(strFromU8(file)) as unknown);
  } catch {
    throw refuseMalformed(
      [`the file is not a zip archive with a readable ${manifestFile}`],
      invalidModule,
    );
  }
  if (manifest === undefined)
    throw refuseMalformed([`the archive holds no ${manifestFile}`], invalidModule);
  return readManifest(manifest, names);
}

const isText = (one: unknown) => asString(one) !== undefined;
const isDotted = (one: unknown) =>
  typeof one === "string" && /^\d{1,9}(\.\d{1,9}){1,3}(-\d{1,9})?$/.test(one);
const isEngine = (one: unknown) => parseEngineVersion(one) !== undefined;

/** What a manifest may hold; the first two have to be there. */
const manifestFields = [
  ["name", isText],
  ["version", isDotted],
  ["displayName", isText],
  ["minEngineVersion", isEngine],
  ["compatibleEngineVersion", isEngine],
  ["minPackVersion", isDotted],
  ["platforms", (one: unknown) => readPlatforms(one) !== undefined],
  ["capabilities", (one: unknown) => readWords(one) !== undefined],
] as const;

/** The manifest as it was sent, from an archive or as the body of a definition. */
export function readManifest(value: unknown, names: Names): Manifest {
  const fields = names.restModuleFields;
  const problems = isObject(value)
    ? manifestFields.flatMap(([key, fits], index) => {
        const given = getOwn(value, fields[key]);
        if (given === undefined) return index < 2 ? [`${fields[key]} is missing`] : [];
        return fits(given) ? [] : [`${fields[key]} is not usable`];
      })
    : ["it is not an object"];
  if (problems.length > 0) {
    const all = problems.map((one) => `the manifest: ${one}`);
    throw refuseMalformed(all, names.restErrors.invalidModule);
  }
  const given = Object.fromEntries(
    manifestFields.map(([key]) => [key, getOwn(value, fields[key])]),
  ) as Readonly<Record<(typeof manifestFields)[number][0], unknown>>;
  const read = {
    displayName: given.name,
    ...Object.fromEntries(Object.entries(given).filter(([, one]) => one !== undefined)),
    ...(given.platforms !== undefined && { platforms: readPlatforms(given.platforms) }),
  };
  return read as unknown as Manifest;
}

function readPlatforms(value: unknown): readonly string[] | undefined {
  return isObject(value) ? Object.keys(value) : readWords(value);
}

function readWords(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const words = asArray(value).flatMap((one) => asString(one) ?? []);
  return words.length === value.length ? words : undefined;
}

/** Refuses what this cluster cannot take; the codes are those of the field (domain facts 9). */
export function judgeManifest(manifest: Manifest, store: ClusterStore, names: Names): void {
  const { restErrors: codes } = names;
  const { name, version, platforms, capabilities = [], minPackVersion } = manifest;
  const label = `${name} ${version}`;
  if (isInstalled(manifest, store))
    throw refuseMalformed([`${label} is installed`], codes.moduleExists);
  if (minPackVersion !== undefined && compareDotted(minPackVersion, store.softwareVersion) > 0)
    throw refuseMalformed([`${label} needs release ${minPackVersion}`], codes.minimumPack);
  if (platforms !== undefined && !platforms.includes(store.platform))
    throw refuseMalformed([`${label} is not built for ${store.platform}`], codes.osNotSupported);
  const unknown = capabilities.filter((one) => !knownCapabilities.includes(one));
  if (unknown.length === 0) return;
  const message = `${label} asks for unknown capabilities: ${unknown.join(", ")}`;
  throw new ApiRefusal(406, codes.moduleCapabilities, message);
}

/** A build for another engine version is another one. */
function isInstalled(manifest: Manifest, { modules }: ClusterStore): boolean {
  return [...modules.values()].some(
    ({ name, version, compatibleEngineVersion }) =>
      name === manifest.name &&
      version === manifest.version &&
      compatibleEngineVersion === manifest.compatibleEngineVersion,
  );
}
