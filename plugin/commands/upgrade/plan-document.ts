/** The plan of a whole upgrade as it is shown and saved, and how a saved one is read. */
import type { Pause, PlannedWrite } from "../../domain/kube/planned-write";
import type { Finding } from "../../domain/base/findings";
import type { BoundState } from "./bound-state";
import type { PartId } from "../../kernel/report";
import { type Json, asArray, getOwn, asString } from "../../domain/base/values";

/** One write of a plan. */
export interface PlannedStep {
  readonly part: PartId;
  /** `Kind/namespace/name`. */
  readonly object: string;
  readonly action: "apply" | "patch" | "delete" | "chart" | "call";
  readonly why: string;
  /** The statements behind it, such as `S34`. */
  readonly source?: string;
  readonly write: PlannedWrite;
  /** What it rests on; absent of what did not exist, and of requests to others. */
  readonly state?: BoundState;
}

/** A finding that was there when the plan was made. */
export type PlannedFinding = Pick<Finding, "code"> & Partial<Pick<Finding, "object">>;

/** A part of a plan; `skipped` says why it has nothing to do. */
export interface PlannedPart {
  readonly id: PartId;
  readonly title: string;
  readonly source: string;
  readonly skipped?: string;
  /** Why its writes are not known; such a plan is never saved. */
  readonly unplanned?: string;
  /** What the part asks where it runs by itself: the one question of the plan asks for all of it. */
  readonly questions?: readonly string[];
  /** What may pass by itself, and is waited for before the part is done. */
  readonly waitsFor?: string;
  /** The run stops before this part: why, and what is to be typed before the same upgrade is run again. */
  readonly pauses?: Pause;
  /** It comes after a pause, and is left to the next run. */
  readonly later?: true;
}

/** What a plan is bound to. */
export interface PlanBinding {
  /** The uid of the namespace kube-system: one for each cluster, for as long as it lives. */
  readonly cluster: string;
  readonly namespace: string;
  /** The release or the chart, as given. */
  readonly release: string;
  /** Of the release; a chart has none. */
  readonly sha256?: string;
}

/** The plan as it is shown and saved. */
export interface UpgradePlan extends PlanBinding {
  readonly apiVersion: "cli.engine.com/v1";
  readonly kind: "UpgradePlan";
  /** The version of the program that made it: another one may plan other writes. */
  readonly program: string;
  /** RFC 3339. */
  readonly madeAt: string;
  /** The words that it was made with, to run it by. */
  readonly words: readonly string[];
  readonly parts: readonly PlannedPart[];
  readonly steps: readonly PlannedStep[];
  readonly findings: readonly PlannedFinding[];
}

/** Which version of the program saved a plan, for a sentence; undefined for what is not a plan. */
export function savedBy(value: unknown): string | undefined {
  if (!isPlan(value)) return undefined;
  const program = asString(getOwn(value, "program"));
  return program === undefined ? "an older version" : `version ${program}`;
}

function isPlan(value: unknown): value is Json {
  return (
    getOwn(value, "kind") === "UpgradePlan" && getOwn(value, "apiVersion") === "cli.engine.com/v1"
  );
}

/** A saved plan, read; undefined when it is none. */
export function parsePlan(value: unknown): UpgradePlan | undefined {
  if (!isPlan(value)) return undefined;
  const texts = ["cluster", "namespace", "release", "madeAt", "program"].map((key) =>
    getOwn(value, key),
  );
  const fit =
    texts.every((each) => typeof each === "string") &&
    Array.isArray(value["words"]) &&
    asArray(value["words"]).every((word) => typeof word === "string") &&
    Array.isArray(value["parts"]) &&
    Array.isArray(value["steps"]) &&
    Array.isArray(value["findings"]) &&
    asArray(value["steps"]).every(isStep);
  return fit ? (value as unknown as UpgradePlan) : undefined;
}

const actions: readonly PlannedStep["action"][] = ["apply", "patch", "delete", "chart", "call"];

function isStep(step: unknown): boolean {
  const write = getOwn(step, "write");
  const target = getOwn(write, "target");
  return (
    ["part", "object", "why"].every((key) => asString(getOwn(step, key)) !== undefined) &&
    actions.some((action) => action === getOwn(step, "action")) &&
    asString(getOwn(write, "verb")) !== undefined &&
    ["version", "resource", "kind", "name"].every(
      (key) => asString(getOwn(target, key)) !== undefined,
    )
  );
}
