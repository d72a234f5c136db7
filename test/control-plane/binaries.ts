import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { buildTools } from "./build";
import {
  cacheKey,
  pinnedHelm,
  pinnedTools,
  repositoryRoot,
  toolNames,
  type ToolName,
} from "./pins";
import { run } from "./run";

/** Where each program of the control plane lies; `dir` is the folder that holds all of them. */
export interface Binaries extends Readonly<Record<ToolName, string>> {
  readonly dir: string;
}

export type Log = (line: string) => void;

/** Talk belongs on standard error; standard output is for results. */
export const logToStderr: Log = (line) => process.stderr.write(`${line}\n`);

/**
 * Finds etcd, kube-apiserver and kubectl: in the folder that KUBEBUILDER_ASSETS names, else in the
 * project's cache, else by building them from the pinned Go modules.
 */
export async function findBinaries(log: Log = logToStderr): Promise<Binaries> {
  const assets = process.env["KUBEBUILDER_ASSETS"];
  if (assets !== undefined && assets !== "") {
    const missing = missingIn(assets);
    if (missing.length > 0) {
      throw new Error(
        `KUBEBUILDER_ASSETS names ${assets}, which lacks ${missing.join(", ")}: ` +
          "complete that folder, or unset the variable to have them built with Go",
      );
    }
    return binariesIn(assets);
  }
  const tools = pinnedTools();
  const cached = join(repositoryRoot, ".cache", "control-plane", cacheKey(tools));
  if (missingIn(cached).length > 0) {
    await requireGo();
    await buildTools({ tools, into: cached, complete: () => missingIn(cached).length === 0, log });
  }
  return binariesIn(cached);
}

/** Helm of the project's cache, built there when a test asks for it first. */
export async function findHelm(log: Log = logToStderr): Promise<string> {
  const tool = pinnedHelm();
  const into = join(repositoryRoot, ".cache", "control-plane", cacheKey([tool]));
  const complete = (): boolean => isExecutable(join(into, tool.name));
  if (!complete()) {
    await requireGo();
    await buildTools({ tools: [tool], into, complete, log });
  }
  return join(into, tool.name);
}

function binariesIn(dir: string): Binaries {
  return {
    dir,
    etcd: join(dir, "etcd"),
    "kube-apiserver": join(dir, "kube-apiserver"),
    kubectl: join(dir, "kubectl"),
  };
}

function missingIn(dir: string): readonly ToolName[] {
  return toolNames.filter((name) => !isExecutable(join(dir, name)));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function requireGo(): Promise<void> {
  try {
    await run("go", ["version"], { env: process.env });
  } catch (cause) {
    throw new Error(
      "a control plane needs etcd, kube-apiserver and kubectl: set KUBEBUILDER_ASSETS to a folder " +
        "that holds them, or install Go (1.24 or later) so that they can be built",
      { cause },
    );
  }
}
