import { delimiter, join } from "node:path";
import { repositoryRoot } from "./pins";
import { run, type RunResult } from "./run";
import type { Site } from "./site";

/** Where `npm run build` leaves the two executables. */
export const distDir = join(repositoryRoot, "dist");

export interface KubectlOptions {
  readonly input?: string;
  /** Added to the environment of kubectl and of the plugin; undefined takes a variable away. */
  readonly env?: NodeJS.ProcessEnv;
  /** Another kubeconfig than the admin's. */
  readonly kubeconfig?: string;
  readonly cwd?: string;
  readonly timeoutMs?: number;
}

/**
 * The environment in which kubectl runs: the programs of the control plane and the built plugin
 * first on PATH, and home folders in the scratch folder, so that nothing of the user's own
 * configuration is read or written.
 */
export function kubectlEnv(site: Site, kubeconfig: string): NodeJS.ProcessEnv {
  return {
    PATH: [site.binaries.dir, distDir, process.env["PATH"] ?? ""].join(delimiter),
    HOME: site.homeDir,
    ENGINE_HOME: join(site.homeDir, "engine"),
    KUBECONFIG: kubeconfig,
  };
}

export function runKubectl(
  site: Site,
  args: readonly string[],
  options: KubectlOptions & { readonly kubeconfig: string },
): Promise<RunResult> {
  const { env, kubeconfig, ...rest } = options;
  return run(site.binaries.kubectl, args, {
    ...rest,
    env: { ...kubectlEnv(site, kubeconfig), ...env },
  });
}
