/** What a Rehearsal document has to say beside its exit: the stages and what they were played on. */
import type { Report } from "../run/report";

/** What the rehearsal was played on. */
export interface RehearsedSource {
  readonly described: string;
  readonly objects: number;
  /** Objects of the kinds that matter most, by kind. */
  readonly kinds: Readonly<Record<string, number>>;
  readonly user: string;
  readonly warnings: readonly string[];
}

/** One run of the command, or what was tried after it. */
export interface RehearsedStage {
  readonly title: string;
  /** As it would be typed. */
  readonly command: string;
  readonly report: Report;
  /** Answers to questions that a real run would ask. */
  readonly asked?: readonly string[];
  /** Objects that a real run saves before it replaces or deletes them. */
  readonly saved?: readonly string[];
  /** Requests that change something, dry runs left out. */
  readonly writes: number;
  /** Commands typed by a person afterwards, with their answers. */
  readonly edits?: readonly { readonly command: string; readonly answer: string }[];
}

/** How runs with one sort of failure ended. */
export interface FaultSummary {
  readonly fault: string;
  readonly says: string;
  readonly runs: number;
  /** Number of first runs by their end: an exit code, or `killed`. */
  readonly ends: Readonly<Record<string, number>>;
  /** The most runs without failures that one needed to be done. */
  readonly reruns: number;
  /** The worst end met, and how the cluster came out of it. */
  readonly worst: string;
}

/** The runs with failures put in. */
export interface RehearsedFaults {
  readonly chosen: string;
  /** Requests of the run without failures. */
  readonly calls: number;
  readonly runs: number;
  /** States of the webhook configurations that were judged, and those without a working webhook. */
  readonly moments: { readonly judged: number; readonly broken: number } | "not judged";
  readonly summary: readonly FaultSummary[];
  /** Runs that did not end as they have to, with the command that repeats each. */
  readonly failures: readonly {
    readonly what: string;
    readonly why: string;
    readonly again: string;
  }[];
}

/** `details` of a document of kind Rehearsal. */
export interface RehearsalDetails {
  readonly source: RehearsedSource;
  readonly stages: readonly RehearsedStage[];
  readonly faults?: RehearsedFaults;
  /** What a rehearsal cannot know. */
  readonly unknown: readonly string[];
}
