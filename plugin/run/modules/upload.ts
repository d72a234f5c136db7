/** An archive on its way into a cluster: sent once, and seen in the list of modules (S95, S99). */
import { ClusterApiError } from "../../domain/api/failure";
import { moduleLabel, sameBuild } from "../../domain/api/modules";
import { TimeoutError } from "../../domain/errors";
import type { Names } from "../../domain/names";
import type { ClusterApi, InstalledModule, InstalledUpload, UploadProgress } from "../cluster-api";
import type { Call } from "../engine/call";
import { isAway, restApi, waitFor, type Waiting, type WaitPorts } from "../engine/wait";

/** What an upload needs of the world. */
export interface UploadPorts extends WaitPorts {
  readonly api: ClusterApi;
  readonly names: Names;
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
export interface Uploaded {
  /** What the server answered; absent where the list alone tells that the module is there. */
  readonly answer?: InstalledUpload;
  /** False where somebody else was quicker. */
  readonly isOurs: boolean;
}

/** A server that lost the answer may need so long until the list has the module. */
const lookMs = 20_000;

/**
 * The call; its progress is told every so many per cent. The list tells what an open outcome was, and what an answer means that the module is
 * there already: that is what an answer that was lost looks like.
 */
export function uploadOf(
  ports: UploadPorts,
  file: ModuleFile,
  tellEvery = 25,
): Pick<Call<Uploaded>, "send" | "readBack"> {
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
      return await listed(looking, file.module, { total: { ms: lookMs, end: notListed } }).then(
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

/** Waits until the list has the build. */
export async function listed(
  ports: UploadPorts,
  module: InstalledModule,
  limits: Pick<Waiting<unknown>, "total" | "idle">,
): Promise<InstalledModule> {
  return await waitFor<InstalledModule>(ports, {
    ...limits,
    server: restApi,
    look: async () => {
      const found = sameBuild(module, await ports.api.modules(ports.signal));
      return found === undefined
        ? { is: "moving", on: `${moduleLabel(module)} to appear in the list of modules` }
        : { is: "done", value: found };
    },
  });
}

/** The name of a file without its folder. */
export function baseName(path: string): string {
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
    const words = `the upload of ${baseName(file.name)} [${bar}] ${percent} % of ${size}`;
    recorder.waiting(words, (clock.now() - from) / 1000);
  };
}
