/** Installing a module: the older call, then the newer ones where it has gone (S95; domain facts 9). */
import { parseFailure, parseModule } from "../../domain/rest-api/modules";
import type { InstalledModule, InstalledUpload } from "../../domain/rest-api/records";
import { asString, getOwn, isObject, type Json, parseJson } from "../../domain/base/values";
import type { Names } from "../../domain/names/names";
import type { ClusterApi } from "../../ports/rest-api";
import { type ApiCall, type ApiClient, jsonBody } from "./client";
import type { Route } from "./route";
import { unzip } from "fflate";
import { InputError, UsageError } from "../../domain/base/errors";
import { readFile, stat } from "node:fs/promises";
import { fileProblem } from "../files";

/** The archive, and who hears of its progress. */
export type UploadFile = Parameters<ClusterApi["installModule"]>[0];
type UploadOptions = Parameters<ClusterApi["installModule"]>[1];

/** What uploads need of a connection. */
interface Uploader {
  readonly client: ApiClient;
  readonly route: Route;
  readonly names: Names;
  /** How many the cluster has, where it tells. */
  readonly nodes: () => Promise<number | undefined>;
}

/** One file, field `module`; 404 and 405 mean that the server has the newer calls alone. */
export async function uploadModule(
  uploader: Uploader,
  file: UploadFile,
  options: UploadOptions,
): Promise<InstalledUpload> {
  const { client, names } = uploader;
  const { installModule } = names.restPaths;
  const call: ApiCall = {
    method: "POST",
    path: installModule,
    body: await buildForm(file, names),
    subject: `install the module ${file.name}`,
    ...options,
  };
  const answer = await client.answer(call);
  if (answer.status === 404 || answer.status === 405) return newer(uploader, file, options);
  client.requireSuccess(answer, call);
  // what a success answers is not shown (S95): nothing at all is one, a page of a proxy is none
  if (answer.body.trim() !== "" && parseJson(answer.body) === undefined)
    throw client.nonsense(call);
  return readOutcome(answer.body, installModule, names);
}

/** First what the module is, then its file, to each node that can be reached by itself. */
async function newer(
  uploader: Uploader,
  file: UploadFile,
  options: UploadOptions,
): Promise<InstalledUpload> {
  const { route, names, nodes } = uploader;
  const { userModules, moduleArtifacts } = names.restPaths;
  const { manifest } = await readManifest(file, names);
  const defined = await unlessThere(uploader, {
    method: "POST",
    path: userModules,
    body: jsonBody(manifest),
    subject: `define the module ${file.name}`,
    signal: options.signal,
  });
  const body = await buildForm(file, names);
  const hosts = route.nodes.length === 0 ? [undefined] : route.nodes;
  for (const host of hosts) {
    await unlessThere(uploader, {
      method: "POST",
      path: moduleArtifacts,
      body,
      subject: `give the file of the module ${file.name} to ${host ?? "the node that answers"}`,
      ...options,
      host,
    });
  }
  const given = hosts.length;
  const of = Math.max(given, (await nodes()) ?? given);
  return { ...readOutcome(defined, userModules, names), nodes: { given, of } };
}

/** The answer's body; a half that an earlier run has brought is no failure of this one. */
async function unlessThere({ client, names }: Uploader, call: ApiCall): Promise<string> {
  const answer = await client.answer(call);
  const { code } = parseFailure(parseJson(answer.body), names);
  if (code === names.restErrors.moduleExists && answer.status < 500) return "";
  client.requireSuccess(answer, call);
  return answer.body;
}

/** Node's own encoder writes the form; the name of the file alone is sent, never its folder. */
async function buildForm(file: UploadFile, names: Names): Promise<NonNullable<ApiCall["body"]>> {
  const form = new FormData();
  const name = file.name.replace(/^.*[\\/]/, "");
  form.set(names.restModuleFields.file, new Blob([file.bytes], { type: "application/zip" }), name);
  const encoded = new Response(form);
  const type = encoded.headers.get("content-type") ?? "multipart/form-data";
  return { bytes: new Uint8Array(await encoded.arrayBuffer()), type };
}

function readOutcome(body: string, through: string, names: Names): InstalledUpload {
  const answered = parseJson(body);
  return {
    actionUid: asString(getOwn(answered, names.bdbFields.actionUid)),
    module: parseModule(answered, names),
    through,
  };
}

/** The manifest as it is, and read. */
interface ModuleManifest {
  readonly manifest: Json;
  readonly module: InstalledModule;
}

const manifestLimit = 1024 * 1024;

/** The manifest of an archive, at its root or in one folder; UsageError for what is not a module. */
async function readManifest(
  file: { readonly name: string; readonly bytes: Uint8Array },
  names: Names,
): Promise<ModuleManifest> {
  const wanted = names.restModuleFields.manifest;
  const problem = (what: string): UsageError =>
    new UsageError(`module ${file.name}: ${what}`, {
      hint: "give the module's archive as it was published",
    });
  const found = await unpack(file.bytes, wanted).catch((error: unknown) => {
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
function unpack(bytes: Uint8Array, wanted: string): Promise<string | undefined> {
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
  const bytes = await readBytes(name).catch((error: unknown) => {
    if (error instanceof UsageError) throw error;
    throw new InputError(`module: ${fileProblem(name, error)}`);
  });
  const file = { name, bytes };
  return { ...file, ...(await readManifest(file, names)) };
}

async function readBytes(name: string): Promise<Uint8Array> {
  const { size } = await stat(name);
  if (size > mostBytes) throw new InputError(`module ${name}: it is larger than 1 GiB`);
  return await readFile(name);
}
