import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Binaries } from "./binaries";
import { type Daemon, type DaemonSpec, startDaemon } from "./daemon";
import { startGuardian } from "./guardian";

export type ProcessSpec = Pick<DaemonSpec, "name" | "file" | "args"> & {
  readonly env?: NodeJS.ProcessEnv;
};

/** The folders of one control plane and the processes that run in them. */
export interface Site {
  readonly binaries: Binaries;
  /** Removed at the end, whatever happens: store, keys, kubeconfigs, home folder. */
  readonly dataDir: string;
  /** Kept after a failure. */
  readonly logsDir: string;
  readonly homeDir: string;
  /** Runs a server that ends with this process at the latest. */
  start(spec: ProcessSpec): Daemon;
  /** Which server is not running any more, and how it ended; undefined while all run. */
  ended(): string | undefined;
  /** Ends all servers, newest first, and removes the folders. */
  close(options: { readonly keepLogs: boolean }): Promise<void>;
}

export function openSite(binaries: Binaries, parent: string = tmpdir()): Site {
  mkdirSync(parent, { recursive: true });
  const root = mkdtempSync(join(parent, "engine-control-plane-"));
  const dataDir = join(root, "data");
  const logsDir = join(root, "logs");
  const homeDir = join(dataDir, "home");
  mkdirSync(homeDir, { recursive: true, mode: 0o700 });
  mkdirSync(logsDir);
  const guardian = startGuardian(dataDir, logsDir);
  const daemons: Daemon[] = [];
  return {
    binaries,
    dataDir,
    logsDir,
    homeDir,
    start: ({ name, file, args, env = {} }) => {
      const daemon = startDaemon({
        name,
        file,
        args,
        env: { PATH: process.env["PATH"] ?? "", HOME: homeDir, ...env },
        logFile: join(logsDir, `${name}.log`),
        guardian,
      });
      daemons.push(daemon);
      return daemon;
    },
    ended: () => {
      const gone = daemons.find((daemon) => daemon.ended() !== undefined);
      return gone && `${gone.name} ${gone.ended() ?? ""}`;
    },
    close: async ({ keepLogs }) => {
      for (const daemon of [...daemons].reverse()) {
        await daemon.stop();
      }
      rmSync(keepLogs ? dataDir : root, { recursive: true, force: true, maxRetries: 5 });
      guardian.close();
    },
  };
}
