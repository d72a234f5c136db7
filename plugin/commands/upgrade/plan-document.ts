/** The plan of a whole upgrade as it is shown and saved, and how a saved one is read. */
import type { Pause, PlannedWrite } from "../../domain/kube/planned-write";
import type { Finding } from "../../domain/base/findings";
import type { BoundState } from "./bound-state";
import type { PartId } from "../../kernel/report";
import { type Json, asArray, getOwn, asString, isObject } from "../../domain/base/values";

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
  /** How it leaves the object, to know it again after a run that ended midway; absent of what it deletes. */
  readonly leaves?: BoundState;
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

/** A saved plan, read; undefined when it is none: a hand may have changed it, or a disk cut it off. */
export function parsePlan(value: unknown): UpgradePlan | undefined {
  if (!isPlan(value)) return undefined;
  const fit =
    hasTexts(value, ["cluster", "namespace", "release", "madeAt", "program"]) &&
    isText(value["sha256"] ?? "") &&
    isListOf(value["words"], isText) &&
    isListOf(value["parts"], (part) => hasTexts(part, ["id", "title", "source"])) &&
    isListOf(value["findings"], isFinding) &&
    isListOf(value["steps"], isStep);
  return fit ? (value as unknown as UpgradePlan) : undefined;
}

function isListOf(value: unknown, fits: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && asArray(value).every(fits);
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function hasTexts(value: unknown, keys: readonly string[]): boolean {
  return keys.every((key) => isText(getOwn(value, key)));
}

function isFinding(value: unknown): boolean {
  return hasTexts(value, ["code"]) && isText(getOwn(value, "object") ?? "");
}

const actions: readonly PlannedStep["action"][] = ["apply", "patch", "delete", "chart", "call"];

function isStep(step: unknown): boolean {
  const write = getOwn(step, "write");
  const [state, leaves] = [getOwn(step, "state"), getOwn(step, "leaves")];
  return (
    hasTexts(step, ["part", "object", "why"]) &&
    actions.some((action) => action === getOwn(step, "action")) &&
    isWrite(write) &&
    // what existed is bound to how it was, and nothing else is
    (getOwn(write, "read") === undefined ? state === undefined : isState(state)) &&
    (leaves === undefined || isState(leaves))
  );
}

function isWrite(write: unknown): boolean {
  const [target, read, changes] = ["target", "read", "changes"].map((key) => getOwn(write, key));
  return (
    hasTexts(write, ["verb"]) &&
    hasTexts(target, ["group", "version", "resource", "kind", "name"]) &&
    isText(getOwn(target, "namespace") ?? "") &&
    (read === undefined || isObject(read)) &&
    (changes === undefined || isListOf(changes, (change) => hasTexts(change, ["path"])))
  );
}

function isState(state: unknown): boolean {
  const [fields, generation] = [getOwn(state, "fields"), getOwn(state, "generation")];
  return (
    isObject(fields) &&
    Object.values(fields).every(isText) &&
    (generation === undefined || typeof generation === "number")
  );
}
