/** Installing a module: the older call, then the newer ones where it has gone (S95; domain facts 9). */
import { parseFailure } from "../../domain/api/failure";
import { parseModule } from "../../domain/api/modules";
import type { InstalledUpload } from "../../domain/api/records";
import { getOwn, parseJson, asString } from "../../domain/values";
import type { Names } from "../../domain/names";
import type { ClusterApi } from "../../run/cluster-api";
import { type ApiCall, type ApiClient, jsonBody } from "./client";
import { manifestOf } from "./module-archive";
import type { Route } from "./route";

/** The archive, and who hears of its progress. */
export type UploadFile = Parameters<ClusterApi["installModule"]>[0];
type UploadOptions = Parameters<ClusterApi["installModule"]>[1];

/** What uploads need of a connection. */
export interface Uploader {
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
    body: await formOf(file, names),
    subject: `install the module ${file.name}`,
    ...options,
  };
  const answer = await client.answer(call);
  if (answer.status === 404 || answer.status === 405) return newer(uploader, file, options);
  client.requireSuccess(answer, call);
  // what a success answers is not shown (S95): nothing at all is one, a page of a proxy is none
  if (answer.body.trim() !== "" && parseJson(answer.body) === undefined)
    throw client.nonsense(call);
  return outcomeOf(answer.body, installModule, names);
}

/** First what the module is, then its file, to each node that can be reached by itself. */
async function newer(
  uploader: Uploader,
  file: UploadFile,
  options: UploadOptions,
): Promise<InstalledUpload> {
  const { route, names, nodes } = uploader;
  const { userModules, moduleArtifacts } = names.restPaths;
  const { manifest } = await manifestOf(file, names);
  const defined = await unlessThere(uploader, {
    method: "POST",
    path: userModules,
    body: jsonBody(manifest),
    subject: `define the module ${file.name}`,
    signal: options.signal,
  });
  const body = await formOf(file, names);
  const hosts = route.nodes.length === 0 ? [undefined] : route.nodes;
  for (const host of hosts) {
    await unlessThere(uploader, {
      method: "POST",
      path: moduleArtifacts,
      body,
      subject: `give the file of the module ${file.name} to ${host ?? "the node that answers"}`,
      ...options,
      ...(host !== undefined && { host }),
    });
  }
  const given = hosts.length;
  const of = Math.max(given, (await nodes()) ?? given);
  return { ...outcomeOf(defined, userModules, names), nodes: { given, of } };
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
async function formOf(file: UploadFile, names: Names): Promise<NonNullable<ApiCall["body"]>> {
  const form = new FormData();
  const name = file.name.replace(/^.*[\\/]/, "");
  form.set(names.restModuleFields.file, new Blob([file.bytes], { type: "application/zip" }), name);
  const encoded = new Response(form);
  const type = encoded.headers.get("content-type") ?? "multipart/form-data";
  return { bytes: new Uint8Array(await encoded.arrayBuffer()), type };
}

function outcomeOf(body: string, through: string, names: Names): InstalledUpload {
  const answered = parseJson(body);
  return {
    actionUid: asString(getOwn(answered, names.bdbFields.actionUid)),
    module: parseModule(answered, names),
    through,
  };
}
