/** An advisory: one row of data that says which upgrade goes wrong, in which situation, and what to do instead. */
import type { Severity } from "../base/findings";
import type { acts } from "../diagnosis/symptom";
import type { Concern } from "./vocabulary";

/** What ranges are of: releases of the operator, tags of the cluster, engine versions, versions of the platform. */
export const dimensions = ["operator", "cluster", "engine", "kubernetes", "openshift"] as const;
export type Dimension = (typeof dimensions)[number];

/** The acts that ask the rows, `upgrade` in its parts: a row that named another one would refuse nothing. */
export const advisedActs = [
  "upgrade-operator",
  "upgrade-cluster",
  "upgrade-database",
] as const satisfies readonly (typeof acts)[number][];
export type AdvisedAct = (typeof advisedActs)[number];

/** A step over which a release note warns: from where, to where; a range that is absent holds for every version. */
export interface Crossing {
  /** Holds for what runs. */
  readonly from?: string;
  /** Holds for what is asked for; of an operator and a cluster without a target it counts as reached. */
  readonly to?: string;
}

/** A way out as a row has it; `{…}` in any text is an expression. */
export interface RowRemedy {
  readonly says: string;
  /** Words of a command, the program first: kubectl, oc, helm, or engine for this tool. */
  readonly run?: readonly string[];
  /** The same of a command that only shows. */
  readonly see?: readonly string[];
}

/** A row as files have it. */
export interface Row {
  /** What `explain` and --skip take; several rows may share one. */
  readonly code: string;
  /** Unique; the code in small letters where it is left out. */
  readonly id: string;
  readonly severity: Severity;
  /** An area of `check`. */
  readonly area: string;
  readonly concerns: Concern;
  /** What is so when nothing is found. */
  readonly title: string;
  /** Not judged without a release that is asked for. */
  readonly needsTarget?: boolean;
  /** The steps that it is about: each has to be made. */
  readonly crosses?: Readonly<Partial<Record<Dimension, Crossing>>>;
  /** Ranges of what will be in force: what is asked for, else what runs. */
  readonly at?: Readonly<Partial<Record<Dimension, string>>>;
  /** The condition; absent: always. */
  readonly when?: string;
  /** A condition that cannot be judged counts as one that holds. */
  readonly whenUnknown?: "fires";
  /** A person has to look, and says so with --skip. */
  readonly vouched?: boolean;
  /** Acts that are refused while it holds. */
  readonly forbids?: readonly AdvisedAct[];
  /** Acts whose plans show it. */
  readonly warns?: readonly AdvisedAct[];
  /** A path of the names file, as `ecFields.licenseState`. */
  readonly field?: string;
  readonly cause: string;
  /** The way out as a sentence; a row has this or remedies. */
  readonly fix?: string;
  readonly remedies?: readonly RowRemedy[];
  /** Codes that are not told beside it on the same object. */
  readonly supersedes?: readonly string[];
  /** Which document of which release says so. */
  readonly source: string;
  /** The day on which it was written down, such as 2026-11-30. */
  readonly since?: string;
  /** Ranges that end it: it is silent where what will be in force is in one of them. */
  readonly fixedIn?: Readonly<Partial<Record<Dimension, string>>>;
  /** Switches off the row of the same id that ships with the tool. */
  readonly disabled?: boolean;
  readonly examples: Examples;
}

/** Values of the variables, as a file has them: a world that fires, a neighbor that stays silent. */
export interface Examples {
  readonly fires: Readonly<Record<string, unknown>>;
  readonly silent: Readonly<Record<string, unknown>>;
  /** One in which it cannot be judged. */
  readonly unknown?: Readonly<Record<string, unknown>>;
}

/** A row, and where it comes from. */
export interface Sourced extends Row {
  /** The file, for people: `shipped` for those of the tool. */
  readonly origin: string;
}

/** What a file of advisories holds. */
export interface AdvisoryFile {
  /** `advisories/v1`. */
  readonly apiVersion: string;
  /** The day up to which its knowledge has been kept, such as 2026-11-30. */
  readonly date: string;
  /** The newest releases whose notes were read for it. */
  readonly upTo?: Readonly<Partial<Record<Dimension, string>>>;
  readonly advisories: readonly Row[];
}
