/** Installs a module over the REST API: asked first, sent once, followed, and seen in the list (S95, S99). */
import { projectCluster } from "../../domain/clusters";
import { moduleFindings } from "../../domain/api/codes";
import { moduleLabel, namesOf, sameBuild } from "../../domain/api/modules";
import { TimeoutError } from "../../domain/errors";
import type { Finding } from "../../domain/findings";
import { termOf } from "../../domain/names";
import { type KubeObject, objectLabel } from "../../domain/objects";
import type { InstalledModule, InstalledUpload } from "../cluster-api";
import { requireHome } from "../engine/confirm";
import { Session, type SessionPorts } from "../engine/session";
import { followAction } from "../follow-action";
import type { StepInfo } from "../engine/recorder";
import type { Report } from "../report";
import { baseName, listed, type Uploaded, uploadOf, type UploadPorts } from "./upload";

/** What an installation needs of the world. */
export type InstallPorts = UploadPorts & SessionPorts;

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
  const answer = await uploaded(ports, options);
  await followed(ports, options, answer?.actionUid);
  const installed = await seen(ports, options);
  recorder.findings(nodeFindings(options.ec, answer));
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

/** What the server answered; undefined when the list alone tells that the module is there. */
async function uploaded(
  ports: InstallPorts,
  options: InstallOptions,
): Promise<InstalledUpload | undefined> {
  const { file, module, dryRun, tellEvery } = options;
  const session = new Session(ports, { fieldManager: ports.names.fieldManager, dryRun });
  const step = infoOf(ports, options);
  // the command itself asks for it: nobody is asked again
  session.confirmCalls([{ step }]);
  return await session.call({
    step,
    ...uploadOf(ports, { ...file, module }, tellEvery),
    end: ({ answer: value, isOurs }: Uploaded) => {
      const how =
        value === undefined ? ": it is in the list of modules" : `, through ${value.through}`;
      const result = isOurs ? "done" : "unchanged";
      return Promise.resolve({ result, value, why: `${step.why}${how}` });
    },
  });
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
async function seen(ports: InstallPorts, options: InstallOptions): Promise<InstalledModule> {
  const { module, timeoutMs } = options;
  const label = moduleLabel(module);
  const info: StepInfo = {
    id: "modules.listed",
    action: "read",
    object: `GET ${ports.names.restPaths.modules}`,
    why: `${label} is in the list of installed modules`,
  };
  return await ports.recorder.step(info, async () => {
    const value = await listed(ports, module, { total: { ms: timeoutMs, end: notListed } });
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
