/** The user's folder, as kubectl and helm find it. */
import { type Stats, statSync } from "node:fs";
import { join } from "node:path";

/** The folder of kubeconfigs and of this tool within it. */
export const kubeFolder = ".kube";

/**
 * Undefined where the environment names none. Windows has three places: the first that holds a kubeconfig counts, else
 * the first that can be written to, that exists, that is named. The order of the last two then changes, as in client-go.
 */
export function findUserHome(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const { HOME: home = "", USERPROFILE: profile = "", HOMEDRIVE: drive, HOMEPATH: path } = env;
  if (platform !== "win32") return home === "" ? undefined : home;
  const onDrive = drive && path ? `${drive}${path}` : "";
  const isNamed = (one: string): boolean => one !== "";
  const named = [home, profile, onDrive].filter(isNamed);
  return (
    [home, onDrive, profile].filter(isNamed).find((one) => look(join(one, kubeFolder, "config"))) ??
    named.find(isWritable) ??
    named.find(look) ??
    named[0]
  );
}

function look(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** By its mode, as client-go has it: Windows gives no other answer. */
function isWritable(path: string): boolean {
  const found = look(path);
  return found?.isDirectory() === true && (found.mode & 0o200) !== 0;
}
