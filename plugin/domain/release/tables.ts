/** The tables of plugin/advisories/tables.yaml: what is known of releases and is looked up, not judged by a row. */
import data from "../../advisories/tables.json";
import type { Names } from "../names/names";

/** First and last, as published. */
export type PlatformRange = readonly [first: string, last: string];

/** What a line says of one platform. */
export interface PlatformSupport {
  readonly supported: PlatformRange;
  /** Absent where none is listed. */
  readonly deprecated?: PlatformRange;
}

/** One line of the table, for every operator from `first` to `last` (major.minor.patch). */
export interface PlatformLine {
  readonly first: string;
  readonly last: string;
  readonly kubernetes: PlatformSupport;
  readonly openshift: PlatformSupport;
}

/** An operator, and the one cluster release that it manages. */
interface ReleasePair {
  readonly operator: string;
  readonly cluster: string;
  readonly recalled?: boolean;
}

/** Those entries of the names that are lists of names. */
type NameList = {
  [Entry in keyof Names]: Names[Entry] extends readonly string[] ? Entry : never;
}[keyof Names];

/** A module that a later release cannot have. */
interface RetiredRow {
  readonly names: NameList;
  /** The first release of the operator whose clusters cannot have it. */
  readonly from: string;
  /** Why, after "from RELEASE on". */
  readonly because: string;
  /** Where that is published. */
  readonly source: string;
}

/** A field of a request that is to be left out. */
interface DeprecatedField {
  readonly field: keyof Names["upgradeRequest"];
  readonly since: string;
  readonly instead: string;
}

interface Tables {
  readonly bundled: readonly { readonly from: string; readonly versions: readonly string[] }[];
  readonly pairs: readonly ReleasePair[];
  readonly platforms: readonly PlatformLine[];
  readonly unprivilegedFrom: string;
  readonly retiredModules: readonly RetiredRow[];
  readonly deprecatedFields: readonly DeprecatedField[];
}

export const tables = data as unknown as Tables;
