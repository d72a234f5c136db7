/** The files that the webhook program reads: its pair, the ECs, and the names. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../adapters/temporary";
import type { Names } from "../domain/names";
import type { KubeObject } from "../domain/objects";
import type { ServedPair } from "./source/source";

/** A folder for its owner alone, gone with the rehearsal. */
export interface WebhookFolder {
  readonly tlsDir: string;
  readonly clustersFile: string;
  readonly namesFile: string;
  /** Writes the ECs again, before anybody can ask the program about them. */
  writeClusters(clusters: readonly KubeObject[]): void;
  remove(): void;
}

/** Makes the folder and writes the pair into it as the mounted Secret has it. */
export function makeWebhookFolder(
  pair: ServedPair | undefined,
  clusters: readonly KubeObject[],
  names: Names,
): WebhookFolder {
  const { path: root, remove } = temporaryFolder();
  const tlsDir = join(root, "tls");
  const clustersFile = join(root, "clusters.json");
  const namesFile = join(root, "names.json");
  const writeClusters = (all: readonly KubeObject[]): void => {
    write(clustersFile, JSON.stringify({ kind: "List", items: all }));
  };
  mkdirSync(tlsDir, { mode: 0o700 });
  if (pair !== undefined) {
    write(join(tlsDir, names.webhook.secretCert), pair.cert);
    write(join(tlsDir, names.webhook.secretKey), pair.key);
  }
  writeClusters(clusters);
  write(namesFile, JSON.stringify(names));
  return {
    tlsDir,
    clustersFile,
    namesFile,
    writeClusters,
    remove,
  };
}

function write(file: string, content: string): void {
  writeFileSync(file, content, { mode: 0o600 });
}
