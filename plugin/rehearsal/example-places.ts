/** The namespaces of the example. */
export interface ExamplePlaces {
  readonly operator: string;
  /** Namespaces with databases that the operator watches. */
  readonly consumers: readonly [string, string];
  /** Was watched once; its RBAC was left behind. */
  readonly former: string;
}

/** The oldest published release whose definitions are those that the tool ships (domain facts 7). */
export const exampleReleaseVersion = "8.0.18-11";

/** What `--release` is given for the example's: no path of a file looks like this by chance. */
export const exampleReleaseName = `example:${exampleReleaseVersion}`;
