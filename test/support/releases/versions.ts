/** The releases to upgrade between: what differs from one to the next (domain facts 4 to 8). */

/** Operator releases, oldest first. */
export const releaseVersions = ["7.4.2-2", "7.22.0-7", "8.0.2-2"] as const;

/** One of them. */
export type ReleaseVersion = (typeof releaseVersions)[number];

/** What a release is made of. */
export interface ReleaseShape {
  /** Tag of the cluster image that belongs to it. */
  readonly cluster: string;
  /** Its tree has the folder deploy/ (S26), or has not (domain facts 4.1). */
  readonly deployFolder: boolean;
  /** Since 7.22.0: no extra permissions, batch jobs, active-active databases beside the operator's. */
  readonly unprivileged: boolean;
  /** The version of the EC that is stored. */
  readonly storedVersion: "v1" | "v1alpha1";
  /** What tells where a Service's pods are: endpoints before 8.0.2-2. */
  readonly endpoints: "endpoints" | "endpointslices";
  /** Before 7.4.6-2 the consumer Role deletes Secrets too, and databases by the collection. */
  readonly deletesMany: boolean;
  /** How its files for managed namespaces spell what is to be filled in. */
  readonly tokens: { readonly namespace: string; readonly account: string };
}

const words = { namespace: "NAMESPACE_OF_SERVICE_ACCOUNT", account: "NAME_OF_EC_SERVICE_ACCOUNT" };
const angled = { namespace: "<ec-namespace>", account: "<service-account-name>" };

/** The shapes by release. */
export const releaseShapes: Readonly<Record<ReleaseVersion, ReleaseShape>> = {
  "7.4.2-2": {
    cluster: "7.4.2-40", // the test's own: no pair is published for this operator
    deployFolder: false,
    unprivileged: false,
    storedVersion: "v1alpha1",
    endpoints: "endpoints",
    deletesMany: true,
    tokens: angled,
  },
  "7.22.0-7": {
    cluster: "7.22.0-28",
    deployFolder: false,
    unprivileged: true,
    storedVersion: "v1alpha1",
    endpoints: "endpoints",
    deletesMany: false,
    tokens: words,
  },
  "8.0.2-2": {
    cluster: "8.0.2-17",
    deployFolder: true,
    unprivileged: true,
    storedVersion: "v1",
    endpoints: "endpointslices",
    deletesMany: false,
    tokens: words,
  },
};
