/** What each release of the cluster serves over REST (profiles.json): clients meet old and new servers. */
import played from "./profiles.json";

/** One release's REST API; every optional part may be switched. */
export interface ApiProfile {
  /** Of the nodes. */
  readonly softwareVersion: string;
  /** Engine versions that the nodes can run, oldest first (domain facts 7). */
  readonly versions: readonly string[];
  /** The default of the field that asks for the newest of all: true as of 7.8.2 (S89). */
  readonly latestWithModules: boolean;
  /** Deprecations are told in a Warning header: as of 7.8.2 (S120). */
  readonly deprecates: boolean;
  /** POST of a module archive (S95): served, or the code that says it is gone (domain facts 9). */
  readonly install: "served" | 404 | 405;
  /** The newer calls that define a module and upload its file. */
  readonly userModules: boolean;
  /** Uploads are refused until the cluster's setting allows them. */
  readonly uploadsOff: boolean;
  /** Module records name their platforms (S47). */
  readonly tellsPlatforms: boolean;
  /** Platform of the nodes (S103). */
  readonly platform: string;
  readonly actions: boolean;
  readonly bdbActions: boolean;
  readonly newerActions: boolean;
  readonly progressAs: "number" | "string";
  readonly license: boolean;
  readonly cluster: boolean;
  readonly policy: boolean;
  readonly nodes: boolean;
  readonly tokens: boolean;
  /** False: credentials of the basic kind are refused with 401. */
  readonly basic: boolean;
  /** Shape of the body of an error (S115). */
  readonly errorBody: "message" | "description" | "none";
}

/** Name of a release that can be played. */
export type ProfileName = keyof typeof played;

/** The releases that can be played, in order of age. */
export const profiles = played as Readonly<Record<ProfileName, ApiProfile>>;

/** What is played where no release is named. */
export const usualProfile: ProfileName = "7.22";
