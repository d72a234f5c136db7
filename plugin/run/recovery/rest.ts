/** The recovery over the REST API: a module is installed, a version is posted, the action followed (S99, S100). */
import { ClusterApiError } from "../../domain/api/failure";
import type { ApiAction, ApiDatabase, InstalledModule } from "../../domain/api/records";
import { EngineError, exitCodes } from "../../domain/errors";
import { recoveryFinding } from "../../domain/recovery/codes";
import { shownVersion } from "../../domain/recovery/databases";
import { isInstalled } from "../../domain/recovery/line";
import type { DatabaseUpgrade } from "../../domain/recovery/plan";
import {
  compareEngineVersions,
  leadingEngineVersion,
  parseEngineVersion,
} from "../../domain/versions";
import type { ClusterApi } from "../cluster-api";
import { isAway, type Look, restApi, waitFor } from "../engine/wait";
import { noted } from "../outcome";
import { BlockedError, type StepInfo } from "../recorder";
import type { ModuleFile, RecoverDeps, RecoverOptions } from "./deps";
import { limitsOf } from "./limits";

/** How the step is named in the report. */
export function installStep({ module }: ModuleFile, api: ClusterApi): StepInfo {
  const { name, version } = module;
  const object = ["module", name, version].filter((part) => part !== undefined).join(" ");
  return {
    id: `recover.module.${name}`,
    action: "call",
    object,
    why: `install it at ${api.address}`,
  };
}

/** Installs the module, and sees that it is listed; one that is there stays as it is. */
export async function install(
  deps: RecoverDeps,
  options: RecoverOptions,
  { api, file }: { readonly api: ClusterApi; readonly file: ModuleFile },
): Promise<void> {
  const { recorder, signal } = deps;
  const step = installStep(file, api);
  if (isInstalled(file.module, await api.modules(signal))) {
    recorder.done({ ...step, why: "it is installed already" }, "unchanged");
    return;
  }
  await recorder.step(step, async () => {
    const { name, bytes } = file;
    const started = await noted(deps, step, async () => {
      try {
        return await upload(api, { name, bytes }, deps);
      } catch (error) {
        if (isAway(error) && (await arrived(deps, options, { api, file }))) return undefined;
        throw error;
      }
    });
    await waitFor(deps, {
      look: () => installed(deps, api, { module: file.module, action: started }),
      server: restApi,
      ...limitsOf(options, stands(step.object)),
    });
    return { result: "created", value: undefined };
  });
}

/** So long an upload without an answer is looked for. */
const lostMs = 20_000;

/** An upload without an answer may have been taken: it is looked for, after an interrupt too, never sent again. */
async function arrived(
  ports: RecoverDeps,
  options: RecoverOptions,
  { api, file }: { readonly api: ClusterApi; readonly file: ModuleFile },
): Promise<boolean> {
  const deps = { ...ports, signal: new AbortController().signal };
  const waiting = {
    look: () => installed(deps, api, { module: file.module, action: undefined }),
    server: restApi,
    ...limitsOf({ ...options, stallAfterMs: lostMs }, stands(file.name)),
  };
  return await waitFor(deps, waiting).then(
    () => true,
    (error: unknown) => {
      if (error instanceof EngineError) return false;
      throw error;
    },
  );
}

/** An answer that says it is there already is what an answer that was lost looks like. */
async function upload(
  api: ClusterApi,
  file: { readonly name: string; readonly bytes: Uint8Array },
  { names, recorder }: RecoverDeps,
): Promise<string | undefined> {
  try {
    // an upload in flight is finished, so that its outcome is known
    const { signal } = new AbortController();
    const { actionUid } = await api.installModule(file, {
      signal,
      onProgress: ({ sent, of }) => {
        recorder.waiting(`the upload of ${file.name}: ${sent} of ${of} bytes`, 0);
      },
    });
    return actionUid;
  } catch (error) {
    if (error instanceof ClusterApiError && error.apiCode === names.restErrors.moduleExists) {
      return undefined;
    }
    throw error;
  }
}

async function installed(
  { signal }: RecoverDeps,
  api: ClusterApi,
  wanted: { readonly module: InstalledModule; readonly action: string | undefined },
): Promise<Look<undefined>> {
  const { module, action: uid } = wanted;
  const action = uid === undefined ? undefined : await api.action(uid, signal);
  if (action?.is === "failed") throw failed(`module ${module.name}`, action);
  if (isInstalled(module, await api.modules(signal))) return { is: "done", value: undefined };
  const on = `module ${module.name} to be listed${progressOf(action)}`;
  return { is: "moving", on, step: stepOf(action) };
}

/** How the step is named in the report. */
export function upgradeStep({ database, uid, version }: DatabaseUpgrade): StepInfo {
  const why = `upgrade database ${uid} from ${shownVersion(database.runs)} to ${version} over the REST API`;
  return { id: `recover.upgrade.${uid}`, action: "call", object: database.label, why };
}

/** Posts the version once, and follows the action to the end. */
export async function upgrade(
  deps: RecoverDeps,
  options: RecoverOptions,
  { api, wanted }: { readonly api: ClusterApi; readonly wanted: DatabaseUpgrade },
): Promise<void> {
  const step = upgradeStep(wanted);
  const { uid, version } = wanted;
  await deps.recorder.step(step, async () => {
    const body = { [deps.names.upgradeRequest.engineVersion]: version };
    const started = await noted(deps, step, () =>
      // an answer on its way is waited for, so that the outcome is known
      api.upgrade(uid, body, new AbortController().signal),
    );
    await waitFor(deps, {
      look: () => reached(deps, api, { ...wanted, action: started.actionUid }),
      server: restApi,
      ...limitsOf(options, stands(step.object)),
    });
    return { result: "changed", value: undefined };
  });
}

/** The action where it is known, and in any case the database itself (domain facts 9). */
async function reached(
  { signal }: RecoverDeps,
  api: ClusterApi,
  wanted: DatabaseUpgrade & { readonly action: string | undefined },
): Promise<Look<undefined>> {
  const { uid, version, database, action: started } = wanted;
  const action = started === undefined ? undefined : await api.action(started, signal);
  if (action?.is === "failed") throw failed(database.label, action);
  const bdb = await api.database(uid, signal);
  if (action?.is !== "running" && isReached(bdb, version)) return { is: "done", value: undefined };
  const state = [bdb?.status, bdb?.version].map((part) => part ?? "not told").join(", ");
  const on = `${database.label} to run ${version} (${state}${progressOf(action)})`;
  return { is: "moving", on, step: `${state} ${stepOf(action)}` };
}

function isReached(bdb: ApiDatabase | undefined, version: string): boolean {
  return bdb?.status === "active" && isAt(bdb.version, version);
}

function isAt(runs: string | undefined, wanted: string): boolean {
  const [is, to] = [leadingEngineVersion(runs), parseEngineVersion(wanted)];
  return is !== undefined && to !== undefined && compareEngineVersions(is, to) >= 0;
}

function progressOf(action: ApiAction | undefined): string {
  if (action === undefined) return "";
  const { uid, status = "no state", progress } = action;
  return `, action ${uid} ${status}${progress === undefined ? "" : ` ${progress} %`}`;
}

function stepOf(action: ApiAction | undefined): string {
  return `${action?.status ?? ""} ${action?.progress ?? ""}`;
}

function failed(object: string, { uid, status, error }: ApiAction): BlockedError {
  const cause = `action ${uid} ended as ${status ?? "failed"}${error === undefined ? "" : `: ${error}`}`;
  return new BlockedError(exitCodes.failed, [recoveryFinding("actionFailed", { object, cause })]);
}

/** The end of a wait for an action on this object that makes no progress. */
const stands =
  (object: string) =>
  (on: string): BlockedError =>
    new BlockedError(exitCodes.failed, [
      recoveryFinding("actionFailed", {
        object,
        cause: `nothing moves, it waits for ${on}`,
        fix: "see the actions of the cluster's REST API and its health, then run again",
      }),
    ]);

/** Actions that are at work on databases that are to be upgraded, each a finding. */
export async function runningActions(
  { signal }: RecoverDeps,
  api: ClusterApi,
  databases: readonly { readonly label: string; readonly uid: number | undefined }[],
): Promise<readonly { readonly label: string; readonly action: ApiAction }[]> {
  const found: { readonly label: string; readonly action: ApiAction }[] = [];
  for (const { label, uid } of databases) {
    const actions = uid === undefined ? undefined : await api.actionsOf(uid, signal);
    const running = (actions ?? []).filter((action) => action.is === "running");
    found.push(...running.map((action) => ({ label, action })));
  }
  return found;
}

/** Nothing is changed while an action runs. */
export function actionRuns({
  label,
  action,
}: {
  readonly label: string;
  readonly action: ApiAction;
}) {
  const what = action.name === undefined ? "" : ` (${action.name})`;
  const cause = `action ${action.uid}${what} is at work${progressOf(action).replace(/^, action \S+/, ":")}`;
  return recoveryFinding("actionRuns", { object: label, cause });
}
