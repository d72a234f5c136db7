/** Installed modules, and both ways of installing one (S93, S95; domain facts 9). */
import { moduleAnswer } from "./answers";
import { judgeManifest, type Manifest, readArchive, readManifest } from "./archive";
import type { StoredModule } from "./model";
import { ApiRefusal } from "./refusal";
import type { Answer, Call, Route, Site } from "./routing";
import { readUpload } from "./upload";

/** The list. */
export const moduleRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "modules",
    answer: (_, site) => ({
      body: [...site.store.modules.values()].map((module) => moduleAnswer(module, site)),
    }),
  },
];

/** The older way: the archive in one call; it is installed when its action has ended. */
export const installRoutes: readonly Route[] = [
  { method: "POST", path: "installModule", reads: "upload", answer: install },
];

/** The newer way, in two calls, in either order. */
export const userModuleRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "userModules",
    answer: (call, site) => {
      judgeUploads(site);
      return half("definition", readManifest(call.body, site.names), site);
    },
  },
  {
    method: "POST",
    path: "moduleArtifacts",
    reads: "upload",
    answer: async (call, site) => {
      const bytes = await readUpload(call.request, site.names, site.uploadLimit);
      judgeUploads(site);
      return half("artifact", readArchive(bytes, site.names), site);
    },
  },
];

async function install({ request }: Call, site: Site): Promise<Answer> {
  const { names, store, works } = site;
  const manifest = readArchive(await readUpload(request, names, site.uploadLimit), names);
  judgeManifest(manifest, store, names);
  const module = stored(manifest, site);
  const action = works.install(module);
  return { body: { ...moduleAnswer(module, site), [names.bdbFields.actionUid]: action.uid } };
}

/** The oldest release that it runs on was judged, and is not told any more. */
function stored(manifest: Manifest, { store }: Site): StoredModule {
  const module = { ...manifest, uid: store.nextUid("module"), isBundled: false };
  delete module.minPackVersion;
  return module;
}

/** Off until the cluster's setting allows it. */
function judgeUploads({ store, names }: Site): void {
  if (store.uploadsAllowed) return;
  const { uploadDisabled } = names.restErrors;
  const message = `modules may not be uploaded: ${names.clusterFields.allowModulesUpload} is false`;
  throw new ApiRefusal(403, uploadDisabled, message);
}

/** A module is there when it is defined and its file is on the nodes: this one stands for all. */
function half(is: "definition" | "artifact", manifest: Manifest, site: Site): Answer {
  const { store } = site;
  const { name, version, compatibleEngineVersion = "" } = manifest;
  const key = JSON.stringify([name, version, compatibleEngineVersion]);
  const before = store.halves.get(key);
  // a file goes to every node: what the second upload brings is there already
  if (before?.is !== is || is === "definition") judgeManifest(manifest, store, site.names);
  const module = before?.module ?? stored(manifest, site);
  if (before === undefined || before.is === is) {
    store.halves.set(key, { is, module });
  } else {
    store.halves.delete(key);
    store.modules.set(module.uid, module);
  }
  return { body: moduleAnswer(module, site) };
}
