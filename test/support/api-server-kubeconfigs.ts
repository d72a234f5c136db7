/** Folders with kubeconfig files for tests of the connection. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { aFolder } from "./a-folder";

/** A folder of its own for one test file. */
export interface Folder {
  readonly dir: string;
  /** Writes a file, anything but text as JSON (which is YAML); answers its path. */
  write(name: string, content: unknown): string;
  remove(): void;
}

/** Makes a folder below the system's temporary one. */
export function temporaryFolder(): Folder {
  const dir = aFolder("engine-test");
  return {
    dir,
    write: (name, content) => {
      const file = join(dir, name);
      writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
      return file;
    },
    remove: () => {
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** A kubeconfig of one context, cluster and user, all of the same name. */
export function kubeconfig(cluster: object, user: object = {}, context: object = {}): object {
  return {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "here",
    contexts: [{ name: "here", context: { cluster: "here", user: "me", ...context } }],
    clusters: [{ name: "here", cluster }],
    users: [{ name: "me", user }],
  };
}
