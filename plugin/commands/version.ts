/** `version`: this tool's own version; nothing is asked of a cluster. */
import { version } from "../../package.json";
import { isObject, own, text } from "../domain/values";
import type { Report } from "../run/report";
import type { CommandRun } from "./context";

/** Flags of `version`: `--client` changes nothing, kubectl's users type it. */
export interface VersionFlags {
  readonly client: boolean;
}

/** The version of the tool and of what runs it. */
export const runVersion: CommandRun<VersionFlags> = () =>
  Promise.resolve({
    apiVersion: "cli.engine.com/v1",
    kind: "Version",
    details: {
      clientVersion: {
        version,
        node: process.versions.node,
        platform: `${process.platform}/${process.arch}`,
      },
    },
    exit: { code: 0, reason: `version ${version}` },
  });

/** As kubectl prints its own. */
export function versionText(report: Report): string {
  const details = isObject(report.details) ? report.details : {};
  return `Client Version: v${text(own(details["clientVersion"], "version")) ?? ""}\n`;
}
