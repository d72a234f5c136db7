/** Installs a module over the REST API: asked first, sent once, followed, and seen in the list (S95, S99). */
import { ClusterApiError } from "../../domain/api/failure";
import { projectCluster } from "../../domain/clusters";
import { moduleFindings } from "../../domain/api/codes";
import { moduleLabel, namesOf, sameBuild } from "../../domain/api/modules";
import { TimeoutError, UnavailableError } from "../../domain/errors";
import type { Finding } from "../../domain/findings";
import { type Names, termOf } from "../../domain/names";
import { type KubeObject, objectLabel } from "../../domain/objects";
import type { ClusterApi, InstalledModule, InstalledUpload, UploadProgress } from "../cluster-api";
import { followAction } from "../follow-action";
import { requireHome } from "../engine/session";
import { restApi, waitFor } from "../engine/wait";
import { noted } from "../outcome";
import type { Clock } from "../ports";
import type { Journal } from "../record";
import type { Recorder, StepInfo } from "../recorder";
import type { Report } from "../report";

/** What an installation needs of the world. */
export interface InstallPorts {
  readonly api: ClusterApi;
  readonly clock: Clock;
  readonly recorder: Recorder;
  readonly journal: Journal;
  readonly names: Names;
  readonly signal: AbortSignal;
}

/** What is installed. */
export interface InstallOptions {
  readonly ec: KubeObject;
  readonly file: { readonly name: string; readonly bytes: Uint8Array };
  /** What its manifest says. */
  readonly module: InstalledModule;
  readonly dryRun: "none" | "client" | "server";
  readonly timeoutMs: number;
  /** Every so many per cent of the upload are told. */
  readonly tellEvery: number;
}

const everyMs = 2_000;
/** After an upload of unknown outcome looks at the list begin for so long. */
const lookMs = 10_000;

/** The whole run; an error leaves what the recorder has. */
export async function installModule(ports: InstallPorts, options: InstallOptions): Promise<Report> {
  const { api, recorder, signal } = ports;
  const { module, dryRun } = options;
  const label = moduleLabel(module);
  const present = sameBuild(module, await api.modules(signal));
  if (present !== undefined) {
    recorder.done(infoOf(ports, options), "unchanged");
    return ended(ports, options, { module: present, reason: `${label} is installed already` });
  }
  if (dryRun !== "none") {
    if (dryRun === "server") recorder.note("the REST API knows no dry run: nothing is sent to it");
    recorder.done(infoOf(ports, options), "planned");
    return ended(ports, options, { module, reason: `dry run: ${label} would be installed` });
  }
  await requireHome(ports, true);
  const upload = await uploaded(ports, options);
  await followed(ports, options, upload?.actionUid);
  const installed = await listed(ports, options);
  recorder.findings(nodeFindings(options.ec, upload));
  return ended(ports, options, { module: installed, reason: `${label} is installed` });
}

function infoOf({ api, names }: InstallPorts, { module, file }: InstallOptions): StepInfo {
  return {
    id: "modules.install",
    action: "call",
    object: `POST ${names.restPaths.installModule}`,
    why: `install ${moduleLabel(module)} of ${baseName(file.name)} by ${api.address}`,
  };
}

function baseName(path: string): string {
  return path.replace(/^.*[\\/]/, "");
}

/** What the server answered; undefined when the list alone tells that the module is there. */
async function uploaded(
  ports: InstallPorts,
  options: InstallOptions,
): Promise<InstalledUpload | undefined> {
  const { api, recorder, signal } = ports;
  const { file } = options;
  const info = infoOf(ports, options);
  signal.throwIfAborted();
  return await recorder.step<InstalledUpload | undefined>(info, async () => {
    const onProgress = progressTeller(ports, options);
    const { action, object, why } = info;
    try {
      const value = await noted(ports, { action, object, why }, () =>
        api.installModule(file, { signal, onProgress }),
      );
      return { result: "done", value, why: `${why}, through ${value.through}` };
    } catch (error) {
      if (!(await isThere(error, ports, options))) throw error;
      const result = isOpen(error) ? "done" : "unchanged";
      return { result, value: undefined, why: `${why}: it is in the list of modules` };
    }
  });
}

/** A cut connection, a deadline, an error of the server itself. */
function isOpen(error: unknown): boolean {
  if (error instanceof UnavailableError) return true;
  return error instanceof ClusterApiError && error.status >= 500;
}

/** The list tells what an open outcome was, after an interrupt too, and whether somebody else was quicker. */
async function isThere(
  error: unknown,
  { api, clock, names }: InstallPorts,
  { module }: InstallOptions,
): Promise<boolean> {
  const exists =
    error instanceof ClusterApiError && error.apiCode === names.restErrors.moduleExists;
  if (!exists && !isOpen(error)) return false;
  const { signal } = new AbortController();
  const until = clock.now() + (exists ? 0 : lookMs);
  for (;;) {
    const modules = await api.modules(signal).catch(() => []);
    if (sameBuild(module, modules) !== undefined) return true;
    if (clock.now() >= until) return false;
    await clock.sleep(everyMs, signal);
  }
}

function progressTeller(
  { recorder, clock }: InstallPorts,
  { file, tellEvery }: InstallOptions,
): (progress: UploadProgress) => void {
  const from = clock.now();
  let told = -1;
  return ({ sent, of }) => {
    const percent = Math.floor((sent / of) * 100);
    const step = Math.floor(percent / tellEvery);
    if (step === told) return;
    told = step;
    const bar = "#".repeat(Math.floor(percent / 5)).padEnd(20, ".");
    const size = `${(of / 1024 / 1024).toFixed(1)} MiB`;
    const words = `the upload of ${baseName(file.name)} [${bar}] ${percent} % of ${size}`;
    recorder.waiting(words, (clock.now() - from) / 1000);
  };
}

async function followed(
  ports: InstallPorts,
  { module, timeoutMs }: InstallOptions,
  actionUid: string | undefined,
): Promise<void> {
  if (actionUid === undefined) return;
  const subject = `the installation of ${moduleLabel(module)}`;
  const info: StepInfo = {
    id: "modules.action",
    action: "wait",
    object: `action ${actionUid}`,
    why: `the server goes on after it has answered`,
  };
  await ports.recorder.step(info, async () => {
    const action = await followAction(ports, { uid: actionUid, subject, timeoutMs });
    const why = action === undefined ? "the server keeps it no longer" : "completed";
    return { result: "done", value: undefined, why };
  });
}

/** Proof: the list has the build. */
async function listed(ports: InstallPorts, options: InstallOptions): Promise<InstalledModule> {
  const { api, recorder, signal, names } = ports;
  const { module, timeoutMs } = options;
  const label = moduleLabel(module);
  const info: StepInfo = {
    id: "modules.listed",
    action: "read",
    object: `GET ${names.restPaths.modules}`,
    why: `${label} is in the list of installed modules`,
  };
  return await recorder.step(info, async () => {
    const value = await waitFor<InstalledModule>(ports, {
      server: restApi,
      look: async () => {
        const found = sameBuild(module, await api.modules(signal));
        return found === undefined
          ? { is: "moving", on: `${label} to appear in the list of modules` }
          : { is: "done", value: found };
      },
      total: { ms: timeoutMs, end: notListed },
    });
    return { result: "done", value };
  });

  function notListed(): TimeoutError {
    return new TimeoutError(`${label} was sent, and is not in the list of installed modules`, {
      hint: "see the cluster's event log, then run the same command again",
    });
  }
}

/** The newer call takes the file once a node; the answer of one says nothing about the others. */
function nodeFindings(ec: KubeObject, upload: InstalledUpload | undefined): readonly Finding[] {
  const { given, of } = upload?.nodes ?? { given: 1, of: 1 };
  if (given >= of) return [];
  const { code, severity, fix, source } = moduleFindings.oneNode;
  const cause = `the module's file was given to ${given} of ${of} nodes`;
  return [{ code, severity, object: objectLabel(ec), cause, fix, source }];
}

function ended(
  { api, recorder, names }: InstallPorts,
  { ec, module: wanted }: InstallOptions,
  { module, reason }: { readonly module: InstalledModule; readonly reason: string },
): Report {
  const defined = projectCluster(ec, names)?.userModules ?? [];
  const known = namesOf(wanted);
  if (module.bundled !== true && !known.some((name) => defined.includes(name))) {
    const { code, severity, fix, source } = moduleFindings.defineNext;
    const field = names.fields.userDefinedModules.join(".");
    const cause = `${known.join(" or ")} is not defined in the ${termOf(names.ec)}`;
    recorder.findings([{ code, severity, object: objectLabel(ec), field, cause, fix, source }]);
  }
  const details = { ec: objectLabel(ec), address: api.address, module };
  return { ...recorder.success(reason), details };
}
