/** Installs a module over the REST API: asked first, sent once, followed, and seen in the list (S95, S99). */
import { nameAwaited } from "../../domain/base/awaited";
import { projectCluster } from "../../domain/rules/clusters";
import { moduleFinding } from "../../domain/engine-cluster/modules";
import { renderPending } from "../../domain/rest-api/actions";
import { moduleLabel, listModuleNames, sameBuild } from "../../domain/rest-api/modules";
import { ClusterApiError } from "../../domain/rest-api/errors";
import { EngineError, exitCodes, TimeoutError } from "../../domain/base/errors";
import { countNoun } from "../../domain/base/values";
import type { Finding } from "../../domain/base/findings";
import { type Names, renderTerm } from "../../domain/names/names";
import { type KubeObject, objectLabel } from "../../domain/kube/objects";
import type {
  ApiAction,
  ClusterApi,
  InstalledModule,
  InstalledUpload,
  UploadProgress,
} from "../../ports/rest-api";
import { requireHome } from "../../kernel/journal";
import { type CallChange, Session, type SessionPorts } from "../../kernel/session";
import type { Recorder } from "../../kernel/recorder";
import type { StepInfo } from "../../domain/kube/planned-write";
import type { Report } from "../../kernel/report";
import { isAway, type Limit, type Look, restApi, waitFor, type WaitPorts } from "../../kernel/wait";
import { requireGround } from "../../readers/ground";
import type { Clock } from "../../ports/kubernetes";

/** What an installation needs of the world. */
type InstallPorts = SessionPorts & WaitPorts & { readonly api: ClusterApi; readonly names: Names };

/** What is installed. */
interface InstallOptions {
  readonly ec: KubeObject;
  readonly file: { readonly name: string; readonly bytes: Uint8Array };
  /** What its manifest says. */
  readonly module: InstalledModule;
  readonly dryRun: "none" | "client" | "server";
  readonly timeoutMs: number;
  /** Every so many per cent of the upload are told. */
  readonly tellEvery: number;
}

/** `details` of the document. */
export interface InstallDetails {
  readonly ec: string;
  readonly address: string;
  readonly module: InstalledModule;
}

/** The whole run; an error leaves what the recorder has. */
export async function installModule(ports: InstallPorts, options: InstallOptions): Promise<Report> {
  const { api, recorder, signal } = ports;
  const { module, dryRun } = options;
  const label = moduleLabel(module);
  const present = sameBuild(module, await api.modules(signal));
  if (present !== undefined) {
    recorder.addStep(describeStep(ports, options), "unchanged");
    return awaitEnd(ports, options, { module: present, reason: `${label} is installed already` });
  }
  // the module would go with the EC, its definition or its namespace
  const { name = "", namespace = "" } = options.ec.metadata;
  await requireGround(ports, "modules", { namespace, clusters: [name] });
  if (dryRun !== "none") {
    if (dryRun === "server") recorder.note("the REST API knows no dry run: nothing is sent to it");
    recorder.addStep(describeStep(ports, options), "planned");
    return awaitEnd(ports, options, { module, reason: `dry run: ${label} would be installed` });
  }
  await requireHome(ports, true);
  const answer = await uploadModule(ports, options);
  await followUpload(ports, options, answer?.actionUid);
  const installed = await findInstalled(ports, options);
  recorder.addFindings(nodeFindings(options.ec, answer, ports.names));
  return awaitEnd(ports, options, { module: installed, reason: `${label} is installed` });
}

function describeStep({ api, names }: InstallPorts, { module, file }: InstallOptions): StepInfo {
  return {
    id: "modules.install",
    action: "call",
    object: `POST ${names.restPaths.installModule}`,
    why: `install ${moduleLabel(module)} of ${baseName(file.name)} by ${api.address}`,
  };
}

/** What the server answered; undefined when the list alone tells that the module is there. */
async function uploadModule(
  ports: InstallPorts,
  options: InstallOptions,
): Promise<InstalledUpload | undefined> {
  const { file, module, dryRun, tellEvery } = options;
  const session = new Session(ports, { fieldManager: ports.names.fieldManager, dryRun });
  const step = describeStep(ports, options);
  // the command itself asks for it: nobody is asked again
  session.noteConfirmedCalls([{ step }]);
  return await session.call({
    step,
    ...makeUpload(ports, { ...file, module }, tellEvery),
    end: ({ answer: value, isOurs }: Uploaded) => {
      const how =
        value === undefined ? ": it is in the list of modules" : `, through ${value.through}`;
      const result = isOurs ? "done" : "unchanged";
      return Promise.resolve({ result, value, why: `${step.why}${how}` });
    },
  });
}

async function followUpload(
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
    why: `the server continues after it has answered`,
  };
  await ports.recorder.step(info, async () => {
    const action = await followAction(ports, { uid: actionUid, subject, timeoutMs });
    const why = action === undefined ? "the server keeps it no longer" : "completed";
    return { result: "done", value: undefined, why };
  });
}

/** Proof: the list has the build. */
async function findInstalled(
  ports: InstallPorts,
  options: InstallOptions,
): Promise<InstalledModule> {
  const { module, timeoutMs } = options;
  const label = moduleLabel(module);
  const info: StepInfo = {
    id: "modules.listed",
    action: "read",
    object: `GET ${ports.names.restPaths.modules}`,
    why: `${label} is in the list of installed modules`,
  };
  return await ports.recorder.step(info, async () => {
    const value = await awaitListed(ports, module, { ms: timeoutMs, end: notListed });
    return { result: "done", value };
  });

  function notListed(): TimeoutError {
    return new TimeoutError(`${label} was sent, and is not in the list of installed modules`, {
      hint: "see the cluster's event log, then run the same command again",
    });
  }
}

/** The newer call takes the file once a node; the answer of one says nothing about the others. */
function nodeFindings(
  ec: KubeObject,
  upload: InstalledUpload | undefined,
  names: Names,
): readonly Finding[] {
  const { given, of } = upload?.nodes ?? { given: 1, of: 1 };
  if (given >= of) return [];
  const cause = `the module's file was given to ${given} of ${countNoun(of, "node")}`;
  return [moduleFinding("oneNode", { object: objectLabel(ec), cause }, names)];
}

function awaitEnd(
  { api, recorder, names }: InstallPorts,
  { ec, module: wanted }: InstallOptions,
  { module, reason }: { readonly module: InstalledModule; readonly reason: string },
): Report {
  const defined = projectCluster(ec, names)?.userModules ?? [];
  const known = listModuleNames(wanted);
  if (module.bundled !== true && !known.some((name) => defined.includes(name))) {
    const object = objectLabel(ec);
    const field = names.fields.userDefinedModules.join(".");
    const cause = `${known.join(" or ")} is not defined in the ${renderTerm(names.ec)}`;
    recorder.addFindings([moduleFinding("defineNext", { object, field, cause }, names)]);
  }
  const details: InstallDetails = { ec: objectLabel(ec), address: api.address, module };
  return { ...recorder.success(reason), details };
}

/** An archive, and what it holds. */
export interface ModuleFile {
  /** As it was given. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** What its manifest says. */
  readonly module: InstalledModule;
}

/** What came of an upload. */
interface Uploaded {
  /** What the server answered; absent where the list alone tells that the module is there. */
  readonly answer?: InstalledUpload;
  /** False where someone else was quicker. */
  readonly isOurs: boolean;
}

/** A server that lost the answer may need so long until the list has the module. */
const lookMs = 20_000;

/**
 * The call; its progress is told every so many per cent. The list tells what an open outcome was, and what an answer means that the module is
 * there already: that is what an answer that was lost looks like.
 */
function makeUpload(
  ports: InstallPorts,
  file: ModuleFile,
  tellEvery: number,
): Pick<CallChange<Uploaded>, "send" | "readBack"> {
  const { api, names, signal } = ports;
  return {
    send: async () => {
      const onProgress = progressTeller(ports, file, tellEvery);
      return { answer: await api.installModule(file, { signal, onProgress }), isOurs: true };
    },
    readBack: async (error) => {
      const isOurs = isAway(error);
      const { moduleExists } = names.restErrors;
      const isThere = error instanceof ClusterApiError && error.apiCode === moduleExists;
      if (!isOurs && !isThere) return undefined;
      const looking = { ...ports, signal: new AbortController().signal };
      return await awaitListed(looking, file.module, { ms: lookMs, end: notListed }).then(
        () => ({ isOurs }),
        // the error of the upload says more than that of the list
        () => undefined,
      );
    },
  };

  function notListed(): TimeoutError {
    return new TimeoutError(`${file.name} is not in the list of modules`);
  }
}

/** Waits until the list has the build, at most so long. */
async function awaitListed(
  ports: InstallPorts,
  module: InstalledModule,
  total: Limit,
): Promise<InstalledModule> {
  return await waitFor<InstalledModule>(ports, {
    total,
    server: restApi,
    look: async () => {
      const found = sameBuild(module, await ports.api.modules(ports.signal));
      return found === undefined
        ? { is: "moving", on: `${moduleLabel(module)}: to appear in the list of modules` }
        : { is: "done", value: found };
    },
  });
}

/** The name of a file without its folder. */
function baseName(path: string): string {
  return path.replace(/^.*[\\/]/, "");
}

function progressTeller(
  { recorder, clock }: WaitPorts,
  file: ModuleFile,
  tellEvery: number,
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
    const words = `[${bar}] ${percent} % of ${size}`;
    recorder.noteWaiting(
      nameAwaited(`the upload of ${baseName(file.name)}`, words),
      (clock.now() - from) / 1000,
    );
  };
}

/** What following needs. */
interface FollowPorts {
  readonly api: Pick<ClusterApi, "action" | "address">;
  readonly clock: Clock;
  readonly recorder: Pick<Recorder, "noteWaiting">;
  readonly signal: AbortSignal;
}

/** Which action, and for how long. */
interface Followed {
  readonly uid: string;
  /** For people: `the installation of rg 1.2.5`. */
  readonly subject: string;
  /** Of the whole wait. */
  readonly timeoutMs: number;
}

/** The server says that the action failed. */
export class ActionFailedError extends EngineError {
  readonly code = "ACTION-FAILED";
  readonly exitCode = exitCodes.failed;

  constructor(
    readonly action: ApiAction,
    subject: string,
  ) {
    const { uid, status = "failed", error, errorCode } = action;
    const told = [errorCode, error].map((one) => (one === undefined ? "" : `: ${one}`)).join("");
    super(`${subject} ended as ${status}${told} (action ${uid})`, {
      hint: "correct what the action names, then run the same command again",
    });
  }
}

/** How long an action may stay in a state that is not known. */
const unknownAfterMs = 60_000;

/** A server may show an action a moment after it has named it. */
const unseenPolls = 3;

/**
 * Ends with the completed action, or undefined when the server has forgotten it: what it worked on
 * has to be looked at. A server that does not answer for a time is asked again, a refusal is not.
 */
export async function followAction(
  ports: FollowPorts,
  followed: Followed,
): Promise<ApiAction | undefined> {
  const { api, signal } = ports;
  const { uid, subject, timeoutMs } = followed;
  let isSeen = false;
  let polls = 0;
  return await waitFor(ports, {
    server: `${subject} at ${api.address}`,
    look: async ({ idleMs }): Promise<Look<ApiAction | undefined>> => {
      polls += 1;
      const action = await api.action(uid, signal);
      const isForgotten = action === undefined && (isSeen || polls > unseenPolls);
      // what it worked on tells how it ended
      const isOver = action?.is === "unknown" && idleMs >= unknownAfterMs;
      if (isForgotten || isOver) return { is: "done", value: undefined };
      if (action === undefined) return { is: "moving", on: `${subject}: not begun` };
      isSeen = true;
      if (action.is === "completed") return { is: "done", value: action };
      if (action.is === "failed") throw new ActionFailedError(action, subject);
      return { is: "moving", on: `${subject}: ${describeProgress(action)}` };
    },
    total: { ms: timeoutMs, end: stillUnderWay(followed) },
  });
}

function describeProgress({ progress, status = "not begun", ...action }: ApiAction): string {
  const far = progress === undefined ? status : `${Math.floor(progress)} %`;
  return `${far}${renderPending(action)}`;
}

const stillUnderWay =
  ({ uid, subject }: Followed): Limit["end"] =>
  (_on, ms) =>
    new TimeoutError(
      `${subject} is still in progress after ${Math.round(ms / 1000)}s (action ${uid})`,
      { hint: "run the same command again later, or with a longer --timeout" },
    );
