/** A release as it was read: its files, and what they hold (S15, S26; domain facts 8). */
import type { KubeObject } from "../objects";
import type { Platform } from "./platforms";

/** A file of a release. */
export interface ReleaseFile {
  readonly text: string;
  /** Where it was found, for people. */
  readonly source: string;
}

/** An opened release; nothing of it is judged yet. */
export interface Release {
  /** As it was given, without credentials. */
  readonly source: string;
  /** SHA-256 in hex: of the archive's bytes, or of a folder's files, so that a change is seen. */
  readonly sha256: string;
  /** The first of these paths that it holds. */
  readonly file: (paths: readonly string[]) => ReleaseFile | undefined;
}

/** A tag of the cluster image, and what tells it. */
export interface ToldTag {
  readonly tag: string;
  readonly by: string;
}

/** What the files of a release hold, for one platform. */
export interface ReleaseContents {
  readonly source: string;
  readonly sha256: string;
  readonly platform: Platform;
  /** The tag of the operator's image in its Deployment; undefined where it is pinned by digest. */
  readonly operatorVersion: string | undefined;
  /** The tag of the cluster image that belongs to it; undefined where it is not known. */
  readonly clusterVersion: string | undefined;
  /** Every file of the release that tells it, the surest first. */
  readonly clusterTold?: readonly ToldTag[];
  /** Every object of the bundle of the platform, in the file's order; empty without a bundle. */
  readonly bundle: readonly KubeObject[];
  /** The definitions among them. */
  readonly definitions: readonly KubeObject[];
  readonly webhook: ReleaseFile | undefined;
  /** Files of the managed namespaces and of label mode, those that are there. */
  readonly rbac: readonly ReleaseFile[];
  readonly scc: ReleaseFile | undefined;
}
