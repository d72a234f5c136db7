/** What a cluster is checked for. */
import type { KubeObject } from "../objects";
import type { RoleFiles } from "../rbac/lines";
import type { ReleaseContents } from "../release/release";

/** What is wanted; without any of it the cluster is judged as it stands. */
export interface CheckTarget {
  /** Release of the operator. */
  readonly operatorVersion?: string | undefined;
  /** The cluster's tag as a person gives it; absent: what belongs to the operator's release. */
  readonly clusterTag?: string | undefined;
  /** The one EC that is asked about; absent: all of the operator's. */
  readonly cluster?: string | undefined;
  /** What the release's files hold. */
  readonly contents?: ReleaseContents;
  /** The webhook's template of the release, else the shipped one, rendered for the namespace. */
  readonly webhook?: KubeObject;
  /** The template is the one that the tool ships. */
  readonly shippedWebhook?: boolean;
  /** The files for managed namespaces: the release's, else the shipped ones. */
  readonly rbac?: RoleFiles;
}
