/** The manifest by which krew installs the plugin from its archives. */
import { dump } from "js-yaml";
import { description, version } from "../../package.json";
import type { Platform } from "./nodes";

/** An archive of the plugin. */
export interface PluginArchive {
  readonly platform: Platform;
  readonly name: string;
  readonly sha256: string;
  /** The program's name in the archive. */
  readonly bin: string;
}

/** Where the archives will be; krew takes them from nowhere else. */
export function krewManifest(archives: readonly PluginArchive[], url: string): string {
  return dump({
    apiVersion: "krew.googlecontainertools.github.com/v1alpha2",
    kind: "Plugin",
    metadata: { name: "engine" },
    spec: {
      version: `v${version}`,
      shortDescription: "Upgrade Engine Enterprise without a gap",
      description: `${description}.\n`,
      caveats:
        "Linux needs libatomic (Debian: libatomic1).\n" +
        'macOS runs signed programs alone: codesign --sign - "$(realpath ~/.krew/bin/kubectl-engine)"\n' +
        "The archives for macOS and Windows are built and checked, but not run.\n",
      platforms: archives.map(({ platform: { os, arch }, name, sha256, bin }) => ({
        selector: { matchLabels: { os, arch } },
        uri: `${url}/${name}`,
        sha256,
        bin,
        files: [bin, "LICENSE", "LICENSES.txt", "documents.schema.json"].map((from) => ({
          from,
          to: ".",
        })),
      })),
    },
  });
}
