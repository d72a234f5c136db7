/** What is to be done next, as the rooms of the commands name it for `status` (S9; domain facts 12). */
import type { ComponentHealth } from "./health";

/** Something to run, or something to wait for or to fix first. */
export interface NextStep {
  readonly says: string;
  /** Words of a command of this tool, unquoted, without the flags of the context. */
  readonly words?: readonly string[];
  /** It upgrades the operator or an EC, which may not begin without the prerequisites. */
  readonly upgrades?: true;
}

/** A release that was given: what its files are for, and how it was given. */
export interface NextRelease {
  readonly contents: {
    readonly operatorVersion: string | undefined;
    readonly clusterVersion: string | undefined;
  };
  readonly given: string;
}

/** The words that pass the release on. */
export function releaseWords(release: NextRelease | undefined): readonly string[] {
  return release === undefined ? [] : [`--release=${release.given}`];
}

/** Nothing to run while something moves, is stalled, or is not known. */
export function holdStep(what: string, verdict: ComponentHealth): NextStep | undefined {
  switch (verdict.is) {
    case "fine":
    case "absent":
      return undefined;
    case "moving":
      return { says: `wait for ${what}: ${verdict.on}` };
    case "stalled":
      return { says: `fix ${what} first: ${verdict.fix}` };
    case "unknown":
      return { says: `it cannot be determined while ${what} cannot be read: ${verdict.because}` };
  }
}
