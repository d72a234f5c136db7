/** What each release of the cluster serves over REST, as data: clients meet old and new servers. */

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

const older: ApiProfile = {
  softwareVersion: "7.4.2-2",
  versions: ["6.0", "6.2", "7.2"],
  latestWithModules: false,
  deprecates: false,
  install: "served",
  userModules: false,
  uploadsOff: false,
  tellsPlatforms: true,
  platform: "rhel8",
  actions: true,
  bdbActions: false,
  newerActions: false,
  progressAs: "string",
  license: true,
  cluster: true,
  policy: true,
  nodes: true,
  tokens: true,
  basic: true,
  errorBody: "description",
};

const middle: ApiProfile = {
  ...older,
  softwareVersion: "7.22.0-7",
  versions: ["6.2", "7.2", "7.4"],
  latestWithModules: true,
  deprecates: true,
  platform: "rhel9",
  bdbActions: true,
  newerActions: true,
  progressAs: "number",
  errorBody: "message",
};

const newer: ApiProfile = {
  ...middle,
  softwareVersion: "8.0.2-2",
  versions: ["6.2", "7.2", "7.4", "8.0", "8.2"],
  install: 405,
  userModules: true,
  tellsPlatforms: false,
};

/** The releases that can be played. */
export const profiles = {
  "7.4": older,
  "7.22": middle,
  "8.0": newer,
  "8.2": {
    ...newer,
    softwareVersion: "8.2.0-1",
    versions: [...newer.versions, "8.4"],
    install: 404,
    uploadsOff: true,
  },
} as const satisfies Readonly<Record<string, ApiProfile>>;

/** Name of a release that can be played. */
export type ProfileName = keyof typeof profiles;

/** The names, in order of age. */
export const profileNames: readonly ProfileName[] = ["7.4", "7.22", "8.0", "8.2"];

/** What is played where no release is named. */
export const usualProfile: ProfileName = "7.22";
